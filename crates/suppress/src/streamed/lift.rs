//! Moves of cells of the two tables that stay published, led to leaves.
//!
//! Where a cell of one table rises and another falls, a path of leaves takes the amount from the one to the other and leaves the other table as it is. Where a
//! cell of either table rises or falls together, a path from the one to the other does.

use super::{Draft, Exchange};
use cellveil_attack::LeafSteps;
use std::ops::ControlFlow;

/// Cells of a table, and by how much each is still to move.
type Left = Vec<(u32, i64)>;

/// In so many portions an amount is led at most, each at least half of what is left.
const PORTIONS: u32 = 6;

impl Exchange<'_> {
    /// Adds moves of leaves to a draft that add up to these moves of cells of the two tables; `false`, and the draft as before, if no paths are found. A certain
    /// leaf may have to move by so much.
    pub fn lift(
        &self,
        draft: &mut Draft,
        wanted: [&[(u32, i64)]; 2],
        first: Option<(u32, i64)>,
    ) -> bool {
        let mut log: Vec<(u32, i64)> = Vec::new();
        let mut left = wanted.map(<[_]>::to_vec);
        if let Some((leaf, by)) = first {
            if self.room(draft, leaf) < by.abs() {
                return false;
            }
            take(draft, &[(leaf, 1)], by, &mut log);
            for (table, left) in left.iter_mut().enumerate() {
                let end = self.end(table, leaf);
                match left.iter_mut().find(|(cell, _)| *cell == end) {
                    Some((_, wanted)) => *wanted -= by,
                    None => left.push((end, -by)),
                }
                left.retain(|&(_, by)| by != 0);
            }
        }
        let done = (0..2).all(|table| self.within(draft, table, &mut left[table], &mut log))
            && self.across(draft, left, &mut log);
        if !done {
            for (leaf, by) in log {
                draft.by[leaf as usize] -= by;
            }
        }
        done
    }

    /// How far a leaf can go either way.
    fn room(&self, draft: &Draft, leaf: u32) -> i64 {
        if draft.pinned[leaf as usize] {
            return 0;
        }
        self.values[leaf as usize] - draft.by[leaf as usize].abs()
    }

    /// Leads amounts from cells that fall to cells of the same table that rise.
    fn within(
        &self,
        draft: &mut Draft,
        table: usize,
        left: &mut Left,
        log: &mut Vec<(u32, i64)>,
    ) -> bool {
        while let Some(at) = left.iter().position(|&(_, by)| by > 0) {
            let goals: Vec<u32> = left.iter().filter(|(_, by)| *by < 0).map(|(c, _)| *c).collect();
            if goals.is_empty() {
                // The rest goes across.
                return true;
            }
            let (start, wanted) = left[at];
            let Some((goal, steps)) = self.portion(draft, table, (start, wanted), &goals) else {
                return false;
            };
            let Some(to) = left.iter().position(|&(cell, by)| cell == goal && by < 0) else {
                return false;
            };
            let amount = self.amount(draft, &steps, wanted.min(-left[to].1));
            if amount <= 0 {
                return false;
            }
            take(draft, &steps, amount, log);
            left[at].1 -= amount;
            left[to].1 += amount;
            left.retain(|&(_, by)| by != 0);
        }
        true
    }

    /// A path for all of an amount, or for a good part of it.
    fn portion(
        &self,
        draft: &Draft,
        table: usize,
        (start, wanted): (u32, i64),
        goals: &[u32],
    ) -> Option<(u32, LeafSteps)> {
        (0..PORTIONS).find_map(|halves| {
            let least = (wanted >> halves).max(1);
            let usable = |leaf: u32| self.room(draft, leaf) >= least;
            self.graph.path(table, start, goals, None, &usable)
        })
    }

    /// How much of an amount can go along a path.
    fn amount(&self, draft: &Draft, steps: &LeafSteps, most: i64) -> i64 {
        steps.iter().fold(most, |most, &(leaf, _)| most.min(self.room(draft, leaf)))
    }

    /// Leads amounts from a cell of the one table to one of the other.
    fn across(&self, draft: &mut Draft, left: [Left; 2], log: &mut Vec<(u32, i64)>) -> bool {
        let [firsts, mut seconds] = left;
        for (cell, mut by) in firsts {
            while by != 0 {
                let sign = by.signum();
                let found = seconds.iter().enumerate().filter(|(_, (_, by))| by.signum() == sign);
                let found = found.map(|(at, &(goal, most))| (at, goal, most)).find_map(
                    |(at, goal, most)| {
                        let wanted = by.abs().min(most.abs());
                        self.link(draft, cell, goal, wanted).map(|link| (at, link))
                    },
                );
                let Some((at, steps)) = found else { return false };
                let most = by.abs().min(seconds[at].1.abs());
                let amount = self.amount(draft, &steps, most);
                if amount <= 0 {
                    return false;
                }
                take(draft, &steps, -sign * amount, log);
                by -= sign * amount;
                seconds[at].1 -= sign * amount;
                seconds.retain(|&(_, by)| by != 0);
            }
        }
        seconds.is_empty()
    }

    /// A path from a cell of the first table to one of the second, for all of an amount or a good part of it.
    fn link(&self, draft: &Draft, cell: u32, goal: u32, wanted: i64) -> Option<LeafSteps> {
        (0..PORTIONS).find_map(|halves| {
            let least = (wanted >> halves).max(1);
            let usable = |leaf: u32| self.room(draft, leaf) >= least;
            let mut link: Option<LeafSteps> = None;
            self.graph.links(0, cell, goal, &usable, &mut |steps| {
                link = Some(steps.to_vec());
                ControlFlow::Break(())
            });
            link
        })
    }
}

/// Moves leaves along a path.
fn take(draft: &mut Draft, steps: &[(u32, i8)], amount: i64, log: &mut Vec<(u32, i64)>) {
    for &(leaf, sign) in steps {
        draft.by[leaf as usize] += i64::from(sign) * amount;
        log.push((leaf, i64::from(sign) * amount));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_both_tables_move_as_they_shall() {
        let there = (0..30_u32).filter(|at| at % 7 != 3);
        let ends = [there.clone().map(|at| at / 5).collect(), there.map(|at| at % 5).collect()];
        let values = vec![10; 25];
        let exchange = Exchange::new(&values, ends);
        let mut draft = exchange.draft();
        let wanted: [&[(u32, i64)]; 2] = [&[(0, 12), (2, -7), (4, -2)], &[(1, 3)]];
        assert!(exchange.lift(&mut draft, wanted, None));
        for table in 0..2 {
            let mut sums = vec![0; exchange.cells[table]];
            for (leaf, by) in (0..).zip(draft.moves()) {
                sums[exchange.end(table, leaf) as usize] += by;
            }
            for (cell, by) in wanted[table] {
                sums[*cell as usize] -= by;
            }
            assert!(sums.iter().all(|&sum| sum == 0));
        }
        assert!(draft.moves().iter().all(|by| by.abs() <= 10));
        let before = draft.moves().to_vec();
        assert!(!exchange.lift(&mut draft, [&[(0, 500), (1, -500)], &[]], None));
        assert_eq!(draft.moves(), before);
        let mut draft = exchange.draft();
        assert!(exchange.lift(&mut draft, [&[(5, 4), (3, -4)], &[]], Some((24, 4))));
        assert_eq!(draft.moves()[24], 4);
    }
}
