//! The nearest table in the norm of squares for given senses, or for senses near them that some table has; at any size.
//!
//! While levels are soft there always is a nearest table, and it is found quickly. Cells that miss their level by a little aim that much
//! further and the table is found again from the last prices on (the method of multipliers). Cells that miss it by far, or
//! aim ever further, stand in each other's way; some of them are turned round, never many of one relation at once.

use super::start::other;
use crate::context::Context;
use crate::quadratic::{Answer, Priced, Quadratic, Ranges};
use crate::task::{Senses, Task};
use cellveil_core::{Incidence, Side};

/// How often the table is found again.
const ROUNDS: usize = 150;
/// A cell that reaches less of its level, or aims so much further than it, stands in the way of others.
const REACHED: f64 = 0.9;
const FURTHEST: f64 = 1.5;
/// What may be missing of a level, as a share: rounding makes it good.
const SHORT: f64 = 1e-6;
/// How many rounds in a row may bring cells hardly nearer to their levels.
const IN_VAIN: usize = 4;
/// The share of the cells of a relation in each other's way that is turned round at once, but always one.
const AT_ONCE: f64 = 0.25;
/// What sums may miss, as a share of the largest move, while senses are open and at the end.
const MISSES: [f64; 2] = [1e-7, 1e-9];

/// Whether senses may be turned round, and what a table may cost that is worth its time.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub(super) may_turn: bool,
    pub(super) worth: f64,
}

/// A table; `None` if there is none on these terms, or none in time.
pub(super) fn settle(
    task: &Task<'_>,
    quadratic: &Quadratic<'_>,
    senses: &mut Senses,
    start: Option<&[f64]>,
    terms: Terms,
    context: &Context<'_>,
) -> Option<Priced> {
    let mut cells = Cells::new(task, senses);
    let mut turns = vec![0_u32; senses.len()];
    let mut prices: Option<Vec<f64>> = start.map(<[f64]>::to_vec);
    let mut incidence: Option<Incidence> = None;
    let mut miss = MISSES[usize::from(!terms.may_turn)];
    let (mut least, mut in_vain) = (f64::INFINITY, 0);
    for _ in 0..ROUNDS {
        let ranges = cells.ranges(miss);
        let is_over = || context.is_over();
        let answer = quadratic.solve(&ranges, prices.as_deref(), &is_over);
        let Answer::Nearest(priced) = answer else { return None };
        let mut blocked = cells.blocked(task, &priced.moves, REACHED);
        if in_vain == IN_VAIN && blocked.is_empty() && !cells.give_up_room(task, &priced.moves) {
            blocked = cells.blocked(task, &priced.moves, 1.0 - SHORT);
        }
        if !blocked.is_empty() && !terms.may_turn || task.squares(&priced.moves) >= terms.worth {
            return None;
        }
        if blocked.is_empty() {
            let short = cells.aim_further(task, &priced.moves);
            if short <= SHORT && miss <= MISSES[1] {
                return Some(priced);
            }
            in_vain = if short < 0.5 * least || in_vain == IN_VAIN { 0 } else { in_vain + 1 };
            least = if in_vain == 0 { short } else { least };
            miss = MISSES[1];
        } else {
            let incidence =
                incidence.get_or_insert_with(|| task.relations.incidence(task.weights.len()));
            turn_some(task, senses, &mut turns, blocked, incidence);
            cells = Cells { aims: cells.aims, ..Cells::new(task, senses) }.with_new_aims(task);
            (least, in_vain) = (f64::INFINITY, 0);
        }
        prices = Some(priced.prices);
    }
    None
}

/// How often cells aim further when what cannot be reached is given up.
const AIMS: usize = 40;

/// The nearest table in which no sensitive cell goes against its sense and each comes as near as it can to the level that is asked: misses
/// are the least together, in squares. `None` if there is no table at all.
pub(crate) fn settle_for_less(
    task: &Task<'_>,
    senses: &Senses,
    asked: &[f64],
    context: &Context<'_>,
) -> Option<Vec<f64>> {
    let quadratic = Quadratic::new(task);
    let mut cells = Cells::new(task, senses);
    for ((s, &sense), &level) in task.sensitive.iter().zip(senses).zip(asked) {
        let i = s.cell.index();
        if s.level(sense).is_none_or(|own| own > 0.0) {
            cells.levels[i] = level * sense.sign() as f64;
            cells.aims[i] = cells.levels[i];
            (cells.lower[i], cells.upper[i]) = (task.lower[i], task.upper[i]);
        }
        if task.is_additive() && cells.levels[i] != 0.0 {
            match sense {
                Side::Up => cells.lower[i] = cells.lower[i].max(0.0),
                Side::Down => cells.upper[i] = cells.upper[i].min(0.0),
            }
        }
    }
    let mut prices: Option<Vec<f64>> = None;
    let mut moves = None;
    let (mut least, mut in_vain) = (f64::INFINITY, 0);
    for _ in 0..AIMS {
        let ranges = cells.ranges(MISSES[1]);
        let is_over = || context.is_over();
        let Answer::Nearest(priced) = quadratic.solve(&ranges, prices.as_deref(), &is_over) else {
            return moves;
        };
        let short = cells.aim_further(task, &priced.moves);
        (prices, moves) = (Some(priced.prices), Some(priced.moves));
        in_vain = if short < 0.8 * least { 0 } else { in_vain + 1 };
        least = least.min(short);
        if short <= SHORT || in_vain == IN_VAIN {
            break;
        }
    }
    moves
}

/// Where cells may go, and where sensitive ones are to go.
struct Cells {
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Per cell its level, negative downwards; 0 where there is none, or its range says it all.
    levels: Vec<f64>,
    /// As levels, and further where a cell misses its level.
    aims: Vec<f64>,
}

impl Cells {
    fn new(task: &Task<'_>, senses: &Senses) -> Self {
        let (mut nearest, mut furthest) = task.ranges(senses);
        task.leave_room(&mut nearest, &mut furthest);
        let (mut lower, mut upper) = (task.lower.clone(), task.upper.clone());
        let mut levels = vec![0.0; lower.len()];
        for (s, &sense) in task.sensitive.iter().zip(senses) {
            let i = s.cell.index();
            if s.level(sense).is_some_and(|level| level > 0.0) {
                levels[i] = if sense == Side::Up { nearest[i] } else { furthest[i] };
            } else {
                (lower[i], upper[i]) = (nearest[i], furthest[i]);
            }
        }
        Self { lower, upper, aims: levels.clone(), levels }
    }

    fn ranges(&self, miss: f64) -> Ranges<'_> {
        let (lower, upper, soft) = (&self.lower, &self.upper, Some(self.aims.as_slice()));
        Ranges { lower, upper, soft, shares: None, miss }
    }

    /// Cells that were turned round aim at their new level.
    fn with_new_aims(mut self, task: &Task<'_>) -> Self {
        for i in task.sensitive.iter().map(|s| s.cell.index()) {
            if self.levels[i] * self.aims[i] <= 0.0 {
                self.aims[i] = self.levels[i];
            }
        }
        self
    }

    /// The sensitive cells that stand in the way of others, with what they reach of their level if that is less than asked.
    fn blocked(&self, task: &Task<'_>, moves: &[f64], asked: f64) -> Vec<(f64, usize)> {
        let reached = |i: usize| match self.levels[i] {
            0.0 => 1.0,
            level if self.aims[i] / level > FURTHEST => 0.0,
            level => moves[i] / level,
        };
        let all = task.sensitive.iter().enumerate().map(|(at, s)| (reached(s.cell.index()), at));
        all.filter(|&(reached, _)| reached < asked).collect()
    }

    /// Cells that miss their level by no more than the room they were to leave have to do without; says whether there are any.
    fn give_up_room(&mut self, task: &Task<'_>, moves: &[f64]) -> bool {
        let mut found = false;
        for s in &task.sensitive {
            let i = s.cell.index();
            let side = if self.levels[i] > 0.0 { Side::Up } else { Side::Down };
            let level = s.level(side).unwrap_or(0.0) * side.sign() as f64;
            let has_room = self.levels[i].abs() > level.abs();
            if has_room && moves[i] / self.levels[i] < 1.0 - SHORT {
                (self.levels[i], self.aims[i], found) = (level, level, true);
            }
        }
        found
    }

    /// Cells short of their level aim that much further. Gives the largest share of a level that is missing.
    fn aim_further(&mut self, task: &Task<'_>, moves: &[f64]) -> f64 {
        let mut most: f64 = 0.0;
        for i in task.sensitive.iter().map(|s| s.cell.index()) {
            let level = self.levels[i];
            if level != 0.0 {
                let short = 1.0 - moves[i] / level;
                most = most.max(short);
                self.aims[i] = level * (self.aims[i] / level + short).max(1.0);
            }
        }
        most
    }
}

/// Turns some of the cells round that stand in each other's way; those that were turned round before come last.
fn turn_some(
    task: &Task<'_>,
    senses: &mut Senses,
    turns: &mut [u32],
    mut blocked: Vec<(f64, usize)>,
    incidence: &Incidence,
) {
    let rows = |at: usize| incidence.of(task.sensitive[at].cell);
    let patience = |&(reached, at): &(f64, usize)| reached + f64::from(turns[at]);
    blocked.sort_by(|a, b| patience(a).total_cmp(&patience(b)).then(a.1.cmp(&b.1)));
    let mut allowed = vec![0.0; task.missing.len()];
    for &(_, at) in &blocked {
        for &(row, _) in rows(at) {
            allowed[row as usize] += AT_ONCE;
        }
    }
    for count in &mut allowed {
        *count = f64::max(*count, 1.0);
    }
    for (_, at) in blocked {
        let free = rows(at).iter().all(|&(row, _)| allowed[row as usize] >= 1.0);
        if free && task.sensitive[at].forced().is_none() {
            for &(row, _) in rows(at) {
                allowed[row as usize] -= 1.0;
            }
            senses[at] = other(senses[at]);
            turns[at] += 1;
        }
    }
}
