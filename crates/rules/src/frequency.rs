//! The minimum frequency rule: are there so few respondents that each is recognised?
//!
//! The cell is sensitive when `0 < f < below`. Counted are respondents, also in weighted tables: a sampled respondent is
//! recognised however many others it stands for. With `weighted` the sum of weights is counted instead.

use crate::{Asks, By, Cell, Level, Percent, Rule, RuleError};
use cellveil_core::Reason;
use cellveil_core::units::pow10;
use serde::{Deserialize, Serialize};

/// The minimum frequency rule.
///
/// ```
/// use cellveil_rules::{Record, RuleSet, one_cell};
/// let rules: RuleSet = toml::from_str("frequency = { below = 3, range = 10 }")?;
/// let table = one_cell(&[Record::of(60), Record::of(40)], 0, 0)?;
/// assert_eq!(rules.judge(&table)?.needs[0].up, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frequency {
    /// Fewer contributors than this make a cell sensitive.
    pub below: u64,
    /// The protection level, in per cent of the value; 10 unless given.
    #[serde(default = "ten")]
    pub range: Percent,
    /// Who is counted.
    #[serde(default)]
    pub by: By,
    /// Whether weights are counted rather than respondents.
    #[serde(default)]
    pub weighted: bool,
}

/// The level of rules that say nothing about distances themselves.
pub(crate) fn ten() -> Percent {
    Percent::whole(10)
}

impl Rule for Frequency {
    fn reason(&self) -> Reason {
        Reason::Frequency
    }

    fn check(&self) -> Result<(), RuleError> {
        RuleError::unless(self.below >= 1, self.name(), "below", "at least 1")?;
        RuleError::unless(self.range.is_share(), self.name(), "range", "in 0..100")?;
        RuleError::unless(
            !self.weighted || self.by == By::Respondent,
            self.name(),
            "weighted",
            "off by holding",
        )
    }

    fn asks(&self) -> Asks {
        Asks { by: self.by, weights: self.weighted, ..Asks::default() }
    }

    fn judge(&self, cell: &Cell<'_>) -> Option<Level> {
        let (count, one) = match cell.table().weighted() {
            Some(weighted) if self.weighted => {
                (i128::from(weighted.counts[cell.id().index()]), pow10(weighted.decimals))
            }
            _ => (i128::from(cell.count(self.by)), 1),
        };
        let too_few = 0 < count && count < i128::from(self.below) * one;
        too_few.then(|| cell.range(self.range))
    }
}
