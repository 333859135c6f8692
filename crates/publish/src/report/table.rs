//! The table as it will be published: withheld cells marked, foldable by hierarchy.

use super::facts::{Facts, content};
use super::html::{amount, count, meaning, text};
use super::view::{Content, Sheet, Sheets, View};
use crate::Publication;
use cellveil_core::{CellId, CodeId, Why};
use std::fmt::{self, Write};

/// The most cells listed of an instance whose cells have numbers only.
const MOST_NUMBERED: usize = 5_000;

pub(super) fn section(
    out: &mut String,
    publication: &Publication<'_>,
    facts: &Facts<'_>,
) -> fmt::Result {
    if facts.dimensions.is_empty() {
        begin(out)?;
        numbered(out, publication)?;
        return out.write_str("</section>\n");
    }
    let problem = publication.release.problem();
    let view = View::new(facts);
    let mut shown = Sheets::default();
    for at in problem.cells() {
        let key = problem.names().key(at);
        view.add(&mut shown, facts.dimensions, key, || content(publication, at));
    }
    by_sheets(out, facts, &view, &shown, (problem.decimals(), "table.csv"))
}

/// The section of a table with codes, whose cells stand on sheets; `whole` has all.
pub(super) fn by_sheets(
    out: &mut String,
    facts: &Facts<'_>,
    view: &View,
    shown: &Sheets,
    (decimals, whole): (u8, &str),
) -> fmt::Result {
    begin(out)?;
    if view.shown < facts.all.cells {
        writeln!(
            out,
            "<p class=\"note\">Only the upper levels: {} of {} cells. <code>{whole}</code> has all.</p>",
            count(view.shown),
            count(facts.all.cells)
        )?;
    }
    sheets(out, facts, view, shown, decimals)?;
    out.write_str("</section>\n")
}

fn begin(out: &mut String) -> fmt::Result {
    out.write_str("<section id=\"table\">\n<h2>The table</h2>\n")?;
    out.write_str(
        "<p class=\"legend\"><span class=\"key p\">●</span> primary \
         <span class=\"key s\">○</span> secondary \
         <span class=\"hint\">Point at a mark to see why the cell is withheld.</span></p>\n",
    )
}

/// The content of one cell, with its element.
fn cell(out: &mut String, content: Content, decimals: u8) -> fmt::Result {
    match content {
        Content::Value(value) => write!(out, "<td>{}</td>", amount(value, decimals)),
        Content::Withheld(Why::Secondary, _) => out.write_str(
            "<td class=\"s\" title=\"secondary: keeps others from being recomputed\">○</td>",
        ),
        Content::Withheld(Why::Primary, Some(reason)) => write!(
            out,
            "<td class=\"p\" title=\"primary, {}: {}\">●</td>",
            reason.name(),
            meaning(reason)
        ),
        Content::Withheld(Why::Primary, None) => {
            out.write_str("<td class=\"p\" title=\"primary\">●</td>")
        }
    }
}

fn numbered(out: &mut String, publication: &Publication<'_>) -> fmt::Result {
    let problem = publication.release.problem();
    let shown = problem.len().min(MOST_NUMBERED);
    if shown < problem.len() {
        let (shown, all) = (count(shown), count(problem.len()));
        writeln!(
            out,
            "<p class=\"note\">The first {shown} of {all} cells; <code>table.csv</code> has all.</p>"
        )?;
    }
    out.write_str("<div class=\"scroll tall\"><table class=\"cells\">\n<thead><tr>")?;
    out.write_str(&"<th>cell</th><th>value</th>".repeat(shown.clamp(1, 4)))?;
    out.write_str("</tr></thead>\n<tbody>\n")?;
    let cells: Vec<CellId> = problem.cells().take(shown).collect();
    for row in cells.chunks(4) {
        out.write_str("<tr>")?;
        for &at in row {
            write!(out, "<th scope=\"row\">{}</th>", problem.names().id(at))?;
            cell(out, content(publication, at), problem.decimals())?;
        }
        out.write_str("</tr>\n")?;
    }
    out.write_str("</tbody>\n</table></div>\n")
}

fn sheets(
    out: &mut String,
    facts: &Facts<'_>,
    view: &View,
    shown: &Sheets,
    decimals: u8,
) -> fmt::Result {
    let mut marked_sheets = 0;
    for (nth, (codes, cells)) in shown.0.iter().enumerate() {
        if view.others.is_empty() {
            sheet(out, facts, view, cells, decimals)?;
            continue;
        }
        let name = |(&d, &code): (&usize, &CodeId)| {
            let dimension = &facts.dimensions[d];
            format!("{} = {}", dimension.name, dimension.hierarchy.name(code))
        };
        let names: Vec<String> = view.others.iter().zip(codes).map(name).collect();
        let withheld = cells.values().filter(|cell| matches!(cell, Content::Withheld(..))).count();
        marked_sheets += usize::from(withheld > 0);
        // The totals, and the first sheet with something to see.
        let open = if nth == 0 || (withheld > 0 && marked_sheets == 1) { " open" } else { "" };
        let marks = match withheld {
            0 => String::new(),
            some => format!(" <span class=\"note\">{} withheld</span>", count(some)),
        };
        let names = names.join(", ");
        let names = text(&names);
        writeln!(out, "<details class=\"sheet\"{open}><summary>{names}{marks}</summary>")?;
        sheet(out, facts, view, cells, decimals)?;
        out.write_str("</details>\n")?;
    }
    Ok(())
}

fn sheet(
    out: &mut String,
    facts: &Facts<'_>,
    view: &View,
    cells: &Sheet,
    decimals: u8,
) -> fmt::Result {
    let rows = &facts.dimensions[view.row];
    out.write_str("<div class=\"scroll tall\"><table class=\"cells\">\n<thead><tr>")?;
    let mut columns = vec![0];
    match view.column {
        None => write!(out, "<th>{}</th><th>value</th>", text(&rows.name))?,
        Some(column) => {
            let across = &facts.dimensions[column];
            columns = view.codes(facts.dimensions, column);
            columns.retain(|&code| cells.keys().any(|&(_, used)| used == code));
            write!(out, "<th>{} ╲ {}</th>", text(&rows.name), text(&across.name))?;
            for &code in &columns {
                let (depth, name) = (across.hierarchy.depth(code), across.hierarchy.name(code));
                write!(out, "<th class=\"d{}\">{}</th>", depth.min(4), text(name))?;
            }
        }
    }
    out.write_str("</tr></thead>\n<tbody>\n")?;
    for row in view.codes(facts.dimensions, view.row) {
        let mut inside = cells.range((row, 0)..=(row, CodeId::MAX)).peekable();
        if inside.peek().is_none() {
            continue;
        }
        let (depth, name) = (rows.hierarchy.depth(row), rows.hierarchy.name(row));
        write!(
            out,
            "<tr data-depth=\"{depth}\"><th scope=\"row\" class=\"d{0}\"><span>{1}</span></th>",
            depth.min(4),
            text(name)
        )?;
        for &column in &columns {
            match cells.get(&(row, column)) {
                Some(&content) => cell(out, content, decimals)?,
                None => out.write_str("<td class=\"none\"></td>")?,
            }
        }
        out.write_str("</tr>\n")?;
    }
    out.write_str("</tbody>\n</table></div>\n")
}
