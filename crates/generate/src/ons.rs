//! Magnitude tables from random contributors, as the tables published by the Office for National Statistics were made.

use crate::error::check;
use crate::instance::instance;
use crate::random::Random;
use crate::tree::Tree;
use crate::{GenerateError, Shape, records};
use cellveil_core::{CellId, Need, Problem, Reason, Relations, Status, units};
use std::path::Path;

/// No contribution is larger, in units: `−1/ln r` has no mean, and sums must stay exact.
const LARGEST: f64 = 1e12;
/// Contributions are whole numbers of thousandths, so that they hardly ever tie.
const SCALE: f64 = 1000.0;

/// A table whose inner cells have random contributors.
///
/// Every combination of leaves is empty with probability `zeros`; otherwise it has Poisson(`lambda`) contributors, each of
/// `−1000/ln r` units with `r` uniform in (0, 1), rounded. A cell with contributors is sensitive if there are fewer than
/// `threshold` of them, or if all but the two largest, `x₁` and `x₂`, are less than `p` per cent of `x₁`. It must then be kept
/// `p·x₁ − (value − x₁ − x₂)` from its value on both sides, at least 1. Cells without contributors are frozen.
#[derive(Clone, Debug, PartialEq)]
pub struct Ons {
    /// The dimensions.
    pub shape: Shape,
    /// The mean number of contributors of a cell that is not empty by lot; above 0, at most 500.
    pub lambda: f64,
    /// The share of cells that are empty by lot; from 0, below 1.
    pub zeros: f64,
    /// Cells with fewer contributors are sensitive.
    pub threshold: u32,
    /// The parameter of the p% rule; from 0 to 100.
    pub p: f64,
    /// The same seed gives the same table and the same records.
    pub seed: u64,
}

impl Default for Ons {
    fn default() -> Self {
        let axes = [100, 33, 78].map(|size| crate::Axis { size, depth: 1 });
        Self {
            shape: Shape(axes.to_vec()),
            lambda: 4.53,
            zeros: 0.4,
            threshold: 3,
            p: 10.0,
            seed: 1,
        }
    }
}

/// Who contributes to a cell, as far as the rules look.
#[derive(Clone, Copy, Default)]
struct Tally {
    count: u32,
    value: i64,
    first: i64,
    second: i64,
}

impl Tally {
    fn of(contributions: &[i64]) -> Self {
        contributions.iter().fold(Self::default(), |mut tally, &value| {
            tally.add(&Self { count: 1, value, first: value, second: 0 });
            tally
        })
    }

    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.value += other.value;
        self.second = self.first.min(other.first).max(self.second).max(other.second);
        self.first = self.first.max(other.first);
    }
}

impl Ons {
    /// The table as an instance; cells are numbered row by row, the last dimension fastest, totals first.
    ///
    /// # Errors
    /// [`GenerateError`] if a parameter is out of range.
    pub fn problem(&self) -> Result<Problem, GenerateError> {
        let trees = self.trees()?;
        let sizes: Vec<usize> = trees.iter().map(Tree::len).collect();
        let mut tallies = vec![Tally::default(); self.shape.cells()?];
        self.each_cell(&trees, |key, contributions| {
            let at = key.iter().zip(&sizes).fold(0, |at, (&code, size)| at * size + code as usize);
            tallies[at] = Tally::of(contributions);
            Ok(())
        })?;
        roll_up(&mut tallies, &trees);
        let mut status = vec![Status::Free; tallies.len()];
        let mut needs = Vec::new();
        for (at, tally) in tallies.iter().enumerate() {
            if tally.count == 0 {
                status[at] = Status::Frozen;
            } else if let Some(need) = self.need(CellId::at(at), tally) {
                status[at] = Status::Sensitive;
                needs.push(need);
            }
        }
        let values = tallies.iter().map(|tally| tally.value).collect();
        instance(values, status, needs, relations(&trees))
    }

    /// Writes one record per contributor into a CSV or Parquet file: columns `d1`, `d2`, … with leaf codes, and `value`.
    ///
    /// Tabulated, they give the table of [`Ons::problem`]. Codes of a hierarchical dimension carry their aggregates in their
    /// digits: see [`Ons::digits`].
    ///
    /// # Errors
    /// [`GenerateError`] if a parameter is out of range or the file cannot be written.
    pub fn write_records(&self, path: &Path) -> Result<(), GenerateError> {
        let trees = self.trees()?;
        let mut writer = records::Writer::create(path, &trees)?;
        self.each_cell(&trees, |key, contributions| {
            contributions.iter().try_for_each(|&value| writer.write(key, value))
        })?;
        writer.finish()
    }

    /// For each dimension how many digits of a code make each level, coarsest first.
    ///
    /// # Errors
    /// [`GenerateError`] if a parameter is out of range.
    pub fn digits(&self) -> Result<Vec<Vec<usize>>, GenerateError> {
        Ok(self.trees()?.into_iter().map(|tree| tree.digits).collect())
    }

    fn trees(&self) -> Result<Vec<Tree>, GenerateError> {
        check(self.lambda > 0.0 && self.lambda <= 500.0, "lambda", "above 0 and at most 500")?;
        check((0.0..1.0).contains(&self.zeros), "zeros", "at least 0 and below 1")?;
        check((0.0..=100.0).contains(&self.p), "p", "from 0 to 100")?;
        check(!self.shape.0.is_empty(), "shape", "one dimension or more")?;
        self.shape.cells()?;
        let axes = self.shape.0.iter().zip(1..);
        axes.map(|(&axis, stream)| Tree::new(axis, &mut Random::new(self.seed, stream))).collect()
    }

    /// Calls `visit` with the codes and contributions of every combination of leaves that has contributors, in order.
    fn each_cell(
        &self,
        trees: &[Tree],
        mut visit: impl FnMut(&[u32], &[i64]) -> Result<(), GenerateError>,
    ) -> Result<(), GenerateError> {
        let leaves: Vec<Vec<u32>> = trees.iter().map(Tree::leaves).collect();
        let mut random = Random::new(self.seed, 0);
        let exp_minus_lambda = (-self.lambda).exp();
        let mut position = vec![0; leaves.len()];
        let mut contributions = Vec::new();
        loop {
            contributions.clear();
            if !random.chance(self.zeros) {
                for _ in 0..random.poisson(exp_minus_lambda) {
                    contributions
                        .push((-SCALE / random.open().ln()).round().clamp(1.0, LARGEST) as i64);
                }
            }
            if !contributions.is_empty() {
                let key: Vec<u32> =
                    position.iter().zip(&leaves).map(|(&at, codes)| codes[at]).collect();
                visit(&key, &contributions)?;
            }
            if !advance(&mut position, &leaves) {
                return Ok(());
            }
        }
    }

    fn need(&self, cell: CellId, tally: &Tally) -> Option<Need> {
        let rest = tally.value - tally.first - tally.second;
        let lacking = self.p / 100.0 * tally.first as f64 - rest as f64;
        let few = tally.count < self.threshold;
        let reason = if few { Reason::Frequency } else { Reason::PPercent };
        let level = units::ceil_units(lacking).clamp(1, tally.value);
        (few || lacking > 0.0).then_some(Need { cell, down: level, up: level, sliding: 0, reason })
    }
}

/// The next combination, the last position fastest; false after the last one.
fn advance(position: &mut [usize], leaves: &[Vec<u32>]) -> bool {
    for (at, codes) in position.iter_mut().zip(leaves).rev() {
        *at += 1;
        if *at < codes.len() {
            return true;
        }
        *at = 0;
    }
    false
}

/// Adds every part to its aggregates, dimension by dimension.
fn roll_up(tallies: &mut [Tally], trees: &[Tree]) {
    for (d, tree) in trees.iter().enumerate() {
        let stride: usize = trees[d + 1..].iter().map(Tree::len).product();
        for block in tallies.chunks_exact_mut(stride * tree.len()) {
            // Parts come after their aggregate, so going backwards every aggregate is complete before it is added.
            for (total, parts) in tree.parts.iter().enumerate().rev() {
                for &part in parts {
                    let (before, after) = block.split_at_mut(part as usize * stride);
                    let totals = &mut before[total * stride..(total + 1) * stride];
                    totals
                        .iter_mut()
                        .zip(&after[..stride])
                        .for_each(|(total, part)| total.add(part));
                }
            }
        }
    }
}

/// Per dimension, aggregate and combination of the others: the total and its parts.
fn relations(trees: &[Tree]) -> Relations {
    let mut relations = Relations::default();
    let cells: usize = trees.iter().map(Tree::len).product();
    for (d, tree) in trees.iter().enumerate() {
        let stride: usize = trees[d + 1..].iter().map(Tree::len).product();
        for (total, parts) in tree.parts.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
            for block in (0..cells).step_by(stride * tree.len()) {
                for other in block..block + stride {
                    let parts =
                        parts.iter().map(|&part| CellId::at(other + part as usize * stride));
                    relations.push_sum(CellId::at(other + total * stride), parts);
                }
            }
        }
    }
    relations
}
