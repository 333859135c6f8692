//! The sums that hold among cells.

use crate::CellId;
use std::sync::Arc;

/// Linear relations `Σ coefficient · cell = constant`, row by row.
///
/// A margin is one row: its total with coefficient −1 and its parts with +1. Hierarchies, links between tables and equations
/// between responses are rows of the same kind. Copies share their rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relations(Arc<Rows>);

/// As long as every row is a margin with its total first, only cells are held.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rows {
    starts: Vec<u32>,
    cells: Vec<CellId>,
    /// One per cell, or none at all.
    coefficients: Vec<i32>,
    /// One per row, or none at all where every constant is 0.
    constants: Vec<i64>,
}

impl Default for Relations {
    fn default() -> Self {
        let (starts, cells) = (vec![0], Vec::new());
        let (coefficients, constants) = (Vec::new(), Vec::new());
        Self(Arc::new(Rows { starts, cells, coefficients, constants }))
    }
}

impl Rows {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Writes out the coefficients of all rows so far.
    fn write_coefficients(&mut self) {
        let margin = |row: usize| (0..self.range(row).len()).map(margin_coefficient);
        self.coefficients = (0..self.len()).flat_map(margin).collect();
    }

    /// Ends the row that the last cells belong to.
    ///
    /// # Panics
    /// If there are more than 4 billion terms; tables are refused before they grow that large.
    fn end(&mut self) {
        match u32::try_from(self.cells.len()) {
            Ok(end) => self.starts.push(end),
            Err(_) => unreachable!("relations have fewer than 2^32 terms"),
        }
    }
}

/// The total of a margin stands first.
fn margin_coefficient(at: usize) -> i32 {
    if at == 0 { -1 } else { 1 }
}

impl Relations {
    /// Adds `total = Σ parts`.
    pub fn push_sum(&mut self, total: CellId, parts: impl IntoIterator<Item = CellId>) {
        self.push(std::iter::once((total, -1)).chain(parts.into_iter().map(|part| (part, 1))), 0);
    }

    /// Adds `Σ coefficient · cell = constant`.
    pub fn push(&mut self, terms: impl IntoIterator<Item = (CellId, i32)>, constant: i64) {
        let rows = Arc::make_mut(&mut self.0);
        let from = rows.cells.len();
        for (cell, coefficient) in terms {
            let at = rows.cells.len() - from;
            if rows.coefficients.is_empty() && coefficient != margin_coefficient(at) {
                rows.write_coefficients();
                rows.coefficients.extend((0..at).map(margin_coefficient));
            }
            if !rows.coefficients.is_empty() || coefficient != margin_coefficient(at) {
                rows.coefficients.push(coefficient);
            }
            rows.cells.push(cell);
        }
        if rows.constants.is_empty() && constant != 0 {
            rows.constants = vec![0; rows.len()];
        }
        if !rows.constants.is_empty() || constant != 0 {
            rows.constants.push(constant);
        }
        rows.end();
    }

    /// Adds margins whose terms are known all at once: `cells` holds row after row, each with its total first, and `ends` says where
    /// each row ends.
    pub(crate) fn push_margins(&mut self, cells: &[CellId], ends: &[u32]) {
        let rows = Arc::make_mut(&mut self.0);
        let mut from = 0;
        rows.cells.reserve_exact(cells.len());
        rows.starts.reserve_exact(ends.len());
        for &end in ends {
            let end = end as usize;
            rows.cells.extend_from_slice(&cells[from..end]);
            if !rows.coefficients.is_empty() {
                rows.coefficients.extend((0..end - from).map(margin_coefficient));
            }
            if !rows.constants.is_empty() {
                rows.constants.push(0);
            }
            rows.end();
            from = end;
        }
    }

    /// The number of relations.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of terms in all relations together.
    pub fn terms(&self) -> usize {
        self.0.cells.len()
    }

    /// The cells of a relation with their coefficients.
    pub fn row(
        &self,
        relation: usize,
    ) -> impl ExactSizeIterator<Item = (CellId, i32)> + Clone + '_ {
        let range = self.0.range(relation);
        let written = self.0.coefficients.get(range.clone()).unwrap_or_default();
        self.0.cells[range].iter().enumerate().map(move |(at, &cell)| {
            (cell, written.get(at).copied().unwrap_or_else(|| margin_coefficient(at)))
        })
    }

    /// The right-hand side of a relation, in units.
    pub fn constant(&self, relation: usize) -> i64 {
        self.0.constants.get(relation).copied().unwrap_or(0)
    }

    /// The cell a relation adds up to: its only cell with a negative coefficient, if there is just one.
    pub fn total(&self, relation: usize) -> Option<CellId> {
        if self.0.coefficients.is_empty() {
            return self.0.cells[self.0.range(relation)].first().copied();
        }
        let mut negative = self.row(relation).filter(|&(_, coefficient)| coefficient < 0);
        let total = negative.next()?;
        negative.next().is_none().then_some(total.0)
    }

    /// Whether a relation says that one cell is the sum of others.
    pub fn is_sum(&self, relation: usize) -> bool {
        let coefficients = self.row(relation).map(|(_, coefficient)| coefficient);
        self.constant(relation) == 0
            && coefficients.clone().all(|c| c.abs() == 1)
            && coefficients.filter(|&c| c == -1).count() == 1
    }

    /// By how many units the values miss a relation.
    pub fn residual(&self, relation: usize, values: &[i64]) -> i128 {
        let sum: i128 = self
            .row(relation)
            .map(|(cell, c)| i128::from(values[cell.index()]) * i128::from(c))
            .sum();
        sum - i128::from(self.constant(relation))
    }

    /// The relations of every cell.
    pub fn incidence(&self, cells: usize) -> Incidence {
        let mut starts = vec![0_u32; cells + 1];
        for cell in &self.0.cells {
            starts[cell.index() + 1] += 1;
        }
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        // Filled from the front, each start ends up where the next cell begins; so it is kept one step behind.
        let mut entries = vec![(0_u32, 0_i32); self.0.cells.len()];
        for relation in 0..self.len() {
            for (cell, coefficient) in self.row(relation) {
                let next = &mut starts[cell.index()];
                entries[*next as usize] = (relation as u32, coefficient);
                *next += 1;
            }
        }
        starts.rotate_right(1);
        starts[0] = 0;
        Incidence { starts, entries }
    }
}

/// The relations each cell takes part in: [`Relations`] read by column.
#[derive(Clone, Debug)]
pub struct Incidence {
    starts: Vec<u32>,
    entries: Vec<(u32, i32)>,
}

impl Incidence {
    /// The relations of a cell, with its coefficient in each.
    #[inline]
    pub fn of(&self, cell: CellId) -> &[(u32, i32)] {
        let (from, to) = (self.starts[cell.index()], self.starts[cell.index() + 1]);
        &self.entries[from as usize..to as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_given_whatever_came_before() {
        let id = CellId;
        let given: [(Vec<(CellId, i32)>, i64); 5] = [
            (vec![(id(0), -1), (id(1), 1)], 0),
            (vec![(id(1), 1), (id(0), -1), (id(2), 1)], 0),
            (vec![], 0),
            (vec![(id(2), 3)], 7),
            (vec![(id(0), -1), (id(2), 1), (id(3), 2)], 0),
        ];
        for first in 0..given.len() {
            let mut relations = Relations::default();
            let order: Vec<usize> = (first..given.len()).chain(0..first).collect();
            for &at in &order {
                relations.push(given[at].0.clone(), given[at].1);
            }
            for (row, &at) in order.iter().enumerate() {
                assert_eq!(relations.row(row).collect::<Vec<_>>(), given[at].0);
                assert_eq!(relations.constant(row), given[at].1);
            }
            let incidence = relations.incidence(4);
            for cell in 0..4 {
                let expected: Vec<(u32, i32)> = order
                    .iter()
                    .enumerate()
                    .flat_map(|(row, &at)| given[at].0.iter().map(move |term| (row, term)))
                    .filter(|(_, term)| term.0 == id(cell))
                    .map(|(row, term)| (row as u32, term.1))
                    .collect();
                assert_eq!(incidence.of(id(cell)), expected);
            }
        }
    }

    #[test]
    fn margins_may_follow_rows_of_any_kind() {
        let mut relations = Relations::default();
        relations.push([(CellId(0), 1), (CellId(1), 1)], 5);
        relations.push_margins(&[CellId(2), CellId(0), CellId(1)], &[3]);
        relations.push([(CellId(3), 2)], 1);
        let rows: Vec<Vec<(CellId, i32)>> =
            (0..3).map(|row| relations.row(row).collect()).collect();
        assert_eq!(rows[1], [(CellId(2), -1), (CellId(0), 1), (CellId(1), 1)]);
        assert_eq!(rows[2], [(CellId(3), 2)]);
        assert_eq!([0, 1, 2].map(|row| relations.constant(row)), [5, 0, 1]);
    }

    #[test]
    fn a_copy_does_not_change_with_the_original() {
        let mut relations = Relations::default();
        relations.push_sum(CellId(0), [CellId(1), CellId(2)]);
        let copy = relations.clone();
        relations.push_sum(CellId(3), [CellId(0)]);
        assert_eq!((copy.len(), relations.len()), (1, 2));
        assert_eq!(copy.total(0), Some(CellId(0)));
    }
}
