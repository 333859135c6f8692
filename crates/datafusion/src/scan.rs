//! Reads files record by record, so that each has its place. Slower than the engine; for errors and for finished tables.

use crate::columns::{amounts, codes};
use crate::csv_file;
use crate::files::{Files, Input, Kind, parquet, unreadable};
use cellveil_tabulate::{Locate, Place, TabulateError, text};
use datafusion::arrow::array::{Array, ArrayRef, StringArray};
use parquet::arrow::ProjectionMask;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// Some records: the columns asked for, and where they stand.
pub(crate) struct Batch {
    pub(crate) columns: Vec<ArrayRef>,
    file: PathBuf,
    places: Places,
}

enum Places {
    Lines(Vec<u64>),
    /// The number of the first row.
    Rows(u64),
}

impl Batch {
    pub(crate) fn place(&self, record: usize) -> Place {
        match &self.places {
            Places::Lines(lines) => Place::Line(self.file.clone(), lines[record]),
            Places::Rows(first) => Place::Row(self.file.clone(), first + record as u64),
        }
    }
}

/// Visits all records of a file until told to stop.
pub(crate) fn scan(
    input: &Input,
    columns: &[&str],
    visit: &mut dyn FnMut(Batch) -> Result<ControlFlow<()>, TabulateError>,
) -> Result<(), TabulateError> {
    let positions =
        columns.iter().map(|column| input.position(column)).collect::<Result<Vec<usize>, _>>()?;
    match &input.kind {
        Kind::Csv { delimiter, header, .. } => {
            scan_csv(input, *delimiter, header.len(), &positions, visit)
        }
        Kind::Parquet { .. } => scan_parquet(input, &positions, visit),
    }
}

fn scan_csv(
    input: &Input,
    delimiter: u8,
    width: usize,
    positions: &[usize],
    visit: &mut dyn FnMut(Batch) -> Result<ControlFlow<()>, TabulateError>,
) -> Result<(), TabulateError> {
    const RECORDS: usize = 4096;
    let mut reader =
        csv_file::reader(&input.read, delimiter).map_err(|why| unreadable(&input.path, &why))?;
    let mut record = csv::StringRecord::new();
    loop {
        let mut lines = Vec::new();
        let mut fields: Vec<Vec<Option<String>>> = vec![Vec::new(); positions.len()];
        let mut fault = None;
        while lines.len() < RECORDS && fault.is_none() {
            match reader.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) => {
                    lines.push(record.position().map_or(0, csv::Position::line));
                    for (column, &at) in fields.iter_mut().zip(positions) {
                        column.push(
                            record.get(at).filter(|field| !field.is_empty()).map(str::to_owned),
                        );
                    }
                }
                Err(error) => fault = Some(malformed(input, width, &error)),
            }
        }
        let is_last = lines.len() < RECORDS;
        let columns = fields
            .into_iter()
            .map(|column| Arc::new(StringArray::from(column)) as ArrayRef)
            .collect();
        let batch = Batch { columns, file: input.path.clone(), places: Places::Lines(lines) };
        if visit(batch)?.is_break() {
            return Ok(());
        }
        match fault {
            Some(fault) => return Err(fault),
            None if is_last => return Ok(()),
            None => {}
        }
    }
}

fn malformed(input: &Input, width: usize, error: &csv::Error) -> TabulateError {
    let line = error.position().map_or(0, csv::Position::line);
    let why = match error.kind() {
        csv::ErrorKind::UnequalLengths { len, .. } => {
            format!(
                "has {len} fields where the header has {width}; correct the line, or quote fields that hold the delimiter"
            )
        }
        _ => format!("cannot be read: {error}"),
    };
    TabulateError::Malformed { place: Place::Line(input.path.clone(), line), why }
}

fn scan_parquet(
    input: &Input,
    positions: &[usize],
    visit: &mut dyn FnMut(Batch) -> Result<ControlFlow<()>, TabulateError>,
) -> Result<(), TabulateError> {
    let corrupt = |why: String| TabulateError::Corrupt { file: input.path.clone(), why };
    let builder = parquet(&input.read)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), positions.iter().copied());
    let reader = builder.with_projection(mask).build().map_err(|why| corrupt(why.to_string()))?;
    // The reader returns each column once, in the order of the file.
    let mut order = positions.to_vec();
    order.sort_unstable();
    order.dedup();
    let mut first = 1;
    for batch in reader {
        let batch = batch.map_err(|why| corrupt(why.to_string()))?;
        let column = |position: &usize| {
            order.binary_search(position).ok().map(|at| batch.column(at).clone())
        };
        let columns: Vec<ArrayRef> = positions.iter().filter_map(column).collect();
        let places = Places::Rows(first);
        first += batch.num_rows() as u64;
        if visit(Batch { columns, file: input.path.clone(), places })?.is_break() {
            return Ok(());
        }
    }
    Ok(())
}

impl Locate for Files {
    fn first(&self, wanted: &[(&str, Option<&str>)]) -> Place {
        let columns: Vec<&str> = wanted.iter().map(|&(column, _)| column).collect();
        let mut found = None;
        for input in &self.inputs {
            let mut visit = |batch: Batch| {
                let texts: Vec<StringArray> =
                    batch.columns.iter().filter_map(|column| codes(column).ok()).collect();
                let records = texts.first().map_or(0, Array::len);
                let fits = |&record: &usize| {
                    texts.iter().zip(wanted).all(|(column, &(_, value))| {
                        column.is_valid(record).then(|| column.value(record)).and_then(text::code)
                            == value
                    })
                };
                found = (0..records).find(fits).map(|record| batch.place(record));
                Ok(if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            };
            // A file that cannot be read again still has a name to point to.
            if scan(input, &columns, &mut visit).is_err() || found.is_some() {
                break;
            }
        }
        found.unwrap_or_else(|| Place::File(self.root.clone()))
    }
}

/// Looks for the record at which the engine failed: a malformed line, or a field that is not a number.
pub(crate) fn diagnose(
    files: &Files,
    codes: &[&str],
    numbers: &[(&str, bool)],
) -> Result<(), TabulateError> {
    let columns: Vec<&str> =
        numbers.iter().map(|&(column, _)| column).chain(codes.iter().copied()).collect();
    for input in &files.inputs {
        scan(input, &columns, &mut |batch| {
            let bad = |(at, &(column, are_weights)): (usize, &(&str, bool))| {
                amounts(&batch.columns[at], are_weights)
                    .err()
                    .map(|bad| (bad.row, column.to_owned(), bad.fault))
            };
            let faults = numbers.iter().enumerate().filter_map(bad);
            match faults.min_by_key(|(row, _, _)| *row) {
                Some((row, column, fault)) => {
                    Err(TabulateError::Amount { place: batch.place(row), column, fault })
                }
                None => Ok(ControlFlow::Continue(())),
            }
        })?;
    }
    Ok(())
}
