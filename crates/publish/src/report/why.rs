//! Why secondaries are withheld: those that protect the most primaries, and which.

use super::html::{bar, count, text};
use crate::Publication;
use crate::why_file::listed;
use cellveil_core::{CellId, Reasons};
use std::fmt::{self, Write};

/// The most secondaries shown, and the most primaries of each.
const MOST_SHOWN: usize = 20;
const MOST_PRIMARIES: usize = 5;

pub(super) fn section(out: &mut String, publication: &Publication<'_>) -> fmt::Result {
    let release = publication.release;
    let reasons = Reasons::of(release.certificate(), release.pattern());
    if reasons.secondaries().len() == 0 {
        return Ok(());
    }
    let mut protects: Vec<(usize, CellId)> =
        reasons.secondaries().map(|cell| (reasons.protected_by(cell, 0).0, cell)).collect();
    protects.sort_by_key(|&(count, cell)| (std::cmp::Reverse(count), cell));
    let most = protects.first().map_or(0, |&(count, _)| count);
    out.write_str(
        "<section id=\"why\">\n<h2>Why secondaries are withheld</h2>\n<p>A secondary protects the primaries whose proofs move \
         it: were it published, those would have to be proven another way. <code>why.csv</code> has all.</p>\n\
         <div class=\"scroll\"><table class=\"plain\">\n<caption>Secondaries that protect the most</caption>\n<thead><tr><th>secondary</th>\
         <th class=\"number\">protects</th><th class=\"wide\"></th><th>primaries</th></tr></thead>\n<tbody>\n",
    )?;
    let problem = release.problem();
    for &(protected, cell) in protects.iter().take(MOST_SHOWN) {
        let (_, first) = reasons.protected_by(cell, MOST_PRIMARIES);
        let (name, primaries) =
            (problem.names().describe(cell).to_string(), listed(problem, protected, &first));
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}</td><td class=\"words\">{}</td></tr>",
            text(&name),
            count(protected),
            bar(protected as f64, most as f64, "secondary"),
            text(&primaries),
        )?;
    }
    out.write_str("</tbody>\n</table></div>\n</section>\n")
}
