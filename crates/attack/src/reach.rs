//! How far a withheld cell can be moved: one linear program per question, on one component.

use crate::component::Component;
use crate::exact::exact_witness;
use cellveil_core::{CellId, Incidence, Problem, Side, Witness};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome, Session};

/// A linear program on a component, asked again and again.
///
/// Columns are the moves of the cells, in multiples of `scale` units so that the solver sees moderate numbers.
pub struct Probe<'a> {
    problem: &'a Problem,
    incidence: &'a Incidence,
    component: &'a Component,
    session: Box<dyn Session>,
    scale: f64,
    /// Columns held at 0.
    fixed: Vec<bool>,
}

/// The answer of a [`Probe`].
#[derive(Clone, Debug, PartialEq)]
pub enum Reached {
    /// A table in which the cell is moved as far as was asked.
    Target(Witness),
    /// No table is that far away; the furthest is, with a table nearly there if it could be written down exactly.
    Short {
        /// The furthest distance, in units.
        distance: f64,
        /// A table that is at most one unit less far.
        witness: Option<Witness>,
    },
}

/// Answers this much short of the target, in parts of it, are tried as if they had reached it: the exact witness decides.
const NEARLY: f64 = 1e-7;

impl<'a> Probe<'a> {
    /// Loads the component into the engine.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    pub fn new(
        problem: &'a Problem,
        incidence: &'a Incidence,
        component: &'a Component,
        engine: &dyn Engine,
    ) -> Result<Self, EngineError> {
        let scale = scale(problem, component);
        let mut model = Model { changes: Changes::Costs, ..Model::default() };
        for &cell in &component.cells {
            let (lower, upper) = bounds(problem, cell, scale);
            model.column(0.0, lower, upper);
        }
        for row in &component.rows {
            model.row(row.iter().map(|&(column, c)| (column, f64::from(c))).collect(), 0.0, 0.0);
        }
        let fixed = vec![false; component.cells.len()];
        Ok(Self { problem, incidence, component, session: engine.open(&model)?, scale, fixed })
    }

    /// Looks for a table with `cell` moved `target` units to `side` and the cells `unmoved` left alone.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    pub fn reach(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Reached, EngineError> {
        let Some(column) = self.column(cell) else {
            return Ok(Reached::Short { distance: 0.0, witness: None });
        };
        let (lower, upper) = bounds(self.problem, cell, self.scale);
        let goal = target as f64 / self.scale;
        let is_free =
            |cell: &CellId| self.column(*cell).is_some_and(|column| !self.fixed[column as usize]);
        let held: Vec<CellId> = unmoved.iter().copied().filter(is_free).collect();
        for &cell in &held {
            self.fix(cell)?;
        }
        match side {
            Side::Down => self.session.set_bounds(column, lower.max(-goal), upper)?,
            Side::Up => self.session.set_bounds(column, lower, upper.min(goal))?,
        }
        let moves = self.furthest(column, side)?;
        self.session.set_bounds(column, lower, upper)?;
        for cell in held {
            self.release(cell)?;
        }
        let Some(moves) = moves else { return Ok(Reached::Short { distance: 0.0, witness: None }) };
        let distance = moves[column as usize] * self.scale * side.sign() as f64;
        if distance >= target as f64 * (1.0 - NEARLY)
            && let Some(witness) = self.exactly(cell, side, target, &moves)
        {
            return Ok(Reached::Target(witness));
        }
        let nearly = (distance.min(target as f64) * (1.0 - NEARLY)).floor() as i64;
        let witness = (nearly > 0).then(|| self.exactly(cell, side, nearly, &moves)).flatten();
        Ok(Reached::Short { distance, witness })
    }

    /// The furthest any table is from the truth in `cell`, in units; `None` if there is no limit. Also calls `seen` with the
    /// moves of the table found.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    pub fn extreme(
        &mut self,
        cell: CellId,
        side: Side,
        seen: &mut dyn FnMut(usize, f64),
    ) -> Result<Option<f64>, EngineError> {
        let Some(column) = self.column(cell) else { return Ok(Some(0.0)) };
        Ok(self.furthest(column, side)?.map(|moves| {
            for (at, moved) in moves.iter().enumerate() {
                seen(at, moved * self.scale);
            }
            moves[column as usize] * self.scale
        }))
    }

    /// Holds a cell at its true value until it is released.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    pub fn fix(&mut self, cell: CellId) -> Result<(), EngineError> {
        let Some(column) = self.column(cell) else { return Ok(()) };
        self.fixed[column as usize] = true;
        self.session.set_bounds(column, 0.0, 0.0)
    }

    /// Lets a cell move again.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    pub fn release(&mut self, cell: CellId) -> Result<(), EngineError> {
        let Some(column) = self.column(cell) else { return Ok(()) };
        self.fixed[column as usize] = false;
        let (lower, upper) = bounds(self.problem, cell, self.scale);
        self.session.set_bounds(column, lower, upper)
    }

    fn column(&self, cell: CellId) -> Option<u32> {
        self.component.cells.binary_search(&cell).ok().map(|at| at as u32)
    }

    /// The moves that take a column furthest; `None` if nothing limits it.
    fn furthest(&mut self, column: u32, side: Side) -> Result<Option<Vec<f64>>, EngineError> {
        self.session.set_cost(column, -(side.sign() as f64))?;
        let outcome = self.session.solve(&Limits::default());
        self.session.set_cost(column, 0.0)?;
        match outcome? {
            Outcome::Optimal(solution) => Ok(Some(solution.columns)),
            Outcome::Unbounded => Ok(None),
            // The truth itself is feasible, so this is the solver's noise; no move is the safe answer.
            Outcome::Infeasible | Outcome::Stopped => {
                Ok(Some(vec![0.0; self.component.cells.len()]))
            }
        }
    }

    fn exactly(&self, cell: CellId, side: Side, target: i64, moves: &[f64]) -> Option<Witness> {
        let moves =
            self.component.cells.iter().copied().zip(moves.iter().map(|moved| moved * self.scale));
        exact_witness(self.problem, self.incidence, moves, cell, target * side.sign())
    }
}

/// A thousandth of the largest level asked for, at least one unit.
fn scale(problem: &Problem, component: &Component) -> f64 {
    let needs = component.cells.iter().filter_map(|&cell| problem.needs().of(cell));
    let largest = needs.map(|need| need.down.max(need.up).max(need.sliding)).max().unwrap_or(1);
    (largest as f64 / 1000.0).max(1.0)
}

/// How far a cell may move before the intruder knows better.
fn bounds(problem: &Problem, cell: CellId, scale: f64) -> (f64, f64) {
    let value = problem.value(cell);
    let lower =
        problem.lower(cell).map_or(f64::NEG_INFINITY, |bound| (bound - value) as f64 / scale);
    let upper = problem.upper(cell).map_or(f64::INFINITY, |bound| (bound - value) as f64 / scale);
    (lower, upper)
}
