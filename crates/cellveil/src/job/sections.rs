//! The sections of a job file as they are written.

use cellveil_rules::RuleSet;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sections {
    pub(super) records: Option<Spanned<RecordsSection>>,
    pub(super) finished: Option<Spanned<FinishedSection>>,
    pub(super) table: Option<Spanned<TableSection>>,
    /// Further tables from the same records, by name.
    #[serde(default)]
    pub(super) tables: BTreeMap<Spanned<String>, Spanned<TableSection>>,
    #[serde(default)]
    pub(super) dimension: BTreeMap<Spanned<String>, DimensionSection>,
    pub(super) rules: Option<Spanned<RuleSet>>,
    #[serde(default)]
    pub(super) protect: ProtectSection,
    #[serde(default)]
    pub(super) output: OutputSection,
}

/// `[records]`: where the records are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordsSection {
    pub(super) file: String,
    pub(super) delimiter: Option<Spanned<String>>,
}

/// `[finished]`: a table that somebody else has made.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FinishedSection {
    pub(super) file: String,
    pub(super) delimiter: Option<Spanned<String>>,
    pub(super) value: String,
    pub(super) respondents: Option<String>,
    #[serde(default)]
    pub(super) top: Vec<String>,
    pub(super) cost: Option<String>,
    pub(super) status: Option<String>,
    pub(super) tolerance: Option<Spanned<i64>>,
}

/// `[table]`: what to tabulate.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableSection {
    pub(super) dimensions: Vec<Spanned<String>>,
    pub(super) title: Option<String>,
    pub(super) response: Option<Spanned<String>>,
    pub(super) weight: Option<Spanned<String>>,
    pub(super) holding: Option<Spanned<String>>,
    pub(super) request: Option<Spanned<RequestSection>>,
}

/// `request = { column = "asked", codes = ["1", "2"] }`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestSection {
    pub(super) column: String,
    pub(super) codes: Vec<String>,
}

/// `[dimension.NAME]`: how the codes of a variable add up.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DimensionSection {
    pub(super) hierarchy: Option<Spanned<OneOrMany>>,
    pub(super) levels: Option<Spanned<Vec<String>>>,
    pub(super) digits: Option<Spanned<Vec<usize>>>,
    pub(super) lead: Option<String>,
    pub(super) total: Option<String>,
    pub(super) missing: Option<String>,
}

/// One file or several.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected the name of a file, or a list of names")]
pub(super) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(super) fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

/// `[protect]`: how to protect the table, and against whom.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProtectSection {
    pub(super) method: Option<Spanned<String>>,
    pub(super) suppression: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) intruder: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) earlier: Vec<String>,
    pub(super) time_limit: Option<Spanned<String>>,
    pub(super) cost: Option<Spanned<String>>,
    pub(super) lambda: Option<Spanned<f64>>,
    pub(super) margins: Option<Spanned<f64>>,
    pub(super) cost_file: Option<String>,
    pub(super) previous: Option<PreviousSection>,
    #[serde(default)]
    pub(super) release_frozen: bool,
    pub(super) known_percent: Option<Spanned<f64>>,
    pub(super) seed: Option<u64>,
    pub(super) gap: Option<Spanned<f64>>,
}

/// `previous`: what becomes of the cells that an earlier release withheld.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PreviousSection {
    pub(super) pattern: String,
    pub(super) cells: Spanned<String>,
}

/// `[output]`: which files hold the table.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutputSection {
    pub(super) formats: Option<Vec<Spanned<String>>>,
}
