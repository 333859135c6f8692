//! Patterns are safe, or there is none; and nothing is withheld for nothing.

use crate::support::{
    cases, chosen, everything, find, is_safe, methods, protect_by, sized, with_holes,
};
use cellveil_core::{CellId, Problem, Release, Status};
use cellveil_suppress::{Method, SuppressError};
use cellveil_testkit::tables::{Tables, Values};
use cellveil_testkit::{Sketch, Trait, brute};
use proptest::prelude::*;

fn kinds() -> impl Strategy<Value = Problem> {
    let any = Tables::default();
    prop_oneof![
        sized(Tables { singletons: true, shares: [30, 5], ..Tables::tiny() }, 200),
        sized(Tables { leaves: 3, ..any }, 200),
        sized(Tables { leaves: 3, singletons: true, shares: [30, 0], ..any }, 60),
        sized(Tables { leaves: 3, values: Values::Small, shares: [30, 20], ..any }, 200),
        sized(Tables { dimensions: 4, leaves: 3, hierarchies: false, shares: [10, 0], ..any }, 200),
        sized(Tables { leaves: 3, values: Values::Wide, ..any }, 100),
        sized(Tables { values: Values::Small, shares: [20, 0], ..any }, 200)
            .prop_map(|problem| with_holes(&problem)),
        sized(Tables { dimensions: 5, leaves: 2, hierarchies: false, shares: [10, 0], ..any }, 250),
    ]
}

/// Protects, or checks that nothing could.
fn judge(method: Method, problem: &Problem) -> Result<(), TestCaseError> {
    let protected = match protect_by(method, problem) {
        Ok(protected) => protected,
        Err(SuppressError::NoPattern { cell, .. }) => {
            let exposed = find(problem, &everything(problem)).audit.exposed_cells();
            let named = |&c: &CellId| problem.names().describe(c).to_string() == cell;
            prop_assert!(
                exposed.iter().any(named),
                "`{}` is safe when everything is withheld",
                cell
            );
            return Ok(());
        }
        Err(SuppressError::NoNetwork { .. }) if method == Method::Network => return Ok(()),
        Err(other) => return Err(TestCaseError::fail(other.to_string())),
    };
    for cell in problem.cells() {
        match problem.status(cell) {
            Status::Sensitive | Status::Withheld => {
                prop_assert!(protected.pattern.is_withheld(cell));
            }
            Status::Frozen => prop_assert!(!protected.pattern.is_withheld(cell)),
            Status::Free => {}
        }
    }
    let found = find(problem, &protected.pattern);
    prop_assert_eq!(&found.audit.exposed, &[]);
    let release = Release::new(problem.clone(), protected.pattern.clone(), found.certificate);
    prop_assert!(release.is_ok(), "{:?}", release.err());
    prop_assert!(protected.bound.cost <= problem.cost_of(&protected.pattern));
    Ok(())
}

/// The cells of a pattern that could be given back, each on its own.
fn redundant(method: Method, problem: &Problem) -> Vec<CellId> {
    let Ok(protected) = protect_by(method, problem) else { return Vec::new() };
    let mut cells = chosen(problem, &protected.pattern);
    cells.retain(|&cell| {
        let mut fewer = protected.pattern.clone();
        fewer.give_back(cell);
        is_safe(problem, &fewer)
    });
    cells
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_pattern_is_verified_or_nothing_would_have_helped(
        problem in kinds(),
        method in methods(),
    ) {
        judge(method, &problem)?;
    }

    #[test]
    fn giving_any_secondary_back_exposes_something(
        problem in prop_oneof![
            sized(Tables { singletons: true, shares: [25, 0], ..Tables::tiny() }, 60),
            sized(Tables { leaves: 3, shares: [15, 3], ..Tables::default() }, 100),
        ],
        method in methods(),
    ) {
        prop_assert_eq!(redundant(method, &problem), []);
    }

    #[test]
    fn no_pattern_is_cheaper_than_the_cheapest(
        problem in Tables { leaves: 2, hierarchies: true, singletons: true, shares: [30, 10], ..Tables::tiny() }
            .problems()
            .prop_filter("few free cells", |problem| {
                problem.cells().filter(|&cell| problem.status(cell) == Status::Free).count() <= 9
            }),
        method in methods(),
    ) {
        let best = brute::cheapest_pattern(&problem, is_safe);
        match (protect_by(method, &problem), best) {
            (Ok(protected), Some((_, cost))) => {
                prop_assert!(problem.cost_of(&protected.pattern) >= cost - 1e-9);
            }
            (Err(SuppressError::NoPattern { .. }), None) => {}
            (Err(SuppressError::NoNetwork { .. }), _) => prop_assert_eq!(method, Method::Network),
            (protected, best) => prop_assert!(false, "{:?} {:?}", protected, best),
        }
    }
}

/// Cells alike in turns of five, none frozen, all bounded.
fn in_turns(axes: Vec<Vec<usize>>, values: Vec<i64>, kinds: [(u8, [u8; 3], u16); 5]) -> Problem {
    let traits = kinds.map(|(lot, levels, cost)| Trait { lot, levels, cost }).to_vec();
    let shares = [50, 0];
    let (bounded, singletons) = (true, false);
    Sketch { axes, linked: 0, values, traits, shares, bounded, decimals: 0, singletons }.problem()
}

#[test]
fn a_width_that_takes_both_sides_is_seen_when_cells_are_given_back() {
    let (wide, plain) = ((0, [0, 1, 15], 0), (0, [0, 1, 0], 0));
    let kinds = [wide, plain, (99, [0; 3], 0), (99, [0; 3], 0), (99, [0; 3], 1)];
    let problem = in_turns(vec![vec![3], vec![3]], vec![5], kinds);
    assert_eq!(problem.needs().iter().map(|need| need.sliding).collect::<Vec<_>>()[..2], [7, 0]);
    assert_eq!(redundant(Method::Auto, &problem), []);
}

#[test]
fn amounts_of_all_sizes_are_met_where_everything_withheld_is_safe() {
    let problem = cellveil_argus::jj::read(include_str!("large_amounts.jj"), 0).unwrap();
    for method in [Method::Auto, Method::Incremental, Method::Optimal] {
        judge(method, &problem).unwrap();
    }
}

#[test]
fn cells_of_one_component_are_given_back_whatever_a_witness_moves_in_another() {
    let problem = cellveil_argus::jj::read(include_str!("two_components.jj"), 0).unwrap();
    assert_eq!(redundant(Method::Auto, &problem), []);
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_conflict_blocks_its_cell_and_no_part_of_it_does(
        problem in prop_oneof![
            sized(Tables { shares: [20, 50], ..Tables::tiny() }, 60),
            sized(Tables { leaves: 3, shares: [15, 45], ..Tables::default() }, 80),
        ],
    ) {
        let Err(SuppressError::NoPattern { cell, frozen, .. }) = protect_by(Method::Auto, &problem)
        else {
            return Ok(());
        };
        let named = |c: CellId| problem.names().describe(c).to_string() == cell;
        // Everything withheld but these cells.
        let is_blocked = |published: &[CellId]| {
            let mut pattern = problem.start();
            for cell in problem.cells().filter(|cell| !published.contains(cell)) {
                pattern.withhold(cell, cellveil_core::Why::Secondary);
            }
            find(&problem, &pattern).audit.exposed_cells().into_iter().any(named)
        };
        prop_assume!(!frozen.is_empty());
        prop_assert!(frozen.iter().all(|&cell| problem.status(cell) == Status::Frozen));
        prop_assert!(is_blocked(&frozen));
        for left_out in 0..frozen.len() {
            let mut fewer = frozen.clone();
            fewer.remove(left_out);
            prop_assert!(!is_blocked(&fewer), "{:?} block without {}", fewer, left_out);
        }
    }
}
