//! The optimum in the norm of squares where few cells are sensitive: branch and bound on their senses.
//!
//! A cell whose sense is open has `|z| ≥ l`, so it costs at least `a z² + (w − a) l²` for any share `a` of its weight `w`: a plain
//! quadratic program whose prices give the bound of a node, whether it was solved to the end or not.

use super::squares::Squares;
use crate::program::Sense;
use crate::quadratic::{Answer, MISS, Ranges};
use crate::task::Sensitive;
use cellveil_core::Side;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The share of the weight that stays with the move of an open cell.
const SHARE: f64 = 0.02;
/// The most nodes without a time limit.
const NODES: usize = 20_000;
/// How many nodes are rounded to a table.
const ROUNDED: usize = 500;

/// Senses, some of them open; no table with the others costs less than the bound.
struct Node {
    senses: Vec<Sense>,
    bound: f64,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The lowest bound is the greatest; among equal ones, that with more senses decided.
impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        let decided = |node: &Self| node.senses.iter().flatten().count();
        other.bound.total_cmp(&self.bound).then(decided(self).cmp(&decided(other)))
    }
}

/// What the relaxation of a node says.
struct Relaxed {
    bound: f64,
    /// Nothing if there is no table, or none was found.
    moves: Option<Vec<f64>>,
}

impl Squares<'_> {
    /// Searches the optimum, best node first.
    pub(super) fn branch(&mut self) {
        if !self.quadratic.is_faithful(self.task) {
            return;
        }
        let forced: Vec<Sense> = self.task.sensitive.iter().map(Sensitive::forced).collect();
        let mut heap = BinaryHeap::from([Node { senses: forced, bound: 0.0 }]);
        let mut prices = vec![0.0; self.task.missing.len()];
        // Nodes with all senses chosen for which neither a table was found nor shown that there is none.
        let mut undecided = f64::INFINITY;
        let mut nodes = 0;
        while let Some(node) = heap.pop() {
            let worth = self.worth();
            self.bound = self.bound.max(node.bound.min(worth).min(undecided));
            let limited = self.context.left().is_some();
            if node.bound >= worth || self.context.is_over() || (!limited && nodes == NODES) {
                return;
            }
            nodes += 1;
            let relaxed = self.relaxed(&node.senses, &mut prices);
            let bound = relaxed.bound.max(node.bound);
            if bound >= worth {
                continue;
            }
            if let Some(moves) = relaxed.moves.as_ref().filter(|_| nodes <= ROUNDED) {
                self.try_senses(&self.nearest_senses(&node.senses, moves));
            }
            let Some(at) = self.most_open(&node.senses, relaxed.moves.as_deref()) else {
                if relaxed.moves.is_none() {
                    undecided = undecided.min(bound);
                }
                self.try_senses(&node.senses.iter().map(|s| s.unwrap_or(Side::Up)).collect());
                continue;
            };
            for side in Side::BOTH {
                let mut senses = node.senses.clone();
                senses[at] = Some(side);
                heap.push(Node { senses, bound });
            }
        }
        self.bound = self.bound.max(self.worth().min(undecided));
    }

    /// What a table must cost less than to be worth looking for.
    fn worth(&self) -> f64 {
        let gap = self.context.gap.max(1e-6);
        let cost = |(_, best): &(_, crate::quadratic::Priced)| self.task.squares(&best.moves);
        self.best.as_ref().map_or(f64::INFINITY, cost) * (1.0 - gap)
    }

    /// The least that an open cell moves.
    fn least(&self, at: usize) -> f64 {
        let s = &self.task.sensitive[at];
        s.down.unwrap_or(0.0).min(s.up.unwrap_or(0.0)).max(0.0)
    }

    fn relaxed(&self, senses: &[Sense], prices: &mut Vec<f64>) -> Relaxed {
        let task = self.task;
        let (mut lower, mut upper) = (task.lower.clone(), task.upper.clone());
        let mut shares = vec![1.0; lower.len()];
        let mut constant = 0.0;
        for (at, sense) in senses.iter().enumerate() {
            let i = task.sensitive[at].cell.index();
            if let Some(side) = *sense {
                (lower[i], upper[i]) = task.range(at, side);
            } else if self.least(at) > 0.0 {
                shares[i] = SHARE;
                constant += (1.0 - SHARE) * task.weights[i] * self.least(at).powi(2);
            }
        }
        let (lower, upper, shares) = (&lower, &upper, Some(shares.as_slice()));
        let ranges = Ranges { lower, upper, soft: None, shares, miss: MISS };
        let is_over = || self.context.is_over();
        let answer = self.quadratic.solve(&ranges, Some(prices), &is_over);
        let moves = match answer {
            Answer::Nearest(priced) => {
                *prices = priced.prices;
                Some(priced.moves)
            }
            Answer::Nothing(last) => {
                let bound = self.quadratic.bound(&ranges, &last) + constant;
                return Relaxed { bound, moves: None };
            }
            Answer::OutOfTime => None,
        };
        Relaxed { bound: self.quadratic.bound(&ranges, prices) + constant, moves }
    }

    /// The open cell that the relaxation is furthest from telling the cost of; any without a relaxation.
    fn most_open(&self, senses: &[Sense], moves: Option<&[f64]>) -> Option<usize> {
        let miss = |at: usize| {
            let i = self.task.sensitive[at].cell.index();
            let z = moves.map_or(0.0, |moves| moves[i]);
            let least = self.least(at);
            let inside = least - z.abs();
            self.task.weights[i] * if inside > 0.0 { least * inside } else { z * z - least * least }
        };
        let open = (0..senses.len()).filter(|&at| senses[at].is_none());
        open.max_by(|&a, &b| miss(a).total_cmp(&miss(b)).then(b.cmp(&a)))
    }

    fn nearest_senses(&self, senses: &[Sense], moves: &[f64]) -> Vec<Side> {
        let nearest = |at: usize| {
            let up = moves[self.task.sensitive[at].cell.index()] >= 0.0;
            senses[at].unwrap_or(if up { Side::Up } else { Side::Down })
        };
        (0..senses.len()).map(nearest).collect()
    }
}
