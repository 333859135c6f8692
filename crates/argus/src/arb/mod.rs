//! The batch language: an `.arb` file as a list of typed commands.

mod arguments;
mod rules;
mod specify;
mod suppress;

pub use rules::{Concentration, Rules};
pub use specify::{CostSpec, Specify};
pub use suppress::{Suppress, Technique};

use crate::Fault;
use arguments::Arguments;
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

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Save {
    /// Rows and columns.
    Csv,
    /// One cell a line, with a header.
    Pivot,
    /// One cell a line.
    CodeValue,
    /// For Eurostat's structural business statistics.
    Sbs,
    /// All that is known of every cell, with metadata.
    Intermediate,
    /// An instance for solvers.
    Jj,
    /// Random noise.
    CellKey,
}

/// The letters of `<WRITETABLE>`, `None` where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaveOptions {
    /// `AS`: statuses, and values also of unsafe cells.
    pub status: Option<bool>,
    /// `SE`: no empty cells.
    pub skip_empty: Option<bool>,
    /// `FL`: a header line.
    pub header: Option<bool>,
    /// `QU`: codes in quotes.
    pub quotes: Option<bool>,
    /// `HL`: levels of codes.
    pub levels: Option<bool>,
    /// `SO`: no shadow and no largest contributions.
    pub status_only: Option<bool>,
    /// `AR`: intervals of the audit.
    pub audit: Option<bool>,
    /// `HI`: holdings in place of respondents.
    pub holdings: Option<bool>,
    /// `TR`: no trivial levels.
    pub trivial: Option<bool>,
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

/// Every keyword.
const KEYWORDS: [&str; 22] = [
    "<LOGBOOK>",
    "<VERSIONINFO>",
    "<SOLVER>",
    "<OPENMICRODATA>",
    "<OPENTABLEDATA>",
    "<OPENMETADATA>",
    "<SPECIFYTABLE>",
    "<SAFETYRULE>",
    "<READMICRODATA>",
    "<READTABLE>",
    "<APRIORI>",
    "<APRIORY>",
    "<RECODE>",
    "<SUPPRESS>",
    "<WRITETABLE>",
    "<CLEAR>",
    "<GOINTERACTIVE>",
    "<COVER>",
    "<SILENT>",
    "<ANCO>",
    "<COMMENT>",
    "<JJ>",
];

/// Reads a batch file.
///
/// # Errors
/// [`Fault`] names the line.
pub fn read(file: &Path, text: &str) -> Result<Vec<Line>, Fault> {
    let mut found = Vec::new();
    for (number, text) in crate::text::lines(text).filter(|(_, line)| !line.starts_with("\\\\")) {
        let command = command(&text).map_err(|wrong| Fault {
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

fn command(text: &str) -> Result<Command, Wrong> {
    let (keyword, rest) = match text.find('>') {
        Some(end) if text.starts_with('<') => text.split_at(end + 1),
        _ => text.split_at(text.find(' ').unwrap_or(text.len())),
    };
    let keyword = keyword.to_uppercase();
    let mut arguments = Arguments::new(&keyword, rest);
    let command = match keyword.as_str() {
        "<LOGBOOK>" => Command::Logbook(arguments.file()?),
        "<VERSIONINFO>" => Command::VersionInfo(arguments.file()?),
        "<SOLVER>" => return solver(rest),
        "<OPENMICRODATA>" => Command::OpenMicrodata(arguments.file()?),
        "<OPENTABLEDATA>" => Command::OpenTabledata(arguments.file()?),
        "<OPENMETADATA>" => Command::OpenMetadata(arguments.file()?),
        "<SPECIFYTABLE>" => return Specify::parse(rest).map(Command::SpecifyTable),
        "<SAFETYRULE>" => return Rules::parse(rest).map(Command::SafetyRule),
        "<READMICRODATA>" => Command::ReadMicrodata,
        "<READTABLE>" => return additivity(rest).map(Command::ReadTable),
        "<APRIORI>" | "<APRIORY>" => apriori(&mut arguments)?,
        "<RECODE>" => recode(&mut arguments)?,
        "<SUPPRESS>" => return Suppress::parse(rest).map(Command::Suppress),
        "<WRITETABLE>" => write_table(&mut arguments)?,
        "<CLEAR>" => Command::Clear,
        "<GOINTERACTIVE>" => Command::GoInteractive,
        "<COVER>" | "<SILENT>" | "<ANCO>" | "<COMMENT>" => return Ok(Command::Nothing),
        "<JJ>" => {
            return Err(wrong(
                "`<JJ>` was never built, in τ-ARGUS neither",
                "write a JJ file with `<WRITETABLE> (1,6,,\"file.jj\")`, protect one with `cellveil suppress`",
            ));
        }
        _ => {
            let hint = match cellveil_tabulate::text::nearest(&keyword, KEYWORDS) {
                Some(known) => format!("did you mean `{known}`?"),
                None => "remove the line, or start it with `//`".to_owned(),
            };
            return Err(wrong(format!("`{keyword}` is no command"), hint));
        }
    };
    arguments.end()?;
    Ok(command)
}

fn solver(rest: &str) -> Result<Command, Wrong> {
    let name = rest.split(',').next().unwrap_or("").trim().to_uppercase();
    if matches!(name.as_str(), "FREE" | "XPRESS" | "CPLEX") {
        return Ok(Command::Solver(name));
    }
    Err(wrong(
        format!("`{name}` is no solver"),
        "leave the line out: every solver named here is replaced by cellveil's own",
    ))
}

fn additivity(rest: &str) -> Result<Additivity, Wrong> {
    let rest: String = rest.to_uppercase().split_whitespace().collect();
    let (mode, keep) = match rest.strip_suffix(['T', 'F']) {
        Some(mode) => (mode, rest.ends_with('T')),
        None => (rest.as_str(), false),
    };
    match mode {
        "" | "0" => Ok(Additivity::Required),
        "1" => Ok(Additivity::Recompute { keep }),
        "2" => Ok(Additivity::Accepted),
        _ => Err(wrong(
            format!("`{rest}` is no way to read a table"),
            "0: totals must be right; 1: make them anew (1T keeps statuses); 2: take them as they are",
        )),
    }
}

fn apriori(arguments: &mut Arguments<'_>) -> Result<Command, Wrong> {
    let file = arguments.file()?;
    arguments.comma()?;
    let table = arguments.whole("the number of the table")?;
    arguments.comma()?;
    let separator = arguments.quoted_sign()?;
    let mut flag = |default: bool| -> Result<bool, Wrong> {
        if arguments.is_empty() {
            return Ok(default);
        }
        arguments.comma()?;
        Ok(arguments.whole("0 or 1")? != 0)
    };
    let ignore_errors = flag(true)?;
    let expand = flag(false)?;
    Ok(Command::Apriori { file, table, separator, ignore_errors, expand })
}

fn recode(arguments: &mut Arguments<'_>) -> Result<Command, Wrong> {
    let table = arguments.whole("the number of the table")?;
    arguments.comma()?;
    let variable = arguments.name()?;
    arguments.comma()?;
    let by = arguments.name()?;
    let by = match by.parse::<u8>() {
        Ok(level) if (1..=9).contains(&level) => RecodeBy::Level(level),
        _ => RecodeBy::File(by),
    };
    Ok(Command::Recode { table, variable, by })
}

fn write_table(arguments: &mut Arguments<'_>) -> Result<Command, Wrong> {
    arguments.sign('(')?;
    let table = arguments.whole("the number of the table")?;
    arguments.comma()?;
    let save = match arguments.whole("the type of the file")? {
        1 => Save::Csv,
        2 => Save::Pivot,
        3 => Save::CodeValue,
        4 => Save::Sbs,
        5 => Save::Intermediate,
        6 => Save::Jj,
        7 => Save::CellKey,
        other => {
            return Err(wrong(
                format!("{other} is no type of file"),
                "1 CSV, 2 pivot, 3 code-value, 4 SBS, 5 intermediate, 6 JJ, 7 cell key",
            ));
        }
    };
    arguments.comma()?;
    let options = SaveOptions::parse(&arguments.until_comma(), save)?;
    arguments.comma()?;
    let file = arguments.file()?;
    arguments.sign(')')?;
    Ok(Command::WriteTable { table, save, options, file })
}

impl SaveOptions {
    /// Letters with `+` or `-`, or the single digit of old versions.
    fn parse(text: &str, save: Save) -> Result<Self, Wrong> {
        let text: String =
            text.to_uppercase().chars().filter(|c| !matches!(c, ' ' | '"')).collect();
        if let Ok(digit) = text.parse::<u8>() {
            return Self::of_digit(digit, save);
        }
        let mut options = Self::default();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (letters, after) = rest.split_at_checked(2).unwrap_or((rest, ""));
            let slot = match letters {
                "AS" => &mut options.status,
                "SE" => &mut options.skip_empty,
                "FL" => &mut options.header,
                "QU" => &mut options.quotes,
                "HL" => &mut options.levels,
                "SO" => &mut options.status_only,
                "AR" => &mut options.audit,
                "HI" => &mut options.holdings,
                "TR" => &mut options.trivial,
                "AO" | "AD" | "AC" if save == Save::CellKey => &mut options.status,
                other => {
                    return Err(wrong(
                        format!("`{other}` is no option of `<WRITETABLE>`"),
                        "AS SE FL QU HL SO AR HI TR, each with `+` or `-`, as in `AS+SE+`",
                    ));
                }
            };
            let sign = after.chars().next();
            *slot = Some(sign != Some('-'));
            rest = after.strip_prefix(['+', '-']).unwrap_or(after);
        }
        Ok(options)
    }

    /// What the digit meant before there were letters.
    fn of_digit(digit: u8, save: Save) -> Result<Self, Wrong> {
        let mut options = Self::default();
        match (save, digit) {
            (Save::Pivot | Save::CodeValue, 1 | 3) => options.status = Some(true),
            (Save::Sbs, 1) => options.levels = Some(true),
            // 0 was status only, 1 all that is known.
            (Save::Intermediate, 1) => options.status_only = Some(false),
            (Save::Intermediate, 2) => options.audit = Some(true),
            _ => {}
        }
        match (save, digit) {
            (Save::Pivot | Save::CodeValue, 2 | 3) => options.skip_empty = Some(true),
            (Save::Intermediate, 0) => options.status_only = Some(true),
            (_, 0..=3) => {}
            _ => {
                return Err(wrong(
                    format!("{digit} is no option of `<WRITETABLE>`"),
                    "write letters, as in `AS+SE+`",
                ));
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests;
