//! The norm of squares: senses are turned round as the prices say, and for few sensitive cells the optimum is proven (`branch.rs`).

use super::settle::{Terms, settle};
use super::start::other;
use super::{Best, find};
use crate::balance::balanced_senses;
use crate::context::Context;
use crate::exact::added_up;
use crate::program::Point;
use crate::quadratic::{Answer, MISS, Priced, Quadratic, Ranges};
use crate::task::{Senses, Task};
use crate::{AdjustError, Search};
use cellveil_core::Side;

/// Up to so many cells, a first table is looked for with linear programs.
const SMALL: usize = 2_500;
/// Up to so many sensitive cells, the optimum is looked for.
const FEW: usize = 60;
/// How often senses may be turned round in vain.
const FAILURES: usize = 6;
/// The shares of known prices that are tried for a bound.
const SHARES: [f64; 4] = [0.0, 0.1, 0.4, 1.0];

/// A table and a bound below which no cost lies.
pub(crate) fn find_squares(
    task: &Task<'_>,
    linear: &Task<'_>,
    search: Search,
    context: &Context<'_>,
) -> Result<(Best, f64), AdjustError> {
    let quadratic = Quadratic::new(task);
    let mut squares = Squares { task, context, quadratic, best: None, bound: 0.0 };
    let mut senses = balanced_senses(task);
    squares.add_up(&senses);
    squares.settle(&mut senses);
    if squares.best.is_none() && context.is_over() {
        return Err(AdjustError::OutOfTime);
    }
    if squares.best.is_none() || task.weights.len() <= SMALL {
        match find(linear, Search::Start, context) {
            Ok((first, _)) => {
                squares.try_senses(&first.senses);
            }
            Err(AdjustError::OutOfTime) if squares.best.is_some() => {}
            Err(error) => return Err(error),
        }
    }
    squares.flips();
    if search == Search::Exact || (search == Search::Auto && task.sensitive.len() <= FEW) {
        squares.branch();
    }
    let bound = squares.bound;
    let nothing = || if context.is_over() { AdjustError::OutOfTime } else { AdjustError::NotExact };
    let (senses, priced) = squares.best.ok_or_else(nothing)?;
    let cost = task.squares(&priced.moves);
    let point = Point {
        moves: priced.moves,
        cost,
        swings: Vec::new(),
        savings: Vec::new(),
        prices: Vec::new(),
    };
    Ok((Best { senses, point }, bound))
}

pub(super) struct Squares<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) context: &'a Context<'a>,
    pub(super) quadratic: Quadratic<'a>,
    pub(super) best: Option<(Senses, Priced)>,
    pub(super) bound: f64,
}

impl Squares<'_> {
    /// Solves for senses, some of which may be turned round; keeps the table if it is the best.
    fn settle(&mut self, senses: &mut Senses) {
        let terms = Terms { may_turn: true, worth: f64::INFINITY };
        if let Some(priced) = settle(self.task, &self.quadratic, senses, None, terms, self.context)
        {
            self.raise_bound(&priced.prices);
            self.keep(senses, priced);
        }
    }

    /// Solves for senses from the best prices on; keeps the table if it is the best.
    pub(super) fn try_senses(&mut self, senses: &Senses) -> bool {
        let start = self.best.as_ref().map(|(_, priced)| priced.prices.clone());
        let start = start.as_deref();
        if self.task.weights.len() > SMALL {
            let worth = self
                .best
                .as_ref()
                .map_or(f64::INFINITY, |(_, best)| self.task.squares(&best.moves));
            let terms = Terms { may_turn: false, worth };
            let (task, mut senses) = (self.task, senses.clone());
            let found = settle(task, &self.quadratic, &mut senses, start, terms, self.context);
            return found.is_some_and(|priced| self.keep(&senses, priced));
        }
        let (lower, upper) = self.task.ranges(senses);
        let is_over = || self.context.is_over();
        let ranges = Ranges { lower: &lower, upper: &upper, soft: None, shares: None, miss: MISS };
        let answer = self.quadratic.solve(&ranges, start, &is_over);
        let Answer::Nearest(priced) = answer else { return false };
        self.raise_bound(&priced.prices);
        self.keep(senses, priced)
    }

    /// Keeps a table if it is the best.
    fn keep(&mut self, senses: &Senses, priced: Priced) -> bool {
        let cost = |priced: &Priced| self.task.squares(&priced.moves);
        let better =
            self.best.as_ref().is_none_or(|(_, best)| cost(&priced) < cost(best) * (1.0 - 1e-9));
        if better {
            self.context.progress.step(cost(&priced), self.bound);
            self.best = Some((senses.clone(), priced));
        }
        better
    }

    /// The table in which sensitive cells stand at their levels and only totals follow, if it is one: it is found at once.
    fn add_up(&mut self, senses: &Senses) {
        let (mut lower, mut upper) = self.task.ranges(senses);
        self.task.leave_room(&mut lower, &mut upper);
        let Some(moves) = added_up(self.task, &lower, &upper) else { return };
        let prices = vec![0.0; self.task.missing.len()];
        self.raise_bound(&prices);
        self.keep(senses, Priced { moves, prices });
    }

    /// Prices bring a bound at any size; those of a table with chosen senses are often too large for open ones.
    fn raise_bound(&mut self, prices: &[f64]) {
        for share in SHARES {
            let prices: Vec<f64> = prices.iter().map(|price| share * price).collect();
            self.bound = self.bound.max(self.lagrangian(&prices));
        }
    }

    /// With given prices, every cell on its own: no table costs less.
    fn lagrangian(&self, prices: &[f64]) -> f64 {
        let pulls = self.quadratic.pulls(prices);
        let value = |cell: usize, (lower, upper): (f64, f64)| {
            let (w, pull) = (self.task.weights[cell], pulls[cell]);
            let z = if w > 0.0 { pull / (2.0 * w) } else { pull.signum() * f64::INFINITY };
            let z = if pull == 0.0 { 0.0 } else { z }.max(lower).min(upper);
            if z == 0.0 { 0.0 } else { z * (w * z - pull) }
        };
        let mut at = 0;
        let mut sum: f64 =
            prices.iter().zip(&self.task.missing).map(|(price, missing)| price * missing).sum();
        for cell in 0..pulls.len() {
            if self.task.sensitive.get(at).is_some_and(|s| s.cell.index() == cell) {
                let side = |side: Side| {
                    self.task.sensitive[at]
                        .level(side)
                        .map_or(f64::INFINITY, |_| value(cell, self.task.range(at, side)))
                };
                sum += side(Side::Down).min(side(Side::Up));
                at += 1;
            } else {
                sum += value(cell, (self.task.lower[cell], self.task.upper[cell]));
            }
        }
        if sum.is_finite() { sum } else { 0.0 }
    }

    /// Turns round the senses that their prices say to be wrong, fewer at a time as long as that fails.
    fn flips(&mut self) {
        let mut batch = (self.task.sensitive.len() / 8).max(1);
        let mut failures = 0;
        while failures < FAILURES && !self.context.is_over() {
            let Some((senses, priced)) = &self.best else { return };
            let pulls = self.quadratic.pulls(&priced.prices);
            let mut gains: Vec<(f64, usize)> = (0..senses.len())
                .filter(|&at| self.task.sensitive[at].forced().is_none())
                .map(|at| {
                    (self.gain(at, senses[at], pulls[self.task.sensitive[at].cell.index()]), at)
                })
                .filter(|&(gain, _)| gain > 0.0)
                .collect();
            gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            if gains.is_empty() {
                return;
            }
            let mut turned = senses.clone();
            let skip = if batch == 1 { failures % gains.len() } else { 0 };
            for &(_, at) in gains.iter().skip(skip).take(batch) {
                turned[at] = other(turned[at]);
            }
            if !self.try_senses(&turned) {
                failures += usize::from(batch == 1);
                batch = (batch / 3).max(1);
            }
        }
    }

    /// What turning a cell round saves at the present prices.
    fn gain(&self, at: usize, sense: Side, pull: f64) -> f64 {
        let cell = self.task.sensitive[at].cell.index();
        let w = self.task.weights[cell];
        let value = |side: Side| {
            let (lower, upper) = self.task.range(at, side);
            let z = if w > 0.0 {
                (pull / (2.0 * w)).max(lower).min(upper)
            } else {
                lower.max(upper.min(0.0))
            };
            z * (w * z - pull)
        };
        value(sense) - value(other(sense))
    }
}
