//! One table in which as many leaves as possible move at once.
//!
//! Leaves are taken by size, largest first, in classes whose values differ by less than a factor; all of a class move by the same amount, the lower end
//! of the class. A walk along leaves that were not taken yet closes a circle whenever it comes back to a cell on its way; the circle is taken off
//! and the walk goes on before it. A leaf that leads nowhere lies on no circle any more. So every leaf is looked at twice, and those left over form no circle; they help to close
//! circles of smaller classes.

use super::{Exchange, scattered};

/// No position.
const NONE: u32 = u32::MAX;

impl Exchange<'_> {
    /// A table of moves of all leaves that may move, as far as they lie on circles; `factor` is that of the classes, above 1.
    pub fn everywhere(
        &self,
        may_move: &(dyn Fn(u32) -> bool + Sync),
        factor: f64,
        seed: u64,
    ) -> Vec<i64> {
        let largest = self.values.iter().copied().max().unwrap_or(0);
        let ends = lower_ends(largest, factor, seed);
        let mut classes: Vec<Vec<u32>> = vec![Vec::new(); ends.len()];
        for (leaf, &value) in (0_u32..).zip(self.values) {
            if value > 0 && may_move(leaf) {
                classes[ends.partition_point(|&end| end <= value) - 1].push(leaf);
            }
        }
        let mut by = vec![0; self.values.len()];
        let mut left: Vec<u32> = Vec::new();
        for (class, &amount) in classes.into_iter().zip(&ends).rev() {
            if class.is_empty() {
                continue;
            }
            let mut leaves = class;
            leaves.append(&mut left);
            left = Peel::new(self, leaves, seed).run(amount, &mut by);
        }
        by
    }
}

/// The lower ends of classes, ascending from 1; each seed has its own.
fn lower_ends(largest: i64, factor: f64, seed: u64) -> Vec<i64> {
    let mut ends = vec![1];
    let mut end = factor.powf(0.1 + 0.9 * (scattered(seed, 0) % 1000) as f64 / 1000.0);
    while end <= largest as f64 {
        let whole = end.ceil() as i64;
        if ends.last().is_some_and(|&last| last < whole) {
            ends.push(whole);
        }
        end *= factor;
    }
    ends
}

/// Walks along some leaves.
struct Peel<'e> {
    exchange: &'e Exchange<'e>,
    leaves: Vec<u32>,
    /// Where the leaves of each cell begin, cells of the second table behind those of the first; positions in `leaves`.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// How many leaves of each cell were looked at.
    seen: Vec<u32>,
    taken: Vec<bool>,
    seed: u64,
}

impl<'e> Peel<'e> {
    fn new(exchange: &'e Exchange<'e>, leaves: Vec<u32>, seed: u64) -> Self {
        let nodes = exchange.cells[0] + exchange.cells[1];
        let mut starts = vec![0_u32; nodes + 1];
        let ends = |leaf: u32| {
            [exchange.end(0, leaf) as usize, exchange.cells[0] + exchange.end(1, leaf) as usize]
        };
        for &leaf in &leaves {
            for end in ends(leaf) {
                starts[end + 1] += 1;
            }
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut around = vec![0; 2 * leaves.len()];
        for (at, &leaf) in (0_u32..).zip(&leaves) {
            for end in ends(leaf) {
                around[next[end] as usize] = at;
                next[end] += 1;
            }
        }
        let (seen, taken) = (vec![0; nodes], vec![false; leaves.len()]);
        Self { exchange, leaves, starts, around, seen, taken, seed }
    }

    /// A leaf of a cell that was not taken yet. Each seed begins with another one.
    fn next(&mut self, node: usize) -> Option<u32> {
        let (from, to) = (self.starts[node], self.starts[node + 1]);
        let count = to - from;
        while self.seen[node] < count {
            let turn = (scattered(self.seed, node as u64) % u64::from(count)) as u32;
            let at = self.around[(from + (turn + self.seen[node]) % count) as usize];
            self.seen[node] += 1;
            if !self.taken[at as usize] {
                self.taken[at as usize] = true;
                return Some(at);
            }
        }
        None
    }

    fn other_end(&self, node: usize, at: u32) -> usize {
        let (leaf, first) = (self.leaves[at as usize], self.exchange.cells[0]);
        if node < first {
            first + self.exchange.end(1, leaf) as usize
        } else {
            self.exchange.end(0, leaf) as usize
        }
    }

    /// Moves the leaves of all circles by an amount. Returns the leaves that are on none.
    fn run(mut self, amount: i64, by: &mut [i64]) -> Vec<u32> {
        let mut left = Vec::new();
        let mut place = vec![NONE; self.seen.len()];
        let (mut nodes, mut way): (Vec<usize>, Vec<u32>) = (Vec::new(), Vec::new());
        for root in 0..self.exchange.cells[0] {
            nodes.push(root);
            place[root] = 0;
            while let Some(&node) = nodes.last() {
                let Some(at) = self.next(node) else {
                    nodes.pop();
                    place[node] = NONE;
                    left.extend(way.pop().map(|at| self.leaves[at as usize]));
                    continue;
                };
                let to = self.other_end(node, at);
                way.push(at);
                if place[to] == NONE {
                    place[to] = nodes.len() as u32;
                    nodes.push(to);
                    continue;
                }
                let from = place[to] as usize;
                let turn = scattered(self.seed, u64::from(at)) & 1 == 0;
                for (nth, at) in way.drain(from..).enumerate() {
                    let is_up = (nth % 2 == 0) == turn;
                    by[self.leaves[at as usize] as usize] = if is_up { amount } else { -amount };
                }
                for node in nodes.drain(from + 1..) {
                    place[node] = NONE;
                }
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_leaves_of_a_grid_move_and_both_tables_stay() {
        let leaves: Vec<u32> =
            (0..600).filter(|&at| scattered(5, u64::from(at)) % 10 < 7).collect();
        let ends =
            [leaves.iter().map(|at| at / 30).collect(), leaves.iter().map(|at| at % 30).collect()];
        let values: Vec<i64> = leaves.iter().map(|&at| 1000 + i64::from(at)).collect();
        let exchange = Exchange::new(&values, ends);
        for seed in 0..5 {
            let by = exchange.everywhere(&|leaf| leaf != 7, 3.0, seed);
            assert_eq!(by[7], 0);
            let moved = by.iter().filter(|&&by| by != 0).count();
            assert!(moved * 10 > leaves.len() * 8, "{moved} of {}", leaves.len());
            for table in 0..2 {
                let mut sums = vec![0; exchange.cells[table]];
                for (leaf, by) in (0..).zip(&by) {
                    sums[exchange.end(table, leaf) as usize] += by;
                }
                assert!(sums.iter().all(|&sum| sum == 0));
            }
            assert!(by.iter().zip(&values).all(|(by, value)| by.abs() <= *value));
            // Leaves of a larger class that were left over may move by less.
            let far = by.iter().zip(&values).filter(|(by, value)| by.abs() * 3 > **value).count();
            assert!(far * 10 > leaves.len() * 7, "{far} of {}", leaves.len());
        }
    }
}
