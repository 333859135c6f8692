//! Numbers as job files write them, whole or with decimals, kept exactly.

use cellveil_core::units::{Decimal, pow10};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// The decimals of a percentage that count.
const DECIMALS: u8 = 6;

/// A percentage, exact to six decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(i64);

impl Percent {
    /// Nothing.
    pub const ZERO: Self = Self::whole(0);
    /// All.
    pub const HUNDRED: Self = Self::whole(100);

    /// A whole number of per cents.
    pub const fn whole(percent: u8) -> Self {
        Self(percent as i64 * 1_000_000)
    }

    /// How many millionths of a per cent it is: the number that enters comparisons.
    pub fn millionths(self) -> i128 {
        i128::from(self.0)
    }

    /// Whether it lies in 0..=100.
    pub fn is_share(self) -> bool {
        (Self::ZERO..=Self::HUNDRED).contains(&self)
    }

    /// Whether it is above 0 and at most 100.
    pub fn is_positive_share(self) -> bool {
        self.is_share() && self != Self::ZERO
    }
}

impl<'de> Deserialize<'de> for Percent {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = from.deserialize_any(Number)?;
        number
            .rounded_units(DECIMALS)
            .map(Self)
            .ok_or_else(|| de::Error::custom("the percentage is too large"))
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serialize_number(Decimal { mantissa: self.millionths(), decimals: DECIMALS }, to)
    }
}

/// An amount in the measure of the table's values, not in its smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount(Decimal);

impl Amount {
    /// A whole amount.
    pub fn whole(amount: i64) -> Self {
        Self(Decimal { mantissa: i128::from(amount), decimals: 0 })
    }

    /// The amount in units of `10^-decimals`, rounded up; as much as fits if it is larger than any table.
    pub fn units(self, decimals: u8) -> i64 {
        let Decimal { mantissa, decimals: own } = self.0;
        let units = if own <= decimals {
            mantissa.saturating_mul(pow10(decimals - own))
        } else {
            mantissa.div_euclid(pow10(own - decimals))
                + i128::from(mantissa.rem_euclid(pow10(own - decimals)) > 0)
        };
        saturate(units)
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.0.mantissa < 0
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Number).map(Self)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serialize_number(self.0, to)
    }
}

/// A level in units. A quarter of the range is beyond every table and leaves room to add to a value.
pub(crate) fn saturate(units: i128) -> i64 {
    const FAR: i64 = i64::MAX / 4;
    i64::try_from(units.clamp(-i128::from(FAR), i128::from(FAR))).unwrap_or(FAR)
}

fn serialize_number<S: Serializer>(number: Decimal, to: S) -> Result<S::Ok, S::Error> {
    let scale = pow10(number.decimals);
    match i64::try_from(number.mantissa / scale) {
        Ok(whole) if number.mantissa % scale == 0 => to.serialize_i64(whole),
        _ => to.serialize_f64(number.mantissa as f64 / scale as f64),
    }
}

/// Reads a whole number or one with decimals. Floats are read by their shortest decimal form, which is what was written.
struct Number;

impl Visitor<'_> for Number {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Decimal, E> {
        Ok(Decimal { mantissa: i128::from(number), decimals: 0 })
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Decimal, E> {
        Ok(Decimal { mantissa: i128::from(number), decimals: 0 })
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Decimal, E> {
        Decimal::parse(&number.to_string())
            .ok_or_else(|| E::custom("the number is not finite or has too many digits"))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[derive(Deserialize, Serialize)]
    struct Both {
        percent: Percent,
        amount: Amount,
    }

    #[test]
    fn numbers_are_read_whole_or_with_decimals_and_written_back_alike() {
        let text = "percent = 12.5\namount = 7\n";
        let both: Both = toml::from_str(text).unwrap();
        assert_eq!(both.percent.millionths(), 12_500_000);
        assert_eq!(toml::to_string(&both).unwrap(), text);
    }

    #[test]
    fn amounts_become_units_rounded_up() {
        let both: Both = toml::from_str("percent = 1\namount = 0.25").unwrap();
        assert_eq!((both.amount.units(2), both.amount.units(1), both.amount.units(0)), (25, 3, 1));
        assert_eq!(Amount::whole(5).units(2), 500);
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        assert!(toml::from_str::<Both>("percent = nan\namount = 1").is_err());
        assert!(toml::from_str::<Both>("percent = 1\namount = inf").is_err());
    }
}
