//! What a cheapest pattern can look like on few cells.
//!
//! Whatever published cells determine may be published too: nobody learns anything by it, and it costs nothing. So the cells of a cheapest pattern that are not withheld are
//! closed under calculation (a *flat*), also under calculations with a few relations only. Few cells have few flats, and all of them can be listed.

use cellveil_attack::Field;
use std::collections::BTreeSet;

/// The field in which cells are compared. No determinant of a patch reaches its prime, so what is zero there is zero.
type Large = Field<61>;

/// How many flats are listed at most.
const MOST: usize = 600;

/// All that a cheapest pattern may withhold of some cells, as bits; `None` if that is too much to list, or numbers are too large to be sure of it.
/// Relations name cells by their number; cells of `hidden` are withheld and cannot be computed.
pub(super) fn shapes(cells: usize, relations: &[Vec<(u32, i32)>], hidden: u32) -> Option<Vec<u32>> {
    let all = u32::MAX >> (32 - cells);
    if let [_] = relations {
        // One alone can be computed, and no other set.
        let is_shape = |set: &u32| set.count_ones() != 1 && set & hidden == hidden;
        return Some((0..=all).filter(is_shape).collect());
    }
    if !are_small(relations) {
        return None;
    }
    let (coordinates, ways) = coordinates(cells, relations);
    let start = Flat::of(coordinates, ways, cells);
    let mut flats = BTreeSet::from([start.cells]);
    let mut open = vec![start];
    while let Some(flat) = open.pop() {
        let mut rest = all & !flat.cells;
        while rest != 0 {
            let larger = flat.with(rest.trailing_zeros() as usize);
            // The next larger flats have no cell in common beyond this one.
            rest &= !larger.cells;
            if larger.cells & hidden == 0 && flats.insert(larger.cells) {
                if flats.len() > MOST {
                    return None;
                }
                open.push(larger);
            }
        }
    }
    let withheld = flats.into_iter().filter(|flat| flat & hidden == 0).map(|flat| all & !flat);
    Some(withheld.rev().collect())
}

/// Cells with all that they determine.
struct Flat {
    /// As bits.
    cells: u32,
    /// How each cell moves while those of the flat do not, in each way that is left; one cell after the other.
    coordinates: Vec<u64>,
    ways: usize,
}

impl Flat {
    fn of(coordinates: Vec<u64>, ways: usize, cells: usize) -> Self {
        let rests =
            |at: &usize| coordinates[at * ways..(at + 1) * ways].iter().all(|&value| value == 0);
        let cells = (0..cells).filter(rests).fold(0, |set, at| set | 1 << at);
        Self { cells, coordinates, ways }
    }

    /// The smallest flat with one more cell: the moves that are left are those in which it rests.
    fn with(&self, cell: usize) -> Self {
        let rows = self.coordinates.chunks_exact(self.ways);
        let row = &self.coordinates[cell * self.ways..(cell + 1) * self.ways];
        let pivot = row.iter().position(|&value| value != 0).unwrap_or_default();
        let share = Large::negative(Large::inverse(row[pivot]));
        let factors: Vec<u64> = row.iter().map(|&value| Large::times(value, share)).collect();
        let mut left = Vec::with_capacity(self.coordinates.len());
        let cells = rows.len();
        for other in rows {
            let of_pivot = other[pivot];
            for (way, (&value, &factor)) in other.iter().zip(&factors).enumerate() {
                if way != pivot {
                    let is_same = of_pivot == 0 || factor == 0;
                    left.push(if is_same {
                        value
                    } else {
                        Large::add(value, Large::times(of_pivot, factor))
                    });
                }
            }
        }
        Self::of(left, self.ways - 1, cells)
    }
}

/// Whether every determinant of the relations is below the prime, by Hadamard's inequality.
fn are_small(relations: &[Vec<(u32, i32)>]) -> bool {
    let norm = |row: &Vec<(u32, i32)>| {
        row.iter().map(|&(_, c)| f64::from(c) * f64::from(c)).sum::<f64>().sqrt().max(1.0)
    };
    relations.iter().map(norm).product::<f64>() < (1_u64 << 60) as f64
}

/// How each cell moves in each way that the relations leave, one cell after the other, and the number of ways.
fn coordinates(cells: usize, relations: &[Vec<(u32, i32)>]) -> (Vec<u64>, usize) {
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
    let all = (0..cells).flat_map(|at| ways.iter().map(move |&way| (at, way)));
    (all.map(|(at, way)| coordinate(at, way)).collect(), ways.len())
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
        assert_eq!(shapes(3, &relation, 0), Some(vec![0, 0b011, 0b101, 0b110, 0b111]));
        assert_eq!(shapes(3, &relation, 0b1), Some(vec![0b011, 0b101, 0b111]));
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
