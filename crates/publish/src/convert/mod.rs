//! The same content in another format.
//!
//! Tables and records are rows and columns, and so are instances (cells, and beside them as `<name>-relations` relations) and the
//! small files of τ-ARGUS: hierarchies, labels, recodes, a-priori lines. All of them go to CSV, Parquet and workbooks and come back.
//! Data with an `.rda` file of τ-ARGUS beside them are read by it; tables go back to `.tab`, records to `.asc` (fixed) or
//! `.dat` (free), all with `.rda`.

mod argus;
mod instance;
mod lists;
mod records;
mod sheet;
mod workbook;

use crate::PublishError;
use crate::csv_file::write_csv;
use crate::parquet_file::write_parquet;
use crate::single::write_file;
use crate::xlsx_file::write_xlsx;
use cellveil_argus::jj;
use cellveil_core::Problem;
use lists::List;
use records::Layout;
use sheet::Sheet;
use std::io::Write;
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
    /// Records of τ-ARGUS.
    Records(Layout),
    /// A hierarchy, labels, a recode or a-priori lines.
    List(List),
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
            Some("asc") => Ok(Self::Records(Layout::Fixed)),
            Some("dat" | "txt") => Ok(Self::Records(Layout::Free)),
            Some("hrc") => Ok(Self::List(List::Hierarchy)),
            Some("cdl") => Ok(Self::List(List::Labels)),
            Some("grc") => Ok(Self::List(List::Recode)),
            Some("hst") => Ok(Self::List(List::Apriori)),
            _ => Err(PublishError::Unwritable(format!(
                "`{}` is of no known kind; name a file that ends in `.csv`, `.parquet`, `.xlsx`, `.jj`, `.tab`, `.asc`, `.dat`, `.hrc`, `.cdl`, `.grc` or `.hst`",
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
        (Format::Tab | Format::Records(_), _) => Err(PublishError::Unwritable(format!(
            "`{}` has no metadata; put its `.rda` file beside it, under the same name",
            from.display()
        ))),
        (Format::Jj, Format::Jj) => write_instance(&instance::read_jj(from)?, to),
        (Format::Jj, format @ (Format::Csv | Format::Parquet | Format::Xlsx)) => {
            let problem = instance::read_jj(from)?;
            let mut files = write_sheet(&instance::cells(&problem), to, format)?;
            let relations = instance::relations(&problem);
            files.extend(write_sheet(&relations, &beside(to, "relations"), format)?);
            Ok(files)
        }
        (Format::Jj, _) => Err(PublishError::Unwritable(
            "the cells of an instance have numbers, no codes; convert it to `.csv`, `.parquet` or `.xlsx`"
                .to_owned(),
        )),
        (format, Format::Jj) => {
            let cells = read_sheet(from, format)?;
            let relations = read_sheet(&beside(from, "relations"), format)?;
            let text = instance::jj_text(&cells, &relations)
                .map_err(|what| instance::wrong(from, what))?;
            let problem = jj::read(&text, 0).map_err(|error| instance::wrong(from, error))?;
            write_instance(&problem, to)
        }
        (format, Format::Tab) => {
            let sheet = read_sheet(from, format)?;
            let hierarchies = hierarchies_beside(&sheet, from, format)?;
            argus::write_tab(&sheet, &hierarchies, to)
        }
        (format, target) => write_sheet(&read_sheet(from, format)?, to, target),
    }
}

/// The hierarchies that stand beside a table as `<name>-<variable>`, each with its variable.
fn hierarchies_beside(
    sheet: &Sheet,
    from: &Path,
    format: Format,
) -> Result<Vec<(String, String)>, PublishError> {
    let mut found = Vec::new();
    for name in sheet.names() {
        let path = beside(from, name);
        if path.is_file() {
            let text = lists::text_of(List::Hierarchy, &read_sheet(&path, format)?)?;
            found.push((name.to_owned(), text));
        }
    }
    Ok(found)
}

/// Data of τ-ARGUS in another format, with the hierarchies of a table beside it.
fn from_argus(from: &Path, rda: &Path, to: &Path) -> Result<Vec<PathBuf>, PublishError> {
    let target = Format::of(to)?;
    if target == Format::Jj {
        let table = argus::table(from, rda)?;
        return write_file(to, |sink| cellveil_argus::write::write_jj(&table, false, sink));
    }
    let sheet = argus::read(from, rda)?;
    let hierarchies = argus::hierarchies(from, rda)?;
    match target {
        Format::Tab => {
            let text = |(name, sheet): &(String, Sheet)| {
                Ok((name.clone(), lists::text_of(List::Hierarchy, sheet)?))
            };
            let hierarchies: Result<Vec<_>, PublishError> = hierarchies.iter().map(text).collect();
            argus::write_tab(&sheet, &hierarchies?, to)
        }
        Format::List(_) => {
            Err(PublishError::Unwritable("data are no list of codes; convert the list".to_owned()))
        }
        target => {
            let mut files = write_sheet(&sheet, to, target)?;
            if !matches!(target, Format::Records(_)) {
                for (name, hierarchy) in &hierarchies {
                    files.extend(write_sheet(hierarchy, &beside(to, name), target)?);
                }
            }
            Ok(files)
        }
    }
}

/// `x-relations.csv` for `x.csv`.
fn beside(path: &Path, what: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{what}.{extension}"))
}

fn read_sheet(path: &Path, format: Format) -> Result<Sheet, PublishError> {
    match format {
        Format::Parquet => Sheet::read_parquet(path),
        Format::Xlsx => workbook::read(path),
        Format::List(list) => lists::read(list, path),
        _ => Sheet::read_csv(path),
    }
}

fn write_sheet(sheet: &Sheet, path: &Path, format: Format) -> Result<Vec<PathBuf>, PublishError> {
    let title = path.file_stem().unwrap_or_default().to_string_lossy();
    match format {
        Format::Parquet => write_file(path, |sink| write_parquet(sheet, sink)),
        Format::Xlsx => {
            let folder = std::env::temp_dir();
            write_file(path, |sink| write_xlsx(sheet, &title, &folder, sink))
        }
        Format::Records(layout) => records::write(sheet, layout, path),
        Format::List(list) => {
            let text = lists::text_of(list, sheet)?;
            write_file(path, |sink| sink.write_all(text.as_bytes()))
        }
        _ => write_file(path, |sink| write_csv(sheet, sink)),
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
