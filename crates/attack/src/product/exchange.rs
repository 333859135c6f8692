//! Witnesses in sparse tables of many dimensions, where hardly any product of circuits has all its corners.
//!
//! Leaves exchange amounts such that two smaller tables stay as they are (see `split.rs`); all other totals above the leaves that move, move. A cell of
//! one of the two tables moves by a product within that table, whose corners pass on to leaves what they rise and fall by.

use super::circuit::Wanted;
use super::graph::Steps;
use super::search::cheapest;
use super::split::{LazySplit, Split, Variables, specified, splits};
use super::{Price, Products, paid};
use crate::cube::Map;
use cellveil_core::{CellId, Side, Witness};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// The leaves, and the splits to try.
pub(super) struct Exchange {
    leaves: Vec<CellId>,
    levels: Vec<Vec<LazySplit>>,
}

/// How many leaves below a cell are tried, and how many circles through each are weighed.
const LEAVES: usize = 8;
const CIRCLES: usize = 6;

/// Which part of what is wanted each of several exchanges must bring, one part in so many.
const SHARES: [i64; 3] = [1, 4, 16];

/// Cells that move, with how many times the amount.
type Moved = Vec<(CellId, i64)>;

impl Exchange {
    pub(super) fn new(products: &Products<'_>) -> Option<Self> {
        let (leaves, levels) = splits(products.problem, &products.grid)?;
        Some(Self { leaves, levels })
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
    /// Leaves that must not move.
    unmoved: &'s dyn Fn(u32) -> bool,
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
        exchange.levels.iter().find_map(|level| {
            let found = level.iter().filter_map(|split| {
                let split = split.get(&self.grid, &exchange.leaves);
                let sum = |&share: &i64| {
                    self.exchanges(exchange, split, (cell, side), target, share, price)
                };
                let witness = SHARES.iter().find_map(sum)?;
                Some((paid(&witness, price), witness))
            });
            found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, witness)| witness)
        })
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

    fn has_room(&self, &(cell, by): &(CellId, i64)) -> bool {
        let side = if by > 0 { Side::Up } else { Side::Down };
        self.problem.room(cell, side).is_none_or(|room| room >= by.abs())
    }

    /// One table in which as many of these cells as possible move as far as they need, all by circles that have no leaf in common.
    pub fn exchange_many(&self, cells: &[CellId], price: &Price<'_>) -> Option<Witness> {
        let exchange = self.exchange.get_or_init(|| Exchange::new(self)).as_ref()?;
        let split = exchange.levels.first()?.first()?.get(&self.grid, &exchange.leaves);
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
                moved[cell.index()] += times * amount;
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
        if (self.unmoved)(leaf) {
            return false;
        }
        let leaf = self.exchange.leaves[leaf as usize];
        let room = |side| self.products.problem.room(leaf, side);
        (self.price)(leaf).is_some()
            && Side::BOTH
                .iter()
                .all(|&side| room(side).is_none_or(|room| room >= self.wanted.least))
    }

    /// Leaves that move the cell and leave what is published of both tables as it is.
    fn find(&self) -> Option<Steps> {
        let set = specified(&self.products.grid, self.wanted.cell);
        let within = self.split.variables.map(|variables| set & !variables == 0);
        let first = match within {
            [false, false] => self.by_circle(),
            [true, false] => self.by_product(0, self.wanted.cell, None),
            [false, true] => self.by_product(1, self.wanted.cell, None),
            [true, true] => return None,
        };
        first.or_else(|| self.by_leaf())
    }

    /// Whether a cell is part of the wanted one.
    fn is_below(&self, leaf: CellId) -> bool {
        let grid = &self.products.grid;
        let codes = grid.place(leaf).iter().zip(grid.place(self.wanted.cell)).zip(grid.axes());
        codes
            .clone()
            .all(|((&code, &above), axis)| code == above || axis.above(code).contains(&above))
    }

    /// Leaves below the cell that can move far enough.
    fn leaves_below(&self) -> impl Iterator<Item = (CellId, u32)> {
        (0..LEAVES).filter_map(|nth| {
            let below = self.products.leaf_below(self.wanted.cell, nth)?;
            let leaf = self.exchange.leaf(below)?;
            let room = self.products.problem.room(below, self.wanted.side);
            let is_free =
                !(self.unmoved)(leaf) && room.is_none_or(|room| room >= self.wanted.least);
            is_free.then_some((below, leaf))
        })
    }

    /// The cheapest of some circles through a leaf below the cell.
    fn by_circle(&self) -> Option<Steps> {
        self.leaves_below().find_map(|(_, leaf)| {
            let mut best: Option<(f64, Steps)> = None;
            let mut weighed = 0;
            let usable = |leaf: u32, _: i8| self.is_usable(leaf);
            self.split.graph.circles(leaf, &usable, &mut |steps| {
                weighed += 1;
                if let Some((cost, _)) = self.weigh(steps)
                    && best.as_ref().is_none_or(|best| cost < best.0)
                {
                    best = Some((cost, steps.to_vec()));
                }
                let enough = weighed >= CIRCLES || best.as_ref().is_some_and(|best| best.0 == 0.0);
                if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            best.map(|best| best.1)
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

    /// Through a leaf below the cell that is on no circle: it moves with its cell of either table, or of both.
    fn by_leaf(&self) -> Option<Steps> {
        self.leaves_below().find_map(|(below, leaf)| {
            let mut above = Vec::new();
            self.products.above(below, &mut above)?;
            let of = |variables| {
                above
                    .iter()
                    .copied()
                    .find(|&cell| specified(&self.products.grid, cell) == variables)
            };
            let cells = [of(self.split.variables[0])?, of(self.split.variables[1])?];
            let one = (0..2).find_map(|table| self.by_product(table, cells[table], Some(leaf)));
            one.or_else(|| self.by_both(leaf, cells))
        })
    }

    /// The finest cells of one of the two tables that rise and fall in a product within it, through one of its cells.
    fn corners(&self, table: usize, cell: CellId) -> Option<[Vec<CellId>; 2]> {
        let (grid, split) = (&self.products.grid, self.split);
        let (own, other) = (split.variables[table], split.variables[1 - table]);
        let step = |at: CellId, side: Side| {
            let stays = specified(grid, at) & !other == 0;
            let room = self.products.problem.room(at, side).unwrap_or(i64::MAX / 4);
            let is_joined = at == cell || split.is_joined(grid, table, at);
            if stays || !is_joined || room < self.wanted.least {
                return None;
            }
            Some(((self.price)(at)? / self.wanted.least as f64, room))
        };
        let product = cheapest(grid, own, Wanted { cell, ..self.wanted }, &step)?;
        let mut corners = [Vec::new(), Vec::new()];
        for &(corner, sign) in &product.corners {
            if split.cell(grid, table, corner).is_some() {
                corners[usize::from(sign < 0)].push(corner);
            }
        }
        (corners[0].len() == corners[1].len()).then_some(corners)
    }

    /// By a product within one of the two tables, through one of its cells, whose corners are passed on to leaves.
    fn by_product(&self, table: usize, cell: CellId, first: Option<u32>) -> Option<Steps> {
        if !self.split.is_joined(&self.products.grid, table, cell) {
            return None;
        }
        let [rising, falling] = self.corners(table, cell)?;
        let mut steps: Steps = Vec::new();
        self.pass_on(table, &rising, falling, first.map(|leaf| (cell, leaf)), &mut steps)?;
        self.weigh(&steps).map(|_| steps)
    }

    /// By products within both tables, where a leaf is nearly alone in its cell of either.
    fn by_both(&self, leaf: u32, cells: [CellId; 2]) -> Option<Steps> {
        let grid = &self.products.grid;
        let mut steps: Steps = vec![(leaf, 1)];
        let mut ends = [0, 0];
        for table in 0..2 {
            let [mut rising, mut falling] = self.corners(table, cells[table])?;
            rising.retain(|&corner| corner != cells[table]);
            let beside = |&at: &CellId| self.split.is_beside(grid, at, cells[table]);
            let last = falling.swap_remove(falling.iter().position(beside)?);
            ends[table] = self.split.cell(grid, table, last)?;
            self.pass_on(table, &rising, falling, None, &mut steps)?;
        }
        let usable = |leaf: u32, _: i8| self.is_usable(leaf);
        let mut link = None;
        self.split.graph.links(0, ends[0], ends[1], &usable, &mut |found| {
            link = Some(found.to_vec());
            ControlFlow::Break(())
        });
        steps.extend(link?);
        self.weigh(&steps).map(|_| steps)
    }

    /// Leads what rises in some cells of a table to others that fall, over leaves; from one cell perhaps by a certain leaf.
    fn pass_on(
        &self,
        table: usize,
        rising: &[CellId],
        falling: Vec<CellId>,
        first: Option<(CellId, u32)>,
        steps: &mut Steps,
    ) -> Option<()> {
        let at = |cell: CellId| self.split.cell(&self.products.grid, table, cell);
        let mut falling: Vec<u32> = falling.into_iter().map(at).collect::<Option<_>>()?;
        let usable = |leaf: u32, _: i8| self.is_usable(leaf);
        for &start in rising {
            let first = first.filter(|&(cell, _)| cell == start).map(|(_, leaf)| leaf);
            let (goal, path) =
                self.split.graph.path(table, at(start)?, &falling, first, &usable)?;
            falling.swap_remove(falling.iter().position(|&cell| cell == goal)?);
            steps.extend(path);
        }
        Some(())
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
