//! What a method works with besides the problem.

use cellveil_lp::Engine;

/// What a method works with besides the problem.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Solves linear programs.
    pub engine: &'a dyn Engine,
    /// Told how far along the work is.
    pub progress: &'a dyn Progress,
    /// How many seconds are left; `None` if there is no limit. Without one, the same input gives the same table.
    pub seconds_left: &'a (dyn Fn() -> Option<f64> + Sync),
    /// How far from the best cost is good enough, from 0 to 1.
    pub gap: f64,
    /// The seed of everything random.
    pub seed: u64,
}

impl Context<'_> {
    pub(crate) fn left(&self) -> Option<f64> {
        (self.seconds_left)().map(|seconds| seconds.max(0.0))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.left().is_some_and(|seconds| seconds <= 0.0)
    }
}

/// Somebody who wants to know how far along the work is.
pub trait Progress: Sync {
    /// A table of this cost was found; none costs less than the bound.
    fn step(&self, cost: f64, bound: f64);
}

/// Nobody wants to know.
impl Progress for () {
    fn step(&self, _: f64, _: f64) {}
}
