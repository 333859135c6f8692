//! The head of the report: the verdict and the key figures.

use super::facts::Facts;
use super::html::{count, percent, text};
use crate::{Account, RELEASED_FROZEN};
use std::fmt::{self, Write};

pub(super) fn header(
    out: &mut String,
    account: &Account,
    witnesses: usize,
    facts: &Facts<'_>,
) -> fmt::Result {
    write!(
        out,
        "<header>\n<p class=\"house\">cellveil release</p>\n<h1>{}</h1>\n",
        text(&account.title)
    )?;
    let sentence = match facts.all.primary {
        0 => "No cell of this table is sensitive. All of it may be published.".to_owned(),
        1 => "The one sensitive cell comes with alternative tables that fit everything published \
              and put it far enough from its true value. Adding them up again proves it."
            .to_owned(),
        needs => format!(
            "Each of the {} sensitive cells comes with alternative tables that fit everything \
             published and put it far enough from its true value. Adding them up again proves it.",
            count(needs)
        ),
    };
    writeln!(
        out,
        "<p class=\"verdict\"><span class=\"seal\" aria-hidden=\"true\">✓</span> \
         <strong>Proven safe.</strong> {sentence}</p>"
    )?;
    out.write_str(
        "<p class=\"caution\">This page is confidential: it shows no withheld value, but shares and \
         intervals that narrow some of them down.</p>\n",
    )?;
    released_frozen(out, account)?;
    out.write_str("</header>\n")?;
    figures(out, account, witnesses, facts)
}

/// Says which cells are withheld though they were to be published.
fn released_frozen(out: &mut String, account: &Account) -> fmt::Result {
    let listed = account.summary.extra.get(RELEASED_FROZEN).and_then(|list| list.as_array());
    let names: Vec<&str> = listed.into_iter().flatten().filter_map(|name| name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<p class=\"caution\">These cells were to be published, but no pattern exists then. They are withheld: {}.</p>",
        text(&names.join("; "))
    )
}

fn figures(
    out: &mut String,
    account: &Account,
    witnesses: usize,
    facts: &Facts<'_>,
) -> fmt::Result {
    let summary = &account.summary;
    let all = &facts.all;
    let withheld = all.withheld();
    let share = percent(withheld as f64, all.cells as f64);
    let mut figures = vec![
        (count(all.cells), "cells".to_owned()),
        (count(withheld), format!("withheld, {share} of all")),
        (count(all.primary), "primary: sensitive themselves".to_owned()),
        (count(all.secondary), "secondary: protect others".to_owned()),
        (count(witnesses), "alternative tables in the proof".to_owned()),
    ];
    if let (Some(gap), Some(_)) = (summary.gap, summary.lower_bound) {
        figures.push((percent(gap, 1.0), "of the cost at most could be saved".to_owned()));
    }
    out.write_str("<section class=\"figures\" aria-label=\"Key figures\">\n<dl>\n")?;
    for (figure, what) in figures {
        writeln!(out, "<div><dt>{what}</dt><dd>{figure}</dd></div>")?;
    }
    out.write_str("</dl>\n</section>\n")
}
