//! From the finest cells to every margin and level, over cells that exist only.
//!
//! One dimension after the other: every cell is added to all aggregates of its code, equal keys are joined, and the next
//! dimension starts from the smaller list. Keys are numbers whose order is that of the codes, so the result is sorted.

use cellveil_core::{CodeId, Dimension, TableError};

/// The numbers that keys are made of: one digit per dimension, the first the most significant.
#[derive(Debug)]
pub struct Space<'a> {
    dimensions: &'a [Dimension],
    /// What one step of each dimension's code adds to a key.
    steps: Vec<u128>,
}

impl<'a> Space<'a> {
    /// `inner` is the number of things to be told apart within a cell.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] if keys would not fit.
    pub fn new(dimensions: &'a [Dimension], inner: usize) -> Result<Self, TableError> {
        let mut steps = vec![0; dimensions.len()];
        let mut step = inner.max(1) as u128;
        for (d, dimension) in dimensions.iter().enumerate().rev() {
            steps[d] = step;
            step =
                step.checked_mul(dimension.hierarchy.len() as u128).ok_or(TableError::TooLarge)?;
        }
        Ok(Self { dimensions, steps })
    }

    /// The key of some codes and of the thing within the cell.
    pub fn key(&self, codes: &[CodeId], inner: u32) -> u128 {
        let sum: u128 =
            codes.iter().zip(&self.steps).map(|(&code, step)| u128::from(code) * step).sum();
        sum + u128::from(inner)
    }

    /// The code of one dimension.
    pub fn code(&self, key: u128, dimension: usize) -> CodeId {
        let codes = self.dimensions[dimension].hierarchy.len() as u128;
        (key / self.steps[dimension] % codes) as CodeId
    }

    /// The key without the thing within the cell.
    pub fn cell(&self, key: u128) -> u128 {
        key / self.steps.last().copied().unwrap_or(1)
    }

    /// Adds every finest cell to all its aggregates. The answer is sorted by key, each key once.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] if there are too many cells.
    pub fn roll_up<S: Clone>(
        &self,
        mut cells: Vec<(u128, S)>,
        join: impl Fn(&mut S, &S),
    ) -> Result<Vec<(u128, S)>, TableError> {
        for (d, dimension) in self.dimensions.iter().enumerate() {
            let mut places: Vec<(u128, u32)> = Vec::new();
            for (at, &(key, _)) in cells.iter().enumerate() {
                let code = self.code(key, d);
                let at = u32::try_from(at).map_err(|_| TableError::TooLarge)?;
                let rest = key - u128::from(code) * self.steps[d];
                for &above in dimension.hierarchy.ancestors(code) {
                    places.push((rest + u128::from(above) * self.steps[d], at));
                }
            }
            places.sort_unstable();
            let mut joined: Vec<(u128, S)> = Vec::new();
            for (key, at) in places {
                let state = &cells[at as usize].1;
                match joined.last_mut() {
                    Some((last, sum)) if *last == key => join(sum, state),
                    _ => joined.push((key, state.clone())),
                }
            }
            cells = joined;
        }
        Ok(cells)
    }
}
