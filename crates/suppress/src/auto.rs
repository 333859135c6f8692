//! The default: a first safe pattern as soon as possible, then better ones until the work or the time is used up.
//!
//! Tables within reach of capacity cuts get those, and with them a bound that may prove the optimum. Larger ones are improved by ruin and
//! recreate, and get the bound that some rounds of cuts give.

use crate::improve::shake;
use crate::incremental::{Workshop, first};
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use crate::optimal::{self, Best, Budget, heuristic, lower_bound};
use cellveil_core::Problem;

/// See the module's documentation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Auto;

/// Tables with more cells than this are not searched for the optimum.
const EXACT: usize = 20_000;

/// What may be spent on the optimum where no time limit is set, and where one is.
const BRIEF: Budget = Budget { work: 4_000_000, nodes: 200, searches: 8 };
const LONG: Budget = Budget { work: usize::MAX / 2, nodes: 20_000, searches: usize::MAX };

/// The work for a bound of a large table, in programs times terms of relations.
const BOUND: usize = 2_000_000;

/// The share of the time that is left that goes into a better pattern of a large table; the rest is for its bound.
const IMPROVING: f64 = 0.8;

impl Protect for Auto {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let best = heuristic::start(problem, context)?;
        let protected = if problem.len() <= EXACT {
            let budget = if (context.seconds_left)().is_some() { LONG } else { BRIEF };
            optimal::from(problem, context, best, budget)?
        } else {
            improved(problem, context, best)?
        };
        Ok(Protected { method: Method::Auto, ..protected })
    }
}

/// A better pattern if there is time, and its bound.
fn improved(
    problem: &Problem,
    context: &Context<'_>,
    best: Best,
) -> Result<Protected, SuppressError> {
    let Best { mut pattern, mut witnesses } = best;
    if let Some(left) = (context.seconds_left)() {
        let seconds_left = || Some((context.seconds_left)()? - left * (1.0 - IMPROVING));
        let context = Context { seconds_left: &seconds_left, ..*context };
        let workshop = Workshop::new(problem, &context);
        let mut cover = first(&workshop, &pattern, &witnesses)?;
        shake(&workshop, &mut cover, u64::MAX / 2)?;
        (pattern, witnesses) = cover.into_parts();
    }
    let bound = lower_bound(problem, context, Some(&pattern), BOUND)?;
    context.progress.improved(problem.cost_of(&pattern), bound.cost);
    Ok(Protected { pattern, witnesses, bound, method: Method::Auto })
}
