//! Enhanced controlled tabular adjustment: no binary decisions, one radius that is published with the table.
//!
//! `k` random sensitive cells go as near as the sums allow to a random value between their levels, the others keep theirs, and a
//! linear program finds the least `β` such that all other cells stay within `β/2` of their values. An intruder who knows `β` is asked whether every sensitive cell is
//! protected on both sides; if not, the radius that is published grows, and where that does not help, `k`.

use crate::context::Context;
use crate::exact::{Ranges, exact};
use crate::method::finished;
use crate::random::Random;
use crate::rounding::audited;
use crate::task::Task;
use crate::{AdjustError, Adjusted, Options, groups};
use cellveil_core::{CellId, Problem, Promise, intruder_view};
use cellveil_lp::{Changes, Limits, Model, Outcome};

/// How often the published radius is widened before more cells are moved.
const WIDENINGS: usize = 12;
/// The least share that is taken at its word: a radius grows step by step.
const STEEPEST: f64 = 0.3;
/// How much wider than it seems necessary a radius is made.
const MARGIN: f64 = 1.01;
/// How many choices without any table are tried before the method gives up.
const EMPTY: usize = 40;
/// How much more the wished values count than the radius.
const WISH: f64 = 20.0;
/// Of one, in the unit of the published radius.
const MILLION: f64 = 1e6;

/// Adjusts a table.
///
/// # Errors
/// [`AdjustError`] if no choice of moved cells and no radius was found that protects all.
pub(crate) fn adjust(
    problem: &Problem,
    options: &Options,
    context: &Context<'_>,
) -> Result<Adjusted, AdjustError> {
    let task = Task::new(problem, options.weights, false)?;
    let count = task.sensitive.len();
    let mut random = Random::new(context.seed);
    let mut moved = (count / 2).max(1);
    let mut empty = 0;
    loop {
        if context.is_over() {
            return Err(AdjustError::OutOfTime);
        }
        let Some(adjusted) = attempt(problem, &task, moved, options, &mut random, context)? else {
            empty += 1;
            if empty == EMPTY {
                let cell = "no choice kept every sum and bound".to_owned();
                return Err(AdjustError::Unprotected { cell });
            }
            moved = (moved + moved / 2 + 1).min(count);
            continue;
        };
        match protected(problem, adjusted, context) {
            Err(AdjustError::Unprotected { .. }) if moved < count => {}
            answer => return answer,
        }
        moved = (2 * moved).min(count);
    }
}

/// Shows that every need is met by whoever knows the radius. Where it is too small, a larger one may be published: it is as true, and what
/// was shown already still holds.
fn protected(
    problem: &Problem,
    mut adjusted: Adjusted,
    context: &Context<'_>,
) -> Result<Adjusted, AdjustError> {
    let mut known = Vec::new();
    for widened in 0..=WIDENINGS {
        let Promise::Radius { millionths } = adjusted.promise else { break };
        let view = intruder_view(problem, &adjusted.adjustment, adjusted.promise);
        let view = view.ok_or_else(|| {
            AdjustError::Argument("the amounts are too large to be checked".to_owned())
        })?;
        if !view.insiders().is_empty() {
            // Insiders each want tables of their own, which is the attack's work.
            return audited(problem, adjusted, context);
        }
        let short = match groups::meet(&view, known, context)? {
            Ok(certificate) => return Ok(Adjusted { certificate, ..adjusted }),
            Err(short) => short,
        };
        let wider = (millionths as f64 * MARGIN / short.share.max(STEEPEST)).ceil();
        if widened == WIDENINGS || short.share <= 0.0 || wider >= 2.0 * MILLION {
            let cell = problem.names().describe(short.cell).to_string();
            return Err(AdjustError::Unprotected { cell });
        }
        known = short.witnesses;
        adjusted.promise = Promise::Radius { millionths: wider as u64 };
    }
    Err(AdjustError::NotExact)
}

/// One choice of `moved` cells; `None` if no table has it.
fn attempt(
    problem: &Problem,
    task: &Task<'_>,
    moved: usize,
    options: &Options,
    random: &mut Random,
    context: &Context<'_>,
) -> Result<Option<Adjusted>, AdjustError> {
    let mut order: Vec<usize> = (0..task.sensitive.len()).collect();
    random.shuffle(&mut order);
    let (mut lower, mut upper) = (task.lower.clone(), task.upper.clone());
    let mut wishes = Vec::with_capacity(moved);
    for (at, &sensitive) in order.iter().enumerate() {
        let sensitive = &task.sensitive[sensitive];
        let i = sensitive.cell.index();
        let (down, up) = (sensitive.down.unwrap_or(0.0), sensitive.up.unwrap_or(0.0));
        (lower[i], upper[i]) = (0.0, 0.0);
        if at < moved {
            (lower[i], upper[i]) = (-down, up);
            wishes.push((i, random.share() * (down + up) - down, down + up));
        }
    }
    let Some((moves, beta)) = least_radius(problem, task, &lower, &upper, &wishes, context)? else {
        return Ok(None);
    };
    // A hair above the optimum, so that rounding to whole units has room.
    let widest = |z: f64, a: f64| if a == 0.0 { 0.0 } else { 2.0 * z.abs() / a };
    let slack = 1.0 + 1e-6;
    let radius = |cell: CellId| problem.value(cell).unsigned_abs() as f64 * beta / 2.0 * slack;
    for cell in problem.cells().filter(|&cell| problem.needs().of(cell).is_none()) {
        let (i, radius) = (cell.index(), radius(cell));
        lower[i] = lower[i].max(-radius);
        upper[i] = upper[i].min(radius);
    }
    let ranges = Ranges { lower: &lower, upper: &upper, missing: &task.missing };
    let Some(adjustment) = exact(problem, &moves, &ranges, options.whole, context)? else {
        return Ok(None);
    };
    let per_unit = adjustment.per_unit(problem).unwrap_or(1) as f64;
    let beta = problem
        .cells()
        .filter(|&cell| problem.needs().of(cell).is_none())
        .map(|cell| {
            let moved = adjustment.moved(problem, cell) as f64 / per_unit;
            widest(moved, problem.value(cell).unsigned_abs() as f64)
        })
        .fold(0.0, f64::max);
    let millionths = (beta * MILLION).ceil() as u64 + 1;
    let promise = Promise::Radius { millionths };
    finished(problem, Some(adjustment), promise, options, None).map(Some)
}

/// The least `β`, and moves that stay within it and near the wished ones: cell, move and the distance between its levels.
fn least_radius(
    problem: &Problem,
    task: &Task<'_>,
    lower: &[f64],
    upper: &[f64],
    wishes: &[(usize, f64, f64)],
    context: &Context<'_>,
) -> Result<Option<(Vec<f64>, f64)>, AdjustError> {
    let scale = task.scale();
    let mut model = Model { changes: Changes::Many, ..Model::default() };
    for (&lower, &upper) in lower.iter().zip(upper) {
        model.column(0.0, lower / scale, upper / scale);
    }
    let radius = model.column(1.0, 0.0, 2.0);
    for cell in problem.cells().filter(|&cell| problem.needs().of(cell).is_none()) {
        let half = problem.value(cell).unsigned_abs() as f64 / scale / 2.0;
        model.row(vec![(cell.0, 1.0), (radius, -half)], f64::NEG_INFINITY, 0.0);
        model.row(vec![(cell.0, 1.0), (radius, half)], 0.0, f64::INFINITY);
    }
    for &(cell, wish, width) in wishes {
        let miss = model.column(WISH / wishes.len() as f64 * scale / width, 0.0, f64::INFINITY);
        model.row(vec![(cell as u32, 1.0), (miss, 1.0)], wish / scale, f64::INFINITY);
        model.row(vec![(cell as u32, 1.0), (miss, -1.0)], f64::NEG_INFINITY, wish / scale);
    }
    let relations = problem.relations();
    for relation in 0..relations.len() {
        let terms = relations.row(relation).map(|(cell, c)| (cell.0, f64::from(c)));
        let missing = task.missing[relation] / scale;
        model.row(terms.collect(), missing, missing);
    }
    let limits = Limits { seconds: context.left(), ..Limits::default() };
    match context.engine.open(&model)?.solve(&limits)? {
        Outcome::Optimal(solution) => {
            let moves = solution.columns[..problem.len()].iter().map(|step| step * scale).collect();
            Ok(Some((moves, solution.columns[radius as usize])))
        }
        Outcome::Stopped => Err(AdjustError::OutOfTime),
        _ => Ok(None),
    }
}
