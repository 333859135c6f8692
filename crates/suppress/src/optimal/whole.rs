//! Cuts against a whole pattern, and what to add to it.
//!
//! Each level that the pattern misses gives a cut. Then cells are added that satisfy all cuts found, and the levels still open are
//! looked at again: so one pattern gives many cuts, and ends as one that reaches every level.

use super::cuts::{Capacity, Cut, strongest};
use super::level::{Goal, Level};
use super::rounds::{BROKEN, CHEAP, Rounds, TERMS, TOGETHER, trace};
use super::separate::{Answer, View, Watched};
use cellveil_core::Side;
use cellveil_lp::EngineError;
use rayon::prelude::*;

/// Rooms are drawn in to this many times the level only, where it matters what is possible.
const WIDE: f64 = 1e5;

/// How often cells are added, where cells times levels are at most [`SMALL`].
const GROWN: usize = 60;
const SMALL: usize = 200_000;

impl Rounds<'_> {
    /// Adds cuts against a pattern, and to the pattern what it lacks, if that does not take long. Says how many cuts were added; 0 if
    /// the pattern reached all levels, as far as programs see. Levels that a `known` table of the pattern reaches are not asked about.
    pub(super) fn cut_off(
        &mut self,
        withheld: &mut [bool],
        known: &[Table],
    ) -> Result<usize, EngineError> {
        let mut levels = std::mem::take(&mut self.levels);
        let mut open: Vec<&mut Watched> = levels
            .iter_mut()
            .filter(|watched| !known.iter().any(|table| reaches(table, &watched.level)))
            .collect();
        let rounds = if self.system.len() * open.len() <= SMALL { GROWN } else { 1 };
        let mut added = 0;
        for _ in 0..rounds {
            let missed = self.missed(&mut open, withheld)?;
            if missed.is_empty() {
                break;
            }
            let point: Vec<f64> = withheld.iter().map(|&is| f64::from(u8::from(is))).collect();
            let cuts: Vec<Cut> = missed.iter().flat_map(|c| strongest(c, &point)).collect();
            let before = added;
            for cut in &cuts {
                added += usize::from(self.master.add(cut.clone())?);
            }
            if added == before || self.context.is_over() || !self.grow(&cuts, withheld) {
                break;
            }
        }
        self.levels = levels;
        Ok(added)
    }

    /// What holds back the levels that a pattern misses. Levels that it reaches are taken out of `open`.
    fn missed(
        &mut self,
        open: &mut Vec<&mut Watched>,
        withheld: &[bool],
    ) -> Result<Vec<Capacity>, EngineError> {
        let cheap = CHEAP * self.master.scale;
        let exact: Vec<f64> = withheld.iter().map(|&is| f64::from(u8::from(is))).collect();
        let costs = exact.iter().zip(&self.system.costs);
        let traced: Vec<f64> = costs.map(|(&share, &cost)| share.max(trace(cost, cheap))).collect();
        let (system, engine) = (self.system, self.context.engine);
        let mut missed = Vec::new();
        let mut still: Vec<&mut Watched> = Vec::new();
        let mut waiting = std::mem::take(open);
        while !waiting.is_empty() && !self.context.is_over() {
            let rest = waiting.split_off(TOGETHER.min(waiting.len()));
            let mut together = std::mem::replace(&mut waiting, rest);
            let answers: Result<Vec<(Answer, usize)>, EngineError> = together
                .par_iter_mut()
                .map(|watched| {
                    let view = View { cap: 1.0, terms: TERMS, broken: BROKEN };
                    let (answer, work) = watched.separate(system, &traced, view, engine)?;
                    if let Answer::Held(capacity) = &answer
                        && !strongest(capacity, &exact).is_empty()
                    {
                        return Ok((answer, work));
                    }
                    let view = View { cap: WIDE, terms: usize::MAX, broken: 1e-6 };
                    let (answer, more) = watched.separate(system, &exact, view, engine)?;
                    Ok((answer, work + more))
                })
                .collect();
            for ((answer, work), watched) in answers?.into_iter().zip(together) {
                self.work += work;
                match answer {
                    Answer::Held(capacity) => {
                        missed.push(capacity);
                        still.push(watched);
                    }
                    Answer::Reached(tables) => {
                        for table in &tables {
                            waiting.retain(|other| !reaches(table, &other.level));
                        }
                    }
                    Answer::Unclear | Answer::Asleep => still.push(watched),
                }
            }
        }
        still.extend(waiting);
        *open = still;
        Ok(missed)
    }

    /// Adds cells until all cuts are satisfied, those first that satisfy most for their cost. Says whether that was possible.
    fn grow(&self, cuts: &[Cut], withheld: &mut [bool]) -> bool {
        let mut lacking: Vec<f64> = vec![1.0; cuts.len()];
        let mut uses: Vec<Vec<(usize, f64)>> = vec![Vec::new(); withheld.len()];
        for (cut, at_cut) in cuts.iter().zip(0..) {
            for &(at, c) in &cut.terms {
                if withheld[at as usize] {
                    lacking[at_cut] -= c;
                } else {
                    uses[at as usize].push((at_cut, c));
                }
            }
        }
        let hint = |at: usize| self.relaxed.as_ref().map_or(0.0, |relaxed| relaxed.point[at]);
        while lacking.iter().any(|&lack| lack > 1e-6) {
            let gain = |at: usize| {
                let gain: f64 = uses[at].iter().map(|&(cut, c)| c.min(lacking[cut].max(0.0))).sum();
                let cost =
                    self.system.costs[at] * (1.0 - HINT * hint(at)) + 1e-6 * self.master.scale;
                gain / cost
            };
            let best = (0..withheld.len())
                .filter(|&at| !withheld[at] && !uses[at].is_empty())
                .map(|at| (gain(at), at))
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((_, at)) = best.filter(|(gain, _)| *gain > 0.0) else { return false };
            withheld[at] = true;
            for &(cut, c) in &uses[at] {
                lacking[cut] -= c;
            }
        }
        true
    }
}

/// How much cheaper a cell is taken to be that the fractional pattern withholds.
const HINT: f64 = 0.9;

/// The moves of a table, by position, in units.
pub(super) type Table = Vec<(u32, f64)>;

/// Whether moves reach a level on one side.
fn reaches(moves: &[(u32, f64)], level: &Level) -> bool {
    let Goal::Side(side) = level.goal else { return false };
    let sign = if side == Side::Up { 1.0 } else { -1.0 };
    moves.iter().any(|&(at, step)| at == level.at && step * sign >= level.target as f64)
        && moves.iter().all(|&(at, _)| level.held.binary_search(&at).is_err())
}
