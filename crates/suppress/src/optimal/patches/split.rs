//! The best split of costs among patches.
//!
//! The cost of a cell is divided among its patches; each takes the cheapest of its shapes, and the sum of what these cost is to be largest. With the cheapest
//! replaced by a mean that prefers cheap shapes, `−ε ln Σ exp(−cost/ε)`, the best division of one cell's cost with all others fixed is a formula: what
//! withholding it adds is made the same in all its patches. Going through the cells again and again while `ε` falls leads to the best split.
//! (Such divisions are known as message passing; see Hazan and Shashua, Norm-product belief propagation, 2010.)

use super::super::cuts::Cut;
use super::Patches;
use crate::method::Context;

/// A patch with its share of the costs.
pub(super) struct Patch {
    /// Its free cells.
    cells: Vec<u32>,
    /// The cells withheld in each shape, as bits.
    pub(super) shapes: Vec<u32>,
    /// The shapes that withhold each cell.
    with: Vec<Vec<u16>>,
    /// The share of each cell's cost.
    shares: Vec<f64>,
    /// How likely each shape is, times a factor; their sum.
    weights: Vec<f64>,
    sum: f64,
}

/// Shares are whole numbers of so many parts of the largest.
const PARTS: f64 = (1_u64 << 40) as f64;

/// What a cut is weakened by for the rounding of its coefficients.
const ROUNDING: f64 = 1e-12;

/// The cost of a shape is looked up in two tables, one for its first cells.
const EIGHT: usize = 8;

impl Patch {
    pub(super) fn new(cells: Vec<u32>, shapes: Vec<u32>) -> Self {
        let with = |number: usize| {
            let with = (0_u16..).zip(&shapes).filter(|(_, shape)| **shape >> number & 1 == 1);
            with.map(|(shape, _)| shape).collect()
        };
        let with = (0..cells.len()).map(with).collect();
        let shares = vec![0.0; cells.len()];
        Self { cells, shapes, with, shares, weights: Vec::new(), sum: 0.0 }
    }

    /// What every shape costs at these shares.
    fn costs<T: Copy + Default + std::ops::Add<Output = T>>(&self, shares: &[T]) -> Vec<T> {
        let (low, high) = shares.split_at(EIGHT.min(shares.len()));
        let (low, high) = (sums(low), sums(high));
        let cost = |&shape: &u32| low[shape as usize & (low.len() - 1)] + high[shape as usize >> EIGHT];
        self.shapes.iter().map(cost).collect()
    }

    /// Weighs the shapes anew; gives the cost of the cheapest, and the mean.
    fn weigh(&mut self, heat: f64) -> (f64, f64) {
        let costs = self.costs(&self.shares);
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        self.weights.clear();
        self.weights.extend(costs.iter().map(|cost| ((least - cost) / heat).exp()));
        self.sum = self.weights.iter().sum();
        (least, least - heat * self.sum.ln())
    }

    /// What withholding a cell adds to the mean.
    fn price(&self, number: usize, heat: f64) -> f64 {
        let with = &self.with[number];
        let of = |&shape: &u16| self.weights[shape as usize];
        let withheld: f64 = with.iter().map(of).sum();
        let mut published = self.sum - withheld;
        if published < CLOSE * self.sum {
            // The difference is mostly rounding.
            let shapes = self.shapes.iter().zip(&self.weights);
            published = shapes.filter(|(shape, _)| *shape >> number & 1 == 0).map(|(_, weight)| weight).sum();
        }
        let log = |weight: f64| weight.max(f64::MIN_POSITIVE).ln();
        heat * (log(published) - log(withheld))
    }

    /// Adds to the share of a cell's cost.
    fn shift(&mut self, number: usize, by: f64, heat: f64) {
        self.shares[number] += by;
        let factor = (-by / heat).exp();
        let mut withheld = 0.0;
        for &shape in &self.with[number] {
            let weight = &mut self.weights[shape as usize];
            withheld += *weight;
            *weight = (*weight * factor).min(f64::MAX.sqrt());
        }
        self.sum += withheld * (factor - 1.0);
    }

    /// What the shapes say about the cells at these shares, in whole numbers until the end: `Σ share · x ≥` the cost of the cheapest.
    pub(super) fn cut(&self) -> Option<Cut> {
        let most = self.shares.iter().fold(0.0_f64, |most, share| most.max(share.abs()));
        if most <= 0.0 {
            return None;
        }
        let whole: Vec<i64> = self.shares.iter().map(|share| (share / most * PARTS) as i64).collect();
        let least = self.costs(&whole).into_iter().min()?;
        let terms = self.cells.iter().zip(&whole).filter(|(_, share)| **share != 0);
        let terms = terms.map(|(&at, &share)| (at, share as f64 / PARTS + ROUNDING)).collect();
        Some(Cut { terms, asked: least as f64 / PARTS - ROUNDING, is_for_all: false })
    }
}

/// Below this share of the sum a difference is added up anew.
const CLOSE: f64 = 1e-6;

/// The sums of all subsets of a few numbers.
fn sums<T: Copy + Default + std::ops::Add<Output = T>>(numbers: &[T]) -> Vec<T> {
    let mut sums = vec![T::default(); 1 << numbers.len()];
    for set in 1..sums.len() {
        sums[set] = sums[set & (set - 1)] + numbers[set.trailing_zeros() as usize];
    }
    sums
}

/// How `ε` falls, in average costs: from, to, and by which factor.
const HOT: f64 = 1.0;
const WARM: f64 = 0.03;
const COLD: f64 = 1e-4;
const COOLER: f64 = 0.5;

/// `ε` falls when a pass gains less than this share, and after so many passes at the latest.
const LITTLE: f64 = 2e-5;
const PASSES: usize = 100;

/// No share changes by more than this many times `ε` at once.
const STEP: f64 = 300.0;

impl Patches {
    /// Splits costs as well as it can, anew or beginning with the last split; gives the bound of all patches.
    pub(in super::super) fn split(&mut self, costs: &[f64], again: bool, context: &Context<'_>) -> f64 {
        let sizes: Vec<f64> = costs.iter().copied().filter(|cost| *cost > 0.0).collect();
        let mean = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
        self.spread(costs);
        let mut heat = if again { WARM } else { HOT } * mean;
        let mut bound = f64::NEG_INFINITY;
        while heat > COLD * mean && mean > 0.0 {
            let mut before = f64::NEG_INFINITY;
            for pass in 0..PASSES {
                let weighed = self.patches.iter_mut().map(|patch| patch.weigh(heat));
                let (least, soft) = weighed.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
                bound = bound.max(least);
                if soft - before < LITTLE * soft.abs() || context.is_over() {
                    break;
                }
                before = soft;
                for at in 0..self.of.len() {
                    self.level(if pass % 2 == 0 { at } else { self.of.len() - 1 - at }, heat);
                }
                self.spread(costs);
            }
            if context.is_over() {
                break;
            }
            heat *= COOLER;
        }
        bound
    }

    /// Makes what withholding a cell adds the same in all its patches.
    fn level(&mut self, at: usize, heat: f64) {
        let of = &self.of[at];
        if of.len() < 2 {
            return;
        }
        let prices: Vec<f64> = of
            .iter()
            .map(|&(patch, number)| self.patches[patch as usize].price(number as usize, heat))
            .collect();
        let mean = prices.iter().sum::<f64>() / prices.len() as f64;
        for (&(patch, number), price) in of.iter().zip(prices) {
            let by = (mean - price).clamp(-STEP * heat, STEP * heat);
            self.patches[patch as usize].shift(number as usize, by, heat);
        }
    }

    /// Makes the shares of every cell add up to its cost.
    fn spread(&mut self, costs: &[f64]) {
        for (of, cost) in self.of.iter().zip(costs) {
            let share = |&(patch, number): &(u32, u32)| self.patches[patch as usize].shares[number as usize];
            let missing = (cost - of.iter().map(share).sum::<f64>()) / of.len().max(1) as f64;
            for &(patch, number) in of {
                self.patches[patch as usize].shares[number as usize] += missing;
            }
        }
    }
}
