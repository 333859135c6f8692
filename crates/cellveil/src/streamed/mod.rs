//! Protecting tables too large to be held.
//!
//! Nothing is stored per cell but a byte; everything else is held per finest cell, and known of every cell while the cells stream by. Two smaller tables stay
//! published, but for what protects their own sensitive cells ([`published`]); everything else that moves in any witness is withheld. Witnesses are tables of moves of
//! the finest cells ([`cellveil_suppress::streamed`]): a few in which as many as possible move, then some for the needs that those leave open.

mod below;
mod cells;
mod choice;
mod clock;
mod lines;
mod maker;
mod prices;
mod published;
mod room;
mod split;
mod survey;
#[cfg(test)]
mod tests;
mod witnesses;

use crate::pipeline::{Origin, Unreleased};
use crate::{Error, Job, Run};
use cellveil_core::Policy;
use cellveil_suppress::SuppressError;
pub(crate) use choice::{Choice, Surveyed, choose};
use clock::Clock;
use maker::Maker;
use std::path::Path;

/// Something that tables of this size cannot have.
fn refused(what: &str, hint: &str) -> Error {
    Error::TooLarge { what: what.to_owned(), hint: hint.to_owned() }
}

/// What protecting the table is to mean.
fn policy(job: &Job) -> Policy {
    let (cost, lambda) = (job.protection.cost.clone(), job.protection.lambda);
    Policy { cost, lambda, ..Policy::default() }
}

/// Protects a table from its finest cells and writes its release beside its place.
pub(crate) fn protect(
    job: &Job,
    surveyed: Surveyed<'_, '_>,
    dir: &Path,
    mut origin: Origin,
    run: &Run<'_>,
) -> Result<Unreleased, Error> {
    let Surveyed { gathered, survey, pair, clock, round } = surveyed;
    if let Some(way) = &mut origin.way {
        way.left_out = cellveil_publish::left_out(survey.cells, origin.formats);
    }
    let maker = Maker { job, gathered, survey: &survey, pair, run, clock: &clock, round };
    let released = maker.released(dir, &origin);
    released.map_err(|error| out_of_time(error, &clock, survey.needs))
}

/// If the time is over, that is the error, whatever was given up because of it.
fn out_of_time(error: Error, clock: &Clock<'_>, needs: usize) -> Error {
    let open = match &error {
        Error::Exposed(exposed) => exposed.cells.len() + exposed.more,
        _ => needs,
    };
    let is_it = clock.was_over() && !matches!(error, Error::TooLarge { .. });
    if is_it { Error::Suppress(SuppressError::OutOfTime { open }) } else { error }
}
