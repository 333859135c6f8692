//! Whole moves: where the nearest table has fractions, whole numbers are searched, first with its senses and then with any.

use super::{Best, senses_of};
use crate::context::Context;
use crate::program::{Answer, Point, Program, Sense};
use crate::task::Task;
use crate::{AdjustError, Search};
use cellveil_lp::Limits;

/// Moves so near to a whole number are one.
const NOISE: f64 = 1e-5;
/// The most nodes of a search when there is neither a time limit nor an order to go to the end.
const NODES: u32 = 2_000;

/// A table of whole moves from the best one of any moves, and a bound below which the cost of none lies.
///
/// # Errors
/// [`AdjustError`] if there is no table of whole moves, or none was found in time.
pub(crate) fn find_whole(
    task: &Task<'_>,
    best: Best,
    bound: f64,
    search: Search,
    context: &Context<'_>,
) -> Result<(Best, f64), AdjustError> {
    let is_whole = |z: &f64| (z - z.round()).abs() <= NOISE;
    if best.point.moves.iter().all(is_whole) {
        return Ok((best, bound));
    }
    let program = Program::whole(task, None);
    let whole = |senses: &[Sense], start: Option<&Best>| -> Result<Answer, AdjustError> {
        let nodes = Some(NODES).filter(|_| context.left().is_none() && search != Search::Exact);
        let limits =
            Limits { nodes, seconds: context.left(), gap: context.gap, ..Limits::default() };
        let start = start.map(|best| (&best.senses, best.point.moves.as_slice()));
        Ok(program.search(context.engine, senses, start, &limits, None)?)
    };
    let same: Vec<Sense> = best.senses.iter().copied().map(Some).collect();
    let mut found = match whole(&same, None)? {
        Answer::Optimal(point) | Answer::Within(point, _) => Some(rounded(point)),
        Answer::Infeasible | Answer::Stopped => None,
    };
    let mut bound = bound;
    let near = |found: &Best| found.point.cost - bound <= context.gap.max(1e-9) * found.point.cost;
    if found.as_ref().is_some_and(near) || (found.is_some() && context.is_over()) {
        return found.map(|found| (found, bound)).ok_or(AdjustError::OutOfTime);
    }
    let open = vec![None; task.sensitive.len()];
    let better = match whole(&open, found.as_ref())? {
        Answer::Optimal(point) => {
            bound = bound.max(point.cost * (1.0 - context.gap));
            Some(rounded(point))
        }
        Answer::Within(point, below) => {
            bound = bound.max(below);
            Some(rounded(point))
        }
        Answer::Infeasible if found.is_none() => return Err(AdjustError::NotWhole),
        Answer::Infeasible | Answer::Stopped => None,
    };
    let cost = |best: &Option<Best>| best.as_ref().map_or(f64::INFINITY, |best| best.point.cost);
    if cost(&better) < cost(&found) {
        found = better;
    }
    found.map(|found| (found, bound)).ok_or(AdjustError::OutOfTime)
}

fn rounded(mut point: Point) -> Best {
    point.moves.iter_mut().for_each(|z| *z = z.round());
    Best { senses: senses_of(&point), point }
}
