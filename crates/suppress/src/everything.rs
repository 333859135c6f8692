//! The table with every cell withheld that may be: what no pattern goes beyond.

use cellveil_attack::{Component, reduce};
use cellveil_core::{Problem, Status, Why};

/// Its components.
pub(crate) fn everything(problem: &Problem) -> Vec<Component> {
    let mut all = problem.start();
    for cell in problem.cells().filter(|&cell| problem.status(cell) == Status::Free) {
        all.withhold(cell, Why::Secondary);
    }
    reduce(problem, &all).components
}
