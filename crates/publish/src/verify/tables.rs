//! Do the published tables show what they should, and nothing else?

use super::rows::{Row, Shown, TableFile, open_csv, open_parquet};
use super::{CellIndex, Subject, files_of, guarded, list};
use crate::confidentiality::{agree, status_letter};
use cellveil_core::CellId;
use sha2::{Digest, Sha256};
use std::path::Path;

/// How the rows of a table say which cells they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbering {
    /// By their order: every cell has a row.
    Rows,
    /// By their first column: the table is one of several.
    FirstColumn,
}

/// Checks tables one after the other.
pub(super) struct Tables<'a> {
    subject: &'a Subject<'a>,
    index: &'a CellIndex,
    /// Cells that stand in a table.
    shown: Vec<bool>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(subject: &'a Subject<'a>, index: &'a CellIndex) -> Self {
        Self { subject, index, shown: vec![false; subject.problem.len()] }
    }

    /// Checks the CSV file of a table, and the Parquet file if it is the one that was written, against the instance and each other.
    pub(super) fn check(
        &mut self,
        dir: &Path,
        table: &str,
        numbering: Numbering,
        intact: impl Fn(&str) -> bool,
        faults: &mut Vec<String>,
    ) {
        let [csv, parquet] = files_of(table);
        let names = self.check_one(&csv, numbering, || open_csv(&dir.join(&csv)), faults);
        if !intact(&parquet) {
            return;
        }
        let open = || open_parquet(&dir.join(&parquet));
        let again = self.check_one(&parquet, numbering, open, faults);
        if let (Some(names), Some(again)) = (names, again)
            && names != again
        {
            faults.push(format!("`{csv}` and `{parquet}` do not name the same cells"));
        }
    }

    /// Every cell must stand in a table.
    pub(super) fn check_complete(self, faults: &mut Vec<String>) {
        let names = self.subject.problem.names();
        let missing = self.shown.iter().enumerate().filter(|(_, shown)| !**shown);
        list(
            faults,
            missing.map(|(at, _)| format!("cell {} is in no table", names.id(CellId::at(at)))),
        );
    }

    /// Returns a digest of the names of all cells, if the file can be read to its end.
    fn check_one(
        &mut self,
        name: &str,
        numbering: Numbering,
        open: impl FnOnce() -> Result<TableFile, String>,
        faults: &mut Vec<String>,
    ) -> Option<Vec<u8>> {
        let mut found = Vec::new();
        let read = guarded(name, || {
            let read = open().and_then(|table| self.check_rows(name, numbering, table, &mut found));
            read.map_err(|what| format!("`{name}`: {what}"))
        });
        list(faults, found);
        read.map_err(|fault| faults.push(fault)).ok()
    }

    fn check_rows(
        &mut self,
        name: &str,
        numbering: Numbering,
        table: TableFile,
        found: &mut Vec<String>,
    ) -> Result<Vec<u8>, String> {
        let mut names = Sha256::new();
        let mut digest = |texts: &[String]| {
            for text in texts {
                names.update((text.len() as u64).to_le_bytes());
                names.update(text);
            }
        };
        digest(&table.columns);
        let cells = self.shown.len();
        let mut here = vec![false; cells];
        let mut count = 0;
        for (at, row) in table.rows.enumerate() {
            let row = row?;
            digest(&row.names);
            count += 1;
            let number = || row.names.first().and_then(|number| number.parse().ok());
            let cell = match numbering {
                Numbering::Rows => (at < cells).then(|| CellId::at(at)),
                Numbering::FirstColumn => number().and_then(|number| self.index.find(number)),
            };
            match cell {
                Some(cell) if !here[cell.index()] => {
                    here[cell.index()] = true;
                    check_row(name, (at, cell), &row, self.subject, found);
                }
                Some(_) => return Err(format!("row {at} is a cell that stands above already")),
                None if numbering == Numbering::Rows => {}
                None => return Err(format!("row {at} is no cell of `instance.jj`")),
            }
        }
        if numbering == Numbering::Rows && count != cells {
            return Err(format!("it has {count} rows for {cells} cells"));
        }
        self.shown.iter_mut().zip(here).for_each(|(shown, here)| *shown |= here);
        Ok(names.finalize().to_vec())
    }
}

fn check_row(
    name: &str,
    (at, cell): (usize, CellId),
    row: &Row,
    subject: &Subject<'_>,
    found: &mut Vec<String>,
) {
    let problem = subject.problem;
    let why = subject.pattern.why(cell);
    let mut wrong = |what: &str| {
        found.push(format!("`{name}` row {at} (`{}`) {what}", row.names.join(", ")));
    };
    if subject.note.own_ids && row.names != [problem.names().id(cell).to_string()] {
        wrong("is not the cell that stands there in `instance.jj`");
    }
    match why {
        Some(_) if row.value != Shown::Nothing => wrong("is withheld but shows a value"),
        None if !row.value.is(problem.value(cell), problem.decimals()) => {
            wrong("does not show its value");
        }
        _ => {}
    }
    if row.status != status_letter(why) || !agree(why, &row.conf_status) {
        wrong("has a status that is not that of `pattern.csv`");
    }
}
