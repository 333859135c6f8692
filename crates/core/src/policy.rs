//! What protecting a table is to mean: from a table and its needs to a problem.

use crate::{
    CellId, NO_LOWER, NO_UPPER, Need, Needs, Problem, ProblemError, ProblemParts, Status, Table,
    units,
};

/// What withholding a cell costs.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    /// Its absolute value.
    Value,
    /// Its number of respondents.
    Respondents,
    /// One per cell.
    Unit,
}

/// What the intruder knows of a withheld cell beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Knowledge {
    /// Every value up to this many per cent of itself, if anything.
    pub percent: Option<f64>,
}

/// What protecting a table is to mean, beyond its sensitive cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// What withholding a cell costs.
    pub cost: Cost,
    /// The power to which costs are raised, from 0 to 1; 0 takes their logarithm, `None` leaves them as they are.
    pub lambda: Option<f64>,
    /// How many times as much cells cost that are totals of others; 1 for no difference.
    pub margins: f64,
    /// What intruders know beforehand.
    pub knowledge: Knowledge,
    /// Whether the only contributor of a cell is an intruder too.
    pub singletons: bool,
    /// How wide the interval of every withheld cell must be, in units; 0 if nothing is asked of secondaries.
    pub width: i64,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            cost: Cost::Value,
            lambda: None,
            margins: 1.0,
            knowledge: Knowledge::default(),
            singletons: false,
            width: 0,
        }
    }
}

impl Policy {
    /// What withholding a cell costs, but for the factor of margins.
    pub fn cost_of(&self, table: &Table, cell: CellId) -> f64 {
        transformed(cost_of(table, &self.cost, cell), self.lambda)
    }
}

impl Problem {
    /// The problem of protecting a table: needs from the rules, costs and the intruder's knowledge as asked.
    ///
    /// Values below nothing are impossible in a table without negative values, and the intruder knows it. A level that
    /// would reach below that bound stops there. `frozen` cells are published whatever it costs.
    ///
    /// # Errors
    /// [`ProblemError`] if a need names no cell of the table.
    pub fn from_table(
        table: &Table,
        needs: &Needs,
        frozen: &[CellId],
        policy: &Policy,
    ) -> Result<Self, ProblemError> {
        let cells = table.len();
        let values = table.values().to_vec();
        let floor = if values.iter().any(|&v| v < 0) { NO_LOWER } else { 0 };
        let (lower, upper): (Vec<i64>, Vec<i64>) =
            values.iter().map(|&value| known_bounds(value, floor, policy.knowledge)).unzip();
        let needs = Needs::new(needs.iter().map(|need| capped(*need, &values, &lower)).collect());
        let mut status = vec![Status::Free; cells];
        for cell in frozen {
            status[cell.index()] = Status::Frozen;
        }
        for need in &needs {
            if let Some(slot) = status.get_mut(need.cell.index()) {
                *slot = Status::Sensitive;
            }
        }
        let costs = costs_of(table, policy);
        let singletons = if policy.singletons { table.singletons() } else { Vec::new() };
        let parts = ProblemParts {
            decimals: table.decimals(),
            values,
            costs,
            lower,
            upper,
            status,
            needs,
            relations: table.relations().clone(),
            names: table.names().clone(),
            singletons,
            width: policy.width,
        };
        Self::new(parts, table.tolerance())
    }
}

/// The interval the intruder knows a value to lie in, rounded inwards: a stronger intruder is the safer assumption.
fn known_bounds(value: i64, floor: i64, knowledge: Knowledge) -> (i64, i64) {
    match knowledge.percent {
        None => (floor, NO_UPPER),
        Some(percent) => {
            let reach = (percent / 100.0 * value.unsigned_abs() as f64).floor() as i64;
            (value.saturating_sub(reach).max(floor), value.saturating_add(reach))
        }
    }
}

/// Nothing lies below the lower bound, so a need that reaches there asks for the bound itself.
fn capped(need: Need, values: &[i64], lower: &[i64]) -> Need {
    let Some((&value, &lower)) = values.get(need.cell.index()).zip(lower.get(need.cell.index()))
    else {
        return need;
    };
    let room = if lower == NO_LOWER { i64::MAX } else { value - lower };
    Need { down: need.down.min(room), ..need }
}

/// What withholding each cell costs.
fn costs_of(table: &Table, policy: &Policy) -> Vec<f64> {
    let mut costs: Vec<f64> =
        (0..table.len()).map(|at| policy.cost_of(table, CellId::at(at))).collect();
    if (policy.margins - 1.0).abs() > f64::EPSILON {
        let relations = table.relations();
        let mut totals: Vec<CellId> = (0..relations.len())
            .filter(|&relation| relations.is_sum(relation))
            .filter_map(|relation| relations.total(relation))
            .collect();
        totals.sort_unstable();
        totals.dedup();
        for total in totals {
            costs[total.index()] *= policy.margins;
        }
    }
    costs
}

fn cost_of(table: &Table, cost: &Cost, cell: CellId) -> f64 {
    match cost {
        Cost::Value => units::to_f64(table.values()[cell.index()], table.decimals()).abs(),
        Cost::Respondents => table.respondents().count(cell) as f64,
        Cost::Unit => 1.0,
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
