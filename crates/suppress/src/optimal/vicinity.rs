//! Cheaper patterns near the best one: a part of the table is chosen, and the cheapest pattern that differs from the best one only there is searched for.
//!
//! Everything else stays withheld or published, so most cuts are satisfied already, and what is left of the others is a program of some dozen columns that
//! takes milliseconds. What its answer misses becomes cuts, which hold for the whole table and serve all parts that follow.

use super::cuts::Cut;
use super::level::System;
use super::search::{Best, EQUAL, Search};
use crate::chance::{below, scattered};
use crate::method::{Context, SuppressError};
use cellveil_core::CellId;
use cellveil_lp::{EngineError, Limits, Model, Outcome};
use rayon::prelude::*;

/// Parts that are looked at side by side. Fixed, so that the patterns do not depend on the number of threads.
const TOGETHER: usize = 4;

/// How many cells a part has that may change at first, at least and at most, and how it grows and shrinks.
const PART: usize = 30;
const LEAST_PART: usize = 20;
const MOST_PART: usize = 100;
const GROWING: f64 = 1.1;
const SHRINKING: f64 = 0.8;

/// What is withheld is disputed if the fractional pattern withholds it to a smaller share.
const DISPUTED: f64 = 0.5;

/// How often the cheapest pattern of a part is asked for again when it misses levels.
const ASKED: usize = 12;

/// Nodes of one search at most, times the terms of the rows at most, and how many nodes are worth a search.
const NODES: u64 = 200;
const NODE_TERMS: u64 = 200_000;
const LEAST_NODES: u64 = 40;

/// Cuts missed by less are met.
const MISSED: f64 = 1e-9;

/// What is known of a component while its parts are looked at side by side.
struct Known<'k> {
    system: &'k System<'k>,
    context: &'k Context<'k>,
    /// Those of the program of all cuts, and those set aside.
    cuts: [&'k [Cut]; 2],
    scale: f64,
    /// What the best pattern withholds.
    withheld: Vec<bool>,
    step: f64,
}

/// What is found in a part of the table.
enum Found {
    /// The cheapest pattern under the cuts.
    Pattern(Vec<bool>),
    /// None is cheaper than the best.
    Nothing,
    /// The search was given up.
    TooHard,
}

impl Search<'_> {
    /// Looks for cheaper patterns in parts of the table chosen by chance, until so many seconds are left, or so many times in a row there were none.
    pub(super) fn look_nearby(
        &mut self,
        best: &mut Best,
        until: Option<f64>,
        in_vain_at_most: usize,
    ) -> Result<(), SuppressError> {
        let is_late = |search: &Self| {
            let left = (search.context.seconds_left)();
            left.zip(until).is_some_and(|(left, until)| left <= until) || search.context.is_over()
        };
        let mut size = PART as f64;
        let mut in_vain = 0;
        while in_vain < in_vain_at_most
            && !is_late(self)
            && !self.is_proven(self.cost(&best.pattern))
        {
            let before = self.cost(&best.pattern);
            let mut parts: Vec<Vec<bool>> =
                (0..TOGETHER).map(|_| self.next_part(best, size as usize)).collect();
            let mut is_hard = false;
            for _ in 0..ASKED {
                if parts.is_empty() || is_late(self) {
                    break;
                }
                let known = self.known(best);
                let found: Result<Vec<Found>, EngineError> =
                    parts.par_iter().map(|part| known.cheapest_in(part)).collect();
                let mut open = Vec::new();
                for (part, found) in parts.into_iter().zip(found?) {
                    match found {
                        Found::Pattern(withheld) => {
                            if self.try_out(best, withheld)? {
                                open.push(part);
                            }
                        }
                        Found::Nothing => {}
                        Found::TooHard => is_hard = true,
                    }
                }
                parts = open;
            }
            let has_gained = self.cost(&best.pattern) < before * (1.0 - EQUAL);
            in_vain = if has_gained { 0 } else { in_vain + 1 };
            if is_hard {
                size = (size * SHRINKING).max(LEAST_PART as f64);
            } else if !has_gained {
                size = (size * GROWING).min(MOST_PART as f64);
            }
        }
        Ok(())
    }

    /// The same, but the cuts it takes only serve the parts that follow: the program of all cuts stays small.
    pub(super) fn look_aside(
        &mut self,
        best: &mut Best,
        until: Option<f64>,
        in_vain_at_most: usize,
    ) -> Result<(), SuppressError> {
        let cuts = self.rounds.master.cuts.len();
        self.look_nearby(best, until, in_vain_at_most)?;
        self.nearby.extend(self.rounds.master.set_aside(cuts));
        Ok(())
    }

    /// Adds cuts that a choice of cells misses, and makes a better pattern of it if it can. Says whether there are new cuts.
    fn try_out(&mut self, best: &mut Best, mut withheld: Vec<bool>) -> Result<bool, SuppressError> {
        let as_found = self.pattern(best, &withheld);
        let known = self.tables(&best.witnesses, &as_found);
        let added = self.rounds.cut_off(&mut withheld, &known)?;
        let grown = self.pattern(best, &withheld);
        if self.cost(&grown) < self.cost(&best.pattern) {
            self.improve(best, &[&grown])?;
        }
        Ok(added > 0)
    }

    /// Which positions may change: those in the relations of a withheld cell, preferably one that the fractional pattern hardly withholds, in those of another
    /// withheld cell among them, and so on.
    fn next_part(&mut self, best: &Best, size: usize) -> Vec<bool> {
        self.parts += 1;
        let seed = scattered(self.context.seed, self.parts);
        let system = self.rounds.system;
        let is_withheld = |at: &usize| best.pattern.is_withheld(system.component.cells[*at]);
        let relaxed = self.rounds.relaxed.as_ref();
        let is_disputed = |at: usize| relaxed.is_some_and(|relaxed| relaxed.point[at] < DISPUTED);
        let mut centres: Vec<usize> = (0..system.len()).filter(is_withheld).collect();
        let mut is_in = vec![false; system.len()];
        let mut is_near = vec![false; system.len()];
        let mut count = 0;
        for step in 0.. {
            if count >= size || centres.is_empty() {
                break;
            }
            let near: Vec<usize> = (0..centres.len()).filter(|&at| is_near[centres[at]]).collect();
            let disputed = || -> Vec<usize> {
                (0..centres.len()).filter(|&at| is_disputed(centres[at])).collect()
            };
            let some = if near.is_empty() { disputed() } else { near };
            let chosen = match some.len() {
                0 => below(seed, step, centres.len()),
                several => some[below(seed, step, several)],
            };
            let centre = centres.swap_remove(chosen);
            for &(row, _) in &system.rows_of[centre] {
                for &(at, _) in &system.component.rows[row as usize] {
                    let at = at as usize;
                    is_near[at] = true;
                    if system.free[at] && !std::mem::replace(&mut is_in[at], true) {
                        count += 1;
                    }
                }
            }
        }
        is_in
    }

    fn known(&self, best: &Best) -> Known<'_> {
        let (system, master) = (self.rounds.system, &self.rounds.master);
        let is_withheld = |&cell: &CellId| best.pattern.is_withheld(cell);
        Known {
            system,
            context: self.context,
            cuts: [&master.cuts, &self.nearby],
            scale: master.scale,
            withheld: system.component.cells.iter().map(is_withheld).collect(),
            step: self.step,
        }
    }
}

impl Known<'_> {
    /// The cheapest pattern under the cuts that differs from the best one in a part only.
    fn cheapest_in(&self, part: &[bool]) -> Result<Found, EngineError> {
        let costs = &self.system.costs;
        let mut model = Model::default();
        let mut columns: Vec<Option<u32>> = vec![None; part.len()];
        let mut positions: Vec<u32> = Vec::new();
        for cut in self.cuts.into_iter().flatten() {
            let (inside, outside): (Vec<_>, Vec<_>) =
                cut.terms.iter().copied().partition(|&(at, _)| part[at as usize]);
            let fixed = outside.iter().filter(|(at, _)| self.withheld[*at as usize]);
            let asked = cut.asked - fixed.map(|(_, c)| c).sum::<f64>();
            if asked <= MISSED {
                continue;
            }
            if inside.is_empty() {
                return Ok(Found::TooHard);
            }
            let mut row = Vec::with_capacity(inside.len());
            for (at, c) in inside {
                let column = *columns[at as usize].get_or_insert_with(|| {
                    positions.push(at);
                    model.whole(costs[at as usize] / self.scale, 0.0, 1.0)
                });
                row.push((column, c));
            }
            model.row(row, asked, f64::INFINITY);
        }
        let terms: usize = model.rows.iter().map(|row| row.terms.len()).sum();
        let nodes = NODES.min(NODE_TERMS / (terms as u64).max(1));
        if nodes < LEAST_NODES {
            return Ok(Found::TooHard);
        }
        let inside = part.iter().zip(&self.withheld).zip(costs);
        let now: f64 = inside.filter(|((part, is), _)| **part && **is).map(|(_, cost)| cost).sum();
        let less = if self.step > 0.0 { self.step * 0.5 } else { now * EQUAL };
        let limits = Limits {
            nodes: u32::try_from(nodes).ok(),
            seconds: (self.context.seconds_left)().map(|left| left.max(0.01)),
            cutoff: Some((now - less) / self.scale),
            ..Limits::default()
        };
        let solution = match self.context.engine.open(&model)?.solve(&limits)? {
            Outcome::Optimal(solution) | Outcome::Incumbent(solution, _) => solution,
            Outcome::Infeasible => return Ok(Found::Nothing),
            Outcome::Unbounded | Outcome::Stopped => return Ok(Found::TooHard),
        };
        let mut found: Vec<bool> =
            self.withheld.iter().zip(part).map(|(is, part)| *is && !part).collect();
        for (&at, value) in positions.iter().zip(&solution.columns) {
            found[at as usize] |= *value > 0.5;
        }
        Ok(Found::Pattern(found))
    }
}
