//! The public table of a release that is made cell by cell.

use super::proof::StreamedRelease;
use crate::columns::NameColumns;
use crate::confidentiality::{primary_status, status_letter};
use crate::csv_file::CsvFile;
use crate::grid::{Column, Field, Grid, Kind, make_names_unique};
use crate::parquet_file::{ParquetFile, ROW_GROUP};
use crate::report::view::Content;
use cellveil_core::{CellNames, CodeId, Reason, Why};
use cellveil_tabulate::{Cells, Frame, Sink, TabulateError, Until};
use rayon::prelude::*;
use std::io::{self, Write};

/// The dimensions alone, without cells.
pub(super) fn names(frame: &Frame) -> CellNames {
    CellNames::Codes { dimensions: frame.dimensions().to_vec(), keys: Vec::new().into() }
}

/// The columns of the table.
pub(super) fn columns(names: &NameColumns<'_>, decimals: u8) -> Vec<Column> {
    let mut columns = names.columns();
    columns.push(Column::new("value", Kind::Amount(decimals)));
    columns.push(Column::new("status", Kind::Text));
    columns.push(Column::new("CONF_STATUS", Kind::Text));
    make_names_unique(&mut columns);
    columns
}

/// What is shown of a cell besides its codes.
struct Shown {
    value: Option<i64>,
    why: Option<Why>,
    reason: Option<Reason>,
}

impl Shown {
    fn content(&self) -> Content {
        match (self.value, self.why) {
            (Some(value), None) => Content::Value(value),
            (_, why) => Content::Withheld(why.unwrap_or(Why::Primary), self.reason),
        }
    }
}

/// Somebody who looks at cells as they are written.
pub(super) trait Watch {
    /// The next cell.
    fn see(&mut self, codes: &[CodeId], content: Content);
}

impl Watch for () {
    fn see(&mut self, _: &[CodeId], _: Content) {}
}

/// Takes rows of the table.
type Take<'t> = &'t mut dyn FnMut(&Held<'_>, std::ops::Range<usize>) -> io::Result<()>;

/// Writes the public table as Parquet while its cells are made.
pub(super) fn write_parquet(
    release: &StreamedRelease<'_>,
    is_over: &(dyn Fn() -> bool + Sync),
    watch: &mut dyn Watch,
    out: &mut (impl Write + Send),
) -> io::Result<()> {
    let names = names(release.gathered.frame());
    let held = Held::new(release.gathered.frame(), &names)?;
    let mut file = ParquetFile::new(&held.columns, out)?;
    write(release, is_over, held, &mut |rows, range| file.write(rows, range), watch)?;
    file.finish()
}

/// The same as CSV.
pub(super) fn write_csv(
    release: &StreamedRelease<'_>,
    is_over: &(dyn Fn() -> bool + Sync),
    out: &mut impl Write,
) -> io::Result<()> {
    let names = names(release.gathered.frame());
    let held = Held::new(release.gathered.frame(), &names)?;
    let mut file = CsvFile::new(&held.columns, out)?;
    write(release, is_over, held, &mut |rows, range| file.write(rows, range), &mut ())?;
    file.finish()
}

fn write(
    release: &StreamedRelease<'_>,
    is_over: &(dyn Fn() -> bool + Sync),
    held: Held<'_>,
    take: Take<'_>,
    watch: &mut dyn Watch,
) -> io::Result<()> {
    let mut writer = Writer { release, at: 0, held, take, watch };
    let mut sink = Until { sink: &mut writer, is_over };
    release.gathered.roll_up(&mut sink).map_err(io::Error::other)?;
    writer.flush(true)
}

struct Writer<'a, 't> {
    release: &'a StreamedRelease<'a>,
    at: usize,
    held: Held<'a>,
    take: Take<'t>,
    watch: &'t mut dyn Watch,
}

impl Writer<'_, '_> {
    /// Writes full row groups, and in the end what is left.
    fn flush(&mut self, all: bool) -> io::Result<()> {
        let rows = self.held.rows();
        let mut from = 0;
        while rows - from >= ROW_GROUP || (all && from < rows) {
            let to = (from + ROW_GROUP).min(rows);
            (self.take)(&self.held, from..to)?;
            from = to;
        }
        self.held.codes.drain(..from * self.held.width);
        self.held.shown.drain(..from);
        Ok(())
    }
}

/// What is shown of some cells, the first of which has this position.
fn shown(
    release: &StreamedRelease<'_>,
    cells: Cells,
    from: usize,
) -> Result<Vec<Shown>, TabulateError> {
    let StreamedRelease { gathered, rules, withheld, .. } = release;
    let table = gathered.frame().excerpt(cells, 0)?;
    let judged = rules.judge(&table);
    let needs = judged.map_err(|error| TabulateError::Engine(error.to_string()))?.needs;
    let mut needs = needs.iter().peekable();
    let shown = table.values().iter().enumerate().map(|(at, &value)| {
        let reason = needs.next_if(|need| need.cell.index() == at).map(|need| need.reason);
        let is_withheld = withheld.get(from + at).copied().unwrap_or(true);
        let why = match reason {
            Some(_) => Some(Why::Primary),
            None => is_withheld.then_some(Why::Secondary),
        };
        Shown { value: why.is_none().then_some(value), why, reason }
    });
    Ok(shown.collect())
}

impl Sink for Writer<'_, '_> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        self.take_all(vec![cells])
    }

    fn take_all(&mut self, lots: Vec<Cells>) -> Result<(), TabulateError> {
        let (starts, _) = self.release.gathered.frame().starts(&lots, &mut self.at);
        for cells in &lots {
            self.held.codes.extend_from_slice(&cells.codes);
        }
        let release = self.release;
        let shown: Result<Vec<Vec<Shown>>, TabulateError> = lots
            .into_par_iter()
            .zip(starts)
            .map(|(cells, from)| shown(release, cells, from))
            .collect();
        for one in shown?.into_iter().flatten() {
            let at = self.held.shown.len() * self.held.width;
            self.watch.see(&self.held.codes[at..at + self.held.width], one.content());
            self.held.shown.push(one);
        }
        self.flush(false).map_err(|error| TabulateError::Engine(error.to_string()))
    }
}

/// The SDMX status of a cell.
fn conf_status(shown: &Shown) -> &'static str {
    match (shown.why, shown.reason) {
        (None, _) => "F",
        (Some(Why::Secondary), _) => "D",
        (Some(Why::Primary), reason) => primary_status(reason),
    }
}

/// The cells that wait to be written.
struct Held<'a> {
    names: NameColumns<'a>,
    columns: Vec<Column>,
    width: usize,
    codes: Vec<CodeId>,
    shown: Vec<Shown>,
}

impl<'a> Held<'a> {
    fn new(frame: &Frame, names: &'a CellNames) -> io::Result<Self> {
        let names = NameColumns::new(names).map_err(io::Error::other)?;
        let columns = columns(&names, frame.units().value);
        let width = frame.dimensions().len();
        Ok(Self { names, columns, width, codes: Vec::new(), shown: Vec::new() })
    }
}

impl Grid for Held<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.shown.len()
    }

    fn fill<'b>(&'b self, row: usize, fields: &mut Vec<Field<'b>>) {
        self.names.fill_codes(&self.codes[row * self.width..(row + 1) * self.width], fields);
        let shown = &self.shown[row];
        fields.push(shown.value.map_or(Field::Empty, Field::Amount));
        fields.push(status_letter(shown.why).into());
        fields.push(conf_status(shown).into());
    }
}
