//! The linear program that prices further cells.

use cellveil_attack::{Component, Probe, Reached, exact_witness};
use cellveil_core::{CellId, Incidence, Pattern, Problem, Side, Witness};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome, Session};

/// One component with every cell that may be withheld: two columns per cell, up and down.
pub(super) struct Program<'a> {
    problem: &'a Problem,
    incidence: &'a Incidence,
    component: &'a Component,
    engine: &'a dyn Engine,
    session: Box<dyn Session>,
    /// Units per step of a column, so that the solver sees moderate numbers.
    scale: f64,
}

/// A program is asked in steps such that its target is about this many of them.
const STEPS: f64 = 1000.0;

/// Bounds further away than this many steps are drawn in, as in the attack.
const FAR: f64 = 1e6;

/// Bounds nearer than this many steps are nothing, as in the attack.
const NEGLIGIBLE: f64 = 1e-3;

/// Targets of this many steps are asked for as they are.
const MODERATE: std::ops::RangeInclusive<f64> = 1.0..=1e4;

/// A published cell costs at least this part of the average, so that none is withheld for nothing.
const LEAST_COST: f64 = 1e-4;

/// Up to this many terms of relations, simplifying a program takes longer than solving it.
const SMALL: usize = 8_000;

/// What is withheld already costs next to nothing: just enough that no more cells move than must. Witnesses of few cells die
/// seldom when cells are given back.
const WITHHELD_COST: f64 = 1e-5;

impl<'a> Program<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        incidence: &'a Incidence,
        component: &'a Component,
        pattern: &Pattern,
        engine: &'a dyn Engine,
    ) -> Result<Self, EngineError> {
        let levels = component.cells.iter().filter_map(|&cell| problem.needs().of(cell));
        let largest =
            levels.map(|need| need.down.max(need.up).max(need.sliding)).max().unwrap_or(1);
        let scale = step(largest);
        let average = component.cells.iter().map(|&c| problem.cost(c)).sum::<f64>()
            / component.cells.len() as f64;
        let average = if average > 0.0 { average } else { 1.0 };
        let changes =
            if problem.relations().terms() <= SMALL { Changes::Fresh } else { Changes::Many };
        let mut model = Model { changes, ..Model::default() };
        for &cell in &component.cells {
            let withheld = pattern.is_withheld(cell);
            let cost = if withheld {
                WITHHELD_COST
            } else {
                (problem.cost(cell) / average).max(LEAST_COST)
            };
            for side in Side::BOTH {
                model.column(cost, 0.0, steps(problem, cell, side, scale));
            }
        }
        for row in &component.rows {
            let terms = row
                .iter()
                .flat_map(|&(at, c)| [(2 * at, -f64::from(c)), (2 * at + 1, f64::from(c))]);
            model.row(terms.collect(), 0.0, 0.0);
        }
        let session = engine.open(&model)?;
        Ok(Self { problem, incidence, component, engine, session, scale })
    }

    /// A withheld cell costs next to nothing any more.
    pub(super) fn now_free(&mut self, cell: CellId) -> Result<(), EngineError> {
        if let Some(at) = self.position(cell) {
            self.session.set_cost(2 * at, WITHHELD_COST)?;
            self.session.set_cost(2 * at + 1, WITHHELD_COST)?;
        }
        Ok(())
    }

    /// The cheapest table with `cell` moved `target` units to `side` and `unmoved` left alone. If there is none whatever is
    /// withheld, the cheapest of those that go furthest.
    pub(super) fn cheapest_or_furthest(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Option<Witness>, EngineError> {
        if let Some(witness) = self.cheapest(cell, side, target, unmoved)? {
            return Ok(Some(witness));
        }
        let mut probe = Probe::new(self.problem, self.incidence, self.component, self.engine)?;
        match probe.reach(cell, side, target, unmoved)? {
            Reached::Target(witness) => Ok(Some(witness)),
            Reached::Short { witness: None, .. } => Ok(None),
            Reached::Short { witness: Some(furthest), .. } => {
                let distance = furthest.move_of(cell).abs() / i64::from(furthest.denominator);
                let cheapest = self.cheapest(cell, side, distance, unmoved)?;
                Ok(cheapest.or(Some(furthest)))
            }
        }
    }

    fn cheapest(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Option<Witness>, EngineError> {
        let Some(at) = self.position(cell) else { return Ok(None) };
        if self.problem.room(cell, side).is_some_and(|room| room < target) {
            return Ok(None);
        }
        self.fit(target)?;
        let goal = target as f64 / self.scale;
        let forced = |s: Side| if s == side { goal } else { 0.0 };
        self.bound_cell(at, |s| (forced(s), forced(s)))?;
        let held: Vec<u32> = unmoved.iter().filter_map(|&held| self.position(held)).collect();
        for &held in &held {
            self.bound_cell(held, |_| (0.0, 0.0))?;
        }
        let outcome = self.session.solve(&Limits::default())?;
        for at in held.into_iter().chain([at]) {
            self.free_cell(at)?;
        }
        let Outcome::Optimal(solution) = outcome else { return Ok(None) };
        let moves = self.component.cells.iter().enumerate().map(|(at, &cell)| {
            (cell, (solution.columns[2 * at + 1] - solution.columns[2 * at]) * self.scale)
        });
        let target = target * side.sign();
        Ok(exact_witness(self.problem, self.incidence, moves, cell, target))
    }

    /// Counts moves in steps of which the target is a moderate number.
    fn fit(&mut self, target: i64) -> Result<(), EngineError> {
        if MODERATE.contains(&(target as f64 / self.scale)) {
            return Ok(());
        }
        self.scale = step(target);
        (0..self.component.cells.len() as u32).try_for_each(|at| self.free_cell(at))
    }

    fn free_cell(&mut self, at: u32) -> Result<(), EngineError> {
        let (problem, cell, scale) = (self.problem, self.component.cells[at as usize], self.scale);
        self.bound_cell(at, |side| (0.0, steps(problem, cell, side, scale)))
    }

    fn bound_cell(
        &mut self,
        at: u32,
        bounds: impl Fn(Side) -> (f64, f64),
    ) -> Result<(), EngineError> {
        for (column, side) in [2 * at, 2 * at + 1].into_iter().zip(Side::BOTH) {
            let (lower, upper) = bounds(side);
            self.session.set_bounds(column, lower, upper)?;
        }
        Ok(())
    }

    fn position(&self, cell: CellId) -> Option<u32> {
        self.component.cells.binary_search(&cell).ok().map(|at| at as u32)
    }
}

/// Units per step for a target: a whole number, so that drawn-in bounds are whole units too.
fn step(target: i64) -> f64 {
    (target as f64 / STEPS).round().max(1.0)
}

/// How far a cell can move to a side, in steps of `scale` units, without what is too far or too near for the solver.
fn steps(problem: &Problem, cell: CellId, side: Side, scale: f64) -> f64 {
    let steps = problem.room(cell, side).map_or(f64::INFINITY, |units| units as f64 / scale);
    match steps {
        steps if steps < NEGLIGIBLE => 0.0,
        steps if steps.is_finite() => steps.min(FAR),
        endless => endless,
    }
}
