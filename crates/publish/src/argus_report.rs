//! The page that goes with every table a batch writes: what was asked for, what was found, what was withheld.
//!
//! It shows sums by status, so it is confidential like the table itself.

use crate::report::html::text;
use cellveil_argus::ArgusTable;
use cellveil_argus::arb::{Concentration, CostSpec};
use cellveil_core::CodeId;
use std::fmt::{self, Write};

/// What only the batch knows of a table.
#[derive(Clone, Debug, Default)]
pub struct ReportNote {
    /// The batch file.
    pub batch: String,
    /// The files that were read.
    pub inputs: Vec<String>,
    /// The file of the table.
    pub output: String,
    /// How the table was protected, if it was.
    pub method: Option<String>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

/// The whole page.
pub fn argus_report(table: &ArgusTable, note: &ReportNote) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = page(&mut out, table, note);
    out
}

fn page(out: &mut String, table: &ArgusTable, note: &ReportNote) -> fmt::Result {
    let title = format!("Table {}", text(&note.output));
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <style>body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}\
         td,th{{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #ddd}}\
         th:first-child,td:first-child,td.t,th.t{{text-align:left}}</style></head>\n<body>\n<h1>{title}</h1>"
    )?;
    facts(out, table, note)?;
    structure(out, table)?;
    rules(out, table)?;
    summary(out, table)?;
    trees(out, table)?;
    writeln!(out, "</body>\n</html>")
}

fn facts(out: &mut String, table: &ArgusTable, note: &ReportNote) -> fmt::Result {
    writeln!(out, "<h2>Files</h2>\n<ul>\n<li>Batch: {}</li>", text(&note.batch))?;
    for input in &note.inputs {
        writeln!(out, "<li>Read: {}</li>", text(input))?;
    }
    writeln!(out, "<li>Written: {}</li>\n</ul>", text(&note.output))?;
    let method = note.method.as_deref().unwrap_or("not protected: secondary cells were not chosen");
    writeln!(out, "<h2>Protection</h2>\n<p>{}</p>", text(method))?;
    let notes: Vec<&String> = table.notes.iter().chain(&note.notes).collect();
    if !notes.is_empty() {
        writeln!(out, "<ul>")?;
        for line in notes {
            writeln!(out, "<li>{}</li>", text(line))?;
        }
        writeln!(out, "</ul>")?;
    }
    Ok(())
}

fn structure(out: &mut String, table: &ArgusTable) -> fmt::Result {
    writeln!(out, "<h2>Structure</h2>\n<table><tr><th>variable</th><th>codes</th></tr>")?;
    for codes in &table.codes {
        let dimension = &codes.dimension;
        writeln!(
            out,
            "<tr><td>{}</td><td>{}</td></tr>",
            text(&dimension.name),
            dimension.hierarchy.len()
        )?;
    }
    let specify = &table.specify;
    let response = specify.response.as_deref().unwrap_or("frequency");
    let cost = match &specify.cost {
        CostSpec::Default => response,
        CostSpec::Frequency => "frequency",
        CostSpec::Unity => "one per cell",
        CostSpec::Distance => "distance",
        CostSpec::Variable(name) => name,
    };
    writeln!(
        out,
        "</table>\n<p>Response {}, shadow {}, cost {}, λ = {}.</p>",
        text(response),
        text(specify.shadow.as_deref().unwrap_or(response)),
        text(cost),
        specify.lambda
    )
}

fn rules(out: &mut String, table: &ArgusTable) -> fmt::Result {
    writeln!(out, "<h2>Safety rules</h2>\n<ul>")?;
    let rules = &table.rules;
    for (who, list) in ["respondents", "holdings"].iter().zip(&rules.concentration) {
        for rule in list {
            match rule {
                Concentration::Dominance { n, k } => {
                    writeln!(
                        out,
                        "<li>Dominance: the {n} largest {who} hold more than {k} %</li>"
                    )?;
                }
                Concentration::PriorPosterior { p, q, n } => writeln!(
                    out,
                    "<li>Prior–posterior for {who}: p = {p}, q = {q}, coalition of {n}</li>"
                )?,
            }
        }
    }
    for (who, rule) in ["respondents", "holdings"].iter().zip(&rules.frequency) {
        if let Some(rule) = rule {
            writeln!(out, "<li>Fewer than {} {who}, range {} %</li>", rule.below, rule.range)?;
        }
    }
    for (who, rule) in ["respondents", "holdings"].iter().zip(&rules.request) {
        if let Some(rule) = rule {
            let [first, second] = rule.percents;
            writeln!(
                out,
                "<li>Requests of {who}: above {first} % and {second} %, fewer than {}, range {} %</li>",
                rule.below, rule.range
            )?;
        }
    }
    if let Some(range) = rules.zero {
        writeln!(out, "<li>Zeros are unsafe, range {range}</li>")?;
    }
    if rules.given {
        writeln!(out, "<li>Statuses of the file</li>")?;
    }
    let yes = |flag: bool| if flag { "yes" } else { "no" };
    writeln!(
        out,
        "<li>Manual margin {} %</li>\n<li>Cells with a missing code are safe: {}</li>\n<li>Weights: {}</li>\n</ul>",
        rules.manual,
        yes(rules.missing_safe),
        yes(rules.weights)
    )
}

fn summary(out: &mut String, table: &ArgusTable) -> fmt::Result {
    writeln!(
        out,
        "<h2>Summary</h2>\n<table><tr><th>no</th><th class=\"t\">status</th><th>cells</th><th>respondents</th><th>response</th><th>cost</th></tr>"
    )?;
    let places = usize::from(table.decimals);
    let mut all = cellveil_argus::Sums::default();
    for (status, sums) in table.summary() {
        all.cells += sums.cells;
        all.respondents += sums.respondents;
        all.response += sums.response;
        all.cost += sums.cost;
        writeln!(
            out,
            "<tr><td>{}</td><td class=\"t\">{}</td><td>{}</td><td>{}</td><td>{:.places$}</td><td>{:.places$}</td></tr>",
            status.number(),
            status.describe(),
            sums.cells,
            sums.respondents,
            sums.response,
            sums.cost
        )?;
    }
    writeln!(
        out,
        "<tr><th></th><th class=\"t\">Total</th><th>{}</th><th>{}</th><th>{:.places$}</th><th>{:.places$}</th></tr>\n</table>",
        all.cells, all.respondents, all.response, all.cost
    )
}

fn trees(out: &mut String, table: &ArgusTable) -> fmt::Result {
    writeln!(out, "<h2>Codes</h2>")?;
    for codes in &table.codes {
        let dimension = &codes.dimension;
        writeln!(out, "<details><summary>{}</summary><pre>", text(&dimension.name))?;
        for code in 0..dimension.hierarchy.len() as CodeId {
            let depth = usize::from(dimension.hierarchy.depth(code));
            write!(out, "{}{}", "  ".repeat(depth), text(dimension.hierarchy.name(code)))?;
            writeln!(
                out,
                "{}",
                codes.label(code).map_or(String::new(), |l| format!("  {}", text(l)))
            )?;
        }
        writeln!(out, "</pre></details>")?;
    }
    Ok(())
}
