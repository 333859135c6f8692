//! Networks with few exposed levels: capacity cuts that are least cuts, and the search for the dear cells among them.
//!
//! A level is reached at a fractional pattern if a flow of its size fits into what cells let through. If not, a least cut is a capacity cut that the
//! pattern misses (`proof.md`), whatever the size of the table. Of all least cuts those count most that pass between dear cells: nodes
//! that cheap cells lead to are taken in first (distances at reduced costs). Dear cells are then searched for as a program in which the others may be fractional: they are
//! so small that it hardly matters, and flows that begin with what it chooses make a pattern.

use super::ascent::ROUNDING;
use super::cuts::{Capacity, Cut, of_one_relation, strongest};
use super::flows::{cost_of, reach_all};
use super::level::{Goal, Level, System};
use super::master::{Master, Relaxed};
use super::pipes::{Pipes, Sent};
use super::ways::Arcs;
use crate::method::{Context, SuppressError};
use cellveil_attack::Network;
use cellveil_core::{Side, Witness};
use cellveil_lp::{Limits, Outcome};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// With more levels cuts take longer than flows.
pub(super) const FEW: usize = 300;

/// Rounds of cuts at most, and searches for dear cells.
const ROUNDS: usize = 80;
const SEARCHES: usize = 100;

/// Rounds end when several of them together raise the bound by less than this share.
const WORTHWHILE: f64 = 5e-4;
const SEVERAL: usize = 5;
const SEARCHED_IN_VAIN: usize = 20;

/// A cell is dear if it costs more than this part of the bound.
const DEAR: f64 = 1e-3;

/// Nodes of one search, how far from the best it may end, and the shares of the time left for one and for all.
const NODES: u32 = 2_000;
const SEARCHED: f64 = 1e-3;
const ONE: f64 = 0.1;
const SEARCHING: f64 = 0.9;

/// A pattern that costs at most so much more than the bound is good enough.
const CLOSE: f64 = 0.998;

/// Cells that a search withholds to this share are chosen.
const CHOSEN: f64 = 0.999;

/// No pattern that reaches all levels costs less in this component, which is a network; and tables that reach them at little more than that.
pub(super) fn by_cuts(
    system: &System<'_>,
    network: &Network,
    levels: &[Level],
    context: &Context<'_>,
) -> Result<(f64, Vec<Witness>), SuppressError> {
    let mut cuts = Cuts {
        separator: Separator { system, network, arcs: Arcs::new(network) },
        context,
        master: Master::new(system, context.engine),
        levels,
        bound: 0.0,
    };
    for level in levels {
        for cut in of_one_relation(system, level).iter().filter_map(|c| c.cut(|_| false)) {
            cuts.master.add(cut)?;
        }
    }
    cuts.rounds()?;
    let witnesses = cuts.search()?;
    Ok((cuts.bound * (1.0 - ROUNDING), witnesses))
}

/// What least cuts are found with.
struct Separator<'a> {
    system: &'a System<'a>,
    network: &'a Network,
    arcs: Arcs<'a>,
}

struct Cuts<'a> {
    separator: Separator<'a>,
    context: &'a Context<'a>,
    master: Master<'a>,
    levels: &'a [Level],
    bound: f64,
}

impl Separator<'_> {
    fn missed(&self, level: &Level, pipes: &Pipes, relaxed: &Relaxed) -> Vec<Cut> {
        let Some(ends) = ends(self.network, level) else { return Vec::new() };
        let mut closed = level.held.clone();
        closed.push(level.at);
        let sent = pipes.send(ends, level.target, &closed);
        if sent.amount >= level.target {
            return Vec::new();
        }
        let far = self.distances(ends.0, level, pipes, &sent, relaxed);
        let end = far[ends.1 as usize];
        let mut limits = [0.0, end / 2.0, end].map(|limit: f64| limit.min(f64::MAX));
        limits.sort_by(f64::total_cmp);
        let mut cuts: Vec<Cut> = Vec::new();
        for (number, limit) in limits.into_iter().enumerate() {
            let inside = |node: u32| {
                let far = far[node as usize];
                if number == 0 { far == 0.0 } else { far < limit }
            };
            if inside(ends.0) && !inside(ends.1) {
                let capacity = self.capacity(level, inside);
                cuts.extend(capacity.iter().flat_map(|c| strongest(c, &relaxed.point)));
            }
        }
        cuts.dedup();
        cuts
    }

    /// How far nodes are from the start at reduced costs, going round what is used up.
    fn distances(
        &self,
        from: u32,
        level: &Level,
        pipes: &Pipes,
        sent: &Sent,
        relaxed: &Relaxed,
    ) -> Vec<f64> {
        let mut far = vec![f64::INFINITY; self.network.nodes];
        far[from as usize] = 0.0;
        // Numbers that are not negative are ordered as their bits.
        let mut open = BinaryHeap::from([Reverse((0_u64, from))]);
        while let Some(Reverse((bits, node))) = open.pop() {
            let here = f64::from_bits(bits);
            if here > far[node as usize] {
                continue;
            }
            for (arc, side, next) in self.arcs.all_away(node) {
                if far[next as usize] <= here {
                    continue;
                }
                let step = if pipes.has_left(sent, arc, side) {
                    0.0
                } else if pipes.is_open(arc) || arc == level.at || level.held.contains(&arc) {
                    continue;
                } else {
                    let room = self.system.room(arc, side).unwrap_or(i64::MAX).min(level.target);
                    if room == 0 || !self.system.free[arc as usize] {
                        continue;
                    }
                    relaxed.reduced[arc as usize].max(LEAST) / room as f64
                };
                if here + step < far[next as usize] {
                    far[next as usize] = here + step;
                    open.push(Reverse(((here + step).to_bits(), next)));
                }
            }
        }
        far
    }

    /// What the cells that lead out of some nodes can contribute to a level.
    fn capacity(&self, level: &Level, inside: impl Fn(u32) -> bool) -> Option<Capacity> {
        let mut capacity = Capacity { terms: Vec::new(), missing: i128::from(level.target) };
        for (arc, ends) in (0_u32..).zip(&self.network.arcs) {
            let Some((tail, head)) = *ends else { continue };
            let side = match (inside(tail), inside(head)) {
                (true, false) => Side::Up,
                (false, true) => Side::Down,
                _ => continue,
            };
            if arc == level.at || level.held.binary_search(&arc).is_ok() {
                continue;
            }
            let room = self.system.room(arc, side).map(i128::from);
            if !self.system.free[arc as usize] {
                capacity.missing -= room?;
            } else if room != Some(0) {
                capacity.terms.push((arc, room));
            }
        }
        (capacity.missing > 0).then_some(capacity)
    }
}

impl Cuts<'_> {
    /// Rounds of cuts until they gain little.
    fn rounds(&mut self) -> Result<(), SuppressError> {
        let mut bounds = Vec::new();
        for _ in 0..ROUNDS {
            let Some(relaxed) = self.master.solve((self.context.seconds_left)())? else { break };
            self.bound = self.bound.max(relaxed.bound);
            bounds.push(self.bound);
            let before = bounds.len().checked_sub(SEVERAL + 1).map(|at| bounds[at]);
            let gains = before.is_none_or(|before| self.bound - before > WORTHWHILE * self.bound);
            if self.context.is_over() || !gains || self.cut_off(&relaxed)? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Adds cuts that a fractional pattern misses; says how many.
    fn cut_off(&mut self, relaxed: &Relaxed) -> Result<usize, SuppressError> {
        let separator = &self.separator;
        let pipes = Pipes::new(self.separator.network, |arc, side| {
            let share = relaxed.point[arc as usize];
            let room = self.separator.system.room(arc, side).unwrap_or(i64::MAX / 4);
            if share >= 1.0 { room } else { (room as f64 * share) as i64 }
        });
        let missed: Vec<Vec<Cut>> =
            self.levels.par_iter().map(|level| separator.missed(level, &pipes, relaxed)).collect();
        let mut added = 0;
        for cut in missed.into_iter().flatten() {
            added += usize::from(self.master.add(cut)?);
        }
        Ok(added)
    }

    /// Searches for the dear cells until cuts against what is chosen gain little, and makes patterns of choices; the tables of the cheapest.
    fn search(&mut self) -> Result<Vec<Witness>, SuppressError> {
        let start = (self.context.seconds_left)();
        let took = |from: Option<f64>| {
            from.zip((self.context.seconds_left)()).map_or(0.0, |(from, now)| from - now)
        };
        let mut bounds = vec![self.bound];
        let mut best: Option<(f64, Vec<Witness>)> = None;
        let (mut searching, mut making, mut longest) = (0.0, 0.0, 0.0_f64);
        for _ in 0..SEARCHES {
            let left = (self.context.seconds_left)();
            let Some(chosen) = self.dear()? else { break };
            let added = self.cut_off(&chosen)?;
            searching += took(left);
            // Patterns take no more of the time than searches, but the first.
            if best.is_none() || making <= searching {
                let before = (self.context.seconds_left)();
                let (cost, tables) = self.pattern(&chosen);
                // What the time cut short reaches too little, and is better than nothing.
                let cost = if self.context.is_over() { f64::INFINITY } else { cost };
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, tables));
                }
                making += took(before);
            }
            longest = longest.max(took(left));
            let close = CLOSE.min(1.0 - self.context.gap);
            let is_close = best.as_ref().is_some_and(|(least, _)| self.bound > close * least);
            let before = bounds.len().checked_sub(SEARCHED_IN_VAIN).map(|at| bounds[at]);
            let gains = before.is_none_or(|before| self.bound - before > WORTHWHILE * self.bound);
            bounds.push(self.bound);
            let is_late = (self.context.seconds_left)()
                .zip(start)
                .is_some_and(|(now, start)| now < longest || now < start * (1.0 - SEARCHING));
            if added == 0 || !gains || is_close || is_late {
                break;
            }
        }
        Ok(best.map_or_else(Vec::new, |(_, tables)| tables))
    }

    /// Tables that reach all levels, beginning with the cells of a choice, and what they cost.
    fn pattern(&self, chosen: &Relaxed) -> (f64, Vec<Witness>) {
        let Separator { system, network, .. } = self.separator;
        let share = |at: u32| {
            let point = chosen.point[at as usize];
            if point > CHOSEN { 0.0 } else { 1.0 - point }
        };
        let tables = reach_all(system, network, self.levels, self.context, share);
        (cost_of(system, &tables), tables)
    }

    /// The cheapest choice of dear cells under the cuts, with the others fractional; `None` if none is found.
    fn dear(&mut self) -> Result<Option<Relaxed>, SuppressError> {
        let mut model = self.master.model(true);
        let least = DEAR * self.bound;
        for (column, &at) in model.columns.iter_mut().zip(self.master.positions()) {
            column.integer = self.separator.system.costs[at as usize] > least;
        }
        let mut session = self.context.engine.open(&model)?;
        let seconds = (self.context.seconds_left)().map(|left| (left * ONE).max(0.1));
        let limits = Limits { nodes: Some(NODES), seconds, gap: SEARCHED, ..Limits::default() };
        let (solution, bound) = match session.solve(&limits)? {
            Outcome::Optimal(solution) => {
                let bound = solution.objective * (1.0 - SEARCHED);
                (solution, bound)
            }
            Outcome::Incumbent(solution, bound) => (solution, bound),
            _ => return Ok(None),
        };
        let bound = bound * self.master.scale * (1.0 - 1e-9);
        self.bound = self.bound.max(bound);
        let mut point: Vec<f64> =
            self.separator.system.free.iter().map(|&free| if free { 0.0 } else { 1.0 }).collect();
        for (&at, value) in self.master.positions().iter().zip(&solution.columns) {
            point[at as usize] = value.clamp(0.0, 1.0);
        }
        Ok(Some(Relaxed { point, bound: self.bound, reduced: self.separator.system.costs.clone() }))
    }
}

/// A cell that costs nothing more is still not for nothing.
const LEAST: f64 = 1e-6;

/// From where to where something must flow for a level.
pub(super) fn ends(network: &Network, level: &Level) -> Option<(u32, u32)> {
    let Goal::Side(side) = level.goal else { return None };
    let (tail, head) = network.arcs[level.at as usize]?;
    Some(if side == Side::Up { (head, tail) } else { (tail, head) })
}
