//! What happened, for people and for programs.

use cellveil_argus::ArgusTable;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// One command and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CommandLog {
    /// Where it stands in the batch file.
    pub line: u64,
    /// As it is written.
    pub command: String,
    /// What it did.
    pub messages: Vec<String>,
}

/// One table at the end of a batch. Counts only: logs are not confidential, amounts are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableLog {
    /// Its number in the batch.
    pub table: usize,
    /// What it is of.
    pub title: String,
    /// All cells, empty ones included.
    pub cells: u64,
    /// Empty cells.
    pub empty: u64,
    /// Unsafe cells by reason, under the numbers of τ-ARGUS.
    pub unsafe_by_status: Vec<(u8, u64)>,
    /// Unsafe cells.
    pub primary: usize,
    /// Cells withheld for the sake of others.
    pub secondary: usize,
    /// Whether it was protected and proven safe.
    pub proven: bool,
    /// The method, if it was protected.
    pub method: Option<String>,
}

/// The log of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BatchLog {
    /// The batch file.
    pub batch: String,
    /// `ok`, `not safe` or `failed`.
    pub status: String,
    /// Why it stopped, if it did.
    pub error: Option<String>,
    /// Its commands.
    pub commands: Vec<CommandLog>,
    /// Its tables.
    pub tables: Vec<TableLog>,
    /// The files it wrote.
    pub files: Vec<String>,
    /// Where messages are appended.
    #[serde(skip)]
    pub(super) logbook: Option<PathBuf>,
}

impl BatchLog {
    /// Notes a message of the command at hand.
    pub(super) fn say(&mut self, message: impl Into<String>) {
        let message = message.into();
        self.append(&message);
        if let Some(command) = self.commands.last_mut() {
            command.messages.push(message);
        }
    }

    /// Begins a command.
    pub(super) fn command(&mut self, line: u64, text: &str) {
        self.append(&format!("Command: {text}"));
        let (command, messages) = (text.to_owned(), Vec::new());
        self.commands.push(CommandLog { line, command, messages });
    }

    /// Appends to the logbook. A logbook that cannot be written is no reason to stop; the log is printed as well.
    pub(super) fn append(&self, message: &str) {
        let Some(path) = &self.logbook else { return };
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        if let Ok(mut file) = file {
            let message = message.replace('\n', "\n                       ");
            let _ = writeln!(file, "{} : {message}", now());
        }
    }

    /// Everything as one text, as the logbook has it but for the times.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for command in &self.commands {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", command.command);
            for message in &command.messages {
                let _ = writeln!(text, "    {}", message.replace('\n', "\n    "));
            }
        }
        text
    }
}

impl TableLog {
    pub(super) fn new(number: usize, table: &ArgusTable, method: Option<String>) -> Self {
        let summary = table.summary();
        let unsafe_by_status = summary
            .iter()
            .filter(|(status, sums)| status.is_unsafe() && sums.cells > 0)
            .map(|(status, sums)| (status.number(), sums.cells))
            .collect();
        let empty = summary.iter().filter(|(s, _)| s.is_empty()).map(|(_, sums)| sums.cells).sum();
        Self {
            table: number,
            title: title(table),
            cells: table.all_cells(),
            empty,
            unsafe_by_status,
            primary: table.count(cellveil_argus::CellStatus::is_unsafe),
            secondary: table.count(cellveil_argus::CellStatus::is_secondary),
            proven: method.is_some(),
            method,
        }
    }
}

/// `Size x Region | Var2`.
pub(super) fn title(table: &ArgusTable) -> String {
    let names: Vec<&str> = table.codes.iter().map(|codes| codes.dimension.name.as_str()).collect();
    format!("{} | {}", names.join(" x "), table.specify.response.as_deref().unwrap_or("<freq>"))
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The time as τ-ARGUS writes it, in UTC.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{day:02}-{}-{year} {hour:02}:{minute:02}:{second:02}", MONTHS[month as usize - 1])
}

/// Year, month and day of a number of days since 1970.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let of_year_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * of_year_era + of_year_era / 4 - of_year_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (of_year_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(19_782), (2024, 2, 29));
        assert_eq!(civil(20_773), (2026, 11, 16));
    }
}
