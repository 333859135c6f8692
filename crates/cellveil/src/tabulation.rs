//! From records to the tables of a job, or from a finished table to itself.

use crate::resume::Resume;
use crate::system::System;
use crate::{Data, Error, Job, Run};
use cellveil_core::{CellId, Linked, Table, TableError};
use cellveil_tabulate::{Gathered, Limits, Step, TableSpec, Tabulate, TabulateError};
use std::path::Path;

/// A table as it was made or read.
pub struct Made {
    /// The true table; all tables of a system as one.
    pub table: Table,
    /// Where each table stands in it, if there are several.
    pub linked: Vec<Linked>,
    /// Cells that a finished table calls sensitive, ascending.
    pub sensitive: Vec<CellId>,
    /// Cells that a finished table wants published, ascending.
    pub frozen: Vec<CellId>,
    /// What withholding cells costs, as far as a finished table says so.
    pub costs: Vec<(CellId, f64)>,
}

/// The finest cells of all tables of a job, each until its table is made.
pub(crate) struct Tabulation<'a> {
    job: &'a Job,
    engine: &'a dyn Tabulate,
    run: &'a Run<'a>,
    gathered: Vec<Option<Gathered>>,
}

impl<'a> Tabulation<'a> {
    /// Reads the records once for all tables, unless an earlier attempt has left what it gathered.
    pub(crate) fn new(
        job: &'a Job,
        engine: &'a dyn Tabulate,
        run: &'a Run<'a>,
        resume: Option<&Resume>,
    ) -> Result<Self, Error> {
        let kept = resume.and_then(Resume::load);
        let gathered = kept.map_or_else(|| gather_for(job, engine, run, resume), Ok)?;
        Ok(Self { job, engine, run, gathered: gathered.into_iter().map(Some).collect() })
    }

    /// The finest cells of a table that was not made yet.
    pub(crate) fn gathered(&self, table: usize) -> Option<&Gathered> {
        self.gathered.get(table)?.as_ref()
    }

    /// Makes the tables of a system, linked if there are several.
    pub(crate) fn made(&mut self, system: &System<'_>) -> Result<Made, Error> {
        let run = self.run;
        run.stage("tabulate", || match &self.job.data {
            Data::Records(source, _) => {
                cellveil_tabulate::Progress::begin(run, Step::RollUp);
                let memory = run.settings.memory.map(|memory| memory.0);
                let mut tables = Vec::new();
                for &at in &system.tables {
                    let gathered = self.gathered.get_mut(at).and_then(Option::take);
                    let gathered =
                        gathered.ok_or_else(|| TabulateError::Empty(source.path.clone()))?;
                    tables.push(run.install(|| gathered.table(memory))??);
                }
                let (table, linked) = joined(tables, memory)?;
                let (sensitive, frozen, costs) = (Vec::new(), Vec::new(), Vec::new());
                Ok(Made { table, linked, sensitive, frozen, costs })
            }
            Data::Finished(source, spec) => {
                let finished = self.engine.finished(source, spec);
                let finished = finished.map_err(|error| additive(error, &source.path))?;
                let cellveil_tabulate::Finished { table, sensitive, frozen, costs } = finished;
                Ok(Made { table, linked: Vec::new(), sensitive, frozen, costs })
            }
        })
    }
}

/// Several tables as one, if there is memory for that.
fn joined(
    mut tables: Vec<Table>,
    memory: Option<u64>,
) -> Result<(Table, Vec<Linked>), TabulateError> {
    if tables.len() == 1
        && let Some(table) = tables.pop()
    {
        return Ok((table, Vec::new()));
    }
    let (table, linked) = Table::linked(tables)?;
    let each = Table::bytes_per_cell(table.dimensions().len(), table.respondents().depth());
    match memory {
        Some(bytes) if table.len() as u64 * each > bytes => {
            let rows = (bytes / each) as usize;
            Err(TabulateError::Memory { what: "cells of the linked tables", rows, bytes })
        }
        _ => Ok((table, linked)),
    }
}

/// Makes the first table of a job.
///
/// # Errors
/// [`Error`] if the job does not fit its files.
pub fn tabulate(job: &Job, engine: &dyn Tabulate, run: &Run<'_>) -> Result<Made, Error> {
    let first = System { name: None, tables: vec![0] };
    Tabulation::new(job, engine, run, None)?.made(&first)
}

/// Gathers the finest cells of all tables of a job, in one pass over the records; nothing if the table is finished already.
///
/// # Errors
/// [`Error`] if the job does not fit its files.
pub fn gather(job: &Job, engine: &dyn Tabulate, run: &Run<'_>) -> Result<Vec<Gathered>, Error> {
    gather_for(job, engine, run, None)
}

/// The same, kept for a later attempt.
fn gather_for(
    job: &Job,
    engine: &dyn Tabulate,
    run: &Run<'_>,
    resume: Option<&Resume>,
) -> Result<Vec<Gathered>, Error> {
    let Data::Records(source, _) = &job.data else { return Ok(Vec::new()) };
    let limits = Limits { memory: run.settings.memory.map(|memory| memory.0) };
    run.stage("tabulate", || {
        let gathered = engine.gather(source, &job.specs(), limits, run)?;
        if let Some(resume) = resume {
            resume.save(&gathered);
        }
        Ok(gathered)
    })
}

impl Job {
    /// All tables to be made from records.
    pub(crate) fn specs(&self) -> Vec<TableSpec> {
        (0..=self.further.len())
            .filter_map(|at| self.table(at))
            .map(|(_, spec)| spec.clone())
            .collect()
    }
}

/// Says which file it is that does not add up.
fn additive(error: TabulateError, path: &Path) -> Error {
    match error {
        TabulateError::Table(TableError::NotAdditive(source)) => {
            Error::NotAdditive { path: path.to_owned(), source }
        }
        error => error.into(),
    }
}
