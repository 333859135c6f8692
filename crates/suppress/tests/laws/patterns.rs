//! Patterns are safe, or there is none; and nothing is withheld for nothing.

use crate::support::{cases, chosen, everything, find, is_safe, protect, sized};
use cellveil_core::{Problem, Release, Status};
use cellveil_suppress::SuppressError;
use cellveil_testkit::brute;
use cellveil_testkit::tables::{Tables, Values};
use proptest::prelude::*;

fn kinds() -> impl Strategy<Value = Problem> {
    let any = Tables::default();
    prop_oneof![
        sized(Tables { singletons: true, shares: [30, 5], ..Tables::tiny() }, 200),
        sized(Tables { leaves: 3, ..any }, 200),
        sized(Tables { leaves: 3, singletons: true, shares: [30, 0], ..any }, 200),
        sized(Tables { leaves: 3, values: Values::Small, shares: [30, 20], ..any }, 200),
        sized(Tables { dimensions: 4, leaves: 3, hierarchies: false, shares: [10, 0], ..any }, 200),
        sized(Tables { leaves: 3, values: Values::Wide, ..any }, 100),
    ]
}

/// Protects, or checks that nothing could.
fn judge(problem: &Problem) -> Result<(), TestCaseError> {
    let protected = match protect(problem) {
        Ok(protected) => protected,
        Err(SuppressError::NoPattern { cell, .. }) => {
            let exposed = find(problem, &everything(problem)).audit.exposed_cells();
            let named =
                |&c: &cellveil_core::CellId| problem.names().describe(c).to_string() == cell;
            prop_assert!(
                exposed.iter().any(named),
                "`{}` is safe when everything is withheld",
                cell
            );
            return Ok(());
        }
        Err(other) => return Err(TestCaseError::fail(other.to_string())),
    };
    for cell in problem.cells() {
        match problem.status(cell) {
            Status::Sensitive | Status::Withheld => {
                prop_assert!(protected.pattern.is_withheld(cell))
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

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_pattern_is_verified_or_nothing_would_have_helped(problem in kinds()) {
        judge(&problem)?;
    }

    #[test]
    fn giving_any_secondary_back_exposes_something(
        problem in prop_oneof![
            sized(Tables { singletons: true, shares: [25, 0], ..Tables::tiny() }, 60),
            sized(Tables { leaves: 3, shares: [15, 3], ..Tables::default() }, 100),
        ],
    ) {
        let Ok(protected) = protect(&problem) else { return Ok(()) };
        for cell in chosen(&problem, &protected.pattern) {
            let mut fewer = protected.pattern.clone();
            fewer.give_back(cell);
            prop_assert!(!is_safe(&problem, &fewer), "{:?} is withheld for nothing", cell);
        }
    }

    #[test]
    fn no_pattern_is_cheaper_than_the_cheapest(
        problem in Tables { leaves: 2, hierarchies: true, singletons: true, shares: [30, 10], ..Tables::tiny() }
            .problems()
            .prop_filter("few free cells", |problem| {
                problem.cells().filter(|&cell| problem.status(cell) == Status::Free).count() <= 9
            }),
    ) {
        let best = brute::cheapest_pattern(&problem, is_safe);
        match (protect(&problem), best) {
            (Ok(protected), Some((_, cost))) => {
                prop_assert!(problem.cost_of(&protected.pattern) >= cost - 1e-9);
            }
            (Err(SuppressError::NoPattern { .. }), None) => {}
            (protected, best) => prop_assert!(false, "{:?} {:?}", protected, best),
        }
    }
}
