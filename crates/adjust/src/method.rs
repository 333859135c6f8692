//! The methods by name, and what each of them gives back.

use crate::conflict::explain;
use crate::context::Context;
use crate::cta::Best;
use crate::exact::{Ranges, exact};
use crate::task::Task;
use crate::together::Together;
use crate::{AdjustError, Key, Norm, Search, Weights, cta, ecta, online, rounding};
use cellveil_core::{Adjustment, Audit, Certificate, Problem, Promise, check_adjustment, units};

/// How values are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The nearest table in which every sensitive cell is as far from the truth as its protection level.
    Cta,
    /// A few sensitive cells moved, the others where they are, and a radius within which all other cells stay.
    Ecta,
    /// Every value a multiple of a base.
    Rounding,
    /// As [`Method::Cta`], at once, with senses from a key.
    Online,
}

/// What is asked of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How far two tables are from each other.
    pub norm: Norm,
    /// What moving a cell costs.
    pub weights: Weights,
    /// How to look for senses.
    pub search: Search,
    /// Whether adjusted values must be whole units of the table.
    pub whole: bool,
    /// The base of rounding, in units of the table.
    pub base: i64,
    /// How many multiples beyond the nearest ones rounding may use when it must.
    pub steps: u32,
    /// Where senses come from with [`Method::Online`].
    pub key: Option<Key>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            norm: Norm::L1,
            weights: Weights::Given,
            search: Search::Auto,
            whole: false,
            base: 5,
            steps: 0,
            key: None,
        }
    }
}

/// An adjusted table, as far as its method knows.
#[derive(Clone, Debug)]
pub struct Adjusted {
    /// The values to publish.
    pub adjustment: Adjustment,
    /// What they keep.
    pub promise: Promise,
    /// Witnesses for an intruder who knows the promise; empty where none are needed.
    pub certificate: Certificate,
    /// What such an intruder can work out about each cell; empty where that was not asked.
    pub audit: Audit,
    /// What the moves cost.
    pub cost: f64,
    /// No table costs less, if such a bound is known.
    pub bound: Option<f64>,
}

/// Changes the values of a table.
///
/// # Errors
/// [`AdjustError`] if there is no such table, or none was found.
pub fn adjust(
    problem: &Problem,
    method: Method,
    options: &Options,
    context: &Context<'_>,
) -> Result<Adjusted, AdjustError> {
    match method {
        Method::Cta => nearest(problem, options, context),
        Method::Ecta => ecta::adjust(problem, options, context),
        Method::Rounding => rounding::round(problem, options, context),
        Method::Online => online::adjust(problem, options, context),
    }
}

fn nearest(
    problem: &Problem,
    options: &Options,
    context: &Context<'_>,
) -> Result<Adjusted, AdjustError> {
    let task = Task::new(problem, options.weights, options.norm == Norm::L2)?;
    let (best, bound) = match Together::of(&task) {
        None => found(&task, options, context)?,
        Some(together) => {
            let merged = together.task(&task);
            if merged.stuck().is_some() {
                return Err(explain(&task, context.engine)?);
            }
            let (best, bound) = found(&merged, options, context)?;
            (together.table(&task, &merged, &best), bound)
        }
    };
    let (lower, upper) = task.ranges(&best.senses);
    let ranges = Ranges { lower: &lower, upper: &upper, missing: &task.missing };
    let adjustment = exact(problem, &best.point.moves, &ranges, options.whole, context)?;
    finished(problem, adjustment, Promise::Moved, options, Some(bound))
}

/// The best table of a task, and a bound below which no cost lies.
fn found(
    task: &Task<'_>,
    options: &Options,
    context: &Context<'_>,
) -> Result<(Best, f64), AdjustError> {
    match options.norm {
        Norm::L1 => {
            let (best, bound) = cta::find(task, options.search, context)?;
            if !options.whole {
                return Ok((best, bound));
            }
            cta::find_whole(task, best, bound, options.search, context)
        }
        Norm::L2 => cta::find_squares(task, &task.linear(), options.search, context),
    }
}

/// Checks an adjustment that needs no witnesses and counts its cost.
pub(crate) fn finished(
    problem: &Problem,
    adjustment: Option<Adjustment>,
    promise: Promise,
    options: &Options,
    bound: Option<f64>,
) -> Result<Adjusted, AdjustError> {
    let adjustment = adjustment.ok_or(AdjustError::NotExact)?;
    if let Err(faults) = check_adjustment(problem, &adjustment, promise) {
        return Err(faults.into_iter().next().map_or(AdjustError::NotExact, AdjustError::Inexact));
    }
    let cost = cost(problem, &adjustment, options);
    let bound = bound.map(|bound| bound.min(cost).max(0.0));
    let (certificate, audit) = (Certificate::default(), Audit::default());
    Ok(Adjusted { adjustment, promise, certificate, audit, cost, bound })
}

/// What the moves of an adjustment cost.
pub(crate) fn cost(problem: &Problem, adjustment: &Adjustment, options: &Options) -> f64 {
    let unit = units::to_f64(1, adjustment.decimals());
    let one = |cell| {
        let moved = adjustment.moved(problem, cell).unsigned_abs() as f64 * unit;
        let size = if options.norm == Norm::L2 { moved * moved } else { moved };
        options.weights.of(problem, cell) * size
    };
    problem.cells().map(one).sum()
}
