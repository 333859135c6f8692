//! What an intruder can work out about every sensitive cell, against what was required.

use super::html::{count, text};
use crate::Publication;
use cellveil_core::{Audit, Need, Problem};
use std::fmt::{self, Write};

const WIDTH: f64 = 960.0;
const HALF: f64 = 130.0;
/// Needs beyond this number share bars; each bar shows the tightest of its needs.
const MOST_BARS: usize = 480;
/// How many of the tightest needs are listed.
const LISTED: usize = 10;

/// How far an intruder is kept away, as a multiple of what was required; 1 where nothing was.
struct Reach<'a> {
    need: &'a Need,
    down: f64,
    up: f64,
}

impl Reach<'_> {
    fn tightest(&self) -> f64 {
        self.down.min(self.up)
    }
}

fn reach<'a>(problem: &Problem, audit: &Audit, need: &'a Need) -> Option<Reach<'a>> {
    let interval = audit.interval(need.cell)?;
    let value = problem.value(need.cell) as f64;
    let below = interval.lower.map_or(f64::INFINITY, |lower| value - lower);
    let above = interval.upper.map_or(f64::INFINITY, |upper| upper - value);
    let multiple =
        |distance: f64, level: i64| if level == 0 { 1.0 } else { distance / level as f64 };
    if need.down == 0 && need.up == 0 {
        let width = multiple(below + above, need.sliding);
        return Some(Reach { need, down: width, up: width });
    }
    Some(Reach { need, down: multiple(below, need.down), up: multiple(above, need.up) })
}

pub(super) fn section(out: &mut String, publication: &Publication<'_>) -> fmt::Result {
    let problem = publication.release.problem();
    let needs = problem.needs().iter();
    let mut reaches: Vec<Reach<'_>> =
        needs.filter_map(|need| reach(problem, publication.audit, need)).collect();
    if reaches.is_empty() {
        return Ok(());
    }
    // Ties stay in the order of cells, so that the page is the same every time.
    reaches.sort_by(|a, b| a.tightest().total_cmp(&b.tightest()));
    out.write_str("<section id=\"intervals\">\n<h2>What an intruder can work out</h2>\n")?;
    writeln!(
        out,
        "<p>One bar per sensitive cell: the interval that somebody who knows all published cells and sums \
         can derive, measured by what was required. The band is the requirement; a bar that covers it is \
         safe. Tightest cells first, {} in all.</p>",
        count(reaches.len())
    )?;
    plot(out, problem, &reaches)?;
    tightest(out, problem, &reaches)?;
    out.write_str("</section>\n")
}

/// Linear up to the requirement, logarithmic beyond, cut off at a hundred times of it.
fn height(multiple: f64) -> f64 {
    let scaled = if multiple <= 1.0 { multiple.max(0.0) } else { 1.0 + multiple.log10().min(2.0) };
    scaled / 3.0 * HALF
}

fn plot(out: &mut String, problem: &Problem, reaches: &[Reach<'_>]) -> fmt::Result {
    write!(
        out,
        "<figure class=\"scroll\"><svg class=\"plot\" viewBox=\"-70 -140 1040 280\" role=\"img\" \
         aria-label=\"Intervals against requirements\">\n\
         <rect class=\"band\" x=\"0\" y=\"{:.1}\" width=\"{WIDTH}\" height=\"{:.1}\"/>\n",
        -height(1.0),
        2.0 * height(1.0)
    )?;
    let per_bar = reaches.len().div_ceil(MOST_BARS);
    let bars = reaches.len().div_ceil(per_bar);
    let step = (WIDTH / bars as f64).min(24.0);
    for (at, group) in reaches.chunks(per_bar).enumerate() {
        let least =
            |side: fn(&Reach<'_>) -> f64| group.iter().map(side).fold(f64::INFINITY, f64::min);
        let (down, up) = (least(|reach| reach.down), least(|reach| reach.up));
        let class = if down < 1.0 || up < 1.0 { "exposed" } else { "reach" };
        write!(
            out,
            "<rect class=\"{class}\" x=\"{:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{:.1}\">",
            (at as f64 + 0.15) * step,
            -height(up),
            0.7 * step,
            height(up) + height(down)
        )?;
        let name = problem.names().describe(group[0].need.cell).to_string();
        writeln!(out, "<title>{}</title></rect>", text(&name))?;
    }
    axis(out)?;
    out.write_str("</svg></figure>\n")
}

fn axis(out: &mut String) -> fmt::Result {
    let marks = [(1.0, "required"), (10.0, "10 ×"), (100.0, "100 ×")];
    for (multiple, label) in marks {
        for y in [-height(multiple), height(multiple)] {
            writeln!(
                out,
                "<line class=\"rule\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"-8\" y=\"{:.1}\">{label}</text>",
                y + 4.0
            )?;
        }
    }
    writeln!(
        out,
        "<line class=\"truth\" x1=\"0\" x2=\"{WIDTH}\" y1=\"0\" y2=\"0\"/><text x=\"-8\" y=\"4\">truth</text>"
    )
}

fn tightest(out: &mut String, problem: &Problem, reaches: &[Reach<'_>]) -> fmt::Result {
    write!(
        out,
        "<details><summary>The tightest cells</summary>\n<div class=\"scroll\"><table class=\"plain\">\n\
         <thead><tr><th>cell</th><th>reason</th><th class=\"number\">below, of required</th>\
         <th class=\"number\">above, of required</th></tr></thead>\n<tbody>\n"
    )?;
    let shown = |multiple: f64| {
        if multiple.is_finite() {
            format!("{multiple:.2}\u{202f}×")
        } else {
            "no limit".to_owned()
        }
    };
    for reach in reaches.iter().take(LISTED) {
        let name = problem.names().describe(reach.need.cell).to_string();
        writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            text(&name),
            reach.need.reason.name(),
            shown(reach.down),
            shown(reach.up)
        )?;
    }
    out.write_str("</tbody>\n</table></div>\n</details>\n")
}
