//! The public table of a release that is made cell by cell.

use crate::columns::NameColumns;
use crate::confidentiality::status_letter;
use crate::grid::{Column, Field, Grid, Kind, make_names_unique};
use crate::parquet_file::{ParquetFile, ROW_GROUP};
use cellveil_core::{CellNames, CodeId, Reason, Why};
use cellveil_rules::RuleSet;
use cellveil_tabulate::{Cells, Frame, Gathered, Sink, TabulateError};
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
    conf_status: &'static str,
}

/// Writes the public table while its cells are made.
pub(super) fn write_table(
    gathered: &Gathered,
    rules: &RuleSet,
    withheld: &[bool],
    out: &mut (impl Write + Send),
) -> io::Result<()> {
    let frame = gathered.frame();
    let names = names(frame);
    let names = NameColumns::new(&names).map_err(io::Error::other)?;
    let columns = columns(&names, frame.units().value);
    let file = ParquetFile::new(&columns, out)?;
    let held = Held {
        names,
        columns,
        width: frame.dimensions().len(),
        codes: Vec::new(),
        shown: Vec::new(),
    };
    let mut writer = Writer { gathered, rules, withheld, at: 0, held, file };
    gathered.roll_up(&mut writer).map_err(io::Error::other)?;
    writer.flush(true)?;
    writer.file.finish()
}

struct Writer<'a, W: Write + Send> {
    gathered: &'a Gathered,
    rules: &'a RuleSet,
    withheld: &'a [bool],
    at: usize,
    held: Held<'a>,
    file: ParquetFile<W>,
}

impl<W: Write + Send> Writer<'_, W> {
    /// Writes full row groups, and in the end what is left.
    fn flush(&mut self, all: bool) -> io::Result<()> {
        let rows = self.held.rows();
        let mut from = 0;
        while rows - from >= ROW_GROUP || (all && from < rows) {
            let to = (from + ROW_GROUP).min(rows);
            self.file.write(&self.held, from..to)?;
            from = to;
        }
        self.held.codes.drain(..from * self.held.width);
        self.held.shown.drain(..from);
        Ok(())
    }
}

impl<W: Write + Send> Sink for Writer<'_, W> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        let engine = |error: String| TabulateError::Engine(error);
        self.held.codes.extend_from_slice(&cells.codes);
        let table = self.gathered.frame().excerpt(cells, 0)?;
        let needs = self.rules.judge(&table).map_err(|error| engine(error.to_string()))?.needs;
        let mut needs = needs.iter().peekable();
        for (at, &value) in table.values().iter().enumerate() {
            let need = needs.next_if(|need| need.cell.index() == at);
            let is_withheld = self.withheld.get(self.at).copied().unwrap_or(true);
            self.at += 1;
            let (why, conf_status) = match need {
                Some(need) => (Some(Why::Primary), conf_status(need.reason)),
                None if is_withheld => (Some(Why::Secondary), "D"),
                None => (None, "F"),
            };
            let value = why.is_none().then_some(value);
            self.held.shown.push(Shown { value, why, conf_status });
        }
        self.flush(false).map_err(|error| engine(error.to_string()))
    }
}

/// The SDMX status of a sensitive cell.
fn conf_status(reason: Reason) -> &'static str {
    match reason {
        Reason::Frequency => "A",
        Reason::Dominance => "G",
        Reason::PPercent | Reason::Pq | Reason::RowShare | Reason::ColumnShare => "M",
        Reason::Request | Reason::Zero | Reason::Manual | Reason::Given | Reason::Interval => "C",
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
        fields.push(shown.conf_status.into());
    }
}
