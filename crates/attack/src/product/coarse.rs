//! A table seen more coarsely: every dimension down to some level of its hierarchy only.

use super::Products;
use cellveil_core::CellId;

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
}
