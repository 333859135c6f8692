//! Products with the relations of a table, among the cells that matter.

use cellveil_core::Relations;

/// The coefficients of all relations, row by row.
pub(crate) struct Sparse {
    starts: Vec<usize>,
    terms: Vec<(u32, i32)>,
    columns: usize,
}

impl Sparse {
    /// The relations among some of `count` cells, ascending: the columns are numbered as the cells are listed.
    pub(crate) fn new(relations: &Relations, cells: &[u32], count: usize) -> Self {
        let mut column = vec![u32::MAX; count];
        for (at, &cell) in cells.iter().enumerate() {
            column[cell as usize] = at as u32;
        }
        let (mut starts, mut terms) = (vec![0], Vec::new());
        for relation in 0..relations.len() {
            let row = relations.row(relation).map(|(cell, c)| (column[cell.index()], c));
            terms.extend(row.filter(|&(at, _)| at != u32::MAX));
            starts.push(terms.len());
        }
        Self { starts, terms, columns: cells.len() }
    }

    fn rows(&self) -> impl Iterator<Item = &[(u32, i32)]> {
        self.starts.windows(2).map(|ends| &self.terms[ends[0]..ends[1]])
    }

    /// `Aᵀπ`: per cell the sum of the prices of its relations.
    pub(crate) fn pulls(&self, prices: &[f64]) -> Vec<f64> {
        let mut pulls = vec![0.0; self.columns];
        for (row, &price) in self.rows().zip(prices).filter(|&(_, &price)| price != 0.0) {
            for &(column, c) in row {
                pulls[column as usize] += price * f64::from(c);
            }
        }
        pulls
    }

    /// `A z`: per relation the sum of its moves.
    pub(crate) fn sums(&self, moves: &[f64]) -> Vec<f64> {
        let sum = |row: &[(u32, i32)]| {
            row.iter().map(|&(column, c)| moves[column as usize] * f64::from(c)).sum()
        };
        self.rows().map(sum).collect()
    }

    /// Per cell the largest value in its relations.
    pub(crate) fn most_around(&self, values: &[f64]) -> Vec<f64> {
        let mut most = vec![0.0; self.columns];
        for row in self.rows() {
            let largest = row.iter().map(|&(at, _)| values[at as usize]).fold(0.0, f64::max);
            for &(at, _) in row {
                most[at as usize] = f64::max(most[at as usize], largest);
            }
        }
        most
    }

    /// The diagonal of `A D Aᵀ`.
    pub(crate) fn diagonal(&self, d: &[f64]) -> Vec<f64> {
        let sum = |row: &[(u32, i32)]| {
            row.iter().map(|&(column, c)| d[column as usize] * f64::from(c).powi(2)).sum()
        };
        self.rows().map(sum).collect()
    }

    /// `A D Aᵀ x`.
    pub(crate) fn normal(&self, d: &[f64], x: &[f64]) -> Vec<f64> {
        let mut pulls = self.pulls(x);
        pulls.iter_mut().zip(d).for_each(|(pull, d)| *pull *= d);
        self.sums(&pulls)
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
