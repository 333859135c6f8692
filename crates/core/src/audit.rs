//! What an intruder can work out about the withheld cells.

use crate::{CellId, Side};

/// The tightest interval an intruder can derive for a withheld cell, in units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The withheld cell.
    pub cell: CellId,
    /// No consistent table has less; `None` if there is no such limit.
    pub lower: Option<f64>,
    /// No consistent table has more; `None` if there is no such limit.
    pub upper: Option<f64>,
}

/// A need that is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exposure {
    /// The sensitive cell.
    pub cell: CellId,
    /// The side on which the intruder comes too close; `None` if only the width of the interval is too small.
    pub side: Option<Side>,
    /// The singleton whose contributor comes too close; `None` if everybody does.
    pub singleton: Option<CellId>,
}

/// The answer of an attack on a pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// One interval per withheld cell that was asked for, ascending by cell.
    pub intervals: Vec<Interval>,
    /// The needs that are not met, ascending by cell.
    pub exposed: Vec<Exposure>,
    /// Those of the exposed cells of which nothing shows that they are: the table was too large to solve as a whole, and what
    /// is not shown to be safe counts as exposed. Ascending.
    pub undecided: Vec<CellId>,
}

impl Audit {
    /// The interval of a cell, if it was asked for.
    pub fn interval(&self, cell: CellId) -> Option<&Interval> {
        self.intervals
            .binary_search_by_key(&cell, |interval| interval.cell)
            .ok()
            .map(|at| &self.intervals[at])
    }

    /// Whether a need of the cell is not met.
    pub fn is_exposed(&self, cell: CellId) -> bool {
        self.exposed.binary_search_by_key(&cell, |exposure| exposure.cell).is_ok()
    }

    /// The cells with a need that is not met, each once.
    pub fn exposed_cells(&self) -> Vec<CellId> {
        let mut cells: Vec<CellId> = self.exposed.iter().map(|exposure| exposure.cell).collect();
        cells.dedup();
        cells
    }
}
