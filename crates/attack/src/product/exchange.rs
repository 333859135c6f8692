//! Witnesses in sparse tables of many dimensions, where hardly any product of circuits has all its corners.
//!
//! Leaves exchange amounts such that two smaller tables stay as they are (see `split.rs`); all other totals above the leaves that move, move. A cell of
//! one of the two tables moves by a product within that table, whose corners pass on to leaves what they rise and fall by.

use super::circuit::Wanted;
use super::graph::Steps;
use super::search::cheapest;
use super::split::{Split, Variables, specified, splits};
use super::{Price, Products};
use cellveil_core::{CellId, Side, Witness};
use std::ops::ControlFlow;

/// The leaves, and the splits to try.
pub(super) struct Exchange {
    leaves: Vec<CellId>,
    splits: Vec<Split>,
}

/// How many leaves below a cell are tried, and how many circles through each are weighed.
const LEAVES: usize = 8;
const CIRCLES: usize = 6;

/// Cells that move, with how many times the amount.
type Moved = Vec<(CellId, i64)>;

impl Exchange {
    pub(super) fn new(products: &Products<'_>) -> Option<Self> {
        let (leaves, splits) = splits(products.problem, &products.grid)?;
        Some(Self { leaves, splits })
    }

    fn leaf(&self, cell: CellId) -> Option<u32> {
        self.leaves.binary_search(&cell).ok().map(|at| at as u32)
    }
}

/// What an exchange is looked for.
struct Search<'s> {
    products: &'s Products<'s>,
    exchange: &'s Exchange,
    split: &'s Split,
    wanted: Wanted,
    price: &'s Price<'s>,
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
        let wanted = Wanted { cell, side, least: target, most: target };
        let set = specified(&self.grid, cell);
        exchange.splits.iter().find_map(|split| {
            let search = Search { products: self, exchange, split, wanted, price };
            let within = split.variables.map(|variables| set & !variables == 0);
            match within {
                [false, false] => search.by_circle().or_else(|| search.by_leaf()),
                [true, false] => search.by_product(0, cell, None),
                [false, true] => search.by_product(1, cell, None),
                [true, true] => None,
            }
        })
    }

    /// One table in which as many of these cells as possible move as far as they need, all by circles that have no leaf in common.
    pub fn exchange_many(&self, cells: &[CellId], price: &Price<'_>) -> Option<Witness> {
        let exchange = self.exchange.get_or_init(|| Exchange::new(self)).as_ref()?;
        let split = exchange.splits.first()?;
        let mut used = vec![false; exchange.leaves.len()];
        let mut moved = vec![0_i64; self.problem.len()];
        for &cell in cells {
            let Some(need) = self.problem.needs().of(cell) else { continue };
            let target = need.down.max(need.up).max(need.sliding).max(1);
            let set = specified(&self.grid, cell);
            let stays = split.variables.iter().any(|variables| set & !variables == 0);
            if stays || moved[cell.index()].abs() >= target {
                continue;
            }
            let wanted = Wanted { cell, side: Side::Up, least: target, most: target };
            let search = Search { products: self, exchange, split, wanted, price };
            let Some((steps, circle)) = search.apart_from(&used) else { continue };
            let amount = search.amount(&steps);
            for (leaf, _) in steps {
                used[leaf as usize] = true;
            }
            for (cell, times) in circle {
                moved[cell.index()] += times * amount;
            }
        }
        let moves: Moved = self
            .problem
            .cells()
            .map(|cell| (cell, moved[cell.index()]))
            .filter(|m| m.1 != 0)
            .collect();
        let stands = |&(cell, by): &(CellId, i64)| {
            let side = if by > 0 { Side::Up } else { Side::Down };
            self.problem.room(cell, side).is_none_or(|room| room >= by.abs())
        };
        let relations = self.problem.relations();
        let is_kept = |row: usize| {
            let terms =
                relations.row(row).map(|(cell, c)| i128::from(c) * i128::from(moved[cell.index()]));
            terms.sum::<i128>() == 0
        };
        let holds =
            !moves.is_empty() && moves.iter().all(stands) && (0..relations.len()).all(is_kept);
        holds.then_some(Witness { denominator: 1, moves })
    }

    /// Whether the table is so sparse that leaves exchange amounts.
    pub fn is_sparse(&self) -> bool {
        self.exchange.get_or_init(|| Exchange::new(self)).is_some()
    }

    /// A cell of the finest level below a cell: by the largest parts, but for the first step.
    fn leaf_below(&self, mut cell: CellId, nth: usize) -> Option<CellId> {
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
    fn above(&self, leaf: CellId, into: &mut Vec<CellId>) -> Option<()> {
        let mut keys = vec![self.grid.key(leaf)];
        for (&code, axis) in self.grid.place(leaf).iter().zip(self.grid.axes()) {
            let size = keys.len();
            for &total in axis.above(code) {
                let away = (i64::from(total) - i64::from(code)) * axis.stride as i64;
                for at in 0..size {
                    keys.push(keys[at].wrapping_add_signed(away));
                }
            }
        }
        for key in keys {
            into.push(self.grid.at(key)?);
        }
        Some(())
    }
}

impl Search<'_> {
    /// Whether a leaf can move by what is wanted, both ways, so that the witness shows the other side too.
    fn is_usable(&self, leaf: u32) -> bool {
        let leaf = self.exchange.leaves[leaf as usize];
        let room = |side| self.products.problem.room(leaf, side);
        Side::BOTH.iter().all(|&side| room(side).is_none_or(|room| room >= self.wanted.least))
    }

    /// The cheapest of some circles through a leaf below the cell.
    fn by_circle(&self) -> Option<Witness> {
        (0..LEAVES).find_map(|nth| {
            let below = self.products.leaf_below(self.wanted.cell, nth)?;
            let leaf = self.exchange.leaf(below)?;
            let room = self.products.problem.room(below, self.wanted.side);
            if room.is_some_and(|room| room < self.wanted.least) {
                return None;
            }
            let mut best: Option<(f64, Moved)> = None;
            let mut weighed = 0;
            let usable = |leaf: u32, _: i8| self.is_usable(leaf);
            self.split.graph.circles(leaf, &usable, &mut |steps| {
                weighed += 1;
                if let Some((cost, moved)) = self.weigh(steps)
                    && best.as_ref().is_none_or(|best| cost < best.0)
                {
                    best = Some((cost, moved));
                }
                let enough = weighed >= CIRCLES || best.as_ref().is_some_and(|best| best.0 == 0.0);
                if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            self.witness(best?.1)
        })
    }

    /// A circle through a leaf below the cell that has no leaf in common with those before.
    fn apart_from(&self, used: &[bool]) -> Option<(Steps, Moved)> {
        let usable = |leaf: u32, _: i8| !used[leaf as usize] && self.is_usable(leaf);
        (0..LEAVES).find_map(|nth| {
            let leaf = self.exchange.leaf(self.products.leaf_below(self.wanted.cell, nth)?)?;
            if !usable(leaf, 1) {
                return None;
            }
            let (mut found, mut weighed) = (None, 0);
            self.split.graph.circles(leaf, &usable, &mut |steps| {
                weighed += 1;
                found = self.weigh(steps).map(|(_, moved)| (steps.to_vec(), moved));
                let enough = found.is_some() || weighed == CIRCLES;
                if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            found
        })
    }

    /// How far leaves can go, both ways.
    fn amount(&self, steps: &[(u32, i8)]) -> i64 {
        let rooms = steps.iter().flat_map(|&(leaf, _)| {
            let leaf = self.exchange.leaves[leaf as usize];
            Side::BOTH.iter().filter_map(move |&side| self.products.problem.room(leaf, side))
        });
        rooms.min().unwrap_or(self.wanted.least)
    }

    /// Through a leaf below the cell that is on no circle: it moves with its cell of either table.
    fn by_leaf(&self) -> Option<Witness> {
        let below = self.products.leaf_below(self.wanted.cell, 0)?;
        let leaf = self.exchange.leaf(below)?;
        (0..2).find_map(|table| {
            let mut above = Vec::new();
            self.products.above(below, &mut above)?;
            let variables = self.split.variables[table];
            let cell = above
                .into_iter()
                .find(|&cell| specified(&self.products.grid, cell) == variables)?;
            self.by_product(table, cell, Some(leaf))
        })
    }

    /// By a product within one of the two tables, through one of its cells, whose corners are passed on to leaves.
    fn by_product(&self, table: usize, cell: CellId, first: Option<u32>) -> Option<Witness> {
        let grid = &self.products.grid;
        let (own, other) = (self.split.variables[table], self.split.variables[1 - table]);
        let step = |cell: CellId, side: Side| {
            let stays = specified(grid, cell) & !other == 0;
            let room = self.products.problem.room(cell, side).unwrap_or(i64::MAX / 4);
            if stays || room < self.wanted.least {
                return None;
            }
            Some(((self.price)(cell)? / self.wanted.least as f64, room))
        };
        let product = cheapest(grid, own, Wanted { cell, ..self.wanted }, &step)?;
        let is_finest = |cell: CellId| {
            let along = grid.place(cell).iter().zip(grid.axes()).enumerate();
            let mut of = along.filter(|(at, _)| own >> at & 1 == 1);
            of.all(|(_, (&code, axis))| axis.leaves_below(code) == [code])
        };
        let mut ends: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        for &(corner, sign) in product.corners.iter().filter(|corner| is_finest(corner.0)) {
            ends[usize::from(sign < 0)].push(self.split.cell(grid, table, corner)?);
        }
        let [rising, mut falling] = ends;
        if rising.len() != falling.len() {
            return None;
        }
        let own_cell = self.split.cell(grid, table, cell);
        let mut steps: Steps = Vec::new();
        let usable = |leaf: u32, _: i8| self.is_usable(leaf);
        for start in rising {
            let first = first.filter(|_| own_cell == Some(start));
            let (goal, path) = self.split.graph.path(table, start, &falling, first, &usable)?;
            falling.swap_remove(falling.iter().position(|&cell| cell == goal)?);
            steps.extend(path);
        }
        self.witness(self.weigh(&steps)?.1)
    }

    /// What moves when leaves do, and what it costs; `None` if the wanted cell does not, or one that must not.
    fn weigh(&self, steps: &[(u32, i8)]) -> Option<(f64, Moved)> {
        let mut all: Vec<(CellId, i64)> = Vec::new();
        let mut above = Vec::new();
        for &(leaf, sign) in steps {
            above.clear();
            self.products.above(self.exchange.leaves[leaf as usize], &mut above)?;
            all.extend(above.iter().map(|&cell| (cell, i64::from(sign))));
        }
        all.sort_unstable();
        let sums = all.chunk_by(|a, b| a.0 == b.0);
        let moved: Moved = sums
            .map(|same| (same[0].0, same.iter().map(|(_, sign)| sign).sum::<i64>()))
            .filter(|&(_, times)| times != 0)
            .collect();
        let own = moved.binary_search_by_key(&self.wanted.cell, |&(cell, _)| cell).ok()?;
        let mut cost = 0.0;
        for &(cell, _) in &moved {
            cost += (self.price)(cell)?;
        }
        (moved[own].1 > 0).then_some((cost, moved))
    }

    /// The witness, moved as far as its cells need if they can.
    fn witness(&self, moved: Moved) -> Option<Witness> {
        let problem = self.products.problem;
        let sign = self.wanted.side.sign();
        let (mut asked, mut least, mut both) = (self.wanted.least, i64::MAX, i64::MAX);
        for &(cell, times) in &moved {
            let along = if times * sign > 0 { Side::Up } else { Side::Down };
            if let Some(need) = problem.needs().of(cell) {
                asked = asked.max(need.down).max(need.up);
            }
            for side in Side::BOTH {
                let room = problem.room(cell, side).unwrap_or(i64::MAX) / times.abs();
                both = both.min(room);
                if side == along {
                    least = least.min(room);
                }
            }
        }
        let room = if both >= self.wanted.least { both } else { least };
        if room < self.wanted.least {
            return None;
        }
        let amount = asked.min(room) * sign;
        let moves = moved.into_iter().map(|(cell, times)| (cell, times * amount)).collect();
        self.products.kept(moves)
    }
}

/// All dimensions.
pub(super) const ALL: Variables = Variables::MAX;
