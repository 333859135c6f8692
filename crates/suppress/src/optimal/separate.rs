//! The intruder's program at a fractional pattern, and the multipliers that its dual gives.
//!
//! Only relations near the sensitive cell take part. Leaving relations out lets cells move more freely than they can, so what
//! the multipliers say holds in the whole table. Relations that the moves break are taken in until the cell is held back, or
//! none is broken.

use super::cuts::{Capacity, Multipliers};
use super::level::{Level, System};
use cellveil_core::Side;
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// What a cell can do at a point.
pub(super) enum Answer {
    /// The level is reached, by these moves on each side, in units.
    Reached(Vec<Vec<(u32, f64)>>),
    /// It is not, because of what the cells can contribute at most.
    Held(Capacity),
    /// Nothing came of it.
    Unclear,
}

/// How a point is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Rooms are drawn in to this many times the level. Once suffices in networks, and makes the best cuts elsewhere too; a cell
    /// of other tables may have to move further than the one it protects.
    pub(super) cap: f64,
    /// The most terms of relations that take part.
    pub(super) terms: usize,
    /// A relation that is missed by less, as a share of the level, is kept.
    pub(super) broken: f64,
}

/// A multiplier below this is the solver's noise.
const NOISE: f64 = 1e-7;

/// Levels reached up to this share count as reached.
const NEARLY: f64 = 1.0 - 1e-6;

/// The relations that mattered for a level, per side: the next program starts from them.
pub(super) type Near = Vec<Vec<u32>>;

/// Looks for tables that reach a level with every cell `i` withheld to the share `point[i]`. Also says how much work it was, in
/// terms of relations times programs.
pub(super) fn separate(
    system: &System<'_>,
    level: &Level,
    near: &mut Near,
    point: &[f64],
    view: View,
    engine: &dyn Engine,
) -> Result<(Answer, usize), EngineError> {
    near.resize(level.goal.sides().len(), Vec::new());
    let sides = level.goal.sides().iter().zip(near.iter());
    let mut programs: Vec<Program<'_>> =
        sides.map(|(&side, near)| Program::new(system, level, side, near, point, view)).collect();
    let mut work = 0;
    loop {
        let mut furthest = Vec::new();
        for program in &programs {
            work += program.terms();
            let Some(of_side) = program.solve(engine)? else { return Ok((Answer::Unclear, work)) };
            furthest.push(of_side);
        }
        if furthest.iter().map(|of_side| of_side.share).sum::<f64>() < NEARLY {
            let multipliers: Vec<Multipliers> =
                furthest.into_iter().map(|of_side| of_side.multipliers).collect();
            for (near, multipliers) in near.iter_mut().zip(&multipliers) {
                *near = multipliers.iter().map(|&(row, _)| row).collect();
            }
            let capacity = Capacity::new(system, level, &multipliers);
            return Ok((capacity.map_or(Answer::Unclear, Answer::Held), work));
        }
        let mut grown = false;
        for (program, of_side) in programs.iter_mut().zip(&furthest) {
            grown |= program.grow(&of_side.moves);
        }
        if !grown {
            let moves = furthest.into_iter().map(|of_side| of_side.moves).collect();
            return Ok((Answer::Reached(moves), work));
        }
        if programs.iter().any(|program| program.terms() > view.terms) {
            return Ok((Answer::Unclear, work));
        }
    }
}

/// The furthest that a cell gets to a side.
struct Furthest {
    /// As a share of the level.
    share: f64,
    multipliers: Multipliers,
    moves: Vec<(u32, f64)>,
}

/// The intruder's program on a growing part of the relations.
struct Program<'a> {
    system: &'a System<'a>,
    level: &'a Level,
    side: Side,
    point: &'a [f64],
    view: View,
    rows: Vec<u32>,
    taken: BTreeSet<u32>,
}

impl<'a> Program<'a> {
    fn new(
        system: &'a System<'a>,
        level: &'a Level,
        side: Side,
        near: &[u32],
        point: &'a [f64],
        view: View,
    ) -> Self {
        let mut taken = BTreeSet::new();
        let mut rows: Vec<u32> = Vec::new();
        let own = system.rows_of[level.at as usize].iter().map(|&(row, _)| row);
        for row in own.chain(near.iter().copied()) {
            if taken.insert(row) {
                rows.push(row);
            }
        }
        Self { system, level, side, point, view, rows, taken }
    }

    fn terms(&self) -> usize {
        self.rows.iter().map(|&row| self.system.component.rows[row as usize].len()).sum()
    }

    /// Takes in the relations that moves break; says whether there were any.
    fn grow(&mut self, moves: &[(u32, f64)]) -> bool {
        let broken = self.broken(moves);
        self.taken.extend(&broken);
        self.rows.extend(&broken);
        !broken.is_empty()
    }

    /// The relations left out so far that moves do not keep.
    fn broken(&self, moves: &[(u32, f64)]) -> Vec<u32> {
        let mut sums: Vec<(u32, f64)> = Vec::new();
        for &(at, step) in moves {
            for &(row, c) in &self.system.rows_of[at as usize] {
                if !self.taken.contains(&row) {
                    sums.push((row, step * f64::from(c)));
                }
            }
        }
        sums.sort_unstable_by_key(|&(row, _)| row);
        let tolerance = self.view.broken * self.level.target as f64;
        let rows = sums.chunk_by(|a, b| a.0 == b.0);
        rows.filter(|of_row| of_row.iter().map(|&(_, step)| step).sum::<f64>().abs() > tolerance)
            .map(|of_row| of_row[0].0)
            .collect()
    }

    fn solve(&self, engine: &dyn Engine) -> Result<Option<Furthest>, EngineError> {
        let (system, level) = (self.system, self.level);
        let mut model = Model { changes: Changes::Fresh, ..Model::default() };
        let mut column: BTreeMap<u32, u32> = BTreeMap::new();
        let mut positions: Vec<u32> = Vec::new();
        for &row in &self.rows {
            let mut terms = Vec::new();
            for &(at, c) in &system.component.rows[row as usize] {
                if self.point[at as usize] <= 0.0 || level.held.binary_search(&at).is_ok() {
                    continue;
                }
                let first = *column.entry(at).or_insert_with(|| {
                    positions.push(at);
                    self.columns(at, &mut model)
                });
                terms.extend([(first, -f64::from(c)), (first + 1, f64::from(c))]);
            }
            model.row(terms, 0.0, 0.0);
        }
        let Outcome::Optimal(solution) = engine.open(&model)?.solve(&Limits::default())? else {
            return Ok(None);
        };
        let unit = level.target as f64;
        let moved = positions.iter().zip(solution.columns.chunks_exact(2));
        let moves = moved.map(|(&at, way)| (at, (way[1] - way[0]) * unit));
        let multipliers = self.rows.iter().zip(&solution.duals).filter(|(_, d)| d.abs() > NOISE);
        Ok(Some(Furthest {
            share: -solution.objective,
            multipliers: multipliers.map(|(&row, &dual)| (row, -dual)).collect(),
            moves: moves.filter(|(_, step)| step.abs() > unit * NOISE).collect(),
        }))
    }

    /// Adds the moves of a cell down and up, and returns the number of the first.
    fn columns(&self, at: u32, model: &mut Model) -> u32 {
        for way in Side::BOTH {
            let (cost, upper) = match (at == self.level.at, way == self.side) {
                (false, _) => (0.0, self.room(at, way)),
                (true, true) => (-1.0, self.room(at, way).min(1.0)),
                (true, false) => (0.0, 0.0),
            };
            model.column(cost, 0.0, upper);
        }
        model.columns.len() as u32 - 2
    }

    /// How far a cell can move, as a share of the level.
    fn room(&self, at: u32, way: Side) -> f64 {
        let cap = self.view.cap;
        let room = self.system.room(at, way).map_or(cap, |r| r as f64 / self.level.target as f64);
        room.min(cap) * self.point[at as usize]
    }
}
