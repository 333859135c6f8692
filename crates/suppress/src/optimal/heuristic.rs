//! Safe patterns to start from, and from patterns that are not.

use super::cuts::Cut;
use super::flats::Flats;
use super::level::System;
use super::needed;
use super::recombine::SMALL;
use super::search::{Best, Search};
use crate::improve::sweep;
use crate::in_time::attempted;
use crate::incremental::{Manner, Workshop, first, first_given, prune, shown};
use crate::method::{Context, SuppressError};
use crate::small_levels::has_small_levels;
use cellveil_core::{Pattern, Problem, Witness};
use rayon::prelude::*;

/// The share of the time that goes into a good pattern to start from.
const STARTING: f64 = 0.4;

/// Tables with more cells or terms of relations get no programs for all needs at once: each would take a minute. In small ones whose levels are not
/// small, products are as good and take no time.
const TOGETHER: usize = 20_000;
const TERMS: usize = 80_000;

/// The share of the time that goes into them where there is a pattern already, and the part of it for programs where they go from coarse to fine.
const FOR_ALL: f64 = 0.8;
const PROGRAMMED: f64 = 0.85;

/// What may go into a pattern from products, in programs on the whole table, and into one from programs, in cells of programs.
const PRODUCTS: u64 = 2;
const PROGRAMS: u64 = 1_500_000;

/// The share of the time for such a pattern in which what is left open is met without programs.
const RESERVE: f64 = 0.2;

/// How many times the work of a pattern from products goes into making it cheaper, where programs take long.
const SWEPT: u64 = 10;

/// A pattern to start from, as good as a part of the time allows.
pub(crate) fn start(problem: &Problem, context: &Context<'_>) -> Result<Best, SuppressError> {
    let workshop = Workshop::new(problem, context);
    let is_worth_it = problem.len() > SMALL || has_small_levels(problem);
    let is_quick = problem.len() <= TOGETHER && problem.relations().terms() <= TERMS;
    let together = is_quick && is_worth_it;
    let flats = Flats::new(&workshop)?;
    let mut cover = match &flats {
        Some(flats) => flats.first.clone(),
        None if together && !workshop.does_without_programs() => {
            first(&workshop, &problem.start(), &[], Manner::Together)?
        }
        None => first(&workshop, &problem.start(), &[], Manner::Swift)?,
    };
    context.progress.improved(cover.cost(), 0.0);
    let left = (context.seconds_left)();
    let seconds_left = || Some((context.seconds_left)()? - left? * (1.0 - FOR_ALL));
    let for_all = Context { seconds_left: &seconds_left, ..*context };
    if together && flats.is_none() && workshop.does_without_programs() {
        let for_all = workshop.within(&for_all);
        let pattern = problem.start();
        let by_levels = workshop.has_levels() && !has_small_levels(problem);
        let reserve = left.map_or(0.0, |left| left * (1.0 - FOR_ALL * PROGRAMMED));
        let manner = if by_levels { Manner::Levels(reserve) } else { Manner::Together };
        let shown = shown(&for_all, &pattern, &[], true)?;
        if let Some(other) =
            attempted(first_given(&for_all, &pattern, shown, manner, Some(&cover)))?
            && other.cost() < cover.cost()
        {
            cover = other;
            context.progress.improved(cover.cost(), 0.0);
        }
    }
    let left = (context.seconds_left)();
    let seconds_left = || Some((context.seconds_left)()? - left? * (1.0 - STARTING));
    let workshop_time = Context { seconds_left: &seconds_left, ..*context };
    let improving = workshop.within(&workshop_time);
    let from = |manner, work| {
        let workshop = improving.for_work(work);
        attempted(first(&workshop, &problem.start(), &[], manner))
    };
    let swiftly = || from(Manner::Swift, PRODUCTS * problem.len() as u64);
    let from_products = if flats.is_some() { swiftly()? } else { None };
    let from_flats = flats.map(|flats| flats.better(&improving)).transpose()?.flatten();
    // Programs for what is dear take longer, and mostly cost less in the end. Where each takes long, the time is better spent on products.
    let reserve = seconds_left().map_or(0.0, |left| left * RESERVE);
    let from_programs = if is_quick { from(Manner::Until(reserve), PROGRAMS)? } else { None };
    for other in [from_products, from_flats, from_programs].into_iter().flatten() {
        if other.cost() < cover.cost() {
            cover = other;
        }
    }
    context.progress.improved(cover.cost(), 0.0);
    if is_quick {
        sweep(&improving, &mut cover, workshop.work(), Manner::Quick)?;
        sweep(&improving, &mut cover, workshop.work(), Manner::Careful(0))?;
    } else {
        sweep(&improving, &mut cover, SWEPT * workshop.work(), Manner::Swift)?;
    }
    prune(&improving, &mut cover)?;
    context.progress.improved(cover.cost(), 0.0);
    let (pattern, witnesses) = cover.into_parts();
    Ok(Best { pattern, witnesses })
}

/// Patterns that cost at most this many times as much as the best are looked through for cells to give back.
const PROMISING: f64 = 1.1;

/// Adds what a pattern lacks and gives back what it does not need; `None` if the time or the engine did not suffice.
pub(super) struct Completion<'c> {
    workshop: Workshop<'c>,
    system: &'c System<'c>,
    cuts: &'c [Cut],
    /// Patterns that cost more are not looked through for cells to give back.
    promising: f64,
}

impl Completion<'_> {
    pub(super) fn of(
        &self,
        pattern: &Pattern,
        known: &[Witness],
    ) -> Result<Option<Best>, SuppressError> {
        let moves_withheld =
            |witness: &&Witness| witness.moves.iter().all(|&(cell, _)| pattern.is_withheld(cell));
        let known: Vec<Witness> = known.iter().filter(moves_withheld).cloned().collect();
        let found = attempted(first(&self.workshop, pattern, &known, Manner::Quick))?;
        let Some(mut cover) = found else { return Ok(None) };
        if cover.cost() < self.promising {
            needed::prune(&self.workshop, &mut cover, self.system, self.cuts)?;
        }
        let (pattern, witnesses) = cover.into_parts();
        Ok(Some(Best { pattern, witnesses }))
    }
}

impl Search<'_> {
    /// Completes patterns; those that cost more than so much before anything is given back stay as they are.
    pub(super) fn completion(&self, promising: f64) -> Completion<'_> {
        Completion {
            workshop: Workshop::new(self.problem, self.context),
            system: self.rounds.system,
            cuts: &self.rounds.master.cuts,
            promising,
        }
    }

    /// Completes patterns side by side, and keeps the cheapest if it is cheaper than the best.
    pub(super) fn improve(
        &self,
        best: &mut Best,
        patterns: &[&Pattern],
    ) -> Result<(), SuppressError> {
        let completion = self.completion(PROMISING * self.problem.cost_of(&best.pattern));
        let known = &best.witnesses;
        let found: Result<Vec<Option<Best>>, SuppressError> =
            patterns.par_iter().map(|pattern| completion.of(pattern, known)).collect();
        for found in found?.into_iter().flatten() {
            self.keep(best, found);
        }
        Ok(())
    }

    pub(super) fn keep(&self, best: &mut Best, found: Best) {
        let cost = self.problem.cost_of(&found.pattern);
        if cost < self.problem.cost_of(&best.pattern) {
            *best = found;
            self.context.progress.improved(cost, self.rounds.bound);
        }
    }
}
