//! What a cheapest pattern can look like on few cells.
//!
//! Whatever published cells determine may be published too: nobody learns anything by it, and it costs nothing. So the cells of a cheapest pattern that are not withheld are
//! closed under calculation (a *flat*), also under calculations with a few relations only. Few cells have few flats, and all of them can be listed.

use cellveil_attack::Field;

/// The field in which cells are compared. No determinant of a patch reaches its prime, so what is zero there is zero.
type Large = Field<61>;

/// How many flats are listed at most.
const MOST: usize = 4_000;

/// All that a cheapest pattern may withhold of some cells, as bits; `None` if that is too much to list, or numbers are too large to be sure of it.
/// Relations name cells by their number; cells of `hidden` are withheld and cannot be computed.
pub(super) fn shapes(cells: usize, relations: &[Vec<(u32, i32)>], hidden: u32) -> Option<Vec<u32>> {
    if !are_small(relations) {
        return None;
    }
    let coordinates = coordinates(cells, relations);
    let all = u32::MAX >> (32 - cells);
    let nothing = closed(&coordinates, 0);
    let mut flats = std::collections::BTreeSet::from([nothing]);
    let mut open = vec![nothing];
    while let Some(flat) = open.pop() {
        let mut rest = all & !flat;
        while rest != 0 {
            let larger = closed(&coordinates, flat | (rest & rest.wrapping_neg()));
            // Flats above this one have no cell in common beyond it.
            rest &= !larger;
            if larger & hidden == 0 && flats.insert(larger) {
                if flats.len() > MOST {
                    return None;
                }
                open.push(larger);
            }
        }
    }
    let withheld = flats.into_iter().filter(|flat| flat & hidden == 0).map(|flat| all & !flat);
    Some(withheld.collect())
}

/// Whether every determinant of the relations is below the prime, by Hadamard's inequality.
fn are_small(relations: &[Vec<(u32, i32)>]) -> bool {
    let norm = |row: &Vec<(u32, i32)>| {
        row.iter().map(|&(_, c)| f64::from(c) * f64::from(c)).sum::<f64>().sqrt().max(1.0)
    };
    relations.iter().map(norm).product::<f64>() < (1_u64 << 60) as f64
}

/// How each cell moves in each way that the relations leave.
fn coordinates(cells: usize, relations: &[Vec<(u32, i32)>]) -> Vec<Vec<u64>> {
    let mut rows: Vec<(usize, Vec<u64>)> = Vec::new();
    for relation in relations {
        let mut row = vec![0; cells];
        for &(at, c) in relation {
            row[at as usize] = Large::add(row[at as usize], Large::residue(c));
        }
        reduce(&mut row, &rows);
        let Some(pivot) = row.iter().position(|&value| value != 0) else { continue };
        unify(&mut row, pivot);
        for (_, other) in &mut rows {
            subtract(other, pivot, &row);
        }
        rows.push((pivot, row));
    }
    let is_free = |at: &usize| rows.iter().all(|(pivot, _)| pivot != at);
    let ways: Vec<usize> = (0..cells).filter(is_free).collect();
    let coordinate = |at: usize, way: usize| match rows.iter().find(|(pivot, _)| *pivot == at) {
        Some((_, row)) => Large::negative(row[way]),
        None => u64::from(at == way),
    };
    (0..cells).map(|at| ways.iter().map(|&way| coordinate(at, way)).collect()).collect()
}

/// A set of cells with all that they determine.
fn closed(coordinates: &[Vec<u64>], mut set: u32) -> u32 {
    let mut basis: Vec<(usize, Vec<u64>)> = Vec::new();
    let is_in = |set: u32, at: usize| set >> at & 1 == 1;
    for (_, row) in coordinates.iter().enumerate().filter(|&(at, _)| is_in(set, at)) {
        let mut row = row.clone();
        reduce(&mut row, &basis);
        if let Some(pivot) = row.iter().position(|&value| value != 0) {
            unify(&mut row, pivot);
            basis.push((pivot, row));
        }
    }
    for (at, row) in coordinates.iter().enumerate() {
        if !is_in(set, at) {
            let mut row = row.clone();
            reduce(&mut row, &basis);
            if row.iter().all(|&value| value == 0) {
                set |= 1 << at;
            }
        }
    }
    set
}

fn reduce(row: &mut [u64], basis: &[(usize, Vec<u64>)]) {
    for (pivot, other) in basis {
        subtract(row, *pivot, other);
    }
}

/// Takes so much of a row that is 1 at the pivot that nothing is left there.
fn subtract(row: &mut [u64], pivot: usize, other: &[u64]) {
    let back = Large::negative(row[pivot]);
    if back != 0 {
        for (value, step) in row.iter_mut().zip(other) {
            *value = Large::add(*value, Large::times(back, *step));
        }
    }
}

/// Makes a row 1 at its pivot.
fn unify(row: &mut [u64], pivot: usize) {
    let share = Large::inverse(row[pivot]);
    for value in row {
        *value = Large::times(*value, share);
    }
}

#[cfg(test)]
mod tests {
    use super::shapes;

    #[test]
    fn no_cell_of_a_relation_is_withheld_alone() {
        let relation = vec![vec![(0, 1), (1, 1), (2, -1)]];
        assert_eq!(shapes(3, &relation, 0), Some(vec![0b111, 0b110, 0b101, 0b011, 0]));
        assert_eq!(shapes(3, &relation, 0b1), Some(vec![0b111, 0b101, 0b011]));
    }

    #[test]
    fn what_two_groupings_determine_together_is_published() {
        // c = a + b, d = a + e, c = d + f: b = e + f follows and belongs to no relation.
        let relations = vec![
            vec![(0, 1), (1, 1), (2, -1)],
            vec![(0, 1), (4, 1), (3, -1)],
            vec![(3, 1), (5, 1), (2, -1)],
        ];
        let Some(all) = shapes(6, &relations, 0) else { unreachable!("six cells are few") };
        for of in all {
            let count = (of & 0b11_0010).count_ones();
            assert_ne!(count, 1, "{of:b}");
        }
    }

    #[test]
    fn a_plain_table_has_the_shapes_of_circles() {
        // Two rows and columns with all totals: all of the nine cells move together with some others, never along one line alone.
        let line = |cells: [u32; 3]| vec![(cells[0], 1), (cells[1], 1), (cells[2], -1)];
        let lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8]];
        let relations: Vec<_> = lines.into_iter().map(line).collect();
        let Some(all) = shapes(9, &relations, 1) else { unreachable!("nine cells are few") };
        assert!(all.iter().all(|of| of & 1 == 1));
        assert!(all.contains(&0b011_011), "a square of inner cells");
        for of in all {
            for line in lines {
                assert_ne!(line.iter().filter(|&&at| of >> at & 1 == 1).count(), 1, "{of:b}");
            }
        }
    }
}
