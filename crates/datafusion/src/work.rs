//! From files to the finest cells of several tables: a look at all codes and amounts, then one pass that adds the records up.

use crate::files::Files;
use crate::interner::Interner;
use crate::numbers::Numbers;
use crate::pass::{Pass, Stop};
use crate::scan::diagnose;
use cellveil_tabulate::{
    Extent, Frame, Gathered, Gatherer, Limits, Plan, Progress, Record, Seen, Step, TableSpec,
    TabulateError, Units,
};
use datafusion::arrow::array::ArrayRef;
use datafusion::prelude::SessionContext;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::runtime::Handle;

/// What there is to read with.
pub(crate) struct Reading<'a> {
    pub(crate) files: &'a Files,
    pub(crate) context: &'a SessionContext,
    pub(crate) runtime: &'a Handle,
    pub(crate) pool: &'a rayon::ThreadPool,
    pub(crate) threads: usize,
    pub(crate) limits: Limits,
    pub(crate) progress: &'a dyn Progress,
}

impl<'a> Reading<'a> {
    /// A pass over some columns of all `all` records, where that is known.
    fn pass<'p>(&self, columns: &'p [&'p str], all: u64) -> Pass<'p>
    where
        'a: 'p,
    {
        Pass {
            files: self.files,
            columns,
            context: self.context,
            runtime: self.runtime,
            progress: self.progress,
            all,
        }
    }
}

/// Which columns the tables need, each once.
#[derive(Default)]
pub(crate) struct Work {
    tables: Vec<Wanted>,
    columns: Vec<String>,
    /// Variables with codes, as positions of their columns: dimensions, holdings and requests.
    variables: Vec<Vec<usize>>,
    /// Columns with numbers, and whether they are weights.
    numbers: Vec<(usize, bool)>,
}

/// One table: where its columns and variables are.
struct Wanted {
    plan: Plan,
    spec: TableSpec,
    dimensions: Vec<usize>,
    holding: Option<usize>,
    request: Option<usize>,
    response: Option<usize>,
    weight: Option<usize>,
}

/// What one thread has found in a first look.
struct Look {
    interners: Vec<Interner>,
    seen: Vec<Seen>,
    extents: Vec<Extent>,
    numbers: Vec<u32>,
}

/// One table whose codes and units are known.
struct Prepared {
    frame: Frame,
    /// Per dimension, what each distinct value adds to a key.
    places: Vec<Vec<u128>>,
    /// The same for holdings.
    members: Vec<u128>,
    /// Which request each distinct value means.
    asked: Vec<Option<usize>>,
}

/// What one thread has gathered.
struct Heap {
    interners: Vec<Interner>,
    numbers: Vec<Vec<u32>>,
    gatherers: Vec<Gatherer>,
}

impl Work {
    pub(crate) fn new(specs: &[TableSpec]) -> Result<Self, TabulateError> {
        let mut work = Self::default();
        for spec in specs {
            let plan = Plan::new(spec)?;
            let dimensions = plan.columns().map(|columns| work.variable(columns)).collect();
            let mut one = |name: &String| work.variable(std::slice::from_ref(name));
            let holding = spec.holding.as_ref().map(&mut one);
            let request = spec.request.as_ref().map(|request| one(&request.column));
            let response = spec.response.as_ref().map(|name| work.number(name, false));
            let weight = spec.weight.as_ref().map(|name| work.number(name, true));
            let spec = spec.clone();
            work.tables.push(Wanted { plan, spec, dimensions, holding, request, response, weight });
        }
        Ok(work)
    }

    fn column(&mut self, name: &str) -> usize {
        let known = self.columns.iter().position(|column| column == name);
        known.unwrap_or_else(|| {
            self.columns.push(name.to_owned());
            self.columns.len() - 1
        })
    }

    fn variable(&mut self, columns: &[String]) -> usize {
        let columns: Vec<usize> = columns.iter().map(|name| self.column(name)).collect();
        let known = self.variables.iter().position(|variable| *variable == columns);
        known.unwrap_or_else(|| {
            self.variables.push(columns);
            self.variables.len() - 1
        })
    }

    fn number(&mut self, name: &str, is_weight: bool) -> usize {
        let at = self.column(name);
        if !self.numbers.contains(&(at, is_weight)) {
            self.numbers.push((at, is_weight));
        }
        at
    }

    /// The names of the columns with codes, and of those with numbers.
    fn named(&self) -> (Vec<&str>, Vec<(&str, bool)>) {
        let name = |&at: &usize| &self.columns[at][..];
        let codes = self.variables.iter().flatten().map(name).collect();
        (codes, self.numbers.iter().map(|(at, is_weight)| (name(at), *is_weight)).collect())
    }

    pub(crate) fn check_columns(&self, files: &Files) -> Result<(), TabulateError> {
        let (codes, numbers) = self.named();
        for input in &files.inputs {
            codes.iter().try_for_each(|column| input.check_type(column, false))?;
            numbers.iter().try_for_each(|(column, _)| input.check_type(column, true))?;
        }
        files.check_same_types(&self.columns)
    }

    pub(crate) fn gather(&self, reading: &Reading<'_>) -> Result<Vec<Gathered>, TabulateError> {
        let look = self.look(reading).map_err(|stop| self.cause(reading, stop))?;
        let records = look.extents.first().map_or(0, |extent| extent.records);
        if records == 0 {
            return Err(TabulateError::Empty(reading.files.root.clone()));
        }
        let prepared = self.prepare(reading, &look)?;
        let heaps = self
            .add_up(reading, &look.seen, &prepared, records)
            .map_err(|stop| self.cause(reading, stop))?;
        drop(look);
        reading.progress.begin(Step::Merge);
        let mut by_table: Vec<Vec<Gatherer>> = prepared.iter().map(|_| Vec::new()).collect();
        for heap in heaps {
            for (all, gatherer) in by_table.iter_mut().zip(heap.gatherers) {
                all.push(gatherer);
            }
        }
        let gathered = prepared.into_iter().zip(by_table);
        reading.pool.install(|| {
            gathered.map(|(prepared, parts)| Gathered::new(prepared.frame, parts)).collect()
        })
    }

    /// What really went wrong: the engine knows of no lines.
    fn cause(&self, reading: &Reading<'_>, stop: Stop) -> TabulateError {
        let why = match stop {
            Stop::Error(error) => return error,
            Stop::Engine(why) => why,
        };
        let (codes, numbers) = self.named();
        match diagnose(reading.files, &codes, &numbers) {
            Err(found) => found,
            Ok(()) => TabulateError::Engine(why),
        }
    }

    /// Finds all codes, and how large the amounts are.
    fn look(&self, reading: &Reading<'_>) -> Result<Look, Stop> {
        reading.progress.begin(Step::Look);
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let make = || Look {
            interners: self.variables.iter().map(|_| Interner::default()).collect(),
            seen: vec![Seen::default(); self.variables.len()],
            extents: vec![Extent::default(); self.tables.len()],
            numbers: Vec::new(),
        };
        let mut looks = Vec::new();
        reading.pass(&columns, 0).run(&mut looks, make, |look, batch| {
            for (at, variable) in self.variables.iter().enumerate() {
                let columns: Vec<ArrayRef> =
                    variable.iter().map(|&column| batch[column].clone()).collect();
                let seen = &mut look.seen[at];
                let mut number = |values: &[Option<&str>]| seen.position(values);
                look.interners[at].numbers(&columns, &mut number, &mut look.numbers)?;
            }
            let records = batch.first().map_or(0, |column| column.len());
            for (table, extent) in self.tables.iter().zip(&mut look.extents) {
                table.numbers(batch)?.measure(records, extent);
            }
            Ok(())
        })?;
        let mut all = make();
        for look in &looks {
            all.seen.iter_mut().zip(&look.seen).for_each(|(all, seen)| all.merge(seen));
            all.extents.iter_mut().zip(&look.extents).for_each(|(all, extent)| all.merge(extent));
        }
        Ok(all)
    }

    /// Builds hierarchies over the codes and chooses the units.
    fn prepare(&self, reading: &Reading<'_>, look: &Look) -> Result<Vec<Prepared>, TabulateError> {
        let of_table = |(table, extent): (&Wanted, &Extent)| {
            let seen: Vec<&Seen> = table.dimensions.iter().map(|&at| &look.seen[at]).collect();
            let (dimensions, codes) = table.plan.dimensions(&seen, reading.files)?;
            let holdings = table.holding.map_or(0, |at| look.seen[at].len());
            let counted = table.response.is_none() && table.weight.is_none();
            let units = if counted { Units::default() } else { extent.units() };
            let frame = Frame::new(&table.spec, dimensions, units, holdings)?;
            // No sum on the way can be larger than this one.
            if !extent.fits() {
                return Err(TabulateError::Overflow(frame.grand_total()));
            }
            let places = codes.iter().enumerate().map(|(d, codes)| {
                codes.iter().map(|&code| frame.layout().place(d, code)).collect()
            });
            Ok(Prepared {
                places: places.collect(),
                members: table.holding.map_or_else(Vec::new, |at| members(&look.seen[at])),
                asked: table.request.map_or_else(Vec::new, |at| asked(&table.spec, &look.seen[at])),
                frame,
            })
        };
        self.tables.iter().zip(&look.extents).map(of_table).collect()
    }

    /// Adds all records up, each thread for itself.
    fn add_up(
        &self,
        reading: &Reading<'_>,
        seen: &[Seen],
        prepared: &[Prepared],
        records: u64,
    ) -> Result<Vec<Heap>, Stop> {
        reading.progress.begin(Step::Gather);
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        // What the threads have is merged in the end, so that it is there twice for a while.
        let share = 2 * reading.threads * self.tables.len();
        let memory = reading.limits.memory.map_or(u64::MAX, |bytes| bytes / share as u64);
        let make = || Heap {
            interners: self.variables.iter().map(|_| Interner::default()).collect(),
            numbers: vec![Vec::new(); self.variables.len()],
            gatherers: prepared.iter().map(|p| p.frame.gatherer(memory)).collect(),
        };
        let mut heaps = Vec::new();
        let numbered = AtomicI64::new(1);
        reading.pass(&columns, records).run(&mut heaps, make, |heap, batch| {
            for (at, variable) in self.variables.iter().enumerate() {
                let columns: Vec<ArrayRef> =
                    variable.iter().map(|&column| batch[column].clone()).collect();
                let mut changed = false;
                let mut number = |values: &[Option<&str>]| {
                    seen[at].find(values).unwrap_or_else(|| {
                        changed = true;
                        0
                    })
                };
                heap.interners[at].numbers(&columns, &mut number, &mut heap.numbers[at])?;
                if changed {
                    return Err(Stop::Engine("the files changed meanwhile; try again".to_owned()));
                }
            }
            let records = batch.first().map_or(0, |column| column.len());
            // All tables know a record by the same number.
            let first = numbered.fetch_add(records as i64, Ordering::Relaxed);
            let records = first..first + records as i64;
            for ((table, prepared), gatherer) in
                self.tables.iter().zip(prepared).zip(&mut heap.gatherers)
            {
                let amounts = table.numbers(batch)?;
                table.push(prepared, &amounts, &heap.numbers, records.clone(), gatherer)?;
            }
            Ok(())
        })?;
        Ok(heaps)
    }
}

impl Wanted {
    fn numbers(&self, batch: &[ArrayRef]) -> Result<Numbers, Stop> {
        let column = |at: Option<usize>| at.map(|at| &batch[at]);
        Numbers::read(column(self.response), column(self.weight))
            .map_err(|_| Stop::Engine("a field is not an amount".to_owned()))
    }

    /// Adds the records of a batch, which have these numbers.
    fn push(
        &self,
        prepared: &Prepared,
        amounts: &Numbers,
        numbers: &[Vec<u32>],
        records: Range<i64>,
        gatherer: &mut Gatherer,
    ) -> Result<(), Stop> {
        let too_large = || Stop::Engine("an amount does not fit".to_owned());
        let units = prepared.frame.units();
        let digits: Vec<(&[u32], &[u128])> = self
            .dimensions
            .iter()
            .zip(&prepared.places)
            .chain(self.holding.iter().zip([&prepared.members]))
            .map(|(&at, places)| (&numbers[at][..], &places[..]))
            .collect();
        for (row, number) in records.enumerate() {
            let digit = |(numbers, places): &(&[u32], &[u128])| places[numbers[row] as usize];
            let key = digits.iter().map(digit).sum();
            let request = self.request.and_then(|at| prepared.asked[numbers[at][row] as usize]);
            let record = amounts.record(row, units, request).ok_or_else(too_large)?;
            let record = Record { number, ..record };
            gatherer.push(key, record).map_err(Stop::Error)?.ok_or_else(too_large)?;
        }
        Ok(())
    }
}

/// What each distinct holding adds to a key; a missing one adds nothing.
fn members(seen: &Seen) -> Vec<u128> {
    let member = |at: u32| seen.value(at).map_or(0, |_| u128::from(at) + 1);
    (0..seen.len() as u32).map(member).collect()
}

/// Which request each distinct value means.
fn asked(spec: &TableSpec, seen: &Seen) -> Vec<Option<usize>> {
    let codes = spec.request.as_ref().map(|request| request.codes.clone()).unwrap_or_default();
    let kind = |at: u32| {
        let value = seen.value(at)?;
        codes.iter().position(|code| code.as_deref() == Some(value))
    };
    (0..seen.len() as u32).map(kind).collect()
}
