//! Tables of a batch: asked for, made, protected.

use cellveil_argus::arb::{Rules, Specify};
use cellveil_argus::{ArgusTable, MicroTable};
use cellveil_core::Interval;
use std::path::PathBuf;

/// Where tables come from.
pub(super) enum Source {
    Records(PathBuf),
    Tables(Vec<PathBuf>),
}

/// One table to be made.
pub(super) struct Wanted {
    pub(super) source: usize,
    pub(super) specify: Specify,
    pub(super) rules: Rules,
}

/// How a table was protected.
pub(super) struct Protection {
    pub(super) method: String,
    pub(super) intervals: Option<Vec<Option<Interval>>>,
}

/// A table that was made.
pub(super) struct Loaded {
    pub(super) table: Made,
    pub(super) protection: Option<Protection>,
    /// What was done to it after it was made, for its report.
    pub(super) done: Vec<String>,
}

pub(super) enum Made {
    Micro(Box<MicroTable>),
    Tab(Box<ArgusTable>),
}

impl Loaded {
    pub(super) fn table(&self) -> &ArgusTable {
        match &self.table {
            Made::Micro(made) => &made.table,
            Made::Tab(table) => table,
        }
    }

    pub(super) fn table_mut(&mut self) -> &mut ArgusTable {
        match &mut self.table {
            Made::Micro(made) => &mut made.table,
            Made::Tab(table) => table,
        }
    }
}
