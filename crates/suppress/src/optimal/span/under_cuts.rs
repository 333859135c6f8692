//! Cheaper patterns from a safe one, within the cuts that are known.
//!
//! Flats take no account of rooms, cuts do. So a few published cells are taken back and others published, as long as no sensitive cell is
//! determined and every cut is satisfied. What is cheaper then is asked about: if it is not safe, it gives further cuts, and is not found again.

use super::super::search::{Best, Search, Verdict};
use super::COORDINATES;
use super::classes::Classes;
use super::guard::Guards;
use super::tableau::Tableau;
use crate::method::{Context, SuppressError};
use crate::random::Random;
use cellveil_attack::Solutions;
use rayon::prelude::*;

/// How many searches run beside each other, and how many changes each tries before they compare.
const SEARCHES: u64 = 4;
const CHANGES: usize = 150;

/// How many ways are opened at most.
const OPENED: usize = 60;

/// How far chance changes what cells are worth, as the exponent of a factor.
const NOISE: f64 = 0.8;

/// So many rounds without a cheaper flat end the search.
const IN_VAIN: usize = 40;

/// So many levels that it misses are enough to know about a pattern.
const ENOUGH: usize = 8;

/// A cheaper pattern that may be safe.
struct Candidate {
    cost: f64,
    flat: Tableau,
}

impl Search<'_> {
    /// Improves the best pattern until nothing is found for a while or the time is used up.
    pub(in super::super) fn exchange(&mut self, best: &mut Best) -> Result<(), SuppressError> {
        let system = self.rounds.system;
        let Some(solutions) = Solutions::of(system.component, COORDINATES) else { return Ok(()) };
        let sensitive: Vec<u32> = (0..system.len() as u32)
            .filter(|&at| {
                let mut needs = system.members[at as usize].iter().map(|&cell| self.problem.needs().of(cell));
                needs.any(|need| need.is_some())
            })
            .collect();
        let classes = Classes::new(system, solutions, &sensitive);
        let mut guards = Guards::new(classes.len());
        let mut guarded = 0;
        let mut current = self.flat_of(best, &classes);
        let (mut round, mut in_vain) = (0, 0);
        let (mut asked, mut safe) = (0, 0);
        while in_vain < IN_VAIN && !self.context.is_over() {
            for cut in &self.rounds.master.cuts[guarded..] {
                let of_class = |&(at, c): &(u32, f64)| Some((classes.of[at as usize]?, c));
                guards.add(cut.terms.iter().filter_map(of_class));
            }
            guarded = self.rounds.master.cuts.len();
            let mut found = candidates(&classes, &guards, &current, self.context, round);
            round += 1;
            in_vain += 1;
            found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            for candidate in found {
                in_vain = 0;
                asked += 1;
                let withheld: Vec<bool> = (0..system.len())
                    .map(|at| {
                        let of_flat = classes.of[at].is_some_and(|class| candidate.flat.is_withheld(class));
                        !system.free[at] || of_flat
                    })
                    .collect();
                let pattern = self.pattern(best, &withheld);
                let known = self.tables(&best.witnesses, &pattern);
                let t0 = std::time::Instant::now();
                let cuts = self.rounds.cut_off(&mut withheld.clone(), &known, ENOUGH)?;
                if asked % 10 == 1 {
                    eprintln!("exchange round {round} asked {asked} safe {safe} candidate {:.0} of {:.0} cuts +{cuts} = {} in {:.2}s left {:?}", self.cost(&pattern), self.cost(&best.pattern), self.rounds.master.cuts.len(), t0.elapsed().as_secs_f64(), (self.context.seconds_left)());
                }
                if cuts > 0 {
                    let before = self.cost(&best.pattern);
                    let t0 = std::time::Instant::now();
                    let witnesses = best.witnesses.clone();
                    self.improve(best, &pattern, &witnesses)?;
                    eprintln!("  completed {:.0}: {before:.0} -> {:.0} in {:.1}", self.cost(&pattern), self.cost(&best.pattern), t0.elapsed().as_secs_f64());
                    if self.cost(&best.pattern) < before {
                        current = self.flat_of(best, &classes);
                        break;
                    }
                    continue;
                }
                if let Verdict::Safe(witnesses) = self.judge(&pattern)? {
                    safe += 1;
                    self.keep(best, &pattern, &witnesses);
                    current = self.flat_of(best, &classes);
                    break;
                }
            }
        }
        eprintln!("exchange rounds {round} asked {asked} safe {safe} cost {}", self.cost(&best.pattern));
        Ok(())
    }

    /// The best pattern as a flat.
    fn flat_of(&self, best: &Best, classes: &Classes) -> (f64, Tableau) {
        let system = self.rounds.system;
        let mut is_withheld = vec![false; classes.len()];
        for (at, class) in classes.of.iter().enumerate() {
            if let Some(class) = class {
                let cells = &system.members[at];
                is_withheld[*class as usize] |= cells.iter().any(|&cell| best.pattern.is_withheld(cell));
            }
        }
        let mut flat = classes.tableau();
        flat.publish((0..classes.len() as u32).filter(|&class| !is_withheld[class as usize]));
        (self.cost(&best.pattern), flat)
    }
}

/// The first cheaper flat that each of several searches finds.
fn candidates(
    classes: &Classes,
    guards: &Guards,
    current: &(f64, Tableau),
    context: &Context<'_>,
    round: u64,
) -> Vec<Candidate> {
    let searches = (0..SEARCHES).into_par_iter().filter_map(|search| {
        let mut random = Random::new(context.seed, round * SEARCHES + search);
        let mut flat = current.1.clone();
        let mut factors = vec![1.0; classes.len()];
        for _ in 0..CHANGES {
            if context.is_over() {
                break;
            }
            for factor in &mut factors {
                *factor = (NOISE * (random.share() - 0.5)).exp();
            }
            let opened = 1 + random.below(OPENED.min(flat.dimension()));
            let change = flat.change(opened, classes, &factors, guards, &mut random);
            if change.cost < current.0 * (1.0 - 1e-9) {
                let cost = change.cost;
                return Some(Candidate { cost, flat });
            }
            flat.undo(change);
        }
        None
    });
    searches.collect()
}
