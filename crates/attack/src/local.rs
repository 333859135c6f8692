//! Small programs around one cell.
//!
//! A table that moves only a neighbourhood of the cell is a table all the same: everything outside stays put. So a program on a few
//! hundred cells can show what the whole component would.

use crate::component::Component;
use crate::propagate::Rows;
use crate::quick::Question;
use crate::sparse::Sparse;
use cellveil_core::{Incidence, Problem, Witness};
use cellveil_lp::{Engine, EngineError};

/// How many cells a neighbourhood may have, step by step.
const SIZES: [usize; 3] = [40, 160, 640];

/// What local programs need to know of a component.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) incidence: &'a Incidence,
    pub(crate) component: &'a Component,
    pub(crate) rows_of: &'a Rows,
    pub(crate) engine: &'a dyn Engine,
}

impl Around<'_> {
    /// A table that moves cells of a neighbourhood only, which grows until there is one or it has grown too large.
    pub(crate) fn grow(&self, question: Question<'_>) -> Result<Option<Witness>, EngineError> {
        let mut near = vec![question.at];
        for most in SIZES {
            let before = near.len();
            near = self.wider(&near, most);
            if near.len() == before {
                return Ok(None);
            }
            if let Some(witness) = self.within(near.clone(), question)? {
                return Ok(Some(witness));
            }
        }
        Ok(None)
    }

    /// The neighbours of some positions, nearest first, up to a number of cells; and all cells whose relations are touched anyway.
    fn wider(&self, positions: &[u32], most: usize) -> Vec<u32> {
        let mut near = positions.to_vec();
        let mut is_near: std::collections::BTreeSet<u32> = positions.iter().copied().collect();
        let mut next = 0;
        while next < near.len() && near.len() < most {
            for &(row, _) in self.rows_of.of(near[next] as usize) {
                for &(other, _) in &self.component.rows[row as usize] {
                    if is_near.insert(other) {
                        near.push(other);
                    }
                }
            }
            next += 1;
        }
        self.closed(&near)
    }

    /// A table that moves cells at some positions only, as a witness.
    pub(crate) fn within(
        &self,
        mut positions: Vec<u32>,
        question: Question<'_>,
    ) -> Result<Option<Witness>, EngineError> {
        positions.push(question.at);
        positions.sort_unstable();
        positions.dedup();
        let positions = self.movable(positions);
        let Ok(at) = positions.binary_search(&question.at) else { return Ok(None) };
        let part = self.component.part(&positions, self.rows_of);
        let held: Vec<u32> = question
            .unmoved
            .iter()
            .filter_map(|other| positions.binary_search(other).ok().map(|at| at as u32))
            .collect();
        let mut sparse = Sparse::new(self.problem, self.incidence, &part, self.engine)?;
        let fixed = vec![false; part.cells.len()];
        sparse.table(at as u32, question.side, question.target, &fixed, &held)
    }

    /// All positions whose relations are all among those of the given ones.
    pub(crate) fn closed(&self, positions: &[u32]) -> Vec<u32> {
        let rows = |at: u32| self.rows_of.of(at as usize).iter().map(|&(row, _)| row);
        let mut touched: Vec<u32> = positions.iter().flat_map(|&at| rows(at)).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut hits: Vec<u32> = touched
            .iter()
            .flat_map(|&row| self.component.rows[row as usize].iter().map(|&(at, _)| at))
            .collect();
        hits.sort_unstable();
        hits.chunk_by(|a, b| a == b)
            .filter(|same| same.len() == rows(same[0]).count())
            .map(|same| same[0])
            .collect()
    }

    /// Without the cells that stand alone in a relation, and so on: they cannot move.
    fn movable(&self, mut positions: Vec<u32>) -> Vec<u32> {
        let mut members: std::collections::BTreeMap<u32, u32> = std::collections::BTreeMap::new();
        for &at in &positions {
            for &(row, _) in self.rows_of.of(at as usize) {
                *members.entry(row).or_default() += 1;
            }
        }
        loop {
            let before = positions.len();
            positions.retain(|&at| {
                let rows = self.rows_of.of(at as usize);
                let stuck = rows.iter().any(|(row, _)| members[row] == 1);
                if stuck {
                    for (row, _) in rows {
                        *members.entry(*row).or_default() -= 1;
                    }
                }
                !stuck
            });
            if positions.len() == before {
                return positions;
            }
        }
    }
}
