//! The batch language: an `.arb` file as a list of typed commands.

mod arguments;
mod parse;
mod rules;
mod save;
mod specify;
mod suppress;

pub use rules::{Concentration, Rules};
pub use save::{Save, SaveOptions};
pub use specify::{CostSpec, Specify};
pub use suppress::{Suppress, Technique};

use crate::Fault;
use std::path::Path;

/// One command with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Where it stands.
    pub number: u64,
    /// As it is written.
    pub text: String,
    /// What it says.
    pub command: Command,
}

/// What to do about totals of a finished table that miss their parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Additivity {
    /// Refuse them.
    #[default]
    Required,
    /// Make them anew; statuses and protection levels are kept if `keep` is set.
    Recompute {
        /// Whether statuses and protection levels are kept.
        keep: bool,
    },
    /// Take them as they are.
    Accepted,
}

/// One command.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `<LOGBOOK>`: where messages go from here on.
    Logbook(String),
    /// `<VERSIONINFO>`: a file that says which program ran.
    VersionInfo(String),
    /// `<SOLVER>`: accepted and noted.
    Solver(String),
    /// `<OPENMICRODATA>`
    OpenMicrodata(String),
    /// `<OPENTABLEDATA>`
    OpenTabledata(String),
    /// `<OPENMETADATA>`
    OpenMetadata(String),
    /// `<SPECIFYTABLE>`
    SpecifyTable(Specify),
    /// `<SAFETYRULE>`
    SafetyRule(Rules),
    /// `<READMICRODATA>`
    ReadMicrodata,
    /// `<READTABLE>`
    ReadTable(Additivity),
    /// `<APRIORI>` or `<APRIORY>`
    Apriori {
        /// The file.
        file: String,
        /// Which table, counted from 1.
        table: usize,
        /// What stands between the fields.
        separator: char,
        /// Whether lines that make no sense are skipped.
        ignore_errors: bool,
        /// Whether cells that equal a named one are meant as well.
        expand: bool,
    },
    /// `<RECODE>`
    Recode {
        /// Which table, counted from 1.
        table: usize,
        /// Which variable.
        variable: String,
        /// How.
        by: RecodeBy,
    },
    /// `<SUPPRESS>`
    Suppress(Suppress),
    /// `<WRITETABLE>`
    WriteTable {
        /// Which table, counted from 1.
        table: usize,
        /// How.
        save: Save,
        /// With what.
        options: SaveOptions,
        /// Where.
        file: String,
    },
    /// `<CLEAR>`
    Clear,
    /// `<GOINTERACTIVE>`: the batch ends here.
    GoInteractive,
    /// Commands that change nothing: `<COVER>`, `<SILENT>`, `<ANCO>`, `<COMMENT>`.
    Nothing,
}

/// How a variable is recoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecodeBy {
    /// By a `.grc` file.
    File(String),
    /// By folding all parents at a level.
    Level(u8),
}

/// Reads a batch file.
///
/// # Errors
/// [`Fault`] names the line.
pub fn read(file: &Path, text: &str) -> Result<Vec<Line>, Fault> {
    let mut found = Vec::new();
    for (number, text) in crate::text::lines(text).filter(|(_, line)| !line.starts_with("\\\\")) {
        let command = parse::command(&text).map_err(|wrong| Fault {
            file: file.to_owned(),
            line: Some(number),
            number: None,
            what: wrong.what,
            hint: wrong.hint,
        })?;
        found.push(Line { number, text, command });
    }
    Ok(found)
}

/// What is wrong with one command.
pub(crate) struct Wrong {
    what: String,
    hint: String,
}

pub(crate) fn wrong(what: impl Into<String>, hint: impl Into<String>) -> Wrong {
    Wrong { what: what.into(), hint: hint.into() }
}

#[cfg(test)]
mod tests;
