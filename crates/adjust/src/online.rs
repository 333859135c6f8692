//! On-line adjustment: senses are known in advance from the cell's own key, so that the same cell goes the same way in every table, and
//! one linear or quadratic program does the rest. It always answers: what cannot be kept is relaxed in an order of importance,
//! sums kept first, then bounds, then protection. Preserved cells are never touched.

use crate::context::Context;
use crate::cta::settle_for_less;
use crate::exact::{Ranges, exact};
use crate::method::finished;
use crate::pivots::Pivots;
use crate::task::{Senses, Sensitive, Task};
use crate::together::Together;
use crate::{AdjustError, Adjusted, Norm, Options, keyed_sense};
use cellveil_core::{Adjustment, CellId, Problem, Promise, Side, Status, levels, units};
use cellveil_lp::{Changes, Limits, Model, Outcome};

/// An answer, and what had to be relaxed for it.
#[derive(Clone, Debug)]
pub struct OnlineAnswer {
    /// The values.
    pub adjustment: Adjustment,
    /// What they cost.
    pub cost: f64,
    /// What they do not keep.
    pub relaxed: Relaxed,
}

/// What an answer does not keep, and by how much. Lists are empty where everything is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relaxed {
    /// Relations that do not hold, with the amount they miss: only where preserved cells do not add up.
    pub sums: Vec<(usize, f64)>,
    /// Cells outside their bounds, with the amount: only where a table that does not add up leaves no other way.
    pub bounds: Vec<(CellId, f64)>,
    /// Sensitive cells that are nearer to the truth than their level, with the share of the level that is missing.
    pub protection: Vec<(CellId, f64)>,
}

impl Relaxed {
    /// Whether everything was kept.
    pub fn is_nothing(&self) -> bool {
        self.sums.is_empty() && self.bounds.is_empty() && self.protection.is_empty()
    }
}

/// How many of a kind are listed.
const LISTED: usize = 5;

impl Relaxed {
    /// What was relaxed, by name and without amounts.
    pub fn describe(&self, problem: &Problem) -> String {
        let name = |cell: CellId| problem.names().describe(cell).to_string();
        let listed = |names: &mut dyn Iterator<Item = String>, count: usize| {
            let first: Vec<String> = names.take(LISTED).collect();
            let more = count - first.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}", first.join(", "))
        };
        let mut parts = Vec::new();
        if !self.sums.is_empty() {
            let mut names = self.sums.iter().map(|(row, _)| format!("relation {row}"));
            parts.push(format!("the sums of {}", listed(&mut names, self.sums.len())));
        }
        if !self.bounds.is_empty() {
            let mut names = self.bounds.iter().map(|&(cell, _)| format!("`{}`", name(cell)));
            parts.push(format!("the bounds of {}", listed(&mut names, self.bounds.len())));
        }
        if !self.protection.is_empty() {
            let text = |&(cell, share): &(CellId, f64)| {
                format!("`{}` ({:.0} % of its level missing)", name(cell), (100.0 * share).ceil())
            };
            let mut names = self.protection.iter().map(text);
            parts.push(format!("the protection of {}", listed(&mut names, self.protection.len())));
        }
        parts.join("; ")
    }
}

impl OnlineAnswer {
    /// Whether nothing was relaxed, so that the answer can become a release.
    pub fn is_safe(&self) -> bool {
        self.relaxed.is_nothing()
    }

    /// How far a cell moved, as an amount.
    pub fn moved(&self, problem: &Problem, cell: CellId) -> f64 {
        self.adjustment.moved(problem, cell) as f64 * units::to_f64(1, self.adjustment.decimals())
    }
}

/// A miss so small, as a share of the level, is made good by rounding.
const SHORT: f64 = 1e-4;
/// From so many relations on, an interior point method is quicker than the simplex method (measured on tables of 10 000 cells: the latter
/// takes 0.5 s with 3700 relations and 22 s with 6400, where the former takes 3 s).
const LINKED: usize = 5_000;
/// Rooms beyond this count as this.
const FURTHEST: f64 = 1e15;
/// A change so small is the solver's noise, in steps of a typical level.
const NOISE: f64 = 1e-7;

/// A table with senses from the key of the options that can become a release, because nothing was relaxed.
///
/// # Errors
/// [`AdjustError::Relaxed`] names what would have to be relaxed.
pub(crate) fn adjust(
    problem: &Problem,
    options: &Options,
    context: &Context<'_>,
) -> Result<Adjusted, AdjustError> {
    let no_key = || AdjustError::Argument("on-line adjustment needs a key".to_owned());
    let key = options.key.ok_or_else(no_key)?;
    let sense = |cell| keyed_sense(key.bytes(), &problem.names().describe(cell).to_string());
    let answer = adjust_online(problem, &sense, options, context)?;
    if !answer.is_safe() {
        return Err(AdjustError::Relaxed { what: answer.relaxed.describe(problem) });
    }
    finished(problem, Some(answer.adjustment), Promise::Moved, options, None)
}

/// Adjusts a table, each sensitive cell to the side that `sense` says: [`crate::keyed_sense`] of its name, or [`crate::contributors_sense`] of
/// those behind it. A cell with only one open side goes there.
///
/// # Errors
/// [`AdjustError`] if the engine fails.
pub fn adjust_online(
    problem: &Problem,
    sense: &dyn Fn(CellId) -> Side,
    options: &Options,
    context: &Context<'_>,
) -> Result<OnlineAnswer, AdjustError> {
    let mut task = Task::even_if_stuck(problem, options.weights, options.norm == Norm::L2);
    let senses: Senses = task.sensitive.iter().map(|s| sense_of(s, sense)).collect();
    let mut relaxed = Relaxed::default();
    if !task.is_additive() {
        relax_sums_and_bounds(&mut task, &mut relaxed, context)?;
    }
    let asked = asked_levels(&task, &senses);
    let narrowed = narrowed(&task, &senses, &asked);
    let moves = match Together::of(&narrowed) {
        None => settled(&narrowed, &senses, &asked, options.norm, context)?,
        Some(together) => {
            let (senses, asked) = together.wishes(&narrowed, &senses, &asked);
            let merged = together.task(&narrowed);
            let moves = settled(&merged, &senses, &asked, options.norm, context)?;
            moves.map(|moves| together.moves(&moves))
        }
    };
    let moves = moves.ok_or(AdjustError::NotExact)?;
    let misses = misses(&task, &senses, &asked, &moves);
    let share = |at: usize| (misses[at] / asked[at].abs().max(1.0)).min(1.0);
    let missed = (0..misses.len()).filter(|&at| misses[at] > 0.0);
    relaxed.protection = missed.map(|at| (task.sensitive[at].cell, share(at))).collect();
    let (lower, upper) = reached(&task, &senses, &asked, &misses);
    let ranges = Ranges { lower: &lower, upper: &upper, missing: &task.missing };
    let adjustment = exact(problem, &moves, &ranges, options.whole, context)?;
    let adjustment = adjustment.ok_or(AdjustError::NotExact)?;
    let cost = crate::method::cost(problem, &adjustment, options);
    Ok(OnlineAnswer { adjustment, cost, relaxed })
}

/// The task without what the senses forbid, and without what follows from that: cells that would have to go both ways stay.
fn narrowed<'a>(task: &Task<'a>, senses: &Senses, asked: &[f64]) -> Task<'a> {
    let mut narrowed = task.clone();
    if !task.is_additive() {
        return narrowed;
    }
    for ((s, &sense), _) in task.sensitive.iter().zip(senses).zip(asked).filter(|x| *x.1 > 0.0) {
        let i = s.cell.index();
        match sense {
            Side::Up => narrowed.lower[i] = narrowed.lower[i].max(0.0),
            Side::Down => narrowed.upper[i] = narrowed.upper[i].min(0.0),
        }
    }
    while Together::of(&narrowed).is_some_and(|together| together.narrow(&mut narrowed)) {}
    narrowed
}

/// The nearest moves with as little missing of the levels as can be; `None` if there is no table at all.
fn settled(
    task: &Task<'_>,
    senses: &Senses,
    asked: &[f64],
    norm: Norm,
    context: &Context<'_>,
) -> Result<Option<Vec<f64>>, AdjustError> {
    let fewer = without_surplus(task);
    let misses = least_misses(&fewer, senses, asked, context)?;
    if norm == Norm::L2 {
        let left = |(level, miss): (&f64, f64)| {
            if level - miss > SHORT * level.abs() { level - miss } else { 0.0 }
        };
        let left: Vec<f64> = asked.iter().zip(misses).map(left).collect();
        return Ok(settle_for_less(task, senses, &left, context));
    }
    let (lower, upper) = reached(&fewer, senses, asked, &misses);
    within(&fewer, &lower, &upper, context)
}

/// The task with as few relations as say it all: of those of a table with several variables, up to a third follow from others.
fn without_surplus<'a>(task: &Task<'a>) -> Task<'a> {
    let mut fewer = task.clone();
    let room = |(lower, upper): (&f64, &f64)| (upper - lower).min(FURTHEST) as i64;
    let room: Vec<i64> = task.lower.iter().zip(&task.upper).map(room).collect();
    let sums = vec![0; task.missing.len()];
    if task.is_additive()
        && let Some(pivots) = Pivots::new(&task.relations, &sums, &room)
    {
        fewer.relations = pivots.independent(&task.relations);
        fewer.missing = vec![0.0; fewer.relations.len()];
    }
    fewer
}

/// The only open side, the side of a level below zero, because the cell may stay there, or what the key says.
fn sense_of(sensitive: &Sensitive, sense: &dyn Fn(CellId) -> Side) -> Side {
    let below = |side: &Side| sensitive.level(*side).is_some_and(|level| level < 0.0);
    sensitive
        .forced()
        .or_else(|| Side::BOTH.into_iter().find(below))
        .unwrap_or_else(|| sense(sensitive.cell))
}

/// Per sensitive cell the level on the side of its sense, or the other one where that side is closed.
fn asked_levels(task: &Task<'_>, senses: &Senses) -> Vec<f64> {
    let level = |(sensitive, &sense): (&Sensitive, &Side)| {
        let need = task.problem.needs().of(sensitive.cell).map(levels).unwrap_or_default();
        let [own, other] = if sense == Side::Down { need } else { [need[1], need[0]] };
        own.or(other).unwrap_or(0) as f64
    };
    task.sensitive.iter().zip(senses).map(level).collect()
}

/// By how many units each sensitive cell misses its level; nothing where rounding makes it good.
fn misses(task: &Task<'_>, senses: &Senses, asked: &[f64], moves: &[f64]) -> Vec<f64> {
    let miss = |at: usize| {
        let miss = asked[at] - moves[task.sensitive[at].cell.index()] * senses[at].sign() as f64;
        if miss > SHORT * asked[at].abs() { miss } else { 0.0 }
    };
    (0..senses.len()).map(miss).collect()
}

/// The ranges of all cells when sensitive ones go as far as asked, but for what they miss.
fn reached(
    task: &Task<'_>,
    senses: &Senses,
    asked: &[f64],
    misses: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let (mut lower, mut upper) = (task.lower.clone(), task.upper.clone());
    for (at, s) in task.sensitive.iter().enumerate() {
        let i = s.cell.index();
        // Rounded away from what is asked, so that the rest stays possible.
        let distance = (asked[at] - misses[at]).floor();
        match senses[at] {
            Side::Up => lower[i] = distance.max(lower[i]),
            Side::Down => upper[i] = (-distance).min(upper[i]),
        }
    }
    (lower, upper)
}

/// Moves within ranges, down and up as two columns each, that make every relation add up.
fn split(task: &Task<'_>, lower: &[f64], upper: &[f64], scale: f64, priced: bool) -> Model {
    // What is missed need not be a vertex; what is published had better be.
    let changes = match (task.relations.len() > LINKED, priced) {
        (false, _) => Changes::Many,
        (true, false) => Changes::Interior,
        (true, true) => Changes::Corner,
    };
    let mut model = Model { changes, ..Model::default() };
    let most = task.weights.iter().fold(0.0, |most: f64, w| most.max(*w)).max(f64::MIN_POSITIVE);
    for (i, w) in task.weights.iter().enumerate() {
        let cost = if priced { w / most } else { 0.0 };
        model.column(cost, (-upper[i]).max(0.0) / scale, (-lower[i]).max(0.0) / scale);
        model.column(cost, lower[i].max(0.0) / scale, upper[i].max(0.0) / scale);
    }
    let relations = &task.relations;
    for relation in 0..relations.len() {
        let terms = relations
            .row(relation)
            .flat_map(|(cell, c)| [(2 * cell.0, -f64::from(c)), (2 * cell.0 + 1, f64::from(c))]);
        let missing = task.missing[relation] / scale;
        model.row(terms.collect(), missing, missing);
    }
    model
}

/// A table that does not add up is first made to, as far as preserved cells allow, and then kept within its bounds, as far as the sums allow.
fn relax_sums_and_bounds(
    task: &mut Task<'_>,
    relaxed: &mut Relaxed,
    context: &Context<'_>,
) -> Result<(), AdjustError> {
    let (scale, cells, rows) = (task.scale(), task.weights.len(), task.missing.len());
    let unit = units::to_f64(1, task.problem.decimals());
    let mut model = split(task, &task.lower, &task.upper, scale, false);
    // Beyond each bound, a column as for the moves themselves; preserved cells have none.
    for cell in 0..cells {
        let frozen = task.problem.status(CellId::at(cell)) == Status::Frozen;
        let room = if frozen { 0.0 } else { f64::INFINITY };
        model.column(0.0, 0.0, room);
        model.column(0.0, 0.0, room);
    }
    for row in &mut model.rows {
        let beyond: Vec<_> =
            row.terms.iter().map(|&(column, c)| (column + 2 * cells as u32, c)).collect();
        row.terms.extend(beyond);
    }
    for row in 0..rows {
        let short = model.column(1.0, 0.0, f64::INFINITY);
        let long = model.column(1.0, 0.0, f64::INFINITY);
        model.rows[row].terms.extend([(short, 1.0), (long, -1.0)]);
    }
    let columns = solved(&model, context)?;
    let first = 4 * cells;
    for row in 0..rows {
        let miss = ((columns[first + 2 * row] - columns[first + 2 * row + 1]) * scale).round();
        for column in [first + 2 * row, first + 2 * row + 1] {
            (model.columns[column].cost, model.columns[column].upper) = (0.0, 0.0);
        }
        if miss != 0.0 {
            relaxed.sums.push((row, miss * unit));
            task.missing[row] -= miss;
            let sum = task.missing[row] / scale;
            (model.rows[row].lower, model.rows[row].upper) = (sum, sum);
        }
    }
    model.columns[2 * cells..4 * cells].iter_mut().for_each(|column| column.cost = 1.0);
    let columns = solved(&model, context)?;
    for cell in 0..cells {
        let beyond = |at: usize| columns[2 * cells + 2 * cell + at];
        let widened = beyond(0).max(beyond(1));
        if widened > NOISE {
            let side = if beyond(0) > beyond(1) { &mut task.lower } else { &mut task.upper };
            let by = (widened * scale).ceil();
            side[cell] += if beyond(0) > beyond(1) { -by } else { by };
            relaxed.bounds.push((CellId::at(cell), by * unit));
        }
    }
    Ok(())
}

fn solved(model: &Model, context: &Context<'_>) -> Result<Vec<f64>, AdjustError> {
    match context.engine.open(model)?.solve(&Limits::default())? {
        Outcome::Optimal(solution) => Ok(solution.columns),
        _ => Err(AdjustError::NotExact),
    }
}

/// Per sensitive cell by how many units it must miss its level at least, all misses together as small as can be, each as a share
/// of its level.
fn least_misses(
    task: &Task<'_>,
    senses: &Senses,
    asked: &[f64],
    context: &Context<'_>,
) -> Result<Vec<f64>, AdjustError> {
    let scale = task.scale();
    let mut model = split(task, &task.lower, &task.upper, scale, false);
    for (at, (&sense, &level)) in senses.iter().zip(asked).enumerate() {
        let cell = task.sensitive[at].cell;
        // At most the whole level, so that the sense itself is the same in every table, unless sums ask for more.
        let most = if task.is_additive() { level.max(0.0) / scale } else { f64::INFINITY };
        let miss = model.column(scale / level.abs().max(1e-9), 0.0, most);
        let (down, up) = (2 * cell.0, 2 * cell.0 + 1);
        let (toward, away) = if sense == Side::Up { (up, down) } else { (down, up) };
        let terms = vec![(toward, 1.0), (away, -1.0), (miss, 1.0)];
        model.row(terms, level / scale, f64::INFINITY);
    }
    let first = 2 * task.weights.len();
    let columns = solved(&model, context)?;
    let miss = |step: &f64| if *step > NOISE { step * scale } else { 0.0 };
    Ok(columns[first..].iter().map(miss).collect())
}

fn within(
    task: &Task<'_>,
    lower: &[f64],
    upper: &[f64],
    context: &Context<'_>,
) -> Result<Option<Vec<f64>>, AdjustError> {
    let scale = task.scale();
    let model = split(task, lower, upper, scale, true);
    let Outcome::Optimal(solution) = context.engine.open(&model)?.solve(&Limits::default())? else {
        return Ok(None);
    };
    let moved = |i: usize| (solution.columns[2 * i + 1] - solution.columns[2 * i]) * scale;
    Ok(Some((0..task.weights.len()).map(moved).collect()))
}
