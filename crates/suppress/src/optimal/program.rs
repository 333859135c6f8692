//! The intruder's program for one side of a level, on a growing part of the relations.
//!
//! From one question to the next only the rooms change, and relations are added: the last prices stay valid, so the program is
//! kept and solved again from where it ended.

use super::cuts::Multipliers;
use super::level::{Level, System};
use super::separate::View;
use cellveil_core::Side;
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome, Row, Session, Solution};
use std::collections::{BTreeMap, BTreeSet};

/// The relations that take part, and the program if it is loaded.
pub(super) struct Program {
    side: Side,
    rows: Vec<u32>,
    taken: BTreeSet<u32>,
    /// The terms of all relations that take part.
    pub(super) terms: usize,
    loaded: Option<Loaded>,
}

/// The furthest that a cell gets to a side.
pub(super) struct Furthest {
    /// As a share of the level.
    pub(super) share: f64,
    pub(super) multipliers: Multipliers,
    /// In units.
    pub(super) moves: Vec<(u32, f64)>,
}

/// A multiplier or move below this is the solver's noise.
const NOISE: f64 = 1e-7;

/// A program with more relations is cut back to those that matter, when these are less than a third.
const MANY: usize = 60;

impl Program {
    /// Starts from the relations of the cell.
    pub(super) fn new(system: &System<'_>, level: &Level, side: Side) -> Self {
        let mut program =
            Self { side, rows: Vec::new(), taken: BTreeSet::new(), terms: 0, loaded: None };
        program.take(system, system.rows_of[level.at as usize].iter().map(|&(row, _)| row));
        program
    }

    fn take(&mut self, system: &System<'_>, rows: impl IntoIterator<Item = u32>) {
        for row in rows {
            if self.taken.insert(row) {
                self.rows.push(row);
                self.terms += system.component.rows[row as usize].len();
            }
        }
    }

    /// Unloads the program; what is known about relations stays.
    pub(super) fn unload(&mut self) {
        self.loaded = None;
    }

    /// Leaves out relations that do not matter, if there are many.
    pub(super) fn trim(&mut self, system: &System<'_>, level: &Level, matter: &Multipliers) {
        if self.rows.len() > MANY && matter.len() * 3 < self.rows.len() {
            *self = Self::new(system, level, self.side);
            self.take(system, matter.iter().map(|&(row, _)| row));
        }
    }

    /// Takes in the relations that moves break by more than a tolerance in units; says whether there were any.
    pub(super) fn grow(
        &mut self,
        system: &System<'_>,
        moves: &[(u32, f64)],
        tolerance: f64,
    ) -> bool {
        let mut sums: Vec<(u32, f64)> = Vec::new();
        for &(at, step) in moves {
            for &(row, c) in &system.rows_of[at as usize] {
                if !self.taken.contains(&row) {
                    sums.push((row, step * f64::from(c)));
                }
            }
        }
        sums.sort_unstable_by_key(|&(row, _)| row);
        let sum = |of_row: &[(u32, f64)]| of_row.iter().map(|&(_, step)| step).sum::<f64>();
        let by_row = sums.chunk_by(|a, b| a.0 == b.0);
        let broken: Vec<u32> = by_row
            .filter(|of_row| sum(of_row).abs() > tolerance)
            .map(|of_row| of_row[0].0)
            .collect();
        self.take(system, broken.iter().copied());
        !broken.is_empty()
    }

    /// How far the cell gets at a point; `None` if the engine does not say.
    pub(super) fn solve(
        &mut self,
        system: &System<'_>,
        level: &Level,
        point: &[f64],
        view: View,
        engine: &dyn Engine,
    ) -> Result<Option<Furthest>, EngineError> {
        let mut loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => Loaded::new(engine)?,
        };
        let rooms = Rooms { system, level, side: self.side, point, cap: view.cap };
        loaded.bound(&rooms)?;
        loaded.extend(&rooms, &self.rows)?;
        let Outcome::Optimal(solution) = loaded.session.solve(&Limits::default())? else {
            return Ok(None);
        };
        let furthest = loaded.read(&self.rows, &solution, level.target as f64);
        self.loaded = Some(loaded);
        Ok(Some(furthest))
    }
}

/// The moves of cells in the engine: two columns each, down and up.
struct Loaded {
    session: Box<dyn Session>,
    rows: usize,
    column: BTreeMap<u32, u32>,
    positions: Vec<u32>,
    uppers: Vec<[f64; 2]>,
}

impl Loaded {
    fn new(engine: &dyn Engine) -> Result<Self, EngineError> {
        let model = Model { changes: Changes::Bounds, ..Model::default() };
        Ok(Self {
            session: engine.open(&model)?,
            rows: 0,
            column: BTreeMap::new(),
            positions: Vec::new(),
            uppers: Vec::new(),
        })
    }

    /// Gives the columns the rooms of another point.
    fn bound(&mut self, rooms: &Rooms<'_>) -> Result<(), EngineError> {
        for (column, (&at, uppers)) in (0..).zip(self.positions.iter().zip(&mut self.uppers)) {
            for (way, side) in Side::BOTH.into_iter().enumerate() {
                let upper = rooms.of(at, side);
                if upper.to_bits() != uppers[way].to_bits() {
                    uppers[way] = upper;
                    self.session.set_bounds(2 * column + way as u32, 0.0, upper)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the relations that are not there yet.
    fn extend(&mut self, rooms: &Rooms<'_>, rows: &[u32]) -> Result<(), EngineError> {
        for &row in &rows[self.rows..] {
            let mut terms = Vec::new();
            for &(at, c) in &rooms.system.component.rows[row as usize] {
                let first = match self.column.get(&at) {
                    Some(&first) => first,
                    None => self.add(rooms, at)?,
                };
                terms.extend([(first, -f64::from(c)), (first + 1, f64::from(c))]);
            }
            self.session.add_row(&Row { terms, lower: 0.0, upper: 0.0 })?;
        }
        self.rows = rows.len();
        Ok(())
    }

    fn add(&mut self, rooms: &Rooms<'_>, at: u32) -> Result<u32, EngineError> {
        let uppers = Side::BOTH.map(|side| rooms.of(at, side));
        for (side, upper) in Side::BOTH.into_iter().zip(uppers) {
            let aim = at == rooms.level.at && side == rooms.side;
            self.session.add_column(if aim { -1.0 } else { 0.0 }, 0.0, upper)?;
        }
        let first = 2 * self.positions.len() as u32;
        self.column.insert(at, first);
        self.positions.push(at);
        self.uppers.push(uppers);
        Ok(first)
    }

    fn read(&self, rows: &[u32], solution: &Solution, unit: f64) -> Furthest {
        let moved = self.positions.iter().zip(solution.columns.chunks_exact(2));
        let moves = moved.map(|(&at, way)| (at, (way[1] - way[0]) * unit));
        let multipliers = rows.iter().zip(&solution.duals).filter(|(_, d)| d.abs() > NOISE);
        Furthest {
            share: -solution.objective,
            multipliers: multipliers.map(|(&row, &dual)| (row, -dual)).collect(),
            moves: moves.filter(|(_, step)| step.abs() > unit * NOISE).collect(),
        }
    }
}

/// How far cells can move at a point, as shares of the level.
struct Rooms<'a> {
    system: &'a System<'a>,
    level: &'a Level,
    side: Side,
    point: &'a [f64],
    cap: f64,
}

impl Rooms<'_> {
    fn of(&self, at: u32, way: Side) -> f64 {
        if self.level.held.binary_search(&at).is_ok() || (at == self.level.at && way != self.side) {
            return 0.0;
        }
        let cap = if at == self.level.at { 1.0 } else { self.cap };
        let unit = self.level.target as f64;
        let room = self.system.room(at, way).map_or(cap, |room| room as f64 / unit);
        room.min(cap) * self.point[at as usize]
    }
}
