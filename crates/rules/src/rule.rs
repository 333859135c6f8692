//! What every rule has in common.

use crate::{Cell, RuleError};
use cellveil_core::Reason;
use serde::{Deserialize, Serialize};

/// Who counts as one contributor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Every record.
    #[default]
    Respondent,
    /// All records of one holding in the cell together.
    Holding,
}

/// What to do about negative contributions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signed {
    /// Refuse the rules that assume there are none.
    #[default]
    Refuse,
    /// Judge absolute contributions against the absolute value of the cell. Positive and negative contributions that
    /// cancel make the cell look smaller than it is, so the verdict is indicative only, on the side of caution.
    Absolute,
}

/// How far below and above its value a cell must be protected, in units of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Below.
    pub down: i64,
    /// Above.
    pub up: i64,
}

impl Level {
    /// The same distance on both sides.
    pub fn both(distance: i64) -> Self {
        Self { down: distance, up: distance }
    }

    /// The larger distance of the two on each side.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { down: self.down.max(other.down), up: self.up.max(other.up) }
    }
}

/// What values a rule makes sense for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Values {
    /// Counts and amounts.
    #[default]
    Any,
    /// Amounts only.
    Amounts,
    /// Amounts to which nobody contributes less than zero.
    NonNegative,
}

/// What a rule needs to find in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// Whose contributions it looks at.
    pub by: By,
    /// How many of the largest contributions it looks at.
    pub top: usize,
    /// What values it makes sense for.
    pub values: Values,
    /// Whether it needs weighted counts.
    pub weights: bool,
    /// Whether it needs to know who asked for protection.
    pub requests: bool,
}

/// A primary rule: says of one cell at a time whether it is sensitive.
pub trait Rule {
    /// Under which reason its cells are reported.
    fn reason(&self) -> Reason;

    /// The name in job files, reports and messages.
    fn name(&self) -> &'static str {
        self.reason().name()
    }

    /// Whether the parameters make sense.
    ///
    /// # Errors
    /// [`RuleError::Parameter`] names the one that does not.
    fn check(&self) -> Result<(), RuleError> {
        Ok(())
    }

    /// What the rule needs to find in a table.
    fn asks(&self) -> Asks {
        Asks::default()
    }

    /// The protection level the cell needs; `None` if this rule finds it safe. Asked only about cells with contributors.
    fn judge(&self, cell: &Cell<'_>) -> Option<Level>;
}
