//! Which tables are too large to be held.

use super::clock::Clock;
use super::refused;
use super::room::Room;
use super::split;
use super::survey::{Survey, Variables};
use crate::memory;
use crate::system::System;
use crate::tabulation::Tabulation;
use crate::{Error, Job, Run};
use cellveil_attack::Intervals;
use cellveil_publish::Way;
use cellveil_suppress::Method;
use cellveil_tabulate::{Cells, Gathered, Sink, TabulateError};

/// What the methods that hold a table take for each of its cells, and for each that is sensitive; as measured where most are.
const PER_CELL: u64 = 120;
const PER_NEED: u64 = 1300;

/// A table that is not held.
pub(crate) struct Surveyed<'t, 'r> {
    pub(super) gathered: &'t Gathered,
    pub(super) survey: Survey,
    /// The two smaller tables that stay published.
    pub(super) pair: [Variables; 2],
    pub(super) clock: Clock<'r>,
    /// How many witnesses there is room for at a time.
    pub(super) round: usize,
}

/// Whether a table is held, and why.
pub(crate) enum Choice<'t, 'r> {
    /// It is.
    Held(Option<Way>),
    /// It is not: protecting it in the other way would take more memory than there is.
    Streamed(Surveyed<'t, 'r>, Way),
}

/// Chooses for the table of a system.
pub(crate) fn choose<'t, 'r>(
    job: &Job,
    system: &System<'_>,
    tabulation: &'t Tabulation<'_>,
    intervals: Intervals,
    run: &'r Run<'r>,
) -> Result<Choice<'t, 'r>, Error> {
    let given = run.settings.memory.map(|memory| memory.0);
    let way = |table: &str, estimated: Option<u64>, memory: Option<u64>| Way {
        table: table.to_owned(),
        estimated_bytes: estimated,
        memory_bytes: memory,
        memory_from: memory
            .map(|_| if given.is_some() { "--memory" } else { "machine" }.to_owned()),
        left_out: Vec::new(),
    };
    // What the machine has is told only where it mattered, so that machines agree otherwise.
    let held = |estimated: Option<u64>| Ok(Choice::Held(Some(way("held", estimated, given))));
    let (Some(memory), [table]) = (given.or_else(memory::of_machine), &system.tables[..]) else {
        return held(None);
    };
    let Some(gathered) = tabulation.gathered(*table) else { return Ok(Choice::Held(None)) };
    let most = most_cells(gathered).saturating_mul(PER_CELL + PER_NEED);
    if most <= memory || job.rules.is_empty() {
        return held(None);
    }
    if let Some((what, hint)) = unsupported(job, gathered, intervals) {
        let cells = run.stage("survey", || run.install(|| count(gathered)))??;
        let bytes = cells * PER_CELL;
        return if bytes > memory { Err(refused(&what, hint)) } else { held(Some(bytes)) };
    }
    let mut clock = Clock::new(run);
    let size = || Survey::of(gathered, &job.rules, &super::policy(job), &clock);
    let survey = run.stage("survey", || run.install(|| clock.passing(size)))??;
    let bytes = survey.cells as u64 * PER_CELL + survey.needs as u64 * PER_NEED;
    if bytes <= memory {
        return held(Some(bytes));
    }
    let pair = split::choose(&survey.sets, gathered.len()).ok_or_else(|| {
        refused("a table of which no two smaller ones are dense", "leave out a variable")
    })?;
    let room = Room::of(gathered, &survey, pair);
    let round = room.round(memory).map_err(|bytes| Error::TooLittle { bytes, memory })?;
    tracing::info!(round, bytes = room.bytes(round), "room for a table that is not held");
    clock.prove_at_a_time(round);
    let way = way("streamed", Some(bytes), Some(memory));
    Ok(Choice::Streamed(Surveyed { gathered, survey, pair, clock, round }, way))
}

/// No table of these finest cells has more cells.
fn most_cells(gathered: &Gathered) -> u64 {
    let depth = |d: &cellveil_core::Dimension| {
        let codes = 0..d.hierarchy.len() as u32;
        codes.map(|code| d.hierarchy.ancestors(code).len()).max().unwrap_or(1) as u64
    };
    let above = gathered.frame().dimensions().iter().map(depth).fold(1, u64::saturating_mul);
    (gathered.len() as u64).saturating_mul(above)
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
fn unsupported(
    job: &Job,
    gathered: &Gathered,
    intervals: Intervals,
) -> Option<(String, &'static str)> {
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
        (matches!(intervals, Intervals::All | Intervals::Needs), "`--intervals`"),
    ];
    let hint = "leave it out, leave out a variable, or work with more memory";
    let found = asked.into_iter().find(|(is_asked, _)| *is_asked);
    let found = found.map(|(_, what)| (what.to_owned(), hint)).or_else(|| {
        let is_chosen = protection.method != Method::Auto;
        is_chosen.then(|| (format!("the method `{}`", protection.method), hint))
    });
    found.or_else(|| {
        let negative = |leaf: usize| measure.is_negative(gathered.row(leaf));
        (0..gathered.len()).any(negative).then(|| ("contributions below zero".to_owned(), hint))
    })
}
