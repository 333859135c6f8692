//! Chance that is the same everywhere: numbers from a seed and an id, in no order.

/// Spreads a seed and an id over all 64 bits (the finisher of `SplitMix64`).
pub fn scattered(seed: u64, id: u64) -> u64 {
    let mut z =
        seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(id.wrapping_add(1) << 17 ^ id);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Uniform in [0, 1).
pub(crate) fn share(seed: u64, id: u64) -> f64 {
    (scattered(seed, id) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Uniform among `0..bound`, for a bound above 0.
pub(crate) fn below(seed: u64, id: u64, bound: usize) -> usize {
    (scattered(seed, id) % bound as u64) as usize
}
