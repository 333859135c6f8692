//! Safe patterns to start from, and from patterns that are not.

use super::search::{Best, Search};
use crate::improve::sweep;
use crate::incremental::{Manner, Workshop, first, prune};
use crate::method::{Context, SuppressError};
use cellveil_core::{Pattern, Problem, Witness};

/// The share of the time that goes into a good pattern to start from.
const STARTING: f64 = 0.25;

/// A pattern to start from, as good as a part of the time allows.
pub(crate) fn start(problem: &Problem, context: &Context<'_>) -> Result<Best, SuppressError> {
    let workshop = Workshop::new(problem, context);
    let mut cover = first(&workshop, &problem.start(), &[], Manner::Swift)?;
    context.progress.improved(cover.cost(), 0.0);
    // Programs for what is dear take longer, and mostly cost less in the end.
    match first(&workshop, &problem.start(), &[], Manner::Quick) {
        Ok(other) if other.cost() < cover.cost() => {
            cover = other;
            context.progress.improved(cover.cost(), 0.0);
        }
        Ok(_) | Err(SuppressError::OutOfTime { .. }) => {}
        Err(error) => return Err(error),
    }
    let left = (context.seconds_left)();
    let seconds_left = || Some((context.seconds_left)()? - left? * (1.0 - STARTING));
    let workshop_time = Context { seconds_left: &seconds_left, ..*context };
    let improving = workshop.within(&workshop_time);
    sweep(&improving, &mut cover, workshop.work(), Manner::Quick)?;
    sweep(&improving, &mut cover, workshop.work(), Manner::Careful(0))?;
    prune(&improving, &mut cover)?;
    context.progress.improved(cover.cost(), 0.0);
    let (pattern, witnesses) = cover.into_parts();
    Ok(Best { pattern, witnesses })
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
        let mut cover = match first(&workshop, pattern, &known, Manner::Quick) {
            Ok(cover) => cover,
            Err(SuppressError::OutOfTime { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        if cover.cost() < PROMISING * self.problem.cost_of(&best.pattern) {
            prune(&workshop, &mut cover)?;
        }
        let (pattern, witnesses) = cover.into_parts();
        self.keep(best, &pattern, &witnesses);
        Ok(())
    }

    fn keep(&self, best: &mut Best, pattern: &Pattern, witnesses: &[Witness]) {
        let cost = self.problem.cost_of(pattern);
        if cost < self.problem.cost_of(&best.pattern) {
            *best = Best { pattern: pattern.clone(), witnesses: witnesses.to_vec() };
            self.context.progress.improved(cost, self.rounds.bound);
        }
    }
}
