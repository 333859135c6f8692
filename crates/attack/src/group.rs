//! One program that meets many needs at once.
//!
//! Every open need is given a side at random and a share `t` of its level, at most 1; `max Σ t` moves as many cells as far as they
//! ask as one table can. A second program has all sides turned round. Whatever is met is met by one witness.

use crate::component::Component;
use crate::exact::exact_witness;
use crate::propagate::slot;
use cellveil_core::{Incidence, Problem, Side, Witness};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome};

/// A need of a component: where its cell stands, and how far it must get on either side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) at: u32,
    /// In units: down, then up; nothing where that side is met.
    pub(crate) levels: [Option<i64>; 2],
}

/// Tables that meet as many needs as possible; `round` draws the sides.
pub(crate) fn meet_many(
    problem: &Problem,
    incidence: &Incidence,
    component: &Component,
    engine: &dyn Engine,
    wanted: &[Wanted],
    round: u32,
) -> Result<Vec<Witness>, EngineError> {
    let mut found = Vec::new();
    for turned in [false, true] {
        let sides: Vec<(u32, Side, i64)> = wanted
            .iter()
            .filter_map(|need| {
                let side = if lot(need.at, round) == turned { Side::Up } else { Side::Down };
                need.levels[slot(side)].map(|level| (need.at, side, level))
            })
            .collect();
        let Some(&(goal, side, level)) = sides.first() else { continue };
        let Some(moves) = furthest(component, engine, &sides)? else { continue };
        let cells = component.cells.iter().copied().zip(moves);
        let goal = component.cells[goal as usize];
        found.extend(exact_witness(problem, incidence, cells, goal, level * side.sign()));
    }
    Ok(found)
}

/// The moves, in units, that go furthest towards all levels together.
fn furthest(
    component: &Component,
    engine: &dyn Engine,
    sides: &[(u32, Side, i64)],
) -> Result<Option<Vec<f64>>, EngineError> {
    let largest = sides.iter().map(|&(_, _, level)| level).max().unwrap_or(1);
    let scale = (largest as f64 / 1e6).max(1.0);
    let mut model = Model { changes: Changes::Many, ..Model::default() };
    for at in 0..component.cells.len() as u32 {
        let room =
            |side| component.room(at, side).map_or(f64::INFINITY, |room| room as f64 / scale);
        model.column(0.0, -room(Side::Down), room(Side::Up));
    }
    for row in &component.rows {
        model.row(row.iter().map(|&(at, c)| (at, f64::from(c))).collect(), 0.0, 0.0);
    }
    for &(at, side, level) in sides {
        let share = model.column(-1.0, -100.0, 1.0);
        let terms = vec![(at, side.sign() as f64), (share, -(level as f64) / scale)];
        model.row(terms, 0.0, f64::INFINITY);
    }
    // The first is moved exactly as far as it asks; the witness is built round it.
    let (first, side, level) = sides[0];
    let there = side.sign() as f64 * level as f64 / scale;
    let column = &mut model.columns[first as usize];
    (column.lower, column.upper) = (there, there);
    match engine.open(&model)?.solve(&Limits::default())? {
        Outcome::Optimal(solution) => {
            let moves = solution.columns[..component.cells.len()].iter();
            Ok(Some(moves.map(|moved| moved * scale).collect()))
        }
        _ => Ok(None),
    }
}

/// Heads or tails, by the position and the round.
pub(crate) fn lot(at: u32, round: u32) -> bool {
    let mixed = (u64::from(at) << 32 | u64::from(round)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 63 == 1
}
