//! `rules.json`: what is needed to judge the finest cells again.

use cellveil_rules::RuleSet;
use cellveil_tabulate::{RequestSpec, TableSpec};
use serde::{Deserialize, Serialize};

/// The rules, and which numbers the finest cells hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    pub(super) rules: RuleSet,
    response: Option<String>,
    weight: Option<String>,
    /// The column in which respondents ask for protection.
    request: Option<String>,
    top: usize,
}

impl Note {
    pub(super) fn new(rules: &RuleSet, spec: &TableSpec) -> Self {
        Self {
            rules: rules.clone(),
            response: spec.response.clone(),
            weight: spec.weight.clone(),
            request: spec.request.as_ref().map(|request| request.column.clone()),
            top: spec.top,
        }
    }

    /// What the finest cells hold.
    pub(super) fn spec(&self) -> TableSpec {
        let request = |column: &String| RequestSpec { column: column.clone(), codes: [None, None] };
        TableSpec {
            dimensions: Vec::new(),
            response: self.response.clone(),
            weight: self.weight.clone(),
            holding: None,
            request: self.request.as_ref().map(request),
            top: self.top,
            owners: false,
        }
    }
}
