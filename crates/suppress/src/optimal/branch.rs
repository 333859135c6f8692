//! Branch and cut: the cheapest fractional pattern, cuts against it, and where these gain little, one cell withheld in one half of the
//! search and published in the other.
//!
//! Cuts hold everywhere, so what one node finds serves all others, and nothing is ever begun anew. Cells whose price would lift a node above
//! the best pattern are settled in it, which makes further cuts possible.

use super::master::Relaxed;
use super::pseudo::Gains;
use super::search::{Best, EQUAL, Search, Verdict};
use crate::method::SuppressError;
use std::collections::BTreeMap;

/// Cells that are published or withheld.
type Fixed = Vec<(u32, bool)>;

/// The parts of the search that are open, by their bounds.
#[derive(Default)]
struct Open {
    nodes: BTreeMap<(u64, u64), Fixed>,
    count: u64,
}

impl Open {
    /// Bounds are not negative, so their bits are in their order.
    fn push(&mut self, bound: f64, fixed: Fixed) {
        self.count += 1;
        self.nodes.insert((bound.max(0.0).to_bits(), self.count), fixed);
    }

    /// The one with the least bound.
    fn pop(&mut self) -> Option<(f64, Fixed)> {
        let ((bits, _), fixed) = self.nodes.pop_first()?;
        Some((f64::from_bits(bits), fixed))
    }
}

/// Rounds of a node end when one closes less than this share of what is open.
const WORTHWHILE: f64 = 0.03;

/// Shares closer to nothing or all are whole.
const WHOLE: f64 = 1e-6;

/// A fractional pattern is made whole at every so many nodes, with cells withheld that are to one of these shares.
const ROUNDED: u64 = 10;
const SHARES: [f64; 3] = [0.5, 0.3, 0.7];

/// Parts near the best pattern are looked at after so many nodes and whenever they have doubled, until so many times in a row there was nothing.
const FIRST_LOOK: u64 = 16;
const IN_VAIN: usize = 2;

/// What rounding may have added to a bound and a price, as a share.
const ROUNDING: f64 = 1e-6;

impl Search<'_> {
    /// Searches for the cheapest safe pattern until it is found, or the nodes or the time are used up.
    pub(super) fn branch(&mut self, best: &mut Best, nodes: u64) -> Result<(), SuppressError> {
        let mut open = Open::default();
        open.push(self.rounds.bound, Fixed::new());
        let mut gains = Gains::new(self.rounds.system.len());
        let mut done = 0;
        let finished = loop {
            let cost = self.cost(&best.pattern);
            let Some((bound, mut fixed)) = open.pop() else { break true };
            if self.is_closed(bound, cost) {
                break true;
            }
            self.rounds.bound = self.rounds.bound.max(bound);
            self.context.progress.improved(self.problem.cost_of(&best.pattern), self.rounds.bound);
            if done == nodes || self.context.is_over() {
                break false;
            }
            done += 1;
            self.rounds.master.fix(&fixed)?;
            let Some((bound, relaxed)) = self.explore(best, bound, &mut fixed)? else { continue };
            if done % ROUNDED == 1 {
                let share = SHARES[(done / ROUNDED) as usize % SHARES.len()];
                self.round_up(best, &relaxed, share)?;
            }
            if done >= FIRST_LOOK && done.is_power_of_two() {
                self.look_nearby(best, None, IN_VAIN)?;
            }
            // With nothing to branch on it is not known what the pattern is worth.
            let Some((at, bounds)) = self.choose(&relaxed, bound, best, &mut gains)? else {
                break false;
            };
            for (withheld, bound) in [false, true].into_iter().zip(bounds) {
                if !self.is_closed(bound, self.cost(&best.pattern)) {
                    let half = fixed.iter().copied().chain([(at, withheld)]);
                    open.push(bound, half.collect());
                }
            }
        };
        if finished {
            let equal = if self.step > 0.0 { 0.0 } else { EQUAL };
            let proven = self.cost(&best.pattern) * (1.0 - equal.max(self.context.gap));
            self.rounds.bound = self.rounds.bound.max(proven);
        }
        Ok(self.rounds.master.fix(&[])?)
    }

    /// Whether no pattern of at least this cost is cheaper than the best, or none by more than the gap that is good enough.
    fn is_closed(&self, bound: f64, cost: f64) -> bool {
        let equal = if self.step > 0.0 { 0.0 } else { EQUAL };
        bound >= cost * (1.0 - equal.max(self.context.gap))
            || (self.step > 0.0 && bound > cost - self.step)
    }

    /// Rounds of cuts at a node. The bound and the last fractional pattern; `None` if the node holds no pattern that is cheaper than the best.
    fn explore(
        &mut self,
        best: &mut Best,
        mut bound: f64,
        fixed: &mut Fixed,
    ) -> Result<Option<(f64, Relaxed)>, SuppressError> {
        loop {
            let seconds = (self.context.seconds_left)();
            let Some(relaxed) = self.rounds.master.solve(seconds)? else { return Ok(None) };
            let cost = self.cost(&best.pattern);
            let before = bound;
            bound = bound.max(relaxed.bound);
            if self.is_closed(bound, cost) {
                return Ok(None);
            }
            self.settle(&relaxed, cost, fixed)?;
            let mut added = self.rounds.separate(&relaxed)?;
            let is_whole = is_whole(&relaxed.point);
            if added == 0 && is_whole {
                match self.ask(best, &relaxed)? {
                    Asked::Safe => return Ok(None),
                    Asked::Missed => added = 1,
                    Asked::Unclear => {}
                }
            }
            let gains_little = bound - before < WORTHWHILE * (cost - bound);
            if added == 0 || (gains_little && !is_whole) || self.context.is_over() {
                return Ok(Some((bound, relaxed)));
            }
        }
    }

    /// Settles what no pattern of a node that is cheaper than the best has otherwise.
    fn settle(
        &mut self,
        relaxed: &Relaxed,
        cost: f64,
        fixed: &mut Fixed,
    ) -> Result<(), SuppressError> {
        let mut is_fixed = vec![false; relaxed.point.len()];
        for &(at, _) in fixed.iter() {
            is_fixed[at as usize] = true;
        }
        let before = fixed.len();
        for &at in self.rounds.master.positions() {
            let price = relaxed.reduced[at as usize];
            let above = relaxed.bound + price.abs() > cost * (1.0 + ROUNDING);
            if above && !is_fixed[at as usize] {
                fixed.push((at, price < 0.0));
            }
        }
        if fixed.len() > before {
            self.rounds.master.fix(fixed)?;
        }
        Ok(())
    }

    /// What a whole pattern is worth that satisfies all cuts.
    fn ask(&mut self, best: &mut Best, relaxed: &Relaxed) -> Result<Asked, SuppressError> {
        let mut withheld: Vec<bool> = relaxed.point.iter().map(|&share| share > 0.5).collect();
        let pattern = self.pattern(best, &withheld);
        if self.rounds.cut_off(&mut withheld, &[])? > 0 {
            self.improve(best, &[&pattern])?;
            return Ok(Asked::Missed);
        }
        Ok(match self.judge(&pattern)? {
            Verdict::Safe(witnesses) => {
                self.keep(best, Best { pattern, witnesses });
                Asked::Safe
            }
            Verdict::Exposed { news: true } => Asked::Missed,
            Verdict::Exposed { news: false } => Asked::Unclear,
        })
    }

    /// A safe pattern from a fractional one, and cuts on the way to it.
    fn round_up(
        &mut self,
        best: &mut Best,
        relaxed: &Relaxed,
        least: f64,
    ) -> Result<(), SuppressError> {
        let mut withheld: Vec<bool> = relaxed.point.iter().map(|&share| share > least).collect();
        self.rounds.cut_off(&mut withheld, &[])?;
        let pattern = self.pattern(best, &withheld);
        self.improve(best, &[&pattern])
    }

    /// The cell to branch on, and bounds of both halves: published, withheld. Cells about which little is known are tried out.
    fn choose(
        &mut self,
        relaxed: &Relaxed,
        bound: f64,
        best: &Best,
        gains: &mut Gains,
    ) -> Result<Option<(u32, [f64; 2])>, SuppressError> {
        let cost = self.cost(&best.pattern);
        let positions = self.rounds.master.positions().iter().copied();
        let fractional = positions.filter(|&at| is_between(relaxed.point[at as usize]));
        let candidates = gains.order(fractional.map(|at| (at, relaxed.point[at as usize])));
        let mut chosen: Option<(f64, u32, [f64; 2])> = None;
        let (mut tried, mut in_vain) = (0, 0);
        for (mut score, at) in candidates {
            let mut bounds = [bound; 2];
            if !gains.is_known(at) {
                if tried == TRIED {
                    continue;
                }
                tried += 1;
                for (withheld, half) in [false, true].into_iter().zip(&mut bounds) {
                    let seconds = (self.context.seconds_left)();
                    let probed = self.rounds.master.probe(at, withheld, seconds)?;
                    *half = probed.map_or(cost, |probed| probed.clamp(bound, cost.max(bound)));
                }
                let gained = bounds.map(|half| half - bound);
                gains.note(at, relaxed.point[at as usize], gained);
                score = Gains::score(gained);
            }
            if chosen.is_none_or(|(most, ..)| score > most) {
                chosen = Some((score, at, bounds));
                in_vain = 0;
            } else {
                in_vain += 1;
                if in_vain > TRIED {
                    break;
                }
            }
        }
        Ok(chosen.map(|(_, at, bounds)| (at, bounds)))
    }
}

/// How many cells are tried out at a node, and how many in a row that are worse than the best one end the choice.
const TRIED: usize = 8;

/// What came of a whole pattern.
enum Asked {
    /// It is safe.
    Safe,
    /// It misses levels, which are cuts now.
    Missed,
    /// Nobody knows.
    Unclear,
}

fn is_between(share: f64) -> bool {
    (WHOLE..=1.0 - WHOLE).contains(&share)
}

fn is_whole(point: &[f64]) -> bool {
    !point.iter().any(|&share| is_between(share))
}
