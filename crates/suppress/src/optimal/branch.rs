//! Branch and cut: the cheapest fractional pattern, cuts against it, and where these gain little, one cell withheld in one half of the
//! search and published in the other.
//!
//! Cuts hold everywhere, so what one node finds serves all others.

use super::master::Relaxed;
use super::search::{Best, Search, Verdict};
use crate::method::SuppressError;
use std::collections::BTreeMap;

/// A part of the search: patterns that withhold some cells and publish some others.
struct Node {
    fixed: Vec<(u32, bool)>,
    /// Rounds without a cell to branch on so far.
    number: u64,
}

/// What branching on cells has gained, per share of a cell.
#[derive(Clone, Copy, Default)]
struct Gain {
    sum: f64,
    count: u32,
}

impl Gain {
    fn mean(self, otherwise: f64) -> f64 {
        if self.count == 0 { otherwise } else { self.sum / f64::from(self.count) }
    }
}

/// How many cells are tried out at a node, and how often a cell is, before what it gained is believed.
const TRIED: usize = 8;
const BELIEVED: u32 = 3;

/// Rounds of a node end when one closes less than this share of what is open.
const WORTHWHILE: f64 = 0.03;

/// Shares closer to nothing or all are whole.
const WHOLE: f64 = 1e-6;

impl Search<'_> {
    /// Searches for the cheapest safe pattern until it is found, or the nodes or the time are used up.
    pub(super) fn branch(&mut self, best: &mut Best, nodes: u64) -> Result<(), SuppressError> {
        let mut open: BTreeMap<(u64, u64), Node> = BTreeMap::new();
        let key = |bound: f64, number: u64| (bound.max(0.0).to_bits(), number);
        let mut number = 0;
        open.insert(key(self.rounds.bound, 0), Node { fixed: Vec::new(), number });
        let mut gains = vec![[Gain::default(); 2]; self.rounds.system.len()];
        let mut done = 0;
        let (mut t_explore, mut t_choose, mut t_round) = (0.0, 0.0, 0.0);
        while let Some(((bits, _), node)) = open.pop_first() {
            let bound = f64::from_bits(bits);
            let cost = self.cost(&best.pattern);
            self.rounds.bound = self.rounds.bound.max(bound.min(cost));
            if self.is_closed(bound, cost) {
                self.rounds.bound = cost;
                break;
            }
            if done == nodes || self.context.is_over() {
                break;
            }
            done += 1;
            if done % 20 == 1 {
                eprintln!("node {done} open {} depth {} bound {bound:.0} cost {cost:.0} cuts {} left {:?} times {t_explore:.1} {t_choose:.1} {t_round:.1}", open.len(), node.fixed.len(), self.rounds.master.cuts.len(), (self.context.seconds_left)());
            }
            let mut fixed = node.fixed.clone();
            self.rounds.master.fix(&fixed)?;
            let t0 = std::time::Instant::now();
            let Some((bound, relaxed)) = self.explore(best, bound, &mut fixed)? else { t_explore += t0.elapsed().as_secs_f64(); continue };
            t_explore += t0.elapsed().as_secs_f64();
            let t0 = std::time::Instant::now();
            if done % 10 == 1 {
                self.round_up(best, &relaxed)?;
            }
            t_round += t0.elapsed().as_secs_f64();
            let t0 = std::time::Instant::now();
            let chosen = self.choose(&relaxed, bound, best, &mut gains)?;
            t_choose += t0.elapsed().as_secs_f64();
            let Some((at, bounds)) = chosen else {
                // Nothing is left to branch on, and yet it is not known what the pattern is worth.
                open.insert(key(bound, node.number), node);
                break;
            };
            for (withheld, child) in [false, true].into_iter().zip(bounds) {
                if self.is_closed(child, self.cost(&best.pattern)) {
                    continue;
                }
                number += 1;
                let mut fixed = fixed.clone();
                fixed.push((at, withheld));
                open.insert(key(child, number), Node { fixed, number });
            }
            if open.is_empty() {
                self.rounds.bound = self.cost(&best.pattern);
            }
        }
        if open.is_empty() && !self.context.is_over() {
            self.rounds.bound = self.cost(&best.pattern);
        }
        self.rounds.master.fix(&[])?;
        eprintln!("nodes {done} bound {} cost {}", self.rounds.bound, self.cost(&best.pattern));
        Ok(())
    }

    /// Fixes what no pattern of a node that is cheaper than the best can have otherwise.
    fn decide(&self, relaxed: &Relaxed, cost: f64, fixed: &mut Vec<(u32, bool)>) -> bool {
        let before = fixed.len();
        for &at in self.rounds.master.positions() {
            let price = relaxed.reduced[at as usize];
            if price.is_finite()
                && relaxed.bound + price.abs() > cost - self.step + 1e-6 * cost
                && fixed.iter().all(|&(other, _)| other != at)
            {
                fixed.push((at, price < 0.0));
            }
        }
        fixed.len() > before
    }

    /// A safe pattern from a fractional one, and cuts on the way to it.
    fn round_up(&mut self, best: &mut Best, relaxed: &Relaxed) -> Result<(), SuppressError> {
        let mut withheld: Vec<bool> = relaxed.point.iter().map(|&share| share > 0.5).collect();
        if self.rounds.cut_off(&mut withheld, &[], usize::MAX)? > 0 {
            let known = best.witnesses.clone();
            let pattern = self.pattern(best, &withheld);
            self.improve(best, &pattern, &known)?;
        }
        Ok(())
    }

    /// Whether no pattern above a bound is cheaper than the best.
    fn is_closed(&self, bound: f64, cost: f64) -> bool {
        bound >= cost * (1.0 - super::search::EQUAL.max(self.context.gap)) || bound > cost - self.step
    }

    /// Rounds of cuts at a node. The last fractional pattern and the bound; `None` if the node holds no pattern that is cheaper than the best.
    fn explore(&mut self, best: &mut Best, mut bound: f64, fixed: &mut Vec<(u32, bool)>) -> Result<Option<(f64, Relaxed)>, SuppressError> {
        loop {
            let Some(relaxed) = self.rounds.master.solve((self.context.seconds_left)())? else { return Ok(None) };
            let cost = self.cost(&best.pattern);
            let before = bound;
            bound = bound.max(relaxed.bound);
            if self.is_closed(bound, cost) {
                return Ok(None);
            }
            if self.decide(&relaxed, cost, fixed) {
                self.rounds.master.fix(fixed)?;
            }
            let mut added = self.rounds.separate(&relaxed)?;
            if added == 0 && is_whole(&relaxed.point) {
                let mut withheld: Vec<bool> = relaxed.point.iter().map(|&share| share > 0.5).collect();
                let pattern = self.pattern(best, &withheld);
                added = self.rounds.cut_off(&mut withheld, &[], usize::MAX)?;
                if added == 0 {
                    match self.judge(&pattern)? {
                        Verdict::Safe(witnesses) => {
                            self.keep(best, &pattern, &witnesses);
                            return Ok(None);
                        }
                        Verdict::Exposed { news: true } => added = 1,
                        Verdict::Exposed { news: false } => {}
                    }
                } else {
                    let known = best.witnesses.clone();
                    self.improve(best, &pattern, &known)?;
                }
            }
            let gains_little = bound - before < WORTHWHILE * (cost - bound);
            if added == 0 || (gains_little && !is_whole(&relaxed.point)) || self.context.is_over() {
                return Ok(Some((bound, relaxed)));
            }
        }
    }

    /// The cell to branch on, and bounds of both halves: published, withheld.
    fn choose(
        &mut self,
        relaxed: &Relaxed,
        bound: f64,
        best: &Best,
        gains: &mut [[Gain; 2]],
    ) -> Result<Option<(u32, [f64; 2])>, SuppressError> {
        let cost = self.cost(&best.pattern);
        let all = gains.iter().fold([Gain::default(); 2], |mut all, of| {
            for (all, of) in all.iter_mut().zip(of) {
                all.sum += of.sum;
                all.count += of.count;
            }
            all
        });
        let fallback = all.map(|gain| gain.mean(1.0));
        let positions = self.rounds.master.positions().iter();
        let mut candidates: Vec<(f64, u32)> = positions
            .filter_map(|&at| {
                let share = relaxed.point[at as usize];
                if share < WHOLE || share > 1.0 - WHOLE {
                    return None;
                }
                let [down, up] = gains[at as usize];
                let down = down.mean(fallback[0]) * share;
                let up = up.mean(fallback[1]) * (1.0 - share);
                Some((down.max(1e-6) * up.max(1e-6), at))
            })
            .collect();
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut chosen: Option<(f64, u32, [f64; 2])> = None;
        let mut tried = 0;
        let mut in_vain = 0;
        for &(score, at) in &candidates {
            let believed = gains[at as usize].iter().all(|gain| gain.count >= BELIEVED);
            let (score, bounds) = if believed {
                (score, [bound; 2])
            } else if tried < TRIED {
                tried += 1;
                let mut bounds = [bound; 2];
                for withheld in [false, true] {
                    let half = &mut bounds[usize::from(withheld)];
                    let seconds = (self.context.seconds_left)();
                    let probed = self.rounds.master.probe(at, withheld, seconds)?;
                    *half = probed.map_or(cost, |probed| probed.clamp(bound, cost));
                    let share = relaxed.point[at as usize];
                    let way = if withheld { 1.0 - share } else { share };
                    let gain = &mut gains[at as usize][usize::from(withheld)];
                    gain.sum += (*half - bound) / way;
                    gain.count += 1;
                }
                let [down, up] = bounds.map(|half| (half - bound).max(1e-6));
                (down * up, bounds)
            } else {
                continue;
            };
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

fn is_whole(point: &[f64]) -> bool {
    point.iter().all(|&share| !(WHOLE..=1.0 - WHOLE).contains(&share))
}
