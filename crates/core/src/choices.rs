//! What may be withheld and what that costs, beyond what the table itself says.

use crate::{CellId, Problem, ProblemError, Status};

impl Problem {
    /// The same problem with other costs for some cells; 0 for cells that are withheld before all others.
    ///
    /// # Errors
    /// [`ProblemError::Cost`] if a cost is negative or no number.
    pub fn with_costs(
        mut self,
        costs: impl IntoIterator<Item = (CellId, f64)>,
    ) -> Result<Self, ProblemError> {
        for (cell, cost) in costs {
            if cost.is_nan() || cost < 0.0 {
                return Err(ProblemError::Cost(self.names().describe(cell).to_string()));
            }
            self.parts.costs[cell.index()] = cost;
        }
        Ok(self)
    }

    /// The same problem in which cells that could be withheld are published whatever it costs, with their true values.
    #[must_use]
    pub fn forbidding(mut self, cells: impl IntoIterator<Item = CellId>) -> Self {
        for cell in cells {
            self.change(cell, Status::Free, Status::Frozen);
        }
        self
    }

    /// The same problem in which cells that had to be published may be withheld.
    #[must_use]
    pub fn releasing(mut self, cells: impl IntoIterator<Item = CellId>) -> Self {
        for cell in cells {
            self.change(cell, Status::Frozen, Status::Free);
        }
        self
    }

    fn change(&mut self, cell: CellId, from: Status, to: Status) {
        let status = &mut self.parts.status[cell.index()];
        if *status == from {
            *status = to;
        }
    }
}
