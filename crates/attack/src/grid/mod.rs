//! The dimensions of a table: where every cell stands in each, and which codes of a dimension add up.
//!
//! A table knows its codes. A JJ file does not: there, dimensions are found from the relations alone (`recover.rs`). Tables that are linked
//! stand in one grid, each at the totals of the dimensions it does not have.

mod from_the_top;
mod recover;

use crate::cube::Map;
use crate::finest::{Lists, below, sum};
use cellveil_core::{CellId, CellNames, Incidence, Problem};

/// Where the cells of a problem stand.
pub(crate) struct Grid {
    dimensions: Vec<Axis>,
    /// One code per dimension for every cell.
    places: Vec<u32>,
    cells: Cells,
}

/// One dimension.
pub(crate) struct Axis {
    /// How far apart neighbours stand in keys.
    pub(crate) stride: u64,
    /// The sums of the dimension: codes with their coefficients.
    pub(crate) lines: Vec<Line>,
    /// Per code the sums it takes part in, with its coefficient.
    lines_of: Vec<Vec<(u32, i8)>>,
    /// Where every code is a part of one sum at most and the total of one at most: the totals above each code, nearest first, and
    /// the codes of the finest level below it.
    tree: Option<Vec<(Vec<u32>, Vec<u32>)>>,
    /// Where codes are grouped in several ways: the codes of the finest level below every code, and the codes that move with each of them.
    pub(crate) groups: Option<Groups>,
}

/// Codes as sums of those of the finest level.
pub(crate) struct Groups {
    pub(crate) below: Lists,
    pub(crate) above: Lists,
}

impl Groups {
    fn new(codes: usize, lines: &[Line]) -> Option<Self> {
        let terms =
            |line: &Line| line.iter().map(|&(code, c)| (code, i32::from(c))).collect::<Vec<_>>();
        let sum = |line: &Line| sum(&terms(line));
        let sums: Option<Vec<_>> = lines.iter().map(sum).collect();
        let below = below(codes, &sums?)?;
        Some(Self { above: below.turned(), below })
    }
}

/// Codes of a dimension that add up to nothing when multiplied with their coefficients.
pub(crate) type Line = Vec<(u32, i8)>;

impl Axis {
    /// The sums a code takes part in, with its coefficient in each.
    pub(crate) fn lines_of(&self, code: u32) -> &[(u32, i8)] {
        &self.lines_of[code as usize]
    }

    /// All codes.
    pub(crate) fn codes(&self) -> std::ops::Range<u32> {
        0..self.lines_of.len() as u32
    }

    /// The totals above a code, nearest first.
    pub(crate) fn above(&self, code: u32) -> &[u32] {
        self.tree.as_ref().map_or(&[], |tree| &tree[code as usize].0)
    }

    /// The codes of the finest level below a code: itself if it is one.
    pub(crate) fn leaves_below(&self, code: u32) -> &[u32] {
        self.tree.as_ref().map_or(&[], |tree| &tree[code as usize].1)
    }
}

impl Axis {
    /// The code of the total of all others, if there is one.
    pub(crate) fn root(&self) -> Option<u32> {
        let tree = self.tree.as_ref()?;
        let all = self.leaves();
        let root = |&(_, (above, leaves)): &(usize, &(Vec<u32>, Vec<u32>))| {
            above.is_empty() && leaves.len() == all
        };
        tree.iter().enumerate().find(root).map(|(code, _)| code as u32)
    }

    /// Whether a code is one of the finest level.
    pub(crate) fn is_finest(&self, code: u32) -> bool {
        self.leaves_below(code) == [code]
    }

    /// How many codes the finest level has.
    pub(crate) fn leaves(&self) -> usize {
        let tree = self.tree.as_ref();
        tree.map_or(0, |tree| {
            (0..).zip(tree).filter(|(code, (_, leaves))| leaves == &[*code]).count()
        })
    }
}

/// The totals above every code and the leaves below it, if the sums are those of a tree.
fn tree(codes: usize, lines: &[Line]) -> Option<Vec<(Vec<u32>, Vec<u32>)>> {
    let mut parent = vec![None; codes];
    let mut is_total = vec![false; codes];
    for line in lines {
        let mut totals = line.iter().filter(|&&(_, c)| c < 0);
        let (Some(&(total, _)), None) = (totals.next(), totals.next()) else { return None };
        if std::mem::replace(&mut is_total[total as usize], true) {
            return None;
        }
        for &(part, _) in line.iter().filter(|&&(part, _)| part != total) {
            if parent[part as usize].replace(total).is_some() {
                return None;
            }
        }
    }
    let mut tree: Vec<(Vec<u32>, Vec<u32>)> = vec![(Vec::new(), Vec::new()); codes];
    for code in 0..codes as u32 {
        let mut at = code;
        while let Some(above) = parent[at as usize] {
            if tree[code as usize].0.len() == codes {
                return None;
            }
            tree[code as usize].0.push(above);
            at = above;
        }
        if !is_total[code as usize] {
            tree[code as usize].1.push(code);
            for above in tree[code as usize].0.clone() {
                tree[above as usize].1.push(code);
            }
        }
    }
    Some(tree)
}

/// Cells by their keys.
enum Cells {
    Dense(Vec<u32>),
    Sparse(Map<u64, u32>),
}

/// A place without a cell.
const NO_CELL: u32 = u32::MAX;

/// A table with more places than this many times its cells is kept as a map.
const HOLES: u64 = 8;

impl Grid {
    /// The grid of a problem; `None` if its relations do not stand in one.
    pub(crate) fn of(problem: &Problem, incidence: &Incidence) -> Option<Self> {
        match problem.names() {
            CellNames::Codes { dimensions, .. } => {
                let cells = problem.cells();
                let places = cells.flat_map(|cell| problem.names().key(cell)).copied();
                let lines = dimensions.iter().map(|dimension| {
                    let sums = dimension.hierarchy.sums().iter();
                    let line = |sum: &cellveil_core::Sum| {
                        let parts = sum.parts.iter().map(|&part| (part, 1));
                        parts.chain([(sum.total, -1)]).collect()
                    };
                    sums.map(line).collect()
                });
                Self::new(places.collect(), lines.collect())
            }
            CellNames::Ids(_) | CellNames::Labels(_) => match recover::grid(problem, incidence) {
                Some(grid) if grid.is_tree() => Some(grid),
                other => from_the_top::grid(problem).or(other),
            },
        }
    }

    /// `None` if two cells stand at one place, or there are more places than keys.
    fn new(places: Vec<u32>, lines: Vec<Vec<Line>>) -> Option<Self> {
        let width = lines.len();
        if width == 0 {
            return None;
        }
        let mut codes = vec![0_u32; width];
        for place in places.chunks_exact(width) {
            for (most, &code) in codes.iter_mut().zip(place) {
                *most = (*most).max(code + 1);
            }
        }
        for (most, lines) in codes.iter_mut().zip(&lines) {
            let highest = lines.iter().flatten().map(|&(code, _)| code + 1).max();
            *most = (*most).max(highest.unwrap_or(0));
        }
        let mut dimensions = Vec::with_capacity(width);
        let mut stride = 1_u64;
        for (&codes, lines) in codes.iter().zip(lines) {
            let mut lines_of = vec![Vec::new(); codes as usize];
            for (number, line) in lines.iter().enumerate() {
                for &(code, coefficient) in line {
                    lines_of[code as usize].push((number as u32, coefficient));
                }
            }
            let tree = tree(codes as usize, &lines);
            let groups = if tree.is_none() { Groups::new(codes as usize, &lines) } else { None };
            dimensions.push(Axis { stride, lines, lines_of, tree, groups });
            stride = stride.checked_mul(u64::from(codes)).filter(|&s| s < u64::MAX / 2)?;
        }
        let count = places.len() / width;
        let cells = if stride <= (HOLES * count as u64).max(1 << 16) {
            Cells::Dense(vec![NO_CELL; stride as usize])
        } else {
            Cells::Sparse(Map::default())
        };
        let mut grid = Self { dimensions, places, cells };
        for cell in 0..count as u32 {
            let key = grid.key(CellId(cell));
            let before = match &mut grid.cells {
                Cells::Dense(cells) => std::mem::replace(&mut cells[key as usize], cell),
                Cells::Sparse(cells) => cells.insert(key, cell).unwrap_or(NO_CELL),
            };
            if before != NO_CELL {
                return None;
            }
        }
        Some(grid)
    }

    /// Whether the codes of some dimension are grouped in several ways.
    pub(crate) fn has_groups(&self) -> bool {
        self.dimensions.iter().any(|axis| axis.groups.is_some())
    }

    /// Whether the sums of every dimension are those of a tree.
    pub(crate) fn is_tree(&self) -> bool {
        self.dimensions.iter().all(|axis| axis.tree.is_some())
    }

    /// The dimensions.
    pub(crate) fn axes(&self) -> &[Axis] {
        &self.dimensions
    }

    /// The codes of a cell, one per dimension.
    pub(crate) fn place(&self, cell: CellId) -> &[u32] {
        let width = self.dimensions.len();
        &self.places[cell.index() * width..(cell.index() + 1) * width]
    }

    /// The place of a cell as one number: its codes times the strides of their dimensions.
    pub(crate) fn key(&self, cell: CellId) -> u64 {
        let along = self.place(cell).iter().zip(&self.dimensions);
        along.map(|(&code, axis)| u64::from(code) * axis.stride).sum()
    }

    /// The place with these codes and those of every total above it.
    pub(crate) fn with_totals(&self, codes: &[u32]) -> Vec<u64> {
        let along = || codes.iter().zip(&self.dimensions);
        let mut keys = vec![along().map(|(&code, axis)| u64::from(code) * axis.stride).sum()];
        for (&code, axis) in along() {
            let size = keys.len();
            for &total in axis.above(code) {
                let away = (i64::from(total) - i64::from(code)) * axis.stride as i64;
                for at in 0..size {
                    keys.push(u64::wrapping_add_signed(keys[at], away));
                }
            }
        }
        keys
    }

    /// The cell at a place.
    pub(crate) fn at(&self, key: u64) -> Option<CellId> {
        let cell = match &self.cells {
            Cells::Dense(cells) => cells[key as usize],
            Cells::Sparse(cells) => *cells.get(&key)?,
        };
        (cell != NO_CELL).then_some(CellId(cell))
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use cellveil_testkit::{Grouped, Sketch, Trait};

    /// Dimensions by the sizes of their groups, and into how many parts a linked table breaks the first.
    fn widths(axes: &[&[usize]], linked: usize) -> Option<Vec<usize>> {
        let problem = Sketch {
            axes: axes.iter().map(|groups| groups.to_vec()).collect(),
            linked,
            values: vec![3, 5, 7],
            traits: vec![Trait { lot: 99, levels: [0, 1, 0], cost: 1 }],
            shares: [0, 0],
            bounded: false,
            decimals: 0,
            singletons: false,
        }
        .problem();
        let incidence = problem.relations().incidence(problem.len());
        let grid = Grid::of(&problem, &incidence)?;
        for cell in problem.cells() {
            assert_eq!(grid.at(grid.key(cell)), Some(cell));
        }
        let mut widths: Vec<usize> = grid.axes().iter().map(|axis| axis.lines_of.len()).collect();
        widths.sort_unstable();
        Some(widths)
    }

    #[test]
    fn dimensions_are_found_from_relations_alone() {
        assert_eq!(widths(&[&[4], &[3]], 0), Some(vec![4, 5]));
        assert_eq!(widths(&[&[4], &[3], &[2]], 0), Some(vec![3, 4, 5]));
        assert_eq!(widths(&[&[4], &[3], &[2], &[5]], 0), Some(vec![3, 4, 5, 6]));
    }

    #[test]
    fn hierarchies_are_one_dimension() {
        assert_eq!(widths(&[&[2, 3], &[4, 2]], 0), Some(vec![8, 9]));
        assert_eq!(widths(&[&[2, 3], &[4, 2], &[3]], 0), Some(vec![4, 8, 9]));
    }

    #[test]
    fn a_linked_table_breaks_a_dimension_down_anew() {
        assert!(widths(&[&[3], &[4]], 2).is_some());
    }

    #[test]
    fn codes_grouped_in_several_ways_are_one_dimension() {
        let shapes = [(8, 2, 3, 0), (8, 3, 2, 0), (7, 2, 4, 5), (9, 3, 3, 10)];
        for (leaves, groupings, dimensions, empty) in shapes {
            let like = Grouped { leaves, groupings, dimensions, empty, sensitive: 5 };
            for seed in 0..4 {
                let problem = like.problem(seed);
                let incidence = problem.relations().incidence(problem.len());
                let Some(grid) = Grid::of(&problem, &incidence) else {
                    unreachable!("{like:?} has dimensions")
                };
                assert_eq!(grid.axes().len(), dimensions, "{like:?}, seed {seed}");
                assert!(grid.has_groups() || grid.is_tree());
                for cell in problem.cells() {
                    assert_eq!(grid.at(grid.key(cell)), Some(cell));
                }
            }
        }
    }
}
