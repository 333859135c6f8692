//! The pq (prior–posterior) rule: does the cell tell too much more about the largest respondent than was known before?
//!
//! Before publication everybody knows every respondent to within `q` per cent. A coalition of the `n` next largest subtracts
//! itself from the cell; what it does not know of the rest leaves `x₁` uncertain by `q/100 · (X − x₁ − … − xₙ₊₁)`. The cell
//! is sensitive when that is less than `p/100 · x₁`, and is protected by `p/q · x₁ + (x₁ + … + xₙ₊₁) − X`.

use crate::{Asks, By, Cell, Level, Percent, Rule, RuleError, Values};
use cellveil_core::Reason;
use serde::{Deserialize, Serialize};

/// The pq rule.
///
/// ```
/// use cellveil_rules::{Record, RuleSet, one_cell};
/// let rules: RuleSet = toml::from_str("pq = { p = 10, q = 50 }")?;
/// let table = one_cell(&[Record::of(100), Record::of(30), Record::of(15)], 0, 0)?;
/// assert_eq!(rules.judge(&table)?.needs[0].up, 5); // 10/50 · 100 − 15
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pq {
    /// How closely, in per cent, nobody may know the largest contribution after publication.
    pub p: Percent,
    /// How closely, in per cent, everybody knows every contribution before.
    pub q: Percent,
    /// How many pool what they know; 1 unless given.
    #[serde(default = "one")]
    pub n: usize,
    /// Whose contributions are compared.
    #[serde(default)]
    pub by: By,
}

pub(crate) fn one() -> usize {
    1
}

impl Rule for Pq {
    fn reason(&self) -> Reason {
        Reason::Pq
    }

    fn check(&self) -> Result<(), RuleError> {
        check(self, self.p, self.n)?;
        RuleError::unless(self.q.is_positive_share(), self.name(), "q", "above 0 and at most 100")?;
        RuleError::unless(self.p <= self.q, self.name(), "p", "at most `q`")
    }

    fn asks(&self) -> Asks {
        asks(self.by, self.n)
    }

    fn judge(&self, cell: &Cell<'_>) -> Option<Level> {
        judge(cell, self.by, self.p, self.q, self.n)
    }
}

pub(crate) fn check(rule: &dyn Rule, p: Percent, n: usize) -> Result<(), RuleError> {
    RuleError::unless((1..=999).contains(&n), rule.name(), "n", "in 1..999")?;
    RuleError::unless(p.is_positive_share(), rule.name(), "p", "above 0 and at most 100")
}

pub(crate) fn asks(by: By, n: usize) -> Asks {
    Asks { by, top: n + 1, values: Values::NonNegative, ..Asks::default() }
}

/// Shared with the p% rule, which is the case `q = 100`.
pub(crate) fn judge(cell: &Cell<'_>, by: By, p: Percent, q: Percent, n: usize) -> Option<Level> {
    let (p, q) = (p.millionths(), q.millionths());
    let lack = p * cell.first(by) + q * (cell.largest(by, n + 1) - cell.total());
    (lack > 0).then(|| cell.level(lack, q))
}
