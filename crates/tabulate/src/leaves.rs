//! The finest cells one by one, smaller tables made of them, and amounts that are rolled up beside them.
//!
//! Tables too large to be held are worked on in this form: whatever is additive over the finest cells becomes known of every cell while the
//! cells stream by.

use crate::TabulateError;
use crate::cube::{Cells, Cube, Sink};
use crate::gathered::{Frame, Gathered, Rows};
use crate::layout::{Key, Layout};
use crate::measure::Measure;
use crate::run::Run;
use crate::table_sink::TableSink;
use cellveil_core::{CodeId, Dimension, Table};
use rayon::prelude::*;

/// Finest cells that move, ascending, and by how much.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeafMoves {
    /// Positions among the finest cells.
    pub leaves: Vec<u32>,
    /// In units of the table.
    pub by: Vec<i64>,
}

impl LeafMoves {
    /// From the move of every finest cell.
    pub fn of(all: &[i64]) -> Self {
        let moved = all.iter().zip(0..).filter(|&(&by, _)| by != 0);
        let (leaves, by) = moved.map(|(&by, leaf)| (leaf, by)).unzip();
        Self { leaves, by }
    }

    /// The finest cells that move, with by how much.
    pub fn iter(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.leaves.iter().map(|&leaf| leaf as usize).zip(self.by.iter().copied())
    }
}

impl Gathered {
    /// The code of a finest cell.
    pub fn code(&self, leaf: usize, dimension: usize) -> CodeId {
        match &self.rows {
            Rows::Narrow(run) => self.frame.layout.code(run.keys[leaf], dimension),
            Rows::Wide(run) => self.frame.layout.code(run.keys[leaf], dimension),
        }
    }

    /// The row of a finest cell, to be read by the measure of the frame.
    pub fn row(&self, leaf: usize) -> &[i64] {
        let width = self.frame.measure().width();
        &self.words()[leaf * width..(leaf + 1) * width]
    }

    fn words(&self) -> &[i64] {
        match &self.rows {
            Rows::Narrow(run) => &run.words,
            Rows::Wide(run) => &run.words,
        }
    }

    /// The finest cells of the table of some of the variables, in the order of their codes, and for each finest cell of this table the one it lies in.
    ///
    /// # Errors
    /// [`TabulateError`] if keys would not fit.
    pub fn projected(&self, dimensions: &[usize]) -> Result<(Self, Vec<u32>), TabulateError> {
        let kept: Vec<Dimension> =
            dimensions.iter().map(|&at| self.frame.dimensions[at].clone()).collect();
        let frame = Frame::new(&self.frame.spec, kept, self.frame.units, 0)?;
        let mut ends = vec![0; self.len()];
        let rows = if frame.layout.bits() <= u64::BITS {
            Rows::Narrow(self.project(dimensions, &frame.layout, &mut ends))
        } else {
            Rows::Wide(self.project(dimensions, &frame.layout, &mut ends))
        };
        Ok((Self { frame, rows }, ends))
    }

    fn project<K: Key>(&self, dimensions: &[usize], layout: &Layout, ends: &mut [u32]) -> Run<K> {
        let key = |leaf: usize| {
            let codes = dimensions.iter().enumerate();
            let places = codes.map(|(to, &from)| layout.place(to, self.code(leaf, from)));
            K::pack(places.sum())
        };
        let mut order: Vec<(K, u32)> =
            (0..self.len()).into_par_iter().map(|leaf| (key(leaf), leaf as u32)).collect();
        order.par_sort_unstable();
        let measure = self.frame.measure();
        let mut run = Run::default();
        for (key, leaf) in order {
            run.push(key, self.row(leaf as usize), measure);
            ends[leaf as usize] = run.len() as u32 - 1;
        }
        run
    }

    /// Hands every margin and level to a sink as [`Gathered::roll_up`] does, with the moves of each cell at the end of its row
    /// ([`Measure::moves`]). Not for tables that tell holdings apart.
    ///
    /// # Errors
    /// [`TabulateError`] if the sink refuses.
    pub fn roll_up_beside(
        &self,
        moves: &[&LeafMoves],
        sink: &mut dyn Sink,
    ) -> Result<(), TabulateError> {
        let measure = self.frame.measure().with_moves(moves.len());
        let frame = &self.frame;
        let cube =
            Cube { dimensions: &frame.dimensions, layout: &frame.layout, measure, shares: None };
        let words = self.beside(moves, measure);
        match &self.rows {
            Rows::Narrow(run) => cube.roll_up_rows(&run.keys, &words, sink),
            Rows::Wide(run) => cube.roll_up_rows(&run.keys, &words, sink),
        }
    }

    /// The rows with their moves.
    fn beside(&self, moves: &[&LeafMoves], measure: Measure) -> Vec<i64> {
        let (own, width) = (self.frame.measure().width(), measure.width());
        let mut words = vec![0; self.len() * width];
        for (to, row) in words.chunks_exact_mut(width).zip(self.words().chunks_exact(own)) {
            to[..own].copy_from_slice(row);
        }
        for (at, moves) in moves.iter().enumerate() {
            for (leaf, by) in moves.iter() {
                words[leaf * width + own + at] = by;
            }
        }
        words
    }
}

impl Frame {
    /// Where each of some lots of cells begins among all cells, and how many it has; `at` is how many came before, and then with them.
    pub fn starts(&self, lots: &[Cells], at: &mut usize) -> (Vec<usize>, Vec<usize>) {
        let width = self.dimensions.len();
        let counts: Vec<usize> = lots.iter().map(|cells| cells.codes.len() / width).collect();
        let starts = counts.iter().map(|count| {
            *at += count;
            *at - count
        });
        (starts.collect(), counts)
    }

    /// Some cells as the rules see them, without the sums they stand in; `moves` amounts stand at the end of each row.
    ///
    /// # Errors
    /// [`TabulateError`] if there are too many of them.
    pub fn excerpt(&self, cells: Cells, moves: usize) -> Result<Table, TabulateError> {
        let mut sink = TableSink::new(self, None).reading(self.measure().with_moves(moves));
        sink.take(cells)?;
        Ok(Table::excerpt(sink.parts()))
    }
}
