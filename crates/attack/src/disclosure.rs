//! Cells that the relations alone determine, whatever the bounds.
//!
//! A cell is determined if and only if every solution of the homogeneous relations leaves it alone. One elimination gives the whole
//! space of solutions; a random one of them is zero exactly in the determined cells, but for a chance of one in 2⁶¹ per cell,
//! and then a cell is called determined that is not: the careful mistake. Arithmetic is modulo the prime 2⁶¹ − 1, so nothing is rounded.

use crate::component::{Component, Reduced};
use crate::elimination::{eliminate, rows};
use crate::field::Field;
use cellveil_core::CellId;
use rayon::prelude::*;

type Exact = Field<61>;

/// The cells of a component that its relations determine, ascending; `None` if finding out takes too long.
pub fn disclosed(component: &Component) -> Option<Vec<CellId>> {
    let pivots = eliminate::<61>(rows::<61>(component), component.cells.len(), |_| 0)?;
    let mut values: Vec<u64> = (0..component.cells.len() as u64).map(random).collect();
    for (column, row) in pivots.iter().rev() {
        let (mut own, mut rest) = (0, 0);
        for &(other, coefficient) in row {
            if other == *column {
                own = coefficient;
            } else {
                rest = Exact::add(rest, Exact::times(coefficient, values[other as usize]));
            }
        }
        values[*column as usize] = Exact::times(Exact::negative(rest), Exact::inverse(own));
    }
    let zero = values.iter().zip(&component.cells).filter(|(value, _)| **value == 0);
    Some(zero.map(|(_, &cell)| cell).collect())
}

/// Takes the cells out that relations determine, until there are no more.
pub(crate) fn disclose(reduced: Reduced) -> Reduced {
    let Reduced { mut determined, components } = reduced;
    let found: Vec<Vec<CellId>> =
        components.par_iter().map(|component| disclosed(component).unwrap_or_default()).collect();
    let mut left = Vec::with_capacity(components.len());
    for (component, known) in components.into_iter().zip(found) {
        if known.is_empty() {
            left.push(component);
        } else {
            let again = component.knowing(&known);
            determined.extend(again.determined);
            left.extend(again.components);
        }
    }
    determined.sort_unstable();
    left.sort_by_key(|component| component.cells[0]);
    Reduced { determined, components: left }
}

/// A number that only depends on the column, well mixed.
fn random(column: u64) -> u64 {
    let mut mixed = (column + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) % Exact::PRIME
}
