//! Reads amounts exactly, whatever form they come in.
//!
//! An amount is held as a whole number of 10⁻⁹. What has more decimals is rounded here, once per contribution.

use crate::text::shorten;
use cellveil_core::units::{Decimal, pow10};
use thiserror::Error;

/// The number of decimals an amount is read with.
pub const AMOUNT_DECIMALS: u8 = 9;

/// Digits after the point beyond these cannot change an amount.
const DECIMALS_READ: usize = 18;

/// Why a field is not an amount. Never shows a number.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AmountFault {
    /// Nothing there.
    #[error("is empty where a number is needed; fill it in or remove the record")]
    Missing,
    /// Something else.
    #[error(
        "holds `{0}`, which is not a number; correct it (decimals follow a point), or name another column"
    )]
    Text(String),
    /// Something with digits, which may be an amount and is not shown.
    #[error("is not a number as it is written; use digits only, with a point before decimals")]
    Written,
    /// `NaN` or an infinity.
    #[error("is not a finite number; correct it or remove the record")]
    NotFinite,
    /// More than 18 digits before the point.
    #[error("is too large; give it in larger units, such as thousands")]
    TooLarge,
    /// A weight below zero.
    #[error("is a negative weight; weights must be zero or more")]
    NegativeWeight,
    /// A number with decimals where a count is needed.
    #[error("must be a whole number that is not negative")]
    NotACount,
}

/// Reads an amount from text.
///
/// # Errors
/// [`AmountFault`] if the text is not a finite number that fits.
pub fn amount_of_text(text: &str) -> Result<i128, AmountFault> {
    let text = text.trim();
    if text.is_empty() {
        return Err(AmountFault::Missing);
    }
    if let Some(decimal) = Decimal::parse(clip(text)) {
        return amount_of_decimal(decimal);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => amount_of_float(number),
        // `1e400` reads as infinite but is a number that is too large.
        Ok(_) if text.bytes().any(|byte| byte.is_ascii_digit()) => Err(AmountFault::TooLarge),
        Ok(_) => Err(AmountFault::NotFinite),
        Err(_) if text.chars().any(char::is_numeric) => Err(AmountFault::Written),
        Err(_) => Err(AmountFault::Text(shorten(text))),
    }
}

/// Reads an amount from a floating-point number: the shortest decimal that means the same number counts.
///
/// # Errors
/// [`AmountFault`] if the number is not finite or does not fit.
pub fn amount_of_float(number: f64) -> Result<i128, AmountFault> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if !number.is_finite() {
        return Err(AmountFault::NotFinite);
    }
    let mut scale = 1.0;
    for decimals in 0..=AMOUNT_DECIMALS {
        let units = (number * scale).round();
        if units.abs() >= EXACT {
            break;
        }
        #[expect(clippy::float_cmp, reason = "only the very same number will do")]
        if units / scale == number {
            return amount_of_decimal(Decimal { mantissa: units as i128, decimals });
        }
        scale *= 10.0;
    }
    let text = format!("{number}");
    Decimal::parse(clip(&text)).ok_or(AmountFault::TooLarge).and_then(amount_of_decimal)
}

/// Rounds a decimal number to an amount.
///
/// # Errors
/// [`AmountFault::TooLarge`] if it does not fit.
pub fn amount_of_decimal(decimal: Decimal) -> Result<i128, AmountFault> {
    let amount = if decimal.decimals <= AMOUNT_DECIMALS {
        decimal
            .mantissa
            .checked_mul(pow10(AMOUNT_DECIMALS - decimal.decimals))
            .ok_or(AmountFault::TooLarge)?
    } else {
        divide(decimal.mantissa, decimal.decimals - AMOUNT_DECIMALS)
    };
    if amount.abs() >= pow10(AMOUNT_DECIMALS) * i128::from(i64::MAX) {
        Err(AmountFault::TooLarge)
    } else {
        Ok(amount)
    }
}

/// An amount in units of `10^-decimals`, halves away from zero.
pub fn units_of_amount(amount: i128, decimals: u8) -> Option<i64> {
    i64::try_from(divide(amount, AMOUNT_DECIMALS - decimals)).ok()
}

/// Divides by a power of ten, halves away from zero.
pub(crate) fn divide(number: i128, power: u8) -> i128 {
    let divisor = pow10(power);
    let (whole, rest) = (number / divisor, number % divisor);
    if rest.abs() * 2 >= divisor && power > 0 { whole + number.signum() } else { whole }
}

/// Cuts decimals that cannot matter off a number without exponent.
fn clip(text: &str) -> &str {
    let digits = |tail: &str| tail.bytes().all(|byte| byte.is_ascii_digit());
    match text.find('.') {
        Some(point) if text.len() - point > DECIMALS_READ + 1 && digits(&text[point + 1..]) => {
            &text[..=point + DECIMALS_READ]
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_floats_give_the_same_amounts() -> Result<(), AmountFault> {
        for number in [
            0.0,
            1.0,
            -2.5,
            0.1,
            1234.56,
            1e-7,
            5e-10,
            4e-10,
            1e15,
            0.3,
            123_456.789_012_345,
            1e-300,
        ] {
            assert_eq!(amount_of_float(number)?, amount_of_text(&number.to_string())?, "{number}");
            assert_eq!(
                amount_of_float(number)?,
                amount_of_text(&format!("{number:e}"))?,
                "{number}"
            );
        }
        Ok(())
    }

    #[test]
    fn noise_beyond_nine_decimals_is_rounded_away() {
        assert_eq!(amount_of_float(0.1 + 0.2), Ok(300_000_000));
        assert_eq!(
            amount_of_text("0.30000000000000000000000000000000000000000000004"),
            Ok(300_000_000)
        );
        assert_eq!(amount_of_text("-0.0000000005"), Ok(-1));
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        assert_eq!(amount_of_text(" "), Err(AmountFault::Missing));
        assert_eq!(amount_of_text("12a"), Err(AmountFault::Written));
        assert_eq!(amount_of_text("1,5"), Err(AmountFault::Written));
        for text in ["NaN", "inf", "-Infinity"] {
            assert_eq!(amount_of_text(text), Err(AmountFault::NotFinite), "{text}");
        }
        for text in ["1e400", "1e30", "9223372036854775807"] {
            assert_eq!(amount_of_text(text), Err(AmountFault::TooLarge), "{text}");
        }
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!(units_of_amount(2_500_000_000, 0), Some(3));
        assert_eq!(units_of_amount(-2_500_000_000, 0), Some(-3));
        assert_eq!(units_of_amount(-2_499_999_999, 0), Some(-2));
    }
}
