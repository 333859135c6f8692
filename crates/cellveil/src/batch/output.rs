//! `<WRITETABLE>`: files that appear whole or not at all, each with its report.

use super::BatchError;
use super::machine::Machine;
use crate::Error;
use cellveil_argus::arb::{Save, SaveOptions};
use cellveil_argus::write;
use cellveil_argus::{Adjusting, ArgusTable, Fault};
use cellveil_core::Interval;
use cellveil_publish::{ReportNote, argus_report, write_bytes};
use std::io;
use std::path::{Path, PathBuf};

impl Machine<'_> {
    pub(super) fn write_table(
        &mut self,
        at: usize,
        save: Save,
        options: SaveOptions,
        name: &str,
    ) -> Result<(), BatchError> {
        self.check_type(at, save)?;
        let with_status =
            matches!(save, Save::Pivot | Save::CodeValue) && options.status == Some(true);
        if !with_status && !matches!(save, Save::Intermediate | Save::Jj) {
            self.check_public(at)?;
        }
        let path = self.paths.output(name)?;
        let loaded = &self.tables[at];
        let protection = loaded.protection.as_ref();
        let intervals = protection.and_then(|protection| protection.intervals.as_deref());
        let table = loaded.table();
        let mut files = contents(table, save, options, &path, intervals)
            .map_err(|why| Fault::new(&path, why.to_string()))?;
        let base =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let note = ReportNote {
            batch: base(self.path),
            inputs: self.paths.read.iter().map(|path| base(path)).collect(),
            output: base(&path),
            method: protection.map(|protection| {
                format!("protected by the method {} and proven safe", protection.method)
            }),
            notes: loaded.done.clone(),
        };
        files.push((path.with_extension("html"), argus_report(table, &note).into_bytes()));
        // A report never takes the place of the table itself.
        files.dedup_by(|later, earlier| later.0 == earlier.0);
        for (file, _) in &files {
            self.paths.check_unread(file)?;
        }
        self.write_files(&files)?;
        self.log.say(format!("Table {} written to file: {}", at + 1, path.display()));
        Ok(())
    }

    /// Some types hold true values, or sums of them, and cannot follow some methods.
    fn check_type(&self, at: usize, save: Save) -> Result<(), Fault> {
        let Some(adjusted) = &self.tables[at].table().adjusted else { return Ok(()) };
        let (method, refused) = match adjusted.how {
            Adjusting::Rounded => ("rounding", matches!(save, Save::Jj)),
            Adjusting::Moved => ("CTA", matches!(save, Save::Sbs | Save::Intermediate)),
        };
        if !refused {
            return Ok(());
        }
        let hint = "write type 1, 2 or 3; with `AS+`, 2 and 3 hold the true values as well";
        Err(self.fault(format!("this type of file cannot be written after {method}")).hint(hint))
    }

    pub(super) fn write_files(&mut self, files: &[(PathBuf, Vec<u8>)]) -> Result<(), BatchError> {
        for (path, bytes) in files {
            write_bytes(path, bytes).map_err(|error| BatchError::Work {
                place: self.place(),
                source: Box::new(Error::Publish(error)),
            })?;
            self.log.files.push(path.display().to_string());
        }
        Ok(())
    }
}

/// The files of one table.
fn contents(
    table: &ArgusTable,
    save: Save,
    options: SaveOptions,
    path: &Path,
    intervals: Option<&[Option<Interval>]>,
) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let quotes = options.quotes.unwrap_or(true);
    let mut bytes = Vec::new();
    let mut files = Vec::new();
    match save {
        Save::Csv => write::write_csv(table, quotes, &mut bytes)?,
        Save::Pivot => write::write_code_value(table, options, true, &mut bytes)?,
        Save::CodeValue | Save::CellKey => {
            write::write_code_value(table, options, false, &mut bytes)?;
        }
        Save::Sbs => write::write_sbs(table, options.levels.unwrap_or(false), quotes, &mut bytes)?,
        Save::Jj => {
            write::write_jj(table, options.trivial.unwrap_or(false), &mut bytes)?;
            let mut frequencies = Vec::new();
            write::write_frequencies(table, &mut frequencies)?;
            files.push((path.with_extension("frq"), frequencies));
        }
        Save::Intermediate => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let made = write::write_intermediate(table, options, &stem, intervals)?;
            for (name, text) in made.beside {
                files.push((path.with_file_name(format!("{stem}{name}")), text.into_bytes()));
            }
            files.push((path.with_extension("rda"), made.metadata.into_bytes()));
            bytes = made.cells;
        }
    }
    files.insert(0, (path.to_owned(), bytes));
    Ok(files)
}
