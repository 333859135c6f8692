//! The request rule: does the cell show too much of a respondent who asked for protection?
//!
//! The cell is sensitive when the largest `r` of those who asked exceeds `percent` of `X`, or when anybody asked and there
//! are fewer than `below` respondents. There are two kinds of request, each with its own percentage and its own `r`.
//! A holding asks when one of its parts does; it is then looked at with all it brings to the cell.

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
    /// Who asks, and who is counted.
    #[serde(default)]
    pub by: By,
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
        Asks { by: self.by, values: Values::NonNegative, requests: true, ..Asks::default() }
    }

    fn judge(&self, cell: &Cell<'_>) -> Option<Level> {
        let largest = match self.by {
            By::Respondent => cell.table().requests()?[cell.id().index()],
            By::Holding => cell.table().holdings()?.requests(cell.id())?,
        };
        let percents = [self.percent, self.percent2.unwrap_or(self.percent)];
        let shown = largest.iter().zip(percents).any(|(asked, percent)| {
            let r = asked.map_or(0, |value| cell.single(value));
            Percent::HUNDRED.millionths() * r > percent.millionths() * cell.total()
        });
        let few = largest.iter().any(Option::is_some) && cell.count(self.by) < self.below;
        (shown || few).then(|| cell.range(self.range))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use crate::{Record, RuleSet, one_cell};

    #[test]
    fn a_holding_that_asked_is_looked_at_with_all_its_parts() {
        let part =
            |value, request| Record { holding: Some("g".to_owned()), request, ..Record::of(value) };
        let table = one_cell(&[part(30, Some(0)), part(45, None), Record::of(25)], 0, 0).unwrap();
        let sensitive = |rules: &str| {
            let rules: RuleSet = toml::from_str(rules).unwrap();
            !rules.judge(&table).unwrap().needs.is_empty()
        };
        assert!(!sensitive("request = { percent = 70 }"));
        assert!(sensitive("request = { percent = 70, by = \"holding\" }"));
        assert!(!sensitive("request = { percent = 75, by = \"holding\" }"));
        assert!(sensitive("request = { percent = 75, below = 3, by = \"holding\" }"));
    }

    #[test]
    fn requests_by_holding_without_holdings_are_refused() {
        let asked = Record { request: Some(0), ..Record::of(30) };
        let table = one_cell(&[asked, Record::of(70)], 0, 0).unwrap();
        let rules: RuleSet =
            toml::from_str("request = { percent = 70, by = \"holding\" }").unwrap();
        assert!(rules.judge(&table).is_err());
    }
}
