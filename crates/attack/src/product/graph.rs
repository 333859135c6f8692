//! The cells of the finest level as edges between the cells of two smaller tables.
//!
//! Every such cell, a leaf, lies in one cell of either table. Amounts that go round a circle of leaves, up and down in turns, leave both tables
//! as they are, with all their totals. Amounts that go along a path change the two cells at its ends and nothing else of the two tables.

use crate::cube::Map;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// How many leaves may be looked at for one circle or path, and how many at its far end.
const WORK: usize = 3_000;
const FAR_END: usize = 1_000;

/// How many leaves that join the same two cells are tried.
const PARALLEL: usize = 8;

/// Leaves that join the cells of two tables. Tables go by 0 and 1.
pub struct Graph {
    /// Per table and leaf, the cell it lies in.
    ends: [Vec<u32>; 2],
    /// Per table and cell, where its leaves begin.
    starts: [Vec<u32>; 2],
    leaves: [Vec<u32>; 2],
}

/// Leaves with 1 if they move with the first and −1 if against it.
pub type Steps = Vec<(u32, i8)>;

/// Gets circles, and says whether to go on.
pub(super) type Visit<'v> = dyn FnMut(&[(u32, i8)]) -> ControlFlow<()> + 'v;

/// Whether a leaf can move.
pub(super) type Usable<'u> = dyn Fn(u32) -> bool + 'u;

/// A cell that was reached: from which one that was reached before, and by which two leaves.
struct Reached {
    cell: u32,
    from: usize,
    by: [u32; 2],
}

impl Graph {
    /// From the cell of each table that every leaf lies in.
    pub fn new(ends: [Vec<u32>; 2]) -> Self {
        let by_cell = |ends: &Vec<u32>| {
            let cells = ends.iter().max().map_or(0, |&most| most as usize + 1);
            let mut starts = vec![0_u32; cells + 1];
            for &cell in ends {
                starts[cell as usize + 1] += 1;
            }
            for cell in 0..cells {
                starts[cell + 1] += starts[cell];
            }
            let mut next = starts.clone();
            let mut leaves = vec![0_u32; ends.len()];
            for (leaf, &cell) in (0_u32..).zip(ends) {
                leaves[next[cell as usize] as usize] = leaf;
                next[cell as usize] += 1;
            }
            (starts, leaves)
        };
        let [first, second] = [by_cell(&ends[0]), by_cell(&ends[1])];
        Self { ends, starts: [first.0, second.0], leaves: [first.1, second.1] }
    }

    /// The cell of a table that a leaf lies in.
    pub fn end(&self, table: usize, leaf: u32) -> u32 {
        self.ends[table][leaf as usize]
    }

    /// The leaves in a cell of a table.
    pub fn leaves_of(&self, table: usize, cell: u32) -> &[u32] {
        let starts = &self.starts[table];
        let range = starts[cell as usize] as usize..starts[cell as usize + 1] as usize;
        &self.leaves[table][range]
    }

    /// Per table, which cells are in the largest connected piece of all that share what `block` says of a leaf.
    pub fn main_pieces(&self, block: impl Fn(u32) -> u64) -> [Vec<bool>; 2] {
        let first = self.starts[0].len() - 1;
        let mut piece: Vec<u32> = (0..(first + self.starts[1].len() - 1) as u32).collect();
        let leaves = self.ends[0].len() as u32;
        for leaf in 0..leaves {
            let [a, b] = [self.end(0, leaf), first as u32 + self.end(1, leaf)];
            let (a, b) = (root(&mut piece, a), root(&mut piece, b));
            piece[a.max(b) as usize] = a.min(b);
        }
        let mut sizes: Map<u32, u32> = Map::default();
        for leaf in 0..leaves {
            *sizes.entry(root(&mut piece, self.end(0, leaf))).or_default() += 1;
        }
        let mut largest: Map<u64, (u32, std::cmp::Reverse<u32>)> = Map::default();
        for leaf in 0..leaves {
            let at = root(&mut piece, self.end(0, leaf));
            let size = (sizes[&at], std::cmp::Reverse(at));
            let most = largest.entry(block(leaf)).or_insert(size);
            *most = size.max(*most);
        }
        let roots: std::collections::HashSet<u32> = largest.values().map(|most| most.1.0).collect();
        let is_main: Vec<bool> =
            (0..piece.len() as u32).map(|at| roots.contains(&root(&mut piece, at))).collect();
        let (one, other) = is_main.split_at(first);
        [one.to_vec(), other.to_vec()]
    }

    /// Shows circles through a leaf, short ones first, until somebody has seen enough.
    pub fn circles(&self, leaf: u32, usable: &Usable<'_>, visit: &mut Visit<'_>) {
        let crowd = |table: usize| self.leaves_of(table, self.end(table, leaf)).len();
        let near = usize::from(crowd(1) < crowd(0));
        let (start, goal) = (self.end(near, leaf), self.end(1 - near, leaf));
        let other = |at: u32| at != leaf && usable(at);
        self.links(near, start, goal, &other, &mut |steps| {
            let mut circle = steps.to_vec();
            circle.push((leaf, 1));
            visit(&circle)
        });
    }

    /// Shows paths from a cell of a table to one of the other table, both of which fall, short ones first, until somebody has seen enough.
    pub fn links(
        &self,
        table: usize,
        start: u32,
        goal: u32,
        usable: &Usable<'_>,
        visit: &mut Visit<'_>,
    ) {
        let mut closing: Map<u32, Vec<u32>> = Map::default();
        for &last in self.leaves_of(1 - table, goal).iter().take(FAR_END) {
            let found = closing.entry(self.end(table, last)).or_default();
            if found.len() < PARALLEL && usable(last) {
                found.push(last);
            }
        }
        self.search(table, start, (None, Some(goal)), usable, &mut |reached| {
            let at = reached.len() - 1;
            for &last in closing.get(&reached[at].cell).into_iter().flatten() {
                let mut steps = walked(reached, at, [-1, 1]);
                steps.push((last, -1));
                visit(&steps)?;
            }
            ControlFlow::Continue(())
        });
    }

    /// A path from a cell of a table, which rises, to one of others of the same table, which falls; it may have to begin with a certain leaf.
    pub fn path(
        &self,
        table: usize,
        start: u32,
        goals: &[u32],
        first: Option<u32>,
        usable: &Usable<'_>,
    ) -> Option<(u32, Steps)> {
        let mut closing: Map<u32, (u32, u32)> = Map::default();
        for &goal in goals {
            for &last in self.leaves_of(table, goal).iter().take(FAR_END) {
                if usable(last) {
                    closing.entry(self.end(1 - table, last)).or_insert((goal, last));
                }
            }
        }
        let mut found = None;
        self.search(table, start, (first, None), usable, &mut |reached| {
            let at = reached.len() - 1;
            let leaves = self.leaves_of(table, reached[at].cell).iter().take(FAR_END);
            let begins = |leaf: &&u32| at > 0 || first.is_none_or(|first| first == **leaf);
            for &leaf in leaves.filter(begins) {
                if let Some(&(goal, last)) = closing.get(&self.end(1 - table, leaf))
                    && last != leaf
                    && usable(leaf)
                {
                    let mut steps = walked(reached, at, [1, -1]);
                    steps.extend([(leaf, 1), (last, -1)]);
                    found = Some((goal, steps));
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// Goes from cell to cell of one table, nearest first, by pairs of leaves. The first pair may have to begin with a certain
    /// leaf; a cell of the other table may have to be left out.
    fn search(
        &self,
        table: usize,
        start: u32,
        (first, without): (Option<u32>, Option<u32>),
        usable: &Usable<'_>,
        visit: &mut dyn FnMut(&[Reached]) -> ControlFlow<()>,
    ) {
        let mut reached = vec![Reached { cell: start, from: 0, by: [0, 0] }];
        if visit(&reached).is_break() {
            return;
        }
        let mut seen = HashSet::from([start]);
        let mut crossed: HashSet<u32> = without.into_iter().collect();
        let (mut at, mut work) = (0, WORK);
        while at < reached.len() {
            let from = at;
            at += 1;
            for &leaf in self.leaves_of(table, reached[from].cell) {
                work = work.saturating_sub(1);
                if work == 0 {
                    return;
                }
                let begins = from > 0 || first.is_none_or(|first| first == leaf);
                let crossing = self.end(1 - table, leaf);
                if !begins || !usable(leaf) || !crossed.insert(crossing) {
                    continue;
                }
                for &next in self.leaves_of(1 - table, crossing) {
                    work = work.saturating_sub(1);
                    if work == 0 {
                        return;
                    }
                    let cell = self.end(table, next);
                    if !usable(next) || !seen.insert(cell) {
                        continue;
                    }
                    reached.push(Reached { cell, from, by: [leaf, next] });
                    if visit(&reached).is_break() {
                        return;
                    }
                }
            }
        }
    }
}

/// The piece that a cell belongs to; the way there is shortened.
fn root(piece: &mut [u32], mut at: u32) -> u32 {
    while piece[at as usize] != at {
        piece[at as usize] = piece[piece[at as usize] as usize];
        at = piece[at as usize];
    }
    at
}

/// The leaves on the way to a cell.
fn walked(reached: &[Reached], mut at: usize, signs: [i8; 2]) -> Steps {
    let mut steps = Vec::new();
    while at > 0 {
        let Reached { from, by, .. } = reached[at];
        steps.extend([(by[0], signs[0]), (by[1], signs[1])]);
        at = from;
    }
    steps
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::Graph;
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;

    /// Leaves of a grid of 6 by 5 cells, some of which are missing.
    fn graph() -> Graph {
        let there = (0..30_u32).filter(|at| at % 7 != 3);
        Graph::new([there.clone().map(|at| at / 5).collect(), there.map(|at| at % 5).collect()])
    }

    fn sums(graph: &Graph, table: usize, steps: &[(u32, i8)]) -> BTreeMap<u32, i32> {
        let mut sums = BTreeMap::new();
        for &(leaf, sign) in steps {
            *sums.entry(graph.end(table, leaf)).or_default() += i32::from(sign);
        }
        sums.retain(|_, sum| *sum != 0);
        sums
    }

    #[test]
    fn circles_leave_both_tables_as_they_are() {
        let graph = graph();
        let mut seen = 0;
        for leaf in 0..25 {
            graph.circles(leaf, &|other| other % 4 != 1, &mut |steps| {
                seen += 1;
                assert_eq!(steps.iter().filter(|step| **step == (leaf, 1)).count(), 1);
                assert!(steps.iter().all(|&(other, _)| other == leaf || other % 4 != 1));
                assert_eq!(sums(&graph, 0, steps), BTreeMap::new());
                assert_eq!(sums(&graph, 1, steps), BTreeMap::new());
                ControlFlow::Continue(())
            });
        }
        assert!(seen > 25, "there are many circles");
    }

    #[test]
    fn paths_change_the_cells_at_their_ends_only() {
        let graph = graph();
        for (table, start, goals) in [(0, 0, [2, 4]), (0, 5, [1, 0]), (1, 3, [0, 4])] {
            let (goal, steps) = graph.path(table, start, &goals, None, &|_| true).unwrap();
            assert!(goals.contains(&goal));
            assert_eq!(sums(&graph, table, &steps), BTreeMap::from([(start, 1), (goal, -1)]));
            assert_eq!(sums(&graph, 1 - table, &steps), BTreeMap::new());
        }
        let first = graph.leaves_of(0, 5)[2];
        let (_, steps) = graph.path(0, 5, &[1], Some(first), &|_| true).unwrap();
        assert!(steps.contains(&(first, 1)), "the leaf it has to begin with");
    }
}
