//! Which two smaller tables of a sparse table stay published while the cells of its finest level exchange amounts.
//!
//! A set of variables spans a table of its own, the others summed out. Two such tables stay as they are when amounts go round circles of leaves (see
//! `graph.rs`), and circles are many where each of their cells holds many leaves. Of the pairs that are dense enough in this sense, the one is chosen whose
//! cells, with all their totals, are worth most. In reserve are all pairs with one variable less, then two, and nothing but the grand total at last.

use super::graph::Graph;
use crate::cube::Map;
use crate::grid::Grid;
use cellveil_core::{CellId, Problem, Status};
use std::sync::OnceLock;

/// A cell of either table holds at least so many leaves on average.
const DENSE: usize = 8;

/// Tables with more dimensions than this are not split.
const MOST_DIMENSIONS: usize = 16;

/// Of so many sets of variables, those worth most, all pairs are weighed.
const WEIGHED: usize = 300;

/// A table is sparse if it has more than this many places for each of its leaves.
const SPARSE: u64 = 50;

/// How many variables are taken from the two sets at most before nothing is left of them.
const FEWER: usize = 2;

/// A split that is made when it is asked for.
pub(super) struct LazySplit {
    variables: [Variables; 2],
    made: OnceLock<Split>,
}

impl LazySplit {
    fn new(variables: [Variables; 2]) -> Self {
        Self { variables, made: OnceLock::new() }
    }

    pub(super) fn get(&self, grid: &Grid, leaves: &[CellId]) -> &Split {
        self.made.get_or_init(|| Split::new(grid, leaves, self.variables))
    }
}

/// A set of dimensions, one bit for each.
pub(super) type Variables = u32;

/// All dimensions.
pub(super) const ALL: Variables = Variables::MAX;

/// Two tables and the leaves that join them.
pub(super) struct Split {
    pub(super) variables: [Variables; 2],
    pub(super) graph: Graph,
    /// Per table, the cell of it that stands at a place.
    cells: [Map<u64, u32>; 2],
    /// Per table and cell, whether amounts can go from it to most others with the same codes of the variables that both have.
    joined: [Vec<bool>; 2],
}

impl Split {
    fn new(grid: &Grid, leaves: &[CellId], variables: [Variables; 2]) -> Self {
        let number = |variables: Variables| {
            let mut cells: Map<u64, u32> = Map::default();
            let ends = leaves.iter().map(|&leaf| {
                let next = cells.len() as u32;
                *cells.entry(place_in(grid, leaf, variables)).or_insert(next)
            });
            (ends.collect(), cells)
        };
        let [first, second] = variables.map(number);
        let graph = Graph::new([first.0, second.0]);
        let shared = variables[0] & variables[1];
        let joined = graph.main_pieces(|leaf| place_in(grid, leaves[leaf as usize], shared));
        Self { variables, graph, cells: [first.1, second.1], joined }
    }

    /// Whether two cells have the same codes of the variables that both tables have.
    pub(super) fn is_beside(&self, grid: &Grid, one: CellId, other: CellId) -> bool {
        let shared = self.variables[0] & self.variables[1];
        place_in(grid, one, shared) == place_in(grid, other, shared)
    }

    /// Whether a cell is none of the finest of a table, or amounts can go from it to others.
    pub(super) fn is_joined(&self, grid: &Grid, table: usize, cell: CellId) -> bool {
        self.cell(grid, table, cell).is_none_or(|at| self.joined[table][at as usize])
    }

    /// The cell of a table with the same codes as a cell of the whole.
    pub(super) fn cell(&self, grid: &Grid, table: usize, cell: CellId) -> Option<u32> {
        self.cells[table].get(&place_in(grid, cell, self.variables[table])).copied()
    }
}

/// The codes of some variables of a cell, as one number.
fn place_in(grid: &Grid, cell: CellId, variables: Variables) -> u64 {
    let along = grid.place(cell).iter().zip(grid.axes()).enumerate();
    let of = along.filter(|(at, _)| variables >> at & 1 == 1);
    of.map(|(_, (&code, axis))| u64::from(code) * axis.stride).sum()
}

/// The variables of which a cell has a code that is not the total of all.
pub(super) fn specified(grid: &Grid, cell: CellId) -> Variables {
    let along = grid.place(cell).iter().zip(grid.axes()).enumerate();
    along.fold(0, |all, (at, (&code, axis))| {
        all | Variables::from(!axis.above(code).is_empty()) << at
    })
}

/// The cells of the finest level, and the splits to try on a sparse table, level by level; `None` if it is not sparse.
pub(super) fn splits(problem: &Problem, grid: &Grid) -> Option<(Vec<CellId>, Vec<Vec<LazySplit>>)> {
    let width = grid.axes().len();
    if !grid.is_tree() || width > MOST_DIMENSIONS {
        return None;
    }
    // Every dimension must have one total of all its codes.
    let is_whole = grid.axes().iter().all(|axis| axis.root().is_some());
    let is_leaf = |&cell: &CellId| {
        let along = grid.place(cell).iter().zip(grid.axes());
        along.clone().all(|(&code, axis)| axis.is_finest(code))
    };
    let leaves: Vec<CellId> = problem.cells().filter(is_leaf).collect();
    let places = grid.axes().iter().map(|axis| axis.leaves() as u64);
    let places = places.fold(1_u64, u64::saturating_mul);
    if !is_whole || leaves.is_empty() || places / (leaves.len() as u64) < SPARSE {
        return None;
    }
    let levels = with_fewer(choose(problem, grid, leaves.len()), width);
    let lazy = |kinds: Vec<[Variables; 2]>| kinds.into_iter().map(LazySplit::new).collect();
    Some((leaves, levels.into_iter().map(lazy).collect()))
}

/// The pair of sets of variables whose tables are worth most, the larger first.
fn choose(problem: &Problem, grid: &Grid, leaves: usize) -> [Variables; 2] {
    let sets = 1_usize << grid.axes().len();
    let (mut worth, mut sensitive, mut finest) =
        (vec![0.0; sets], vec![0_usize; sets], vec![0_usize; sets]);
    for cell in problem.cells() {
        let set = specified(grid, cell);
        if problem.status(cell) == Status::Free {
            worth[set as usize] += problem.cost(cell);
        } else {
            sensitive[set as usize] += 1;
        }
        let along = grid.place(cell).iter().zip(grid.axes()).enumerate();
        let mut of = along.filter(|(at, _)| set >> at & 1 == 1);
        finest[set as usize] += usize::from(of.all(|(_, (&code, axis))| axis.is_finest(code)));
    }
    // Of a set and all sets within it.
    for at in 0..grid.axes().len() {
        for set in (0..sets).filter(|set| set >> at & 1 == 1) {
            worth[set] += worth[set ^ 1 << at];
            sensitive[set] += sensitive[set ^ 1 << at];
        }
    }
    let mut dense: Vec<usize> =
        (0..sets).filter(|&set| finest[set] * DENSE <= leaves && finest[set] > 0).collect();
    dense.sort_by(|&a, &b| worth[b].total_cmp(&worth[a]).then(a.cmp(&b)));
    dense.truncate(WEIGHED);
    let mut best = (0.0, [0, 0]);
    for (at, &one) in dense.iter().enumerate() {
        for &other in &dense[..at] {
            let shared = one & other;
            let both = worth[one] + worth[other] - worth[shared];
            if sensitive[shared] == 0 && both > best.0 {
                best = (both, [other as Variables, one as Variables]);
            }
        }
    }
    best.1
}

/// A pair of sets, all pairs with one variable less, all with two less, and that of nothing.
fn with_fewer(best: [Variables; 2], width: usize) -> Vec<Vec<[Variables; 2]>> {
    let mut levels = vec![vec![best]];
    for _ in 0..FEWER {
        let before = levels.last().map_or(&[][..], Vec::as_slice);
        let bits = (0..width).map(|at| 1 << at);
        let less = |&[one, other]: &[Variables; 2], bit: Variables| {
            [[one & !bit, other], [one, other & !bit]]
        };
        let fewer = bits.flat_map(|bit| before.iter().flat_map(move |kind| less(kind, bit)));
        let mut fewer: Vec<[Variables; 2]> = fewer.filter(|kind| !before.contains(kind)).collect();
        fewer.sort_unstable();
        fewer.dedup();
        levels.push(fewer);
    }
    levels.push(vec![[0, 0]]);
    levels
}
