//! How cheap a safe pattern could be at best.

/// A lower bound on the cost of the secondaries of any safe pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// No safe pattern costs less.
    pub cost: f64,
}

impl Bound {
    /// `(cost − bound) / cost`, and 0 for a pattern that costs nothing.
    pub fn gap(self, cost: f64) -> f64 {
        if cost <= 0.0 { 0.0 } else { ((cost - self.cost) / cost).clamp(0.0, 1.0) }
    }
}
