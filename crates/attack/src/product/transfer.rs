//! The last resort in a sparse table: one leaf takes what others give, whatever they are.
//!
//! All totals above the leaves that move, move, but for those above all of them. That is dear, and possible wherever the other leaves together have as
//! much as is wanted; leaves that share many codes with the one that moves for the cell come first, because fewer totals move then.

use super::exchange::Exchange;
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
        exchange: &Exchange,
        (cell, side): (CellId, Side),
        target: i64,
        price: &Price<'_>,
    ) -> Option<Witness> {
        let own = self.leaf_below(cell, 0)?;
        let (inside, outside): (Vec<CellId>, Vec<CellId>) =
            exchange.leaves.iter().partition(|&&leaf| self.is_above(cell, leaf));
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
