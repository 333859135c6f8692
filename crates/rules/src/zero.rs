//! The zero rule: does a zero tell that every one of its respondents has nothing?
//!
//! A cell with respondents and the value zero is sensitive. It is protected upwards only: nothing lies below.

use crate::{Amount, Asks, By, Cell, Level, Rule, RuleError, Values};
use cellveil_core::Reason;
use serde::{Deserialize, Serialize};

/// The zero rule.
///
/// ```
/// use cellveil_rules::{Record, RuleSet, one_cell};
/// let rules: RuleSet = toml::from_str("zero = { range = 5 }")?;
/// let need = rules.judge(&one_cell(&[Record::of(0)], 0, 0)?)?.needs[0];
/// assert_eq!((need.down, need.up), (0, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zero {
    /// The protection level, as an amount.
    pub range: Amount,
}

impl Rule for Zero {
    fn reason(&self) -> Reason {
        Reason::Zero
    }

    fn check(&self) -> Result<(), RuleError> {
        RuleError::unless(!self.range.is_negative(), self.name(), "range", "at least 0")
    }

    fn asks(&self) -> Asks {
        Asks { values: Values::Amounts, ..Asks::default() }
    }

    fn judge(&self, cell: &Cell<'_>) -> Option<Level> {
        let sensitive = cell.value() == 0 && cell.count(By::Respondent) > 0;
        sensitive.then(|| Level { down: 0, up: self.range.units(cell.table().decimals()).max(1) })
    }
}
