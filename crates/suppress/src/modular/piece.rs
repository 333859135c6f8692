//! One sub-table as a problem of its own.

use super::Tables;
use crate::method::{Context, Protected, SuppressError};
use crate::optimal::{self, Budget, heuristic};
use crate::subtable::SubTable;
use cellveil_core::{
    CellId, CellNames, Incidence, Need, Needs, Pattern, Problem, ProblemParts, Reason, Relations,
    Status,
};
use std::collections::BTreeSet;

/// What may be done with cells that sub-tables above published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Margins {
    /// They stay published.
    AsTheyAre,
    /// They may be withheld.
    Free,
}

/// A sub-table with the status its cells have so far.
pub(super) struct Piece {
    /// Its cells, ascending.
    cells: Vec<CellId>,
    problem: Problem,
}

/// What may be spent on the optimum of one sub-table.
const BUDGET: Budget =
    Budget { work: 3_000_000, nodes: 2_000, searches: 20, node_terms: 40_000_000 };

/// A secondary of another sub-table is protected by this share of its value, if no need here asks for less.
const SHARE: i64 = 100;

impl Piece {
    /// The sub-table as a problem; `None` if nothing in it asks for anything.
    pub(super) fn of(
        tables: &Tables<'_>,
        table: &SubTable,
        pattern: &Pattern,
        margins: Margins,
    ) -> Option<Self> {
        let Tables { problem: whole, incidence, first, .. } = tables;
        let mut cells: Vec<CellId> = table.cells.iter().flatten().copied().collect();
        cells.sort_unstable();
        cells.dedup();
        let needs = needs(whole, &cells, pattern);
        if needs.iter().all(|need| need.down == 0 && need.up == 0 && need.sliding == 0) {
            return None;
        }
        let status = |&cell: &CellId| match whole.status(cell) {
            Status::Free if pattern.is_withheld(cell) => Status::Withheld,
            Status::Free if margins == Margins::AsTheyAre && first[cell.index()] < table.class => {
                Status::Frozen
            }
            status => status,
        };
        let status = cells.iter().map(status).collect();
        let costs = cells.iter().map(|&cell| whole.cost(cell)).collect();
        Self::new(whole, incidence, cells, costs, status, needs)
    }

    /// Some cells of a table, ascending, with costs and statuses of their own.
    pub(super) fn new(
        whole: &Problem,
        incidence: &Incidence,
        cells: Vec<CellId>,
        costs: Vec<f64>,
        status: Vec<Status>,
        needs: Needs,
    ) -> Option<Self> {
        let parts = whole.parts();
        let column =
            |values: &[i64]| cells.iter().map(|cell| values[cell.index()]).collect::<Vec<i64>>();
        let place = |cell: CellId| cells.binary_search(&cell).ok().map(CellId::at);
        let inner = ProblemParts {
            decimals: whole.decimals(),
            values: column(&parts.values),
            costs,
            lower: column(&parts.lower),
            upper: column(&parts.upper),
            status,
            needs,
            relations: relations(whole, incidence, &cells),
            names: CellNames::Ids(cells.iter().map(|&cell| whole.names().id(cell)).collect()),
            singletons: whole.singletons().iter().filter_map(|&cell| place(cell)).collect(),
            width: 0,
        };
        // What the sums of the whole table miss, they miss here too.
        let problem = Problem::new(inner, i64::MAX).ok()?;
        let problem = if whole.is_whole() { problem.of_counts().ok()? } else { problem };
        Some(Self { cells, problem })
    }

    /// The further cells that protect the sub-table.
    pub(super) fn protect(&self, context: &Context<'_>) -> Result<Vec<CellId>, SuppressError> {
        let quiet = Context { progress: &(), ..*context };
        let protected = solve(&self.problem, &quiet)?;
        let new = |cell: &CellId| self.problem.status(*cell) == Status::Free;
        let chosen = protected.pattern.secondaries().filter(new);
        Ok(chosen.map(|cell| self.cells[cell.index()]).collect())
    }
}

/// The cheapest pattern of a sub-table, or the best that is found within the budget.
fn solve(problem: &Problem, context: &Context<'_>) -> Result<Protected, SuppressError> {
    let best = heuristic::start(problem, context)?;
    optimal::from(problem, context, best, BUDGET)
}

/// Needs of the sub-table: those of sensitive cells, and a small one for each cell that another sub-table withholds.
fn needs(whole: &Problem, cells: &[CellId], pattern: &Pattern) -> Needs {
    let own = |&cell: &CellId| whole.needs().of(cell).copied();
    let levels = cells.iter().filter_map(own).map(|need| need.down.max(need.up).max(need.sliding));
    let largest = levels.max();
    let need = |(at, &cell): (usize, &CellId)| {
        let need = match own(&cell) {
            Some(need) => need,
            None if pattern.is_withheld(cell) => {
                let share = whole.value(cell).saturating_abs() / SHARE;
                let up = largest.map_or(share, |largest| share.min(largest)).max(1);
                Need { cell, down: 0, up, sliding: 0, reason: Reason::Interval }
            }
            None => return None,
        };
        Some(Need { cell: CellId::at(at), ..need })
    };
    Needs::new(cells.iter().enumerate().filter_map(need).collect())
}

/// The relations of the whole table that lie within some of its cells, in their order.
fn relations(whole: &Problem, incidence: &Incidence, cells: &[CellId]) -> Relations {
    let mut relations = Relations::default();
    let place = |cell: CellId| cells.binary_search(&cell).ok().map(CellId::at);
    let all = whole.relations();
    let around = cells.iter().flat_map(|&cell| incidence.of(cell));
    let rows: BTreeSet<u32> = around.map(|&(relation, _)| relation).collect();
    for relation in rows.into_iter().map(|relation| relation as usize) {
        let terms: Option<Vec<(CellId, i32)>> =
            all.row(relation).map(|(cell, c)| Some((place(cell)?, c))).collect();
        if let Some(terms) = terms {
            relations.push(terms, all.constant(relation));
        }
    }
    relations
}
