//! A table seen more coarsely: every dimension down to some level of its hierarchy only.

use super::Products;
use crate::grid::Axis;
use cellveil_core::{CellId, Side};
use std::cmp::Reverse;

impl Products<'_> {
    /// How many levels each dimension has below its total; `None` where some dimension is no tree.
    pub fn levels(&self) -> Option<Vec<usize>> {
        let axes = self.grid.axes().iter();
        let deepest = axes.map(|axis| axis.codes().map(|code| axis.above(code).len()).max());
        self.grid.is_tree().then(|| deepest.map(|deepest| deepest.unwrap_or(0)).collect())
    }

    /// On which level of each dimension a cell stands: how many totals are above it.
    pub fn levels_of(&self, cell: CellId) -> impl Iterator<Item = usize> + '_ {
        let along = self.grid.place(cell).iter().zip(self.grid.axes());
        along.map(|(&code, axis)| axis.above(code).len())
    }

    /// The cell that a cell is part of when each dimension is seen down to a level only: itself if it is on none below.
    pub fn seen_at(&self, cell: CellId, levels: &[usize]) -> Option<CellId> {
        let along = self.grid.place(cell).iter().zip(self.grid.axes()).zip(levels);
        let code = |((&code, axis), &level): ((&u32, &crate::grid::Axis), &usize)| {
            let above = axis.above(code);
            let seen = if above.len() > level { above[above.len() - level - 1] } else { code };
            u64::from(seen) * axis.stride
        };
        self.grid.at(along.map(code).sum())
    }

    /// Whether a cell is a total that another is part of, or that cell itself.
    pub fn is_above(&self, total: CellId, part: CellId) -> bool {
        let along = self.grid.place(total).iter().zip(self.grid.place(part)).zip(self.grid.axes());
        along
            .into_iter()
            .all(|((total, part), axis)| total == part || axis.above(*part).contains(total))
    }

    /// Whether a cell stands in the sub-table of another: in every dimension it is a part of the same total, or that total.
    pub fn is_beside(&self, cell: CellId, other: CellId) -> bool {
        let codes = self.grid.place(cell).iter().zip(self.grid.place(other));
        codes.zip(self.grid.axes()).all(|((&code, &other), axis)| {
            // The total of all is its own.
            let parent = axis.above(other).first().copied().unwrap_or(other);
            code == parent || axis.above(code).first() == Some(&parent)
        })
    }

    /// The part of the table that is made of the largest codes of every dimension, those of the cells asked about and the largest beside each of these,
    /// such that it has at most so many cells, ascending: what falls far is among them.
    pub fn largest(&self, asked: &[CellId], most: usize) -> Option<Vec<CellId>> {
        let roots: Option<Vec<u32>> = self.grid.axes().iter().map(Axis::root).collect();
        let roots = roots?;
        // How far the cell can fall that has another code in one dimension.
        let room = |place: &[u32], dimension: usize, code: u32| {
            let mut place = place.to_vec();
            place[dimension] = code;
            let steps = place.iter().zip(self.grid.axes());
            let key = steps.map(|(&code, axis)| u64::from(code) * axis.stride).sum();
            self.grid.at(key).and_then(|cell| self.problem.room(cell, Side::Down)).unwrap_or(0)
        };
        let by_size = |(dimension, axis): (usize, &Axis)| -> Vec<u32> {
            let mut needed = vec![roots[dimension]];
            needed.extend(asked.iter().map(|&cell| self.grid.place(cell)[dimension]));
            let beside = |code: &u32| {
                let rooms = asked.iter().map(|&cell| room(self.grid.place(cell), dimension, *code));
                rooms.max()
            };
            let others = axis.codes().filter(|code| !needed.contains(code));
            needed.extend(others.max_by_key(|code| (beside(code), Reverse(*code))));
            let mut codes: Vec<u32> = axis.codes().collect();
            let size = |code: u32| Reverse(room(&roots, dimension, code));
            codes.sort_by_cached_key(|&code| (!needed.contains(&code), size(code), code));
            codes
        };
        let sorted: Vec<Vec<u32>> = self.grid.axes().iter().enumerate().map(by_size).collect();
        let size =
            |count: usize| -> usize { sorted.iter().map(|codes| codes.len().min(count)).product() };
        let longest = sorted.iter().map(Vec::len).max()?;
        let count = (2..=longest).take_while(|&count| size(count) <= most).last()?;
        let mut is_in: Vec<Vec<bool>> =
            sorted.iter().map(|codes| vec![false; codes.len()]).collect();
        for (is_in, codes) in is_in.iter_mut().zip(&sorted) {
            for &code in codes.iter().take(count) {
                is_in[code as usize] = true;
            }
        }
        let is_part = |cell: &CellId| {
            self.grid.place(*cell).iter().zip(&is_in).all(|(&code, is_in)| is_in[code as usize])
        };
        Some(self.problem.cells().filter(is_part).collect())
    }
}
