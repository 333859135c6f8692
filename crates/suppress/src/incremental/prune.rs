//! Gives back cells that turned out not to be needed, dearest first.
//!
//! A need loses a witness only if it relies on one that moves the cell that is given back. So a cell is given back when all of those
//! find another without it: among those remembered, by products of circuits, in the whole system. That is for tables in which the whole
//! system takes no longer than a moment.

use super::price::Wish;
use super::protect::Workshop;
use crate::cover::Cover;
use crate::method::SuppressError;
use cellveil_attack::{Component, Ledger, Probe, Reduced, prove, reduce};
use cellveil_core::{CellId, Need, Side, Why, Witness};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// In tables of at most this many cells, a cell is kept only if the whole system says that it must be.
const THOROUGH: usize = 2_500;

pub(crate) fn prune(workshop: &Workshop<'_>, cover: &mut Cover<'_>) -> Result<(), SuppressError> {
    let context = workshop.context;
    let candidates = candidates(workshop, cover);
    let total = candidates.len();
    for (done, cell) in candidates.into_iter().enumerate() {
        if context.is_over() {
            break;
        }
        context.progress.step("prune", done, total, cover.cost());
        give_back(workshop, cover, cell)?;
    }
    Ok(())
}

/// The cells to try, dearest first; none where each would take too long.
pub(crate) fn candidates(workshop: &Workshop<'_>, cover: &Cover<'_>) -> Vec<CellId> {
    let problem = workshop.problem;
    if problem.len() > THOROUGH {
        return Vec::new();
    }
    let mut candidates = cover.secondaries();
    candidates.sort_by(|a, b| problem.cost(*b).total_cmp(&problem.cost(*a)).then(a.cmp(b)));
    candidates
}

/// Gives a cell back if every need stays met without it.
pub(crate) fn give_back(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    cell: CellId,
) -> Result<bool, SuppressError> {
    let users = cover.users(cell);
    let held = cover.hold_all_but(cell, &users);
    for &need in &users {
        cover.drop(need);
    }
    let mut open: Vec<usize> = Vec::new();
    for &need in &users {
        if !still_met(workshop, cover, need) {
            open.push(need);
        }
    }
    let met = if open.is_empty() { Ok(true) } else { thoroughly_met(workshop, cover, &mut open) };
    cover.release(&held);
    // Where the engine fails, everything stays as it was: callers may go on without it.
    if matches!(met, Ok(true)) {
        cover.settle();
    } else {
        cover.take_back();
    }
    met
}

/// Meets a need again without withholding more and without a program; whether that is possible.
fn still_met(workshop: &Workshop<'_>, cover: &mut Cover<'_>, need: usize) -> bool {
    let problem = workshop.problem;
    let cell = problem.needs()[need].cell;
    let mut against = Some(None);
    while let Some(insider) = against {
        let unmoved = insider.map_or(&[][..], |insider| problem.insiders().cells(insider));
        for side in [Side::Up, Side::Down, Side::Up] {
            let Some(target) = cover.wanted(need, side, insider) else { continue };
            let wish = Wish { cell, side, target, unmoved };
            let found = match cover.free_remembered(need, side, target, unmoved) {
                Some(witness) => Some(witness),
                None => workshop.without_more(cover, wish).map(Arc::new),
            };
            let Some(witness) = found else { return false };
            cover.remember(&witness);
            cover.rely(need, &witness);
        }
        if !cover.is_met(need, insider) {
            return false;
        }
        against = cover.blocking(need).map(Some);
    }
    true
}

/// Whether the room of a cell alone says that a need is not met.
fn lacks_room(need: &Need, reduced: &Reduced) -> bool {
    let place = |component| Some((component, Component::position(component, need.cell)?));
    let found = reduced.components.iter().find_map(place);
    found.is_none_or(|(component, at)| {
        Side::BOTH
            .iter()
            .any(|&side| component.room(at, side).is_some_and(|room| room < need.on(side)))
    })
}

/// The same for several needs by programs on the whole system, where it is small; those that ask for most first, because they fail
/// soonest.
fn thoroughly_met(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    needs: &mut [usize],
) -> Result<bool, SuppressError> {
    let Workshop { problem, context, .. } = *workshop;
    let size = |need: &Need| need.down.max(need.up).max(need.sliding);
    needs.sort_by_key(|&need| (Reverse(size(&problem.needs()[need])), need));
    let mut pattern = problem.start();
    for cell in problem.cells().filter(|&cell| cover.is_withheld(cell)) {
        pattern.withhold(cell, Why::Secondary);
    }
    let reduced = reduce(problem, &pattern);
    if needs.iter().any(|&need| lacks_room(&problem.needs()[need], &reduced)) {
        return Ok(false);
    }
    let mut ledger = Ledger::new(problem);
    let mut probes: BTreeMap<usize, Probe<'_>> = BTreeMap::new();
    for &need in &*needs {
        if ledger.is_proven(need) {
            continue;
        }
        let cell = problem.needs()[need].cell;
        let has = |component: &Component| component.position(cell).is_some();
        let Some(at) = reduced.components.iter().position(has) else { return Ok(false) };
        let component = &reduced.components[at];
        let probe = match probes.entry(at) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                entry.insert(Probe::new(problem, &workshop.incidence, component, context.engine)?)
            }
        };
        prove(problem, component, &mut ledger, probe, need)?;
        if !ledger.is_proven(need) {
            return Ok(false);
        }
    }
    let witnesses: Vec<Arc<Witness>> =
        ledger.witnesses().iter().map(|witness| Arc::new(witness.clone())).collect();
    for &need in &*needs {
        let cell = problem.needs()[need].cell;
        for witness in witnesses.iter().filter(|witness| witness.move_of(cell) != 0) {
            cover.rely(need, witness);
        }
        cover.drop_needless(need);
    }
    Ok(true)
}
