//! The true table, before protection. Confidential.

use crate::columns::NameColumns;
use crate::csv_file::write_csv;
use crate::grid::{Column, Field, Grid, Kind, make_names_unique};
use crate::parquet_file::write_parquet;
use crate::release_table::{TABLE, write_grid};
use crate::sink::Sink;
use crate::staging::Staging;
use crate::xlsx_file::write_xlsx;
use crate::{Formats, Manifest, PublishError, single};
use cellveil_core::{CellId, Contributors, Table};
use std::path::{Path, PathBuf};

/// Writes the true table: codes, `value`, `respondents`, `holdings` and `weighted_count` where known, and the largest
/// contributions `top_1`, `top_2`, … (by holding where holdings are known) with their weights where there are any.
///
/// A path that ends in `.csv`, `.parquet` or `.xlsx` is one file; any other is a folder that receives `table.*`.
///
/// # Errors
/// [`PublishError`] if the place cannot be written.
pub fn write_table(
    table: &Table,
    path: &Path,
    formats: Formats,
) -> Result<Vec<PathBuf>, PublishError> {
    let grid = TrueTable::new(table)?;
    let title = table.response().unwrap_or("counts");
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => single::write_file(path, |sink| write_csv(&grid, sink)),
        Some("parquet") => single::write_file(path, |sink| write_parquet(&grid, sink)),
        Some("xlsx") => {
            let folder = std::env::temp_dir();
            single::write_file(path, |sink| write_xlsx(&grid, title, &folder, sink))
        }
        _ => {
            let mut staging = Staging::open(path, None)?;
            write_grid(&mut staging, TABLE, &grid, formats, title, false)?;
            staging.commit(Manifest {
                cellveil: env!("CARGO_PKG_VERSION").to_owned(),
                kind: "table".to_owned(),
                title: title.to_owned(),
                ..Manifest::default()
            })
        }
    }
}

/// Writes the true table as a spreadsheet; `folder` is for files on the way.
pub(crate) fn write_spreadsheet(
    table: &Table,
    title: &str,
    folder: &Path,
    out: &mut Sink,
) -> std::io::Result<()> {
    let grid = TrueTable::new(table).map_err(std::io::Error::other)?;
    write_xlsx(&grid, title, folder, out)
}

/// What the columns of a true table depend on, besides its dimensions.
pub(crate) struct Shape {
    pub(crate) decimals: u8,
    pub(crate) contribution_decimals: u8,
    pub(crate) weight_decimals: Option<u8>,
    pub(crate) by_holding: bool,
    pub(crate) depth: usize,
}

/// The columns of a true table.
pub(crate) fn true_columns(names: &NameColumns<'_>, shape: &Shape) -> Vec<Column> {
    let mut columns = names.columns();
    columns.push(Column::new("value", Kind::Amount(shape.decimals)));
    columns.push(Column::new("respondents", Kind::Whole));
    if shape.by_holding {
        columns.push(Column::new("holdings", Kind::Whole));
    }
    if let Some(decimals) = shape.weight_decimals {
        columns.push(Column::new("weighted_count", Kind::Amount(decimals)));
    }
    for nth in 1..=shape.depth {
        columns.push(Column::new(format!("top_{nth}"), Kind::Amount(shape.contribution_decimals)));
        if let Some(decimals) = shape.weight_decimals {
            columns.push(Column::new(format!("top_{nth}_weight"), Kind::Amount(decimals)));
        }
    }
    make_names_unique(&mut columns);
    columns
}

struct TrueTable<'a> {
    table: &'a Table,
    names: NameColumns<'a>,
    columns: Vec<Column>,
    /// Holdings where they are known: theirs are the contributions that rules look at.
    contributors: &'a Contributors,
}

impl<'a> TrueTable<'a> {
    fn new(table: &'a Table) -> Result<Self, PublishError> {
        let names = NameColumns::new(table.names())?;
        let contributors = table.holdings().unwrap_or(table.respondents());
        let columns = true_columns(
            &names,
            &Shape {
                decimals: table.decimals(),
                contribution_decimals: table.contribution_decimals(),
                weight_decimals: table.weighted().map(|weighted| weighted.decimals),
                by_holding: table.holdings().is_some(),
                depth: contributors.depth(),
            },
        );
        Ok(Self { table, names, columns, contributors })
    }
}

impl Grid for TrueTable<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.table.len()
    }

    fn fill<'b>(&'b self, row: usize, fields: &mut Vec<Field<'b>>) {
        let cell = CellId::at(row);
        let count = |contributors: &Contributors| Field::Whole(contributors.count(cell) as i64);
        self.names.fill(cell, fields);
        fields.push(Field::Amount(self.table.values()[row]));
        fields.push(count(self.table.respondents()));
        fields.extend(self.table.holdings().map(count));
        fields.extend(self.table.weighted().map(|w| Field::Amount(w.counts[row])));
        let top = self.contributors.top(cell);
        for nth in 0..self.contributors.depth() {
            let kept = top.get(nth);
            fields.push(kept.map_or(Field::Empty, |c| Field::Amount(c.value)));
            if self.table.weighted().is_some() {
                fields.push(kept.map_or(Field::Empty, |c| Field::Amount(c.weight)));
            }
        }
    }
}
