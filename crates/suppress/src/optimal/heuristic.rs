//! Safe patterns from fractional ones.

use super::search::{Best, Search};
use crate::incremental::complete;
use crate::method::SuppressError;
use cellveil_core::{Pattern, Problem, ProblemParts, Witness};

/// How much cheaper a cell becomes that the fractional pattern withholds.
const HINT: f64 = 0.98;

impl Search<'_> {
    /// Protects the table anew with cells the cheaper the more the fractional pattern withholds them, and keeps the result if it is
    /// cheaper than the best.
    pub(super) fn guided(&self, best: &mut Best) -> Result<(), SuppressError> {
        let Some(guide) = self.guide() else { return Ok(()) };
        match complete(&guide, self.context, self.problem.start(), Vec::new()) {
            Ok((pattern, witnesses)) => {
                self.keep(best, &pattern, &witnesses);
                self.improve(best, pattern, &witnesses)
            }
            Err(SuppressError::OutOfTime { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The same problem with other costs.
    fn guide(&self) -> Option<Problem> {
        let relaxed = self.rounds.relaxed.as_ref()?;
        let mut costs = self.problem.parts().costs.clone();
        for (cell, &share) in self.rounds.system.component.cells.iter().zip(&relaxed.point) {
            costs[cell.index()] *= 1.0 - HINT * share;
        }
        let parts = ProblemParts { costs, ..self.problem.parts().clone() };
        let guide = Problem::new(parts, i64::MAX).ok()?;
        Some(guide.against_those_of(self.problem))
    }

    /// Adds what a pattern lacks, gives back what it does not need, and keeps the result if it is cheaper than the best.
    pub(super) fn improve(
        &self,
        best: &mut Best,
        pattern: Pattern,
        known: &[Witness],
    ) -> Result<(), SuppressError> {
        let moves_withheld =
            |witness: &&Witness| witness.moves.iter().all(|&(cell, _)| pattern.is_withheld(cell));
        let known = known.iter().filter(moves_withheld).cloned().collect();
        match complete(self.problem, self.context, pattern, known) {
            Ok((pattern, witnesses)) => {
                self.keep(best, &pattern, &witnesses);
                Ok(())
            }
            Err(SuppressError::OutOfTime { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn keep(&self, best: &mut Best, pattern: &Pattern, witnesses: &[Witness]) {
        let cost = self.problem.cost_of(pattern);
        if cost < self.problem.cost_of(&best.pattern) {
            *best = Best { pattern: pattern.clone(), witnesses: witnesses.to_vec() };
            self.context.progress.improved(cost, self.rounds.bound);
        }
    }
}
