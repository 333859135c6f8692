//! Exact tables from tables that are nearly right, in components of three dimensions.
//!
//! Relations of one dimension are set aside, and the component falls into slabs, each a network: rounding errors run off along the
//! branches of a spanning tree. What the relations set aside then miss is made up for by cycles within slabs. A cycle leads
//! through one relation that is not yet in order and otherwise through relations that come later in the order, and the last ones
//! all cross one slab, which takes what is left: it is a sum of slabs, so it leaves the relations of that slab alone.
//!
//! A few relations set aside are crossed only by cells that lead from one tree of their slab to another, such as the few withheld totals in a
//! plane of totals. Each of those cells ties one such relation to one small tree; they are put in order first, along spanning trees of
//! these ties, and left alone after that.
//! Everything is a whole number of steps, every pivot is ±1, and errors grow by the length of a few cycles.

use crate::component::Component;
use crate::dimension::Dimensions;
use crate::propagate::{NO_LIMIT, Rows};
use crate::tie::{self, Tie};
use cellveil_core::{CellId, Problem, Witness};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NOWHERE: u32 = u32::MAX;

/// How finely units are divided at most.
const FINEST: f64 = (1_u32 << 30) as f64;

/// Moves are at most this many steps, so that sums of them are exact.
const LARGEST: f64 = (1_u64 << 52) as f64;

/// Moves are shortened by one of these parts before they are rounded: the slack for rounding, as little of it as does.
const SHORTER: [f64; 3] = [1e-4, 1e-3, 1e-2];

/// The plan by which rounded moves of one component are put in order.
pub(crate) struct Slabs<'a> {
    component: &'a Component,
    dimensions: &'a Dimensions,
    /// Branches of the slabs' trees, outermost first: the cell, its outer and its inner relation.
    branches: Vec<(u32, u32, u32)>,
    /// Cycles in the order in which they are applied: the cell in the relation put in order, then the others in turn.
    cycles: Vec<Vec<u32>>,
    /// The relations set aside that cross the last slab, each with its cell there.
    last: Vec<(u32, u32)>,
    /// Per cell the relation set aside.
    aside: Vec<u32>,
    /// Cells whose relation no cycle puts in order but that tie it to a small tree.
    ties: Vec<Tie>,
    /// Cells that nothing puts in order.
    stuck: Vec<bool>,
}

/// A component with the relations of one dimension set aside.
struct Aside<'a> {
    component: &'a Component,
    /// Per cell its two relations that are kept and the one set aside.
    ends: Vec<[u32; 3]>,
    /// Per relation that is kept its cells.
    cells_of: &'a Rows,
}

/// Trees of slabs, grown over some of the cells.
struct Forest {
    /// Per relation its tree and its depth there.
    tree: Vec<u32>,
    depth: Vec<u32>,
    /// The cell and the relation that lead towards the root.
    parent: Vec<(u32, u32)>,
    /// Relations in the order in which they were come to.
    order: Vec<u32>,
}

impl<'a> Slabs<'a> {
    /// The plan for the dimension that puts most in order; `None` if the component is not one of three dimensions.
    pub(crate) fn new(component: &'a Component, dimensions: &'a Dimensions) -> Option<Self> {
        let rows = component.flat_rows();
        let plans = (0..3).map(|class| Self::with_aside(component, &rows, dimensions, class));
        plans.min_by_key(|plan| plan.stuck.iter().filter(|&&stuck| stuck).count())
    }

    fn with_aside(
        component: &'a Component,
        rows: &Rows,
        dimensions: &'a Dimensions,
        class: usize,
    ) -> Self {
        let others = [(class + 1) % 3, (class + 2) % 3, class];
        let ends: Vec<[u32; 3]> =
            dimensions.rows.iter().map(|rows| others.map(|class| rows[class])).collect();
        let aside = Aside { component, ends, cells_of: rows };
        let cells = component.cells.len();
        let all = aside.forest(&|_| true);
        let last = aside.largest_slab(&all);
        let mut settled = vec![false; component.rows.len()];
        for &(row, _) in &last {
            settled[row as usize] = true;
        }
        let mut cycles = Vec::new();
        loop {
            let found = aside.cycles(&settled);
            if found.is_empty() {
                break;
            }
            for (row, cycle) in found {
                settled[row as usize] = true;
                cycles.push(cycle);
            }
        }
        cycles.reverse();
        let mut stuck: Vec<bool> =
            (0..cells).map(|at| !settled[aside.ends[at][2] as usize]).collect();
        let moving = aside.forest(&|at| !stuck[at as usize]);
        let ties = aside.ties(&all, &moving, &stuck);
        for tie in &ties {
            stuck[tie.cell as usize] = false;
        }
        let branches = moving.order.iter().rev().filter_map(|&row| {
            let (cell, inner) = moving.parent[row as usize];
            (cell != NOWHERE).then_some((cell, row, inner))
        });
        Self {
            component,
            dimensions,
            branches: branches.collect(),
            cycles,
            last,
            aside: aside.ends.iter().map(|ends| ends[2]).collect(),
            ties,
            stuck,
        }
    }

    /// Whether a cell must stay because nothing puts its relation in order.
    pub(crate) fn is_stuck(&self, at: u32) -> bool {
        self.stuck[at as usize]
    }

    /// An exact table near the given moves, in units; `None` if rounding takes a cell beyond its room. Cells that are stuck stay.
    pub(crate) fn exact(&self, problem: &Problem, moves: &[f64]) -> Option<Witness> {
        let largest = moves.iter().fold(1.0_f64, |largest, moved| largest.max(moved.abs()));
        if largest > LARGEST || moves.iter().any(|moved| !moved.is_finite()) {
            return None;
        }
        SHORTER.iter().find_map(|shorter| self.rounded(problem, moves, largest, 1.0 - shorter))
    }

    /// Moves times `share`, rounded and put in order.
    fn rounded(
        &self,
        problem: &Problem,
        moves: &[f64],
        largest: f64,
        share: f64,
    ) -> Option<Witness> {
        let finest = if problem.is_whole() { 1.0 } else { FINEST };
        let grid = (LARGEST / largest).min(finest).max(1.0).floor();
        let mut steps: Vec<i128> = moves
            .iter()
            .zip(&self.dimensions.signs)
            .map(|(moved, &sign)| (moved * share * grid).round() as i128 * i128::from(sign))
            .collect();
        tie::settle(&self.ties, &mut steps)?;
        let mut sums = self.sums(&steps);
        for &(cell, outer, inner) in &self.branches {
            let missing = within(std::mem::take(&mut sums[outer as usize]))?;
            steps[cell as usize] -= missing;
            sums[inner as usize] -= missing;
            sums[self.aside[cell as usize] as usize] -= missing;
        }
        for cycle in &self.cycles {
            let mut missing = within(sums[self.aside[cycle[0] as usize] as usize])?;
            for &cell in cycle {
                steps[cell as usize] -= missing;
                sums[self.aside[cell as usize] as usize] -= missing;
                missing = -missing;
            }
        }
        for &(row, cell) in &self.last {
            steps[cell as usize] -= sums[row as usize];
        }
        self.witness(&steps, grid)
    }

    fn sums(&self, steps: &[i128]) -> Vec<i128> {
        let mut sums = vec![0; self.component.rows.len()];
        for (rows, step) in self.dimensions.rows.iter().zip(steps) {
            for &row in rows {
                sums[row as usize] += step;
            }
        }
        sums
    }

    /// The steps as a witness, if they keep every relation and stay within all rooms.
    fn witness(&self, steps: &[i128], grid: f64) -> Option<Witness> {
        let denominator = grid as u32;
        let fits = steps.iter().zip(&self.dimensions.signs).zip(&self.component.rooms);
        let mut fits = fits.map(|((&step, &sign), &[down, up])| {
            let step = step * i128::from(sign);
            let room = if step < 0 { down } else { up };
            room == NO_LIMIT || step.abs() <= i128::from(room) * i128::from(denominator)
        });
        if self.sums(steps).iter().any(|&sum| sum != 0) || !fits.all(|fits| fits) {
            return None;
        }
        let cells = self.component.cells.iter().zip(steps.iter().zip(&self.dimensions.signs));
        let moves: Option<Vec<(CellId, i64)>> = cells
            .filter(|(_, (step, _))| **step != 0)
            .map(|(&cell, (&step, &sign))| {
                Some((cell, i64::try_from(step * i128::from(sign)).ok()?))
            })
            .collect();
        let moves = moves?;
        (!moves.is_empty()).then_some(Witness { denominator, moves })
    }
}

/// Errors that have grown beyond all moves are not worth correcting.
fn within(missing: i128) -> Option<i128> {
    Some(missing).filter(|missing| missing.abs() <= LARGEST as i128)
}

impl Aside<'_> {
    /// Trees over some of the cells.
    fn forest(&self, usable: &dyn Fn(u32) -> bool) -> Forest {
        let rows = self.component.rows.len();
        let mut forest = Forest {
            tree: vec![NOWHERE; rows],
            depth: vec![0; rows],
            parent: vec![(NOWHERE, NOWHERE); rows],
            order: Vec::new(),
        };
        let mut roots: Vec<u32> = self.ends.iter().flat_map(|&[a, b, _]| [a, b]).collect();
        roots.sort_unstable();
        roots.dedup();
        roots.sort_by_key(|&row| Reverse(self.cells_of.of(row as usize).len()));
        for root in roots {
            if forest.tree[root as usize] == NOWHERE {
                self.grow(root, usable, &mut forest);
            }
        }
        forest
    }

    /// The cells with most room first: what runs off along them does not fill them.
    fn grow(&self, root: u32, usable: &dyn Fn(u32) -> bool, forest: &mut Forest) {
        let mut waiting = BinaryHeap::from([(i64::MAX, Reverse(NOWHERE), root, root)]);
        while let Some((_, Reverse(cell), row, from)) = waiting.pop() {
            if forest.tree[row as usize] != NOWHERE {
                continue;
            }
            forest.order.push(row);
            forest.tree[row as usize] = root;
            if cell != NOWHERE {
                forest.depth[row as usize] = forest.depth[from as usize] + 1;
                forest.parent[row as usize] = (cell, from);
            }
            for &(cell, _) in self.cells_of.of(row as usize) {
                let [a, b, _] = self.ends[cell as usize];
                let other = if a == row { b } else { a };
                if forest.tree[other as usize] == NOWHERE && usable(cell) {
                    waiting.push((self.room(cell), Reverse(cell), other, row));
                }
            }
        }
    }

    fn room(&self, at: u32) -> i64 {
        let [down, up] = self.component.rooms[at as usize];
        down.min(up)
    }

    /// The relations set aside that cross the slab with the most cells, with the cells there.
    fn largest_slab(&self, forest: &Forest) -> Vec<(u32, u32)> {
        let slab = |at: usize| forest.tree[self.ends[at][0] as usize];
        let mut sizes = vec![0_u32; self.component.rows.len()];
        for at in 0..self.ends.len() {
            sizes[slab(at) as usize] += 1;
        }
        let largest = (0..sizes.len()).max_by_key(|&tree| (sizes[tree], Reverse(tree)));
        let cells = (0..self.ends.len()).filter(|&at| Some(slab(at) as usize) == largest);
        cells.map(|at| (self.ends[at][2], at as u32)).collect()
    }

    /// The cells of relations that are not settled, between those and the small trees they lead to. In every slab the largest tree is in
    /// order once the others are. Leaves of the trees that ties make come first.
    fn ties(&self, slabs: &Forest, trees: &Forest, stuck: &[bool]) -> Vec<Tie> {
        let rows = self.component.rows.len();
        let mut sizes = vec![0_u32; rows];
        for &row in &trees.order {
            sizes[trees.tree[row as usize] as usize] += 1;
        }
        let mut largest = vec![NOWHERE; rows];
        for &root in trees.order.iter().filter(|&&row| trees.tree[row as usize] == row) {
            let best = &mut largest[slabs.tree[root as usize] as usize];
            if *best == NOWHERE || sizes[root as usize] > sizes[*best as usize] {
                *best = root;
            }
        }
        let is_small = |tree: u32| largest[slabs.tree[tree as usize] as usize] != tree;
        let mut ties: Vec<Tie> = Vec::new();
        for (at, &[a, b, aside]) in self.ends.iter().enumerate().filter(|&(at, _)| stuck[at]) {
            let [tree_a, tree_b] = [a, b].map(|end| trees.tree[end as usize]);
            let (tree, sign) = match (is_small(tree_a), is_small(tree_b)) {
                (true, false) => (tree_a, 1),
                (false, true) => (tree_b, -1),
                _ => continue,
            };
            ties.push(Tie { cell: at as u32, aside, tree, sign, outer: None });
        }
        tie::ordered(ties, &|cell| self.room(cell))
    }

    /// For relations not settled yet, cycles through one of their cells and otherwise settled relations only.
    fn cycles(&self, settled: &[bool]) -> Vec<(u32, Vec<u32>)> {
        let is_settled = |at: u32| settled[self.ends[at as usize][2] as usize];
        let forest = self.forest(&is_settled);
        let mut best: Vec<(i64, Vec<u32>)> = vec![(0, Vec::new()); settled.len()];
        for (at, &[a, b, row]) in self.ends.iter().enumerate() {
            let [tree_a, tree_b] = [a, b].map(|end| forest.tree[end as usize]);
            if !settled[row as usize] && tree_a == tree_b && tree_a != NOWHERE {
                let cycle = self.cycle(at as u32, &forest);
                let narrowest = cycle.iter().map(|&at| self.room(at)).min().unwrap_or(0);
                if narrowest > best[row as usize].0 {
                    best[row as usize] = (narrowest, cycle);
                }
            }
        }
        let found = best.into_iter().enumerate().filter(|(_, (room, _))| *room > 0);
        found.map(|(row, (_, cycle))| (row as u32, cycle)).collect()
    }

    /// A cell and the path that leads from one of its relations to the other.
    fn cycle(&self, at: u32, forest: &Forest) -> Vec<u32> {
        let [mut a, mut b, _] = self.ends[at as usize];
        let (mut from, mut to) = (vec![at], Vec::new());
        while a != b {
            if forest.depth[a as usize] >= forest.depth[b as usize] {
                let (cell, inner) = forest.parent[a as usize];
                from.push(cell);
                a = inner;
            } else {
                let (cell, inner) = forest.parent[b as usize];
                to.push(cell);
                b = inner;
            }
        }
        from.extend(to.into_iter().rev());
        from
    }
}
