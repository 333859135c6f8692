//! The same content in another format.
//!
//! Tables go from CSV or Parquet to CSV, Parquet or a workbook. Instances go from a JJ file to a JJ file or to two tables, one
//! of cells and, beside it as `<name>-relations`, one of relations; and back.

mod instance;
mod sheet;

use crate::PublishError;
use crate::csv_file::write_csv;
use crate::grid::Grid;
use crate::parquet_file::write_parquet;
use crate::single::write_file;
use crate::xlsx_file::write_xlsx;
use cellveil_argus::jj;
use cellveil_core::Problem;
use sheet::Sheet;
use std::path::{Path, PathBuf};

/// The kinds of file that content is converted from and to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Jj,
    Csv,
    Parquet,
    Xlsx,
}

impl Format {
    fn of(path: &Path) -> Result<Self, PublishError> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_lowercase).as_deref() {
            Some("jj") => Ok(Self::Jj),
            Some("csv") => Ok(Self::Csv),
            Some("parquet") => Ok(Self::Parquet),
            Some("xlsx") => Ok(Self::Xlsx),
            _ => Err(PublishError::Unwritable(format!(
                "`{}` is of no known kind; name a file that ends in `.jj`, `.csv`, `.parquet` or `.xlsx`",
                path.display()
            ))),
        }
    }
}

/// Writes the content of one file in the format of another. Returns the files written.
///
/// # Errors
/// [`PublishError`] if a file cannot be read or written, or the one format cannot hold the other's content.
pub fn convert(from: &Path, to: &Path) -> Result<Vec<PathBuf>, PublishError> {
    match (Format::of(from)?, Format::of(to)?) {
        (Format::Xlsx, _) => Err(PublishError::Unwritable(format!(
            "`{}` is a workbook, which is for people; convert the `.csv` or `.parquet` file beside it",
            from.display()
        ))),
        (Format::Jj, Format::Jj) => write_instance(&instance::read_jj(from)?, to),
        (Format::Jj, Format::Xlsx) => Err(PublishError::Unwritable(
            "an instance is no table for people; convert it to `.csv` or `.parquet`".to_owned(),
        )),
        (Format::Jj, format) => {
            let problem = instance::read_jj(from)?;
            let mut files = write_sheet(&instance::cells(&problem), to, format)?;
            files.extend(write_sheet(&instance::relations(&problem), &beside(to), format)?);
            Ok(files)
        }
        (format, Format::Jj) => {
            let cells = read_sheet(from, format)?;
            let relations = read_sheet(&beside(from), format)?;
            let text = instance::jj_text(&cells, &relations)
                .map_err(|what| instance::wrong(from, what))?;
            let problem = jj::read(&text, 0).map_err(|error| instance::wrong(from, error))?;
            write_instance(&problem, to)
        }
        (format, target) => write_sheet(&read_sheet(from, format)?, to, target),
    }
}

/// `x-relations.csv` for `x.csv`.
fn beside(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-relations.{extension}"))
}

fn read_sheet(path: &Path, format: Format) -> Result<Sheet, PublishError> {
    match format {
        Format::Parquet => Sheet::read_parquet(path),
        Format::Csv | Format::Jj | Format::Xlsx => Sheet::read_csv(path),
    }
}

fn write_sheet(
    grid: &impl Grid,
    path: &Path,
    format: Format,
) -> Result<Vec<PathBuf>, PublishError> {
    let title = path.file_stem().unwrap_or_default().to_string_lossy();
    match format {
        Format::Parquet => write_file(path, |sink| write_parquet(grid, sink)),
        Format::Xlsx => {
            let folder = std::env::temp_dir();
            write_file(path, |sink| write_xlsx(grid, &title, &folder, sink))
        }
        Format::Csv | Format::Jj => write_file(path, |sink| write_csv(grid, sink)),
    }
}

/// Writes an instance as a JJ file, whole or not at all.
///
/// # Errors
/// [`PublishError`] if it cannot be written.
pub fn write_instance(problem: &Problem, path: &Path) -> Result<Vec<PathBuf>, PublishError> {
    write_file(path, |sink| jj::write(problem, sink))
}

#[cfg(test)]
mod tests;
