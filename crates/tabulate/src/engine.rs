//! What reads records, and what it hands back.

use crate::{FinishedSpec, Place, Source, TableSpec, TabulateError};
use cellveil_core::{CellId, Table};

/// Makes tables from files.
pub trait Tabulate {
    /// Makes a table with every margin and level from records.
    ///
    /// # Errors
    /// [`TabulateError`] says which file, line, column or cell is at fault and what to do.
    fn tabulate(
        &self,
        source: &Source,
        spec: &TableSpec,
        progress: &dyn Progress,
    ) -> Result<Table, TabulateError>;

    /// Reads a table that somebody else has made.
    ///
    /// # Errors
    /// [`TabulateError`] says which file, line, column or cell is at fault and what to do.
    fn finished(&self, source: &Source, spec: &FinishedSpec) -> Result<Finished, TabulateError>;
}

/// Is told how far the reading of records has come.
pub trait Progress {
    /// So many records have been read.
    fn rows(&self, done: u64);
}

/// Tells nobody.
impl Progress for () {
    fn rows(&self, _done: u64) {}
}

/// Finds records again, so that an error can name the file and the line.
pub trait Locate {
    /// The first record that has all of these values in these columns, or the file if none is found; `None` is a missing value.
    fn first(&self, wanted: &[(&str, Option<&str>)]) -> Place;
}

/// A table that came with statuses.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The table.
    pub table: Table,
    /// Cells that its maker calls sensitive, ascending.
    pub sensitive: Vec<CellId>,
    /// Cells that its maker wants published, ascending.
    pub frozen: Vec<CellId>,
    /// What withholding cells costs, as far as the table says so, ascending.
    pub costs: Vec<(CellId, f64)>,
}
