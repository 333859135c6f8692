//! The request rule: does the cell show too much of a respondent who asked for protection?
//!
//! The cell is sensitive when the largest `r` of those who asked exceeds `percent` of `X`, or when anybody asked and there
//! are fewer than `below` respondents. There are two kinds of request, each with its own percentage and its own `r`.
//! Requests are those of respondents: a table does not say what a holding whose parts asked adds up to.

use crate::{Asks, By, Cell, Level, Percent, Rule, RuleError, Values, frequency};
use cellveil_core::Reason;
use serde::{Deserialize, Serialize};

/// The request rule.
///
/// ```
/// use cellveil_rules::{Record, RuleSet, one_cell};
/// let rules: RuleSet = toml::from_str("request = { percent = 70, range = 10 }")?;
/// let asked = Record { request: Some(0), ..Record::of(80) };
/// let table = one_cell(&[asked, Record::of(20)], 0, 0)?;
/// assert_eq!(rules.judge(&table)?.needs[0].up, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The share, in per cent, that a request of the first kind tolerates.
    pub percent: Percent,
    /// The same for the second kind; as for the first unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent2: Option<Percent>,
    /// Fewer respondents than this, one of whom asked, make a cell sensitive.
    #[serde(default)]
    pub below: u64,
    /// The protection level, in per cent of the value; 10 unless given.
    #[serde(default = "frequency::ten")]
    pub range: Percent,
}

impl Rule for Request {
    fn reason(&self) -> Reason {
        Reason::Request
    }

    fn check(&self) -> Result<(), RuleError> {
        RuleError::unless(self.percent.is_share(), self.name(), "percent", "in 0..100")?;
        let second = self.percent2.is_none_or(Percent::is_share);
        RuleError::unless(second, self.name(), "percent2", "in 0..100")?;
        RuleError::unless(self.range.is_share(), self.name(), "range", "in 0..100")
    }

    fn asks(&self) -> Asks {
        Asks { values: Values::NonNegative, requests: true, ..Asks::default() }
    }

    fn judge(&self, cell: &Cell<'_>) -> Option<Level> {
        let largest = cell.table().requests()?[cell.id().index()];
        let percents = [self.percent, self.percent2.unwrap_or(self.percent)];
        let shown = largest.iter().zip(percents).any(|(asked, percent)| {
            let r = asked.map_or(0, |value| cell.single(value));
            Percent::HUNDRED.millionths() * r > percent.millionths() * cell.total()
        });
        let few = largest.iter().any(Option::is_some) && cell.count(By::Respondent) < self.below;
        (shown || few).then(|| cell.range(self.range))
    }
}
