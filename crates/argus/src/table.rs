//! A table as τ-ARGUS keeps it: cells that exist with all that is known of them; every other combination of codes is empty.

use crate::arb::{CostSpec, Rules, Specify};
use crate::primary;
use crate::{Adjusted, CellStatus, Codes};
use cellveil_core::{CellId, CodeId, Table, units};
use cellveil_rules::RuleError;

/// Status and protection levels of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellState {
    /// The status.
    pub status: CellStatus,
    /// How far below its value an intruder must be left, as an amount.
    pub lower: f64,
    /// How far above.
    pub upper: f64,
}

impl CellState {
    /// A cell that needs no protection.
    pub fn safe(status: CellStatus) -> Self {
        Self { status, lower: 0.0, upper: 0.0 }
    }
}

/// A table with statuses, levels and costs.
#[derive(Clone, Debug)]
pub struct ArgusTable {
    /// What was asked for.
    pub specify: Specify,
    /// Its rules.
    pub rules: Rules,
    /// The spanning variables with all their codes.
    pub codes: Vec<Codes>,
    /// How many decimals of a value are written.
    pub decimals: u8,
    /// The cells that exist, with the values of the response.
    pub response: Table,
    /// The same cells with the values of the shadow variable, where that is another.
    pub shadow: Option<Table>,
    /// What withholding each cell costs, before lambda.
    pub costs: Vec<f64>,
    /// Status and levels now.
    pub states: Vec<CellState>,
    /// Status and levels as rules or the file said.
    pub original: Vec<CellState>,
    /// The values to publish in place of the true ones, if they were changed.
    pub adjusted: Option<Adjusted>,
    /// Whether the number of contributors is known, not merely assumed to be one.
    pub counted: bool,
    /// What the user should know about how it was made.
    pub notes: Vec<String>,
}

/// The cells of one status.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// How many.
    pub cells: u64,
    /// Their contributors, a contributor to several cells counted in each.
    pub respondents: u64,
    /// Their values.
    pub response: f64,
    /// Their costs.
    pub cost: f64,
}

impl ArgusTable {
    /// The table the rules look at.
    pub fn judged(&self) -> &Table {
        self.shadow.as_ref().unwrap_or(&self.response)
    }

    /// How many cells exist.
    pub fn len(&self) -> usize {
        self.response.len()
    }

    /// Whether no cell exists.
    pub fn is_empty(&self) -> bool {
        self.response.is_empty()
    }

    /// How many cells there are, empty ones included.
    pub fn all_cells(&self) -> u64 {
        self.codes.iter().map(|codes| codes.dimension.hierarchy.len() as u64).product()
    }

    /// The value of a cell, as an amount.
    pub fn value(&self, cell: CellId) -> f64 {
        units::to_f64(self.response.values()[cell.index()], self.response.decimals())
    }

    /// How many contribute to a cell: holdings where rules look at them, respondents otherwise; one where nobody counted.
    pub fn contributors(&self, cell: CellId) -> u64 {
        let table = self.judged();
        if !self.counted {
            return table.respondents().count(cell).min(1);
        }
        table.holdings().unwrap_or(table.respondents()).count(cell)
    }

    /// How many respondents contribute to a cell; one where nobody counted.
    pub fn respondents(&self, cell: CellId) -> u64 {
        let count = self.judged().respondents().count(cell);
        if self.counted { count } else { count.min(1) }
    }

    /// What withholding a cell costs, lambda applied.
    pub fn cost(&self, cell: CellId) -> f64 {
        let cost = self.costs[cell.index()];
        if self.specify.lambda <= 0.0 {
            (cost + 1.0).ln()
        } else if self.specify.lambda < 1.0 {
            cost.powf(self.specify.lambda)
        } else {
            cost
        }
    }

    /// Costs as the whole numbers of a JJ file: 20 000 for the largest, 1 at least.
    pub fn scaled_cost(&self, cell: CellId, largest: f64) -> f64 {
        if self.specify.cost == CostSpec::Unity || largest <= 0.0 {
            return 1.0;
        }
        (self.cost(cell) * 20_000.0 / largest).round().max(1.0)
    }

    /// The largest cost of a cell.
    pub fn largest_cost(&self) -> f64 {
        (0..self.len()).map(|at| self.cost(CellId::at(at))).fold(0.0, f64::max)
    }

    /// The smallest amount that is written: no level is smaller.
    pub fn step(&self) -> f64 {
        10_f64.powi(-i32::from(self.decimals))
    }

    /// Applies the rules anew; statuses by hand are forgotten.
    ///
    /// # Errors
    /// [`RuleError`] if a rule does not fit the table.
    pub fn judge(&mut self) -> Result<(), RuleError> {
        self.original = primary::judge(self)?;
        self.states.clone_from(&self.original);
        Ok(())
    }

    /// The cell of some codes, if it exists.
    pub fn find(&self, key: &[CodeId]) -> Option<CellId> {
        self.response.find(key)
    }

    /// The status of a cell that may not exist.
    pub fn status(&self, cell: Option<CellId>) -> CellStatus {
        cell.map_or(CellStatus::Empty, |cell| self.states[cell.index()].status)
    }

    /// Everything added up by status.
    pub fn summary(&self) -> Vec<(CellStatus, Sums)> {
        let mut sums: Vec<(CellStatus, Sums)> =
            CellStatus::ALL.into_iter().map(|status| (status, Sums::default())).collect();
        for cell in (0..self.len()).map(CellId::at) {
            let status = self.states[cell.index()].status;
            if let Some((_, sum)) = sums.iter_mut().find(|(one, _)| *one == status) {
                sum.cells += 1;
                sum.respondents += self.respondents(cell);
                sum.response += self.value(cell);
                sum.cost += self.costs[cell.index()];
            }
        }
        if let Some((_, empty)) = sums.last_mut() {
            empty.cells += self.all_cells() - self.len() as u64;
        }
        sums
    }

    /// How many cells have a status.
    pub fn count(&self, is: impl Fn(CellStatus) -> bool) -> usize {
        self.states.iter().filter(|state| is(state.status)).count()
    }

    /// Undoes an earlier protection: secondaries that nobody asked for are safe again, and values are the true ones.
    pub fn unprotect(&mut self) {
        self.adjusted = None;
        for state in &mut self.states {
            if state.status == CellStatus::Secondary {
                *state = CellState::safe(CellStatus::Safe);
            }
        }
    }

    /// The combinations of all codes, empty cells included, row by row with the total first.
    pub fn keys(&self) -> impl Iterator<Item = Vec<CodeId>> + '_ {
        let sizes: Vec<u64> =
            self.codes.iter().map(|codes| codes.dimension.hierarchy.len() as u64).collect();
        (0..self.all_cells()).map(move |mut number| {
            let mut key = vec![0; sizes.len()];
            for (code, size) in key.iter_mut().zip(&sizes).rev() {
                *code = (number % size) as CodeId;
                number /= size;
            }
            key
        })
    }
}
