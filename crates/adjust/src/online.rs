//! On-line adjustment: senses are known in advance from the cell's own key, so that the same cell goes the same way in every table, and
//! a linear program does the rest at once. It always answers: what cannot be kept is relaxed in an order of importance,
//! additivity kept first, then bounds, then protection.

use crate::context::Context;
use crate::exact::{Ranges, exact};
use crate::program::{Answer, Program, Sense};
use crate::task::{Senses, Task};
use crate::{AdjustError, Norm, Options};
use cellveil_core::{Adjustment, CellId, Problem, Side, units};
use cellveil_lp::{Changes, Limits, Model, Outcome};
use sha2::{Digest, Sha256};

/// An answer, and what had to be relaxed for it.
#[derive(Clone, Debug)]
pub struct OnlineAnswer {
    /// The values.
    pub adjustment: Adjustment,
    /// What they cost.
    pub cost: f64,
    /// Sensitive cells that are nearer to the truth than their level, with the share of the level that is missing. Such an answer is
    /// no release.
    pub relaxed: Vec<(CellId, f64)>,
}

/// Which way a cell goes in every table of a server: the first bit of a keyed hash of its identity.
pub fn keyed_sense(key: &[u8], identity: &str) -> Side {
    let mut hash = Sha256::new();
    // The length keeps keys and identities apart.
    hash.update((key.len() as u64).to_le_bytes());
    hash.update(key);
    hash.update(identity.as_bytes());
    if hash.finalize()[0] & 1 == 0 { Side::Down } else { Side::Up }
}

/// Adjusts a table with senses from a keyed hash of each cell's name.
///
/// # Errors
/// [`AdjustError`] if the engine fails, or a sensitive cell cannot move at all.
pub fn adjust_online(
    problem: &Problem,
    key: &[u8],
    options: &Options,
    context: &Context<'_>,
) -> Result<OnlineAnswer, AdjustError> {
    let task = Task::new(problem, options.weights, false, true)?;
    let sense = |s: &crate::task::Sensitive| {
        s.forced()
            .unwrap_or_else(|| keyed_sense(key, &problem.names().describe(s.cell).to_string()))
    };
    let senses: Senses = task.sensitive.iter().map(sense).collect();
    let (mut lower, mut upper) = task.ranges(&senses);
    let mut relaxed = Vec::new();
    let mut moves = with_senses(&task, &senses, context)?;
    if moves.is_none() {
        let misses = least_misses(&task, &senses, &lower, &upper, context)?;
        for (at, miss) in misses.into_iter().enumerate().filter(|&(_, miss)| miss > 0.0) {
            let cell = task.sensitive[at].cell;
            let i = cell.index();
            let level = task.sensitive[at].level(senses[at]).unwrap_or(0.0);
            // Rounded away from what is asked, so that the rest stays possible.
            match senses[at] {
                Side::Up => lower[i] = (lower[i] - miss).floor().max(0.0),
                Side::Down => upper[i] = (upper[i] + miss).ceil().min(0.0),
            }
            relaxed.push((cell, (miss / level).min(1.0)));
        }
        moves = within(&task, &lower, &upper, context)?;
    }
    let moves = moves.ok_or(AdjustError::NotExact)?;
    let ranges = Ranges { lower: &lower, upper: &upper };
    let adjustment = exact(problem, &moves, &ranges, options.whole, context.engine)?;
    let adjustment = adjustment.ok_or(AdjustError::NotExact)?;
    let options = Options { norm: Norm::L1, ..*options };
    let cost = crate::method::cost(problem, &adjustment, &options);
    Ok(OnlineAnswer { adjustment, cost, relaxed })
}

/// The nearest moves with these senses; `None` if no table has them.
fn with_senses(
    task: &Task<'_>,
    senses: &Senses,
    context: &Context<'_>,
) -> Result<Option<Vec<f64>>, AdjustError> {
    let chosen: Vec<Sense> = senses.iter().copied().map(Some).collect();
    let answer = Program::new(task, None).relax(context.engine, &chosen, &Limits::default())?;
    Ok(match answer {
        Answer::Optimal(point) | Answer::Within(point, _) => Some(point.moves),
        Answer::Infeasible | Answer::Stopped => None,
    })
}

/// Moves within ranges, down and up as two columns each.
fn split(task: &Task<'_>, lower: &[f64], upper: &[f64], scale: f64, priced: bool) -> Model {
    let mut model = Model { changes: Changes::Many, ..Model::default() };
    let most = task.weights.iter().fold(0.0, |most: f64, w| most.max(*w)).max(f64::MIN_POSITIVE);
    for (i, w) in task.weights.iter().enumerate() {
        let cost = if priced { w / most } else { 0.0 };
        model.column(cost, (-upper[i]).max(0.0) / scale, (-lower[i]).max(0.0) / scale);
        model.column(cost, lower[i].max(0.0) / scale, upper[i].max(0.0) / scale);
    }
    let relations = task.problem.relations();
    for relation in 0..relations.len() {
        let terms = relations
            .row(relation)
            .flat_map(|(cell, c)| [(2 * cell.0, -f64::from(c)), (2 * cell.0 + 1, f64::from(c))]);
        model.row(terms.collect(), 0.0, 0.0);
    }
    model
}

/// By how many units each sensitive cell must miss its level at least, all misses together as small as can be. Additivity and
/// bounds are kept: they come first, and the true table keeps both.
fn least_misses(
    task: &Task<'_>,
    senses: &Senses,
    lower: &[f64],
    upper: &[f64],
    context: &Context<'_>,
) -> Result<Vec<f64>, AdjustError> {
    let scale = task.scale();
    let mut model = split(task, lower, upper, scale, false);
    for (at, &sense) in senses.iter().enumerate() {
        let i = task.sensitive[at].cell.index();
        let (down, up) = (2 * i, 2 * i + 1);
        model.columns[down].lower = 0.0;
        model.columns[down].upper = -task.lower[i] / scale;
        model.columns[up].lower = 0.0;
        model.columns[up].upper = task.upper[i] / scale;
        let level = task.sensitive[at].level(sense).unwrap_or(0.0) / scale;
        // At most the whole level: the sense itself is the same in every table.
        let miss = model.column(1.0 / level.max(1e-9), 0.0, level);
        let (toward, away) = if sense == Side::Up { (up, down) } else { (down, up) };
        model.row(
            vec![(toward as u32, 1.0), (away as u32, -1.0), (miss, 1.0)],
            level,
            f64::INFINITY,
        );
    }
    let first = 2 * task.weights.len();
    match context.engine.open(&model)?.solve(&Limits::default())? {
        Outcome::Optimal(solution) => {
            let miss = |step: &f64| if *step > 1e-7 { step * scale } else { 0.0 };
            Ok(solution.columns[first..].iter().map(miss).collect())
        }
        _ => Err(AdjustError::NotExact),
    }
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

impl OnlineAnswer {
    /// Whether nothing was relaxed, so that the answer can become a release.
    pub fn is_safe(&self) -> bool {
        self.relaxed.is_empty()
    }

    /// How far a cell moved, as an amount.
    pub fn moved(&self, problem: &Problem, cell: CellId) -> f64 {
        self.adjustment.moved(problem, cell) as f64 * units::to_f64(1, self.adjustment.decimals())
    }
}
