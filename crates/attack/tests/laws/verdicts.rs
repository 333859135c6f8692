//! Which needs are exposed.

use crate::support::{attacked, cases, find, pattern, picks, verdict};
use cellveil_attack::{Intervals, Options, attack};
use cellveil_core::{Pattern, Problem, Side, verify};
use cellveil_highs::Highs;
use cellveil_testkit::brute;
use cellveil_testkit::relabel::relabel;
use cellveil_testkit::tables::{Tables, Values};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Small tables in which needs, many of them wide apart, meet insiders.
fn contested() -> Tables {
    Tables { singletons: true, shares: [35, 5], ..Tables::tiny() }
}

/// Whether an interval alone shows that a need is not met.
fn too_narrow(problem: &Problem, pattern: &Pattern) -> BTreeSet<cellveil_core::CellId> {
    let audit = find(problem, pattern).audit;
    let narrow = |need: &&cellveil_core::Need| {
        let interval = audit.interval(need.cell).unwrap();
        let value = problem.value(need.cell) as f64;
        let down = interval.lower.map_or(f64::INFINITY, |lower| value - lower);
        let up = interval.upper.map_or(f64::INFINITY, |upper| upper - value);
        let slack = 1e-6 * value.abs().max(1.0);
        down < need.down as f64 - slack
            || up < need.up as f64 - slack
            || down + up < need.sliding as f64 - slack
    };
    problem.needs().iter().filter(narrow).map(|need| need.cell).collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn verdicts_equal_those_of_trying_every_table(problem in contested().problems(), picks in picks()) {
        let pattern = pattern(&problem, &picks);
        let tried = brute::exposed(&problem, &pattern);
        prop_assume!(tried.is_some());
        let found = find(&problem, &pattern);
        prop_assert_eq!(verdict(&problem, &found.audit.exposed), verdict(&problem, &tried.unwrap()));
    }

    #[test]
    fn verdicts_on_counts_equal_those_of_trying_every_table_in_whole_numbers(
        problem in prop_oneof![
            contested().problems(),
            Tables { dimensions: 3, leaves: 2, ..contested() }.problems(),
        ],
        picks in picks(),
    ) {
        let pattern = pattern(&problem, &picks);
        let Ok(problem) = problem.of_counts() else { return Ok(()) };
        let problem = problem.zeros_seen_in(&pattern);
        let tried = brute::exposed(&problem, &pattern);
        prop_assume!(tried.is_some());
        let found = find(&problem, &pattern);
        prop_assert_eq!(verdict(&problem, &found.audit.exposed), verdict(&problem, &tried.unwrap()));
        prop_assert!(found.certificate.witnesses.iter().all(|witness| witness.denominator == 1));
    }

    #[test]
    fn what_the_attack_calls_safe_is_verified_and_nothing_else_is(
        (problem, pattern) in prop_oneof![
            attacked(contested()),
            attacked(Tables { singletons: true, leaves: 3, ..Tables::default() }),
            attacked(Tables { dimensions: 4, leaves: 2, values: Values::Small, singletons: true, ..Tables::default() }),
        ],
    ) {
        let found = find(&problem, &pattern);
        let verified = verify(&problem, &pattern, &found.certificate);
        prop_assert_eq!(found.audit.exposed.is_empty(), verified.is_ok(), "{:?} {:?}", found.audit.exposed, verified);
    }

    #[test]
    fn intervals_and_verdicts_agree(
        (problem, pattern) in prop_oneof![
            attacked(Tables { leaves: 3, ..Tables::default() }),
            attacked(Tables { dimensions: 4, leaves: 2, values: Values::Small, ..Tables::default() }),
        ],
    ) {
        let found = find(&problem, &pattern);
        let exposed: BTreeSet<_> = found.audit.exposed_cells().into_iter().collect();
        prop_assert_eq!(exposed, too_narrow(&problem, &pattern));
        for witness in &found.certificate.witnesses {
            for &(cell, step) in &witness.moves {
                let place = problem.value(cell) as f64 + step as f64 / f64::from(witness.denominator);
                let interval = found.audit.interval(cell).unwrap();
                prop_assert!(interval.lower.is_none_or(|lower| lower <= place));
                prop_assert!(interval.upper.is_none_or(|upper| upper >= place));
            }
        }
    }

    #[test]
    fn names_and_order_change_no_verdict(
        (problem, pattern) in attacked(Tables { leaves: 3, singletons: true, ..Tables::default() }),
        seed in any::<u64>(),
    ) {
        let other = relabel(&problem, seed);
        let here = verdict(&problem, &find(&problem, &pattern).audit.exposed);
        let there = find(&other.problem, &other.there(&pattern)).audit.exposed;
        let moved = |cell: cellveil_core::CellId| other.moved[cell.index()];
        let carried: BTreeSet<_> = here
            .into_iter()
            .map(|(cell, side, insider)| {
                let known = insider.map(|insider| moved(problem.insiders().cells(insider)[0]));
                (moved(cell), side, known.and_then(|cell| other.problem.insiders().of(cell)))
            })
            .collect();
        prop_assert_eq!(carried, verdict(&other.problem, &there));
    }

    #[test]
    fn fewer_intervals_and_known_witnesses_change_no_verdict(
        (problem, pattern) in attacked(Tables { singletons: true, leaves: 3, ..Tables::default() }),
        others in picks(),
    ) {
        let found = find(&problem, &pattern);
        let elsewhere = find(&problem, &crate::support::pattern(&problem, &others));
        for intervals in [Intervals::None, Intervals::Needs] {
            let options = Options { intervals };
            let known = [&found.certificate.witnesses[..], &elsewhere.certificate.witnesses].concat();
            let again = attack(&problem, &pattern, &Highs, options, &known).unwrap();
            prop_assert_eq!(verdict(&problem, &again.audit.exposed), verdict(&problem, &found.audit.exposed));
            let wanted = if intervals == Intervals::None { 0 } else { problem.needs().len() };
            prop_assert_eq!(again.audit.intervals.len(), wanted);
        }
    }
}

#[test]
fn a_sensitive_cell_that_is_published_or_alone_in_a_sum_is_exposed() {
    let problem = cellveil_testkit::tables::random_problem(3, &[3, 3]);
    let alone = find(&problem, &problem.start());
    let open = find(&problem, &Pattern::open(problem.len()));
    assert!(!problem.needs().is_empty());
    for need in problem.needs() {
        let sides = |audit: &cellveil_core::Audit| {
            let of_cell = audit.exposed.iter().filter(|e| e.cell == need.cell);
            of_cell.map(|e| e.side).collect::<Vec<_>>()
        };
        assert_eq!(sides(&open.audit), [Some(Side::Down), Some(Side::Up)]);
        let interval = alone.audit.interval(need.cell).unwrap();
        if interval.lower == interval.upper {
            assert!(sides(&alone.audit).contains(&Some(Side::Up)));
        }
    }
    let determined = alone.audit.intervals.iter().filter(|i| i.lower == i.upper);
    assert!(determined.count() > 0, "the seed gives a cell that is alone in a sum");
}
