//! Gives back cells that turned out not to be needed, dearest first.
//!
//! A witness dies only if it moves the cell that is given back. So a cell is given back when every need that loses a witness
//! finds another one without it. First every witness is split by component: what it does in one has nothing to do with what it
//! does in another, and a cell of the one must not take proofs of the other with it.

use crate::method::{Context, SuppressError};
use cellveil_attack::{Component, Ledger, Probe, prove, reduce};
use cellveil_core::{CellId, Incidence, Pattern, Problem, Status, Witness};
use std::collections::BTreeMap;

pub(super) fn prune<'a>(
    problem: &'a Problem,
    context: &Context<'_>,
    incidence: &Incidence,
    pattern: &mut Pattern,
    ledger: &mut Ledger<'a>,
) -> Result<(), SuppressError> {
    let reduced = reduce(problem, pattern);
    *ledger = split(problem, ledger.witnesses(), &reduced.components);
    for &cell in &reduced.determined {
        // Nothing is hidden by a cell that everybody can compute.
        if problem.status(cell) == Status::Free {
            pattern.give_back(cell);
        }
    }
    for component in &reduced.components {
        prune_component(problem, context, incidence, component, pattern, ledger)?;
    }
    Ok(())
}

/// The parts of all witnesses in the components, each a witness of its own.
fn split<'a>(problem: &'a Problem, witnesses: &[Witness], components: &[Component]) -> Ledger<'a> {
    let mut component_of = vec![usize::MAX; problem.len()];
    for (at, component) in components.iter().enumerate() {
        for cell in &component.cells {
            component_of[cell.index()] = at;
        }
    }
    let mut ledger = Ledger::new(problem);
    for witness in witnesses {
        let mut parts: BTreeMap<usize, Vec<(CellId, i64)>> = BTreeMap::new();
        for &(cell, step) in &witness.moves {
            parts.entry(component_of[cell.index()]).or_default().push((cell, step));
        }
        for moves in parts.into_values() {
            ledger.add(Witness { denominator: witness.denominator, moves });
        }
    }
    ledger
}

fn prune_component(
    problem: &Problem,
    context: &Context<'_>,
    incidence: &Incidence,
    component: &Component,
    pattern: &mut Pattern,
    ledger: &mut Ledger<'_>,
) -> Result<(), SuppressError> {
    let is_candidate =
        |cell: &CellId| problem.status(*cell) == Status::Free && pattern.is_withheld(*cell);
    let mut candidates: Vec<CellId> =
        component.cells.iter().copied().filter(is_candidate).collect();
    candidates.sort_by(|a, b| problem.cost(*b).total_cmp(&problem.cost(*a)).then(a.cmp(b)));
    let mut probe = Probe::new(problem, incidence, component, context.engine)?;
    let total = candidates.len();
    for (done, cell) in candidates.into_iter().enumerate() {
        if (context.stop)() {
            break;
        }
        context.progress.step("prune", done, total, problem.cost_of(pattern));
        let mark = ledger.mark();
        let retired = ledger.retire(cell);
        probe.fix(cell)?;
        if all_met(problem, ledger, &mut probe, &retired.needs())? {
            pattern.give_back(cell);
            ledger.bury(cell);
        } else {
            probe.release(cell)?;
            ledger.forget(mark);
            ledger.restore(retired);
        }
    }
    Ok(())
}

fn all_met(
    problem: &Problem,
    ledger: &mut Ledger<'_>,
    probe: &mut Probe<'_>,
    needs: &[usize],
) -> Result<bool, SuppressError> {
    for &need in needs {
        prove(problem, ledger, probe, need)?;
        if !ledger.is_proven(need) {
            return Ok(false);
        }
    }
    Ok(true)
}
