//! Group disclosure in tables of counts: is nearly everybody of a row (or column) in the same cell?
//!
//! Then whoever is known to be in the row is known to be in the cell. In a table of two dimensions the row of a cell has the
//! same first code, and its column the same last code. In any number of dimensions:
//!
//! - the *row total* of a cell is the cell with the code of the **last** dimension replaced by the total;
//! - the *column total* is the cell with the code of the **first** dimension replaced by the total;
//!
//! all other codes stay. A `dimension` named in the rule takes the place of the last or the first. The cell is sensitive when
//! it holds more than `above` per cent of that total. A cell that is the total, under this or another code that covers
//! everything, is not judged against itself.

use crate::error::nearest;
use crate::frequency::ten;
use crate::{Amount, Cell, Level, Percent, Rule, RuleError};
use cellveil_core::{CodeId, Hierarchy, Reason, Table};
use serde::{Deserialize, Serialize};

/// The row-share or the column-share rule.
///
/// ```
/// use cellveil_rules::RuleSet;
/// let rules: RuleSet = toml::from_str("row_share = { above = 90 }\ninterval = { width = 5 }")?;
/// assert!(rules.check().is_ok());
/// # Ok::<(), toml::de::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// The share of the total, in per cent, above which a cell is sensitive.
    pub above: Percent,
    /// The dimension whose total is meant; the last for rows and the first for columns unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    /// The protection level, in per cent of the value; 10 unless given.
    #[serde(default = "ten")]
    pub range: Percent,
}

/// How wide the interval must be that an intruder can derive for a sensitive cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The width, as an amount: 5 means five people in a table of counts, and 5.00 in a table with two decimals.
    pub width: Amount,
}

impl Interval {
    pub(crate) fn check(&self) -> Result<(), RuleError> {
        RuleError::unless(!self.width.is_negative(), "interval", "width", "at least 0")
    }
}

impl Share {
    pub(crate) fn check(&self, reason: Reason) -> Result<(), RuleError> {
        RuleError::unless(self.above.is_share(), reason.name(), "above", "in 0..100")?;
        RuleError::unless(self.range.is_share(), reason.name(), "range", "in 0..100")
    }

    /// Finds the dimension in a table of counts.
    pub(crate) fn on<'a>(
        &'a self,
        table: &Table,
        reason: Reason,
    ) -> Result<ShareOn<'a>, RuleError> {
        let rule = reason.name();
        if let Some(response) = table.response() {
            return Err(RuleError::CountsOnly { rule, response: response.to_owned() });
        }
        let dimensions = table.dimensions();
        if dimensions.len() < 2 {
            return Err(RuleError::OneDimension { rule });
        }
        let dimension = match (&self.dimension, reason) {
            (Some(name), _) => dimensions
                .iter()
                .position(|dimension| dimension.name == *name)
                .ok_or_else(|| {
                    let names = dimensions.iter().map(|dimension| dimension.name.as_str());
                    RuleError::UnknownDimension {
                        rule,
                        name: name.clone(),
                        hint: nearest(name, names),
                    }
                })?,
            (None, Reason::ColumnShare) => 0,
            (None, _) => dimensions.len() - 1,
        };
        Ok(ShareOn { share: self, reason, dimension })
    }
}

/// A share rule that knows where its dimension stands.
pub(crate) struct ShareOn<'a> {
    share: &'a Share,
    reason: Reason,
    dimension: usize,
}

impl Rule for ShareOn<'_> {
    fn reason(&self) -> Reason {
        self.reason
    }

    fn judge(&self, cell: &Cell<'_>) -> Option<Level> {
        let table = cell.table();
        let mut key = table.key(cell.id()).to_vec();
        let code = std::mem::take(&mut key[self.dimension]);
        let total = table.values()[table.find(&key)?.index()];
        let share = i128::from(cell.value()) * Percent::HUNDRED.millionths();
        let above = share > i128::from(total) * self.share.above.millionths();
        let hierarchy = &table.dimensions()[self.dimension].hierarchy;
        (above && !covers_all(hierarchy, code)).then(|| cell.range(self.share.range))
    }
}

/// Whether a code is the total, or has the same leaves.
fn covers_all(hierarchy: &Hierarchy, code: CodeId) -> bool {
    code == 0
        || (0..hierarchy.len() as CodeId)
            .map(|leaf| hierarchy.ancestors(leaf))
            .filter(|ancestors| ancestors.contains(&0))
            .all(|ancestors| ancestors.contains(&code))
}
