//! What has to be reached, and the part of the table it has to do with.

use super::equal::Equal;
use cellveil_attack::Component;
use cellveil_core::{CellId, Exposure, Need, Problem, Side, Status};
use std::collections::BTreeMap;

/// A connected part of the table with every cell withheld that may be. Cells are named by their position in it.
pub(super) struct System<'a> {
    pub(super) component: &'a Component,
    /// The cells at every position: equal ones share one.
    pub(super) members: Vec<Vec<CellId>>,
    positions: BTreeMap<CellId, u32>,
    /// The relations of every position, with its coefficient in each.
    pub(super) rows_of: Vec<Vec<(u32, i32)>>,
    /// Whether a cell may be published: the others are withheld whatever happens.
    pub(super) free: Vec<bool>,
    /// What withholding each cell costs.
    pub(super) costs: Vec<f64>,
    /// What the cells cost that are withheld because they equal a sensitive one.
    pub(super) forced: f64,
}

impl<'a> System<'a> {
    pub(super) fn new(problem: &Problem, component: &'a Component) -> Self {
        let members = component.cells.iter().map(|&cell| vec![cell]).collect();
        Self::of(problem, component, members)
    }

    /// The system in which equal cells are one.
    pub(super) fn of_equal(problem: &Problem, equal: &'a Equal) -> Self {
        Self::of(problem, &equal.component, equal.members.clone())
    }

    fn of(problem: &Problem, component: &'a Component, members: Vec<Vec<CellId>>) -> Self {
        let mut rows_of = vec![Vec::new(); component.cells.len()];
        for (row, terms) in component.rows.iter().enumerate() {
            for &(at, coefficient) in terms {
                rows_of[at as usize].push((row as u32, coefficient));
            }
        }
        let is_free = |&cell: &CellId| problem.status(cell) == Status::Free;
        let free: Vec<bool> = members.iter().map(|cells| cells.iter().all(is_free)).collect();
        let cost = |cells: &Vec<CellId>| -> f64 {
            cells.iter().filter(|cell| is_free(cell)).map(|&cell| problem.cost(cell)).sum()
        };
        let costs: Vec<f64> = members.iter().map(cost).collect();
        let forced =
            costs.iter().zip(&free).filter(|(_, free)| !**free).map(|(cost, _)| cost).sum();
        let positions =
            (0..).zip(&members).flat_map(|(at, cells)| cells.iter().map(move |&cell| (cell, at)));
        let positions = positions.collect();
        Self { component, members, positions, rows_of, free, costs, forced }
    }

    /// Where a cell stands.
    pub(super) fn position(&self, cell: CellId) -> Option<u32> {
        self.positions.get(&cell).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.free.len()
    }

    /// How far a cell can move to a side, in units; `None` if nothing limits it.
    pub(super) fn room(&self, at: u32, side: Side) -> Option<i64> {
        self.component.room(at, side)
    }
}

/// On which side of a cell some table must lie far enough, or how far two tables must be apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Goal {
    /// One table on this side.
    Side(Side),
    /// Two tables on both sides, together this far apart.
    Width,
}

impl Goal {
    /// The sides on which tables are looked for.
    pub(super) fn sides(self) -> &'static [Side] {
        match self {
            Self::Side(Side::Down) => &[Side::Down],
            Self::Side(Side::Up) => &[Side::Up],
            Self::Width => &Side::BOTH,
        }
    }
}

/// One thing that a safe pattern must make possible.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level {
    /// The sensitive cell.
    pub(super) at: u32,
    /// Where to.
    pub(super) goal: Goal,
    /// How far, in units; above 0.
    pub(super) target: i64,
    /// Cells that an insider knows, ascending: they do not move.
    pub(super) held: Vec<u32>,
}

impl Level {
    /// What a need asks for on one side, or in width, with the cells of an insider held.
    pub(super) fn new(problem: &Problem, system: &System<'_>, exposure: &Exposure) -> Option<Self> {
        let at = system.position(exposure.cell)?;
        let need: &Need = problem.needs().of(exposure.cell)?;
        let (goal, target) = match exposure.side {
            Some(side) => (Goal::Side(side), need.on(side)),
            None => (Goal::Width, need.sliding),
        };
        let insider = exposure.singleton.and_then(|cell| problem.insiders().of(cell));
        let known = insider.map_or(&[][..], |insider| problem.insiders().cells(insider));
        let mut held: Vec<u32> = known.iter().filter_map(|&cell| system.position(cell)).collect();
        held.sort_unstable();
        held.dedup();
        (target > 0).then_some(Self { at, goal, target, held })
    }
}
