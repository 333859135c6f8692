//! The (n,k)-dominance rule: do the largest respondents make up nearly all of the cell?
//!
//! The cell is sensitive when `x₁ + … + xₙ > k/100 · X`. It is protected up to the value at which it would no longer be
//! sensitive: by `100/k · (x₁ + … + xₙ) − X`.

use crate::{Asks, By, Cell, Level, Percent, Rule, RuleError, Values};
use cellveil_core::Reason;
use serde::{Deserialize, Serialize};

/// The (n,k)-dominance rule.
///
/// ```
/// use cellveil_rules::{Record, RuleSet, one_cell};
/// let rules: RuleSet = toml::from_str("dominance = { n = 1, k = 80 }")?;
/// let table = one_cell(&[Record::of(90), Record::of(10)], 0, 0)?;
/// assert_eq!(rules.judge(&table)?.needs[0].up, 13); // 90 / 0.8 = 112.5
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dominance {
    /// How many of the largest are added up.
    pub n: usize,
    /// The share, in per cent, above which they dominate.
    pub k: Percent,
    /// Whose contributions are compared.
    #[serde(default)]
    pub by: By,
}

impl Rule for Dominance {
    fn reason(&self) -> Reason {
        Reason::Dominance
    }

    fn check(&self) -> Result<(), RuleError> {
        RuleError::unless((1..=1000).contains(&self.n), self.name(), "n", "in 1..1000")?;
        RuleError::unless(self.k.is_positive_share(), self.name(), "k", "above 0 and at most 100")
    }

    fn asks(&self) -> Asks {
        Asks { by: self.by, top: self.n, values: Values::NonNegative, ..Asks::default() }
    }

    fn judge(&self, cell: &Cell<'_>) -> Option<Level> {
        let k = self.k.millionths();
        let excess =
            Percent::HUNDRED.millionths() * cell.largest(self.by, self.n) - k * cell.total();
        (excess > 0).then(|| cell.level(excess, k))
    }
}
