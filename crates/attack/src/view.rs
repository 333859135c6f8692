//! Which amounts a solver sees, and in what steps.

use crate::component::Component;
use cellveil_core::{CellId, Problem};

/// Which amounts the solver sees. It works to about nine digits: amounts further apart than that in one program are noise to
/// each other, and an answer may overstep the bounds of the small ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// All, but for bounds beyond [`BEYOND`].
    Wide,
    /// Bounds beyond [`FAR`] are drawn in to there, those within [`NEGLIGIBLE`] to nothing.
    Narrow {
        /// Whether there is such a bound.
        drawn_in: bool,
    },
}

/// A question is asked in steps such that its answer is about this many of them.
pub(crate) const STEPS: f64 = 1000.0;

/// Bounds further than this many steps are out of view, whatever the view.
pub(crate) const BEYOND: f64 = 1e8;

/// Bounds further than this many steps are out of a narrow view.
pub(crate) const FAR: f64 = 1e6;

/// Bounds nearer than this many steps are nothing in a narrow view.
pub(crate) const NEGLIGIBLE: f64 = 1e-3;

/// The largest level asked for in a component, in units.
pub(crate) fn largest_level(problem: &Problem, component: &Component) -> f64 {
    let needs = component.cells.iter().filter_map(|&cell| problem.needs().of(cell));
    needs.map(|need| need.down.max(need.up).max(need.sliding)).max().unwrap_or(1) as f64
}

/// Steps are whole numbers of units, so that drawn-in bounds are too: an exact witness has its resting cells there.
pub(crate) fn whole(scale: f64) -> f64 {
    scale.round().max(1.0)
}

/// How far a cell may move before the intruder knows better, in steps of `scale` units.
pub(crate) fn wide(problem: &Problem, cell: CellId, scale: f64) -> (f64, f64) {
    let value = problem.value(cell);
    let steps = |bound: i64| (bound.saturating_sub(value) as f64 / scale).clamp(-BEYOND, BEYOND);
    let lower = problem.lower(cell).map_or(f64::NEG_INFINITY, steps);
    let upper = problem.upper(cell).map_or(f64::INFINITY, steps);
    (lower, upper)
}

/// A bound in a narrow view; no bound stays none.
pub(crate) fn narrow(steps: f64) -> f64 {
    if steps.abs() < NEGLIGIBLE {
        0.0
    } else if steps.is_finite() {
        steps.clamp(-FAR, FAR)
    } else {
        steps
    }
}
