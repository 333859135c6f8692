//! The published table: values of published cells, letters for the others.

use crate::PublishError;
use crate::columns::NameColumns;
use crate::confidentiality::{conf_status, status_letter};
use crate::csv_file::write_csv;
use crate::grid::{Column, Field, Grid, Kind, make_names_unique};
use crate::parquet_file::write_parquet;
use crate::staging::Staging;
use crate::xlsx_file::write_xlsx;
use cellveil_core::{CellId, CellNames, Linked, Pattern, Problem};

/// The most rows a spreadsheet is made for unless it is asked for.
pub(crate) const SPREADSHEET_ROWS: usize = 1_000_000;

/// Which files hold a table.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats {
    /// `table.csv`; a release always has it.
    pub csv: bool,
    /// `table.parquet`; a release always has it, because its rows number the cells.
    pub parquet: bool,
    /// `table.xlsx`; left out of tables with more than a million rows, which no spreadsheet opens.
    pub xlsx: bool,
    /// Whether somebody asked for these, so that none is left out because it is large.
    pub asked: bool,
}

impl Default for Formats {
    fn default() -> Self {
        Self { csv: true, parquet: true, xlsx: true, asked: false }
    }
}

/// The name of the only table of a folder, and of the first of several.
pub(crate) const TABLE: &str = "table";

/// Writes a grid in every format asked for, under a name without its extension.
pub(crate) fn write_grid(
    staging: &mut Staging,
    name: &str,
    grid: &impl Grid,
    formats: Formats,
    title: &str,
    public: bool,
) -> Result<(), PublishError> {
    if formats.csv {
        staging.write(&format!("{name}.csv"), public, |sink| write_csv(grid, sink))?;
    }
    if formats.parquet {
        staging.write(&format!("{name}.parquet"), public, |sink| write_parquet(grid, sink))?;
    }
    if formats.xlsx && grid.rows() <= SPREADSHEET_ROWS {
        let folder = staging.folder().to_owned();
        let fill = |sink: &mut _| write_xlsx(grid, title, &folder, sink);
        staging.write(&format!("{name}.xlsx"), public, fill)?;
    }
    Ok(())
}

/// One of several tables that are released together.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name of its files, without their extension.
    pub file: String,
    /// Its variables and its cells.
    pub linked: Linked,
}

pub(crate) struct ReleaseTable<'a> {
    problem: &'a Problem,
    pattern: &'a Pattern,
    names: NameColumns<'a>,
    columns: Vec<Column>,
    /// One of several tables, where there are any; its rows begin with the numbers of the cells.
    linked: Option<&'a Linked>,
}

impl<'a> ReleaseTable<'a> {
    pub(crate) fn new(problem: &'a Problem, pattern: &'a Pattern) -> Result<Self, PublishError> {
        let names = NameColumns::new(problem.names())?;
        let mut columns = names.columns();
        columns.push(Column::new("value", Kind::Amount(problem.decimals())));
        columns.push(Column::new("status", Kind::Text));
        columns.push(Column::new("CONF_STATUS", Kind::Text));
        make_names_unique(&mut columns);
        Ok(Self { problem, pattern, names, columns, linked: None })
    }

    /// One of several tables, whose cells are called so.
    pub(crate) fn part(
        problem: &'a Problem,
        pattern: &'a Pattern,
        linked: &'a Linked,
        names: &'a CellNames,
    ) -> Result<Self, PublishError> {
        let mut table = Self::new(problem, pattern)?;
        table.names = NameColumns::new(names)?;
        table.columns.drain(..table.columns.len() - SHOWN);
        let named = table.names.columns();
        let cell = Column::new("cell", Kind::Whole);
        table.columns.splice(..0, std::iter::once(cell).chain(named));
        make_names_unique(&mut table.columns);
        Ok(Self { linked: Some(linked), ..table })
    }
}

/// How many columns say what is known of a cell, behind those that name it.
const SHOWN: usize = 3;

impl ReleaseTable<'_> {
    fn cell(&self, row: usize) -> CellId {
        self.linked.map_or_else(|| CellId::at(row), |linked| linked.cells[row])
    }
}

impl Grid for ReleaseTable<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.linked.map_or(self.problem.len(), |linked| linked.cells.len())
    }

    fn fill<'b>(&'b self, row: usize, fields: &mut Vec<Field<'b>>) {
        let cell = self.cell(row);
        if self.linked.is_some() {
            fields.push(Field::Whole(i64::from(cell.0)));
        }
        self.names.fill(CellId::at(row), fields);
        fields.push(match self.pattern.why(cell) {
            None => Field::Amount(self.problem.value(cell)),
            Some(_) => Field::Empty,
        });
        fields.push(status_letter(self.pattern.why(cell)).into());
        fields.push(conf_status(self.problem, self.pattern, cell).into());
    }

    fn is_marked(&self, row: usize) -> bool {
        self.pattern.is_withheld(self.cell(row))
    }
}
