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
    known: BTreeSet<Vec<(u32, i32)>>,
    /// Between which shares every position may be withheld.
    bounds: Vec<[f64; 2]>,
    /// The positions that are not free between nothing and all.
    fixed: Vec<u32>,
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

/// Below so many cuts all are kept.
const FEW: usize = 1000;

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
            bounds: vec![[0.0, 1.0]; system.len()],
            fixed: Vec::new(),
            scale,
        }
    }

    /// Adds a cut, unless it is known.
    pub(super) fn add(&mut self, cut: Cut) -> Result<bool, EngineError> {
        if !self.known.insert(key(&cut)) {
            return Ok(false);
        }
        for at in cut.terms.iter().map(|&(at, _)| at) {
            if self.columns[at as usize].is_none() {
                self.session = None;
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

    /// Withholds or publishes these positions and leaves it to the program with all others.
    pub(super) fn fix(&mut self, fixed: &[(u32, bool)]) -> Result<(), EngineError> {
        for at in std::mem::take(&mut self.fixed) {
            self.limit(at, [0.0, 1.0])?;
        }
        for &(at, withheld) in fixed {
            self.limit(at, [f64::from(u8::from(withheld)); 2])?;
            self.fixed.push(at);
        }
        Ok(())
    }

    fn limit(&mut self, at: u32, bounds: [f64; 2]) -> Result<(), EngineError> {
        self.bounds[at as usize] = bounds;
        match (&mut self.session, self.columns[at as usize]) {
            (Some(session), Some(column)) => session.set_bounds(column, bounds[0], bounds[1]),
            _ => Ok(()),
        }
    }

    /// Leaves out cuts that have not mattered for long.
    fn forget_idle(&mut self) {
        if self.cuts.len() < FEW
            || self.idle.iter().filter(|&&idle| idle > IDLE).count() * 3 < self.cuts.len()
        {
            return;
        }
        let idle = std::mem::take(&mut self.idle);
        let cuts = std::mem::take(&mut self.cuts);
        for (cut, idle) in cuts.into_iter().zip(idle) {
            if idle <= IDLE {
                self.cuts.push(cut);
                self.idle.push(idle);
            } else {
                self.known.remove(&key(&cut));
            }
        }
        self.session = None;
    }

    /// Takes the cuts after the first so many out and returns them.
    pub(super) fn set_aside(&mut self, after: usize) -> Vec<Cut> {
        let aside = self.cuts.split_off(after);
        self.idle.truncate(after);
        for cut in &aside {
            self.known.remove(&key(cut));
        }
        self.session = None;
        aside
    }

    /// Solves the program, within so many seconds; `None` if the cuts contradict each other, so that no pattern is safe.
    pub(super) fn solve(&mut self, seconds: Option<f64>) -> Result<Option<Relaxed>, EngineError> {
        self.forget_idle();
        let Some(solution) = self.solution(seconds)? else { return Ok(None) };
        for (idle, dual) in self.idle.iter_mut().zip(&solution.duals) {
            *idle = if *dual > 1e-9 { 0 } else { *idle + 1 };
        }
        Ok(Some(self.relaxed(&solution)))
    }

    /// The bound with one more position withheld or published; `None` if there is no pattern then.
    pub(super) fn probe(
        &mut self,
        at: u32,
        withheld: bool,
        seconds: Option<f64>,
    ) -> Result<Option<f64>, EngineError> {
        self.limit(at, [f64::from(u8::from(withheld)); 2])?;
        let solution = self.solution(seconds)?;
        let bound = solution.map(|solution| self.relaxed(&solution).bound);
        self.limit(at, [0.0, 1.0])?;
        Ok(bound)
    }

    fn solution(&mut self, seconds: Option<f64>) -> Result<Option<Solution>, EngineError> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.engine.open(&self.model(false))?,
        };
        let seconds = seconds.map(|left| left.max(0.01));
        let outcome = session.solve(&Limits { seconds, ..Limits::default() })?;
        self.session = Some(session);
        Ok(match outcome {
            Outcome::Optimal(solution) => Some(solution),
            Outcome::Infeasible => None,
            _ => Some(Solution {
                columns: vec![0.0; self.positions.len()],
                duals: vec![0.0; self.cuts.len()],
                ..Solution::default()
            }),
        })
    }

    /// The model of the cuts so far.
    pub(super) fn model(&self, whole: bool) -> Model {
        let mut model = Model { changes: Changes::Bounds, ..Model::default() };
        for &at in &self.positions {
            let cost = self.system.costs[at as usize] / self.scale;
            let [least, most] = self.bounds[at as usize];
            if whole {
                model.whole(cost, least, most);
            } else {
                model.column(cost, least, most);
            }
        }
        model.rows = self.cuts.iter().map(|cut| row(&self.columns, cut)).collect();
        model
    }

    /// How many terms the cuts have.
    pub(super) fn terms(&self) -> u64 {
        self.cuts.iter().map(|cut| cut.terms.len() as u64).sum()
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
                size += price;
                bound += price * cut.asked;
                for &(at, c) in &cut.terms {
                    reduced[at as usize] -= price * c;
                }
            }
        }
        for &at in &self.positions {
            let [least, most] = self.bounds[at as usize];
            let price = reduced[at as usize];
            let part = if price > 0.0 { price * least } else { price * most };
            bound += part;
            size += part.abs().max(price.abs().min(self.system.costs[at as usize]));
            if most <= 0.0 {
                reduced[at as usize] = f64::INFINITY;
            }
        }
        Relaxed { point, bound: (bound - ROUNDING * size).max(0.0), reduced }
    }
}

/// What tells a cut from others.
fn key(cut: &Cut) -> Vec<(u32, i32)> {
    let asked = [(u32::MAX, cut.asked)];
    cut.terms.iter().copied().chain(asked).map(|(at, c)| (at, (c * 1e6) as i32)).collect()
}

fn row(columns: &[Option<u32>], cut: &Cut) -> Row {
    let terms = cut.terms.iter().filter_map(|&(at, c)| Some((columns[at as usize]?, c))).collect();
    Row { terms, lower: cut.asked, upper: f64::INFINITY }
}
