//! The optimal method finds the cheapest pattern there is, and its bound holds for every method.

use crate::support::{cases, find, is_safe, protect, protect_by, sized};
use cellveil_core::{Problem, Release, Status};
use cellveil_suppress::{Method, SuppressError};
use cellveil_testkit::tables::{Tables, Values};
use cellveil_testkit::{brute, csplib};
use proptest::prelude::*;

/// Instances with at most `cells` free cells, so that all patterns can be tried.
fn few_free(tables: Tables, cells: usize) -> impl Strategy<Value = Problem> {
    tables.problems().prop_filter("few free cells", move |problem| {
        let free = problem.cells().filter(|&cell| problem.status(cell) == Status::Free).count();
        (1..=cells).contains(&free) && problem.len() <= 40
    })
}

fn small() -> impl Strategy<Value = Problem> {
    let any = Tables { leaves: 2, values: Values::Small, ..Tables::default() };
    prop_oneof![
        few_free(Tables { shares: [30, 10], ..Tables::tiny() }, 9),
        few_free(Tables { shares: [30, 10], singletons: true, ..Tables::tiny() }, 8),
        few_free(Tables { dimensions: 2, shares: [25, 30], ..any }, 9),
        few_free(Tables { linked: false, hierarchies: false, shares: [25, 40], ..any }, 9),
        few_free(Tables { linked: false, values: Values::Plain, shares: [25, 40], ..any }, 9),
    ]
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn no_pattern_is_cheaper_than_the_bound_of_flows(
        problem in few_free(Tables { dimensions: 2, shares: [25, 30], ..Tables::default() }, 9),
    ) {
        if let (Ok(protected), Some((_, cost))) =
            (protect_by(Method::Network, &problem), brute::cheapest_pattern(&problem, is_safe))
        {
            prop_assert!(protected.bound.cost <= cost + 1e-9, "{} above {}", protected.bound.cost, cost);
        }
    }

    #[test]
    fn no_pattern_is_cheaper_than_the_optimal_one(problem in small()) {
        let best = brute::cheapest_pattern(&problem, is_safe);
        match (protect_by(Method::Optimal, &problem), best) {
            (Ok(protected), Some((_, cost))) => {
                let found = problem.cost_of(&protected.pattern);
                prop_assert!(is_safe(&problem, &protected.pattern));
                prop_assert!((found - cost).abs() < 1e-9, "{} instead of {}", found, cost);
                prop_assert!(protected.bound.cost <= cost + 1e-9);
                prop_assert!(protected.bound.gap(found) < 1e-6, "{:?} {}", protected.bound, found);
            }
            (Err(SuppressError::NoPattern { .. }), None) => {}
            (protected, best) => prop_assert!(false, "{:?} {:?}", protected, best),
        }
    }

    #[test]
    fn no_method_is_below_the_bound_and_optimal_is_the_cheapest(
        problem in prop_oneof![
            sized(Tables { leaves: 3, shares: [15, 5], ..Tables::default() }, 60),
            sized(Tables { leaves: 3, shares: [15, 0], singletons: true, ..Tables::default() }, 50),
        ],
    ) {
        let Ok(optimal) = protect_by(Method::Optimal, &problem) else { return Ok(()) };
        let cost = problem.cost_of(&optimal.pattern);
        let found = find(&problem, &optimal.pattern);
        prop_assert!(Release::new(problem.clone(), optimal.pattern, found.certificate).is_ok());
        let other = protect(&problem).unwrap();
        let dearer = problem.cost_of(&other.pattern);
        prop_assert!(optimal.bound.cost <= cost + 1e-9 && cost <= dearer + 1e-9);
    }
}

#[test]
fn reference_instances_are_solved_to_the_optimum() {
    let known = [("targus", 2_033_155.0), ("table8", 103.0)];
    for (path, (name, cost)) in csplib(&known.map(|(name, _)| name)).iter().zip(known) {
        let problem = cellveil_argus::jj::read(&std::fs::read_to_string(path).unwrap(), 0).unwrap();
        let optimal = protect_by(Method::Optimal, &problem).unwrap();
        let found = problem.cost_of(&optimal.pattern);
        assert!((found - cost).abs() < 1.0 && optimal.bound.gap(found) < 1e-6, "{name}: {found}");
        assert!(is_safe(&problem, &optimal.pattern), "{name}");
    }
}
