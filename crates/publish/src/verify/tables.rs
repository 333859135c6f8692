//! Does the published table show what it should, and nothing else?

use super::rows::{Row, Shown, TableFile, open_csv, open_parquet};
use super::{Subject, guarded, list};
use crate::confidentiality::{agree, status_letter};
use cellveil_core::CellId;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Checks `table.csv`, and `table.parquet` if it is the file that was written, against the instance and each other.
pub(super) fn check_tables(
    dir: &Path,
    subject: &Subject<'_>,
    parquet_is_intact: bool,
    faults: &mut Vec<String>,
) {
    let csv = check_one("table.csv", || open_csv(&dir.join("table.csv")), subject, faults);
    if !parquet_is_intact {
        return;
    }
    let open = || open_parquet(&dir.join("table.parquet"));
    let parquet = check_one("table.parquet", open, subject, faults);
    if let (Some(csv), Some(parquet)) = (csv, parquet)
        && csv != parquet
    {
        faults.push("`table.csv` and `table.parquet` do not name the same cells".to_owned());
    }
}

/// Returns a digest of the names of all cells, if the file can be read to its end.
fn check_one(
    name: &str,
    open: impl FnOnce() -> Result<TableFile, String>,
    subject: &Subject<'_>,
    faults: &mut Vec<String>,
) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    let read = guarded(name, || {
        let read = open().and_then(|table| check_rows(name, table, subject, &mut found));
        read.map_err(|what| format!("`{name}`: {what}"))
    });
    list(faults, found);
    read.map_err(|fault| faults.push(fault)).ok()
}

fn check_rows(
    name: &str,
    table: TableFile,
    subject: &Subject<'_>,
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
    let mut count = 0;
    for (at, row) in table.rows.enumerate() {
        let row = row?;
        digest(&row.names);
        if at < subject.problem.len() {
            check_row(name, at, &row, subject, found);
        }
        count += 1;
    }
    if count == subject.problem.len() {
        Ok(names.finalize().to_vec())
    } else {
        Err(format!("it has {count} rows for {} cells", subject.problem.len()))
    }
}

fn check_row(name: &str, at: usize, row: &Row, subject: &Subject<'_>, found: &mut Vec<String>) {
    let (problem, cell) = (subject.problem, CellId::at(at));
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
