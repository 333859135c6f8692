//! The same content in another format.
//!
//! Tables go from CSV or Parquet to CSV, Parquet or a workbook. Instances go from a JJ file to a JJ file or to two tables, one
//! of cells and, beside it as `<name>-relations`, one of relations; and back. Data with an `.rda` file of τ-ARGUS beside them
//! go to all of these, tables go back to `.tab` with `.rda`, and hierarchies from `.hrc` to parent–child files and back.

mod argus;
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
    /// A table of τ-ARGUS.
    Tab,
    /// A hierarchy.
    Hrc,
}

impl Format {
    fn of(path: &Path) -> Result<Self, PublishError> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_lowercase).as_deref() {
            Some("jj") => Ok(Self::Jj),
            Some("csv") => Ok(Self::Csv),
            Some("parquet") => Ok(Self::Parquet),
            Some("xlsx") => Ok(Self::Xlsx),
            Some("tab") => Ok(Self::Tab),
            Some("hrc") => Ok(Self::Hrc),
            _ => Err(PublishError::Unwritable(format!(
                "`{}` is of no known kind; name a file that ends in `.jj`, `.csv`, `.parquet`, `.xlsx`, `.tab` or `.hrc`",
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
    let is_text = |path: &Path| {
        let end = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        matches!(end.as_str(), "tab" | "csv" | "txt" | "asc" | "dat")
    };
    if let Some(rda) = argus::metadata_of(from).filter(|_| is_text(from)) {
        return from_argus(from, &rda, to);
    }
    match (Format::of(from)?, Format::of(to)?) {
        (Format::Tab, _) => Err(PublishError::Unwritable(format!(
            "`{}` has no metadata; put its `.rda` file beside it, under the same name",
            from.display()
        ))),
        (Format::Hrc, format @ (Format::Csv | Format::Parquet | Format::Xlsx)) => {
            write_sheet(&argus::hierarchy(from)?, to, format)
        }
        (format @ (Format::Csv | Format::Parquet), Format::Hrc) => {
            argus::write_hierarchy(&read_sheet(from, format)?, to)
        }
        (Format::Hrc, _) | (_, Format::Hrc) => Err(PublishError::Unwritable(
            "a hierarchy is converted to and from `.csv` or `.parquet` files of parents and children"
                .to_owned(),
        )),
        (format @ (Format::Csv | Format::Parquet), Format::Tab) => {
            argus::write_tab(&read_sheet(from, format)?, to)
        }
        (Format::Jj, Format::Tab) => Err(PublishError::Unwritable(
            "the cells of an instance have numbers, no codes; convert it to `.csv` or `.parquet`"
                .to_owned(),
        )),
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

/// Data of τ-ARGUS in another format.
fn from_argus(from: &Path, rda: &Path, to: &Path) -> Result<Vec<PathBuf>, PublishError> {
    match Format::of(to)? {
        Format::Jj => {
            let table = argus::table(from, rda)?;
            write_file(to, |sink| cellveil_argus::write::write_jj(&table, false, sink))
        }
        Format::Tab => argus::write_tab(&argus::read(from, rda)?, to),
        Format::Hrc => Err(PublishError::Unwritable("a table is no hierarchy".to_owned())),
        format => write_sheet(&argus::read(from, rda)?, to, format),
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
        _ => Sheet::read_csv(path),
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
        _ => write_file(path, |sink| write_csv(grid, sink)),
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
