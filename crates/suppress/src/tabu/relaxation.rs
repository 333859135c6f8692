//! The linear relaxation of the problem: how much of each cell would be withheld if parts of cells could be.

use crate::method::{Context, SuppressError};
use cellveil_core::{Need, Problem, Side, Status};
use cellveil_lp::{Limits, Model, Outcome};

/// The relaxation has a copy of the table for every need and side. It is in reach if these have at most this many cells together.
const IN_REACH: usize = 12_000;

/// A level is this many steps of its copy.
const STEPS: f64 = 10.0;

/// Per cell how much of it is withheld, from 0 to 1; `None` if the relaxation is out of reach, or has no solution as it is stated here.
///
/// `min Σ w x` subject to, for each need and side, a move `y` that keeps every relation, takes the cell to its level and has
/// `−room·x ≤ y ≤ room·x`. No cell of a copy moves further than its level, which keeps the numbers moderate.
pub(super) fn solve(
    problem: &Problem,
    context: &Context<'_>,
) -> Result<Option<Vec<f64>>, SuppressError> {
    let asked = problem.needs().iter().flat_map(|need| Side::BOTH.map(|side| (need, side)));
    let asked: Vec<(&Need, Side)> = asked.filter(|(need, side)| need.on(*side) > 0).collect();
    if asked.is_empty() || asked.len() * problem.len() > IN_REACH {
        return Ok(None);
    }
    let mut model = Model::default();
    for cell in problem.cells() {
        let (lower, upper) = match problem.status(cell) {
            Status::Sensitive | Status::Withheld => (1.0, 1.0),
            Status::Free => (0.0, 1.0),
            Status::Frozen => (0.0, 0.0),
        };
        model.column(problem.cost(cell).max(f64::MIN_POSITIVE), lower, upper);
    }
    for (need, side) in asked {
        copy(problem, need, side, &mut model);
    }
    let limits =
        Limits { seconds: (context.seconds_left)().map(|left| left / 4.0), ..Limits::default() };
    match context.engine.open(&model)?.solve(&limits)? {
        Outcome::Optimal(solution) => Ok(Some(solution.columns[..problem.len()].to_vec())),
        _ => Ok(None),
    }
}

/// Adds the copy of a need and side.
fn copy(problem: &Problem, need: &Need, side: Side, model: &mut Model) {
    let level = need.on(side);
    let first = model.columns.len() as u32;
    for cell in problem.cells() {
        let [down, up] = Side::BOTH.map(|side| {
            let room = problem.room(cell, side).unwrap_or(level).min(level);
            room as f64 / level as f64 * STEPS
        });
        let y = if cell == need.cell {
            let goal = STEPS * side.sign() as f64;
            model.column(0.0, goal, goal)
        } else {
            model.column(0.0, -down, up)
        };
        if problem.status(cell) == Status::Free {
            model.row(vec![(y, 1.0), (cell.0, -up)], f64::NEG_INFINITY, 0.0);
            model.row(vec![(y, 1.0), (cell.0, down)], 0.0, f64::INFINITY);
        } else if problem.status(cell) == Status::Frozen {
            model.row(vec![(y, 1.0)], 0.0, 0.0);
        }
    }
    for relation in 0..problem.relations().len() {
        let terms = problem.relations().row(relation);
        model.row(terms.map(|(cell, c)| (first + cell.0, f64::from(c))).collect(), 0.0, 0.0);
    }
}
