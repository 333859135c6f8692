//! From a solver's floating-point answer to a witness that holds exactly.
//!
//! A vertex of an attacker's LP has most cells at a bound, which is a whole number of units, and the rest determined by the
//! relations. So the relations are solved again for the cells that are furthest from their bounds, in whole numbers, with all
//! others rounded. The result keeps every relation by construction; bounds are checked.

use crate::rational::{Rational, gcd};
use cellveil_core::{CellId, Incidence, Problem, Witness};
use std::collections::BTreeMap;

/// What is tried in turn: steps into which a unit is divided, and the part of the largest move below which a move is noise.
/// The last is for amounts so far apart that the solver's tolerance exceeds the bounds of the small ones: they stay put.
const TRIES: [(i128, f64); 3] = [(1, 1e-9), (1000, 1e-9), (1, 1e-6)];

/// A column of the small system: a cell that moves, how far about, and how far it is from its bounds.
struct Mover {
    cell: CellId,
    about: f64,
    slack: f64,
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
    let moves: Vec<(CellId, f64)> = moves.into_iter().filter(|&(cell, _)| cell != goal).collect();
    let largest = moves
        .iter()
        .fold(target.unsigned_abs() as f64, |largest, (_, about)| largest.max(about.abs()));
    let mut movers: Vec<Mover> = moves
        .into_iter()
        .map(|(cell, about)| Mover { cell, about, slack: slack(problem, cell, about) })
        .collect();
    // The roomiest cells are solved for; ties by id, so that the answer is the same everywhere.
    movers.sort_by(|a, b| b.slack.total_cmp(&a.slack).then(a.cell.cmp(&b.cell)));
    TRIES.iter().find_map(|&(grid, noise)| {
        movers.retain(|mover| mover.about.abs() > noise * largest);
        solve(problem, incidence, &movers, (goal, target), grid)
    })
}

/// The distance of a moved cell to the nearer of its bounds.
fn slack(problem: &Problem, cell: CellId, about: f64) -> f64 {
    let below = problem
        .lower(cell)
        .map_or(f64::INFINITY, |bound| about - bound.saturating_sub(problem.value(cell)) as f64);
    let above = problem
        .upper(cell)
        .map_or(f64::INFINITY, |bound| bound.saturating_sub(problem.value(cell)) as f64 - about);
    below.min(above)
}

/// A relation among the movers: `Σ coefficient · move = constant`, in grid steps.
#[derive(Clone)]
struct Equation {
    terms: Vec<(u32, i128)>,
    constant: i128,
}

fn solve(
    problem: &Problem,
    incidence: &Incidence,
    movers: &[Mover],
    (goal, target): (CellId, i64),
    grid: i128,
) -> Option<Witness> {
    let equations = equations(incidence, movers, goal, i128::from(target) * grid);
    let pivots = eliminate(equations, movers.len())?;
    let mut steps: Vec<Rational> =
        movers.iter().map(|mover| Rational::whole(rounded(problem, mover, grid))).collect();
    for (column, equation) in pivots.into_iter().rev() {
        let mut rest = Rational::whole(equation.constant);
        let mut own = 0;
        for (other, coefficient) in equation.terms {
            if other == column {
                own = coefficient;
            } else {
                rest = rest.minus_times(coefficient, steps[other as usize])?;
            }
        }
        steps[column as usize] = rest.over(own)?;
    }
    assemble(problem, movers, &steps, (goal, target), grid)
}

/// The relations that the movers and the goal take part in; the goal's share is the constant.
fn equations(incidence: &Incidence, movers: &[Mover], goal: CellId, target: i128) -> Vec<Equation> {
    let mut by_relation: BTreeMap<u32, Equation> = BTreeMap::new();
    let empty = || Equation { terms: Vec::new(), constant: 0 };
    for &(relation, coefficient) in incidence.of(goal) {
        by_relation.entry(relation).or_insert_with(empty).constant =
            -i128::from(coefficient) * target;
    }
    for (column, mover) in movers.iter().enumerate() {
        for &(relation, coefficient) in incidence.of(mover.cell) {
            let equation = by_relation.entry(relation).or_insert_with(empty);
            equation.terms.push((column as u32, i128::from(coefficient)));
        }
    }
    by_relation.into_values().collect()
}

/// Gaussian elimination, columns in the order given, shortest row first; `None` if the equations contradict each other or a
/// coefficient outgrows 128 bits.
fn eliminate(mut equations: Vec<Equation>, columns: usize) -> Option<Vec<(u32, Equation)>> {
    let mut rows_with: Vec<Vec<usize>> = vec![Vec::new(); columns];
    for (row, equation) in equations.iter().enumerate() {
        for &(column, _) in &equation.terms {
            rows_with[column as usize].push(row);
        }
    }
    let mut active = vec![true; equations.len()];
    let mut pivots = Vec::new();
    for column in 0..columns as u32 {
        let mut rows = std::mem::take(&mut rows_with[column as usize]);
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|&row| active[row] && coefficient_of(&equations[row], column).is_some());
        let best = |&row: &usize| {
            (
                coefficient_of(&equations[row], column).map(i128::abs),
                equations[row].terms.len(),
                row,
            )
        };
        let Some(pivot) = rows.iter().copied().min_by_key(best) else { continue };
        active[pivot] = false;
        let equation = equations[pivot].clone();
        for row in rows.into_iter().filter(|&row| row != pivot) {
            let combined = combine(&equations[row], &equation, column)?;
            for &(other, _) in &combined.terms {
                if coefficient_of(&equations[row], other).is_none() {
                    rows_with[other as usize].push(row);
                }
            }
            equations[row] = combined;
        }
        pivots.push((column, equation));
    }
    let contradiction =
        equations.iter().zip(&active).any(|(equation, &active)| active && equation.constant != 0);
    (!contradiction).then_some(pivots)
}

fn coefficient_of(equation: &Equation, column: u32) -> Option<i128> {
    equation.terms.binary_search_by_key(&column, |&(c, _)| c).ok().map(|at| equation.terms[at].1)
}

/// The combination of two equations that no longer has `column`, in lowest terms.
fn combine(row: &Equation, pivot: &Equation, column: u32) -> Option<Equation> {
    let (a, p) = (coefficient_of(row, column)?, coefficient_of(pivot, column)?);
    let common = gcd(a, p);
    let (row_factor, pivot_factor) = (p / common, a / common);
    let mut terms = Vec::with_capacity(row.terms.len() + pivot.terms.len());
    let (mut i, mut j) = (0, 0);
    while i < row.terms.len() || j < pivot.terms.len() {
        let left = row.terms.get(i).map_or(u32::MAX, |t| t.0);
        let right = pivot.terms.get(j).map_or(u32::MAX, |t| t.0);
        let at = left.min(right);
        let mut coefficient = 0_i128;
        if left == at {
            coefficient = row.terms[i].1.checked_mul(row_factor)?;
            i += 1;
        }
        if right == at {
            coefficient = coefficient.checked_sub(pivot.terms[j].1.checked_mul(pivot_factor)?)?;
            j += 1;
        }
        if coefficient != 0 {
            terms.push((at, coefficient));
        }
    }
    let constant = row
        .constant
        .checked_mul(row_factor)?
        .checked_sub(pivot.constant.checked_mul(pivot_factor)?)?;
    let common =
        terms.iter().fold(constant, |common, &(_, coefficient)| gcd(common, coefficient)).max(1);
    let terms = terms.into_iter().map(|(c, coefficient)| (c, coefficient / common)).collect();
    Some(Equation { terms, constant: constant / common })
}

/// The move of a cell that is not solved for: the nearest grid step within its bounds.
fn rounded(problem: &Problem, mover: &Mover, grid: i128) -> i128 {
    let value = i128::from(problem.value(mover.cell));
    let lowest =
        problem.lower(mover.cell).map_or(i128::MIN, |bound| (i128::from(bound) - value) * grid);
    let highest =
        problem.upper(mover.cell).map_or(i128::MAX, |bound| (i128::from(bound) - value) * grid);
    ((mover.about * grid as f64).round() as i128).clamp(lowest, highest)
}

/// Puts all moves over one denominator and checks the bounds.
fn assemble(
    problem: &Problem,
    movers: &[Mover],
    steps: &[Rational],
    (goal, target): (CellId, i64),
    grid: i128,
) -> Option<Witness> {
    let all = movers.iter().map(|m| m.cell).zip(steps.iter().copied());
    let all: Vec<(CellId, Rational)> = all
        .chain([(goal, Rational::whole(i128::from(target) * grid))])
        .filter(|(_, s)| *s != Rational::ZERO)
        .collect();
    let mut denominator = grid;
    for (_, step) in &all {
        let in_units = step.denominator.checked_mul(grid)?;
        denominator = denominator.checked_mul(in_units / gcd(denominator, in_units))?;
        if denominator > i128::from(u32::MAX) {
            return None;
        }
    }
    let mut moves = Vec::with_capacity(all.len());
    for (cell, step) in all {
        let moved = step.numerator.checked_mul(denominator / (step.denominator * grid))?;
        let value = i128::from(problem.value(cell)).checked_mul(denominator)?.checked_add(moved)?;
        let below =
            problem.lower(cell).is_some_and(|bound| value < i128::from(bound) * denominator);
        let above =
            problem.upper(cell).is_some_and(|bound| value > i128::from(bound) * denominator);
        if below || above {
            return None;
        }
        moves.push((cell, moved));
    }
    let common = moves.iter().fold(denominator, |common, &(_, moved)| gcd(common, moved));
    let mut exact = Vec::with_capacity(moves.len());
    for (cell, moved) in moves {
        exact.push((cell, i64::try_from(moved / common).ok()?));
    }
    exact.sort_unstable();
    Some(Witness { denominator: u32::try_from(denominator / common).ok()?, moves: exact })
}
