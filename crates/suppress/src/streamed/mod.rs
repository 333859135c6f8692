//! Tables too large to be held: amounts that go round among their finest cells, the leaves.
//!
//! Two smaller tables, each spanned by some of the variables, stay as they are: every leaf joins a cell of the one and a cell of the other, and amounts
//! that go round a circle of leaves, up and down in turns, change neither (`attack::LeafGraph`). All that is held is a few numbers per leaf. A [`Draft`]
//! is one table of moves that is being made; each stands for itself and its mirror image, so no leaf moves by more than its value.

mod aim;
mod lift;
mod peel;

pub use crate::chance::scattered;
pub use aim::Aim;

use cellveil_attack::LeafGraph;

/// The leaves of a table between the cells of two smaller ones.
pub struct Exchange<'a> {
    values: &'a [i64],
    graph: LeafGraph,
    /// How many cells either table has.
    cells: [usize; 2],
}

impl<'a> Exchange<'a> {
    /// From the value of every leaf, and the cell of either table it lies in.
    pub fn new(values: &'a [i64], ends: [Vec<u32>; 2]) -> Self {
        let cells =
            [0, 1].map(|table: usize| ends[table].iter().max().map_or(0, |&c| c as usize + 1));
        Self { values, graph: LeafGraph::new(ends), cells }
    }

    /// The cell of a table that a leaf lies in.
    pub fn end(&self, table: usize, leaf: u32) -> u32 {
        self.graph.end(table, leaf)
    }

    /// Per table and cell, whether amounts can go from it to most others with which it shares what `block` says of leaves.
    pub fn joined(&self, block: &[u32]) -> [Vec<bool>; 2] {
        self.graph.main_pieces(|leaf| u64::from(block[leaf as usize]))
    }

    /// A table in which nothing moves yet.
    pub fn draft(&self) -> Draft {
        Draft { by: vec![0; self.values.len()], pinned: vec![false; self.values.len()] }
    }
}

/// A table of moves that is being made.
pub struct Draft {
    /// By how much every leaf moves.
    by: Vec<i64>,
    /// Leaves that shall not move any further.
    pinned: Vec<bool>,
}

impl Draft {
    /// By how much every leaf moves.
    pub fn moves(&self) -> &[i64] {
        &self.by
    }
}
