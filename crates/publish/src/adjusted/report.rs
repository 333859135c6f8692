//! `report.html` of an adjusted table: one page for people, complete in itself. Confidential: it compares with the truth.

use super::{AdjustedPublication, Loss};
use crate::report::{STYLE, count, percent, text};
use cellveil_core::Promise;
use std::fmt::{self, Write};

pub(super) fn page(publication: &AdjustedPublication<'_>) -> Result<String, fmt::Error> {
    let release = publication.release;
    let (problem, adjustment) = (release.problem(), release.adjustment());
    let loss = Loss::of(problem, adjustment);
    let title = text(&publication.account.title);
    let mut out = String::new();
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <header>\n<p class=\"house\">cellveil adjusted table</p>\n<h1>{title}</h1>\n\
         <p class=\"verdict\"><span class=\"seal\" aria-hidden=\"true\">✓</span> <strong>Proven safe.</strong> {}</p>\n\
         <p class=\"caution\">This page is confidential: it compares the published values with the true ones.</p>\n</header>\n",
        sentence(release.promise())
    )?;
    figures(&mut out, publication, &loss)?;
    levels(&mut out, &loss)?;
    notes(&mut out, publication)?;
    out.write_str("</main>\n</body>\n</html>\n")?;
    Ok(out)
}

fn sentence(promise: Promise) -> &'static str {
    match promise {
        Promise::Moved => {
            "Every sum holds, every value is within its bounds, and every sensitive cell was moved at least as far as its \
             protection level. Adding up again proves it."
        }
        Promise::Radius { .. } => {
            "Every sum holds. Each sensitive cell comes with tables that fit the published one and its radius and put it far \
             enough from its true value."
        }
        Promise::Rounded { .. } => {
            "Every sum holds and every value is a multiple of the base. Each sensitive cell comes with tables that round to \
             the published one and put it far enough from its true value."
        }
    }
}

fn figures(out: &mut String, publication: &AdjustedPublication<'_>, loss: &Loss) -> fmt::Result {
    let problem = publication.release.problem();
    let mut figures = vec![
        (count(problem.len()), "cells".to_owned()),
        (count(problem.needs().len()), "sensitive cells".to_owned()),
        (percent(loss.unchanged, 1.0), "of the cells unchanged".to_owned()),
        (format!("{:.6}", publication.account.summary.cost), "cost of the moves".to_owned()),
        (format!("{:.2}", loss.l1), "sum of the absolute moves".to_owned()),
        (format!("{:.2}", loss.l2), "root of the squared moves".to_owned()),
    ];
    if let Some(gap) = publication.account.summary.gap {
        figures.push((percent(gap, 1.0), "of the cost at most could be saved".to_owned()));
    }
    if let Some(hellinger) = loss.hellinger {
        figures.push((format!("{hellinger:.4}"), "distance of Hellinger".to_owned()));
    }
    out.write_str("<section class=\"figures\" aria-label=\"Key figures\">\n<dl>\n")?;
    for (figure, what) in figures {
        writeln!(out, "<div><dt>{what}</dt><dd>{figure}</dd></div>")?;
    }
    out.write_str("</dl>\n</section>\n")
}

fn levels(out: &mut String, loss: &Loss) -> fmt::Result {
    out.write_str(
        "<section id=\"loss\">\n<h2>What was changed</h2>\n<div class=\"scroll\"><table class=\"plain\">\n<thead><tr>\
         <th>steps below the totals</th><th class=\"number\">cells</th><th class=\"number\">unchanged</th>\
         <th class=\"number\">mean relative move</th><th class=\"number\">largest</th></tr></thead>\n<tbody>\n",
    )?;
    for level in &loss.levels {
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            level.depth,
            count(level.cells),
            count(level.unchanged),
            percent(level.mean_relative, 1.0),
            percent(level.largest_relative, 1.0)
        )?;
    }
    out.write_str("</tbody>\n</table></div>\n</section>\n")
}

fn notes(out: &mut String, publication: &AdjustedPublication<'_>) -> fmt::Result {
    out.write_str(
        "<section id=\"check\">\n<h2>How to check it</h2>\n<p>No solver is needed, only additions. From the folder above:</p>\n\
         <pre><code>cellveil verify DIR</code></pre>\n\
         <p>Public are <code>table.csv</code>, <code>table.parquet</code>, <code>table.xlsx</code> and \
         <code>parameters.json</code>; everything else is confidential.</p>\n</section>\n\
         <section id=\"making\">\n<h2>How it was made</h2>\n<dl class=\"list\">\n",
    )?;
    let summary = &publication.account.summary;
    let mut items = vec![
        ("cellveil".to_owned(), summary.version.clone()),
        ("method".to_owned(), summary.method.clone().unwrap_or_default()),
        ("seed".to_owned(), summary.seed.map(|seed| seed.to_string()).unwrap_or_default()),
    ];
    items.extend(
        publication
            .account
            .limits
            .iter()
            .map(|(name, value)| (name.replace('_', " "), value.clone())),
    );
    for (name, value) in items {
        writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", text(&name), text(&value))?;
    }
    out.write_str("</dl>\n</section>\n")
}
