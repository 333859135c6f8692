//! The published table: values of published cells, letters for the others.

use crate::PublishError;
use crate::columns::NameColumns;
use crate::confidentiality::{conf_status, status_letter};
use crate::csv_file::write_csv;
use crate::grid::{Column, Field, Grid, Kind, make_names_unique};
use crate::parquet_file::write_parquet;
use crate::staging::Staging;
use crate::xlsx_file::write_xlsx;
use cellveil_core::{CellId, Pattern, Problem};

/// The most rows a spreadsheet is made for unless it is asked for.
pub(crate) const SPREADSHEET_ROWS: usize = 1_000_000;

/// Which files hold a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats {
    /// `table.csv`; a release always has it.
    pub csv: bool,
    /// `table.parquet`; a release always has it, because its rows number the cells.
    pub parquet: bool,
    /// `table.xlsx`; left out of tables with more than a million rows, which no spreadsheet opens.
    pub xlsx: bool,
}

impl Default for Formats {
    fn default() -> Self {
        Self { csv: true, parquet: true, xlsx: true }
    }
}

/// Writes a grid as `table` in every format asked for.
pub(crate) fn write_grid(
    staging: &mut Staging,
    grid: &impl Grid,
    formats: Formats,
    title: &str,
    public: bool,
) -> Result<(), PublishError> {
    if formats.csv {
        staging.write("table.csv", public, |sink| write_csv(grid, sink))?;
    }
    if formats.parquet {
        staging.write("table.parquet", public, |sink| write_parquet(grid, sink))?;
    }
    if formats.xlsx && grid.rows() <= SPREADSHEET_ROWS {
        let folder = staging.folder().to_owned();
        staging.write("table.xlsx", public, |sink| write_xlsx(grid, title, &folder, sink))?;
    }
    Ok(())
}

pub(crate) struct ReleaseTable<'a> {
    problem: &'a Problem,
    pattern: &'a Pattern,
    names: NameColumns<'a>,
    columns: Vec<Column>,
}

impl<'a> ReleaseTable<'a> {
    pub(crate) fn new(problem: &'a Problem, pattern: &'a Pattern) -> Result<Self, PublishError> {
        let names = NameColumns::new(problem.names())?;
        let mut columns = names.columns();
        columns.push(Column::new("value", Kind::Amount(problem.decimals())));
        columns.push(Column::new("status", Kind::Text));
        columns.push(Column::new("CONF_STATUS", Kind::Text));
        make_names_unique(&mut columns);
        Ok(Self { problem, pattern, names, columns })
    }
}

impl Grid for ReleaseTable<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.problem.len()
    }

    fn fill<'b>(&'b self, row: usize, fields: &mut Vec<Field<'b>>) {
        let cell = CellId::at(row);
        self.names.fill(cell, fields);
        fields.push(match self.pattern.why(cell) {
            None => Field::Amount(self.problem.value(cell)),
            Some(_) => Field::Empty,
        });
        fields.push(status_letter(self.pattern.why(cell)).into());
        fields.push(conf_status(self.problem, self.pattern, cell).into());
    }

    fn is_marked(&self, row: usize) -> bool {
        self.pattern.is_withheld(CellId::at(row))
    }
}
