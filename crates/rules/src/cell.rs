//! One cell as the rules see it.
//!
//! With weights, rules look at a virtual population in which a contribution of weight `w` stands `w` times; `w` need not be
//! whole. All amounts given out here are in one *fine unit*, small enough for values and weighted contributions alike.

use crate::number::saturate;
use crate::{By, Level, Percent, RuleError};
use cellveil_core::units::pow10;
use cellveil_core::{CellId, Contributors, Table};

/// Amounts below this leave room in 128 bits for a percentage in millionths and a sum of a thousand of them.
const LIMIT: u128 = 1 << 88;

/// How the table's own units relate to the fine unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Fine units in a unit of a value.
    value: i128,
    /// Fine units in a unit of a contribution times a unit of a weight.
    contribution: i128,
    /// A weight of one.
    one: i128,
}

impl Scale {
    pub(crate) fn of(table: &Table) -> Self {
        let weight = table.weighted().map_or(0, |weighted| weighted.decimals);
        let product = table.contribution_decimals() + weight;
        let finest = product.max(table.decimals());
        Self {
            value: pow10(finest - table.decimals()),
            contribution: pow10(finest - product),
            one: pow10(weight),
        }
    }
}

/// One cell of a table, with its contributors.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    table: &'a Table,
    id: CellId,
    scale: Scale,
}

impl<'a> Cell<'a> {
    /// One cell of a table, to be judged outside of a rule set.
    ///
    /// # Errors
    /// [`RuleError::TooLarge`] if its amounts are too large for exact comparisons.
    pub fn of(table: &'a Table, id: CellId) -> Result<Self, RuleError> {
        Self::new(table, id, Scale::of(table))
    }

    /// Takes up a cell whose amounts are small enough for exact comparisons.
    pub(crate) fn new(table: &'a Table, id: CellId, scale: Scale) -> Result<Self, RuleError> {
        let cell = Self { table, id, scale };
        if cell.is_small_enough() {
            Ok(cell)
        } else {
            Err(RuleError::TooLarge { cell: table.names().describe(id).to_string() })
        }
    }

    fn is_small_enough(&self) -> bool {
        let small = |amount: u128, scale: i128| {
            amount.max(1).checked_mul(scale.unsigned_abs()).is_some_and(|product| product < LIMIT)
        };
        let contributions = |contributors: &Contributors| {
            contributors.top(self.id).iter().all(|c| {
                let weight = u128::from(c.weight.unsigned_abs()).max(self.scale.one.unsigned_abs());
                small(u128::from(c.value.unsigned_abs()) * weight, self.scale.contribution)
            })
        };
        let asked = self.table.requests().map_or([None; 2], |requests| requests[self.id.index()]);
        let requests = asked.iter().flatten().all(|value| {
            small(
                u128::from(value.unsigned_abs()) * self.scale.one.unsigned_abs(),
                self.scale.contribution,
            )
        });
        requests
            && small(u128::from(self.value().unsigned_abs()), self.scale.value)
            && contributions(self.table.respondents())
            && self.table.holdings().is_none_or(contributions)
    }

    /// The table the cell belongs to.
    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// Which cell it is.
    pub fn id(&self) -> CellId {
        self.id
    }

    /// Its value, in units of the table.
    pub fn value(&self) -> i64 {
        self.table.values()[self.id.index()]
    }

    /// How many contribute. No holdings where the table knows none: rules that need them are refused before.
    pub fn count(&self, by: By) -> u64 {
        self.contributors(by).map_or(0, |contributors| contributors.count(self.id))
    }

    /// The absolute value `X`, in fine units.
    pub fn total(&self) -> i128 {
        i128::from(self.value().unsigned_abs()) * self.scale.value
    }

    /// The value with its sign, in fine units.
    pub fn signed_total(&self) -> i128 {
        i128::from(self.value()) * self.scale.value
    }

    /// The largest single contribution `x₁`, without its weight, in fine units.
    pub fn first(&self, by: By) -> i128 {
        let top = self.contributors(by).and_then(|contributors| contributors.top(self.id).first());
        top.map_or(0, |first| self.single(first.value))
    }

    /// A single contribution, without its weight, in fine units.
    pub fn single(&self, value: i64) -> i128 {
        i128::from(value) * self.scale.one * self.scale.contribution
    }

    /// The sum of the `n` largest contributions of the (virtual) population, the last one in part, in fine units.
    ///
    /// Where weights below one leave fewer than `n` among the contributions the table keeps, the rest is taken to be as
    /// large as it can be: the verdict may be too strict, never too lax.
    pub fn largest(&self, by: By, n: usize) -> i128 {
        let Some(contributors) = self.contributors(by) else { return 0 };
        let top = contributors.top(self.id);
        let mut wanted = n as i128 * self.scale.one;
        let mut sum = 0;
        for contribution in top {
            let taken = wanted.min(i128::from(contribution.weight));
            sum += i128::from(contribution.value) * taken;
            wanted -= taken;
        }
        sum *= self.scale.contribution;
        let last = top.last().map_or(0, |last| i128::from(last.value));
        if wanted > 0 && contributors.count(self.id) > top.len() as u64 {
            sum += (last * wanted * self.scale.contribution).min((self.total() - sum).max(0));
        }
        sum
    }

    /// A level of `numerator / denominator` fine units on both sides, rounded up to units; one unit at least.
    pub fn level(&self, numerator: i128, denominator: i128) -> Level {
        let divisor = denominator * self.scale.value;
        Level::both(saturate((numerator + divisor - 1) / divisor).max(1))
    }

    /// A level of so many per cent of the absolute value on both sides; one unit at least.
    pub fn range(&self, percent: Percent) -> Level {
        self.level(self.total() * percent.millionths(), Percent::HUNDRED.millionths())
    }

    fn contributors(&self, by: By) -> Option<&'a Contributors> {
        match by {
            By::Respondent => Some(self.table.respondents()),
            By::Holding => self.table.holdings(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;
    use crate::{Record, one_cell};

    fn weighted(records: &[(i64, i64)], decimals: u8) -> Table {
        let records: Vec<Record> = records
            .iter()
            .map(|&(value, weight)| Record { weight: Some(weight), ..Record::of(value) })
            .collect();
        one_cell(&records, 0, decimals).unwrap()
    }

    fn cell(table: &Table) -> Cell<'_> {
        Cell::new(table, CellId(0), Scale::of(table)).unwrap()
    }

    #[test]
    fn a_contribution_of_weight_four_stands_four_times() {
        let table = weighted(&[(100, 4), (10, 7)], 0);
        let cell = cell(&table);
        assert_eq!((cell.total(), cell.first(By::Respondent)), (470, 100));
        assert_eq!((cell.largest(By::Respondent, 2), cell.largest(By::Respondent, 5)), (200, 410));
    }

    #[test]
    fn the_last_contribution_counts_in_part() {
        // 100 stands 1.5 times and 10 stands 2.5 times: the two largest are 100 and half of it and half of 10.
        let table = weighted(&[(100, 15), (10, 25)], 1);
        assert_eq!((cell(&table).total(), cell(&table).largest(By::Respondent, 2)), (1750, 1550));
    }

    #[test]
    fn unknown_contributions_are_taken_to_be_as_large_as_they_can_be() {
        use cellveil_core::{Contribution, Contributors};
        let all = weighted(&[(100, 5), (90, 5), (80, 5)], 1);
        let dimension = all.dimensions()[0].clone();
        let parts = cellveil_core::TableParts {
            dimensions: vec![dimension],
            keys: vec![0],
            response: Some("value".into()),
            decimals: 1,
            values: all.values().to_vec(),
            contribution_decimals: 0,
            respondents: Contributors::new(
                vec![3],
                1,
                vec![Contribution { value: 100, weight: 5 }],
            ),
            holdings: None,
            weighted: all.weighted().cloned(),
            requests: None,
            negative: None,
            tolerance: 0,
        };
        let table = Table::new(parts).unwrap();
        assert_eq!(cell(&all).largest(By::Respondent, 1), 950);
        assert_eq!(cell(&table).largest(By::Respondent, 1), 1000);
    }

    #[test]
    fn levels_are_rounded_up_and_never_zero() {
        let table = one_cell(&[Record::of(11)], 0, 0).unwrap();
        assert_eq!(cell(&table).range(Percent::whole(10)), Level::both(2));
        assert_eq!(cell(&table).range(Percent::ZERO), Level::both(1));
    }
}
