//! The default: a first safe pattern as soon as possible, then better ones until the work or the time is used up.
//!
//! Tables within reach of capacity cuts get those, and with them a bound that may prove the optimum. Larger ones are improved by ruin and
//! recreate, and get the bound that some rounds of cuts give.

use crate::improve::{shake, sweep};
use crate::incremental::{Manner, Workshop, first_given, shown};
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use crate::optimal::{self, Budget, heuristic, lower_bound, of_network, with_moved};
use cellveil_core::{Bound, Problem};

/// See the module's documentation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Auto;

/// Tables with more cells than this are not searched for the optimum.
const EXACT: usize = 20_000;

/// What may be spent on the optimum where no time limit is set, and where one is.
const BRIEF: Budget = Budget { work: 4_000_000, nodes: 200, searches: 8, node_terms: 16_000_000 };
const LONG: Budget =
    Budget { work: usize::MAX / 2, nodes: 20_000, searches: usize::MAX, node_terms: u64::MAX };

/// The work for a bound of a large table, in programs times terms of relations.
const BOUND: usize = 2_000_000;

/// The share of the time that is left that goes into a better pattern of a large table; the rest is for its bound.
const IMPROVING: f64 = 0.8;

/// The share of the time that may go into flows, where the table is a network.
const FLOWS: f64 = 0.8;

/// A pattern of flows that costs at most so much more than its bound is good enough.
const CLOSE: f64 = 0.997;

/// Programs for dear needs go on until so many times what a pattern without them took is left of the time. Needs that then have nothing when the time is up keep
/// what they rely on there.
const SPARE: f64 = 1.5;

impl Protect for Auto {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let protected = if problem.len() <= EXACT {
            let best = heuristic::start(problem, context)?;
            let budget = if (context.seconds_left)().is_some() { LONG } else { BRIEF };
            optimal::from(problem, context, best, budget)?
        } else {
            large(problem, context)?
        };
        Ok(Protected { method: Method::Auto, ..protected })
    }
}

/// A safe pattern, a better one if there is time, and its bound.
fn large(problem: &Problem, context: &Context<'_>) -> Result<Protected, SuppressError> {
    let workshop = Workshop::new(problem, context);
    let left = (context.seconds_left)();
    let seconds_left = || Some((context.seconds_left)()? - left? * (1.0 - FLOWS));
    let flows = of_network(problem, &Context { seconds_left: &seconds_left, ..*context })?;
    let (paid, known) = flows.unwrap_or_default();
    let pattern = with_moved(problem, &known);
    let shown = shown(&workshop, &pattern, &known, false)?;
    let before = (context.seconds_left)();
    let mut cover = first_given(&workshop, &pattern, shown.clone(), Manner::Swift, None)?;
    context.progress.improved(cover.cost(), paid);
    if paid >= CLOSE * cover.cost() {
        let bound = Bound { cost: paid.min(cover.cost()) };
        let (pattern, witnesses) = cover.into_parts();
        return Ok(Protected { pattern, witnesses, bound, method: Method::Auto });
    }
    let left = (context.seconds_left)();
    if !workshop.is_sparse() {
        let swift = before.zip(left).map_or(0.0, |(before, left)| before - left);
        let manner = Manner::Levels(SPARE * swift);
        let other = first_given(&workshop, &pattern, shown, manner, Some(&cover))?;
        if other.cost() < cover.cost() {
            cover = other;
        }
        context.progress.improved(cover.cost(), 0.0);
    }
    let left = (context.seconds_left)();
    let seconds_left = || Some((context.seconds_left)()? - left? * (1.0 - IMPROVING));
    let in_time = Context { seconds_left: &seconds_left, ..*context };
    let improving = workshop.within(&in_time);
    sweep(&improving, &mut cover, improving.work(), Manner::Quick)?;
    context.progress.improved(cover.cost(), paid);
    if left.is_some() && !workshop.is_sparse() {
        shake(&improving, &mut cover, u64::MAX / 2)?;
    }
    let (pattern, witnesses) = cover.into_parts();
    drop((improving, workshop));
    let bound = lower_bound(problem, context, Some(&pattern), BOUND)?;
    let bound = Bound { cost: bound.cost.max(paid).min(problem.cost_of(&pattern)) };
    context.progress.improved(problem.cost_of(&pattern), bound.cost);
    Ok(Protected { pattern, witnesses, bound, method: Method::Auto })
}
