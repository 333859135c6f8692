//! The nearest table in the norm of squares once all senses are chosen: `min Σ w z²` with `A z = b` and every move in its range.
//!
//! Solved in the prices `π` of the relations, of which there are few: for given prices every cell answers for itself with
//! `z = (Aᵀπ / 2w)` drawn into its range, and Newton's method on the prices needs only products with `A D Aᵀ`, by
//! conjugate gradients. Along a step, what the prices are worth is a sum over cells, so the best length is found without
//! another product. Nothing is factorised, so that a million cells take memory in proportion to the table.
//!
//! Levels may be soft: a cell short of its level then pays for the miss, and there always is an answer.

use crate::sparse::{Sparse, dot};
use crate::task::Task;

/// How many steps Newton's method and each conjugate gradient may take.
const NEWTON: usize = 300;
const GRADIENT: usize = 400;
/// What relations may miss at the end, as a share of the largest move, and where steps no longer help.
pub(crate) const MISS: f64 = 1e-10;
const NEARLY: f64 = 1e-6;
/// Free moves are given this share of the mean weight, so that every cell has an answer.
const NEARLY_FREE: f64 = 1e-6;
/// How much of the diagonal is added where steps turn out too long, at least and at most.
const DAMPING: (f64, f64) = (1e-9, 1e-1);
/// A step is long enough when the slope at its end is at most this share of the slope at its start.
const FLAT: f64 = 0.3;
/// Prices that gain along a step of this length gain without end: there is no table.
const FURTHEST: f64 = 1e9;

/// A quadratic program over a table.
pub(crate) struct Quadratic<'a> {
    /// The relations among the cells that can move.
    sparse: Sparse,
    /// Those cells, ascending.
    cells: Vec<u32>,
    count: usize,
    /// Per relation what the moves must add up to.
    missing: &'a [f64],
    /// Twice the weight of every cell that can move, never 0.
    curvature: Vec<f64>,
}

/// Moves and the prices that explain them.
#[derive(Clone, Debug)]
pub(crate) struct Priced {
    pub(crate) moves: Vec<f64>,
    /// Per relation.
    pub(crate) prices: Vec<f64>,
}

/// How a solve ended.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Nearest(Priced),
    /// The ranges leave no table, or none was found before these prices.
    Nothing(Vec<f64>),
    OutOfTime,
}

/// Where each cell may go.
pub(crate) struct Ranges<'a> {
    pub(crate) lower: &'a [f64],
    pub(crate) upper: &'a [f64],
    /// Per cell the move at which it wants to be at least, or at most if it is negative; nothing where it is 0.
    pub(crate) soft: Option<&'a [f64]>,
    /// Per cell the share of its weight that counts; all of it where there is none.
    pub(crate) shares: Option<&'a [f64]>,
    /// What relations may miss, as a share of the largest move.
    pub(crate) miss: f64,
}

/// How many times dearer it is to miss a soft level than to move the cell, or whatever moves with it.
const STIFF: f64 = 100.0;

/// The ranges of the cells that can move, and how they answer.
struct Cells {
    lower: Vec<f64>,
    upper: Vec<f64>,
    soft: Option<Vec<f64>>,
    curvature: Vec<f64>,
    stiffness: Option<Vec<f64>>,
}

impl Cells {
    /// Where a cell goes with this pull, and how far it follows a further pull. One that lies just at an end of its range
    /// counts as free: it may still go inwards.
    fn answer(&self, i: usize, pull: f64) -> (f64, f64) {
        let (mut wished, mut curvature) = (pull / self.curvature[i], self.curvature[i]);
        if let Some((soft, stiffness)) = self.soft.as_ref().zip(self.stiffness.as_ref())
            && (wished - soft[i]) * soft[i].signum() < 0.0
            && soft[i] != 0.0
        {
            curvature += stiffness[i];
            wished = (pull + stiffness[i] * soft[i]) / curvature;
        }
        let (lower, upper) = (self.lower[i], self.upper[i]);
        let inside = lower < upper && lower <= wished && wished <= upper;
        (wished.max(lower).min(upper), if inside { 1.0 / curvature } else { 0.0 })
    }
}

/// Prices and what follows from them.
struct State {
    prices: Vec<f64>,
    pulls: Vec<f64>,
    moves: Vec<f64>,
    /// Per cell how far it follows its pull.
    free: Vec<f64>,
}

impl<'a> Quadratic<'a> {
    pub(crate) fn new(task: &'a Task<'_>) -> Self {
        let weights = &task.weights;
        let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        let least = if mean > 0.0 { mean * NEARLY_FREE } else { 1.0 };
        let cells: Vec<u32> = (0..weights.len() as u32)
            .filter(|&cell| task.lower[cell as usize] < task.upper[cell as usize])
            .collect();
        Self {
            sparse: Sparse::new(&task.relations, &cells, weights.len()),
            curvature: cells.iter().map(|&cell| 2.0 * weights[cell as usize].max(least)).collect(),
            cells,
            count: weights.len(),
            missing: &task.missing,
        }
    }

    /// `Aᵀπ`, the sum of the prices of each cell's relations; 0 for cells that cannot move.
    pub(crate) fn pulls(&self, prices: &[f64]) -> Vec<f64> {
        self.spread(&self.sparse.pulls(prices))
    }

    /// From the cells that can move to all cells.
    fn spread(&self, values: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.count];
        self.cells.iter().zip(values).for_each(|(&cell, &value)| all[cell as usize] = value);
        all
    }

    fn gathered(&self, values: &[f64]) -> Vec<f64> {
        self.cells.iter().map(|&cell| values[cell as usize]).collect()
    }

    /// By how much each relation is too large.
    fn surplus(&self, moves: &[f64]) -> Vec<f64> {
        let mut sums = self.sparse.sums(moves);
        sums.iter_mut().zip(self.missing).for_each(|(sum, missing)| *sum -= missing);
        sums
    }

    fn state(&self, prices: Vec<f64>, cells: &Cells) -> State {
        let pulls = self.sparse.pulls(&prices);
        let (moves, free) =
            pulls.iter().enumerate().map(|(i, &pull)| cells.answer(i, pull)).unzip();
        State { prices, pulls, moves, free }
    }

    fn cells(&self, ranges: &Ranges<'_>) -> Cells {
        let mut curvature = self.curvature.clone();
        if let Some(shares) = ranges.shares {
            let shares = self.gathered(shares);
            curvature.iter_mut().zip(shares).for_each(|(curvature, share)| *curvature *= share);
        }
        Cells {
            lower: self.gathered(ranges.lower),
            upper: self.gathered(ranges.upper),
            soft: ranges.soft.map(|soft| self.gathered(soft)),
            stiffness: ranges.soft.map(|_| self.stiffness(&curvature)),
            curvature,
        }
    }

    /// Per cell what its soft level is worth: much more than what moves in the relations of the cell.
    fn stiffness(&self, curvature: &[f64]) -> Vec<f64> {
        let most = self.sparse.most_around(curvature);
        most.into_iter().zip(curvature).map(|(most, &own)| STIFF * most.max(own)).collect()
    }

    /// Whether every weight counts as it is, so that prices bring bounds.
    pub(crate) fn is_faithful(&self, task: &Task<'_>) -> bool {
        let weight = |at: usize| task.weights[self.cells[at] as usize];
        (0..self.cells.len()).all(|at| self.curvature[at] <= 2.0 * weight(at))
    }

    /// What no table in these ranges, without soft levels, costs less than, whatever the prices.
    pub(crate) fn bound(&self, ranges: &Ranges<'_>, prices: &[f64]) -> f64 {
        let cells = self.cells(ranges);
        let state = self.state(prices.to_vec(), &cells);
        let cost = |i: usize| {
            let z = state.moves[i];
            z * (0.5 * cells.curvature[i] * z - state.pulls[i])
        };
        dot(prices, self.missing) + (0..state.moves.len()).map(cost).sum::<f64>()
    }

    /// Solves the program from known prices on.
    pub(crate) fn solve(
        &self,
        ranges: &Ranges<'_>,
        start: Option<&[f64]>,
        is_over: &dyn Fn() -> bool,
    ) -> Answer {
        let cells = self.cells(ranges);
        let prices = start.map_or_else(|| vec![0.0; self.missing.len()], <[f64]>::to_vec);
        let mut state = self.state(prices, &cells);
        let (mut damping, mut first_miss) = (DAMPING.0, 0.0);
        for _ in 0..NEWTON {
            let surplus = self.surplus(&state.moves);
            let missed = largest(&surplus);
            if missed <= ranges.miss * largest(&state.moves) {
                return self.nearest(state);
            }
            first_miss = f64::max(first_miss, missed);
            if is_over() {
                return Answer::OutOfTime;
            }
            let exactness = (0.1 * missed / first_miss).clamp(1e-8, 1e-2);
            let step = self.newton_step(&state.free, &surplus, damping, exactness);
            let along = self.sparse.pulls(&step);
            let constant = dot(&step, self.missing);
            let slope = Slope { cells: &cells, constant, pulls: &state.pulls, along: &along };
            let Some(length) = slope.length() else { break };
            let endless = length >= FURTHEST;
            let by = if length < 0.1 { 10.0 } else { 0.1 };
            damping = (damping * by).clamp(DAMPING.0, DAMPING.1);
            let mut prices = state.prices;
            prices.iter_mut().zip(&step).for_each(|(price, s)| *price += length * s);
            state = self.state(prices, &cells);
            if endless {
                break;
            }
        }
        let missed = largest(&self.surplus(&state.moves));
        if missed <= NEARLY * largest(&state.moves).max(1e-12) {
            return self.nearest(state);
        }
        Answer::Nothing(state.prices)
    }

    fn nearest(&self, state: State) -> Answer {
        Answer::Nearest(Priced { moves: self.spread(&state.moves), prices: state.prices })
    }

    /// Solves `(A D Aᵀ + ε) x = −surplus` by conjugate gradients with the diagonal as preconditioner.
    fn newton_step(&self, free: &[f64], surplus: &[f64], damping: f64, exactness: f64) -> Vec<f64> {
        let mut diagonal = self.sparse.diagonal(free);
        let most = largest(&diagonal);
        let small = if most > 0.0 { damping * most } else { 1.0 };
        for d in &mut diagonal {
            *d += small;
        }
        let mut x = vec![0.0; surplus.len()];
        let mut residual: Vec<f64> = surplus.iter().map(|sum| -sum).collect();
        let mut scaled: Vec<f64> = residual.iter().zip(&diagonal).map(|(r, d)| r / d).collect();
        let mut direction = scaled.clone();
        let mut energy = dot(&residual, &scaled);
        let goal = energy * exactness * exactness;
        for _ in 0..GRADIENT {
            if energy <= goal || energy == 0.0 {
                break;
            }
            let mut image = self.sparse.normal(free, &direction);
            image.iter_mut().zip(&direction).for_each(|(sum, x)| *sum += small * x);
            let length = energy / dot(&direction, &image);
            for i in 0..x.len() {
                x[i] += length * direction[i];
                residual[i] -= length * image[i];
                scaled[i] = residual[i] / diagonal[i];
            }
            let next = dot(&residual, &scaled);
            let ratio = next / energy;
            energy = next;
            direction.iter_mut().zip(&scaled).for_each(|(d, s)| *d = s + ratio * *d);
        }
        x
    }
}

/// How quickly the value of the prices grows along a step; it never grows more quickly further on.
struct Slope<'a> {
    cells: &'a Cells,
    constant: f64,
    pulls: &'a [f64],
    along: &'a [f64],
}

impl Slope<'_> {
    fn at(&self, length: f64) -> f64 {
        let term = |i: usize| {
            self.along[i] * self.cells.answer(i, self.pulls[i] + length * self.along[i]).0
        };
        self.constant - (0..self.pulls.len()).map(term).sum::<f64>()
    }

    /// A length at which the slope is nearly 0, or the furthest if the prices gain without end; `None` if they gain nothing.
    fn length(&self) -> Option<f64> {
        let first = self.at(0.0);
        if first <= 0.0 {
            return None;
        }
        let (mut low, mut high) = (0.0, 1.0);
        let mut slope = self.at(high);
        while slope > FLAT * first {
            if high >= FURTHEST {
                return Some(high);
            }
            (low, high) = (high, 2.0 * high);
            slope = self.at(high);
        }
        if slope >= -FLAT * first {
            return Some(high);
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            match self.at(middle) {
                slope if slope > FLAT * first => low = middle,
                slope if slope < -FLAT * first => high = middle,
                _ => return Some(middle),
            }
        }
        Some(low).filter(|&low| low > 0.0)
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}
