//! Tables whose codes are grouped in several ways at once.

use crate::support::protect_by;
use cellveil_attack::{Intervals, Options, attack};
use cellveil_core::{Problem, verify};
use cellveil_highs::Highs;
use cellveil_suppress::{Method, Protected, SuppressError};
use cellveil_testkit::Grouped;

/// Whether the witnesses that a method brings along prove its pattern.
fn is_proven(problem: &Problem, found: &Protected) -> bool {
    let options = Options { intervals: Intervals::None };
    let attack = attack(problem, &found.pattern, &Highs, options, &found.witnesses).unwrap();
    verify(problem, &found.pattern, &attack.certificate).is_ok()
}

#[test]
fn every_method_is_safe_where_codes_are_grouped_in_several_ways() {
    let like = Grouped { leaves: 4, groupings: 2, dimensions: 2, empty: 10, sensitive: 8 };
    let mut protected = 0;
    for seed in 0..4 {
        let problem = like.problem(seed);
        for method in Method::ALL {
            match protect_by(method, &problem) {
                Ok(found) => {
                    assert!(is_proven(&problem, &found), "{method:?}, seed {seed}");
                    assert!(found.bound.cost <= problem.cost_of(&found.pattern));
                    protected += 1;
                }
                Err(SuppressError::NoPattern { .. } | SuppressError::NoNetwork { .. }) => {}
                Err(error) => unreachable!("{method:?}, seed {seed}: {error}"),
            }
        }
    }
    assert!(protected > 12, "{protected}");
}
