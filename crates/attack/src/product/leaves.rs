//! Which leaves move for a cell, within one split.

use super::circuit::Wanted;
use super::exchange::Exchange;
use super::graph::Steps;
use super::search::cheapest;
use super::split::{Split, specified};
use super::{Price, Products};
use cellveil_core::{CellId, Side, Witness};
use std::ops::ControlFlow;

/// How many leaves below a cell are tried, and how many circles through each are weighed.
const LEAVES: usize = 8;
const CIRCLES: usize = 6;

/// Cells that move, with how many times the amount.
pub(super) type Moved = Vec<(CellId, i64)>;

/// What an exchange is looked for.
pub(super) struct Search<'s> {
    pub(super) products: &'s Products<'s>,
    pub(super) exchange: &'s Exchange,
    pub(super) split: &'s Split,
    pub(super) wanted: Wanted,
    pub(super) price: &'s Price<'s>,
    /// Leaves that must not move.
    pub(super) unmoved: &'s dyn Fn(u32) -> bool,
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
    pub(super) fn find(&self) -> Option<Steps> {
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
    pub(super) fn is_below(&self, leaf: CellId) -> bool {
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
    pub(super) fn by_circle(&self) -> Option<Steps> {
        self.leaves_below().find_map(|(_, leaf)| {
            let mut best: Option<(f64, Steps)> = None;
            let mut weighed = 0;
            let usable = |leaf: u32| self.is_usable(leaf);
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
    pub(super) fn amount(&self, steps: &[(u32, i8)]) -> i64 {
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
        let usable = |leaf: u32| self.is_usable(leaf);
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
        let usable = |leaf: u32| self.is_usable(leaf);
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
    pub(super) fn weigh(&self, steps: &[(u32, i8)]) -> Option<(f64, Moved)> {
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
    pub(super) fn witness(&self, moved: Moved) -> Option<Witness> {
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
