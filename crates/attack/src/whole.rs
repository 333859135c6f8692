//! Tables in whole numbers, for intruders who know that the cells are counts.
//!
//! Programs find points that split units, and where relations cross in three dimensions no whole one may be near. Then the same is
//! asked again with every move a whole number, by branch and bound.

use crate::component::Component;
use cellveil_core::{CellId, Problem, Side, Witness};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome};

/// A component with more cells is not searched: what is not shown counts as exposed.
const CELLS: usize = 5000;

/// Extremes in whole numbers are searched for in components of at most this many cells.
const EXTREMES: usize = 300;

/// The search for one table ends after this many nodes.
const NODES: u32 = 2000;

/// The furthest any table in whole numbers is from the truth in the cell at position `at`, in units; `None` if that was not found out.
pub(crate) fn furthest_whole(
    component: &Component,
    engine: &dyn Engine,
    at: u32,
    side: Side,
) -> Result<Option<i64>, EngineError> {
    if component.cells.len() > EXTREMES {
        return Ok(None);
    }
    let mut model = Model { changes: Changes::Many, ..Model::default() };
    for other in 0..component.cells.len() as u32 {
        let room = |way| component.room(other, way).map_or(f64::INFINITY, |room| room as f64);
        let cost = if other == at { -side.sign() as f64 } else { 0.0 };
        model.whole(cost, -room(Side::Down), room(Side::Up));
    }
    for row in &component.rows {
        model.row(row.iter().map(|&(at, c)| (at, f64::from(c))).collect(), 0.0, 0.0);
    }
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    Ok(match engine.open(&model)?.solve(&limits)? {
        Outcome::Optimal(solution) => {
            Some((solution.columns[at as usize] * side.sign() as f64).round() as i64)
        }
        _ => None,
    })
}

/// The table of fewest and smallest whole moves with the cell at position `at` moved `target` units to `side` and nothing moved
/// that is `held`; `None` if there is none, or none was found.
pub(crate) fn whole_table(
    problem: &Problem,
    component: &Component,
    engine: &dyn Engine,
    (at, side, target): (u32, Side, i64),
    held: &[u32],
) -> Result<Option<Witness>, EngineError> {
    let fits = component.room(at, side).is_none_or(|room| room >= target);
    if component.cells.len() > CELLS || !fits {
        return Ok(None);
    }
    let mut model = Model { changes: Changes::Many, ..Model::default() };
    for other in 0..component.cells.len() as u32 {
        for way in Side::BOTH {
            let room = component.room(other, way).map_or(f64::INFINITY, |room| room as f64);
            let (lower, upper) = match other {
                _ if other == at && way == side => (target as f64, target as f64),
                _ if other == at || held.contains(&other) => (0.0, 0.0),
                _ => (0.0, room),
            };
            let column = model.column(1.0, lower, upper);
            model.columns[column as usize].integer = true;
        }
    }
    for row in &component.rows {
        let terms =
            row.iter().flat_map(|&(at, c)| [(2 * at, -f64::from(c)), (2 * at + 1, f64::from(c))]);
        model.row(terms.collect(), 0.0, 0.0);
    }
    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
    let (Outcome::Optimal(solution) | Outcome::Incumbent(solution, _)) =
        engine.open(&model)?.solve(&limits)?
    else {
        return Ok(None);
    };
    let steps: Vec<i64> =
        solution.columns.chunks_exact(2).map(|way| (way[1] - way[0]).round() as i64).collect();
    let step = |at: u32| i128::from(steps[at as usize]);
    let keeps = |row: &Vec<(u32, i32)>| {
        row.iter().map(|&(at, c)| step(at) * i128::from(c)).sum::<i128>() == 0
    };
    let cells = component.cells.iter().copied().zip(steps.iter().copied());
    let moves: Vec<(CellId, i64)> = cells.filter(|&(_, step)| step != 0).collect();
    let stays = |&(cell, step): &(CellId, i64)| {
        let way = if step < 0 { Side::Down } else { Side::Up };
        problem.room(cell, way).is_none_or(|room| step.abs() <= room)
    };
    let holds = component.rows.iter().all(keeps) && moves.iter().all(stays);
    Ok(holds.then_some(Witness { denominator: 1, moves }))
}
