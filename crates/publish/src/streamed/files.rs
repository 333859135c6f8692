//! The files of a release whose table is made on the way.

use crate::Formats;

/// What the manifest calls such a release.
pub(crate) const KIND: &str = "streamed-release";
pub(super) const TABLE: &str = "table.parquet";
pub(super) const TABLE_CSV: &str = "table.csv";
pub(super) const PATTERN: &str = "pattern.csv";
pub(super) const FINEST: &str = "finest.cells";
pub(super) const RULES: &str = "rules.json";
pub(super) const WITNESSES: &str = "witnesses.parquet";
pub(super) const REPORT: &str = "report.html";
/// Files without which there is no proof.
pub(crate) const NEEDED: [&str; 4] = [TABLE, FINEST, RULES, WITNESSES];

/// Of tables with more cells, CSV files are written only if they are asked for: a gigabyte holds about thirty million.
const LISTED_CELLS: usize = 20_000_000;

/// What only tables have that are held: a spreadsheet, and what is known of every cell besides the table.
const NEVER: [&str; 5] = ["table.xlsx", "audit.csv", "why.csv", "instance.jj", "claims.parquet"];

/// Whether a release of so many cells has its table and its pattern as CSV.
pub(super) fn has_lists(cells: usize, formats: Formats) -> bool {
    cells <= LISTED_CELLS || formats.asked && formats.csv
}

/// The files of other releases that one of so many cells goes without.
pub fn left_out(cells: usize, formats: Formats) -> Vec<String> {
    let lists: &[&str] = if has_lists(cells, formats) { &[] } else { &[TABLE_CSV, PATTERN] };
    lists.iter().chain(&NEVER).map(|&name| name.to_owned()).collect()
}

/// The files for people: name, content, whether it may be published.
pub(super) fn files(has_lists: bool) -> Vec<(&'static str, &'static str, bool)> {
    let table = "the table, withheld cells without values";
    let mut files = if has_lists {
        vec![("table.csv, table.parquet", table, true), (PATTERN, "which cells are withheld", true)]
    } else {
        vec![(TABLE, table, true)]
    };
    files.extend([
        (FINEST, "the finest cells, with all that the rules look at", false),
        ("witnesses.parquet, rules.json", "the proof", false),
        (REPORT, "this page", false),
        ("summary.json", "figures of the run; the cost adds up withheld values", false),
        ("manifest.json", "inputs, job and hashes", false),
    ]);
    files
}
