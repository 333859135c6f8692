//! The rows of `table.csv` and `table.parquet`, in one form.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use cellveil_core::units;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;

/// The columns after those that name the cell.
const LAST: [&str; 3] = ["value", "status", "CONF_STATUS"];

/// What one row shows.
pub(super) struct Row {
    pub(super) names: Vec<String>,
    pub(super) value: Shown,
    pub(super) status: String,
    pub(super) conf_status: String,
}

/// A value as a format holds it.
#[derive(PartialEq)]
pub(super) enum Shown {
    Nothing,
    Text(String),
    Whole(i64),
    Real(f64),
}

impl Shown {
    /// Whether this is an amount of units, exactly as that format writes it.
    pub(super) fn is(&self, amount: i64, decimals: u8) -> bool {
        match self {
            Self::Nothing => false,
            Self::Text(text) => *text == units::display(amount, decimals).to_string(),
            Self::Whole(number) => decimals == 0 && *number == amount,
            Self::Real(number) => {
                decimals > 0 && number.to_bits() == units::to_f64(amount, decimals).to_bits()
            }
        }
    }
}

/// A table file being read row by row.
pub(super) struct TableFile {
    pub(super) columns: Vec<String>,
    pub(super) rows: Box<dyn Iterator<Item = Result<Row, String>>>,
}

fn name_columns(columns: &[String]) -> Result<usize, String> {
    match columns.len().checked_sub(LAST.len()) {
        Some(width) if columns[width..].iter().eq(LAST) => Ok(width),
        _ => Err("the last columns must be `value,status,CONF_STATUS`".to_owned()),
    }
}

pub(super) fn open_csv(path: &Path) -> Result<TableFile, String> {
    let mut reader = csv::Reader::from_path(path).map_err(|_| "cannot be read".to_owned())?;
    let header = reader.headers().map_err(|_| "is not CSV".to_owned())?;
    let columns: Vec<String> = header.iter().map(str::to_owned).collect();
    let width = name_columns(&columns)?;
    let rows = reader.into_records().enumerate().map(move |(at, record)| {
        let record = record.map_err(|_| format!("row {at} is not CSV of as many columns"))?;
        let text = |column: usize| record.get(column).unwrap_or_default().to_owned();
        let value = match text(width) {
            empty if empty.is_empty() => Shown::Nothing,
            value => Shown::Text(value),
        };
        Ok(Row {
            names: (0..width).map(text).collect(),
            value,
            status: text(width + 1),
            conf_status: text(width + 2),
        })
    });
    Ok(TableFile { columns, rows: Box::new(rows) })
}

pub(super) fn open_parquet(path: &Path) -> Result<TableFile, String> {
    let file = File::open(path).map_err(|_| "cannot be read".to_owned())?;
    let damaged = |_| "is damaged".to_owned();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let columns: Vec<String> =
        builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    let width = name_columns(&columns)?;
    let batches = builder.build().map_err(damaged)?;
    let rows = batches.flat_map(move |batch| match batch {
        Ok(batch) => rows_of(&batch, width),
        Err(_) => vec![Err("is damaged".to_owned())],
    });
    Ok(TableFile { columns, rows: Box::new(rows) })
}

fn rows_of(batch: &RecordBatch, width: usize) -> Vec<Result<Row, String>> {
    let row = |row: usize| {
        let text = |column: usize| text_at(batch.column(column), row);
        Ok(Row {
            names: (0..width).map(text).collect::<Option<_>>().ok_or("a code is not a text")?,
            value: value_at(batch.column(width), row).ok_or("`value` is not a number")?,
            status: text(width + 1).ok_or("`status` is not a text")?,
            conf_status: text(width + 2).ok_or("`CONF_STATUS` is not a text")?,
        })
    };
    (0..batch.num_rows()).map(row).map(|row| row.map_err(|what: &str| what.to_owned())).collect()
}

/// A text or a number; nothing is an empty text, as in CSV.
fn text_at(column: &dyn Array, row: usize) -> Option<String> {
    if column.is_null(row) {
        return Some(String::new());
    }
    match column.as_string_opt::<i32>() {
        Some(texts) => Some(texts.value(row).to_owned()),
        None => Some(column.as_primitive_opt::<Int64Type>()?.value(row).to_string()),
    }
}

fn value_at(column: &dyn Array, row: usize) -> Option<Shown> {
    if column.is_null(row) {
        return Some(Shown::Nothing);
    }
    match column.as_primitive_opt::<Int64Type>() {
        Some(numbers) => Some(Shown::Whole(numbers.value(row))),
        None => Some(Shown::Real(column.as_primitive_opt::<Float64Type>()?.value(row))),
    }
}
