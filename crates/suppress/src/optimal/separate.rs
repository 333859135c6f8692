//! What a cell can do at a fractional pattern, and the multipliers that hold it back.
//!
//! Only relations near the sensitive cell take part. Leaving relations out lets cells move more freely than they can, so what
//! the multipliers say holds in the whole table. Relations that the moves break are taken in until the cell is held back, or
//! none is broken.

use super::cuts::{Capacity, Multipliers};
use super::level::{Level, System};
use super::program::Program;
use cellveil_lp::{Engine, EngineError};

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

/// Levels reached up to this share count as reached.
const NEARLY: f64 = 1.0 - 1e-6;

/// A level with its programs, one per side.
pub(super) struct Watched {
    pub(super) level: Level,
    programs: Vec<Program>,
    /// Whether all cells without a price, taken together, do not reach it.
    pub(super) deep: bool,
}

impl Watched {
    pub(super) fn new(system: &System<'_>, level: Level) -> Self {
        let sides = level.goal.sides().iter();
        let programs = sides.map(|&side| Program::new(system, &level, side)).collect();
        Self { level, programs, deep: true }
    }

    /// Unloads the programs.
    pub(super) fn unload(&mut self) {
        self.programs.iter_mut().for_each(Program::unload);
    }

    /// Looks for tables that reach the level with every cell `i` withheld to the share `point[i]`. Also says how much work it
    /// was, in terms of relations times programs.
    pub(super) fn separate(
        &mut self,
        system: &System<'_>,
        point: &[f64],
        view: View,
        engine: &dyn Engine,
    ) -> Result<(Answer, usize), EngineError> {
        let Self { level, programs, .. } = self;
        let tolerance = view.broken * level.target as f64;
        let mut work = 0;
        loop {
            let mut furthest = Vec::new();
            for program in programs.iter_mut() {
                work += program.terms;
                let Some(of_side) = program.solve(system, level, point, view, engine)? else {
                    return Ok((Answer::Unclear, work));
                };
                furthest.push(of_side);
            }
            if furthest.iter().map(|of_side| of_side.share).sum::<f64>() < NEARLY {
                let multipliers: Vec<Multipliers> =
                    furthest.into_iter().map(|of_side| of_side.multipliers).collect();
                for (program, multipliers) in programs.iter_mut().zip(&multipliers) {
                    program.trim(system, level, multipliers);
                }
                let capacity = Capacity::new(system, level, &multipliers);
                return Ok((capacity.map_or(Answer::Unclear, Answer::Held), work));
            }
            let mut grown = false;
            for (program, of_side) in programs.iter_mut().zip(&furthest) {
                grown |= program.grow(system, &of_side.moves, tolerance);
            }
            if !grown {
                let moves = furthest.into_iter().map(|of_side| of_side.moves).collect();
                return Ok((Answer::Reached(moves), work));
            }
            if programs.iter().any(|program| program.terms > view.terms) {
                return Ok((Answer::Unclear, work));
            }
        }
    }
}
