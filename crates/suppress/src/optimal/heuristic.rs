//! Safe patterns to start from, and from patterns that are not.

use super::search::{Best, Search};
use super::span::dearest_flats;
use crate::cover::Cover;
use crate::improve::sweep;
use crate::incremental::{Manner, Workshop, first, prune};
use crate::method::{Context, SuppressError};
use crate::small_levels::{MARGIN, has_small_levels};
use cellveil_core::{Pattern, Problem, Witness};

/// The share of the time that goes into a good pattern to start from.
const STARTING: f64 = 0.4;

/// Tables with more cells get no programs for all needs at once: each would take a minute. In small ones whose levels are not small,
/// products are as good and take no time.
const TOGETHER: usize = 20_000;

/// What may go into a pattern from products, in programs on the whole table, and into one from programs, in cells of programs.
const PRODUCTS: u64 = 2;
const PROGRAMS: u64 = 1_500_000;

/// A pattern to start from, as good as a part of the time allows.
pub(crate) fn start(problem: &Problem, context: &Context<'_>) -> Result<Best, SuppressError> {
    let workshop = Workshop::new(problem, context);
    let is_worth_it = problem.len() > SMALL || has_small_levels(problem);
    let together = problem.insiders().is_empty() && problem.len() <= TOGETHER && is_worth_it;
    let manner = if together { Manner::Together } else { Manner::Swift };
    let mut cover = first(&workshop, &problem.start(), &[], manner)?;
    context.progress.improved(cover.cost(), 0.0);
    let left = (context.seconds_left)();
    let seconds_left = || Some((context.seconds_left)()? - left? * (1.0 - STARTING));
    let workshop_time = Context { seconds_left: &seconds_left, ..*context };
    let improving = workshop.within(&workshop_time);
    let from = |manner, work| {
        let workshop = improving.for_work(work);
        in_time(first(&workshop, &problem.start(), &[], manner))
    };
    let swiftly = || from(Manner::Swift, PRODUCTS * problem.len() as u64);
    let from_products = if together { swiftly()? } else { None };
    let from_flats = from_flats(&improving)?;
    // Programs for what is dear take longer, and mostly cost less in the end.
    let from_programs = from(Manner::Quick, PROGRAMS)?;
    for other in [from_products, from_flats, from_programs].into_iter().flatten() {
        if other.cost() < cover.cost() {
            cover = other;
        }
    }
    context.progress.improved(cover.cost(), 0.0);
    sweep(&improving, &mut cover, workshop.work(), Manner::Quick)?;
    sweep(&improving, &mut cover, workshop.work(), Manner::Careful(0))?;
    prune(&improving, &mut cover)?;
    context.progress.improved(cover.cost(), 0.0);
    let (pattern, witnesses) = cover.into_parts();
    Ok(Best { pattern, witnesses })
}

/// What was found, if the time sufficed.
pub(super) fn in_time<T>(found: Result<T, SuppressError>) -> Result<Option<T>, SuppressError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(SuppressError::OutOfTime { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The work for a first flat, and for a better one where no time limit is set, in coordinates.
const FLAT: u64 = 100_000_000;
const BETTER_FLAT: u64 = 1_000_000_000;

/// Where levels are small, all that a flat lacks costs at most this share of it.
const LACKING: f64 = 0.25;

/// So few needs are soon met at the least cost by cuts alone.
const FEW: usize = 20;

/// The share of the time for flats that goes into the search; the rest is for what they lack.
const SEARCHING: f64 = 0.5;

/// The best pattern from flats, with all that they lack. The first shows whether it is worth looking for dearer ones.
fn from_flats<'a>(workshop: &Workshop<'a>) -> Result<Option<Cover<'a>>, SuppressError> {
    let (problem, context) = (workshop.problem, workshop.context);
    if problem.needs().len() <= FEW || !has_small_levels(problem) {
        return Ok(None);
    }
    let left = (context.seconds_left)();
    let seconds_left = || Some((context.seconds_left)()? - left? * (1.0 - SEARCHING));
    let searching = Context { seconds_left: &seconds_left, ..*context };
    let flats = |work| dearest_flats(problem, &searching, workshop.everything(), MARGIN, work);
    let Some(flat) = flats(FLAT).into_iter().next() else { return Ok(None) };
    let Some(mut best) = with_what_it_lacks(workshop, &flat)? else { return Ok(None) };
    if lacks_much(problem, &best, &flat) {
        return Ok(Some(best));
    }
    for flat in flats(if left.is_some() { u64::MAX } else { BETTER_FLAT }) {
        let Some(cover) = with_what_it_lacks(workshop, &flat)? else { break };
        if cover.cost() < best.cost() {
            best = cover;
        }
    }
    Ok(Some(best))
}

/// In tables with more cells than this what flats lack is met for all needs at once.
const SMALL: usize = 2_500;

/// Protects what a flat leaves open; `None` if the time does not suffice.
fn with_what_it_lacks<'a>(
    workshop: &Workshop<'a>,
    flat: &Pattern,
) -> Result<Option<Cover<'a>>, SuppressError> {
    let with = |manner| in_time(first(workshop, flat, &[], manner));
    let is_small = workshop.problem.len() <= SMALL;
    let cover = with(if is_small { Manner::Quick } else { Manner::Together })?;
    match cover {
        Some(cover) if is_small && lacks_much(workshop.problem, &cover, flat) => {
            let together = with(Manner::Together)?.filter(|other| other.cost() < cover.cost());
            Ok(Some(together.unwrap_or(cover)))
        }
        cover => Ok(cover),
    }
}

/// Whether levels are so large that a flat is only a start.
fn lacks_much(problem: &Problem, cover: &Cover<'_>, flat: &Pattern) -> bool {
    cover.cost() > (1.0 + LACKING) * problem.cost_of(flat)
}

/// Patterns that cost at most this many times as much as the best are looked through for cells to give back.
const PROMISING: f64 = 1.1;

impl Search<'_> {
    /// Adds what a pattern lacks, gives back what it does not need, and keeps the result if it is cheaper than the best.
    pub(super) fn improve(
        &self,
        best: &mut Best,
        pattern: &Pattern,
        known: &[Witness],
    ) -> Result<(), SuppressError> {
        let moves_withheld =
            |witness: &&Witness| witness.moves.iter().all(|&(cell, _)| pattern.is_withheld(cell));
        let known: Vec<Witness> = known.iter().filter(moves_withheld).cloned().collect();
        let workshop = Workshop::new(self.problem, self.context);
        let found = in_time(first(&workshop, pattern, &known, Manner::Quick))?;
        let Some(mut cover) = found else { return Ok(()) };
        if cover.cost() < PROMISING * self.problem.cost_of(&best.pattern) {
            self.prune(&workshop, &mut cover)?;
        }
        let (pattern, witnesses) = cover.into_parts();
        self.keep(best, &pattern, &witnesses);
        Ok(())
    }

    pub(super) fn keep(&self, best: &mut Best, pattern: &Pattern, witnesses: &[Witness]) {
        let cost = self.problem.cost_of(pattern);
        if cost < self.problem.cost_of(&best.pattern) {
            *best = Best { pattern: pattern.clone(), witnesses: witnesses.to_vec() };
            self.context.progress.improved(cost, self.rounds.bound);
        }
    }
}
