//! Which frozen cells stand in the way when no pattern exists: as few as can be.
//!
//! With everything withheld that may be, a need is not met, but it would be if frozen cells could be withheld too. Frozen cells are freed in halves,
//! quarters and so on down to single ones, for good whenever the need is not met all the same. Those left over are an irreducible conflict:
//! together they block the need, and without any one of them they would not.

use crate::method::{Context, SuppressError};
use cellveil_attack::{Component, Flow, Ledger, Network, Probe, prove, reduce};
use cellveil_core::{CellId, Incidence, Pattern, Problem, Status, Why};

/// A component with more cells takes too long to be solved again and again.
const LARGEST: usize = 6_000;

/// No more questions are asked; what is left then blocks the need, but may not be irreducible.
const QUESTIONS: usize = 400;

/// How many cells an error lists.
const LISTED: usize = 10;

/// Adds the frozen cells in the way to a [`SuppressError::NoPattern`]; other errors stay as they are, and so does one that has
/// nothing to do with frozen cells.
pub(crate) fn explained(
    problem: &Problem,
    context: &Context<'_>,
    error: SuppressError,
) -> SuppressError {
    let SuppressError::NoPattern { cell, .. } = &error else { return error };
    let is_named =
        |need: &usize| problem.names().describe(problem.needs()[*need].cell).to_string() == *cell;
    let Some(need) = (0..problem.needs().len()).find(is_named) else { return error };
    match conflict(problem, context, need) {
        Ok(Some(frozen)) => blocked(problem, cell.clone(), frozen),
        Ok(None) => error,
        Err(failed) => failed,
    }
}

fn blocked(problem: &Problem, cell: String, frozen: Vec<CellId>) -> SuppressError {
    let names = frozen.iter().take(LISTED);
    let names: Vec<String> =
        names.map(|&cell| format!("`{}`", problem.names().describe(cell))).collect();
    let names = names.join(", ");
    let (why, hint) = match frozen.len() {
        1 => (
            format!("\n  {names} must be published and betrays it, whatever else is withheld"),
            "free that cell",
        ),
        count if count > LISTED => (
            format!(
                "\n  {count} cells that must be published betray it together, whatever else is withheld, among them {names}"
            ),
            "free one of them",
        ),
        count => (
            format!(
                "\n  these {count} cells must be published and betray it together, whatever else is withheld: {names}"
            ),
            "free one of them",
        ),
    };
    let hint = format!(
        "{hint}, publish the table at a coarser level, or let the least costly be released (`release_frozen`, `--release-frozen`)"
    );
    SuppressError::NoPattern { cell, why, hint, frozen }
}

/// An irreducible set of frozen cells that blocks a need; `None` if the need is not blocked by frozen cells, or finding out takes too long.
fn conflict(
    problem: &Problem,
    context: &Context<'_>,
    need: usize,
) -> Result<Option<Vec<CellId>>, SuppressError> {
    let is_frozen = |cell: &CellId| problem.status(*cell) == Status::Frozen;
    let mut frozen: Vec<CellId> = problem.cells().filter(is_frozen).collect();
    let incidence = problem.relations().incidence(problem.len());
    let judge = Judge { problem, context, incidence, need };
    if judge.is_met(&frozen)? != Some(false) || judge.is_met(&[])? != Some(true) {
        return Ok(None);
    }
    let mut asked = 0;
    let mut size = frozen.len().div_ceil(2);
    loop {
        let mut at = 0;
        while at < frozen.len() {
            if asked == QUESTIONS || context.is_over() {
                return Ok(Some(frozen));
            }
            asked += 1;
            let end = (at + size).min(frozen.len());
            let rest: Vec<CellId> = frozen[..at].iter().chain(&frozen[end..]).copied().collect();
            if judge.is_met(&rest)? == Some(false) {
                frozen = rest;
            } else {
                at = end;
            }
        }
        if size == 1 {
            return Ok(Some(frozen));
        }
        size = size.div_ceil(2);
    }
}

struct Judge<'j> {
    problem: &'j Problem,
    context: &'j Context<'j>,
    incidence: Incidence,
    need: usize,
}

impl Judge<'_> {
    /// Whether the need is met when everything is withheld but these cells; `None` if that is too much to find out.
    fn is_met(&self, published: &[CellId]) -> Result<Option<bool>, SuppressError> {
        let mut pattern = Pattern::open(self.problem.len());
        for cell in self.problem.cells().filter(|cell| published.binary_search(cell).is_err()) {
            pattern.withhold(cell, Why::Secondary);
        }
        let cell = self.problem.needs()[self.need].cell;
        let components = reduce(self.problem, &pattern).components;
        let own = components.iter().find(|component| component.position(cell).is_some());
        let Some(component) = own else { return Ok(Some(false)) };
        let mut ledger = Ledger::new(self.problem);
        self.prove(component, &mut ledger)
    }

    fn prove(
        &self,
        component: &Component,
        ledger: &mut Ledger<'_>,
    ) -> Result<Option<bool>, SuppressError> {
        if let Some(network) = Network::of(component) {
            let mut flow = Flow::new(self.problem, component, &network);
            prove(self.problem, component, ledger, &mut flow, self.need)?;
        } else if component.cells.len() <= LARGEST {
            let mut probe =
                Probe::new(self.problem, &self.incidence, component, self.context.engine)?;
            prove(self.problem, component, ledger, &mut probe, self.need)?;
        } else {
            return Ok(None);
        }
        Ok(Some(ledger.is_proven(self.need)))
    }
}
