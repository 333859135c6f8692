//! A small table in few numbers, from which an instance is built.

use cellveil_core::{
    CellId, CellNames, NO_LOWER, NO_UPPER, Need, Needs, Problem, ProblemParts, Reason, Relations,
    Status,
};

/// What one cell is like; drawn at random, for inner cells and margins alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trait {
    /// Decides sensitive, frozen or free, from 0 to 99.
    pub lot: u8,
    /// Levels down, up and apart, in per cent of the value.
    pub levels: [u8; 3],
    /// What withholding the cell costs.
    pub cost: u16,
}

/// A small table: dimensions, inner values, and what the cells are like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    /// Per dimension the sizes of its groups of leaves; one group alone makes a dimension without hierarchy.
    pub axes: Vec<Vec<usize>>,
    /// Into how many parts a second table breaks the first dimension down; 0 for no second table.
    pub linked: usize,
    /// The inner values, taken in turn, again from the start when they run out.
    pub values: Vec<i64>,
    /// What cells are like, taken in turn as well.
    pub traits: Vec<Trait>,
    /// Per cent of sensitive cells, then of frozen cells.
    pub shares: [u8; 2],
    /// Whether the intruder knows an upper bound for every cell: twice the value and some more.
    pub bounded: bool,
    /// The number of decimals of a value.
    pub decimals: u8,
    /// Whether sensitive cells with an odd cost have one contributor.
    pub singletons: bool,
}

/// The codes of a dimension: 0 the total, then each group and its leaves.
fn parts_of(groups: &[usize]) -> Vec<Vec<usize>> {
    if let [leaves] = groups {
        let mut parts = vec![(1..=*leaves).collect::<Vec<_>>()];
        parts.resize(leaves + 1, Vec::new());
        return parts;
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
    for &leaves in groups {
        let group = parts.len();
        parts[0].push(group);
        parts.push((group + 1..=group + leaves).collect());
        parts.resize(group + leaves + 1, Vec::new());
    }
    parts
}

/// An additive table: values and relations, grown dimension by dimension.
struct Draft {
    values: Vec<i64>,
    relations: Relations,
}

impl Sketch {
    /// Builds the instance.
    ///
    /// # Panics
    /// If the sketch has no dimension, value or trait.
    pub fn problem(&self) -> Problem {
        let mut draft = self.first_table();
        if self.linked > 0 {
            self.link(&mut draft);
        }
        let cells = draft.values.len();
        let traits: Vec<Trait> =
            (0..cells).map(|cell| self.traits[cell % self.traits.len()]).collect();
        let status: Vec<Status> = traits.iter().map(|t| self.status(t.lot)).collect();
        let sensitive = (0..cells).filter(|&cell| status[cell] == Status::Sensitive);
        let needs = sensitive
            .clone()
            .map(|cell| need(cell, draft.values[cell], traits[cell].levels))
            .collect();
        let singletons = sensitive
            .filter(|&cell| self.singletons && traits[cell].cost % 2 == 1)
            .map(CellId::at)
            .collect();
        let floor = if draft.values.iter().any(|&value| value < 0) { NO_LOWER } else { 0 };
        let upper = |&value: &i64| if self.bounded { value.max(0) * 2 + 3 } else { NO_UPPER };
        let parts = ProblemParts {
            decimals: self.decimals,
            costs: traits.iter().map(|t| f64::from(t.cost)).collect(),
            lower: vec![floor; cells],
            upper: draft.values.iter().map(upper).collect(),
            values: draft.values,
            status,
            needs: Needs::new(needs),
            relations: draft.relations,
            names: CellNames::Ids((0..cells as u64).collect()),
            singletons,
            width: 0,
        };
        match Problem::new(parts, 0) {
            Ok(problem) => problem,
            Err(error) => unreachable!("a sketch is an instance: {error}"),
        }
    }

    fn status(&self, lot: u8) -> Status {
        let [sensitive, frozen] = self.shares;
        if lot < sensitive {
            Status::Sensitive
        } else if lot < sensitive.saturating_add(frozen) {
            Status::Frozen
        } else {
            Status::Free
        }
    }

    fn first_table(&self) -> Draft {
        let trees: Vec<Vec<Vec<usize>>> = self.axes.iter().map(|groups| parts_of(groups)).collect();
        let cells: usize = trees.iter().map(Vec::len).product();
        let mut values = vec![0; cells];
        let mut inner = self.values.iter().copied().cycle();
        for (cell, value) in values.iter_mut().enumerate() {
            if is_inner(cell, &trees) {
                *value = inner.next().unwrap_or(0);
            }
        }
        let mut relations = Relations::default();
        for (d, tree) in trees.iter().enumerate() {
            let stride: usize = trees[d + 1..].iter().map(Vec::len).product();
            for start in
                (0..cells).step_by(stride * tree.len()).flat_map(|block| block..block + stride)
            {
                for (total, parts) in
                    tree.iter().enumerate().rev().filter(|(_, parts)| !parts.is_empty())
                {
                    let at = |code: &usize| start + code * stride;
                    values[at(&total)] = parts.iter().map(|part| values[at(part)]).sum();
                    relations.push_sum(
                        CellId::at(at(&total)),
                        parts.iter().map(|part| CellId::at(at(part))),
                    );
                }
            }
        }
        Draft { values, relations }
    }

    /// Adds a second table: the codes of the first dimension by `linked` parts, sharing the margin of the first table.
    fn link(&self, draft: &mut Draft) {
        let tree = parts_of(&self.axes[0]);
        let stride = draft.values.len() / tree.len();
        let first_new = draft.values.len();
        let cell = |code: usize, part: usize| CellId::at(first_new + code * self.linked + part);
        draft.values.resize(first_new + tree.len() * self.linked, 0);
        for code in (0..tree.len()).rev() {
            for part in 0..self.linked {
                let sum =
                    tree[code].iter().map(|&below| draft.values[cell(below, part).index()]).sum();
                draft.values[cell(code, part).index()] = sum;
            }
            if tree[code].is_empty() {
                let mut left = draft.values[code * stride];
                for part in 1..self.linked {
                    let share = left / (2 + ((code + part) % 3) as i64);
                    draft.values[cell(code, part).index()] = share;
                    left -= share;
                }
                draft.values[cell(code, 0).index()] = left;
            }
            draft
                .relations
                .push_sum(CellId::at(code * stride), (0..self.linked).map(|part| cell(code, part)));
        }
        for (code, parts) in tree.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
            for part in 0..self.linked {
                draft
                    .relations
                    .push_sum(cell(code, part), parts.iter().map(|&below| cell(below, part)));
            }
        }
    }
}

/// Whether all codes of a cell are leaves.
fn is_inner(cell: usize, trees: &[Vec<Vec<usize>>]) -> bool {
    let mut rest = cell;
    trees.iter().rev().all(|tree| {
        let code = rest % tree.len();
        rest /= tree.len();
        tree[code].is_empty()
    })
}

/// Levels of at least 1 upwards; never further down than nothing.
fn need(cell: usize, value: i64, levels: [u8; 3]) -> Need {
    let size = value.unsigned_abs();
    let [down, up, sliding] = levels.map(|level| {
        let units = (u128::from(size) * u128::from(level)).div_ceil(100);
        i64::try_from(units).unwrap_or(i64::MAX)
    });
    Need { cell: CellId::at(cell), down, up: up.max(1), sliding, reason: Reason::Given }
}
