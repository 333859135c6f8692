//! The search: the best move that is not tabu, also uphill.

use super::state::{Change, State};
use crate::method::Context;
use crate::random::Random;
use cellveil_core::{CellId, Pattern};

/// How many cells are considered for a move.
const CONSIDERED: usize = 48;

/// The search ends after this many moves without a better pattern, or this many times the number of secondaries if that is more.
const PATIENCE: usize = 300;
const PATIENCE_PER_CELL: usize = 3;

/// No more moves than this are made.
const MOVES: usize = 50_000;

/// The most moves for which a change is tabu.
const TENURE: usize = 60;

/// Looks for a cheaper safe pattern among those that the store of witnesses can show.
pub(super) fn search(state: &mut State<'_>, context: &Context<'_>) -> Pattern {
    let mut random = Random::new(context.seed, 0x7AB0);
    let mut cost = state.problem.cost_of(&state.pattern);
    let mut best = (cost, state.pattern.clone());
    // When each cell was last changed, in moves.
    let mut changed: Vec<Option<usize>> = vec![None; state.problem.len()];
    let mut waited = 0;
    for step in 0..MOVES {
        let candidates = state.candidates();
        let patience = PATIENCE.max(PATIENCE_PER_CELL * candidates.len());
        if candidates.is_empty() || waited > patience || context.is_over() {
            break;
        }
        if step % 64 == 0 {
            context.progress.step("tabu", waited, patience, best.0);
        }
        let change = best_move(state, &candidates, &changed, step, best.0 - cost, &mut random);
        let Some(change) = change else {
            waited += patience / 8 + 1;
            continue;
        };
        cost += change.rise;
        for &cell in change.withheld.iter().chain([&change.given_back]) {
            changed[cell.index()] = Some(step);
        }
        waited += 1;
        if cost < best.0 - 1e-9 * best.0.abs() {
            best = (cost, state.pattern.clone());
            context.progress.improved(cost, 0.0);
            waited = 0;
        }
    }
    best.1
}

/// Makes the best of some moves that is not tabu, or one that leads to the best pattern so far though it is; a random one if all are tabu.
fn best_move(
    state: &mut State<'_>,
    candidates: &[CellId],
    changed: &[Option<usize>],
    step: usize,
    to_beat: f64,
    random: &mut Random,
) -> Option<Change> {
    // Every cell has a tenure of its own, drawn anew for every move.
    let salt = random.below(usize::MAX);
    let longest = candidates.len().clamp(1, TENURE);
    let tenure = |cell: CellId| Random::new(salt as u64, u64::from(cell.0)).below(longest) + 1;
    let is_tabu = |cell: CellId| changed[cell.index()].is_some_and(|at| step - at <= tenure(cell));
    let mut best: Option<(f64, CellId, bool)> = None;
    for _ in 0..CONSIDERED.min(2 * candidates.len()) {
        let cell = candidates[random.below(candidates.len())];
        let mut moved = None;
        if !is_tabu(cell) {
            moved = state.exchange(cell, &|other| !is_tabu(other)).map(|change| (change, false));
        }
        if moved.is_none() {
            // Aspiration: what is better than anything so far is welcome though it is tabu.
            moved = state.exchange(cell, &|_| true).map(|change| (change, true));
            if let Some((change, _)) = moved.take_if(|(change, _)| change.rise >= to_beat) {
                state.undo(&change);
            }
        }
        let Some((change, aspired)) = moved else { continue };
        state.undo(&change);
        if best.is_none_or(|(rise, ..)| change.rise < rise) {
            best = Some((change.rise, cell, aspired));
        }
    }
    match best {
        Some((_, cell, true)) => state.exchange(cell, &|_| true),
        Some((_, cell, false)) => state.exchange(cell, &|other| !is_tabu(other)),
        None => state.exchange(candidates[random.below(candidates.len())], &|_| true),
    }
}
