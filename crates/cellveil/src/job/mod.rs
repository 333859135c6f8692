//! Job files: TOML that reads like the specification of a table.
//!
//! ```toml
//! [records]
//! file = "records.csv"               # csv, parquet, or a folder of either; delimiter = ";" if it is not found out
//!
//! [table]
//! dimensions = ["region", "activity"]
//! response = "turnover"              # leave out for a table of counts
//! weight = "w"                       # optional
//! holding = "enterprise"             # optional: who the respondent really is
//! request = { column = "asked", codes = ["1", "2"] }   # optional: who asked for protection
//!
//! [tables.by-size]                   # optional: further tables from the same pass over the records
//! dimensions = ["region", "size"]
//! response = "wage"
//!
//! [dimension.region]
//! hierarchy = "region.hrc"           # a .hrc file, a parent-child .csv, or a list of several
//! # levels = ["town", "county"]      # or columns of the records, finest first
//! # digits = [2, 1]                  # or digits of the code, coarsest first
//! # total = "Total"
//! # missing = "(missing)"
//!
//! [rules]
//! frequency = { below = 3, range = 10 }
//!
//! [protect]
//! intruder = ["singleton"]
//! time_limit = "60s"
//!
//! [output]
//! formats = ["csv", "parquet", "xlsx"]
//! ```
//!
//! In place of `[records]`, `[finished]` names a table that is already made: `file`, `value`, and where there are any
//! `respondents`, `top` (a list), `cost`, `status` and `tolerance`. Names of files are relative to the job file.

mod error;
mod protect;
mod sections;
mod table;
#[cfg(test)]
mod tests;

pub use error::JobError;

use crate::settings::Settings;
use cellveil_core::{Cost, Knowledge};
use cellveil_publish::Formats;
use cellveil_rules::{RuleError, RuleSet};
use cellveil_suppress::Method;
use cellveil_tabulate::{FinishedSpec, Source, TableSpec};
use error::Text;
use sections::Sections;
use std::path::{Path, PathBuf};

/// A job: what to tabulate, which cells are sensitive, how to protect them and what to write.
#[derive(Clone, Debug)]
pub struct Job {
    /// The job file.
    pub path: PathBuf,
    /// Its text, for the manifest.
    pub text: String,
    /// What the table is called.
    pub title: String,
    /// Where the cells come from.
    pub data: Data,
    /// Further tables from the same records, by name.
    pub further: Vec<(String, TableSpec)>,
    /// Which cells are sensitive.
    pub rules: RuleSet,
    /// How to protect them.
    pub protection: Protection,
    /// What the job says about the run itself; the command line may say otherwise.
    pub settings: Settings,
    /// Which files hold the table.
    pub formats: Formats,
    /// The files that are read, as the job names them and where they are.
    pub files: Vec<(String, PathBuf)>,
}

/// Where the cells of a table come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// They are tabulated from records.
    Records(Source, TableSpec),
    /// They are read from a finished table.
    Finished(Source, FinishedSpec),
}

/// How to protect a table, and against whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Protection {
    /// How secondaries are chosen.
    pub method: Method,
    /// Whether the only contributor of a cell is an intruder too.
    pub singletons: bool,
    /// Whether the parts of a holding tell each other what they know.
    pub coalitions: bool,
    /// Whether intruders know that the cells are counts, and that zeros are published.
    pub whole: bool,
    /// Files that say what earlier releases withheld: all else in them is known for good.
    pub earlier: Vec<PathBuf>,
    /// What withholding a cell costs.
    pub cost: Cost,
    /// The power to which costs are raised, from 0 to 1; 0 takes their logarithm.
    pub lambda: Option<f64>,
    /// How many times as much cells cost that are totals of others.
    pub margins: f64,
    /// A file with the costs of some cells.
    pub cost_file: Option<PathBuf>,
    /// The pattern of an earlier release, and what becomes of the cells it withheld.
    pub previous: Option<(PathBuf, Previous)>,
    /// What intruders know beforehand.
    pub knowledge: Knowledge,
}

/// What becomes of the cells that an earlier release withheld beyond its primaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Previous {
    /// They are withheld again.
    Keep,
    /// They cost nothing, so they are withheld before others.
    Prefer,
    /// They are published.
    Forbid,
}

impl Job {
    /// Reads a job file.
    ///
    /// # Errors
    /// [`JobError`] names the line, what is wrong with it and what to do.
    pub fn read(path: &Path) -> Result<Self, JobError> {
        let text = std::fs::read_to_string(path).map_err(|error| JobError {
            path: path.to_owned(),
            line: None,
            what: format!("cannot be read: {error}"),
            hint: Some("check the path of the job file".to_owned()),
        })?;
        Self::parse(path, &text)
    }

    /// Reads the text of a job file; `path` is where it stands, or would.
    ///
    /// # Errors
    /// [`JobError`] names the line, what is wrong with it and what to do.
    pub fn parse(path: &Path, text: &str) -> Result<Self, JobError> {
        let place = Text { path, text };
        let sections: Sections = toml::from_str(text).map_err(|error| place.toml(&error))?;
        let mut table = table::table(&place, &sections)?;
        let protection = protect::protection(&place, &sections.protect)?;
        table.files.extend(protect::files(&place, &sections.protect));
        let settings = protect::settings(&place, &sections.protect)?;
        let formats = protect::formats(&place, &sections.output)?;
        let rules = rules(&place, sections.rules, &table)?;
        if protection.singletons && !table.further.is_empty() {
            table.keep_owners();
        }
        let earlier = sections.protect.earlier.iter().cloned().zip(protection.earlier.clone());
        Ok(Self {
            path: path.to_owned(),
            text: text.to_owned(),
            title: table.title,
            data: table.data,
            further: table.further,
            files: table.files.into_iter().chain(earlier).collect(),
            rules,
            protection,
            settings,
            formats,
        })
    }
}

/// The rules, checked before any record is read; what missing values are called is known from the dimensions.
fn rules(
    place: &Text<'_>,
    section: Option<toml::Spanned<RuleSet>>,
    table: &table::Described,
) -> Result<RuleSet, JobError> {
    let Some(section) = section else { return Ok(RuleSet::default()) };
    let span = section.span();
    let mut rules = section.into_inner();
    let further = table.further.iter().flat_map(|(_, spec)| &spec.dimensions);
    for dimension in table.data.dimensions().iter().chain(further) {
        let names = rules.missing.entry(dimension.name.clone()).or_default();
        if !names.contains(&dimension.missing) {
            names.push(dimension.missing.clone());
        }
    }
    rules.check().map_err(|error| {
        let rule = match &error {
            RuleError::Parameter { rule, .. } => rule.replace('-', "_"),
            _ => String::new(),
        };
        place.at(place.key(&(span.start..place.text.len()), &rule), error.to_string())
    })?;
    Ok(rules)
}

impl Data {
    /// The variables of the table.
    pub fn dimensions(&self) -> &[cellveil_tabulate::DimensionSpec] {
        match self {
            Self::Records(_, spec) => &spec.dimensions,
            Self::Finished(_, spec) => &spec.dimensions,
        }
    }
}
