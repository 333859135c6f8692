//! What reads records, and what it hands back.

use crate::{FinishedSpec, Gathered, Place, Source, TableSpec, TabulateError};
use cellveil_core::{CellId, Table};

/// Makes tables from files.
pub trait Tabulate {
    /// Gathers the finest cells of several tables from the same records, without reading them once per table.
    ///
    /// # Errors
    /// [`TabulateError`] says which file, line, column or cell is at fault and what to do.
    fn gather(
        &self,
        source: &Source,
        specs: &[TableSpec],
        limits: Limits,
        progress: &dyn Progress,
    ) -> Result<Vec<Gathered>, TabulateError>;

    /// Makes a table with every margin and level from records.
    ///
    /// # Errors
    /// [`TabulateError`] says which file, line, column or cell is at fault and what to do.
    fn tabulate(
        &self,
        source: &Source,
        spec: &TableSpec,
        progress: &dyn Progress,
    ) -> Result<Table, TabulateError> {
        let gathered =
            self.gather(source, std::slice::from_ref(spec), Limits::default(), progress)?;
        match gathered.first() {
            Some(gathered) => gathered.table(None),
            None => Err(TabulateError::Empty(source.path.clone())),
        }
    }

    /// Reads a table that somebody else has made.
    ///
    /// # Errors
    /// [`TabulateError`] says which file, line, column or cell is at fault and what to do.
    fn finished(&self, source: &Source, spec: &FinishedSpec) -> Result<Finished, TabulateError>;
}

/// What an engine may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes of memory; as much as there is if nothing is said.
    pub memory: Option<u64>,
}

/// Is told how far the reading of records has come.
pub trait Progress {
    /// A step of the reading begins.
    fn begin(&self, _step: Step) {}

    /// So many records have been read; the number of all is 0 as long as nobody knows.
    fn rows(&self, done: u64, all: u64);
}

/// The steps from records to a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The codes and the size of the amounts are looked at.
    Look,
    /// Records are added up to the finest cells.
    Gather,
    /// What the threads have gathered is merged.
    Merge,
    /// Every margin and level is made.
    RollUp,
}

impl Step {
    /// What the step is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Gather => "gather",
            Self::Merge => "merge",
            Self::RollUp => "roll up",
        }
    }
}

/// Tells nobody.
impl Progress for () {
    fn rows(&self, _done: u64, _all: u64) {}
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
