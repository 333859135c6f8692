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

    /// The same problem in which cells that could be withheld are published whatever it costs.
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

/// What a cell's cost becomes: raised to the power λ; its logarithm, of one more, if λ is 0.
pub(crate) fn transformed(cost: f64, lambda: Option<f64>) -> f64 {
    match lambda {
        None => cost,
        Some(0.0) => cost.ln_1p(),
        Some(lambda) => cost.powf(lambda),
    }
}

#[cfg(test)]
mod tests {
    use super::transformed;

    #[test]
    fn lambda_flattens_costs_and_zero_takes_logarithms() {
        let is = |cost, lambda, expected: f64| {
            assert!((transformed(cost, lambda) - expected).abs() < 1e-12, "{cost} {lambda:?}");
        };
        is(16.0, None, 16.0);
        is(16.0, Some(1.0), 16.0);
        is(16.0, Some(0.5), 4.0);
        is(0.0, Some(0.5), 0.0);
        is(std::f64::consts::E - 1.0, Some(0.0), 1.0);
    }
}
