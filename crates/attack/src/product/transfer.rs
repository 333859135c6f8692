//! The last resort in a sparse table: one leaf takes what others give, whatever they are.
//!
//! All totals above the leaves that move, move, but for those above all of them. That is dear, and possible wherever the other leaves together have as
//! much as is wanted; leaves that share many codes with the one that moves for the cell come first, because fewer totals move then.

use super::leaves::Moved;
use super::{Price, Products};
use crate::cube::Map;
use cellveil_core::{CellId, Side, Witness};
use std::cmp::Reverse;

/// Leaves that have less than one part in so many of what is wanted give nothing: too many totals would move for them.
const PARTS: i64 = 256;

impl Products<'_> {
    /// A table with `cell` moved exactly `target` units to `side`; `None` if leaves of some size do not suffice, or a cell must not move.
    pub(super) fn transfer(
        &self,
        leaves: &[CellId],
        (cell, side): (CellId, Side),
        target: i64,
        price: &Price<'_>,
    ) -> Option<Witness> {
        let own = self.leaf_below(cell, 0)?;
        let (inside, outside): (Vec<CellId>, Vec<CellId>) =
            leaves.iter().partition(|&&leaf| self.is_above(cell, leaf));
        let (givers, taker) = match side {
            Side::Up => (outside, own),
            Side::Down => {
                let nearest = |&leaf: &CellId| (Reverse(self.shared(own, leaf)), leaf);
                (inside, outside.into_iter().min_by_key(nearest)?)
            }
        };
        let mut moved: Map<u32, i64> = Map::default();
        self.pass_on(taker, target, &mut moved)?;
        let mut missing = target;
        for (leaf, has) in self.givers(givers, own, target) {
            let gives = has.min(missing);
            self.pass_on(leaf, -gives, &mut moved)?;
            missing -= gives;
            if missing == 0 {
                break;
            }
        }
        let mut moves: Moved = moved.into_iter().map(|(at, by)| (CellId(at), by)).collect();
        moves.retain(|&(_, by)| by != 0);
        moves.sort_unstable();
        let may_move = |step: &(CellId, i64)| self.has_room(step) && price(step.0).is_some();
        (missing == 0 && moves.iter().all(may_move)).then_some(Witness { denominator: 1, moves })
    }

    /// Leaves that can give something worth while, those first that share most codes with a leaf, and of these the largest.
    fn givers(&self, leaves: Vec<CellId>, beside: CellId, target: i64) -> Vec<(CellId, i64)> {
        let has = |leaf| self.problem.room(leaf, Side::Down).unwrap_or(target);
        let giver = |leaf: CellId| (leaf, has(leaf));
        let mut givers: Vec<(CellId, i64)> = leaves.into_iter().map(giver).collect();
        givers.retain(|&(_, has)| has > target / PARTS);
        givers.sort_by_key(|&(leaf, has)| (Reverse(self.shared(beside, leaf)), Reverse(has), leaf));
        givers
    }

    /// In how many dimensions two leaves have the same code.
    fn shared(&self, a: CellId, b: CellId) -> usize {
        self.grid.place(a).iter().zip(self.grid.place(b)).filter(|(a, b)| a == b).count()
    }

    /// Moves a leaf and every total above it.
    fn pass_on(&self, leaf: CellId, by: i64, moved: &mut Map<u32, i64>) -> Option<()> {
        let mut cells = Vec::new();
        self.above(leaf, &mut cells)?;
        for cell in cells {
            *moved.entry(cell.0).or_default() += by;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Products;
    use cellveil_core::{CellId, Side};
    use cellveil_testkit::tables::random_problem;
    use std::sync::Arc;

    #[test]
    fn what_one_leaf_takes_others_give_and_all_totals_hold() {
        let mut found = 0;
        for seed in 0..30 {
            let problem = random_problem(seed, [&[4, 5][..], &[3, 3, 3]][seed as usize % 2]);
            let relations = problem.relations();
            let incidence = Arc::new(relations.incidence(problem.len()));
            let Some(products) = Products::new(&problem, Arc::clone(&incidence)) else { continue };
            let is_leaf = |&cell: &CellId| incidence.of(cell).iter().all(|row| row.1 > 0);
            let leaves: Vec<CellId> = problem.cells().filter(is_leaf).collect();
            for (need, side) in problem.needs().iter().flat_map(|n| Side::BOTH.map(|s| (n, s))) {
                let target = need.on(side).max(1);
                let price = |_| Some(1.0);
                let Some(witness) = products.transfer(&leaves, (need.cell, side), target, &price)
                else {
                    continue;
                };
                found += 1;
                assert_eq!(witness.move_of(need.cell), target * side.sign());
                for row in 0..relations.len() {
                    let terms = relations.row(row);
                    let sum = terms.map(|(cell, c)| i64::from(c) * witness.move_of(cell));
                    assert_eq!(sum.sum::<i64>(), 0);
                }
                assert!(witness.moves.iter().all(|step| products.has_room(step)));
            }
        }
        assert!(found > 50, "{found} transfers");
    }
}
