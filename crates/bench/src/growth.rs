//! `cellveil-bench growth PLOT.svg [MOST_CELLS]`: how cost and time grow with the size of a table, as a plot.
//!
//! Tables of one family, each about twice as large as the one before, are protected by `auto`: without a time limit but for the smallest, whose
//! optimum would be searched for as long as it takes. Axes are logarithmic, so a straight line at 45° is growth in proportion to the number of cells.

use crate::measure::{Measured, measure};
use cellveil_generate::{Ons, Shape};
use cellveil_suppress::Method;
use std::error::Error;
use std::fmt::Write as _;

/// Edges of the cubes: from ten thousand cells to a million.
const EDGES: [usize; 7] = [22, 28, 36, 46, 58, 77, 100];

/// The seconds that the smallest table gets.
const SMALLEST: f64 = 10.0;

/// The plot's size, and how much of it is left for what stands beside the axes.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const MARGIN: f64 = 64.0;

pub(crate) fn run(arguments: &[String]) -> Result<Vec<Measured>, Box<dyn Error>> {
    let [path, rest @ ..] = arguments else { return Err("growth takes the name of a plot".into()) };
    let most: usize = rest.first().map_or(Ok(usize::MAX), |most| most.parse())?;
    let mut measured = Vec::new();
    for edge in EDGES.into_iter().filter(|edge| edge.pow(3) <= most) {
        let shape: Shape = format!("{edge}x{edge}x{edge}").parse()?;
        let problem = Ons { shape, seed: 1, ..Ons::default() }.problem()?;
        let limit = (edge == EDGES[0]).then_some(SMALLEST);
        let found = measure(&format!("{edge}^3"), problem, Method::Auto, limit, false)?;
        found.print();
        measured.push(found);
    }
    std::fs::write(path, plot(&measured))?;
    Ok(measured)
}

/// Seconds and the share of the value that is withheld beside the sensitive cells, by the number of cells.
fn plot(measured: &[Measured]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let cells: Vec<f64> = measured.iter().map(|m| m.cells as f64).collect();
    let across = Axis::around(&cells);
    let seconds: Vec<f64> = measured.iter().map(|m| m.protect.max(0.01)).collect();
    let costs: Vec<f64> = measured.iter().map(|m| m.cost.max(1.0)).collect();
    for (values, colour, name, left) in
        [(&seconds, "#1f5fa8", "seconds", true), (&costs, "#b5521b", "cost", false)]
    {
        let up = Axis::around(values);
        let place = |at: usize| {
            (
                MARGIN + across.share(cells[at]) * (WIDTH - 2.0 * MARGIN),
                HEIGHT - MARGIN - up.share(values[at]) * (HEIGHT - 2.0 * MARGIN),
            )
        };
        let points: Vec<String> =
            (0..values.len()).map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let x = if left { MARGIN } else { WIDTH - MARGIN };
        let anchor = if left { "end" } else { "start" };
        let beside = if left { x - 8.0 } else { x + 8.0 };
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        for point in &points {
            let (x, y) = point.split_once(',').unwrap_or_default();
            let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"{colour}\"/>");
        }
        for power in up.powers() {
            let y = HEIGHT - MARGIN - up.share(power) * (HEIGHT - 2.0 * MARGIN);
            let _ = writeln!(
                svg,
                "<text x=\"{beside}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{power:.0e}</text>",
                y + 4.0
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" fill=\"{colour}\">{name}</text>",
            MARGIN - 20.0
        );
    }
    for power in across.powers() {
        let x = MARGIN + across.share(power) * (WIDTH - 2.0 * MARGIN);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{MARGIN}\" x2=\"{x:.1}\" y2=\"{}\" stroke=\"#ddd\"/>\n\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{power:.0e}</text>",
            HEIGHT - MARGIN,
            HEIGHT - MARGIN + 20.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">cells</text>\n</svg>",
        WIDTH / 2.0,
        HEIGHT - 16.0
    );
    svg
}

/// A logarithmic axis between two powers of ten.
struct Axis {
    from: f64,
    to: f64,
}

impl Axis {
    fn around(values: &[f64]) -> Self {
        let logs = || values.iter().map(|value| value.log10());
        let from = logs().fold(f64::INFINITY, f64::min).floor();
        let to = logs().fold(f64::NEG_INFINITY, f64::max).ceil();
        Self { from, to: to.max(from + 1.0) }
    }

    fn share(&self, value: f64) -> f64 {
        (value.log10() - self.from) / (self.to - self.from)
    }

    fn powers(&self) -> impl Iterator<Item = f64> + use<> {
        (self.from as i32..=self.to as i32).map(|power| 10_f64.powi(power))
    }
}
