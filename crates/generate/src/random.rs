//! Seeded random numbers and the few distributions the families need.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers. Streams of different numbers are independent, so chunks can be made in any order.
pub(crate) struct Random(Pcg64Mcg);

impl Random {
    /// The stream of a seed and a chunk number.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(scattered(seed) ^ scattered(!stream)))
    }

    /// Uniform in the open interval (0, 1): its logarithm is finite and not zero.
    pub(crate) fn open(&mut self) -> f64 {
        ((self.0.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Uniform among `0..bound`, for a bound above 0.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u32
    }

    /// True with the given probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.open() < probability
    }

    /// Poisson, by multiplying uniforms until they fall below `e^-mean`, which is given.
    pub(crate) fn poisson(&mut self, exp_minus_mean: f64) -> u32 {
        let (mut count, mut product) = (0, self.open());
        while product > exp_minus_mean {
            count += 1;
            product *= self.open();
        }
        count
    }

    /// Standard normal (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.open().ln()).sqrt() * (std::f64::consts::TAU * self.open()).cos()
    }
}

/// Spreads neighbouring numbers over all 64 bits (the finisher of `SplitMix64`).
fn scattered(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Draws positions with given weights, in constant time (Walker's alias method).
pub(crate) struct Weighted {
    /// Below this, the position itself; else its alias.
    keep: Vec<f64>,
    alias: Vec<u32>,
}

impl Weighted {
    /// Weights are positive; they need not add up to 1.
    pub(crate) fn new(weights: &[f64]) -> Self {
        let count = weights.len();
        let scale = count as f64 / weights.iter().sum::<f64>();
        let mut keep: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
        let mut alias: Vec<u32> = (0..count as u32).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..count).partition(|&i| keep[i] < 1.0);
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            alias[poor] = rich as u32;
            keep[rich] -= 1.0 - keep[poor];
            if keep[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Self { keep, alias }
    }

    /// A position, with the probability of its weight.
    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        let at = random.below(self.keep.len() as u32);
        if random.open() < self.keep[at as usize] {
            at as usize
        } else {
            self.alias[at as usize] as usize
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_for_their_seed_and_differ_otherwise() {
        let draw = |seed, stream| {
            (0..4)
                .map(move |_| ())
                .scan(Random::new(seed, stream), |r, ()| Some(r.below(u32::MAX)))
                .collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
        assert_ne!(draw(1, 0), draw(0, 1));
    }

    #[test]
    fn poisson_has_its_mean() {
        let mut random = Random::new(7, 0);
        let sum: u32 = (0..20_000).map(|_| random.poisson((-4.53_f64).exp())).sum();
        assert!((f64::from(sum) / 20_000.0 - 4.53).abs() < 0.06);
    }

    #[test]
    fn weighted_draws_follow_their_weights() {
        let mut random = Random::new(7, 0);
        let weighted = Weighted::new(&[1.0, 3.0, 6.0]);
        let mut seen = [0_u32; 3];
        for _ in 0..30_000 {
            seen[weighted.draw(&mut random)] += 1;
        }
        for (count, share) in seen.into_iter().zip([0.1, 0.3, 0.6]) {
            assert!((f64::from(count) / 30_000.0 - share).abs() < 0.015);
        }
    }
}
