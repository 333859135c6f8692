//! What was withheld, by reason and by level, and how much of the value went with it.

use super::facts::{Facts, Tally, level_of};
use super::html::{bar, count, meaning, percent, text};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// With more levels than this, they are put together by how far they lie below the totals.
const MOST_LEVELS: usize = 24;

pub(super) fn section(out: &mut String, facts: &Facts<'_>) -> fmt::Result {
    out.write_str("<section id=\"withheld\">\n<h2>What was withheld</h2>\n")?;
    if facts.all.withheld() == 0 {
        return out.write_str("<p>Nothing.</p>\n</section>\n");
    }
    reasons(out, facts)?;
    levels(out, facts)?;
    variables(out, facts)?;
    out.write_str("</section>\n")
}

fn reasons(out: &mut String, facts: &Facts<'_>) -> fmt::Result {
    out.write_str(
        "<div class=\"scroll\"><table class=\"plain\">\n<caption>By reason</caption>\n<thead><tr><th>reason</th>\
         <th class=\"number\">cells</th><th class=\"wide\"></th><th></th></tr></thead>\n<tbody>\n",
    )?;
    let withheld = (facts.all.primary + facts.all.secondary) as f64;
    let mut row = |name: &str, words: &str, cells: usize, class: &str| {
        writeln!(
            out,
            "<tr><th scope=\"row\">{name}</th><td class=\"number\">{}</td><td>{}</td>\
             <td class=\"words\">{words}</td></tr>",
            count(cells),
            bar(cells as f64, withheld, class),
        )
    };
    for (reason, &cells) in &facts.reasons {
        row(reason.name(), meaning(*reason), cells, "primary")?;
    }
    row("secondary", "keeps others from being recomputed", facts.all.secondary, "secondary")?;
    out.write_str("</tbody>\n</table></div>\n")
}

fn levels(out: &mut String, facts: &Facts<'_>) -> fmt::Result {
    out.write_str(
        "<div class=\"scroll\"><table class=\"plain\">\n<caption>By level, and the value lost</caption>\n<thead><tr>\
         <th>level</th><th class=\"number\">cells</th><th class=\"number\">primary</th>\
         <th class=\"number\">secondary</th><th class=\"number\">withheld</th><th class=\"wide\"></th>\
         <th class=\"number\">of the value</th><th class=\"wide\"></th></tr></thead>\n<tbody>\n",
    )?;
    let (touched, whole): (Vec<_>, Vec<_>) =
        named_levels(facts).into_iter().partition(|(_, tally)| tally.primary + tally.secondary > 0);
    for (name, tally) in touched {
        level(out, &name, &tally)?;
    }
    out.write_str("</tbody>\n</table></div>\n")?;
    match whole.len() {
        0 => Ok(()),
        1..=6 => {
            let names: Vec<String> = whole.into_iter().map(|(name, _)| name).collect();
            let names = names.join(" · ");
            writeln!(out, "<p class=\"note\">Nothing is withheld here: {}</p>", text(&names))
        }
        many => writeln!(out, "<p class=\"note\">Nothing is withheld on {many} other levels.</p>"),
    }
}

fn level(out: &mut String, name: &str, tally: &Tally) -> fmt::Result {
    let (withheld, cells) = ((tally.primary + tally.secondary) as f64, tally.cells as f64);
    writeln!(
        out,
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
         <td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td>\
         <td class=\"number\">{}</td><td>{}</td></tr>",
        text(name),
        count(tally.cells),
        count(tally.primary),
        count(tally.secondary),
        percent(withheld, cells),
        bar(withheld, cells, "primary"),
        percent(tally.withheld_value, tally.value),
        bar(tally.withheld_value, tally.value, "value"),
    )
}

fn named_levels(facts: &Facts<'_>) -> Vec<(String, Tally)> {
    let mut levels: Vec<_> = facts.levels.iter().collect();
    levels.sort_by_key(|&(depths, _)| (total_depth(depths), depths.clone()));
    if levels.len() <= MOST_LEVELS {
        return levels.into_iter().map(|(d, tally)| (facts.level_name(d), *tally)).collect();
    }
    let mut by_depth: BTreeMap<u32, Tally> = BTreeMap::new();
    for (depths, tally) in levels {
        by_depth.entry(total_depth(depths)).or_default().append(tally);
    }
    let name = |depth: u32| match depth {
        0 => "totals".to_owned(),
        1 => "1 step below the totals".to_owned(),
        _ => format!("{depth} steps below the totals"),
    };
    by_depth.into_iter().map(|(depth, tally)| (name(depth), tally)).collect()
}

/// Where levels are put together, what becomes of the cells that tell a variable apart.
fn variables(out: &mut String, facts: &Facts<'_>) -> fmt::Result {
    if facts.levels.len() <= MOST_LEVELS {
        return Ok(());
    }
    out.write_str(
        "<div class=\"scroll\"><table class=\"plain\">\n<caption>By variable: the cells that tell it apart</caption>\n\
         <thead><tr><th>variable</th><th class=\"number\">cells</th><th class=\"number\">published</th>\
         <th class=\"number\">primary</th><th class=\"number\">secondary</th><th class=\"number\">withheld</th>\
         <th class=\"wide\"></th></tr></thead>\n<tbody>\n",
    )?;
    for (at, dimension) in facts.dimensions.iter().enumerate() {
        let mut by_depth: BTreeMap<u8, Tally> = BTreeMap::new();
        for (depths, tally) in facts.levels.iter().filter(|(depths, _)| depths[at] > 0) {
            by_depth.entry(depths[at]).or_default().append(tally);
        }
        for (depth, tally) in by_depth {
            let (withheld, cells) = (tally.withheld() as f64, tally.cells as f64);
            writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
                 <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>",
                text(&level_of(dimension, depth)),
                count(tally.cells),
                count(tally.cells - tally.withheld()),
                count(tally.primary),
                count(tally.secondary),
                percent(withheld, cells),
                bar(withheld, cells, "primary"),
            )?;
        }
    }
    out.write_str("</tbody>\n</table></div>\n")
}

fn total_depth(depths: &[u8]) -> u32 {
    depths.iter().map(|&depth| u32::from(depth)).sum()
}
