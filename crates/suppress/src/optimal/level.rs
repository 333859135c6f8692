//! What has to be reached, and the part of the table it has to do with.

use cellveil_attack::Component;
use cellveil_core::{CellId, Exposure, Need, Problem, Side, Status};

/// A connected part of the table with every cell withheld that may be. Cells are named by their position in it.
pub(super) struct System<'a> {
    pub(super) component: &'a Component,
    /// The relations of every position, with its coefficient in each.
    pub(super) rows_of: Vec<Vec<(u32, i32)>>,
    /// Whether a cell may be published: the others are withheld whatever happens.
    pub(super) free: Vec<bool>,
    /// What withholding each cell costs.
    pub(super) costs: Vec<f64>,
}

impl<'a> System<'a> {
    pub(super) fn new(problem: &Problem, component: &'a Component) -> Self {
        let mut rows_of = vec![Vec::new(); component.cells.len()];
        for (row, terms) in component.rows.iter().enumerate() {
            for &(at, coefficient) in terms {
                rows_of[at as usize].push((row as u32, coefficient));
            }
        }
        let is_free = |&cell: &CellId| problem.status(cell) == Status::Free;
        Self {
            component,
            rows_of,
            free: component.cells.iter().map(is_free).collect(),
            costs: component.cells.iter().map(|&cell| problem.cost(cell)).collect(),
        }
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
        let at = system.component.position(exposure.cell)?;
        let need: &Need = problem.needs().of(exposure.cell)?;
        let (goal, target) = match exposure.side {
            Some(side) => (Goal::Side(side), need.on(side)),
            None => (Goal::Width, need.sliding),
        };
        let insider = exposure.singleton.and_then(|cell| problem.insiders().of(cell));
        let known = insider.map_or(&[][..], |insider| problem.insiders().cells(insider));
        let held = known.iter().filter_map(|&cell| system.component.position(cell)).collect();
        (target > 0).then_some(Self { at, goal, target, held })
    }
}
