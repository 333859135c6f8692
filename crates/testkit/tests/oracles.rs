//! The oracles are right where the answer is known, and the random tables are what they say.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use cellveil_core::{CellId, Pattern, Problem, Status, Why};
use cellveil_testkit::relabel::relabel;
use cellveil_testkit::tables::{Tables, Values, random_problem};
use cellveil_testkit::{Sketch, Trait, brute};
use proptest::prelude::*;

/// Two by two: rows 4 3 1 | 2 1 1 | total 6 4 2; the inner 3 is sensitive and needs one up.
fn two_by_two() -> Problem {
    let like = |lot| Trait { lot, levels: [1, 1, 0], cost: 1 };
    let traits = (0..9).map(|cell| like(if cell == 4 { 0 } else { 99 })).collect();
    let sketch = Sketch {
        axes: vec![vec![2], vec![2]],
        linked: 0,
        values: vec![3, 1, 1, 1],
        traits,
        shares: [10, 0],
        bounded: true,
        decimals: 0,
        singletons: false,
    };
    sketch.problem()
}

#[test]
fn a_withheld_rectangle_moves_by_its_smallest_corner() {
    let problem = two_by_two();
    let mut pattern = problem.start();
    for cell in [5, 7, 8] {
        pattern.withhold(CellId(cell), Why::Secondary);
    }
    let ranges = brute::ranges(&problem, &pattern, &[]).unwrap();
    let bounds: Vec<(i64, i64)> = ranges.iter().map(|range| (range.lower, range.upper)).collect();
    assert_eq!(bounds, [(2, 4), (0, 2), (0, 2), (0, 2)]);
    assert_eq!(brute::exposed(&problem, &pattern).unwrap(), []);
    let known = brute::ranges(&problem, &pattern, &[CellId(8)]).unwrap();
    assert!(
        known.iter().all(|range| range.lower == range.upper),
        "one known corner gives all four away"
    );
}

#[test]
fn a_cell_withheld_alone_is_exposed_and_the_cheapest_pattern_is_a_rectangle() {
    let problem = two_by_two();
    assert_eq!(brute::exposed(&problem, &problem.start()).unwrap().len(), 2);
    let safe =
        |problem: &Problem, pattern: &Pattern| brute::exposed(problem, pattern).unwrap().is_empty();
    let (pattern, cost) = brute::cheapest_pattern(&problem, safe).unwrap();
    assert_eq!(pattern.withheld().count(), 4);
    assert!((cost - 3.0).abs() < 1e-9);
}

#[test]
fn the_same_seed_gives_the_same_table() {
    let values = |seed| {
        random_problem(seed, &[3, 4])
            .cells()
            .map(|c| random_problem(seed, &[3, 4]).value(c))
            .collect::<Vec<_>>()
    };
    assert_eq!(values(1), values(1));
    assert_ne!(values(1), values(2));
}

fn everything(problem: &Problem) -> Pattern {
    let mut pattern = problem.start();
    for cell in problem.cells().filter(|&cell| problem.status(cell) == Status::Free) {
        pattern.withhold(cell, Why::Secondary);
    }
    pattern
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_random_table_is_additive(
        small in Tables { values: Values::Small, singletons: true, ..Tables::default() }.problems(),
        wide in Tables { dimensions: 4, leaves: 3, values: Values::Wide, ..Tables::default() }.problems(),
    ) {
        for problem in [small, wide] {
            let values: Vec<i64> = problem.cells().map(|cell| problem.value(cell)).collect();
            for relation in 0..problem.relations().len() {
                prop_assert!(problem.relations().is_sum(relation));
                prop_assert_eq!(problem.relations().residual(relation, &values), 0);
            }
        }
    }

    #[test]
    fn the_truth_lies_in_every_range_and_withholding_more_never_narrows_one(problem in Tables::tiny().problems()) {
        let start = problem.start();
        let Some(narrow) = brute::ranges(&problem, &start, &[]) else { return Ok(()) };
        let Some(wide) = brute::ranges(&problem, &everything(&problem), &[]) else { return Ok(()) };
        for range in narrow {
            prop_assert!((range.lower..=range.upper).contains(&problem.value(range.cell)));
            let wider = wide.iter().find(|wider| wider.cell == range.cell).unwrap();
            prop_assert!(wider.lower <= range.lower && range.upper <= wider.upper);
        }
    }

    #[test]
    fn in_two_dimensions_finer_units_change_no_range(problem in Tables { leaves: 2, ..Tables::tiny() }.problems()) {
        let pattern = problem.start();
        let (Some(whole), Some(halves)) =
            (brute::ranges(&problem, &pattern, &[]), brute::ranges(&brute::finer(&problem, 2), &pattern, &[]))
        else {
            return Ok(());
        };
        for (whole, halves) in whole.into_iter().zip(halves) {
            prop_assert_eq!((whole.lower * 2, whole.upper * 2), (halves.lower, halves.upper));
        }
    }

    #[test]
    fn relabelling_changes_names_only(problem in Tables::tiny().problems(), seed in any::<u64>()) {
        let other = relabel(&problem, seed);
        let pattern = problem.start();
        prop_assert_eq!(&other.back(&other.there(&pattern)), &pattern);
        prop_assert_eq!(&other.there(&pattern), &other.problem.start());
        // The order of the cells decides how many steps the search takes, so one of the two may not end.
        let there = brute::exposed(&other.problem, &other.there(&pattern));
        if let (Some(here), Some(there)) = (brute::exposed(&problem, &pattern), there) {
            prop_assert_eq!(here.len(), there.len());
        }
    }
}
