//! Patterns from fractional ones, and the cheapest that the cells of several patterns allow.
//!
//! While cuts are still few, the fractional pattern already shows which cells the cheap patterns share. Withholding what it withholds to a large
//! part, adding what that lacks and giving back what it does not need takes a fraction of a second. Patterns found this way differ; among the cells of the best
//! of them there are few enough to search for the cheapest combination. The first search is among the cells of the fractional pattern itself, which takes no time to find.

use super::rounds::Round;
use super::search::{Best, Search};
use crate::method::SuppressError;
use cellveil_core::Pattern;
use cellveil_lp::{Limits, Outcome};
use rayon::prelude::*;

/// Tables with more cells take too long for one pattern.
pub(super) const SMALL: usize = 2_500;

/// How often patterns are combined, how many fractional ones are looked at each time, and after how many rounds of cuts.
const COMBINATIONS: usize = 4;
const LOOKS: usize = 3;
const ROUNDS: usize = 6;

/// The share of the time that is left that the rounds before a look may take.
const LOOKING: f64 = 0.1;

/// A cell is withheld that the fractional pattern withholds to one of these shares.
const SHARES: [f64; 4] = [0.7, 0.5, 0.3, 0.2];

/// Patterns whose cells are combined, besides the best; where there are none, cells that the fractional pattern withholds to more than this share.
const COMBINED: usize = 3;
const WITHHELD: f64 = 0.02;

/// Combining patterns takes no longer than finding them, or than this share of the time that is left.
const COMBINING: f64 = 0.1;

/// Then parts near the best pattern are looked at, for no longer than finding the patterns took, or than this share of the time that is left, and until so many
/// in a row had nothing.
const NEARBY: f64 = 0.2;
const IN_VAIN: usize = 6;

/// Searches among the cells of a few patterns, their nodes, and how far from the best each may end.
const SEARCHES: usize = 8;
const NODES: u32 = 30;
const GAP: f64 = 0.03;

impl Search<'_> {
    /// Looks for cheaper patterns between rounds of cuts.
    pub(super) fn look_between_rounds(&mut self, best: &mut Best) -> Result<(), SuppressError> {
        for combination in 0..=COMBINATIONS {
            let begun = (self.context.seconds_left)();
            let mut found: Vec<(f64, Pattern)> = Vec::new();
            let is_first = combination == 0;
            for _ in 0..if is_first { 1 } else { LOOKS } {
                let enough = (self.context.seconds_left)().map(|left| left * (1.0 - LOOKING));
                for _ in 0..ROUNDS {
                    let is_feasible = !matches!(self.rounds.round()?, Round::Infeasible);
                    let is_proven = self.is_proven(self.cost(&best.pattern));
                    if !is_feasible || is_proven || self.context.is_over() {
                        return Ok(());
                    }
                    let now = (self.context.seconds_left)();
                    if now.zip(enough).is_some_and(|(now, enough)| now < enough) {
                        break;
                    }
                }
                if !is_first {
                    self.round_off(best, &mut found)?;
                }
            }
            let now = (self.context.seconds_left)();
            let took = begun.zip(now).map_or(0.0, |(begun, now)| begun - now);
            let until = now.map(|now| now - took.max(COMBINING * now));
            self.recombine(best, &found, until)?;
            let now = (self.context.seconds_left)();
            let until = now.map(|now| now - took.min(NEARBY * now));
            self.look_aside(best, until, IN_VAIN)?;
        }
        Ok(())
    }

    /// Patterns of what the fractional pattern withholds to a large part; the cheapest are kept in `found`.
    fn round_off(
        &self,
        best: &mut Best,
        found: &mut Vec<(f64, Pattern)>,
    ) -> Result<(), SuppressError> {
        let Some(relaxed) = &self.rounds.relaxed else { return Ok(()) };
        let rounded = SHARES.map(|share| {
            let withheld: Vec<bool> = relaxed.point.iter().map(|&point| point >= share).collect();
            self.pattern(best, &withheld)
        });
        let completion = self.completion(f64::INFINITY);
        let completed: Result<Vec<Option<Best>>, SuppressError> =
            rounded.par_iter().map(|pattern| completion.of(pattern, &[])).collect();
        for completed in completed?.into_iter().flatten() {
            let cost = self.problem.cost_of(&completed.pattern);
            found.push((cost, completed.pattern.clone()));
            self.keep(best, completed);
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.dedup_by(|a, b| a.1 == b.1);
        found.truncate(COMBINED);
        Ok(())
    }

    /// Searches for the cheapest pattern of cells that some patterns withhold, or the fractional one where there are none, until so many seconds are left.
    fn recombine(
        &mut self,
        best: &mut Best,
        found: &[(f64, Pattern)],
        until: Option<f64>,
    ) -> Result<(), SuppressError> {
        let system = self.rounds.system;
        let is_used = |&cell: &_| {
            best.pattern.is_withheld(cell) || found.iter().any(|(_, p)| p.is_withheld(cell))
        };
        let mut used: Vec<bool> = system.component.cells.iter().map(is_used).collect();
        if found.is_empty()
            && let Some(relaxed) = &self.rounds.relaxed
        {
            let points = used.iter_mut().zip(&relaxed.point);
            points.for_each(|(used, point)| *used |= *point > WITHHELD);
        }
        let seconds = || (self.context.seconds_left)().zip(until).map(|(left, until)| left - until);
        for _ in 0..SEARCHES {
            if seconds().is_some_and(|seconds| seconds <= 0.0) {
                break;
            }
            let Some(mut withheld) = self.cheapest_among(best, &used, seconds())? else { break };
            let as_found = self.pattern(best, &withheld);
            let added = self.rounds.cut_off(&mut withheld, &[])?;
            let grown = self.pattern(best, &withheld);
            self.improve(best, &[&grown, &as_found])?;
            if added == 0 || self.context.is_over() {
                break;
            }
        }
        Ok(())
    }

    /// The cheapest choice of some cells under the cuts; `None` if none is cheaper than the best pattern.
    fn cheapest_among(
        &self,
        best: &Best,
        used: &[bool],
        seconds: Option<f64>,
    ) -> Result<Option<Vec<bool>>, SuppressError> {
        let (system, master) = (self.rounds.system, &self.rounds.master);
        let mut model = master.model(true);
        for (column, &at) in model.columns.iter_mut().zip(master.positions()) {
            if !used[at as usize] {
                column.upper = 0.0;
            }
        }
        let cutoff = Some(self.cost(&best.pattern) / master.scale);
        let limits = Limits { nodes: Some(NODES), seconds, gap: GAP, cutoff, ..Limits::default() };
        let outcome = self.context.engine.open(&model)?.solve(&limits)?;
        let (Outcome::Optimal(solution) | Outcome::Incumbent(solution, _)) = outcome else {
            return Ok(None);
        };
        if solution.objective * master.scale >= self.cost(&best.pattern) {
            return Ok(None);
        }
        let mut withheld: Vec<bool> = system.free.iter().map(|free| !free).collect();
        for (&at, value) in master.positions().iter().zip(&solution.columns) {
            withheld[at as usize] |= *value > 0.5;
        }
        Ok(Some(withheld))
    }
}
