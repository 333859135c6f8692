//! Gives back cells that turned out not to be needed, dearest first.
//!
//! A witness dies only if it moves the cell that is given back. So a cell is given back when every need that loses a witness
//! finds another one without it.

use crate::method::{Context, SuppressError};
use cellveil_attack::{Component, Ledger, Probe, prove, reduce};
use cellveil_core::{CellId, Incidence, Pattern, Problem, Status};

pub(super) fn prune(
    problem: &Problem,
    context: &Context<'_>,
    incidence: &Incidence,
    pattern: &mut Pattern,
    ledger: &mut Ledger<'_>,
) -> Result<(), SuppressError> {
    let reduced = reduce(problem, pattern);
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
        let retired = ledger.retire(cell);
        probe.fix(cell)?;
        if all_met(problem, ledger, &mut probe, &retired.needs())? {
            pattern.give_back(cell);
        } else {
            probe.release(cell)?;
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
