//! The best split of costs.
//!
//! The cost of a cell is divided among its parts: patches and covers. Each takes the cheapest of what it allows, and the sum of what these cost is to be largest. With the cheapest
//! replaced by a mean that prefers what is cheap, `−ε ln Σ exp(−cost/ε)`, the best division of one cell's cost with all others fixed is a formula: what
//! withholding it adds is made the same in all its parts. Going through the cells again and again while `ε` falls leads to the best split.
//! (Such divisions are known as message passing; see Hazan and Shashua, Norm-product belief propagation, 2010.)

use super::{Part, Patches};
use crate::method::Context;
use rayon::prelude::*;

/// How `ε` falls, in average costs: from there at first and later, to there, and by which factor.
const HOT: f64 = 0.125;
const WARM: f64 = 0.03;
const COLD: f64 = 1e-4;
const COOLER: f64 = 0.5;

/// Where it is at most this, shares of cells are read off.
const READ: f64 = 0.005;

/// `ε` falls when a pass gains less than this share, and after so many passes at the latest, at first; with every further degree of patience so many times less, and as many more.
const LITTLE: f64 = 2e-5;
const PASSES: usize = 60;
const PATIENCE: u32 = 4;

/// No share changes by more than this many times `ε` at once.
const STEP: f64 = 300.0;

/// So many parts at least are weighed by one thread.
const TOGETHER: usize = 64;

/// A sum of all shares may be off by this share of their sizes.
const ROUNDING: f64 = 1e-11;

/// What a split says.
pub(in super::super) struct Split {
    /// No cheapest pattern costs less.
    pub(in super::super) bound: f64,
    /// To which share every position is withheld in the mean.
    pub(in super::super) point: Vec<f64>,
}

impl Patches {
    /// Splits the costs as well as it can, beginning with the last split.
    pub(in super::super) fn split(&mut self, context: &Context<'_>) -> Split {
        let paid = self.costs.iter().copied().filter(|cost| *cost > 0.0);
        let (sum, count) = paid.fold((0.0, 0.0), |(sum, count), cost| (sum + cost, count + 1.0));
        let mean: f64 = if count > 0.0 { sum / count } else { 1.0 };
        let mut heat = mean * if std::mem::replace(&mut self.is_split, true) { WARM } else { HOT };
        let patience = PATIENCE.pow(self.patience);
        let (little, passes) = (LITTLE / f64::from(patience), PASSES * patience as usize);
        let (mut bound, mut point) = (0.0, None);
        while heat > COLD * mean {
            let mut before = f64::NEG_INFINITY;
            for pass in 0..passes {
                let soft = self.weigh(heat, &mut bound);
                if soft - before < little * soft.abs() || context.is_over() {
                    break;
                }
                before = soft;
                for at in 0..self.of.len() {
                    self.level(if pass % 2 == 0 { at } else { self.of.len() - 1 - at }, heat);
                }
                self.spread();
            }
            if point.is_none() && (heat <= READ * mean || context.is_over()) {
                point = Some(self.point(heat));
            }
            if context.is_over() {
                break;
            }
            heat *= COOLER;
        }
        Split { bound, point: point.unwrap_or_default() }
    }

    /// Weighs all parts anew; gives their mean, and raises the bound to what the cheapest cost together.
    fn weigh(&mut self, heat: f64, bound: &mut f64) -> f64 {
        let weigh = |part: &mut Part| {
            let (least, mean) = part.weigh(heat);
            [least, part.shares().iter().map(|share| share.abs()).sum(), mean]
        };
        let weighed: Vec<[f64; 3]> =
            self.parts.par_iter_mut().with_min_len(TOGETHER).map(weigh).collect();
        let [cheapest, size, mean] =
            [0, 1, 2].map(|of| weighed.iter().map(|part| part[of]).sum::<f64>());
        *bound = bound.max(cheapest - ROUNDING * size);
        mean
    }

    /// Makes what withholding a cell adds the same in all its parts.
    fn level(&mut self, at: usize, heat: f64) {
        let of = &self.of[at];
        if of.len() < 2 {
            return;
        }
        let prices: Vec<f64> = of
            .iter()
            .map(|&(part, number)| self.parts[part as usize].price(number as usize, heat))
            .collect();
        let mean = prices.iter().sum::<f64>() / prices.len() as f64;
        for (&(part, number), price) in of.iter().zip(prices) {
            let by = (mean - price).clamp(-STEP * heat, STEP * heat);
            self.parts[part as usize].shift(number as usize, by, heat);
        }
    }

    /// Makes the shares of every cell add up to its cost.
    fn spread(&mut self) {
        for (of, cost) in self.of.iter().zip(&self.costs) {
            let share =
                |&(part, number): &(u32, u32)| self.parts[part as usize].shares()[number as usize];
            let missing = (cost - of.iter().map(share).sum::<f64>()) / of.len().max(1) as f64;
            for &(part, number) in of {
                self.parts[part as usize].shares_mut()[number as usize] += missing;
            }
        }
    }

    /// To which share every position is withheld, in the mean of its parts; all of those that cost nothing.
    fn point(&self, heat: f64) -> Vec<f64> {
        let share = |&(part, number): &(u32, u32)| {
            1.0 / (1.0 + (self.parts[part as usize].price(number as usize, heat) / heat).exp())
        };
        let positions = self.of.iter().zip(&self.costs).zip(&self.free);
        positions
            .map(|((of, &cost), &free)| match of.len() {
                _ if !free => 1.0,
                0 => f64::from(u8::from(cost <= 0.0)),
                parts => of.iter().map(share).sum::<f64>() / parts as f64,
            })
            .collect()
    }
}

impl Part {
    fn weigh(&mut self, heat: f64) -> (f64, f64) {
        match self {
            Self::Patch(patch) => patch.weigh(heat),
            Self::Cover(cover) => cover.weigh(heat),
        }
    }

    fn price(&self, number: usize, heat: f64) -> f64 {
        match self {
            Self::Patch(patch) => patch.price(number, heat),
            Self::Cover(cover) => cover.price(number, heat),
        }
    }

    fn shift(&mut self, number: usize, by: f64, heat: f64) {
        match self {
            Self::Patch(patch) => patch.shift(number, by, heat),
            Self::Cover(cover) => cover.shift(number, by, heat),
        }
    }

    fn shares(&self) -> &[f64] {
        match self {
            Self::Patch(patch) => &patch.shares,
            Self::Cover(cover) => &cover.shares,
        }
    }

    fn shares_mut(&mut self) -> &mut [f64] {
        match self {
            Self::Patch(patch) => &mut patch.shares,
            Self::Cover(cover) => &mut cover.shares,
        }
    }
}
