//! The sub-tables of a problem, found from its relations alone.
//!
//! A sub-table has one relation per direction, crossed with each other: a total and its parts by another total and its parts. Two
//! relations of a cell are of different directions when cells beside it complete rectangles; relations of one direction, such as a
//! cell's siblings and its children, never do, and neither do those of two tables that are linked by the cell. So the sub-tables below a cell are the
//! largest sets of its relations of which every two complete rectangles, with the cell as total in all of them. Neither codes nor
//! hierarchies are needed, and a JJ file from anywhere has sub-tables too.

use cellveil_attack::{Component, Crossings};
use cellveil_core::CellId;

/// A table without hierarchies: one relation per direction, crossed.
pub(crate) struct SubTable {
    /// Per direction the coefficients of its relation, the sub-table's own corner first.
    pub(crate) coefficients: Vec<Vec<i32>>,
    /// The cells, last direction fastest; `None` where the table has no such cell.
    pub(crate) cells: Vec<Option<CellId>>,
    /// How many totals lie above its corner: sub-tables of one class depend on those of smaller classes only.
    pub(crate) class: u32,
}

impl SubTable {
    /// How far apart neighbours of each direction stand in `cells`.
    pub(crate) fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1; self.coefficients.len()];
        for direction in (1..strides.len()).rev() {
            strides[direction - 1] = strides[direction] * self.coefficients[direction].len();
        }
        strides
    }

    /// Where a position of `cells` lies along each direction, given its strides.
    pub(crate) fn place(&self, at: usize, strides: &[usize]) -> Vec<usize> {
        let along = strides.iter().zip(&self.coefficients);
        along.map(|(stride, coefficients)| at / stride % coefficients.len()).collect()
    }
}

/// Pairs of neighbours looked at to tell whether two relations complete a rectangle: more than one, because cells may be missing.
const LOOKED_AT: usize = 4;

/// A sub-table with more places than this many times the cells of the whole table is mostly holes, and is left out.
const HOLES: usize = 16;

/// No cell of an ordinary table lies in more relations.
const MOST_RELATIONS: usize = 32;

/// A place without a cell.
const NO_CELL: u32 = u32::MAX;

/// Finds the sub-tables of a whole table, those of small classes first.
pub(crate) fn subtables(whole: &Component, crossings: &Crossings<'_>) -> Vec<SubTable> {
    let cells = whole.cells.len();
    let totals = whole.rows.iter().map(|row| total(row)).collect();
    let finder = Finder { crossings, cells, totals };
    let depths = finder.depths();
    let mut covered = vec![false; whole.rows.len()];
    let mut found = Vec::new();
    for corner in 0..cells as u32 {
        for clique in finder.below(corner) {
            found.extend(finder.cross(corner, &clique, depths[corner as usize], &mut covered));
        }
    }
    // Relations whose totals are no corner of anything, such as those of a table without a grand total.
    for row in 0..whole.rows.len() as u32 {
        if !covered[row as usize] {
            let corner = finder.totals[row as usize].unwrap_or(whole.rows[row as usize][0].0);
            let clique = finder.around(corner, row);
            found.extend(finder.cross(corner, &clique, depths[corner as usize], &mut covered));
        }
    }
    found.sort_by_key(|table: &SubTable| table.class);
    found
}

/// The cell a relation adds up to, if it is one that says so.
fn total(row: &[(u32, i32)]) -> Option<u32> {
    let mut negative = row.iter().filter(|&&(_, c)| c < 0);
    let first = negative.next()?;
    negative.next().is_none().then_some(first.0)
}

struct Finder<'f> {
    crossings: &'f Crossings<'f>,
    /// How many cells there are.
    cells: usize,
    /// Per relation the cell it adds up to.
    totals: Vec<Option<u32>>,
}

impl Finder<'_> {
    /// How many totals lie above each cell, at most. In a table of several hierarchies that is the sum of the levels.
    fn depths(&self) -> Vec<u32> {
        let mut above = vec![0_u32; self.cells];
        let mut waiting = vec![0_u32; self.cells];
        let parts = |row: usize, total: u32| {
            self.crossings.row(row as u32).iter().map(|&(at, _)| at).filter(move |&at| at != total)
        };
        for (row, total) in self.totals.iter().enumerate() {
            for part in total.iter().flat_map(|&total| parts(row, total)) {
                waiting[part as usize] += 1;
            }
        }
        let mut ready: Vec<u32> =
            (0..self.cells as u32).filter(|&at| waiting[at as usize] == 0).collect();
        while let Some(at) = ready.pop() {
            for &(row, _) in self.crossings.relations_of(at) {
                if self.totals[row as usize] != Some(at) {
                    continue;
                }
                for part in parts(row as usize, at) {
                    above[part as usize] = above[part as usize].max(above[at as usize] + 1);
                    waiting[part as usize] -= 1;
                    if waiting[part as usize] == 0 {
                        ready.push(part);
                    }
                }
            }
        }
        above
    }

    /// The largest sets of a cell's relations that cross each other, as far as the cell is the total in all of them.
    fn below(&self, corner: u32) -> Vec<Vec<u32>> {
        let rows: Vec<u32> =
            self.crossings.relations_of(corner).iter().map(|&(row, _)| row).collect();
        let is_total = |row: u32| self.totals[row as usize] == Some(corner);
        if rows.len() > MOST_RELATIONS || !rows.iter().any(|&row| is_total(row)) {
            return Vec::new();
        }
        let crossing = |a: usize| {
            let with = |b: usize| b != a && self.cross_at(corner, rows[a], rows[b]);
            (0..rows.len()).filter(|&b| with(b)).fold(0_u32, |set, b| set | 1 << b)
        };
        let crossing: Vec<u32> = (0..rows.len()).map(crossing).collect();
        let all = u32::MAX >> (MOST_RELATIONS - rows.len());
        let mut found = Vec::new();
        largest_sets(&crossing, 0, all, 0, &mut found);
        let members = |set: u32| (0..rows.len()).filter(move |a| set >> a & 1 == 1);
        let cliques = found.into_iter().map(|set| members(set).map(|a| rows[a]).collect());
        cliques.filter(|clique: &Vec<u32>| clique.iter().all(|&row| is_total(row))).collect()
    }

    /// A largest set of relations around a cell that cross a given one and each other.
    fn around(&self, corner: u32, row: u32) -> Vec<u32> {
        let mut clique = vec![row];
        for &(other, _) in self.crossings.relations_of(corner) {
            let crosses = |&row: &u32| row != other && self.cross_at(corner, row, other);
            if clique.iter().all(crosses) {
                clique.push(other);
            }
        }
        clique
    }

    /// Whether cells beside a cell, along two of its relations, complete rectangles.
    fn cross_at(&self, corner: u32, a: u32, b: u32) -> bool {
        let sample = |row: u32| {
            let others =
                self.crossings.row(row).iter().map(|&(at, _)| at).filter(move |&at| at != corner);
            let step = (self.crossings.row(row).len() / LOOKED_AT).max(1);
            others.step_by(step).take(LOOKED_AT)
        };
        sample(a).any(|x| sample(b).any(|y| self.crossings.fourth(x, y, corner).is_some()))
    }

    /// Writes the cells of a sub-table down, from its corner outwards.
    fn cross(
        &self,
        corner: u32,
        rows: &[u32],
        class: u32,
        covered: &mut [bool],
    ) -> Option<SubTable> {
        let lines: Vec<Vec<(u32, i32)>> = rows.iter().map(|&row| self.line(row, corner)).collect();
        let places = lines.iter().try_fold(1_usize, |size, line| size.checked_mul(line.len()))?;
        covered[rows[0] as usize] = true;
        if places > HOLES * self.cells {
            return None;
        }
        let coefficients =
            lines.iter().map(|line| line.iter().map(|&(_, c)| c).collect()).collect();
        let mut table = SubTable { coefficients, cells: Vec::new(), class };
        let strides = table.strides();
        let mut at = vec![NO_CELL; places];
        for index in 0..places {
            let place = table.place(index, &strides);
            let away: Vec<usize> = (0..place.len()).filter(|&d| place[d] > 0).collect();
            at[index] = match away[..] {
                [] => corner,
                [d] => lines[d][place[d]].0,
                _ => self.completed(&at, index, &away, &place, &strides),
            };
        }
        self.cover(&at, &table, &strides, covered);
        let cell = |at: u32| (at != NO_CELL).then_some(CellId(at));
        table.cells = at.into_iter().map(cell).collect();
        Some(table)
    }

    /// The cells of a relation, the corner first.
    fn line(&self, row: u32, corner: u32) -> Vec<(u32, i32)> {
        let mut line = self.crossings.row(row).to_vec();
        line.sort_by_key(|&(at, _)| (at != corner, at));
        line
    }

    /// The cell at a place off the axes: it completes a rectangle with cells nearer to the corner.
    fn completed(
        &self,
        at: &[u32],
        index: usize,
        away: &[usize],
        place: &[usize],
        strides: &[usize],
    ) -> u32 {
        let back = |d: usize| place[d] * strides[d];
        for (i, &d) in away.iter().enumerate() {
            for &e in &away[i + 1..] {
                let [a, b] = [at[index - back(d)], at[index - back(e)]];
                let between = at[index - back(d) - back(e)];
                if a != NO_CELL && b != NO_CELL {
                    return self.crossings.fourth(a, b, between).unwrap_or(NO_CELL);
                }
            }
        }
        NO_CELL
    }

    /// Notes the relations that the lines of a sub-table are.
    fn cover(&self, at: &[u32], table: &SubTable, strides: &[usize], covered: &mut [bool]) {
        for (d, coefficients) in table.coefficients.iter().enumerate() {
            let starts = (0..at.len())
                .filter(|index| (index / strides[d]).is_multiple_of(coefficients.len()));
            for start in starts {
                let line = (0..coefficients.len()).map(|i| at[start + i * strides[d]]);
                let mut cells = line.filter(|&at| at != NO_CELL);
                if let (Some(a), Some(b)) = (cells.next(), cells.next()) {
                    let shared = self.crossings.relations_of(a).iter().filter(|(row, _)| {
                        self.crossings.relations_of(b).iter().any(|(other, _)| other == row)
                    });
                    for &(row, _) in shared {
                        covered[row as usize] = true;
                    }
                }
            }
        }
    }
}

/// All largest sets of which every two members are joined (Bron and Kerbosch): `open` may still be added to `set`, `done` was.
fn largest_sets(joined: &[u32], set: u32, mut open: u32, mut done: u32, found: &mut Vec<u32>) {
    if open == 0 && done == 0 {
        found.push(set);
    }
    while open != 0 {
        let next = open.trailing_zeros() as usize;
        let with = joined[next];
        largest_sets(joined, set | 1 << next, open & with, done & with, found);
        open &= !(1 << next);
        done |= 1 << next;
    }
}

#[cfg(test)]
mod tests {
    use super::subtables;
    use cellveil_attack::{Component, Crossings};
    use cellveil_core::Problem;
    use cellveil_testkit::{Sketch, Trait};

    /// Dimensions by the sizes of their groups, and into how many parts a linked table breaks the first.
    fn problem(axes: &[&[usize]], linked: usize) -> Problem {
        Sketch {
            axes: axes.iter().map(|groups| groups.to_vec()).collect(),
            linked,
            values: vec![3, 5, 7],
            traits: vec![Trait { lot: 99, levels: [0, 1, 0], cost: 1 }],
            shares: [0, 0],
            bounded: false,
            decimals: 0,
            singletons: false,
        }
        .problem()
    }

    /// Per sub-table its class and the lengths of its sides, longest first.
    fn shapes(problem: &Problem) -> Vec<(u32, Vec<usize>)> {
        let shape = |table: &super::SubTable| {
            assert!(table.cells.iter().all(Option::is_some), "no cell is missing");
            let mut sides: Vec<usize> = table.coefficients.iter().map(Vec::len).collect();
            sides.sort_unstable_by_key(|&side| std::cmp::Reverse(side));
            (table.class, sides)
        };
        found(problem).iter().map(shape).collect()
    }

    fn found(problem: &Problem) -> Vec<super::SubTable> {
        let whole = Component::whole(problem);
        subtables(&whole, &Crossings::new(&whole))
    }

    #[test]
    fn a_table_without_hierarchies_is_its_only_sub_table() {
        assert_eq!(shapes(&problem(&[&[4]], 0)), [(0, vec![5])]);
        assert_eq!(shapes(&problem(&[&[4], &[3], &[2]], 0)), [(0, vec![5, 4, 3])]);
    }

    #[test]
    fn hierarchies_are_crossed_and_classes_are_sums_of_levels() {
        let found = shapes(&problem(&[&[2, 3], &[4, 2]], 0));
        assert_eq!(found.len(), 9, "three totals by three totals");
        let classes: Vec<u32> = found.iter().map(|(class, _)| *class).collect();
        assert_eq!(classes, [0, 1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(found[0].1, [3, 3]);
        assert!(found.contains(&(2, vec![5, 4])), "{found:?}");
    }

    #[test]
    fn linked_tables_have_sub_tables_of_their_own() {
        let found = shapes(&problem(&[&[3], &[4]], 2));
        assert_eq!(found, [(0, vec![5, 4]), (0, vec![4, 3])]);
    }

    #[test]
    fn every_relation_is_a_line_of_some_sub_table() {
        let problem = problem(&[&[2, 2], &[3], &[2, 3]], 3);
        let tables = found(&problem);
        for relation in 0..problem.relations().len() {
            let inside = |table: &super::SubTable| {
                let mut cells = problem.relations().row(relation).map(|(cell, _)| cell);
                cells.all(|cell| table.cells.contains(&Some(cell)))
            };
            assert!(tables.iter().any(inside), "relation {relation}");
        }
    }
}
