//! The cheapest fractional pattern that satisfies the cuts found so far.

use super::cuts::Cut;
use super::level::System;
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome, Row, Session, Solution};
use std::collections::BTreeSet;

/// The cuts of a component and the program over the cells that occur in them.
pub(super) struct Master<'a> {
    system: &'a System<'a>,
    engine: &'a dyn Engine,
    session: Option<Box<dyn Session>>,
    /// The position of every column, and the column of every position.
    positions: Vec<u32>,
    columns: Vec<Option<u32>>,
    pub(super) cuts: Vec<Cut>,
    /// For how many solves each cut has not mattered.
    idle: Vec<u32>,
    known: BTreeSet<Vec<(u32, u32)>>,
    /// Costs are counted in this many units.
    pub(super) scale: f64,
}

/// What the program says.
pub(super) struct Relaxed {
    /// How far each position is withheld.
    pub(super) point: Vec<f64>,
    /// No pattern costs less, beyond rounding.
    pub(super) bound: f64,
    /// What withholding each position adds to the bound; below 0 what publishing it adds.
    pub(super) reduced: Vec<f64>,
}

/// A cut that has not mattered for this many solves is left out.
const IDLE: u32 = 12;

/// What a bound may be off by rounding, as a share.
const ROUNDING: f64 = 1e-11;

impl<'a> Master<'a> {
    pub(super) fn new(system: &'a System<'a>, engine: &'a dyn Engine) -> Self {
        let paid = system.costs.iter().zip(&system.free).filter(|(_, free)| **free);
        let (sum, count) = paid.fold((0.0, 0.0), |(s, n), (cost, _)| (s + cost, n + 1.0));
        let scale = if sum > 0.0 { sum / count } else { 1.0 };
        Self {
            system,
            engine,
            session: None,
            positions: Vec::new(),
            columns: vec![None; system.len()],
            cuts: Vec::new(),
            idle: Vec::new(),
            known: BTreeSet::new(),
            scale,
        }
    }

    /// Adds a cut, unless it is known.
    pub(super) fn add(&mut self, cut: Cut) -> Result<bool, EngineError> {
        let key = cut.terms.iter().map(|&(at, c)| (at, (c * 1e6) as u32)).collect();
        if !self.known.insert(key) {
            return Ok(false);
        }
        if cut.terms.iter().any(|&(at, _)| self.columns[at as usize].is_none()) {
            self.session = None;
        }
        for &(at, _) in &cut.terms {
            if self.columns[at as usize].is_none() {
                self.columns[at as usize] = Some(self.positions.len() as u32);
                self.positions.push(at);
            }
        }
        if let Some(session) = &mut self.session {
            session.add_row(&row(&self.columns, &cut))?;
        }
        self.cuts.push(cut);
        self.idle.push(0);
        Ok(true)
    }

    /// Leaves out cuts that have not mattered for long.
    fn forget_idle(&mut self) {
        if self.idle.iter().filter(|&&idle| idle > IDLE).count() * 3 < self.cuts.len() {
            return;
        }
        let idle = std::mem::take(&mut self.idle);
        let cuts = std::mem::take(&mut self.cuts);
        for (cut, idle) in cuts.into_iter().zip(idle).filter(|(_, idle)| *idle <= IDLE) {
            self.cuts.push(cut);
            self.idle.push(idle);
        }
        self.session = None;
    }

    /// Solves the program, within so many seconds; `None` if the cuts contradict each other, so that no pattern is safe.
    pub(super) fn solve(&mut self, seconds: Option<f64>) -> Result<Option<Relaxed>, EngineError> {
        self.forget_idle();
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.engine.open(&self.model(false))?,
        };
        let seconds = seconds.map(|left| left.max(0.01));
        let outcome = session.solve(&Limits { seconds, ..Limits::default() })?;
        self.session = Some(session);
        let solution = match outcome {
            Outcome::Optimal(solution) => solution,
            Outcome::Infeasible => return Ok(None),
            _ => Solution {
                columns: vec![0.0; self.positions.len()],
                duals: vec![0.0; self.cuts.len()],
                ..Solution::default()
            },
        };
        for (idle, dual) in self.idle.iter_mut().zip(&solution.duals) {
            *idle = if *dual > 1e-9 { 0 } else { *idle + 1 };
        }
        Ok(Some(self.relaxed(&solution)))
    }

    /// The model of the cuts so far.
    pub(super) fn model(&self, whole: bool) -> Model {
        let mut model = Model { changes: Changes::Bounds, ..Model::default() };
        for &at in &self.positions {
            let cost = self.system.costs[at as usize] / self.scale;
            if whole {
                model.whole(cost, 0.0, 1.0);
            } else {
                model.column(cost, 0.0, 1.0);
            }
        }
        model.rows = self.cuts.iter().map(|cut| row(&self.columns, cut)).collect();
        model
    }

    /// The positions of the columns.
    pub(super) fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// Reads a solution. The bound is added up anew from the prices of the cuts, whatever the engine says: any prices that are
    /// not negative give one.
    fn relaxed(&self, solution: &Solution) -> Relaxed {
        let mut point: Vec<f64> =
            self.system.free.iter().map(|&free| if free { 0.0 } else { 1.0 }).collect();
        for (&at, value) in self.positions.iter().zip(&solution.columns) {
            point[at as usize] = value.clamp(0.0, 1.0);
        }
        let mut reduced: Vec<f64> = self.system.costs.clone();
        let mut bound = 0.0;
        let mut size = 0.0;
        for (cut, dual) in self.cuts.iter().zip(&solution.duals) {
            let price = dual.max(0.0) * self.scale;
            if price > 0.0 {
                bound += price;
                for &(at, c) in &cut.terms {
                    reduced[at as usize] -= price * c;
                }
            }
        }
        size += bound;
        for &at in &self.positions {
            bound += reduced[at as usize].min(0.0);
            size += reduced[at as usize].abs().min(self.system.costs[at as usize]);
        }
        Relaxed { point, bound: (bound - ROUNDING * size).max(0.0), reduced }
    }
}

fn row(columns: &[Option<u32>], cut: &Cut) -> Row {
    let terms = cut.terms.iter().filter_map(|&(at, c)| Some((columns[at as usize]?, c)));
    Row { terms: terms.collect(), lower: 1.0, upper: f64::INFINITY }
}
