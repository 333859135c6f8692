//! Every cell as a sum of finest cells, whatever groups them.
//!
//! Where a code belongs to several groupings at once, or tables are linked, dimensions are of little help or cannot be told. But a cell that is no total
//! of others can move by itself, as long as all totals that contain it move along, and whatever keeps every relation is made of such steps.

mod pursuit;

use crate::product::Price;
use cellveil_core::{CellId, Problem, Side, Witness};
use pursuit::Pursuit;

/// The finest cells below every cell, and the cells above each of them.
pub struct Finest<'a> {
    problem: &'a Problem,
    /// The finest cells that every cell is the sum of; each is its own.
    below: Lists,
    /// The cells that move with every finest cell, itself among them; nothing for other cells.
    above: Lists,
}

/// A table with more pairs of a cell and a finest cell below it is left to other means.
const MOST: usize = 30_000_000;

impl<'a> Finest<'a> {
    /// `None` if a relation is no sum, or cells are not sums of finest cells, each counted once.
    pub fn new(problem: &'a Problem) -> Option<Self> {
        let below = below(problem.len(), &sums(problem)?)?;
        let above = below.turned();
        Some(Self { problem, below, above })
    }

    /// A table with `cell` moved `target` units to `side`: finest cells are moved one after the other, each so that what moves then costs less.
    pub fn pursue(
        &self,
        cell: CellId,
        side: Side,
        target: i64,
        price: &Price<'_>,
    ) -> Option<Witness> {
        Pursuit::new(self, cell, side, price).reach(target.max(1))
    }
}

/// Ascending numbers per member.
pub(crate) struct Lists {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    fn new(lists: &[Vec<u32>]) -> Self {
        let mut starts = vec![0_u32];
        starts.extend(lists.iter().scan(0_u32, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        }));
        Self { starts, entries: lists.concat() }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A number that tells the entries of a member from others: the sum of numbers drawn by lot for each.
    pub(crate) fn lot(&self, at: u32) -> u64 {
        self.of(at).iter().map(|&entry| lot(entry)).fold(0, u64::wrapping_add)
    }

    pub(crate) fn of(&self, at: u32) -> &[u32] {
        let at = at as usize;
        &self.entries[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Who has an entry, per entry.
    pub(crate) fn turned(&self) -> Self {
        let cells = self.len();
        let mut starts = vec![0_u32; cells + 1];
        for &entry in &self.entries {
            starts[entry as usize + 1] += 1;
        }
        for at in 0..cells {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; self.entries.len()];
        for cell in 0..cells as u32 {
            for &entry in self.of(cell) {
                entries[next[entry as usize] as usize] = cell;
                next[entry as usize] += 1;
            }
        }
        Self { starts, entries }
    }
}

/// A number drawn by lot for another.
pub(crate) fn lot(at: u32) -> u64 {
    let mut z = (u64::from(at) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The relations of a problem; `None` if one of them is no sum.
pub(crate) fn sums(problem: &Problem) -> Option<Vec<Sum>> {
    let relations = problem.relations();
    let terms = |at| relations.row(at).map(|(cell, c)| (cell.0, c)).collect::<Vec<_>>();
    (0..relations.len()).map(|at| sum(&terms(at))).collect()
}

/// A total and its parts.
pub(crate) type Sum = (u32, Vec<u32>);

/// The total and the parts of some terms; `None` if they are no sum.
pub(crate) fn sum(terms: &[(u32, i32)]) -> Option<Sum> {
    if terms.iter().any(|(_, c)| c.abs() != 1) {
        return None;
    }
    // Some files write a total with −1 and some with 1.
    [-1, 1].into_iter().find_map(|sign| {
        let mut totals = terms.iter().filter(|(_, c)| *c == sign);
        let (Some(&(total, _)), None) = (totals.next(), totals.next()) else { return None };
        let parts = terms.iter().filter(|(part, _)| *part != total).map(|&(part, _)| part);
        Some((total, parts.collect()))
    })
}

/// The finest of so many members below each of them; `None` if the sums contradict each other or count a member twice.
pub(crate) fn below(count: usize, sums: &[Sum]) -> Option<Lists> {
    let mut sums_of: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut is_total = vec![false; count];
    for (number, (total, parts)) in sums.iter().enumerate() {
        is_total[*total as usize] = true;
        for &part in parts {
            sums_of[part as usize].push(number as u32);
        }
    }
    let mut below: Vec<Option<Vec<u32>>> = vec![None; count];
    let mut waiting: Vec<usize> = sums.iter().map(|(_, parts)| parts.len()).collect();
    let mut known: Vec<u32> = (0..count as u32).filter(|&at| !is_total[at as usize]).collect();
    let mut entries = known.len();
    for &at in &known {
        below[at as usize] = Some(vec![at]);
    }
    while let Some(at) = known.pop() {
        for &number in &sums_of[at as usize] {
            let (total, parts) = &sums[number as usize];
            waiting[number as usize] -= 1;
            if waiting[number as usize] > 0 || below[*total as usize].is_some() {
                continue;
            }
            let of_parts = parts.iter().filter_map(|&part| below[part as usize].as_ref());
            let mut finest: Vec<u32> = of_parts.flatten().copied().collect();
            finest.sort_unstable();
            entries += finest.len();
            if !finest.is_sorted_by(|a, b| a < b) || entries > MOST {
                return None;
            }
            below[*total as usize] = Some(finest);
            known.push(*total);
        }
    }
    let below: Vec<Vec<u32>> = below.into_iter().collect::<Option<_>>()?;
    let lists = Lists::new(&below);
    let lots: Vec<u64> = (0..count as u32).map(|at| lists.lot(at)).collect();
    let lot = |at: &u32| lots[*at as usize];
    let agrees =
        |(total, parts): &Sum| parts.iter().map(lot).fold(0, u64::wrapping_add) == lot(total);
    sums.iter().all(agrees).then_some(lists)
}

#[cfg(test)]
mod tests {
    use super::{Finest, below};
    use cellveil_core::{CellId, Problem, Side, Witness};
    use cellveil_testkit::Grouped;
    use cellveil_testkit::tables::random_problem;

    /// Whether a witness keeps every relation and every bound.
    fn is_table(problem: &Problem, witness: &Witness) -> bool {
        let moved = |cell| witness.move_of(cell);
        let relations = problem.relations();
        let keeps =
            |at| relations.row(at).map(|(cell, c)| i64::from(c) * moved(cell)).sum::<i64>() == 0;
        let fits = |&(cell, by): &(CellId, i64)| {
            let side = if by > 0 { Side::Up } else { Side::Down };
            problem.room(cell, side).is_none_or(|room| room >= by.abs())
        };
        (0..relations.len()).all(keeps) && witness.moves.iter().all(fits)
    }

    #[test]
    fn pursued_cells_are_tables_and_forbidden_ones_stay() {
        let like = Grouped { leaves: 6, groupings: 2, dimensions: 3, empty: 10, sensitive: 5 };
        let (mut found, mut asked) = (0, 0);
        for seed in 0..6 {
            let problem =
                if seed % 2 == 0 { like.problem(seed) } else { random_problem(seed, &[4, 5, 3]) };
            let finest = Finest::new(&problem).unwrap_or_else(|| unreachable!("all are sums"));
            let is_forbidden = |cell: CellId| cell.0 % 41 == 3;
            let price = |cell: CellId| (!is_forbidden(cell)).then(|| problem.cost(cell));
            for need in problem.needs().iter().filter(|need| !is_forbidden(need.cell)) {
                for side in Side::BOTH {
                    asked += 1;
                    let target = need.on(side).max(1);
                    let Some(witness) = finest.pursue(need.cell, side, target, &price) else {
                        continue;
                    };
                    found += 1;
                    assert!(is_table(&problem, &witness));
                    assert!(witness.reaches(need.cell, side, target));
                    assert!(witness.moves.iter().all(|&(cell, _)| !is_forbidden(cell)));
                }
            }
        }
        assert!(found * 2 > asked, "{found} of {asked}");
    }

    #[test]
    fn sums_that_contradict_each_other_or_count_twice_are_refused() {
        let agree = [(4, vec![0, 1]), (5, vec![2, 3]), (6, vec![4, 5]), (6, vec![0, 1, 2, 3])];
        let lists = below(7, &agree).unwrap_or_else(|| unreachable!("they agree"));
        assert_eq!(lists.of(6), [0, 1, 2, 3]);
        assert_eq!(lists.turned().of(0), [0, 4, 6]);
        assert!(below(7, &[(4, vec![0, 1]), (4, vec![0, 2])]).is_none(), "a contradiction");
        assert!(below(7, &[(4, vec![0, 1]), (5, vec![4, 1])]).is_none(), "1 counts twice");
        assert!(below(7, &[(4, vec![5, 1]), (5, vec![4, 0])]).is_none(), "a circle");
    }
}
