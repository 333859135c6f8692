//! Cells that the relations alone determine, whatever the bounds.
//!
//! A cell is determined if and only if every solution of the homogeneous relations leaves it alone. One elimination gives the whole
//! space of solutions; a random one of them is zero exactly in the determined cells, but for a chance of one in 2⁶¹ per cell,
//! and then a cell is called determined that is not: the careful mistake. Arithmetic is modulo the prime 2⁶¹ − 1, so nothing is rounded.

use crate::component::{Component, Reduced};
use cellveil_core::CellId;
use rayon::prelude::*;
use std::collections::BTreeSet;

const PRIME: u64 = (1 << 61) - 1;

/// Terms that may be made in all; relations of many dimensions fill in, and programs find out what this does not.
const MOST_TERMS: usize = 3_000_000;

/// A relation during elimination, ascending by column.
type Row = Vec<(u32, u64)>;

/// The cells of a component that its relations determine, ascending; `None` if finding out takes too long.
pub fn disclosed(component: &Component) -> Option<Vec<CellId>> {
    let pivots = eliminate(component)?;
    let mut values: Vec<u64> = (0..component.cells.len() as u64).map(random).collect();
    for (column, row) in pivots.iter().rev() {
        let (mut own, mut rest) = (0, 0);
        for &(other, coefficient) in row {
            if other == *column {
                own = coefficient;
            } else {
                rest = add(rest, times(coefficient, values[other as usize]));
            }
        }
        values[*column as usize] = times(PRIME - rest, inverse(own)) % PRIME;
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

/// Pivot rows in the order of elimination: each has none of the columns before it.
fn eliminate(component: &Component) -> Option<Vec<(u32, Row)>> {
    let mut rows: Vec<Row> = component
        .rows
        .iter()
        .map(|row| row.iter().map(|&(column, c)| (column, residue(c))).collect())
        .collect();
    let mut rows_with: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); component.cells.len()];
    for (number, row) in rows.iter().enumerate() {
        for &(column, _) in row {
            rows_with[column as usize].insert(number as u32);
        }
    }
    // Short rows first, and in each the column that the fewest others have: little is filled in.
    let mut waiting: BTreeSet<(usize, u32)> =
        rows.iter().enumerate().map(|(number, row)| (row.len(), number as u32)).collect();
    let mut pivots = Vec::with_capacity(rows.len());
    let mut terms = 0;
    while let Some((length, number)) = waiting.pop_first() {
        if length == 0 {
            continue;
        }
        let row = std::mem::take(&mut rows[number as usize]);
        for (column, _) in &row {
            rows_with[*column as usize].remove(&number);
        }
        let fewest = row.iter().map(|&(c, _)| (rows_with[c as usize].len(), c)).min();
        let Some((_, pivot)) = fewest else { continue };
        for other in std::mem::take(&mut rows_with[pivot as usize]) {
            let before = std::mem::take(&mut rows[other as usize]);
            waiting.remove(&(before.len(), other));
            let after = combined(&before, &row, pivot);
            terms += after.len();
            if terms > MOST_TERMS {
                return None;
            }
            for (column, _) in &before {
                rows_with[*column as usize].remove(&other);
            }
            for (column, _) in &after {
                rows_with[*column as usize].insert(other);
            }
            waiting.insert((after.len(), other));
            rows[other as usize] = after;
        }
        pivots.push((pivot, row));
    }
    Some(pivots)
}

/// The combination of two rows that no longer has `column`.
fn combined(row: &Row, pivot: &Row, column: u32) -> Row {
    let of = |row: &Row| row.binary_search_by_key(&column, |&(c, _)| c).map_or(0, |at| row[at].1);
    let factor = PRIME - times(of(row), inverse(of(pivot)));
    let mut sum = Vec::with_capacity(row.len() + pivot.len());
    let (mut i, mut j) = (0, 0);
    while i < row.len() || j < pivot.len() {
        let left = row.get(i).map_or(u32::MAX, |term| term.0);
        let right = pivot.get(j).map_or(u32::MAX, |term| term.0);
        let at = left.min(right);
        let mut coefficient = 0;
        if left == at {
            coefficient = row[i].1;
            i += 1;
        }
        if right == at {
            coefficient = add(coefficient, times(factor, pivot[j].1));
            j += 1;
        }
        if coefficient != 0 && at != column {
            sum.push((at, coefficient));
        }
    }
    sum
}

fn residue(coefficient: i32) -> u64 {
    let size = u64::from(coefficient.unsigned_abs());
    if coefficient < 0 { PRIME - size } else { size }
}

fn add(a: u64, b: u64) -> u64 {
    (a + b) % PRIME
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

/// By Fermat's little theorem.
fn inverse(number: u64) -> u64 {
    let (mut power, mut result, mut left) = (number, 1, PRIME - 2);
    while left > 0 {
        if left & 1 == 1 {
            result = times(result, power);
        }
        power = times(power, power);
        left >>= 1;
    }
    result
}

/// A number that only depends on the column, well mixed.
fn random(column: u64) -> u64 {
    let mut mixed = (column + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) % PRIME
}
