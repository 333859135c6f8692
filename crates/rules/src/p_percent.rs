//! The p% rule: can the second-largest respondent estimate the largest too well?
//!
//! Knowing its own `x₂`, it bounds `x₁` by `X − x₂`, off by the remainder `r = X − x₁ − x₂`. The cell is sensitive when
//! `r < p/100 · x₁`, and is protected by `p/100 · x₁ − r`. With a coalition of `n`, `x₂ … xₙ₊₁` subtract themselves together.

use crate::{Asks, By, Cell, Level, Percent, Rule, RuleError, pq};
use cellveil_core::Reason;
use serde::{Deserialize, Serialize};

/// The p% rule.
///
/// ```
/// use cellveil_rules::{Record, RuleSet, one_cell};
/// let rules: RuleSet = toml::from_str("p_percent = { p = 10 }")?;
/// let table = one_cell(&[Record::of(90), Record::of(10), Record::of(5)], 0, 0)?;
/// assert_eq!(rules.judge(&table)?.needs[0].up, 4); // 9 − 5
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PPercent {
    /// How closely, in per cent, nobody may estimate the largest contribution.
    pub p: Percent,
    /// How many pool what they know; 1 unless given.
    #[serde(default = "pq::one")]
    pub n: usize,
    /// Whose contributions are compared.
    #[serde(default)]
    pub by: By,
}

impl Rule for PPercent {
    fn reason(&self) -> Reason {
        Reason::PPercent
    }

    fn check(&self) -> Result<(), RuleError> {
        pq::check(self, self.p, self.n)
    }

    fn asks(&self) -> Asks {
        pq::asks(self.by, self.n)
    }

    fn judge(&self, cell: &Cell<'_>) -> Option<Level> {
        pq::judge(cell, self.by, self.p, Percent::HUNDRED, self.n)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]
    use crate::{Record, RuleSet, one_cell};

    #[test]
    fn the_published_example_comes_out() {
        let rules: RuleSet = toml::from_str("p_percent = { p = 15 }").unwrap();
        let hundredths = [11401, 145, 142, 140, 140].map(|value| Record::of(value * 100));
        let need = rules.judge(&one_cell(&hundredths, 2, 0).unwrap()).unwrap().needs[0];
        assert_eq!((need.down, need.up), (128_815, 128_815));
        let rounded = |hundredths: i64| (hundredths + 50) / 100;
        assert_eq!(
            (rounded(1_196_800 - need.down), rounded(1_196_800 + need.up)),
            (10_680, 13_256)
        );
    }

    #[test]
    fn the_level_is_rounded_up_to_whole_units() {
        let rules: RuleSet = toml::from_str("p_percent = { p = 15 }").unwrap();
        let table = one_cell(&[11401, 145, 142, 140, 140].map(Record::of), 0, 0).unwrap();
        assert_eq!(rules.judge(&table).unwrap().needs[0].up, 1289);
    }
}
