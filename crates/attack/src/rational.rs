//! Fractions of 128-bit whole numbers that notice when they overflow.

/// `numerator / denominator`, reduced, with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rational {
    pub(crate) numerator: i128,
    pub(crate) denominator: i128,
}

pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(i128::MAX)
}

impl Rational {
    pub(crate) const ZERO: Self = Self { numerator: 0, denominator: 1 };

    pub(crate) fn whole(numerator: i128) -> Self {
        Self { numerator, denominator: 1 }
    }

    /// `numerator / denominator`; `None` if the denominator is 0 or a sign change overflows.
    pub(crate) fn new(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let common = gcd(numerator, denominator).max(1) * denominator.signum();
        Some(Self {
            numerator: numerator.checked_div(common)?,
            denominator: denominator.checked_div(common)?,
        })
    }

    /// `self − factor · other`, for a whole factor.
    pub(crate) fn minus_times(self, factor: i128, other: Self) -> Option<Self> {
        let common = gcd(self.denominator, other.denominator);
        let left = self.numerator.checked_mul(other.denominator / common)?;
        let right = factor.checked_mul(other.numerator)?.checked_mul(self.denominator / common)?;
        Self::new(
            left.checked_sub(right)?,
            self.denominator.checked_mul(other.denominator / common)?,
        )
    }

    /// `self / divisor`, for a whole divisor.
    pub(crate) fn over(self, divisor: i128) -> Option<Self> {
        let common = gcd(self.numerator, divisor).max(1);
        Self::new(self.numerator / common, self.denominator.checked_mul(divisor / common)?)
    }
}
