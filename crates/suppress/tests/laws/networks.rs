//! The network method: for networks, and a word on what is none.

use crate::support::{cases, find, protect_by, sized};
use cellveil_core::Problem;
use cellveil_suppress::{Method, SuppressError};
use cellveil_testkit::tables::{Tables, Values};
use cellveil_testkit::{Sketch, Trait};
use proptest::prelude::*;

/// Every third cell sensitive, none frozen.
fn plain(axes: &[&[usize]]) -> Problem {
    let like = |lot| Trait { lot, levels: [10, 10, 0], cost: 3 };
    Sketch {
        axes: axes.iter().map(|groups| groups.to_vec()).collect(),
        linked: 0,
        values: vec![30, 50, 70, 20, 90],
        traits: vec![like(0), like(99), like(99), like(99), like(99), like(99), like(99)],
        shares: [50, 0],
        bounded: false,
        decimals: 0,
        singletons: false,
    }
    .problem()
}

#[test]
fn two_dimensions_with_one_hierarchy_are_a_network() {
    let problem = plain(&[&[3, 4], &[5]]);
    let protected = protect_by(Method::Network, &problem).unwrap();
    assert_eq!(find(&problem, &protected.pattern).audit.exposed, []);
}

#[test]
fn three_dimensions_are_none_and_the_error_names_a_sum() {
    let error = protect_by(Method::Network, &plain(&[&[3], &[3], &[3]])).unwrap_err();
    assert!(matches!(error, SuppressError::NoNetwork { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("the sum to `cell ") && text.contains("`auto`"), "{text}");
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn tables_of_two_dimensions_without_hierarchies_are_always_networks(
        problem in prop_oneof![
            sized(Tables { dimensions: 2, leaves: 6, hierarchies: false, linked: false, ..Tables::default() }, 60),
            sized(Tables { values: Values::Small, singletons: true, bounded: false, ..Tables::tiny() }, 60),
        ],
    ) {
        match protect_by(Method::Network, &problem) {
            Ok(protected) => prop_assert_eq!(&find(&problem, &protected.pattern).audit.exposed, &[]),
            Err(error) => prop_assert!(matches!(error, SuppressError::NoPattern { .. }), "{}", error),
        }
    }
}
