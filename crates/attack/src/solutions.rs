//! The space of all solutions of a component's homogeneous relations, modulo a small prime.
//!
//! Every table that fits what is published differs from the true one by a solution. A cell is determined by others that are published
//! if its row in this space is a combination of theirs; two cells that always move together have rows that differ by a factor.
//! A chance of one in 2³¹ per question is left: proposals may be made of it, no proofs.

use crate::component::Component;
use crate::elimination::{eliminate, rows};
use crate::field::Field;

/// What coordinates are counted in.
pub type Small = Field<31>;

/// Coordinates of the cells of a component.
#[derive(Clone, Debug)]
pub struct Solutions {
    /// In how many ways the cells can move.
    pub dimension: usize,
    /// How each cell, by position, moves with each of them, in the field [`Small`].
    pub rows: Vec<Vec<u32>>,
}

impl Solutions {
    /// The solutions of a component; `None` if they have more than `most` coordinates in all, or finding them takes too long.
    pub fn of(component: &Component, most: usize) -> Option<Self> {
        let cells = component.cells.len();
        // Every relation takes away one way to move at most.
        if cells * cells.saturating_sub(component.rows.len()) > most {
            return None;
        }
        let pivots = eliminate::<31>(rows::<31>(component), component.cells.len(), |_| 0)?;
        let dimension = cells - pivots.len();
        if cells * dimension > most {
            return None;
        }
        let mut is_free = vec![true; cells];
        for (column, _) in &pivots {
            is_free[*column as usize] = false;
        }
        let mut rows = vec![vec![0_u32; dimension]; cells];
        for (way, at) in (0..cells).filter(|&at| is_free[at]).enumerate() {
            rows[at][way] = 1;
        }
        for (column, terms) in pivots.iter().rev() {
            let own = terms.iter().find(|(at, _)| at == column).map_or(1, |&(_, c)| c);
            let share = Small::negative(Small::inverse(own));
            let mut row = vec![0_u64; dimension];
            for &(at, coefficient) in terms.iter().filter(|(at, _)| at != column) {
                let factor = Small::times(share, coefficient);
                for (sum, &other) in row.iter_mut().zip(&rows[at as usize]) {
                    *sum = Small::add(*sum, Small::times(factor, u64::from(other)));
                }
            }
            rows[*column as usize] = row.into_iter().map(|value| value as u32).collect();
        }
        Some(Self { dimension, rows })
    }
}
