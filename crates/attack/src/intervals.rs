//! The tightest interval of every withheld cell.

use crate::component::Component;
use crate::reach::Probe;
use crate::whole::furthest_whole;
use cellveil_core::{CellId, Incidence, Interval, Problem, Side};
use cellveil_lp::{Engine, EngineError};
use rayon::prelude::*;

/// Cells per session. Fixed, so that the answer does not depend on the number of threads.
const CHUNK: usize = 128;

/// What touches a bound within this part of its size touches it.
const TOUCHES: f64 = 1e-9;

/// What the solver may be off by, in parts of an end.
const NOISE: f64 = 1e-6;

/// Intervals of `cells`, which lie in one component, in their order. Where intruders know that cells are whole, ends are; in
/// components too large to search they are those of the program, rounded inwards.
pub(crate) fn intervals(
    problem: &Problem,
    incidence: &Incidence,
    component: &Component,
    cells: &[CellId],
    engine: &dyn Engine,
) -> Result<Vec<Interval>, EngineError> {
    let chunks: Result<Vec<Vec<Interval>>, EngineError> = cells
        .par_chunks(CHUNK)
        .map(|chunk| of_chunk(problem, incidence, component, chunk, engine))
        .collect();
    Ok(chunks?.concat())
}

fn of_chunk(
    problem: &Problem,
    incidence: &Incidence,
    component: &Component,
    cells: &[CellId],
    engine: &dyn Engine,
) -> Result<Vec<Interval>, EngineError> {
    let mut probe = Probe::new(problem, incidence, component, engine)?;
    // The furthest moves seen in any table so far: a cell seen at its own bound needs no program of its own.
    let mut lowest = vec![0.0_f64; component.cells.len()];
    let mut highest = vec![0.0_f64; component.cells.len()];
    let mut found = Vec::with_capacity(cells.len());
    for &cell in cells {
        let Some(position) = component.position(cell) else { continue };
        let at = position as usize;
        let value = problem.value(cell);
        let mut ends = [None, None];
        for (end, side) in ends.iter_mut().zip(Side::BOTH) {
            let seen = if side == Side::Down { lowest[at] } else { highest[at] };
            let limit = component.room(position, side).map(|room| (room * side.sign()) as f64);
            let touched =
                limit.filter(|limit| (seen - limit).abs() <= TOUCHES * limit.abs().max(1.0));
            *end = match touched {
                Some(limit) => Some(limit),
                None => probe.extreme(cell, side, &mut |column, moved| {
                    lowest[column] = lowest[column].min(moved);
                    highest[column] = highest[column].max(moved);
                })?,
            };
        }
        let [mut lower, mut upper] = ends.map(|end| end.map(|moved| value as f64 + tidy(moved)));
        if problem.is_whole() {
            lower = lower.map(|end| (end - NOISE * end.abs().max(1.0)).ceil());
            upper = upper.map(|end| (end + NOISE * end.abs().max(1.0)).floor());
            for (end, side) in [&mut lower, &mut upper].into_iter().zip(Side::BOTH) {
                if let Some(moved) = furthest_whole(component, engine, position, side)? {
                    *end = Some((value + moved * side.sign()) as f64);
                }
            }
        }
        found.push(Interval { cell, lower, upper });
    }
    Ok(found)
}

/// Whole numbers of units lose the solver's noise.
fn tidy(moved: f64) -> f64 {
    if (moved - moved.round()).abs() <= 1e-7 * moved.abs().max(1.0) { moved.round() } else { moved }
}
