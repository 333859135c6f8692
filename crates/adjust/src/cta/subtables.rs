//! Large tables whose margins keep their values: what is left falls apart into sub-tables, each a table of its own.
//!
//! In a two-dimensional table with one hierarchy, the inner cells of each sub-table share no relation with those of another once every
//! total is kept. The sub-tables are solved apart, on all threads. The prices of all of them together give a bound for the whole
//! table, in which totals may move too.

use super::{Best, Descent};
use crate::context::Context;
use crate::program::Point;
use crate::task::{Senses, Task};
use crate::{AdjustError, Search, Weights};
use cellveil_core::{CellId, CellNames, Problem, ProblemParts, Relations, Side, Status};
use rayon::prelude::*;

/// Tables with fewer cells are solved whole.
pub(super) const LARGE: usize = 100_000;

/// Solves a large table by its sub-tables; `None` if it does not fall apart, or a sub-table needs its margins.
pub(super) fn find_by_subtables(
    task: &Task<'_>,
    context: &Context<'_>,
) -> Result<Option<(Best, f64)>, AdjustError> {
    let Some(pieces) = pieces(task) else { return Ok(None) };
    // First a table for every piece, then better ones, each piece in its share of the time.
    let started: Result<Vec<Option<Solved>>, AdjustError> =
        pieces.par_iter().map(|piece| solve(task, piece, None, context)).collect();
    let started = started?;
    let share = rayon::current_num_threads() as f64 / pieces.len() as f64;
    let slice = context.left().map(|left| left * share);
    let better = |(piece, started): (&Piece, Option<Solved>)| match started {
        Some(started) => solve(task, piece, Some((started, slice)), context),
        None => Ok(None),
    };
    let solved: Result<Vec<Option<Solved>>, AdjustError> =
        pieces.par_iter().zip(started).map(better).collect();
    let solved = solved?;
    let mut moves = vec![0.0; task.weights.len()];
    let mut senses: Vec<Side> =
        task.sensitive.iter().map(|s| s.forced().unwrap_or(Side::Up)).collect();
    let mut prices = vec![0.0; task.problem.relations().len()];
    let positions = crate::program::positions(task);
    for (piece, solved) in pieces.iter().zip(solved) {
        let Some(solved) = solved else { return Ok(None) };
        for (&cell, z) in piece.cells.iter().zip(&solved.moves) {
            moves[cell.index()] = *z;
        }
        let inside = piece.cells.iter().filter(|cell| positions[cell.index()] != u32::MAX);
        for (cell, sense) in inside.zip(&solved.senses) {
            senses[positions[cell.index()] as usize] = *sense;
        }
        for (&relation, price) in piece.relations.iter().zip(&solved.prices) {
            prices[relation as usize] = *price;
        }
    }
    let cost = moves.iter().zip(&task.weights).map(|(z, w)| w * z.abs()).sum();
    let bound = lagrangian(task, &prices).max(0.0);
    context.progress.step(cost, bound);
    let point = Point { moves, cost, swings: Vec::new(), savings: Vec::new(), prices: Vec::new() };
    Ok(Some((Best { senses, point }, bound)))
}

/// A sub-table: its cells, ascending, and the relations among them.
struct Piece {
    cells: Vec<CellId>,
    relations: Vec<u32>,
}

struct Solved {
    moves: Vec<f64>,
    senses: Senses,
    prices: Vec<f64>,
}

/// The sub-tables that are left when every total is kept; `None` if a sensitive cell is a total, or everything hangs together.
fn pieces(task: &Task<'_>) -> Option<Vec<Piece>> {
    let relations = task.problem.relations();
    let mut is_total = vec![false; task.problem.len()];
    for relation in 0..relations.len() {
        is_total[relations.total(relation)?.index()] = true;
    }
    if task.sensitive.iter().any(|s| is_total[s.cell.index()]) {
        return None;
    }
    let incidence = relations.incidence(task.problem.len());
    let mut owner = vec![u32::MAX; relations.len()];
    let mut pieces: Vec<Piece> = Vec::new();
    for start in 0..relations.len() {
        if owner[start] != u32::MAX {
            continue;
        }
        let number = pieces.len() as u32;
        let mut piece = Piece { cells: Vec::new(), relations: Vec::new() };
        owner[start] = number;
        let mut stack = vec![start];
        while let Some(relation) = stack.pop() {
            piece.relations.push(relation as u32);
            for (cell, _) in relations.row(relation).filter(|(cell, _)| !is_total[cell.index()]) {
                piece.cells.push(cell);
                for &(next, _) in incidence.of(cell) {
                    if owner[next as usize] == u32::MAX {
                        owner[next as usize] = number;
                        stack.push(next as usize);
                    }
                }
            }
        }
        piece.cells.sort_unstable();
        piece.cells.dedup();
        piece.relations.sort_unstable();
        if !piece.cells.is_empty() {
            pieces.push(piece);
        }
    }
    (pieces.iter().all(|piece| piece.cells.len() <= task.problem.len() / 4)).then_some(pieces)
}

/// The sub-table as an instance of its own, without its margins: they keep their values, so they are nothing to it.
fn instance(task: &Task<'_>, piece: &Piece) -> Option<Problem> {
    let problem = task.problem;
    let parts = problem.parts();
    let column =
        |values: &[i64]| piece.cells.iter().map(|cell| values[cell.index()]).collect::<Vec<i64>>();
    let mut relations = Relations::default();
    let mut values = vec![0_i64; piece.cells.len()];
    values.copy_from_slice(&column(&parts.values));
    for &relation in &piece.relations {
        let row = problem.relations().row(relation as usize);
        let inside: Vec<(CellId, i32)> = row
            .filter_map(|(cell, c)| {
                piece.cells.binary_search(&cell).ok().map(|at| (CellId::at(at), c))
            })
            .collect();
        let sum: i128 =
            inside.iter().map(|&(cell, c)| i128::from(values[cell.index()]) * i128::from(c)).sum();
        // What the whole table misses here, the sub-table must make good.
        let constant = sum - problem.relations().residual(relation as usize, &parts.values);
        relations.push(inside, i64::try_from(constant).ok()?);
    }
    let needs = piece.cells.iter().enumerate().filter_map(|(at, &cell)| {
        problem.needs().of(cell).map(|need| cellveil_core::Need { cell: CellId::at(at), ..*need })
    });
    let needs = cellveil_core::Needs::new(needs.collect());
    let status = piece.cells.iter().map(|&cell| problem.status(cell)).collect::<Vec<Status>>();
    let unit = cellveil_core::units::to_f64(1, problem.decimals());
    let inner = ProblemParts {
        decimals: problem.decimals(),
        costs: piece.cells.iter().map(|cell| task.weights[cell.index()] / unit).collect(),
        lower: column(&parts.lower),
        upper: column(&parts.upper),
        values,
        status,
        needs,
        relations,
        names: CellNames::Ids(piece.cells.iter().map(|cell| u64::from(cell.0)).collect()),
        singletons: Vec::new(),
        width: 0,
    };
    Problem::to_adjust(inner, i64::MAX).ok()
}

fn solve(
    task: &Task<'_>,
    piece: &Piece,
    started: Option<(Solved, Option<f64>)>,
    context: &Context<'_>,
) -> Result<Option<Solved>, AdjustError> {
    let Some(problem) = instance(task, piece) else { return Ok(None) };
    let inner = match Task::new(&problem, Weights::Given, false) {
        Ok(inner) => inner,
        Err(AdjustError::Stuck { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    // Sub-tables have a place to be in: a first table is looked for whatever the time.
    let patient = Context { seconds_left: &|| None, ..*context };
    let Some((started, slice)) = started else {
        let mut descent = Descent::new(&inner, &patient);
        return match descent.run(Search::Start) {
            Err(AdjustError::Infeasible { .. }) => Ok(None),
            Err(error) => Err(error),
            Ok(()) => {
                let prices = descent.prices;
                Ok(descent.best.map(|Best { senses, point }| Solved {
                    moves: point.moves,
                    senses,
                    prices,
                }))
            }
        };
    };
    let mut descent = Descent::new(&inner, context);
    descent.try_senses(&started.senses)?;
    descent.flips()?;
    let reserve = slice.zip(context.left()).map_or(0.0, |(slice, left)| (left - slice).max(0.0));
    descent.polish(super::TURNS, reserve)?;
    let found = descent.best.map(|Best { senses, point }| (senses, point.moves));
    let (senses, moves) = found.unwrap_or((started.senses, started.moves));
    Ok(Some(Solved { moves, senses, prices: started.prices }))
}

/// With given prices, every cell on its own, sensitive ones at their cheaper side: no table costs less.
fn lagrangian(task: &Task<'_>, prices: &[f64]) -> f64 {
    let mut pulls = vec![0.0; task.weights.len()];
    for (relation, price) in prices.iter().enumerate() {
        for (cell, c) in task.problem.relations().row(relation) {
            pulls[cell.index()] += price * f64::from(c);
        }
    }
    // The least of `w |z| − pull · z` lies at an end of the range, or at zero.
    let least = |cell: usize, (lower, upper): (f64, f64)| {
        let value =
            |z: f64| if z == 0.0 { 0.0 } else { task.weights[cell] * z.abs() - pulls[cell] * z };
        let inside = lower.max(upper.min(0.0));
        value(lower).min(value(upper)).min(value(inside))
    };
    let mut sum: f64 =
        prices.iter().zip(&task.missing).map(|(price, missing)| price * missing).sum();
    let positions = crate::program::positions(task);
    for (cell, &at) in positions.iter().enumerate() {
        let at = at as usize;
        let Some(sensitive) = task.sensitive.get(at) else {
            sum += least(cell, (task.lower[cell], task.upper[cell]));
            continue;
        };
        let side = |side: Side| {
            sensitive.level(side).map_or(f64::INFINITY, |_| least(cell, task.range(at, side)))
        };
        sum += side(Side::Down).min(side(Side::Up));
    }
    if sum.is_finite() { sum } else { 0.0 }
}
