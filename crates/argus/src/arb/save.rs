//! `<WRITETABLE> (table,type,options,"file")`

use super::arguments::Arguments;
use super::{Command, Wrong, wrong};

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

pub(super) fn write_table(arguments: &mut Arguments<'_>) -> Result<Command, Wrong> {
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
