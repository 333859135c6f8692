//! The tabu method: from pattern to pattern by giving a cell back and withholding what makes up for it.
//!
//! A move is judged by witnesses that are in store, not by programs: a witness is of use exactly while all cells it moves are withheld. So a move
//! costs microseconds, and thousands are tried. The start is a random rounding of the linear relaxation where that is in reach, and the
//! incremental pattern elsewhere; the store comes from there and from a few patterns for slightly different costs.

mod relaxation;
mod search;
mod state;
mod store;

use crate::incremental::complete;
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use crate::random::Random;
use cellveil_core::{Bound, Pattern, Problem, Status, Why, Witness};
use rayon::prelude::*;
use search::search;
use state::State;

/// See the module's documentation and `proof.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tabu;

/// How many patterns for other costs fill the store, at most, and how much work they may be together, in needs times terms.
const VARIANTS: usize = 6;
const VARIANT_WORK: usize = 3_000_000;

/// Costs differ by up to this factor.
const FACTOR: f64 = 3.0;

type Found = (Pattern, Vec<Witness>);

impl Protect for Tabu {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let (pattern, witnesses) = start(problem, context)?;
        let mut state = State::new(problem, pattern, &witnesses);
        context.in_half_the_time(|context| improve(&mut state, context))?;
        let known = state.witnesses();
        let (pattern, witnesses) = complete(problem, context, &state.pattern, &known)?;
        let bound = Bound { cost: 0.0 };
        Ok(Protected { pattern, witnesses, bound, method: Method::Tabu })
    }
}

/// Fills the store, and searches what it can show.
fn improve(state: &mut State<'_>, context: &Context<'_>) -> Result<(), SuppressError> {
    let problem = state.problem;
    for (pattern, witnesses) in variants(problem, context)? {
        state.learn(&witnesses);
        if problem.cost_of(&pattern) < problem.cost_of(&state.pattern) {
            state.go_to(&pattern);
        }
    }
    let pattern = search(state, context);
    state.go_to(&pattern);
    Ok(())
}

/// A safe pattern to start from.
fn start(problem: &Problem, context: &Context<'_>) -> Result<Found, SuppressError> {
    let mut pattern = problem.start();
    if let Some(shares) = relaxation::solve(problem, context)? {
        let mut random = Random::new(context.seed, 1);
        for (cell, share) in problem.cells().zip(shares) {
            if random.share() < share && problem.status(cell) == Status::Free {
                pattern.withhold(cell, Why::Secondary);
            }
        }
    }
    complete(problem, context, &pattern, &[])
}

/// Patterns for slightly different costs, side by side, as far as counted work and time allow.
fn variants(problem: &Problem, context: &Context<'_>) -> Result<Vec<Found>, SuppressError> {
    let one = problem.needs().len().max(1) * problem.relations().terms().max(1);
    let count = VARIANTS.min(VARIANT_WORK / one);
    let quiet = Context { progress: &(), ..*context };
    let found: Vec<Result<Option<Found>, SuppressError>> = (0..count)
        .into_par_iter()
        .map(|number| {
            if context.is_over() {
                return Ok(None);
            }
            let Some(other) = with_other_costs(problem, context.seed, number) else {
                return Ok(None);
            };
            match complete(&other, &quiet, &other.start(), &[]) {
                Err(SuppressError::OutOfTime { .. }) => Ok(None),
                found => found.map(Some),
            }
        })
        .collect();
    let found: Result<Vec<Option<Found>>, SuppressError> = found.into_iter().collect();
    Ok(found?.into_iter().flatten().collect())
}

/// The same problem with the cost of every cell changed at random; the first is left as it is.
fn with_other_costs(problem: &Problem, seed: u64, number: usize) -> Option<Problem> {
    let mut parts = problem.parts().clone();
    let mut random = Random::new(seed, 2 + number as u64);
    if number > 0 {
        for cost in &mut parts.costs {
            *cost *= FACTOR.powf(random.share() * 2.0 - 1.0);
        }
    }
    Problem::new(parts, i64::MAX).ok().map(|other| other.against_those_of(problem))
}
