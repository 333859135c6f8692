//! Relations solved for some of their cells: whatever steps the other cells take, these follow, and every relation holds exactly.
//!
//! Relations are solved one by one, short ones first, each for the cell with the most room that it holds alone. What it stands for is put into
//! the relations after it, so that the last solved comes first when steps are worked out.

use cellveil_core::Relations;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most terms that are put into relations: a few seconds.
const WORK: usize = 200_000_000;
/// How often cells out of range may be brought back.
const REPAIRS: usize = 3_000;

/// `cell = constant + Σ coefficient · other`.
struct Pivot {
    cell: u32,
    terms: Vec<(u32, i64)>,
    constant: i128,
}

/// The relations, solved.
pub(crate) struct Pivots {
    /// In the order in which they were solved.
    rows: Vec<Pivot>,
    /// Per cell its place among them; the largest number where there is none.
    place: Vec<u32>,
    /// The relations that say something new, in the same order.
    solved: Vec<usize>,
}

impl Pivots {
    /// Solves relations that add up to `sums`, for cells with much room if that can be; `None` if it takes too long, or not in whole numbers.
    pub(crate) fn new(relations: &Relations, sums: &[i128], room: &[i64]) -> Option<Self> {
        let mut order: Vec<usize> = (0..relations.len()).collect();
        order.sort_by_key(|&relation| (relations.row(relation).len(), relation));
        let mut pivots =
            Self { rows: Vec::new(), place: vec![u32::MAX; room.len()], solved: Vec::new() };
        let mut line = Line::new(room.len());
        let mut left = WORK;
        for relation in order {
            for (cell, c) in relations.row(relation) {
                line.add(cell.0, i64::from(c), &pivots.place)?;
            }
            line.constant = -sums[relation];
            while let Some(place) = line.next_pivot() {
                let row = &pivots.rows[place];
                let c = std::mem::take(&mut line.coefficients[row.cell as usize]);
                if c == 0 {
                    continue;
                }
                left = left.checked_sub(row.terms.len() + 1)?;
                for &(cell, by) in &row.terms {
                    line.add(cell, c.checked_mul(by)?, &pivots.place)?;
                }
                line.constant += i128::from(c) * row.constant;
            }
            pivots.solve(&mut line, room)?;
            if pivots.rows.len() > pivots.solved.len() {
                pivots.solved.push(relation);
            }
        }
        Some(pivots)
    }

    /// Solves what is left of a relation; `None` if it contradicts those before.
    fn solve(&mut self, line: &mut Line, room: &[i64]) -> Option<()> {
        let terms = line.take();
        let alone = terms.iter().filter(|(_, c)| c.abs() == 1);
        let Some(&(cell, sign)) =
            alone.max_by_key(|&&(cell, _)| (room[cell as usize], Reverse(cell)))
        else {
            return (terms.is_empty() && line.constant == 0).then_some(());
        };
        let others = terms.into_iter().filter(|&(other, _)| other != cell);
        let terms = others.map(|(other, c)| (other, -sign * c)).collect();
        self.place[cell as usize] = u32::try_from(self.rows.len()).ok()?;
        self.rows.push(Pivot { cell, terms, constant: -i128::from(sign) * line.constant });
        Some(())
    }

    /// The relations without those that follow from others.
    pub(crate) fn independent(&self, relations: &Relations) -> Relations {
        let mut solved = self.solved.clone();
        solved.sort_unstable();
        let mut independent = Relations::default();
        for relation in solved {
            independent.push(relations.row(relation), relations.constant(relation));
        }
        independent
    }

    fn follow(&self, steps: &mut [i64]) -> Option<()> {
        for row in self.rows.iter().rev() {
            let terms = row.terms.iter();
            let sum: i128 =
                terms.map(|&(cell, c)| i128::from(c) * i128::from(steps[cell as usize])).sum();
            steps[row.cell as usize] = i64::try_from(sum + row.constant).ok()?;
        }
        Some(())
    }

    /// Steps near the given ones with which every relation holds, each in its range; `None` if none were found.
    pub(crate) fn near(
        &self,
        mut steps: Vec<i64>,
        lower: &[i64],
        upper: &[i64],
    ) -> Option<Vec<i64>> {
        for _ in 0..REPAIRS {
            self.follow(&mut steps)?;
            let beyond = |row: &&Pivot| {
                let i = row.cell as usize;
                !(lower[i]..=upper[i]).contains(&steps[i])
            };
            let Some(row) = self.rows.iter().find(beyond) else { return Some(steps) };
            let i = row.cell as usize;
            let by = steps[i].clamp(lower[i], upper[i]) - steps[i];
            // The free cell with the most room that way goes so far.
            let room = |&(cell, c): &(u32, i64)| {
                let (at, by) = (cell as usize, by * c);
                let room = if by > 0 { upper[at] - steps[at] } else { steps[at] - lower[at] };
                (self.place[at] == u32::MAX && c.abs() == 1 && room >= by.abs())
                    .then_some((room, cell, by))
            };
            let (_, cell, by) = row.terms.iter().filter_map(room).max()?;
            steps[cell as usize] += by;
        }
        None
    }
}

/// A relation on its way.
struct Line {
    coefficients: Vec<i64>,
    touched: Vec<u32>,
    /// Pivots among the touched cells, those solved first on top.
    pivots: BinaryHeap<Reverse<u32>>,
    constant: i128,
}

impl Line {
    fn new(cells: usize) -> Self {
        Self {
            coefficients: vec![0; cells],
            touched: Vec::new(),
            pivots: BinaryHeap::new(),
            constant: 0,
        }
    }

    fn add(&mut self, cell: u32, by: i64, place: &[u32]) -> Option<()> {
        let coefficient = &mut self.coefficients[cell as usize];
        if *coefficient == 0 {
            self.touched.push(cell);
            if place[cell as usize] != u32::MAX {
                self.pivots.push(Reverse(place[cell as usize]));
            }
        }
        *coefficient = coefficient.checked_add(by)?;
        Some(())
    }

    fn next_pivot(&mut self) -> Option<usize> {
        self.pivots.pop().map(|Reverse(place)| place as usize)
    }

    /// The terms that are left; makes room for the next relation.
    fn take(&mut self) -> Vec<(u32, i64)> {
        self.touched.sort_unstable();
        self.touched.dedup();
        let coefficients = &mut self.coefficients;
        let terms = self
            .touched
            .drain(..)
            .map(|cell| (cell, std::mem::take(&mut coefficients[cell as usize])));
        terms.filter(|&(_, c)| c != 0).collect()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::Pivots;
    use cellveil_core::CellId;
    use cellveil_testkit::tables::Tables;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_that_follow_the_others_keep_every_relation(problem in Tables::tiny().problems(), seed in any::<u32>()) {
            let relations = problem.relations();
            let sums = vec![0; relations.len()];
            let room: Vec<i64> = (0..problem.len() as u32).map(|i: u32| i64::from(i.wrapping_mul(seed) % 97)).collect();
            let pivots = Pivots::new(relations, &sums, &room).unwrap();
            let (lower, upper) = (vec![-1_000_000; problem.len()], vec![1_000_000; problem.len()]);
            let steps = pivots.near(room, &lower, &upper).unwrap();
            for relation in 0..relations.len() {
                let sum: i64 = relations.row(relation).map(|(cell, c)| i64::from(c) * steps[cell.index()]).sum();
                prop_assert_eq!(sum, 0);
            }
            prop_assert!(pivots.independent(relations).len() <= relations.len());
        }
    }

    #[test]
    fn a_cell_out_of_range_is_brought_back_by_a_free_one() {
        let mut relations = cellveil_core::Relations::default();
        relations.push_sum(CellId(0), [CellId(1), CellId(2)]);
        let pivots = Pivots::new(&relations, &[0], &[5, 0, 3]).unwrap();
        let steps = pivots.near(vec![0, 4, 9], &[0, 4, 0], &[10, 4, 20]).unwrap();
        assert_eq!(steps, [10, 4, 6]);
    }
}
