//! Gives back cells that turned out not to be needed, dearest first.
//!
//! A need loses a witness only if it relies on one that moves the cell that is given back. So a cell is given back when all of those
//! find another without it: among those remembered, in a neighbourhood, in the whole system. That is for tables in which the whole
//! system takes no longer than a moment.

use super::near::Near;
use super::price::Wish;
use super::protect::Workshop;
use crate::cover::Cover;
use crate::method::SuppressError;
use cellveil_attack::{Component, Ledger, Probe, prove, reduce};
use cellveil_core::{CellId, Side, Why};
use std::sync::Arc;

/// In tables of at most this many cells, a cell is kept only if the whole system says that it must be.
const THOROUGH: usize = 2_500;

pub(crate) fn prune(workshop: &Workshop<'_>, cover: &mut Cover<'_>) -> Result<(), SuppressError> {
    let Workshop { problem, context, .. } = *workshop;
    if problem.len() > THOROUGH {
        return Ok(());
    }
    let mut near = Near::new(problem, &workshop.incidence);
    let mut candidates = cover.secondaries();
    candidates.sort_by(|a, b| problem.cost(*b).total_cmp(&problem.cost(*a)).then(a.cmp(b)));
    let total = candidates.len();
    for (done, cell) in candidates.into_iter().enumerate() {
        if context.is_over() {
            break;
        }
        context.progress.step("prune", done, total, cover.cost());
        give_back(workshop, cover, cell, &mut near)?;
    }
    Ok(())
}

/// Gives a cell back if every need stays met without it.
fn give_back(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    cell: CellId,
    near: &mut Near<'_>,
) -> Result<bool, SuppressError> {
    let users = cover.users(cell);
    let held = cover.hold_all_but(cell, &users);
    let mut met = true;
    for &need in &users {
        cover.drop(need);
    }
    for &need in &users {
        met = met && still_met(workshop, cover, need, near)?;
    }
    cover.release(&held);
    if met {
        cover.settle();
    } else {
        cover.take_back();
    }
    Ok(met)
}

/// Meets a need again without withholding more; whether that is possible.
fn still_met(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    need: usize,
    near: &mut Near<'_>,
) -> Result<bool, SuppressError> {
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
                None => workshop.without_more(near, cover, wish)?.map(Arc::new),
            };
            let Some(witness) = found else { return thoroughly_met(workshop, cover, need) };
            cover.remember(&witness);
            cover.rely(need, witness);
        }
        if !cover.is_met(need, insider) {
            return thoroughly_met(workshop, cover, need);
        }
        against = cover.blocking(need).map(Some);
    }
    Ok(true)
}

/// The same by programs on the whole system, where it is small.
fn thoroughly_met(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    need: usize,
) -> Result<bool, SuppressError> {
    let Workshop { problem, context, .. } = *workshop;
    let cell = problem.needs()[need].cell;
    let mut pattern = problem.start();
    for cell in problem.cells().filter(|&cell| cover.is_withheld(cell)) {
        pattern.withhold(cell, Why::Secondary);
    }
    let reduced = reduce(problem, &pattern);
    let has = |component: &&Component| component.position(cell).is_some();
    let Some(component) = reduced.components.iter().find(has) else { return Ok(false) };
    let mut probe = Probe::new(problem, &workshop.incidence, component, context.engine)?;
    let mut ledger = Ledger::new(problem);
    prove(problem, component, &mut ledger, &mut probe, need)?;
    if !ledger.is_proven(need) {
        return Ok(false);
    }
    for witness in ledger.witnesses() {
        cover.rely(need, Arc::new(witness.clone()));
    }
    cover.drop_needless(need);
    Ok(true)
}
