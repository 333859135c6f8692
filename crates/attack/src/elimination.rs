//! Relations brought into echelon form, modulo a prime.

use crate::component::Component;
use crate::field::Field;
use std::collections::BTreeSet;

/// Terms that may be made in all; relations of many dimensions fill in.
const MOST_TERMS: usize = 3_000_000;

/// A relation during elimination, ascending by column.
pub(crate) type Row = Vec<(u32, u64)>;

/// The relations of a component, before elimination.
pub(crate) fn rows<const BITS: u32>(component: &Component) -> Vec<Row> {
    let residue = |&(column, c): &(u32, i32)| (column, Field::<BITS>::residue(c));
    component.rows.iter().map(|row| row.iter().map(residue).collect()).collect()
}

/// Pivot rows in the order of elimination: each has none of the columns before it. `None` if it takes too long.
///
/// In each row the pivot is a column of the lowest rank there.
pub(crate) fn eliminate<const BITS: u32>(
    mut rows: Vec<Row>,
    columns: usize,
    rank: impl Fn(u32) -> u8,
) -> Option<Vec<(u32, Row)>> {
    let mut rows_with: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); columns];
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
        let one = |a: u64| a == 1 || Field::<BITS>::negative(a) == 1;
        let fewest =
            row.iter().map(|&(c, a)| (rank(c), !one(a), rows_with[c as usize].len(), c)).min();
        let Some((.., pivot)) = fewest else { continue };
        for other in std::mem::take(&mut rows_with[pivot as usize]) {
            let before = std::mem::take(&mut rows[other as usize]);
            waiting.remove(&(before.len(), other));
            let after = combined::<BITS>(&before, &row, pivot);
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
fn combined<const BITS: u32>(row: &Row, pivot: &Row, column: u32) -> Row {
    let of = |row: &Row| row.binary_search_by_key(&column, |&(c, _)| c).map_or(0, |at| row[at].1);
    let share = Field::<BITS>::times(of(row), Field::<BITS>::inverse(of(pivot)));
    let factor = Field::<BITS>::negative(share);
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
            let added = Field::<BITS>::times(factor, pivot[j].1);
            coefficient = Field::<BITS>::add(coefficient, added);
            j += 1;
        }
        if coefficient != 0 && at != column {
            sum.push((at, coefficient));
        }
    }
    sum
}
