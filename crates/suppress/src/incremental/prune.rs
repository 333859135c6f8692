//! Gives back cells that turned out not to be needed, dearest first.
//!
//! A witness dies only if it moves the cell that is given back. So a cell is given back when every need that loses a witness
//! finds another one without it. First every witness is split by component: what it does in one has nothing to do with what it
//! does in another, and a cell of the one must not take proofs of the other with it.

use crate::method::{Context, SuppressError};
use cellveil_attack::{Component, Ledger, Probe, prove, reduce};
use cellveil_core::{CellId, Incidence, Pattern, Problem, Side, Status, Witness};
use std::collections::BTreeMap;

/// The most work, in programs times their cells, spent on giving cells back; what is left then stays withheld. Counted and not
/// timed, so that the pattern is the same everywhere.
const MOST_WORK: usize = 2_000_000;

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
    // A width may be put together from what each side can do, so both must be asked how far they get.
    if problem.needs().iter().all(|need| need.sliding <= need.down + need.up) {
        probe.hurry();
    }
    let total = candidates.len();
    let mut work = 0;
    for (done, cell) in candidates.into_iter().enumerate() {
        if context.is_over() || work > MOST_WORK {
            break;
        }
        context.progress.step("prune", done, total, problem.cost_of(pattern));
        let mark = ledger.mark();
        let retired = ledger.retire(cell);
        probe.fix(cell)?;
        let needs = retired.needs();
        let met = all_met(problem, component, ledger, &mut probe, &needs)?;
        work += probe.take_programs() * component.cells.len();
        if met {
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

/// Whether every need is met without the cell that is given back. Most cells are needed, and a solver says so long before a
/// witness is written down, so that is asked first.
fn all_met(
    problem: &Problem,
    component: &Component,
    ledger: &mut Ledger<'_>,
    probe: &mut Probe<'_>,
    needs: &[usize],
) -> Result<bool, SuppressError> {
    for &need in needs {
        let cell = problem.needs()[need].cell;
        for side in Side::BOTH {
            let target =
                ledger.wanted(need, side, None).filter(|_| problem.needs()[need].sliding == 0);
            if let Some(target) = target
                && !probe.can_reach(cell, side, target)?
            {
                return Ok(false);
            }
        }
    }
    for &need in needs {
        prove(problem, component, ledger, probe, need)?;
        if !ledger.is_proven(need) {
            return Ok(false);
        }
    }
    Ok(true)
}
