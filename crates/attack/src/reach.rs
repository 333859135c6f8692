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

/// A question is asked in steps such that its answer is about this many of them.
const STEPS: f64 = 1000.0;

/// Bounds further away than this many steps are drawn in. The solver works to seven digits; amounts further apart than
/// that in one program are noise to each other.
const FAR: f64 = 1e8;

/// How often the steps are changed for one extreme: enough for amounts of all sizes that there are.
const ZOOMS: usize = 6;

/// Answers between these many steps are taken as they are; others are asked for again in larger or smaller steps.
const MODERATE: std::ops::RangeInclusive<f64> = 1.0..=1e5;

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
        let scale = largest_level(problem, component) / STEPS;
        let scale = scale.max(1.0);
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
        if !MODERATE.contains(&(target as f64 / self.scale)) {
            self.rescale(target as f64 / STEPS)?;
        }
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
        Ok(Reached::Short { distance, witness: self.nearly(cell, side, target, distance, &moves) })
    }

    /// A witness for the last whole unit before `distance`, which is short of the target and a little off.
    fn nearly(
        &self,
        cell: CellId,
        side: Side,
        target: i64,
        distance: f64,
        moves: &[f64],
    ) -> Option<Witness> {
        let whole = distance.round();
        let is_whole = (distance - whole).abs() <= NEARLY * distance.max(1.0);
        let mut tries = [
            if is_whole { whole } else { distance.floor() },
            distance.floor(),
            (distance * (1.0 - NEARLY)).floor(),
        ]
        .map(|nearly| (nearly as i64).min(target - 1))
        .to_vec();
        tries.dedup();
        tries.into_iter().filter(|&n| n > 0).find_map(|n| self.exactly(cell, side, n, moves))
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
        let Some(mut moves) = self.furthest(column, side)? else { return Ok(None) };
        for _ in 0..ZOOMS {
            let steps = moves[column as usize].abs();
            if steps <= *MODERATE.end() && self.is_visible(steps) {
                break;
            }
            // Lost in noise, or perhaps at a bound that was drawn in.
            self.rescale((steps * self.scale / STEPS).max(self.scale / FAR))?;
            let Some(again) = self.furthest(column, side)? else { return Ok(None) };
            moves = again;
        }
        for (at, &moved) in moves.iter().enumerate() {
            if self.is_visible(moved.abs()) {
                seen(at, moved * self.scale);
            }
        }
        Ok(Some(moves[column as usize] * self.scale))
    }

    /// Whether the solver's noise is small beside so many steps, or beside a unit.
    fn is_visible(&self, steps: f64) -> bool {
        steps >= *MODERATE.start() || self.scale <= 1.0
    }

    /// Counts moves in other steps.
    fn rescale(&mut self, scale: f64) -> Result<(), EngineError> {
        self.scale = scale.max(1.0);
        for (column, &cell) in self.component.cells.iter().enumerate() {
            if !self.fixed[column] {
                let (lower, upper) = bounds(self.problem, cell, self.scale);
                self.session.set_bounds(column as u32, lower, upper)?;
            }
        }
        Ok(())
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

/// The largest level asked for in a component, in units.
fn largest_level(problem: &Problem, component: &Component) -> f64 {
    let needs = component.cells.iter().filter_map(|&cell| problem.needs().of(cell));
    needs.map(|need| need.down.max(need.up).max(need.sliding)).max().unwrap_or(1) as f64
}

/// How far a cell may move before the intruder knows better, in steps of `scale` units.
fn bounds(problem: &Problem, cell: CellId, scale: f64) -> (f64, f64) {
    let value = problem.value(cell);
    let steps = |bound: i64| (bound.saturating_sub(value) as f64 / scale).clamp(-FAR, FAR);
    let lower = problem.lower(cell).map_or(f64::NEG_INFINITY, steps);
    let upper = problem.upper(cell).map_or(f64::INFINITY, steps);
    (lower, upper)
}
