//! The linear program that prices further cells.

use cellveil_attack::{Component, exact_witness};
use cellveil_core::{CellId, Incidence, Pattern, Problem, Side, Witness};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome, Session};

/// One component with every cell that may be withheld: two columns per cell, up and down.
pub(super) struct Program<'a> {
    problem: &'a Problem,
    incidence: &'a Incidence,
    component: &'a Component,
    session: Box<dyn Session>,
    /// Units per step of a column, so that the solver sees moderate numbers.
    scale: f64,
}

/// What the program says.
pub(super) enum Answer {
    /// The cheapest table that is far enough.
    Table(Witness),
    /// There is none, whatever is withheld.
    Impossible,
}

/// A published cell costs at least this part of the average, so that none is withheld for nothing.
const LEAST_COST: f64 = 1e-4;

impl<'a> Program<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        incidence: &'a Incidence,
        component: &'a Component,
        pattern: &Pattern,
        engine: &dyn Engine,
    ) -> Result<Self, EngineError> {
        let levels = component.cells.iter().filter_map(|&cell| problem.needs().of(cell));
        let largest =
            levels.map(|need| need.down.max(need.up).max(need.sliding)).max().unwrap_or(1);
        let scale = (largest as f64 / 1000.0).max(1.0);
        let average = component.cells.iter().map(|&c| problem.cost(c)).sum::<f64>()
            / component.cells.len() as f64;
        let average = if average > 0.0 { average } else { 1.0 };
        let mut model = Model { changes: Changes::Many, ..Model::default() };
        for &cell in &component.cells {
            let withheld = pattern.is_withheld(cell);
            let cost = if withheld { 0.0 } else { (problem.cost(cell) / average).max(LEAST_COST) };
            for side in Side::BOTH {
                model.column(cost, 0.0, room(problem, cell, side) / scale);
            }
        }
        for row in &component.rows {
            let terms = row
                .iter()
                .flat_map(|&(at, c)| [(2 * at, -f64::from(c)), (2 * at + 1, f64::from(c))]);
            model.row(terms.collect(), 0.0, 0.0);
        }
        Ok(Self { problem, incidence, component, session: engine.open(&model)?, scale })
    }

    /// A withheld cell costs nothing any more.
    pub(super) fn now_free(&mut self, cell: CellId) -> Result<(), EngineError> {
        if let Some(at) = self.position(cell) {
            self.session.set_cost(2 * at, 0.0)?;
            self.session.set_cost(2 * at + 1, 0.0)?;
        }
        Ok(())
    }

    /// The cheapest table with `cell` moved `target` units to `side` and `unmoved` left alone.
    pub(super) fn cheapest(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Answer, EngineError> {
        let Some(at) = self.position(cell) else { return Ok(Answer::Impossible) };
        if room(self.problem, cell, side) < target as f64 {
            return Ok(Answer::Impossible);
        }
        let goal = target as f64 / self.scale;
        let forced = |s: Side| if s == side { goal } else { 0.0 };
        self.bound_cell(at, |s| (forced(s), forced(s)))?;
        let held: Vec<(CellId, u32)> =
            unmoved.iter().filter_map(|&held| Some((held, self.position(held)?))).collect();
        for &(_, held) in &held {
            self.bound_cell(held, |_| (0.0, 0.0))?;
        }
        let outcome = self.session.solve(&Limits::default())?;
        let (problem, scale) = (self.problem, self.scale);
        self.bound_cell(at, |s| (0.0, room(problem, cell, s) / scale))?;
        for (cell, at) in held {
            self.bound_cell(at, |s| (0.0, room(problem, cell, s) / scale))?;
        }
        let Outcome::Optimal(solution) = outcome else { return Ok(Answer::Impossible) };
        let moves = self.component.cells.iter().enumerate().map(|(at, &cell)| {
            (cell, (solution.columns[2 * at + 1] - solution.columns[2 * at]) * scale)
        });
        let witness = exact_witness(problem, self.incidence, moves, cell, target * side.sign());
        Ok(witness.map_or(Answer::Impossible, Answer::Table))
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

/// How far a cell can move to a side, in units.
fn room(problem: &Problem, cell: CellId, side: Side) -> f64 {
    let value = problem.value(cell);
    match side {
        Side::Down => problem.lower(cell).map_or(f64::INFINITY, |bound| (value - bound) as f64),
        Side::Up => problem.upper(cell).map_or(f64::INFINITY, |bound| (bound - value) as f64),
    }
}
