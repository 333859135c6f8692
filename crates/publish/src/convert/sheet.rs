//! A table file in memory, whatever its format.

use crate::PublishError;
use crate::grid::{Column, Field, Grid, Kind};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use cellveil_core::units::Decimal;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::borrow::Cow;
use std::fs::File;
use std::path::Path;

/// Columns that hold numbers in files of cellveil; all others hold text, also where a code looks like a number.
const NUMBERS: [&str; 15] = [
    "cell",
    "value",
    "respondents",
    "holdings",
    "weighted_count",
    "cost",
    "lower",
    "upper",
    "down",
    "up",
    "sliding",
    "singleton",
    "relation",
    "constant",
    "coefficient",
];

/// Numbers have at most so many decimals in a converted table.
const DECIMALS: u8 = 9;

/// Rows and columns.
pub(super) struct Sheet {
    columns: Vec<Column>,
    /// One text per column; empty where there is nothing.
    rows: Vec<Vec<String>>,
}

impl Sheet {
    pub(super) fn new(columns: &[(&str, Kind)], rows: Vec<Vec<String>>) -> Self {
        let columns = columns.iter().map(|&(name, kind)| Column::new(name, kind)).collect();
        Self { columns, rows }
    }

    pub(super) fn read_csv(path: &Path) -> Result<Self, PublishError> {
        let wrong = |error: csv::Error| match error.position() {
            Some(position) => PublishError::Line {
                path: path.to_owned(),
                line: position.line(),
                what: "is not CSV of as many columns as the header".to_owned(),
            },
            None => PublishError::io("read", path)(error.into()),
        };
        let mut reader = csv::Reader::from_path(path).map_err(wrong)?;
        let names: Vec<String> =
            reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            rows.push(record.map_err(wrong)?.iter().map(str::to_owned).collect());
        }
        Ok(Self::typed(names, rows))
    }

    pub(super) fn read_parquet(path: &Path) -> Result<Self, PublishError> {
        let file = File::open(path).map_err(PublishError::io("read", path))?;
        let damaged = || {
            let what = "is not a whole Parquet file; write or copy it again";
            PublishError::Unwritable(format!("`{}` {what}", path.display()))
        };
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|_| damaged())?;
        let fields = builder.schema().fields().clone();
        let names = fields.iter().map(|field| field.name().clone()).collect();
        let mut rows = Vec::new();
        for batch in builder.build().map_err(|_| damaged())? {
            let batch = batch.map_err(|_| damaged())?;
            for row in 0..batch.num_rows() {
                rows.push(texts(&batch, row).ok_or_else(|| {
                    let what = "has columns that are neither text nor numbers of 64 bits";
                    PublishError::Unwritable(format!("`{}` {what}", path.display()))
                })?);
            }
        }
        Ok(Self::typed(names, rows))
    }

    /// Finds out which columns hold numbers.
    pub(super) fn typed(names: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        let column = |(at, name): (usize, String)| {
            let texts = rows.iter().map(|row| row[at].as_str());
            let kind = if is_number(&name) { number_kind(texts) } else { Kind::Text };
            Column::new(name, kind)
        };
        let columns = names.into_iter().enumerate().map(column).collect();
        Self { columns, rows }
    }

    /// Where a column stands.
    pub(super) fn column(&self, name: &str) -> Result<usize, String> {
        let found = self.columns.iter().position(|column| column.name == name);
        found.ok_or_else(|| format!("there is no column `{name}`"))
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// The rows, one text per column.
    pub(super) fn texts(&self) -> &[Vec<String>] {
        &self.rows
    }
}

fn is_number(name: &str) -> bool {
    NUMBERS.contains(&name) || name.starts_with("top_")
}

/// Whole numbers, amounts with few decimals, other numbers, or text if any entry is no number.
pub(super) fn number_kind<'a>(texts: impl Iterator<Item = &'a str>) -> Kind {
    let (mut decimals, mut exact) = (0, true);
    for text in texts.filter(|text| !text.is_empty()) {
        match Decimal::parse(text) {
            Some(number) if number.units(number.decimals.min(DECIMALS)).is_some() => {
                let written = text.split_once('.').map_or(0, |(_, after)| after.len());
                decimals = decimals.max(number.decimals.max(u8::try_from(written).unwrap_or(0)));
            }
            _ if text.parse::<f64>().is_ok() => exact = false,
            _ => return Kind::Text,
        }
    }
    match (exact, decimals) {
        (true, 0) => Kind::Whole,
        (true, decimals) if decimals <= DECIMALS => Kind::Amount(decimals),
        _ => Kind::Real,
    }
}

fn texts(batch: &RecordBatch, row: usize) -> Option<Vec<String>> {
    let text = |column: &dyn Array| {
        if column.is_null(row) {
            return Some(String::new());
        }
        Some(match column.data_type() {
            DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
            DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
            DataType::Float64 => column.as_primitive::<Float64Type>().value(row).to_string(),
            _ => return None,
        })
    };
    batch.columns().iter().map(|column| text(column)).collect()
}

impl Grid for Sheet {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn fill<'a>(&'a self, row: usize, fields: &mut Vec<Field<'a>>) {
        for (text, column) in self.rows[row].iter().zip(&self.columns) {
            let number = || Decimal::parse(text);
            let field = match column.kind {
                Kind::Text => Some(Field::Text(Cow::Borrowed(text))),
                Kind::Whole => number().and_then(|n| n.units(0)).map(Field::Whole),
                Kind::Amount(decimals) => {
                    number().and_then(|n| n.units(decimals)).map(Field::Amount)
                }
                Kind::Real => text.parse().ok().map(Field::Real),
            };
            fields.push(field.filter(|_| !text.is_empty()).unwrap_or(Field::Empty));
        }
    }

    fn is_marked(&self, row: usize) -> bool {
        let marks = |column: &Column| column.name == "status";
        let status = self.columns.iter().position(marks).map(|at| self.rows[row][at].as_str());
        let released = self.columns.iter().any(|column| column.name == "CONF_STATUS");
        released && matches!(status, Some("p" | "s"))
    }
}
