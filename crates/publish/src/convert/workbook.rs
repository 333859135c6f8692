//! Reads the first sheet of a workbook: a header, then one row a line.

use super::sheet::Sheet;
use crate::PublishError;
use calamine::{Data, Reader, Xlsx};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Reads a table. Dates and errors are no values of tables.
pub(super) fn read(path: &Path) -> Result<Sheet, PublishError> {
    let wrong = |what: &str| PublishError::Unwritable(format!("`{}` {what}", path.display()));
    let file = File::open(path).map_err(PublishError::io("read", path))?;
    let damaged = "is not a whole workbook; save or copy it again";
    let mut workbook = Xlsx::new(BufReader::new(file)).map_err(|_| wrong(damaged))?;
    let range =
        workbook.worksheet_range_at(0).and_then(Result::ok).ok_or_else(|| wrong(damaged))?;
    let mut rows = range.rows();
    let header =
        rows.next().ok_or_else(|| wrong("has an empty first sheet; put a header there"))?;
    let names: Vec<String> = header.iter().map(|name| name.to_string().trim().to_owned()).collect();
    let mut texts = Vec::new();
    for (line, row) in (2..).zip(rows) {
        let row: Option<Vec<String>> = row.iter().map(text).collect();
        let row = row.ok_or_else(|| {
            let what = "holds a date or an error; save it as text or as a number";
            PublishError::Line { path: path.to_owned(), line, what: what.to_owned() }
        })?;
        texts.push(row);
    }
    Ok(Sheet::typed(names, texts))
}

fn text(value: &Data) -> Option<String> {
    match value {
        Data::Empty => Some(String::new()),
        Data::String(text) => Some(text.clone()),
        Data::Float(number) => Some(number.to_string()),
        Data::Int(number) => Some(number.to_string()),
        Data::Bool(flag) => Some(u8::from(*flag).to_string()),
        _ => None,
    }
}
