//! How large the records are, and so which units their table is held in.

use crate::Record;
use crate::amount::{AMOUNT_DECIMALS, divide, units_of_amount};
use cellveil_core::units::pow10;

/// No sum of a table may be larger, so that rounding up cannot leave 64 bits.
const LARGEST_SUM: i128 = 9_000_000_000_000_000_000;

/// Decimals of a product of two amounts.
const PRODUCT_DECIMALS: u8 = 2 * AMOUNT_DECIMALS;

/// What a first look at all records has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The number of records.
    pub records: u64,
    /// The most decimals of a response.
    pub response_decimals: u8,
    /// The most decimals of a weight.
    pub weight_decimals: u8,
    /// `Σ |x|` as an amount.
    pub response: i128,
    /// `Σ w` as an amount.
    pub weight: i128,
    /// `Σ |w·x|`, in 10⁻¹⁸.
    pub product: i128,
}

/// The units of a table: how many decimals each kind of number has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Units {
    /// Of a single contribution.
    pub contribution: u8,
    /// Of a weight.
    pub weight: u8,
    /// Of a cell's value.
    pub value: u8,
}

impl Units {
    /// A record in these units; both numbers are amounts. `None` if one does not fit.
    ///
    /// Weight times response is exact up to the decimals of a value, and rounded once where those are fewer.
    pub fn record(self, response: i128, weight: i128, request: Option<usize>) -> Option<Record> {
        let response = units_of_amount(response, self.contribution)?;
        let weight = units_of_amount(weight, self.weight)?;
        let value = divide(
            i128::from(response) * i128::from(weight),
            self.contribution + self.weight - self.value,
        );
        Some(Record { response, weight, value, request, number: 0 })
    }
}

impl Extent {
    /// Looks at one record; both numbers are amounts.
    pub fn add(&mut self, response: i128, weight: i128) {
        self.records += 1;
        self.response_decimals = self.response_decimals.max(decimals_of(response));
        self.weight_decimals = self.weight_decimals.max(decimals_of(weight));
        self.response = self.response.saturating_add(response.abs());
        self.weight = self.weight.saturating_add(weight.abs());
        let product = response.saturating_mul(weight).saturating_abs();
        self.product = self.product.saturating_add(product);
    }

    /// Looks at records with whole responses and no weights; `sum` is that of their sizes.
    pub fn add_whole(&mut self, records: u64, sum: u128) {
        let one = pow10(AMOUNT_DECIMALS);
        let sum = i128::try_from(sum).unwrap_or(i128::MAX);
        self.records += records;
        self.response = self.response.saturating_add(sum.saturating_mul(one));
        self.weight = self.weight.saturating_add(i128::from(records).saturating_mul(one));
        let product = sum.saturating_mul(one).saturating_mul(one);
        self.product = self.product.saturating_add(product);
    }

    /// Joins what was found elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.records += other.records;
        self.response_decimals = self.response_decimals.max(other.response_decimals);
        self.weight_decimals = self.weight_decimals.max(other.weight_decimals);
        self.response = self.response.saturating_add(other.response);
        self.weight = self.weight.saturating_add(other.weight);
        self.product = self.product.saturating_add(other.product);
    }

    /// Whether the sums fit at all, be it without decimals.
    pub fn fits(&self) -> bool {
        let whole = |sum: i128, decimals: u8| sum / pow10(decimals) <= LARGEST_SUM;
        whole(self.response, AMOUNT_DECIMALS)
            && whole(self.weight, AMOUNT_DECIMALS)
            && whole(self.product, PRODUCT_DECIMALS)
    }

    /// All decimals there are, fewer where the sums would not fit.
    pub fn units(&self) -> Units {
        let contribution = fitting(self.response, AMOUNT_DECIMALS, self.response_decimals);
        let weight = fitting(self.weight, AMOUNT_DECIMALS, self.weight_decimals);
        Units {
            contribution,
            weight,
            value: fitting(self.product, PRODUCT_DECIMALS, contribution + weight),
        }
    }
}

/// The largest number of decimals, `wanted` at most, with which a sum fits; 0 if none does.
fn fitting(sum: i128, held: u8, wanted: u8) -> u8 {
    (0..=wanted).rev().find(|&decimals| sum / pow10(held - decimals) <= LARGEST_SUM).unwrap_or(0)
}

fn decimals_of(amount: i128) -> u8 {
    let mut decimals = AMOUNT_DECIMALS;
    let mut rest = amount;
    while decimals > 0 && rest % 10 == 0 {
        rest /= 10;
        decimals -= 1;
    }
    decimals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::{AmountFault, amount_of_text};

    fn units(records: &[(&str, &str)]) -> Result<Units, AmountFault> {
        let mut extent = Extent::default();
        for (response, weight) in records {
            extent.add(amount_of_text(response)?, amount_of_text(weight)?);
        }
        Ok(extent.units())
    }

    #[test]
    fn as_many_decimals_as_seen() -> Result<(), AmountFault> {
        assert_eq!(
            units(&[("3", "1"), ("2.50", "1")])?,
            Units { contribution: 1, weight: 0, value: 1 }
        );
        assert_eq!(units(&[("2.25", "1.5")])?, Units { contribution: 2, weight: 1, value: 3 });
        assert_eq!(units(&[("0", "1")])?, Units::default());
        Ok(())
    }

    #[test]
    fn whole_numbers_count_like_any_others() {
        let (mut one_by_one, mut at_once) = (Extent::default(), Extent::default());
        for amount in [7, -3, 0] {
            one_by_one.add(amount * pow10(AMOUNT_DECIMALS), pow10(AMOUNT_DECIMALS));
        }
        at_once.add_whole(3, 10);
        assert_eq!(one_by_one, at_once);
    }

    #[test]
    fn fewer_decimals_where_the_sums_would_not_fit() -> Result<(), AmountFault> {
        assert_eq!(units(&[("8000000000000000.123456789", "1")])?.contribution, 3);
        assert_eq!(
            units(&[("8000000000000000000.5", "1"), ("8000000000000000000", "1")])?.contribution,
            0
        );
        let product = units(&[("1000000000.123456789", "1000.5")])?;
        assert_eq!(product, Units { contribution: 9, weight: 1, value: 6 });
        Ok(())
    }
}
