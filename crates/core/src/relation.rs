//! The sums that hold among cells.

use crate::CellId;

/// Linear relations `Σ coefficient · cell = constant`, row by row.
///
/// A margin is one row: its total with coefficient −1 and its parts with +1. Hierarchies, links between tables and equations
/// between responses are rows of the same kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relations {
    starts: Vec<usize>,
    cells: Vec<CellId>,
    coefficients: Vec<i32>,
    constants: Vec<i64>,
}

impl Default for Relations {
    fn default() -> Self {
        Self { starts: vec![0], cells: Vec::new(), coefficients: Vec::new(), constants: Vec::new() }
    }
}

impl Relations {
    /// Adds `total = Σ parts`.
    pub fn push_sum(&mut self, total: CellId, parts: impl IntoIterator<Item = CellId>) {
        self.push(std::iter::once((total, -1)).chain(parts.into_iter().map(|part| (part, 1))), 0);
    }

    /// Adds `Σ coefficient · cell = constant`.
    pub fn push(&mut self, terms: impl IntoIterator<Item = (CellId, i32)>, constant: i64) {
        for (cell, coefficient) in terms {
            self.cells.push(cell);
            self.coefficients.push(coefficient);
        }
        self.starts.push(self.cells.len());
        self.constants.push(constant);
    }

    /// The number of relations.
    pub fn len(&self) -> usize {
        self.constants.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.constants.is_empty()
    }

    /// The number of terms in all relations together.
    pub fn terms(&self) -> usize {
        self.cells.len()
    }

    /// The cells of a relation with their coefficients.
    pub fn row(
        &self,
        relation: usize,
    ) -> impl ExactSizeIterator<Item = (CellId, i32)> + Clone + '_ {
        let range = self.starts[relation]..self.starts[relation + 1];
        self.cells[range.clone()].iter().copied().zip(self.coefficients[range].iter().copied())
    }

    /// The right-hand side of a relation, in units.
    pub fn constant(&self, relation: usize) -> i64 {
        self.constants[relation]
    }

    /// The cell a relation adds up to: its only cell with a negative coefficient, if there is just one.
    pub fn total(&self, relation: usize) -> Option<CellId> {
        let mut negative = self.row(relation).filter(|&(_, coefficient)| coefficient < 0);
        let total = negative.next()?;
        negative.next().is_none().then_some(total.0)
    }

    /// Whether a relation says that one cell is the sum of others.
    pub fn is_sum(&self, relation: usize) -> bool {
        let coefficients = &self.coefficients[self.starts[relation]..self.starts[relation + 1]];
        self.constants[relation] == 0
            && coefficients.iter().all(|c| c.abs() == 1)
            && coefficients.iter().filter(|&&c| c == -1).count() == 1
    }

    /// By how many units the values miss a relation.
    pub fn residual(&self, relation: usize, values: &[i64]) -> i128 {
        let sum: i128 = self
            .row(relation)
            .map(|(cell, c)| i128::from(values[cell.index()]) * i128::from(c))
            .sum();
        sum - i128::from(self.constants[relation])
    }

    /// The relations of every cell.
    pub fn incidence(&self, cells: usize) -> Incidence {
        let mut starts = vec![0_usize; cells + 1];
        for cell in &self.cells {
            starts[cell.index() + 1] += 1;
        }
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0_u32, 0_i32); self.cells.len()];
        for relation in 0..self.len() {
            for (cell, coefficient) in self.row(relation) {
                entries[next[cell.index()]] = (relation as u32, coefficient);
                next[cell.index()] += 1;
            }
        }
        Incidence { starts, entries }
    }
}

/// The relations each cell takes part in: [`Relations`] read by column.
#[derive(Clone, Debug)]
pub struct Incidence {
    starts: Vec<usize>,
    entries: Vec<(u32, i32)>,
}

impl Incidence {
    /// The relations of a cell, with its coefficient in each.
    #[inline]
    pub fn of(&self, cell: CellId) -> &[(u32, i32)] {
        &self.entries[self.starts[cell.index()]..self.starts[cell.index() + 1]]
    }
}
