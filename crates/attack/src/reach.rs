//! How far a withheld cell can be moved: one linear program per question, on one component.

use crate::component::Component;
use crate::exact::exact_witness;
use crate::rational::furthest;
use crate::reached::Reached;
use crate::sparse::Sparse;
use crate::view::{BEYOND, STEPS, View, largest_level, narrow, whole, wide};
use crate::whole::whole_table;
use cellveil_core::{CellId, Incidence, Problem, Side, Witness};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome, Session};

/// A linear program on a component, asked again and again.
///
/// Columns are the moves of the cells, in multiples of `scale` units so that the solver sees moderate numbers.
pub struct Probe<'a> {
    problem: &'a Problem,
    incidence: &'a Incidence,
    component: &'a Component,
    engine: &'a dyn Engine,
    session: Box<dyn Session>,
    scale: f64,
    /// Columns held at 0.
    fixed: Vec<bool>,
    view: View,
    sparse: Sparse<'a>,
    /// Whether to find out how far is possible where the target is not.
    patient: bool,
    /// Programs solved since somebody asked.
    programs: usize,
}

/// Answers this much short of the target, in parts of it, are tried as if they had reached it: the exact witness decides.
const NEARLY: f64 = 1e-7;

/// How much further a table is looked for, in parts of the target, when one just there cannot be written down exactly.
const MARGIN: f64 = 1e-4;

/// How often the steps are changed for one extreme: enough for amounts of all sizes that there are.
const ZOOMS: usize = 6;

/// Answers between these many steps are taken as they are; others are asked for again in larger or smaller steps.
const MODERATE: std::ops::RangeInclusive<f64> = 1.0..=1e4;

impl<'a> Probe<'a> {
    /// Loads the component into the engine.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    pub fn new(
        problem: &'a Problem,
        incidence: &'a Incidence,
        component: &'a Component,
        engine: &'a dyn Engine,
    ) -> Result<Self, EngineError> {
        let scale = largest_level(problem, component) / STEPS;
        let scale = whole(scale);
        let mut model = Model { changes: Changes::Costs, ..Model::default() };
        for &cell in &component.cells {
            let (lower, upper) = wide(problem, cell, scale);
            model.column(0.0, lower, upper);
        }
        for row in &component.rows {
            model.row(row.iter().map(|&(column, c)| (column, f64::from(c))).collect(), 0.0, 0.0);
        }
        let fixed = vec![false; component.cells.len()];
        let (session, view) = (engine.open(&model)?, View::Wide);
        let sparse = Sparse::new(problem, incidence, component, engine)?;
        Ok(Self {
            problem,
            incidence,
            component,
            engine,
            session,
            scale,
            fixed,
            view,
            sparse,
            patient: true,
            programs: 0,
        })
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
        if let Some(witness) = self.quickly(cell, side, target, unmoved)?
            && (!self.problem.is_whole() || witness.denominator == 1)
        {
            return Ok(Reached::Target(witness));
        }
        if self.problem.is_whole() {
            return self.wholly(cell, side, target, unmoved);
        }
        if !self.patient {
            return Ok(Reached::Short { distance: 0.0, witness: None });
        }
        let fits = MODERATE.contains(&(target as f64 / self.scale));
        if !fits || self.view == View::Wide {
            let scale = if fits { self.scale } else { target as f64 / STEPS };
            self.look(scale, View::Narrow { drawn_in: true })?;
        }
        let mut reached = self.ask(cell, side, target, unmoved)?;
        if !matches!(reached, Reached::Target(_)) && self.view != (View::Narrow { drawn_in: false })
        {
            self.look(self.scale, View::Wide)?;
            reached = self.ask(cell, side, target, unmoved)?;
        }
        if let Reached::Short { distance, witness: None } = reached
            && distance >= 1.0
        {
            return Ok(self.without_rounding(cell, side, target, unmoved).unwrap_or(reached));
        }
        Ok(reached)
    }

    /// The same in whole numbers, where the answer of the engine cannot be written down; `None` if the component is too large for that.
    fn without_rounding(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Option<Reached> {
        self.programs += 1;
        let at = self.column(cell)?;
        let unmoved: Vec<u32> = unmoved.iter().filter_map(|&cell| self.column(cell)).collect();
        let is_held = |at: u32| self.fixed[at as usize] || unmoved.contains(&at);
        let found = furthest(self.component, (at, side, target), &is_held)?;
        Some(if found.witness.reaches(cell, side, target) {
            Reached::Target(found.witness)
        } else {
            Reached::Short { distance: found.distance as f64, witness: Some(found.witness) }
        })
    }

    /// How many programs were solved since this was last asked.
    pub fn take_programs(&mut self) -> usize {
        std::mem::take(&mut self.programs)
    }

    /// From now on, says only whether a target is reached, and not how far is possible otherwise.
    pub fn hurry(&mut self) {
        self.patient = false;
    }

    /// Whether there seems to be a table with `cell` moved `target` units to `side`; found out without writing it down.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    pub fn can_reach(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
    ) -> Result<bool, EngineError> {
        let Some(column) = self.column(cell) else { return Ok(false) };
        let moves = self.towards(column, side, target as f64, &[])?;
        let distance = moves.map(|moves| moves[column as usize] * self.scale * side.sign() as f64);
        Ok(distance.is_none_or(|distance| distance >= target as f64 * (1.0 - NEARLY)))
    }

    /// A table in whole numbers.
    fn wholly(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Reached, EngineError> {
        let short = Reached::Short { distance: 0.0, witness: None };
        let Some(column) = self.column(cell) else { return Ok(short) };
        self.programs += 1;
        let fixed = (0..self.fixed.len() as u32).filter(|&at| self.fixed[at as usize]);
        let unmoved = unmoved.iter().filter_map(|&cell| self.column(cell));
        let held: Vec<u32> = fixed.chain(unmoved).collect();
        let question = (column, side, target);
        let found = whole_table(self.problem, self.component, self.engine, question, &held)?;
        Ok(found.map_or(short, Reached::Target))
    }

    /// A table with few moves.
    fn quickly(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Option<Witness>, EngineError> {
        let Some(column) = self.column(cell) else { return Ok(None) };
        self.programs += 1;
        let held: Vec<u32> = unmoved.iter().filter_map(|&cell| self.column(cell)).collect();
        self.sparse.table(column, side, target, &self.fixed, &held)
    }

    fn ask(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Reached, EngineError> {
        let short = Reached::Short { distance: 0.0, witness: None };
        let Some(column) = self.column(cell) else { return Ok(short) };
        let Some(moves) = self.towards(column, side, target as f64, unmoved)? else {
            return Ok(short);
        };
        let distance = moves[column as usize] * self.scale * side.sign() as f64;
        if distance >= target as f64 * (1.0 - NEARLY) {
            if let Some(witness) = self.exactly(cell, side, target, &moves) {
                return Ok(Reached::Target(witness));
            }
            if let Some(witness) = self.on_the_way(cell, side, target, unmoved)? {
                return Ok(Reached::Target(witness));
            }
        }
        Ok(Reached::Short { distance, witness: self.nearly(cell, side, target, distance, &moves) })
    }

    /// A witness on the way to a table a little further than the target: bounds that the further table touches, or oversteps
    /// within the solver's tolerance, are not touched there.
    fn on_the_way(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Option<Witness>, EngineError> {
        let Some(column) = self.column(cell) else { return Ok(None) };
        let further = target as f64 * (1.0 + MARGIN);
        let Some(mut moves) = self.towards(column, side, further, unmoved)? else {
            return Ok(None);
        };
        let distance = moves[column as usize] * self.scale * side.sign() as f64;
        let part = target as f64 / distance;
        if part >= 1.0 || distance <= 0.0 {
            return Ok(None);
        }
        for moved in &mut moves {
            *moved *= part;
        }
        Ok(self.exactly(cell, side, target, &moves))
    }

    /// The moves that take a column furthest to a side but not beyond `distance` units; `None` if the solver sees no limit.
    fn towards(
        &mut self,
        column: u32,
        side: Side,
        distance: f64,
        unmoved: &[CellId],
    ) -> Result<Option<Vec<f64>>, EngineError> {
        let (lower, upper) = self.bounds(self.component.cells[column as usize]);
        let goal = distance / self.scale;
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
        Ok(moves)
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
        if self.view != View::Wide {
            self.look(self.scale, View::Wide)?;
        }
        let Some(mut moves) = self.furthest(column, side)? else { return Ok(None) };
        for _ in 0..ZOOMS {
            let steps = moves[column as usize].abs();
            if steps <= *MODERATE.end() && self.is_visible(steps) {
                break;
            }
            // Lost in noise, or perhaps at a bound that was drawn in.
            self.look((steps * self.scale / STEPS).max(self.scale / BEYOND), View::Wide)?;
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

    /// Counts moves in other steps, in a view.
    fn look(&mut self, scale: f64, view: View) -> Result<(), EngineError> {
        let before = (self.scale.to_bits(), matches!(self.view, View::Narrow { drawn_in: true }));
        self.scale = whole(scale);
        self.view = view;
        if matches!(view, View::Narrow { .. }) {
            let drawn_in =
                |&cell: &CellId| self.bounds(cell) != wide(self.problem, cell, self.scale);
            self.view = View::Narrow { drawn_in: self.component.cells.iter().any(drawn_in) };
        }
        if before == (self.scale.to_bits(), matches!(self.view, View::Narrow { drawn_in: true })) {
            return Ok(());
        }
        for (column, &cell) in self.component.cells.iter().enumerate() {
            if !self.fixed[column] {
                let (lower, upper) = self.bounds(cell);
                self.session.set_bounds(column as u32, lower, upper)?;
            }
        }
        Ok(())
    }

    /// The bounds of a column as things stand.
    fn bounds(&self, cell: CellId) -> (f64, f64) {
        let (lower, upper) = wide(self.problem, cell, self.scale);
        match self.view {
            View::Wide => (lower, upper),
            View::Narrow { .. } => (narrow(lower), narrow(upper)),
        }
    }

    /// Holds a cell at its true value until it is released.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    pub fn fix(&mut self, cell: CellId) -> Result<(), EngineError> {
        let Some(column) = self.column(cell) else { return Ok(()) };
        self.fixed[column as usize] = true;
        self.sparse.set_free(column, &self.fixed)?;
        self.session.set_bounds(column, 0.0, 0.0)
    }

    /// Lets a cell move again.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    pub fn release(&mut self, cell: CellId) -> Result<(), EngineError> {
        let Some(column) = self.column(cell) else { return Ok(()) };
        self.fixed[column as usize] = false;
        self.sparse.set_free(column, &self.fixed)?;
        let (lower, upper) = self.bounds(cell);
        self.session.set_bounds(column, lower, upper)
    }

    fn column(&self, cell: CellId) -> Option<u32> {
        self.component.cells.binary_search(&cell).ok().map(|at| at as u32)
    }

    /// The moves that take a column furthest; `None` if nothing limits it.
    fn furthest(&mut self, column: u32, side: Side) -> Result<Option<Vec<f64>>, EngineError> {
        self.programs += 1;
        self.session.set_cost(column, -(side.sign() as f64))?;
        let outcome = self.session.solve(&Limits::default());
        self.session.set_cost(column, 0.0)?;
        match outcome? {
            Outcome::Optimal(solution) => Ok(Some(solution.columns)),
            Outcome::Unbounded => Ok(None),
            // The truth itself is feasible, so this is the solver's noise; no move is the safe answer.
            Outcome::Infeasible | Outcome::Stopped | Outcome::Incumbent(..) => {
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
