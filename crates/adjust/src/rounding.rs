//! Controlled rounding: every value becomes a multiple of the base next to it, and every sum still holds.
//!
//! With `a = b·⌊a/b⌋ + rest`, a cell whose rest is 0 stays and every other goes down or up: `x = b (⌊a/b⌋ + y)`, `y` 0 or 1. In
//! tables of two dimensions the relaxation is whole already, because it is a flow. Where no such table exists, `K` further
//! multiples are allowed.

use crate::context::Context;
use crate::method::finished;
use crate::{AdjustError, Adjusted, Options, Search};
use cellveil_attack::{Intervals, Options as AttackOptions, attack};
use cellveil_core::{Adjustment, Problem, Promise, all_withheld, intruder_view, units};
use cellveil_lp::{Limits, Model, Outcome};

/// The most nodes of the search when there is no time limit.
const NODES: u32 = 20_000;

/// Rounds a table; with fewer steps than allowed if that is enough.
///
/// # Errors
/// [`AdjustError`] if no rounding exists, or it leaves a sensitive cell exposed.
pub(crate) fn round(
    problem: &Problem,
    options: &Options,
    context: &Context<'_>,
) -> Result<Adjusted, AdjustError> {
    if options.base < 1 {
        return Err(AdjustError::Argument(
            "the base must be at least one unit of the table".to_owned(),
        ));
    }
    for steps in 0..=options.steps {
        let Some((multiples, bound)) = search(problem, options, steps, context)? else { continue };
        let values: Option<Vec<i64>> =
            multiples.iter().map(|multiple| multiple.checked_mul(options.base)).collect();
        let adjustment = values.map(|values| Adjustment::new(problem.decimals(), values));
        let promise = Promise::Rounded { base: options.base, steps };
        let adjusted = finished(problem, adjustment, promise, options, Some(bound))?;
        return audited(problem, adjusted, context);
    }
    Err(AdjustError::NoRounding { steps: options.steps })
}

/// The best multiples, and a bound on their cost; `None` if there are none.
fn search(
    problem: &Problem,
    options: &Options,
    steps: u32,
    context: &Context<'_>,
) -> Result<Option<(Vec<i64>, f64)>, AdjustError> {
    let base = options.base;
    let unit = units::to_f64(1, problem.decimals());
    let mut model = Model::default();
    let mut constant = 0.0;
    // One column per cell: how many multiples it goes up, and how much of that is away from the truth.
    for cell in problem.cells() {
        let rest = problem.value(cell).rem_euclid(base) as f64;
        let weight = options.weights.of(problem, cell) * unit;
        let (low, high) = allowed(problem, cell, base, steps);
        if low > high {
            return Ok(None);
        }
        constant += weight * rest;
        let inner_low = low.max(0) as f64;
        let inner_high = high.min(i64::from(rest > 0.0)) as f64;
        model.whole(weight * (base as f64 - 2.0 * rest), inner_low, inner_high.max(inner_low));
    }
    // Steps beyond the nearest multiples are columns of their own.
    let mut beyond = Vec::new();
    if steps > 0 {
        for cell in problem.cells() {
            let weight = options.weights.of(problem, cell) * unit * base as f64;
            let (low, high) = allowed(problem, cell, base, steps);
            let top = i64::from(problem.value(cell).rem_euclid(base) > 0);
            let down = model.whole(weight, 0.0, (-low).max(0) as f64);
            model.whole(weight, 0.0, (high - top).max(0) as f64);
            beyond.push(down);
        }
    }
    let relations = problem.relations();
    for relation in 0..relations.len() {
        let mut terms: Vec<(u32, f64)> = Vec::new();
        let mut sum: i128 = 0;
        for (cell, c) in relations.row(relation) {
            let coefficient = f64::from(c);
            terms.push((cell.0, coefficient));
            if let Some(&down) = beyond.get(cell.index()) {
                terms.extend([(down, -coefficient), (down + 1, coefficient)]);
            }
            // What the floors miss, in multiples; the true table's own miss stays as it is.
            sum += i128::from(c) * i128::from(problem.value(cell).div_euclid(base));
        }
        let Some(constant) = multiples_of(relations.constant(relation), base) else {
            return Err(AdjustError::Argument(format!(
                "relation {relation} has a constant that is no multiple of the base"
            )));
        };
        let missing = (i128::from(constant) - sum) as f64;
        model.row(terms, missing, missing);
    }
    solve(problem, options, &model, &beyond, context).map(|found| {
        found.map(|(up, bound)| {
            let multiple = |(cell, up): (cellveil_core::CellId, i64)| {
                problem.value(cell).div_euclid(base) + up
            };
            (problem.cells().zip(up).map(multiple).collect(), bound + constant)
        })
    })
}

/// How many multiples above its floor a cell may go, from the least to the most.
fn allowed(problem: &Problem, cell: cellveil_core::CellId, base: i64, steps: u32) -> (i64, i64) {
    let floor = problem.value(cell).div_euclid(base);
    let top = i64::from(problem.value(cell).rem_euclid(base) > 0);
    let (mut low, mut high) = (-i64::from(steps), top + i64::from(steps));
    if let Some(lower) = problem.lower(cell) {
        low = low.max(lower.div_euclid(base) + i64::from(lower.rem_euclid(base) > 0) - floor);
    }
    if let Some(upper) = problem.upper(cell) {
        high = high.min(upper.div_euclid(base) - floor);
    }
    (low, high)
}

fn multiples_of(amount: i64, base: i64) -> Option<i64> {
    (amount.rem_euclid(base) == 0).then_some(amount.div_euclid(base))
}

/// Solves the relaxation first: where it is whole, it is the optimum.
fn solve(
    problem: &Problem,
    options: &Options,
    model: &Model,
    beyond: &[u32],
    context: &Context<'_>,
) -> Result<Option<(Vec<i64>, f64)>, AdjustError> {
    let up = |columns: &[f64]| -> Option<Vec<i64>> {
        let whole = |value: f64| (value - value.round()).abs() < 1e-6;
        columns.iter().all(|&value| whole(value)).then(|| {
            problem
                .cells()
                .map(|cell| {
                    let further = beyond
                        .get(cell.index())
                        .map_or(0.0, |&down| columns[down as usize + 1] - columns[down as usize]);
                    (columns[cell.index()] + further).round() as i64
                })
                .collect()
        })
    };
    let mut relaxed = model.clone();
    relaxed.columns.iter_mut().for_each(|column| column.integer = false);
    let limits = Limits { seconds: context.left(), ..Limits::default() };
    let bound = match context.engine.open(&relaxed)?.solve(&limits)? {
        Outcome::Optimal(solution) => match up(&solution.columns) {
            Some(up) => return Ok(Some((up, solution.objective))),
            None => solution.objective,
        },
        Outcome::Infeasible => return Ok(None),
        _ => return Err(AdjustError::OutOfTime),
    };
    let nodes = match options.search {
        Search::Exact => None,
        Search::Start => Some(1),
        _ => Some(NODES).filter(|_| context.left().is_none()),
    };
    // A start need not be near the best: the first table that is found will do.
    let gap = if options.search == Search::Start { 1.0 } else { context.gap };
    let limits = Limits { nodes, seconds: context.left(), gap, ..Limits::default() };
    let (columns, bound) = match context.engine.open(model)?.solve(&limits)? {
        Outcome::Optimal(solution) => {
            let bound = (solution.objective * (1.0 - gap)).max(bound);
            (solution.columns, bound)
        }
        Outcome::Incumbent(solution, found) => (solution.columns, found.max(bound)),
        Outcome::Infeasible => return Ok(None),
        Outcome::Unbounded | Outcome::Stopped => return Err(AdjustError::OutOfTime),
    };
    Ok(up(&columns).map(|up| (up, bound)))
}

/// Attacks a table as somebody who knows what was promised, and keeps the witnesses.
pub(crate) fn audited(
    problem: &Problem,
    adjusted: Adjusted,
    context: &Context<'_>,
) -> Result<Adjusted, AdjustError> {
    let view = intruder_view(problem, &adjusted.adjustment, adjusted.promise).ok_or_else(|| {
        AdjustError::Argument("the amounts are too large to be checked".to_owned())
    })?;
    let options = AttackOptions { intervals: Intervals::Affordable };
    let found = attack(&view, &all_withheld(&view), context.engine, options, &[])?;
    if let Some(exposed) = found.audit.exposed.first() {
        let cell = problem.names().describe(exposed.cell).to_string();
        return Err(AdjustError::Unprotected { cell });
    }
    Ok(Adjusted { certificate: found.certificate, audit: found.audit, ..adjusted })
}
