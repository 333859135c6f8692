//! The linear program of an adjustment, its relaxation and its search in whole numbers.
//!
//! A move is `z = up − down`. A sensitive cell has `z = −l + s + t − r`: it starts at its level below, swings over to its level
//! above by `s` from 0 to `l + u`, and goes further by `t` and `r`. With `s` at either end and only `t` or `r` beyond it, the
//! cell is protected. In between, the cost of `s` is the chord from one level to the other, so that the relaxation is the convex
//! envelope and needs neither binary columns nor large constants. With a binary `y`, `s = (l + u) y`, `t ≤ T y`, `r ≤ R (1 − y)`.
//!
//! A cell with a level below zero may stay where it is, and its cost has its kink elsewhere: it moves like any other, and with a binary
//! `y`, `z ≥ u y + low (1 − y)` and `z ≤ −l (1 − y) + high y`.

mod point;
mod tight;

pub(crate) use point::{Answer, Point};

use crate::task::{Senses, Task};
use cellveil_core::Side;
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Session};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The columns of a cell.
#[derive(Clone, Copy)]
enum Place {
    /// The cell cannot move.
    Fixed,
    /// It moves for nothing: one column.
    Single(u32),
    /// Down, and up the column after.
    Split(u32),
    /// Swing, beyond up, beyond down.
    Sensitive(u32),
    /// Sensitive, with a level below zero: down, and up the column after.
    Aside(u32),
}

/// A sensitive cell in a solve: moved to a side, or left open.
pub(crate) type Sense = Option<Side>;

pub(crate) struct Program<'a> {
    task: &'a Task<'a>,
    places: Vec<Place>,
    model: Model,
    /// Units per step of a column.
    scale: f64,
    /// Rooms larger than this many steps count as this.
    far: f64,
    /// Cost per unit of the objective.
    price: f64,
    /// The part of the objective that does not depend on anything.
    constant: f64,
    session: Option<Box<dyn Session>>,
    /// Whether a search is among whole moves only.
    whole: bool,
    /// The relations that are rows.
    kept: Vec<u32>,
}

/// Rooms larger than this many typical levels count as this: beyond, the solver's tolerance would exceed the levels.
const FAR: f64 = 1e6;

impl<'a> Program<'a> {
    /// `cutoff` is the cost of a known adjustment: no cell moves so far that it alone would cost more.
    pub(crate) fn new(task: &'a Task<'a>, cutoff: Option<f64>) -> Self {
        Self::in_steps_of(task.scale(), task, cutoff)
    }

    /// As [`Program::new`], with rows that bring the relaxation nearer to whole swings.
    pub(crate) fn tight(task: &'a Task<'a>, cutoff: Option<f64>) -> Self {
        let mut program = Self::new(task, cutoff);
        program.tighten();
        program
    }

    /// As [`Program::new`], with whole moves where senses are searched.
    pub(crate) fn whole(task: &'a Task<'a>, cutoff: Option<f64>) -> Self {
        Self { whole: true, ..Self::in_steps_of(1.0, task, cutoff) }
    }

    fn in_steps_of(scale: f64, task: &'a Task<'a>, cutoff: Option<f64>) -> Self {
        let price = price(task);
        let mut program = Self {
            task,
            places: vec![Place::Fixed; task.weights.len()],
            model: Model { changes: Changes::Bounds, ..Model::default() },
            scale,
            far: FAR * task.scale() / scale,
            price,
            constant: 0.0,
            session: None,
            whole: false,
            kept: Vec::new(),
        };
        let mut at = 0;
        for cell in 0..task.weights.len() {
            if task.sensitive.get(at).is_some_and(|s| s.cell.index() == cell) {
                program.sensitive_columns(at, cutoff);
                at += 1;
            } else {
                program.free_columns(cell, cutoff);
            }
        }
        program.rows();
        program
    }

    /// The furthest move that is worth its cost, in steps.
    fn room(&self, cell: usize, room: f64, cutoff: Option<f64>) -> f64 {
        let weight = self.task.weights[cell];
        let worth = match cutoff {
            Some(cutoff) if weight > 0.0 => cutoff / weight,
            _ => f64::INFINITY,
        };
        (room.min(worth * (1.0 + 1e-6)) / self.scale).min(self.far)
    }

    fn free_columns(&mut self, cell: usize, cutoff: Option<f64>) {
        let down = self.room(cell, -self.task.lower[cell], cutoff);
        let up = self.room(cell, self.task.upper[cell], cutoff);
        if down <= 0.0 && up <= 0.0 {
            return;
        }
        let cost = self.task.weights[cell] * self.scale / self.price;
        self.places[cell] = if cost == 0.0 {
            Place::Single(self.model.column(0.0, -down, up))
        } else {
            let first = self.model.column(cost, 0.0, down);
            self.model.column(cost, 0.0, up);
            Place::Split(first)
        };
    }

    fn sensitive_columns(&mut self, at: usize, cutoff: Option<f64>) {
        let sensitive = self.task.sensitive[at];
        let cell = sensitive.cell.index();
        let cost = self.task.weights[cell] * self.scale / self.price;
        if sensitive.is_aside() {
            let down = self.room(cell, -self.task.lower[cell], cutoff);
            let up = self.room(cell, self.task.upper[cell], cutoff);
            self.places[cell] = Place::Aside(self.model.column(cost, 0.0, down));
            self.model.column(cost, 0.0, up);
            return;
        }
        let (down, up) = self.levels(at);
        let swing = down + up;
        let slope = if swing > 0.0 { cost * (up - down) / swing } else { 0.0 };
        self.constant += cost * down;
        let first = self.model.column(slope, 0.0, swing);
        let beyond_up = self.room(cell, self.task.upper[cell], cutoff) - up;
        let beyond_down = self.room(cell, -self.task.lower[cell], cutoff) - down;
        self.model.column(cost, 0.0, beyond_up.max(0.0));
        self.model.column(cost, 0.0, beyond_down.max(0.0));
        self.places[cell] = Place::Sensitive(first);
        if let Some(side) = sensitive.forced() {
            self.bound(at, Some(side)).into_iter().for_each(|(column, lower, upper)| {
                let slot = &mut self.model.columns[column as usize];
                (slot.lower, slot.upper) = (lower, upper.min(slot.upper));
            });
        }
    }

    /// Both levels of a sensitive cell in steps. A closed side has the level of the open one: it is never used.
    fn levels(&self, at: usize) -> (f64, f64) {
        let sensitive = &self.task.sensitive[at];
        let level =
            |own: Option<f64>, other: Option<f64>| own.or(other).unwrap_or(0.0) / self.scale;
        (level(sensitive.down, sensitive.up), level(sensitive.up, sensitive.down))
    }

    fn rows(&mut self) {
        let relations = &self.task.relations;
        let position = positions(self.task);
        for relation in 0..relations.len() {
            let mut terms = Vec::new();
            let mut constant = self.task.missing[relation] / self.scale;
            for (cell, c) in relations.row(relation) {
                let c = f64::from(c);
                match self.places[cell.index()] {
                    Place::Fixed => {}
                    Place::Single(column) => terms.push((column, c)),
                    Place::Split(down) | Place::Aside(down) => {
                        terms.extend([(down, -c), (down + 1, c)]);
                    }
                    Place::Sensitive(swing) => {
                        terms.extend([(swing, c), (swing + 1, c), (swing + 2, -c)]);
                        constant += c * self.levels(position[cell.index()] as usize).0;
                    }
                }
            }
            if !terms.is_empty() || constant != 0.0 {
                self.model.row(terms, constant, constant);
                self.kept.push(relation as u32);
            }
        }
    }

    /// The bounds of a sensitive cell's columns for a sense.
    fn bound(&self, at: usize, sense: Sense) -> Vec<(u32, f64, f64)> {
        let model = &self.model;
        let swing = match self.places[self.task.sensitive[at].cell.index()] {
            Place::Sensitive(swing) => swing,
            Place::Aside(down) => return self.bound_aside(at, down, sense),
            Place::Fixed | Place::Single(_) | Place::Split(_) => return Vec::new(),
        };
        let (down, up) = self.levels(at);
        let (t, r) =
            (model.columns[swing as usize + 1].upper, model.columns[swing as usize + 2].upper);
        match sense.or(self.task.sensitive[at].forced()) {
            None => vec![(swing, 0.0, down + up), (swing + 1, 0.0, t), (swing + 2, 0.0, r)],
            Some(Side::Up) => {
                vec![(swing, down + up, down + up), (swing + 1, 0.0, t), (swing + 2, 0.0, 0.0)]
            }
            Some(Side::Down) => vec![(swing, 0.0, 0.0), (swing + 1, 0.0, 0.0), (swing + 2, 0.0, r)],
        }
    }

    fn bound_aside(&self, at: usize, down: u32, sense: Sense) -> Vec<(u32, f64, f64)> {
        let room = |column: u32| self.model.columns[column as usize].upper;
        let (low, high) = (-room(down), room(down + 1));
        let (low, high) = match sense.or(self.task.sensitive[at].forced()) {
            None => (low, high),
            Some(side) => {
                let (least, most) = self.task.range(at, side);
                (low.max(least / self.scale), high.min(most / self.scale))
            }
        };
        vec![(down, (-high).max(0.0), (-low).max(0.0)), (down + 1, low.max(0.0), high.max(0.0))]
    }

    /// Solves with some senses chosen and the others relaxed to the convex envelope.
    pub(crate) fn relax(
        &mut self,
        engine: &dyn Engine,
        senses: &[Sense],
        limits: &Limits,
    ) -> Result<Answer, EngineError> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => engine.open(&self.model)?,
        };
        for (at, &sense) in senses.iter().enumerate() {
            for (column, lower, upper) in self.bound(at, sense) {
                session.set_bounds(column, lower, upper)?;
            }
        }
        let cutoff = limits.cutoff.map(|cost| cost / self.price - self.constant);
        let outcome = session.solve(&Limits { cutoff, ..*limits })?;
        self.session = Some(session);
        Ok(self.answer(outcome))
    }

    /// Searches the best senses among those left open, starting from known ones, until the flag is set.
    pub(crate) fn search(
        &self,
        engine: &dyn Engine,
        senses: &[Sense],
        start: Option<(&Senses, &[f64])>,
        limits: &Limits,
        stop: Option<&Arc<AtomicBool>>,
    ) -> Result<Answer, EngineError> {
        let mut model = self.model.clone();
        let mut binaries = Vec::new();
        for (at, &sense) in senses.iter().enumerate() {
            let bounds = self.bound(at, sense);
            for &(column, lower, upper) in &bounds {
                let slot = &mut model.columns[column as usize];
                (slot.lower, slot.upper) = (lower, upper);
            }
            if sense.or(self.task.sensitive[at].forced()).is_none() {
                binaries.push((at, self.binary(&mut model, at, bounds[0].0)));
            }
        }
        if self.whole {
            model.columns.iter_mut().for_each(|column| column.integer = true);
        }
        let mut session = engine.open(&model)?;
        if let Some((senses, moves)) = start {
            let mut columns = self.columns_of(senses, moves, model.columns.len());
            for (at, y) in binaries {
                columns[y as usize] = if senses[at] == Side::Up { 1.0 } else { 0.0 };
            }
            session.start(&columns)?;
        }
        if let Some(stop) = stop {
            session.stop_at(Arc::clone(stop))?;
        }
        Ok(self.answer(session.solve(limits)?))
    }

    /// Searches the best senses of a cluster; the other open ones are relaxed.
    pub(crate) fn decide(
        &self,
        engine: &dyn Engine,
        senses: &[Sense],
        cluster: &[usize],
        limits: &Limits,
    ) -> Result<Answer, EngineError> {
        let mut model = self.model.clone();
        for (at, &sense) in senses.iter().enumerate() {
            for (column, lower, upper) in self.bound(at, sense) {
                let slot = &mut model.columns[column as usize];
                (slot.lower, slot.upper) = (lower, upper);
            }
        }
        for &at in cluster.iter().filter(|&&at| self.task.sensitive[at].forced().is_none()) {
            let place = self.places[self.task.sensitive[at].cell.index()];
            if let Place::Sensitive(first) | Place::Aside(first) = place {
                self.binary(&mut model, at, first);
            }
        }
        Ok(self.answer(engine.open(&model)?.solve(limits)?))
    }

    /// Makes a swing all or nothing; gives the column that decides. `swing` is the first column of the cell.
    fn binary(&self, model: &mut Model, at: usize, swing: u32) -> u32 {
        let (down, up) = self.levels(at);
        if self.task.sensitive[at].is_aside() {
            let room = |column: u32| model.columns[column as usize].upper;
            let (low, high) = (-room(swing), room(swing + 1));
            let y = model.whole(0.0, 0.0, 1.0);
            let z = [(swing + 1, 1.0), (swing, -1.0)];
            model.row([&z[..], &[(y, low - up)]].concat(), low, f64::INFINITY);
            model.row([&z[..], &[(y, -down - high)]].concat(), f64::NEG_INFINITY, -down);
            return y;
        }
        let (t, r) =
            (model.columns[swing as usize + 1].upper, model.columns[swing as usize + 2].upper);
        let y = model.whole(0.0, 0.0, 1.0);
        model.row(vec![(swing, 1.0), (y, -(down + up))], 0.0, 0.0);
        model.row(vec![(swing + 1, 1.0), (y, -t)], f64::NEG_INFINITY, 0.0);
        model.row(vec![(swing + 2, 1.0), (y, r)], f64::NEG_INFINITY, r);
        y
    }
}

/// Where each cell stands among the sensitive ones; the number of cells where it is none of them.
pub(crate) fn positions(task: &Task<'_>) -> Vec<u32> {
    let mut positions = vec![u32::MAX; task.weights.len()];
    for (at, sensitive) in task.sensitive.iter().enumerate() {
        positions[sensitive.cell.index()] = at as u32;
    }
    positions
}

/// What one unit of the objective costs: about as much as the mean sensitive cell.
fn price(task: &Task<'_>) -> f64 {
    let level = |at: usize| {
        let sensitive = &task.sensitive[at];
        let least =
            sensitive.down.unwrap_or(f64::INFINITY).min(sensitive.up.unwrap_or(f64::INFINITY));
        task.weights[sensitive.cell.index()] * least.max(0.0)
    };
    let costs: Vec<f64> = (0..task.sensitive.len()).map(level).filter(|&cost| cost > 0.0).collect();
    if costs.is_empty() {
        let scale = task.scale();
        let most = task.weights.iter().fold(0.0, |most: f64, &w| most.max(w * scale));
        return if most > 0.0 { most } else { 1.0 };
    }
    costs.iter().sum::<f64>() / costs.len() as f64
}
