//! One table for many needs at once: the cheapest in which all of them move as far as they ask.
//!
//! Safe patterns that cost little mostly rest on few tables that move nearly everything they withhold. So one program asks for all levels
//! in one table, with a side for each that the withheld cells prefer or by lot, and slopes that are scaled from answer to answer as in [`super::price`]:
//! `min Σ w_i / (|v_i| + ε) · |x_i| + Σ fine · s_p` subject to the relations, `|x_i| ≤ room_i` and `σ_p x_p ≥ level_p (1 − s_p)`,
//! where `v` is the answer before and ε shrinks (reweighted ℓ₁ minimisation, Candès, Wakin and Boyd 2008). Rooms are those of both sides, so
//! that the same table turned round meets the other sides. Or all needs move to one side, and each cell has the room it has there: where levels are large,
//! cells that may rise without end carry far more than they can fall, and sides by lot are in each other's way.

use super::price::{Prices, steps_to};
use crate::chance::scattered;
use cellveil_attack::{Component, exact_both_ways, exact_one_way};
use cellveil_core::{CellId, Incidence, Problem, Side, Witness};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Answers at most, and how much each must leave of the one before for another.
const ROUNDS: u64 = 10;
const GAIN: f64 = 0.99;

/// Answers to one side in vain, one after the other, before the last.
const IN_VAIN: u32 = 2;

/// A further answer may take this part of the time that the longest took; the first of all takes longest as a rule.
const SOONER: f64 = 0.6;

/// What is added to how far a cell moved before its charge is spread over it, in middle levels, and how it shrinks.
const SMOOTH: f64 = 2.0;
const SHRINKING: f64 = 0.7;
const LEAST_SMOOTH: f64 = 0.02;

/// A need that is not met costs this many times what there is to withhold per need.
const FINE: f64 = 3.0;

/// …and so many times as much with every answer that does not meet it; but only this part of it if it is met already.
const DEARER: f64 = 3.0;
const MET: f64 = 0.01;

/// The middle level in steps.
const STEPS: f64 = 1000.0;

/// How much further than its level a cell is moved, so that rounding does not take it back.
const BEYOND: f64 = 1e-3;

/// What is short of its level by less than this part of it.
const NEARLY: f64 = 0.01;

/// Moves of fewer steps than this are the solver's noise.
const NOISE: f64 = 1e-6;

/// What is withheld already costs this part of the middle charge.
const WITHHELD_COST: f64 = 1e-4;

/// A cell that must move, and how far, in units.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) at: u32,
    pub(super) level: i64,
    /// Whether nothing meets it yet; the others only show the way.
    pub(super) is_open: bool,
}

/// A table for many needs of a component.
pub(super) struct Common<'a> {
    pub(super) problem: &'a Problem,
    pub(super) incidence: &'a Incidence,
    pub(super) engine: &'a dyn Engine,
    pub(super) component: &'a Component,
    pub(super) prices: Prices<'a>,
    pub(super) goals: &'a [Goal],
    /// The side to which all goals move; `None` if each has its own.
    pub(super) side: Option<Side>,
    /// What draws the sides.
    pub(super) seed: u64,
    /// Counts the cells of all programs.
    pub(super) work: &'a AtomicU64,
    /// How long there is; `None` without a time limit.
    pub(super) seconds_left: &'a dyn Fn() -> Option<f64>,
    /// The same for the first answer: without it there is nothing.
    pub(super) patience: &'a dyn Fn() -> Option<f64>,
    /// How many seconds an answer took at most.
    pub(super) longest: &'a Cell<f64>,
}

/// What changes from program to program.
struct Asked {
    /// To which side each goal moves.
    up: Vec<bool>,
    /// What it costs if it does not.
    fines: Vec<f64>,
    /// The answer before, in steps.
    before: Option<Vec<f64>>,
    /// What is added to how far a cell moved in it, in steps.
    smooth: f64,
}

impl Common<'_> {
    /// The best table of some rounds; `None` if none can be written down exactly.
    pub(super) fn table(&self) -> Result<Option<Witness>, EngineError> {
        let charges: Vec<Option<f64>> =
            self.component.cells.iter().map(|&cell| self.prices.charge(cell)).collect();
        let fine = FINE * charges.iter().flatten().sum::<f64>().max(1.0) / self.goals.len() as f64;
        let share = |goal: &Goal| if goal.is_open { 1.0 } else { MET };
        let mut asked = Asked {
            up: match self.side {
                Some(side) => vec![side == Side::Up; self.goals.len()],
                None => self.sides(&charges)?,
            },
            fines: self.goals.iter().map(|goal| fine * share(goal)).collect(),
            before: None,
            smooth: STEPS * SMOOTH,
        };
        let mut best: Option<(f64, Vec<f64>)> = None;
        let mut in_vain = 0;
        for round in 0..ROUNDS {
            let before = (self.seconds_left)();
            // An answer that would come too late keeps others from coming in time.
            if before.is_some_and(|left| left < SOONER * self.longest.get()) {
                break;
            }
            let Some(moves) = self.solve(&charges, &asked)? else { break };
            let took = before.zip((self.seconds_left)()).map_or(0.0, |(from, to)| from - to);
            self.longest.set(self.longest.get().max(took));
            let is_missed = |goal: &&Goal| goal.is_open && !self.is_met(goal, &moves);
            let missed = self.goals.iter().filter(is_missed).count();
            let moved = charges.iter().zip(&moves).filter(|(_, step)| step.abs() > NOISE);
            let charge: f64 = moved.filter_map(|(charge, _)| *charge).sum();
            let cost = charge + fine * missed as f64;
            let least = best.as_ref().map_or(f64::INFINITY, |(least, _)| *least);
            if cost < least {
                best = Some((cost, moves.clone()));
            }
            in_vain = if cost > least * GAIN { in_vain + 1 } else { 0 };
            let patience = if self.side.is_some() { IN_VAIN } else { 1 };
            if in_vain == patience || cost == 0.0 {
                break;
            }
            self.ask_anew(&mut asked, moves, round);
        }
        Ok(best.and_then(|(_, moves)| self.exact(&moves)))
    }

    /// Goals keep the side to which they moved; those that did not get far enough become dearer.
    fn ask_anew(&self, asked: &mut Asked, moves: Vec<f64>, round: u64) {
        for (at, goal) in self.goals.iter().enumerate() {
            let step = moves[goal.at as usize];
            let moved = step.abs() > NOISE;
            if self.side.is_none() {
                asked.up[at] = if moved { step > 0.0 } else { self.lot(goal, round + 1) };
            }
            if !self.is_met(goal, &moves) {
                asked.fines[at] *= DEARER;
            }
        }
        if asked.before.is_some() {
            asked.smooth = (asked.smooth * SHRINKING).max(STEPS * LEAST_SMOOTH);
        }
        asked.before = Some(moves);
    }

    /// The sides to which goals move in some table of what is withheld already, and by lot where they do not: a pattern that leaves few ways to
    /// move has its own sides, and others would take many cells more.
    fn sides(&self, charges: &[Option<f64>]) -> Result<Vec<bool>, EngineError> {
        let scale = self.scale();
        let mut up: Vec<bool> = self.goals.iter().map(|goal| self.lot(goal, 0)).collect();
        let mut model = Model { changes: Changes::Fresh, ..Model::default() };
        let mut columns = vec![None; charges.len()];
        for (at, _) in charges.iter().enumerate().filter(|(_, charge)| **charge == Some(0.0)) {
            let room = |side| steps_to(self.problem, self.component.cells[at], side, scale);
            columns[at] = Some(model.column(0.0, -room(Side::Down), room(Side::Up)));
        }
        for row in &self.component.rows {
            let there = |&(at, c): &(u32, i32)| Some((columns[at as usize]?, f64::from(c)));
            model.row(row.iter().filter_map(there).collect(), 0.0, 0.0);
        }
        let goals = || self.goals.iter().map(|goal| (goal, columns[goal.at as usize]));
        for ((goal, column), &up) in goals().zip(&up) {
            if let Some(column) = column {
                let levels_per_step = scale / goal.level.max(1) as f64;
                let cost = if up { -levels_per_step } else { levels_per_step };
                model.columns[column as usize].cost = cost;
            }
        }
        let seconds = (self.patience)().map(|left| left.max(0.01));
        let limits = Limits { seconds, ..Limits::default() };
        if let Outcome::Optimal(solution) = self.engine.open(&model)?.solve(&limits)? {
            for ((_, column), up) in goals().zip(&mut up) {
                let step = column.map_or(0.0, |column| solution.columns[column as usize]);
                if step.abs() > NOISE {
                    *up = step > 0.0;
                }
            }
        }
        Ok(up)
    }

    fn lot(&self, goal: &Goal, round: u64) -> bool {
        scattered(self.seed.wrapping_add(round), u64::from(goal.at)) & 1 == 1
    }

    /// Units per step: the middle level is [`STEPS`] of them.
    fn scale(&self) -> f64 {
        let mut levels: Vec<i64> = self.goals.iter().map(|goal| goal.level).collect();
        levels.sort_unstable();
        levels[levels.len() / 2].max(1) as f64 / STEPS
    }

    fn is_met(&self, goal: &Goal, moves: &[f64]) -> bool {
        let step = moves[goal.at as usize];
        let step = self.side.map_or(step.abs(), |side| side.sign() as f64 * step);
        step * self.scale() >= (1.0 - NOISE) * goal.level as f64
    }

    /// How far a position may move down and up, in steps.
    fn rooms(&self, at: u32) -> [f64; 2] {
        let cell = self.component.cells[at as usize];
        let rooms = Side::BOTH.map(|side| steps_to(self.problem, cell, side, self.scale()));
        if self.side.is_some() { rooms } else { [rooms[0].min(rooms[1]); 2] }
    }

    /// Whether a little further than a level was too far.
    fn is_stuck(&self, goal: &Goal, before: Option<&[f64]>) -> bool {
        let level = goal.level as f64 / self.scale();
        before.is_some_and(|before| {
            let step = before[goal.at as usize].abs();
            (1.0 - NEARLY) * level < step && step < level
        })
    }

    /// One program; how far every cell moves, in steps.
    fn solve(
        &self,
        charges: &[Option<f64>],
        asked: &Asked,
    ) -> Result<Option<Vec<f64>>, EngineError> {
        let scale = self.scale();
        let average = charges.iter().flatten().sum::<f64>().max(1.0) / charges.len() as f64;
        let is_stuck = |goal: &&Goal| self.is_stuck(goal, asked.before.as_deref());
        let stuck: Vec<CellId> = self
            .goals
            .iter()
            .filter(is_stuck)
            .map(|g| self.component.cells[g.at as usize])
            .collect();
        let mut beside_stuck = vec![false; charges.len()];
        for &(row, _) in stuck.iter().flat_map(|&cell| self.incidence.of(cell)) {
            for (cell, _) in self.problem.relations().row(row as usize) {
                if let Some(at) = self.component.position(cell) {
                    beside_stuck[at as usize] = true;
                }
            }
        }
        let mut model = Model { changes: Changes::Corner, ..Model::default() };
        for (at, charge) in (0..).zip(charges) {
            let rooms = if charge.is_some() { self.rooms(at) } else { [0.0; 2] };
            // Something is left for rounding, but where every bit of it is needed.
            let left = if beside_stuck[at as usize] { 1.0 } else { 1.0 - BEYOND };
            let rooms = rooms.map(|room| left * room);
            let carried = |before: &Vec<f64>| before[at as usize].abs() + asked.smooth;
            let carried = asked.before.as_ref().map_or(rooms[0].min(rooms[1]).max(1.0), carried);
            let slope = (charge.unwrap_or(0.0) / average + WITHHELD_COST) / carried;
            for room in rooms {
                model.column(slope, 0.0, room);
            }
        }
        for row in &self.component.rows {
            let both =
                |&(at, c): &(u32, i32)| [(2 * at, -f64::from(c)), (2 * at + 1, f64::from(c))];
            model.row(row.iter().flat_map(both).collect(), 0.0, 0.0);
        }
        for (number, goal) in self.goals.iter().enumerate() {
            let level = goal.level as f64 / scale;
            let beyond = if beside_stuck[goal.at as usize] { 1.0 } else { 1.0 + BEYOND };
            let level = (beyond * level).min(self.rooms(goal.at)[usize::from(asked.up[number])]);
            let missed = model.column(asked.fines[number] / average, 0.0, f64::INFINITY);
            let sign = if asked.up[number] { 1.0 } else { -1.0 };
            let terms = vec![(2 * goal.at, -sign), (2 * goal.at + 1, sign), (missed, level)];
            model.row(terms, level, f64::INFINITY);
        }
        self.work.fetch_add(charges.len() as u64, Ordering::Relaxed);
        let left = if asked.before.is_none() { self.patience } else { self.seconds_left };
        let seconds = left().map(|left| left.max(0.01));
        let limits = Limits { seconds, ..Limits::default() };
        let outcome = self.engine.open(&model)?.solve(&limits)?;
        let Outcome::Optimal(solution) = outcome else { return Ok(None) };
        let columns = &solution.columns[..2 * charges.len()];
        Ok(Some(columns.chunks(2).map(|sides| sides[1] - sides[0]).collect()))
    }

    fn exact(&self, moves: &[f64]) -> Option<Witness> {
        let scale = self.scale();
        let moved = self.component.cells.iter().zip(moves).filter(|(_, step)| step.abs() > NOISE);
        let moved = moved.map(|(&cell, step)| (cell, step * scale));
        match self.side {
            Some(_) => exact_one_way(self.problem, self.incidence, moved),
            None => exact_both_ways(self.problem, self.incidence, moved),
        }
    }
}
