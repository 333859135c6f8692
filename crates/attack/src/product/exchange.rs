//! Witnesses in sparse tables of many dimensions, where hardly any product of circuits has all its corners.
//!
//! Leaves exchange amounts such that two smaller tables stay as they are (see `split.rs`); all other totals above the leaves that move, move. A cell of
//! one of the two tables moves by a product within that table, whose corners pass on to leaves what they rise and fall by.

use super::circuit::Wanted;
use super::leaves::{Moved, Search};
use super::split::{LazySplit, Split, specified, splits};
use super::{Price, Products, paid};
use crate::cube::Map;
use cellveil_core::{CellId, Side, Witness};
use std::collections::HashSet;

/// The leaves, and the splits to try.
pub(super) struct Exchange {
    pub(super) leaves: Vec<CellId>,
    levels: Vec<Vec<LazySplit>>,
}

/// Which part of what is wanted each of several exchanges must bring, one part in so many.
const SHARES: [i64; 3] = [1, 4, 16];

impl Exchange {
    pub(super) fn new(products: &Products<'_>) -> Option<Self> {
        let (leaves, levels) = splits(products.problem, &products.grid)?;
        Some(Self { leaves, levels })
    }

    pub(super) fn leaf(&self, cell: CellId) -> Option<u32> {
        self.leaves.binary_search(&cell).ok().map(|at| at as u32)
    }
}

impl Products<'_> {
    /// A table with `cell` moved `target` units or more to `side`, by leaves that exchange amounts; `None` as well if the table is not sparse.
    pub fn exchange(
        &self,
        cell: CellId,
        side: Side,
        target: i64,
        price: &Price<'_>,
    ) -> Option<Witness> {
        let exchange = self.exchange.get_or_init(|| Exchange::new(self)).as_ref()?;
        let target = target.max(1);
        let found = exchange.levels.iter().find_map(|level| {
            let found = level.iter().filter_map(|split| {
                let split = split.get(&self.grid, &exchange.leaves);
                let sum = |&share: &i64| {
                    self.exchanges(exchange, split, (cell, side), target, share, price)
                };
                let witness = SHARES.iter().find_map(sum)?;
                Some((paid(&witness, price), witness))
            });
            found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, witness)| witness)
        });
        found.or_else(|| self.transfer(&exchange.leaves, (cell, side), target, price))
    }

    /// Exchanges that add up, each of which brings at least one part in `share` of what is wanted.
    fn exchanges(
        &self,
        exchange: &Exchange,
        split: &Split,
        (cell, side): (CellId, Side),
        target: i64,
        share: i64,
        price: &Price<'_>,
    ) -> Option<Witness> {
        let least = (target as u64).div_ceil(share as u64) as i64;
        let mut total: Map<u32, i64> = Map::default();
        let mut used: HashSet<u32> = HashSet::new();
        let mut missing = target;
        for _ in 0..2 * share {
            let paid = |at: CellId| if total.contains_key(&at.0) { Some(0.0) } else { price(at) };
            let unmoved = |leaf: u32| used.contains(&leaf);
            let wanted = Wanted { cell, side, least: least.min(missing), most: missing };
            let search =
                Search { products: self, exchange, split, wanted, price: &paid, unmoved: &unmoved };
            let steps = search.find()?;
            let (_, moved) = search.weigh(&steps)?;
            if share == 1 {
                return search.witness(moved);
            }
            let amount = search.amount(&steps).min(missing);
            // What rises below the cell may go on rising.
            let is_spent = |&&(leaf, sign): &&(u32, i8)| {
                sign < 0 || !search.is_below(exchange.leaves[leaf as usize])
            };
            let spent: Vec<u32> = steps.iter().filter(is_spent).map(|step| step.0).collect();
            used.extend(spent);
            for (at, by) in moved {
                if at == cell {
                    missing -= by * amount;
                }
                *total.entry(at.0).or_default() += by * amount * side.sign();
            }
            if missing <= 0 {
                let mut moves: Moved = total.into_iter().map(|(at, by)| (CellId(at), by)).collect();
                moves.retain(|&(_, by)| by != 0);
                moves.sort_unstable();
                return moves.iter().all(|step| self.has_room(step)).then(|| self.kept(moves))?;
            }
        }
        None
    }

    pub(super) fn has_room(&self, &(cell, by): &(CellId, i64)) -> bool {
        let side = if by > 0 { Side::Up } else { Side::Down };
        self.problem.room(cell, side).is_none_or(|room| room >= by.abs())
    }

    /// One table in which as many of these cells as possible move as far as they need, all by circles that have no leaf in common; as many as are
    /// found until the time is over.
    pub fn exchange_many(
        &self,
        cells: &[CellId],
        price: &Price<'_>,
        is_over: &dyn Fn() -> bool,
    ) -> Option<Witness> {
        let exchange = self.exchange.get_or_init(|| Exchange::new(self)).as_ref()?;
        let split = exchange.levels.first()?.first()?.get(&self.grid, &exchange.leaves);
        let mut used = vec![false; exchange.leaves.len()];
        let mut moved = vec![0_i64; self.problem.len()];
        for &cell in cells.iter().take_while(|_| !is_over()) {
            let Some(need) = self.problem.needs().of(cell) else { continue };
            let target = need.down.max(need.up).max(need.sliding).max(1);
            let set = specified(&self.grid, cell);
            let stays = split.variables.iter().any(|variables| set & !variables == 0);
            if stays || moved[cell.index()].abs() >= target {
                continue;
            }
            let wanted = Wanted { cell, side: Side::Up, least: target, most: target };
            let unmoved = |leaf: u32| used[leaf as usize];
            let search =
                Search { products: self, exchange, split, wanted, price, unmoved: &unmoved };
            let Some(steps) = search.by_circle() else { continue };
            let Some((_, circle)) = search.weigh(&steps) else { continue };
            let amount = search.amount(&steps);
            for (leaf, _) in steps {
                used[leaf as usize] = true;
            }
            for (cell, times) in circle {
                let by = times.saturating_mul(amount);
                moved[cell.index()] = moved[cell.index()].saturating_add(by);
            }
        }
        let moves: Moved = self
            .problem
            .cells()
            .map(|cell| (cell, moved[cell.index()]))
            .filter(|m| m.1 != 0)
            .collect();
        let relations = self.problem.relations();
        let is_kept = |row: usize| {
            let terms =
                relations.row(row).map(|(cell, c)| i128::from(c) * i128::from(moved[cell.index()]));
            terms.sum::<i128>() == 0
        };
        let holds = !moves.is_empty()
            && moves.iter().all(|step| self.has_room(step))
            && (0..relations.len()).all(is_kept);
        holds.then_some(Witness { denominator: 1, moves })
    }

    /// Whether the table is so sparse that leaves exchange amounts.
    pub fn is_sparse(&self) -> bool {
        self.exchange.get_or_init(|| Exchange::new(self)).is_some()
    }

    /// A cell of the finest level below a cell: by the largest parts, but for the first step.
    pub(super) fn leaf_below(&self, mut cell: CellId, nth: usize) -> Option<CellId> {
        let mut nth = nth;
        loop {
            let rows: Vec<u32> =
                self.incidence.of(cell).iter().filter(|row| row.1 < 0).map(|row| row.0).collect();
            if rows.is_empty() {
                return (nth == 0).then_some(cell);
            }
            let row = rows[nth % rows.len()] as usize;
            let parts = self.problem.relations().row(row).filter(|&(part, _)| part != cell);
            let mut parts: Vec<CellId> = parts.map(|(part, _)| part).collect();
            let largest = |&part: &CellId| (std::cmp::Reverse(self.problem.value(part)), part);
            let rank = nth / rows.len();
            if rank >= parts.len() {
                return None;
            }
            let (_, &mut part, _) = parts.select_nth_unstable_by_key(rank, largest);
            cell = part;
            nth = 0;
        }
    }

    /// Every total above a leaf, and the leaf.
    pub(super) fn above(&self, leaf: CellId, into: &mut Vec<CellId>) -> Option<()> {
        for key in self.grid.with_totals(self.grid.place(leaf)) {
            into.push(self.grid.at(key)?);
        }
        Some(())
    }
}
