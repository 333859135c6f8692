//! Amounts as whole numbers of a smallest unit.
//!
//! A value with `d` decimals is held as `value · 10^d`, so that sums are exact. Data without a finite number of decimals
//! is rounded once, on the way in, to a unit that its reader states; from there on everything is exact again.

use std::fmt;

/// The most decimals a unit may have.
pub const MAX_DECIMALS: u8 = 18;

/// `10^exponent`.
///
/// # Panics
/// Never for `exponent ≤ 38`.
pub fn pow10(exponent: u8) -> i128 {
    10_i128.pow(u32::from(exponent))
}

/// A decimal number as written: `mantissa · 10^-decimals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// All digits, as one whole number.
    pub mantissa: i128,
    /// How many of them stand after the point.
    pub decimals: u8,
}

impl Decimal {
    /// Reads `12`, `-3.50`, `1e3` or `2.5E-2`; trailing zeros after the point do not count as decimals.
    ///
    /// Returns `None` for anything else, for `NaN`, infinities, and for numbers with more than 30 digits.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (number, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, digits) = match number.as_bytes().first()? {
            b'-' => (true, &number[1..]),
            b'+' => (false, &number[1..]),
            _ => (false, number),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut mantissa: i128 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            if !digit.is_ascii_digit() || mantissa >= pow10(36) {
                return None;
            }
            mantissa = mantissa * 10 + i128::from(digit - b'0');
        }
        let mut decimals = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        while decimals > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            decimals -= 1;
        }
        if mantissa == 0 {
            decimals = 0;
        }
        if decimals < 0 {
            mantissa = mantissa.checked_mul(10_i128.checked_pow(decimals.unsigned_abs())?)?;
            decimals = 0;
        }
        let decimals = u8::try_from(decimals).ok().filter(|&d| d <= 36)?;
        Some(Self { mantissa: if negative { -mantissa } else { mantissa }, decimals })
    }

    /// The same amount in units of `10^-decimals`, if it is a whole number of them that fits.
    pub fn units(self, decimals: u8) -> Option<i64> {
        let shift = decimals.checked_sub(self.decimals)?;
        i64::try_from(self.mantissa.checked_mul(10_i128.checked_pow(u32::from(shift))?)?).ok()
    }

    /// The same amount in units of `10^-decimals`, rounded to the nearest unit, halves away from zero.
    pub fn rounded_units(self, decimals: u8) -> Option<i64> {
        if self.decimals <= decimals {
            return self.units(decimals);
        }
        let divisor = pow10(self.decimals - decimals);
        let half = divisor / 2;
        let rounded = (self.mantissa.abs() + half) / divisor;
        i64::try_from(if self.mantissa < 0 { -rounded } else { rounded }).ok()
    }
}

/// The amount as a floating-point number; the nearest one where the amount has no exact form.
pub fn to_f64(units: i64, decimals: u8) -> f64 {
    units as f64 / 10_f64.powi(i32::from(decimals))
}

/// The smallest whole number of units that is at least `amount` units, a hair of rounding noise forgiven.
///
/// Protection levels are computed in floating point and rounded up, so that the level kept is never below the level asked.
pub fn ceil_units(amount: f64) -> i64 {
    let nearest = amount.round();
    if (amount - nearest).abs() <= 1e-9 * nearest.abs().max(1.0) {
        nearest as i64
    } else {
        amount.ceil() as i64
    }
}

/// Shows an amount of units as a decimal number, with just the decimals of its unit.
pub fn display(units: i64, decimals: u8) -> impl fmt::Display {
    Shown { units, decimals }
}

struct Shown {
    units: i64,
    decimals: u8,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = (if self.units < 0 { "-" } else { "" }, self.units.unsigned_abs());
        if self.decimals == 0 {
            write!(f, "{sign}{size}")
        } else if let Some(scale) = 10_u64.checked_pow(self.decimals.into()) {
            write!(
                f,
                "{sign}{}.{:0width$}",
                size / scale,
                size % scale,
                width = usize::from(self.decimals)
            )
        } else {
            write!(f, "{sign}0.{size:0width$}", width = usize::from(self.decimals))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_without_loss() {
        let read = |text| Decimal::parse(text).map(|d| (d.mantissa, d.decimals));
        assert_eq!(read("12"), Some((12, 0)));
        assert_eq!(read(" -3.50 "), Some((-35, 1)));
        assert_eq!(read(".5"), Some((5, 1)));
        assert_eq!(read("1e3"), Some((1000, 0)));
        assert_eq!(read("2.5E-2"), Some((25, 3)));
        assert_eq!(read("0.000"), Some((0, 0)));
    }

    #[test]
    fn what_is_not_a_finite_number_is_refused() {
        for text in ["", "-", ".", "NaN", "inf", "1,5", "0x1", "1e", "12a", "--1"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn amounts_are_shown_with_their_decimals() {
        assert_eq!(display(-1234, 2).to_string(), "-12.34");
        assert_eq!(display(7, 3).to_string(), "0.007");
        assert_eq!(display(7, 0).to_string(), "7");
        assert_eq!(display(i64::MIN, 18).to_string(), "-9.223372036854775808");
        assert_eq!(display(-7, 20).to_string(), "-0.00000000000000000007");
    }

    #[test]
    fn levels_are_rounded_up_but_not_by_noise() {
        assert_eq!(ceil_units(3.000_000_000_001), 3);
        assert_eq!(ceil_units(3.001), 4);
        assert_eq!(ceil_units(2.999_999_999_999), 3);
    }
}
