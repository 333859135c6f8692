//! Which two smaller tables stay published.
//!
//! As in `attack/product/split.rs`, from the figures of a survey: of the pairs of sets of variables whose tables are dense, small enough to be protected in memory
//! and have nothing sensitive in common, the one whose cells are worth most.

use super::survey::{Figures, Variables};

/// A cell of either table holds at least so many finest cells on average.
const DENSE: usize = 8;

/// How many cells the two tables may have together.
const MOST_CELLS: usize = 1_500_000;

/// Of so many sets of variables, those worth most, all pairs are weighed.
const WEIGHED: usize = 2000;

/// The two sets of variables, the one worth more first; `None` if there are no two.
pub(super) fn choose(sets: &[Figures], leaves: usize) -> Option<[Variables; 2]> {
    let mut within = sets.to_vec();
    let mut at = 1;
    while at < sets.len() {
        for set in (0..sets.len()).filter(|set| set & at != 0) {
            let part = within[set ^ at];
            within[set].cells += part.cells;
            within[set].needs += part.needs;
            within[set].worth += part.worth;
        }
        at <<= 1;
    }
    let is_dense = |set: &usize| {
        let finest = sets[*set].finest;
        finest > 0 && finest.saturating_mul(DENSE) <= leaves && within[*set].cells <= MOST_CELLS
    };
    let mut dense: Vec<usize> = (1..sets.len()).filter(is_dense).collect();
    dense.sort_by(|&a, &b| within[b].worth.total_cmp(&within[a].worth).then(a.cmp(&b)));
    dense.truncate(WEIGHED);
    let mut best: Option<(f64, [Variables; 2])> = None;
    for (at, &one) in dense.iter().enumerate() {
        for &other in &dense[..at] {
            let shared = within[one & other];
            let worth = within[one].worth + within[other].worth - shared.worth;
            let cells = within[one].cells + within[other].cells - shared.cells;
            let fits = shared.needs == 0 && cells <= MOST_CELLS;
            if fits && best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, [other as Variables, one as Variables]));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// The positions of a set.
pub(super) fn positions(set: Variables) -> Vec<usize> {
    (0..Variables::BITS as usize).filter(|at| set >> at & 1 == 1).collect()
}
