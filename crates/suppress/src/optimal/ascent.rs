//! A bound without a program: cuts of single relations, each of which makes its cells pay until the first has nothing left.
//!
//! Prices `y_k ≥ 0` of cuts `Σ c_kj x_j ≥ 1` with `Σ_k y_k c_kj ≤ cost_j` for every cell give the bound `Σ y_k` (dual ascent). One pass
//! takes time in proportion to the relations, whatever the size of the table.

use super::cuts::of_one_relation;
use super::level::{Level, System};

/// What a bound may be off by rounding, as a share.
pub(super) const ROUNDING: f64 = 1e-9;

/// No pattern that reaches all levels costs less in this component. Large levels come first: few cells are large enough for them.
pub(super) fn ascent(system: &System<'_>, levels: &[Level]) -> f64 {
    let mut order: Vec<&Level> = levels.iter().collect();
    order.sort_by(|a, b| b.target.cmp(&a.target).then_with(|| a.cmp(b)));
    let mut left = system.costs.clone();
    let mut bound = 0.0;
    for cut in order.into_iter().flat_map(|level| of_one_relation(system, level)) {
        let Some(cut) = cut.cut(|_| false) else { continue };
        let worth = cut.terms.iter().map(|&(at, c)| left[at as usize] / c);
        let price = worth.fold(f64::INFINITY, f64::min);
        if price > 0.0 && price.is_finite() {
            bound += price;
            for &(at, c) in &cut.terms {
                left[at as usize] = (left[at as usize] - price * c).max(0.0);
            }
        }
    }
    bound * (1.0 - ROUNDING)
}
