//! The nearest table in the norm of squares once all senses are chosen: `min Σ w z²` with `A z = 0` and every move in its range.
//!
//! Solved in the prices `π` of the relations, of which there are few: for given prices every cell answers for itself with
//! `z = (Aᵀπ / 2w)` drawn into its range, and Newton's method on the prices needs only products with `A D Aᵀ`, by
//! conjugate gradients. Nothing is factorised, so that a million cells take memory in proportion to the table.

use crate::task::Task;
use cellveil_core::Relations;

/// How many steps Newton's method and each conjugate gradient may take.
const NEWTON: usize = 200;
const GRADIENT: usize = 400;
/// What relations may miss, as a share of the largest move.
const MISS: f64 = 1e-10;
/// Free moves are given this share of the mean weight, so that every cell has an answer.
const NEARLY_FREE: f64 = 1e-6;

/// A quadratic program over a table.
pub(crate) struct Quadratic<'a> {
    pub(crate) relations: &'a Relations,
    /// Per relation what the moves must add up to.
    missing: &'a [f64],
    /// Twice the weight of every cell, never 0.
    curvature: Vec<f64>,
}

/// Moves and the prices that explain them.
#[derive(Clone, Debug)]
pub(crate) struct Priced {
    pub(crate) moves: Vec<f64>,
    /// Per relation.
    pub(crate) prices: Vec<f64>,
}

impl<'a> Quadratic<'a> {
    pub(crate) fn new(task: &'a Task<'_>) -> Self {
        let (relations, weights) = (task.problem.relations(), &task.weights);
        let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        let least = if mean > 0.0 { mean * NEARLY_FREE } else { 1.0 };
        Self {
            relations,
            missing: &task.missing,
            curvature: weights.iter().map(|w| 2.0 * w.max(least)).collect(),
        }
    }

    /// `Aᵀπ`, the sum of the prices of each cell's relations.
    pub(crate) fn pulls(&self, prices: &[f64]) -> Vec<f64> {
        let mut pulls = vec![0.0; self.curvature.len()];
        for (relation, &price) in prices.iter().enumerate().filter(|&(_, &price)| price != 0.0) {
            for (cell, c) in self.relations.row(relation) {
                pulls[cell.index()] += price * f64::from(c);
            }
        }
        pulls
    }

    fn sums(&self, moves: &[f64]) -> Vec<f64> {
        let sum = |relation| {
            self.relations.row(relation).map(|(cell, c)| moves[cell.index()] * f64::from(c)).sum()
        };
        (0..self.relations.len()).map(sum).collect()
    }

    /// By how much each relation is too large.
    fn surplus(&self, moves: &[f64]) -> Vec<f64> {
        let mut sums = self.sums(moves);
        sums.iter_mut().zip(self.missing).for_each(|(sum, missing)| *sum -= missing);
        sums
    }

    fn answers(&self, pulls: &[f64], lower: &[f64], upper: &[f64]) -> Vec<f64> {
        let answer = |i: usize| (pulls[i] / self.curvature[i]).max(lower[i]).min(upper[i]);
        (0..pulls.len()).map(answer).collect()
    }

    /// The value of the dual problem.
    fn dual(&self, prices: &[f64], pulls: &[f64], moves: &[f64]) -> f64 {
        let cell = |i: usize| moves[i] * (0.5 * self.curvature[i] * moves[i] - pulls[i]);
        dot(prices, self.missing) + (0..moves.len()).map(cell).sum::<f64>()
    }

    /// Solves the program from known prices on; `None` if the ranges leave no table.
    pub(crate) fn solve(
        &self,
        lower: &[f64],
        upper: &[f64],
        start: Option<&[f64]>,
    ) -> Option<Priced> {
        let mut prices = start.map_or_else(|| vec![0.0; self.relations.len()], <[f64]>::to_vec);
        let mut pulls = self.pulls(&prices);
        let mut moves = self.answers(&pulls, lower, upper);
        for _ in 0..NEWTON {
            let sums = self.surplus(&moves);
            let largest = moves.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            let missed = sums.iter().fold(0.0, |most: f64, sum| most.max(sum.abs()));
            if missed <= MISS * largest {
                return Some(Priced { moves, prices });
            }
            // A cell that lies just at an end of its range counts as free: it may still go inwards.
            let free: Vec<f64> = (0..moves.len())
                .map(|i| {
                    let wished = pulls[i] / self.curvature[i];
                    let inside = lower[i] < upper[i] && lower[i] <= wished && wished <= upper[i];
                    if inside { 1.0 / self.curvature[i] } else { 0.0 }
                })
                .collect();
            let step = self.newton_step(&free, &sums);
            let along = self.pulls(&step);
            let before = self.dual(&prices, &pulls, &moves);
            let slope: f64 = -step.iter().zip(&sums).map(|(a, b)| a * b).sum::<f64>();
            let mut length = 1.0;
            let mut found = false;
            for _ in 0..40 {
                let next: Vec<f64> =
                    pulls.iter().zip(&along).map(|(p, a)| p + length * a).collect();
                let answered = self.answers(&next, lower, upper);
                let priced: Vec<f64> =
                    prices.iter().zip(&step).map(|(price, s)| price + length * s).collect();
                let gain = self.dual(&priced, &next, &answered) - before;
                if gain >= 1e-4 * length * slope || gain.abs() <= 1e-14 * before.abs() {
                    (prices, pulls, moves) = (priced, next, answered);
                    found = true;
                    break;
                }
                length *= 0.5;
            }
            if !found {
                break;
            }
        }
        let sums = self.surplus(&moves);
        let largest = moves.iter().fold(1e-12, |most: f64, z| most.max(z.abs()));
        let missed = sums.iter().fold(0.0, |most: f64, sum| most.max(sum.abs()));
        (missed <= 1e-6 * largest).then_some(Priced { moves, prices })
    }

    /// Solves `(A D Aᵀ + ε) x = −sums` by conjugate gradients with the diagonal as preconditioner.
    fn newton_step(&self, free: &[f64], sums: &[f64]) -> Vec<f64> {
        let mut diagonal: Vec<f64> = (0..self.relations.len())
            .map(|relation| {
                let row = self.relations.row(relation);
                row.map(|(cell, c)| free[cell.index()] * f64::from(c).powi(2)).sum()
            })
            .collect();
        let most = diagonal.iter().fold(0.0, |most: f64, d| most.max(*d));
        let small = if most > 0.0 { 1e-9 * most } else { 1.0 };
        for d in &mut diagonal {
            *d += small;
        }
        let product = |x: &[f64]| {
            let mut pulls = self.pulls(x);
            pulls.iter_mut().zip(free).for_each(|(pull, d)| *pull *= d);
            let mut sums = self.sums(&pulls);
            sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += small * x);
            sums
        };
        let mut x = vec![0.0; sums.len()];
        let mut residual: Vec<f64> = sums.iter().map(|sum| -sum).collect();
        let mut scaled: Vec<f64> = residual.iter().zip(&diagonal).map(|(r, d)| r / d).collect();
        let mut direction = scaled.clone();
        let mut energy = dot(&residual, &scaled);
        let goal = energy * 1e-16;
        for _ in 0..GRADIENT {
            if energy <= goal || energy == 0.0 {
                break;
            }
            let image = product(&direction);
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
