//! Hands files to the engine.

use crate::files::{Input, Kind};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::Result;
use datafusion::prelude::{CsvReadOptions, DataFrame, ParquetReadOptions, SessionContext};
use std::fmt::Write as _;
use std::path::Path;

/// CSV columns go by position, because headers may repeat names that nobody asks for.
pub(crate) fn synthetic(position: usize) -> String {
    format!("c{position}")
}

/// Files that look alike, as one.
pub(crate) async fn read(context: &SessionContext, alike: &[Input]) -> Result<DataFrame> {
    let paths = alike.iter().map(|input| url(&input.read)).collect::<Result<Vec<String>>>()?;
    match &alike[0].kind {
        Kind::Parquet { .. } => {
            let options =
                ParquetReadOptions { file_extension: "", ..ParquetReadOptions::default() };
            context.read_parquet(paths, options).await
        }
        Kind::Csv { delimiter, header, multiline } => {
            let field = |at| Field::new(synthetic(at), DataType::Utf8, true);
            let schema = Schema::new((0..header.len()).map(field).collect::<Vec<Field>>());
            let options = CsvReadOptions::new()
                .schema(&schema)
                .delimiter(*delimiter)
                .newlines_in_values(*multiline)
                .file_extension("");
            context.read_csv(paths, options).await
        }
    }
}

/// A path as a URL, because the engine takes `*`, `?` and `[` in a path for patterns.
fn url(path: &Path) -> Result<String> {
    let full = std::fs::canonicalize(path)?;
    let text = full.to_string_lossy().replace('\\', "/");
    let text = text.trim_start_matches("//?/");
    let mut url = "file://".to_owned();
    if !text.starts_with('/') {
        url.push('/');
    }
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            url.push(char::from(byte));
        } else {
            _ = write!(url, "%{byte:02X}");
        }
    }
    Ok(url)
}
