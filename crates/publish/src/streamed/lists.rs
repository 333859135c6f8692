//! The lists of a release, read again: its table and its pattern as CSV.

use super::files::{PATTERN, TABLE_CSV};
use super::table::{columns, names};
use super::walk::walk;
use crate::columns::NameColumns;
use crate::confidentiality::{agree, status_letter};
use crate::grid::Field;
use cellveil_core::{Why, units};
use cellveil_tabulate::Gathered;
use std::fs::File;
use std::path::Path;

type Reader = csv::Reader<File>;

fn open(path: &Path, name: &str, header: &[String]) -> Result<Reader, String> {
    let unreadable = |_| format!("`{name}` is damaged");
    let mut reader = csv::Reader::from_path(path).map_err(unreadable)?;
    let found = reader.headers().map_err(unreadable)?;
    if found.iter().eq(header) {
        Ok(reader)
    } else {
        Err(format!("`{name}` has other columns than it should"))
    }
}

/// Compares `table.csv` with the cells that the finest ones make.
pub(super) fn compare_csv(
    path: &Path,
    gathered: &Gathered,
    statuses: &[Option<Why>],
) -> Result<(), String> {
    let frame = gathered.frame();
    let cells = names(frame);
    let names = NameColumns::new(&cells).map_err(|error| error.to_string())?;
    let columns = columns(&names, frame.units().value);
    let header: Vec<String> = columns.into_iter().map(|column| column.name).collect();
    let reader = open(path, TABLE_CSV, &header)?;
    let record = csv::StringRecord::new();
    let mut compared = Compared { decimals: frame.units().value, reader, record, statuses, at: 0 };
    walk(gathered, &names, |fields, value| {
        let is_shown = compared.next().is_some() && compared.shows(fields, value);
        compared.at += 1;
        is_shown.then_some(()).ok_or(TABLE_CSV)
    })?;
    match compared.next() {
        Some(()) => Err(format!("`{TABLE_CSV}` has more rows than there are cells")),
        None => Ok(()),
    }
}

/// Cells beside the rows of the table.
struct Compared<'a> {
    decimals: u8,
    reader: Reader,
    record: csv::StringRecord,
    statuses: &'a [Option<Why>],
    at: usize,
}

impl Compared<'_> {
    /// Goes to the next row; `None` if there is none that can be read.
    fn next(&mut self) -> Option<()> {
        self.reader.read_record(&mut self.record).is_ok_and(|is_there| is_there).then_some(())
    }

    /// Whether the row shows this cell as it must.
    fn shows(&self, fields: &[Field<'_>], value: i64) -> bool {
        let Some(&why) = self.statuses.get(self.at) else { return false };
        let is_named = fields.iter().zip(&self.record).all(|(field, text)| match field {
            Field::Text(name) => name == text,
            _ => text.is_empty(),
        });
        let shown = |at: usize| self.record.get(fields.len() + at).unwrap_or_default();
        let is_valued = match why {
            None => shown(0) == units::display(value, self.decimals).to_string(),
            Some(_) => shown(0).is_empty(),
        };
        is_named && is_valued && shown(1) == status_letter(why) && agree(why, shown(2))
    }
}

/// Compares `pattern.csv` with the statuses of the public table.
pub(super) fn compare_pattern(
    path: &Path,
    _: &Gathered,
    statuses: &[Option<Why>],
) -> Result<(), String> {
    let mut reader = open(path, PATTERN, &["cell".to_owned(), "status".to_owned()])?;
    let mut record = csv::StringRecord::new();
    let mut next = || {
        let is_there = reader.read_record(&mut record).ok()?;
        is_there.then(|| {
            (record.get(0).and_then(|at| at.parse().ok()), record.get(1).map(str::to_owned))
        })
    };
    let withheld = statuses.iter().enumerate().filter(|(_, why)| why.is_some());
    for (at, &why) in withheld {
        if next() != Some((Some(at), Some(status_letter(why).to_owned()))) {
            return Err(format!("`{PATTERN}` does not list cell {at} as the table does"));
        }
    }
    match next() {
        Some(_) => Err(format!("`{PATTERN}` lists more cells than the table")),
        None => Ok(()),
    }
}
