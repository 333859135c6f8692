//! Which tables are too large to be held.

use super::refused;
use super::survey::Survey;
use crate::memory;
use crate::system::System;
use crate::tabulation::Tabulation;
use crate::{Error, Job, Run};
use cellveil_tabulate::{Cells, Gathered, Sink, TabulateError};

/// What the methods that hold a table take for each of its cells, and for each that is sensitive; as measured where most are.
const PER_CELL: u64 = 120;
const PER_NEED: u64 = 1300;

/// The finest cells of a system's table, if protecting it in the other way would take more memory than there is.
pub(crate) fn is_for<'t>(
    job: &Job,
    system: &System<'_>,
    tabulation: &'t Tabulation<'_>,
    run: &Run<'_>,
) -> Result<Option<(&'t Gathered, Survey)>, Error> {
    let given = run.settings.memory.map(|memory| memory.0);
    let (Some(memory), [table]) = (given.or_else(memory::of_machine), &system.tables[..]) else {
        return Ok(None);
    };
    let Some(gathered) = tabulation.gathered(*table) else { return Ok(None) };
    let depth = |d: &cellveil_core::Dimension| {
        let codes = 0..d.hierarchy.len() as u32;
        codes.map(|code| d.hierarchy.ancestors(code).len()).max().unwrap_or(1) as u64
    };
    let above = gathered.frame().dimensions().iter().map(depth).fold(1, u64::saturating_mul);
    let most = (gathered.len() as u64).saturating_mul(above);
    if most.saturating_mul(PER_CELL + PER_NEED) <= memory || job.rules.is_empty() {
        return Ok(None);
    }
    if let Some((what, hint)) = unsupported(job, gathered) {
        let cells = run.stage("survey", || run.install(|| count(gathered)))??;
        return if cells * PER_CELL > memory { Err(refused(what, hint)) } else { Ok(None) };
    }
    let size = || Survey::of(gathered, &job.rules, &super::policy(job));
    let survey = run.stage("survey", || run.install(size))??;
    let bytes = survey.cells as u64 * PER_CELL + survey.needs as u64 * PER_NEED;
    Ok((bytes > memory).then_some((gathered, survey)))
}

/// The number of cells.
fn count(gathered: &Gathered) -> Result<u64, TabulateError> {
    struct Count(u64);
    impl Sink for Count {
        fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
            self.0 += cells.codes.len() as u64;
            Ok(())
        }
    }
    let mut codes = Count(0);
    gathered.roll_up(&mut codes)?;
    Ok(codes.0 / gathered.frame().dimensions().len() as u64)
}

/// What a job asks for that tables of this size cannot have, and what to do about it.
fn unsupported(job: &Job, gathered: &Gathered) -> Option<(&'static str, &'static str)> {
    let (protection, rules) = (&job.protection, &job.rules);
    let spec = gathered.frame().spec();
    let measure = gathered.frame().measure();
    let asked = [
        (spec.holding.is_some(), "`holding`"),
        (protection.singletons || protection.coalitions, "the singleton intruder"),
        (protection.whole, "the integer intruder"),
        (!protection.earlier.is_empty(), "`earlier`"),
        (protection.previous.is_some(), "`previous`"),
        (protection.cost_file.is_some(), "`cost_file`"),
        (protection.knowledge.percent.is_some(), "`known_percent`"),
        ((protection.margins - 1.0).abs() > f64::EPSILON, "`margins`"),
        (rules.manual.is_some(), "`manual`"),
        (rules.row_share.is_some() || rules.column_share.is_some(), "a share rule"),
        (rules.interval.is_some(), "`interval`"),
    ];
    let hint = "leave it out, leave out a variable, or work with more memory";
    let found = asked.into_iter().find(|(is_asked, _)| *is_asked).map(|(_, what)| (what, hint));
    found.or_else(|| {
        let negative = |leaf: usize| measure.is_negative(gathered.row(leaf));
        (0..gathered.len()).any(negative).then_some(("contributions below zero", hint))
    })
}
