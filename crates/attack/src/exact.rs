//! From a solver's floating-point answer to a witness that holds exactly.
//!
//! A vertex of an attacker's LP has most cells at a bound, which is a whole number of units, and the rest determined by the
//! relations. So the relations are solved again for the cells that are furthest from their bounds, in whole numbers, with all
//! others rounded. The result keeps every relation by construction; bounds are checked.

use crate::elimination::eliminate;
use crate::field::Field;
use cellveil_core::{CellId, Incidence, Problem, Side, Witness};

/// What is tried in turn.
///
/// In small steps nearly every cell has room for what rounding does to it, and those are solved for that keep the relations short. The
/// last is for amounts so far apart that the solver's tolerance exceeds the bounds of the small ones: they stay put.
const TRIES: [Try; 4] = [
    Try { grid: 1, noise: 1e-9, roomy: 4.0 },
    Try { grid: 1000, noise: 1e-9, roomy: 4.0 },
    Try { grid: 1_000_000, noise: 1e-9, roomy: 500.0 },
    Try { grid: 1, noise: 1e-6, roomy: 4.0 },
];

/// How a witness is looked for.
struct Try {
    /// The steps into which a unit is divided.
    grid: i128,
    /// The part of the largest move below which a move is noise.
    noise: f64,
    /// Cells with more room than this, in steps, are solved for first.
    roomy: f64,
}

/// What many roundings add up to at most, in steps.
const ROUNDING: f64 = 1e6;

/// Cells with less room than this, in units, are solved for last.
const NO_ROOM: f64 = 1e-6;

/// A column of the small system: a cell that moves, and how far about.
struct Mover {
    cell: CellId,
    about: f64,
    /// How far it may move down and up.
    rooms: [Option<i64>; 2],
    /// How far it must move, in units: exactly, and at least.
    exactly: Option<i64>,
    at_least: Option<i64>,
}

impl Mover {
    /// The distance to the nearer of its bounds.
    fn slack(&self) -> f64 {
        let [down, up] = self.rooms.map(|room| room.map_or(f64::INFINITY, |room| room as f64));
        let beyond = self.at_least.map_or(f64::INFINITY, |least| self.about.abs() - least as f64);
        (down + self.about).min(up - self.about).min(beyond)
    }

    /// Which movers are solved for: those of a low rank. What is at a bound stays there, as long as something else can be solved for.
    fn rank(&self, Try { grid, roomy, .. }: &Try) -> u8 {
        match self.slack() {
            _ if self.exactly.is_some() => NEVER,
            slack if slack * *grid as f64 > *roomy => 0,
            slack if slack > NO_ROOM => 1,
            _ => 2,
        }
    }

    /// The move where it is not solved for: the nearest grid step within its bounds.
    fn rounded(&self, grid: i128) -> i128 {
        if let Some(exactly) = self.exactly {
            return i128::from(exactly) * grid;
        }
        let [down, up] = self.rooms.map(|room| room.map(|room| i128::from(room) * grid));
        let step = (self.about * grid as f64).round() as i128;
        step.clamp(down.map_or(i128::MIN, |down| -down), up.unwrap_or(i128::MAX))
    }

    /// Whether it may move so far, in so many parts of a unit.
    fn allows(&self, step: i64, parts: i128) -> bool {
        let room = self.rooms[usize::from(step > 0)];
        let distance = i128::from(step).abs();
        room.is_none_or(|room| distance <= i128::from(room) * parts)
            && self.at_least.is_none_or(|least| distance >= i128::from(least) * parts)
    }
}

/// The rank of what is never solved for.
const NEVER: u8 = 3;

/// An exact witness near the given moves (in units) in which `goal` moves by exactly `target` units; `None` if rounding
/// cannot be repaired within the bounds.
pub fn exact_witness(
    problem: &Problem,
    incidence: &Incidence,
    moves: impl IntoIterator<Item = (CellId, f64)>,
    goal: CellId,
    target: i64,
) -> Option<Witness> {
    let mover = |cell, about, exactly| {
        let rooms = Side::BOTH.map(|side| problem.room(cell, side));
        Mover { cell, about, rooms, exactly, at_least: None }
    };
    let others = moves.into_iter().filter(|&(cell, _)| cell != goal);
    let mut movers: Vec<Mover> = others.map(|(cell, about)| mover(cell, about, None)).collect();
    movers.push(mover(goal, target as f64, Some(target)));
    solve(incidence, movers)
}

/// An exact witness near the given moves (in units) that holds turned round too, and in which sensitive cells that move far
/// enough still do.
pub fn exact_both_ways(
    problem: &Problem,
    incidence: &Incidence,
    moves: impl IntoIterator<Item = (CellId, f64)>,
) -> Option<Witness> {
    let mover = |(cell, about): (CellId, f64)| {
        let rooms = Side::BOTH.into_iter().filter_map(|side| problem.room(cell, side));
        let need = problem.needs().of(cell);
        let level = need.map(|need| need.down.max(need.up).max(need.sliding));
        // What falls short anyway need not be held.
        let at_least = level.filter(|&level| about.abs() >= level as f64);
        Mover { cell, about, rooms: [rooms.min(); 2], exactly: None, at_least }
    };
    solve(incidence, moves.into_iter().map(mover).collect())
}

fn solve(incidence: &Incidence, mut movers: Vec<Mover>) -> Option<Witness> {
    let largest = movers.iter().fold(0.0_f64, |largest, mover| largest.max(mover.about.abs()));
    movers.sort_by_key(|mover| mover.cell);
    TRIES.iter().find_map(|attempt| {
        let noise = attempt.noise * largest;
        movers.retain(|mover| mover.exactly.is_some() || mover.about.abs() > noise);
        on_grid(incidence, &movers, attempt)
    })
}

/// The field in which relations are solved.
type Exact = Field<61>;

/// Solves the relations modulo a prime and reads the moves from that. What was read is checked in whole numbers.
fn on_grid(incidence: &Incidence, movers: &[Mover], attempt: &Try) -> Option<Witness> {
    let grid = attempt.grid;
    let relations = relations(incidence, movers);
    let ranks: Vec<u8> = movers.iter().map(|mover| mover.rank(attempt)).collect();
    let pivots = eliminate::<61>(&relations, movers.len(), |column| ranks[column as usize])?;
    let mut steps: Vec<u64> = movers.iter().map(|mover| residue(mover.rounded(grid))).collect();
    for (column, terms) in pivots.iter().rev() {
        if ranks[*column as usize] == NEVER {
            return None;
        }
        let (mut own, mut rest) = (0, 0);
        for &(other, coefficient) in terms {
            if other == *column {
                own = coefficient;
            } else {
                rest = Exact::add(rest, Exact::times(coefficient, steps[other as usize]));
            }
        }
        steps[*column as usize] = Exact::times(Exact::negative(rest), Exact::inverse(own));
    }
    // Twice as far as anything should move, and something for what rounding adds up to.
    let furthest = movers.iter().fold(0.0_f64, |far, mover| far.max(mover.about.abs()));
    let largest = 2.0 * furthest * grid as f64 + ROUNDING;
    let (steps, denominator) = read(&steps, largest as u64)?;
    let parts = i128::from(denominator) * grid;
    let holds = |row: &Vec<(u32, i32)>| {
        let terms = row.iter().map(|&(at, c)| i128::from(steps[at as usize]) * i128::from(c));
        terms.sum::<i128>() == 0
    };
    let fits = |(mover, &step): (&Mover, &i64)| mover.allows(step, parts);
    if !relations.iter().all(holds) || !movers.iter().zip(&steps).all(fits) {
        return None;
    }
    let common = steps.iter().fold(parts, |common, &step| gcd(common, i128::from(step)));
    let cells = movers.iter().map(|mover| mover.cell);
    let moves = cells.zip(steps).filter(|&(_, step)| step != 0);
    let moves = moves.map(|(cell, step)| (cell, step / common as i64)).collect();
    Some(Witness { denominator: u32::try_from(parts / common).ok()?, moves })
}

/// The relations among the movers.
fn relations(incidence: &Incidence, movers: &[Mover]) -> Vec<Vec<(u32, i32)>> {
    let mut terms: Vec<(u32, u32, i32)> = Vec::new();
    for (column, mover) in movers.iter().enumerate() {
        terms.extend(incidence.of(mover.cell).iter().map(|&(row, c)| (row, column as u32, c)));
    }
    terms.sort_unstable();
    let rows = terms.chunk_by(|a, b| a.0 == b.0);
    rows.map(|row| row.iter().map(|&(_, column, c)| (column, c)).collect()).collect()
}

fn residue(number: i128) -> u64 {
    number.rem_euclid(i128::from(Exact::PRIME)) as u64
}

/// Fractions over a common denominator that residues stand for, up to about this; `None` if they stand for none.
fn read(residues: &[u64], largest: u64) -> Option<(Vec<i64>, u64)> {
    let fractions: Option<Vec<(i64, u64)>> =
        residues.iter().map(|&residue| fraction(residue, largest)).collect();
    let fractions = fractions?;
    let mut common: u64 = 1;
    for &(_, denominator) in &fractions {
        let shared = gcd(i128::from(common), i128::from(denominator)) as u64;
        common = common.checked_mul(denominator / shared)?;
        u32::try_from(common).ok()?;
    }
    let number = |&(numerator, denominator): &(i64, u64)| {
        numerator.checked_mul(i64::try_from(common / denominator).ok()?)
    };
    Some((fractions.iter().map(number).collect::<Option<_>>()?, common))
}

/// The fraction that a residue stands for: the first remainder of Euclid's algorithm that is small enough, over its factor. It
/// is the only one if numerator and denominator together have fewer digits than the prime.
fn fraction(residue: u64, largest: u64) -> Option<(i64, u64)> {
    // Numerators up to `largest · most`, denominators up to `most`.
    let most = (Exact::PRIME / 2 / largest).isqrt();
    let (mut before, mut rest) = (i128::from(Exact::PRIME), i128::from(residue));
    let (mut factor_before, mut factor) = (0_i128, 1_i128);
    while rest > i128::from(largest) * i128::from(most) {
        let times = before / rest;
        (before, rest) = (rest, before - times * rest);
        (factor_before, factor) = (factor, factor_before - times * factor);
    }
    let numerator = i64::try_from(rest * factor.signum()).ok()?;
    (factor.abs() <= i128::from(most)).then_some((numerator, factor.unsigned_abs() as u64))
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
