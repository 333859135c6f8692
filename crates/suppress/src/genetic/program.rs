//! The grouped linear program, (9)–(16) of the document: the cheapest move that takes a whole group far enough at once.

use super::groups::Groups;
use crate::method::{Context, SuppressError};
use cellveil_attack::{Component, reduce};
use cellveil_core::{CellId, Pattern, Problem, Side, Status, Why};
use cellveil_lp::{Changes, EngineError, Limits, Model, Outcome, Session};

/// Which sides of the needs to protect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    /// The upper levels only: enough to rank orders.
    Up,
    /// Both.
    Both,
}

/// The program of a problem with every cell that may be withheld.
pub(super) struct Program<'p> {
    problem: &'p Problem,
    /// Cells that will be withheld anyway.
    preselected: Vec<bool>,
    cells: Vec<CellId>,
    /// Per cell of the problem where it stands in `cells`.
    places: Vec<Option<u32>>,
    rows: Vec<Vec<(u32, i32)>>,
    /// Units per step of a column, so that the solver sees moderate numbers.
    scale: f64,
}

/// The largest level is about this many steps.
const STEPS: f64 = 1000.0;

/// Bounds further away than this many steps are drawn in.
const FAR: f64 = 1e6;

/// Moves of fewer steps are the solver's rounding.
const NEGLIGIBLE: f64 = 1e-6;

/// A program that takes more simplex steps is given up: what it would have protected is left to the repair.
const MOST_STEPS: u32 = 20_000;

/// What withheld and preselected cells cost, and what any other does at least, as a share of the average.
const WITHHELD_COST: f64 = 1e-5;
const LEAST_COST: f64 = 1e-4;

impl<'p> Program<'p> {
    pub(super) fn new(problem: &'p Problem, preselected: Vec<bool>) -> Self {
        let mut all = problem.start();
        for cell in problem.cells().filter(|&cell| problem.status(cell) == Status::Free) {
            all.withhold(cell, Why::Secondary);
        }
        let largest = problem.needs().iter().map(|need| need.down.max(need.up)).max().unwrap_or(1);
        let mut program = Self {
            problem,
            preselected,
            cells: Vec::new(),
            places: vec![None; problem.len()],
            rows: Vec::new(),
            scale: (largest as f64 / STEPS).max(1.0),
        };
        for Component { cells, rows, .. } in reduce(problem, &all).components {
            let first = program.cells.len() as u32;
            for cell in cells {
                program.places[cell.index()] = Some(program.cells.len() as u32);
                program.cells.push(cell);
            }
            let shifted =
                |row: Vec<(u32, i32)>| row.into_iter().map(|(at, c)| (at + first, c)).collect();
            program.rows.extend(rows.into_iter().map(shifted));
        }
        program
    }

    /// Protects groups in an order. Returns the pattern, and whether every group could be protected, as a whole or need by need.
    pub(super) fn protect(
        &self,
        context: &Context<'_>,
        groups: &Groups,
        order: &[usize],
        sides: Sides,
    ) -> Result<(Pattern, bool), SuppressError> {
        let mut run = Run {
            program: self,
            context,
            session: context.engine.open(&self.model())?,
            pattern: self.problem.start(),
        };
        let mut met = true;
        for &group in order {
            for side in [Side::Up, Side::Down] {
                if context.is_over() {
                    return Ok((run.pattern, false));
                }
                if side == Side::Up || sides == Sides::Both {
                    met &= run.protect_group(&groups[group], side)?;
                }
            }
        }
        Ok((run.pattern, met))
    }

    /// Two columns per cell, down and up.
    fn model(&self) -> Model {
        let mut model = Model { changes: Changes::Many, ..Model::default() };
        let sum: f64 = self.cells.iter().map(|&cell| self.problem.cost(cell)).sum();
        let average = if sum > 0.0 { sum / self.cells.len() as f64 } else { 1.0 };
        for &cell in &self.cells {
            let is_free =
                self.preselected[cell.index()] || self.problem.status(cell) != Status::Free;
            let cost = (self.problem.cost(cell) / average).max(LEAST_COST);
            for side in Side::BOTH {
                model.column(
                    if is_free { WITHHELD_COST } else { cost },
                    0.0,
                    self.room(cell, side),
                );
            }
        }
        for row in &self.rows {
            let terms = row
                .iter()
                .flat_map(|&(at, c)| [(2 * at, -f64::from(c)), (2 * at + 1, f64::from(c))]);
            model.row(terms.collect(), 0.0, 0.0);
        }
        model
    }

    /// How far a cell can move to a side, in steps.
    fn room(&self, cell: CellId, side: Side) -> f64 {
        let room = self.problem.room(cell, side);
        room.map_or(f64::INFINITY, |room| (room as f64 / self.scale).min(FAR))
    }
}

/// One way through the groups.
struct Run<'r> {
    program: &'r Program<'r>,
    context: &'r Context<'r>,
    session: Box<dyn Session>,
    pattern: Pattern,
}

impl Run<'_> {
    /// Protects a side of a group; need by need if the group as a whole cannot be.
    fn protect_group(&mut self, group: &[usize], side: Side) -> Result<bool, EngineError> {
        match self.protect_together(group, side)? {
            Answer::Protected => return Ok(true),
            Answer::TooMuch => return Ok(false),
            Answer::Impossible => {}
        }
        let mut met = group.len() > 1;
        for need in group.iter().filter(|_| group.len() > 1) {
            met &= matches!(self.protect_together(&[*need], side)?, Answer::Protected);
        }
        Ok(met)
    }

    fn protect_together(&mut self, group: &[usize], side: Side) -> Result<Answer, EngineError> {
        let program = self.program;
        let needs = group.iter().map(|&need| &program.problem.needs()[need]);
        let mut forced = Vec::new();
        for need in needs.filter(|need| need.on(side) > 0) {
            let level = need.on(side) as f64 / program.scale;
            let room = program.room(need.cell, side);
            let Some(at) = program.places[need.cell.index()].filter(|_| room >= level) else {
                continue;
            };
            forced.push((at, need.cell));
            let towards = 2 * at + u32::from(side == Side::Up);
            self.session.set_bounds(towards, level, room)?;
            self.session.set_bounds(towards ^ 1, 0.0, 0.0)?;
        }
        if forced.is_empty() {
            return Ok(Answer::Protected);
        }
        let seconds = (self.context.seconds_left)().map(|left| left.max(0.0));
        let limits = Limits { steps: Some(MOST_STEPS), seconds, ..Limits::default() };
        let outcome = self.session.solve(&limits)?;
        for (at, cell) in forced {
            for (column, side) in [2 * at, 2 * at + 1].into_iter().zip(Side::BOTH) {
                self.session.set_bounds(column, 0.0, program.room(cell, side))?;
            }
        }
        let solution = match outcome {
            Outcome::Optimal(solution) => solution,
            Outcome::Stopped | Outcome::Incumbent(..) => return Ok(Answer::TooMuch),
            Outcome::Infeasible | Outcome::Unbounded => return Ok(Answer::Impossible),
        };
        for (at, &cell) in program.cells.iter().enumerate() {
            let moves = solution.columns[2 * at] + solution.columns[2 * at + 1] > NEGLIGIBLE;
            if moves && !self.pattern.is_withheld(cell) {
                self.pattern.withhold(cell, Why::Secondary);
                self.session.set_cost(2 * at as u32, WITHHELD_COST)?;
                self.session.set_cost(2 * at as u32 + 1, WITHHELD_COST)?;
            }
        }
        Ok(Answer::Protected)
    }
}

/// What became of a group.
enum Answer {
    Protected,
    /// No table takes all members far enough at once.
    Impossible,
    /// The program was given up.
    TooMuch,
}
