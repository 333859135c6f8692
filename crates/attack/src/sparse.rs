//! Tables that differ from the truth in as few and as small moves as possible.
//!
//! `min Σ |y_i|` with the sensitive cell where it is wanted. Such a table moves the cells of a few relations around the sensitive
//! one, so the solver gets there in a few steps from nothing; its witness is quickly made exact, and dies seldom when
//! cells are given back.

use crate::component::Component;
use crate::exact::exact_witness;
use cellveil_core::{Incidence, Problem, Side, Witness};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome, Session};

/// The program on one component: two columns per cell, down and up.
pub(crate) struct Sparse<'a> {
    problem: &'a Problem,
    incidence: &'a Incidence,
    component: &'a Component,
    session: Box<dyn Session>,
    /// Units per step.
    scale: f64,
}

/// A question is asked in steps such that its answer is about this many of them.
const STEPS: f64 = 1000.0;

/// Bounds further than this many steps, or nearer than its inverse, are drawn in: they are noise to the solver.
const FAR: f64 = 1e6;

impl<'a> Sparse<'a> {
    pub(crate) fn new(
        problem: &'a Problem,
        incidence: &'a Incidence,
        component: &'a Component,
        engine: &dyn Engine,
    ) -> Result<Self, EngineError> {
        let mut model = Model { changes: Changes::Fresh, ..Model::default() };
        for _ in &component.cells {
            model.column(1.0, 0.0, 0.0);
            model.column(1.0, 0.0, 0.0);
        }
        for row in &component.rows {
            let terms = row
                .iter()
                .flat_map(|&(at, c)| [(2 * at, -f64::from(c)), (2 * at + 1, f64::from(c))]);
            model.row(terms.collect(), 0.0, 0.0);
        }
        Ok(Self { problem, incidence, component, session: engine.open(&model)?, scale: 0.0 })
    }

    /// A table with the cell at position `at` moved `target` units to `side` and nothing moved that is `fixed` or `held`.
    pub(crate) fn table(
        &mut self,
        at: u32,
        side: Side,
        target: i64,
        fixed: &[bool],
        held: &[u32],
    ) -> Result<Option<Witness>, EngineError> {
        let cell = self.component.cells[at as usize];
        if self.problem.room(cell, side).is_some_and(|room| room < target) {
            return Ok(None);
        }
        self.measure(target, fixed)?;
        let goal = target as f64 / self.scale;
        self.bound(at, |s| if s == side { (goal, goal) } else { (0.0, 0.0) })?;
        for &other in held {
            self.bound(other, |_| (0.0, 0.0))?;
        }
        let outcome = self.session.solve(&Limits::default())?;
        for &other in held.iter().chain([&at]) {
            self.set_free(other, fixed)?;
        }
        let Outcome::Optimal(solution) = outcome else { return Ok(None) };
        let moves = self.component.cells.iter().zip(solution.columns.chunks_exact(2));
        let moves = moves.map(|(&cell, columns)| (cell, (columns[1] - columns[0]) * self.scale));
        Ok(exact_witness(self.problem, self.incidence, moves, cell, target * side.sign()))
    }

    /// Holds a cell at its true value, or lets it move again.
    pub(crate) fn set_free(&mut self, at: u32, fixed: &[bool]) -> Result<(), EngineError> {
        if fixed[at as usize] || self.scale <= 0.0 {
            return self.bound(at, |_| (0.0, 0.0));
        }
        let cell = self.component.cells[at as usize];
        let steps = Side::BOTH.map(|side| {
            self.problem.room(cell, side).map_or(f64::INFINITY, |units| units as f64 / self.scale)
        });
        let drawn_in = steps.map(|steps| match steps {
            steps if steps < 1.0 / FAR => 0.0,
            steps if steps.is_finite() => steps.min(FAR),
            endless => endless,
        });
        self.bound(at, |side| (0.0, drawn_in[usize::from(side == Side::Up)]))
    }

    /// Changes the steps where a target does not fit them.
    fn measure(&mut self, target: i64, fixed: &[bool]) -> Result<(), EngineError> {
        let steps = target as f64 / self.scale;
        if (10.0..=1e4).contains(&steps) || (self.scale <= 1.0 && steps < 10.0) {
            return Ok(());
        }
        self.scale = (target as f64 / STEPS).round().max(1.0);
        (0..self.component.cells.len() as u32).try_for_each(|at| self.set_free(at, fixed))
    }

    fn bound(&mut self, at: u32, bounds: impl Fn(Side) -> (f64, f64)) -> Result<(), EngineError> {
        for (column, side) in [2 * at, 2 * at + 1].into_iter().zip(Side::BOTH) {
            let (lower, upper) = bounds(side);
            self.session.set_bounds(column, lower, upper)?;
        }
        Ok(())
    }
}
