//! Tables in which levels are small: there it hardly matters how far cells can move, only that nothing can be recomputed.

use cellveil_core::{CellId, Problem, Side, Status};

/// Cells that can move this many times as far as the largest level asks for can move far enough for anything.
pub(crate) const MARGIN: i64 = 3;

/// Levels are small where at most this share of the cells cannot move far enough.
const TIGHT: f64 = 0.3;

/// Whether most cells that may be withheld can move [`MARGIN`] times as far as the largest level asks for: then what counts is that nothing can be recomputed.
pub(crate) fn has_small_levels(problem: &Problem) -> bool {
    let asked = problem.needs().iter().map(|need| need.down.max(need.up).max(need.sliding));
    let far = asked.max().unwrap_or(0).saturating_mul(MARGIN);
    let free = || problem.cells().filter(|&cell| problem.status(cell) == Status::Free);
    let is_tight = |&cell: &CellId| {
        Side::BOTH.iter().any(|&side| problem.room(cell, side).is_some_and(|room| room < far))
    };
    free().filter(is_tight).count() as f64 <= TIGHT * free().count() as f64
}

#[cfg(test)]
mod tests {
    use super::has_small_levels;
    use cellveil_testkit::{Sketch, Trait};

    #[test]
    fn a_level_is_small_if_most_cells_can_move_three_times_as_far() {
        let with_levels = |share: u8| {
            let lots = (0..4_u16).map(|at| Trait {
                lot: if at == 0 { 0 } else { 99 },
                levels: [share, share, 0],
                cost: 1 + at,
            });
            let sketch = Sketch {
                axes: vec![vec![5], vec![6]],
                linked: 0,
                values: vec![90, 100, 110],
                traits: lots.collect(),
                shares: [10, 0],
                bounded: false,
                decimals: 0,
                singletons: false,
            };
            has_small_levels(&sketch.problem())
        };
        assert!(with_levels(1) && !with_levels(90));
    }
}
