//! From a solver's floating-point answer to a witness that holds exactly.
//!
//! A vertex of an attacker's LP has most cells at a bound, which is a whole number of units, and the rest determined by the
//! relations. So the relations are solved again for the cells that are furthest from their bounds, in whole numbers, with all
//! others rounded. The result keeps every relation by construction; bounds are checked.

use crate::elimination::{Row, eliminate};
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

/// So many movers per relation to choose from are enough: more make for long relations.
const ENOUGH: usize = 2;

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
    /// A cell that moves as far as a level asks, if it does so already: what falls short anyway need not be held.
    fn towards(cell: CellId, about: f64, rooms: [Option<i64>; 2], level: Option<i64>) -> Self {
        let at_least = level.filter(|&level| about.abs() >= level as f64);
        Self { cell, about, rooms, exactly: None, at_least }
    }

    /// The distance to the nearer of its bounds.
    fn slack(&self) -> f64 {
        let [down, up] = self.rooms.map(|room| room.map_or(f64::INFINITY, |room| room as f64));
        let beyond = self.at_least.map_or(f64::INFINITY, |least| self.about.abs() - least as f64);
        (down + self.about).min(up - self.about).min(beyond)
    }

    /// Which movers are solved for, those of a low rank first; `None` for what stays where it is.
    fn rank(&self, Try { grid, roomy, .. }: &Try) -> Option<u8> {
        match self.slack() {
            _ if self.exactly.is_some() => None,
            slack if slack * *grid as f64 > *roomy => Some(0),
            slack if slack > NO_ROOM => Some(1),
            _ => Some(2),
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
        Mover::towards(cell, about, [rooms.min(); 2], level)
    };
    solve(incidence, moves.into_iter().map(mover).collect())
}

/// An exact witness near the given moves (in units), in which sensitive cells that move far enough to their side still do.
pub fn exact_one_way(
    problem: &Problem,
    incidence: &Incidence,
    moves: impl IntoIterator<Item = (CellId, f64)>,
) -> Option<Witness> {
    let mover = |(cell, about): (CellId, f64)| {
        let side = if about < 0.0 { Side::Down } else { Side::Up };
        let level = problem.needs().of(cell).map(|need| need.on(side).max(need.sliding));
        Mover::towards(cell, about, Side::BOTH.map(|side| problem.room(cell, side)), level)
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
    let ranks = ranks(movers, attempt, ENOUGH * relations.len());
    let mut steps: Vec<u64> = movers.iter().map(|mover| residue(mover.rounded(grid))).collect();
    // What stays where it is goes into one last column.
    let constant = movers.len() as u32;
    let row = |terms: &Vec<(u32, i32)>| {
        let is_solved = |&&(at, _): &&(u32, i32)| ranks[at as usize].is_some();
        let mut row: Row =
            terms.iter().filter(is_solved).map(|&(at, c)| (at, Exact::residue(c))).collect();
        let stay = terms.iter().filter(|term| !is_solved(term));
        let part = stay.map(|&(at, c)| Exact::times(Exact::residue(c), steps[at as usize]));
        let rest = part.fold(0, Exact::add);
        row.extend((rest != 0).then_some((constant, rest)));
        row
    };
    let rank = |column: u32| ranks.get(column as usize).copied().flatten().unwrap_or(u8::MAX);
    let pivots = eliminate::<61>(relations.iter().map(row).collect(), movers.len() + 1, rank)?;
    steps.push(1);
    for (column, terms) in pivots.iter().rev() {
        if *column == constant {
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
    let (steps, denominator) = read(&steps[..movers.len()], largest as u64)?;
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

/// Which movers are solved for, so many at most: those with the most room.
fn ranks(movers: &[Mover], attempt: &Try, most: usize) -> Vec<Option<u8>> {
    let mut ranks: Vec<Option<u8>> = movers.iter().map(|mover| mover.rank(attempt)).collect();
    let mut solved: Vec<usize> = (0..movers.len()).filter(|&at| ranks[at].is_some()).collect();
    solved.sort_by(|&a, &b| movers[b].slack().total_cmp(&movers[a].slack()).then(a.cmp(&b)));
    for &at in solved.iter().skip(most) {
        ranks[at] = None;
    }
    ranks
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

pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
