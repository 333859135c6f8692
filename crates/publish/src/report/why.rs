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
    let mut protects: Vec<(CellId, Vec<CellId>)> =
        reasons.secondaries().map(|cell| (cell, reasons.protected_by(cell))).collect();
    protects.sort_by_key(|(cell, cells)| (std::cmp::Reverse(cells.len()), *cell));
    let most = protects.first().map_or(0, |(_, cells)| cells.len());
    out.write_str(
        "<section id=\"why\">\n<h2>Why secondaries are withheld</h2>\n<p>A secondary protects the primaries whose proofs move \
         it: were it published, those would have to be proven another way. <code>why.csv</code> has all.</p>\n\
         <div class=\"scroll\"><table class=\"plain\">\n<caption>Secondaries that protect the most</caption>\n<thead><tr><th>secondary</th>\
         <th class=\"number\">protects</th><th class=\"wide\"></th><th>primaries</th></tr></thead>\n<tbody>\n",
    )?;
    let problem = release.problem();
    for (cell, cells) in protects.iter().take(MOST_SHOWN) {
        let (name, primaries) =
            (problem.names().describe(*cell).to_string(), listed(problem, cells, MOST_PRIMARIES));
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}</td><td class=\"words\">{}</td></tr>",
            text(&name),
            count(cells.len()),
            bar(cells.len() as f64, most as f64, "secondary"),
            text(&primaries),
        )?;
    }
    out.write_str("</tbody>\n</table></div>\n</section>\n")
}
