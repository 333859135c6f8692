//! Intervals against other ways of finding them.

use crate::support::{attacked, cases, find, pattern, picks, same, sized};
use cellveil_core::{CellId, Pattern, Problem, Side};
use cellveil_highs::Highs;
use cellveil_lp::{Changes, Engine, Limits, Model, Outcome};
use cellveil_testkit::brute;
use cellveil_testkit::relabel::relabel;
use cellveil_testkit::tables::{Tables, Values};
use proptest::prelude::*;

/// The end of a cell's interval by one program over all withheld cells, without any of the attack's shortcuts.
fn plainly(problem: &Problem, pattern: &Pattern, cell: CellId, side: Side) -> Option<f64> {
    let mut model = Model { changes: Changes::Many, ..Model::default() };
    for other in problem.cells() {
        let value = problem.value(other) as f64;
        let free = pattern.is_withheld(other);
        let lower = problem.lower(other).map_or(f64::NEG_INFINITY, |bound| bound as f64);
        let upper = problem.upper(other).map_or(f64::INFINITY, |bound| bound as f64);
        let cost = if other == cell { -(side.sign() as f64) } else { 0.0 };
        model.column(cost, if free { lower } else { value }, if free { upper } else { value });
    }
    for relation in 0..problem.relations().len() {
        let terms = problem.relations().row(relation).map(|(cell, c)| (cell.0, f64::from(c)));
        let constant = problem.relations().constant(relation) as f64;
        model.row(terms.collect(), constant, constant);
    }
    match Highs.open(&model).unwrap().solve(&Limits::default()).unwrap() {
        Outcome::Optimal(solution) => Some(solution.columns[cell.index()]),
        Outcome::Unbounded => None,
        other => panic!("the truth is a table, yet the program ended with {other:?}"),
    }
}

/// Two-dimensional tables with a hierarchy in at most one dimension.
fn one_hierarchy() -> impl Strategy<Value = Problem> {
    let tables = Tables { hierarchies: true, singletons: true, ..Tables::tiny() };
    tables.sketches().prop_map(|mut sketch| {
        for axis in sketch.axes.iter_mut().skip(1) {
            axis.truncate(1);
        }
        sketch.problem()
    })
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn intervals_equal_those_of_trying_every_table(
        problem in prop_oneof![Tables::tiny().problems(), one_hierarchy()],
        picks in picks(),
    ) {
        let pattern = pattern(&problem, &picks);
        let tried = brute::ranges(&problem, &pattern, &[]);
        prop_assume!(tried.is_some());
        let found = find(&problem, &pattern);
        let tried = tried.unwrap();
        prop_assert_eq!(found.audit.intervals.len(), tried.len());
        for (interval, range) in found.audit.intervals.iter().zip(&tried) {
            prop_assert_eq!(interval.cell, range.cell);
            prop_assert!(same(interval.lower, Some(range.lower as f64)), "{:?} {:?}", interval, range);
            prop_assert!(same(interval.upper, Some(range.upper as f64)), "{:?} {:?}", interval, range);
        }
    }

    #[test]
    fn intervals_of_counts_are_those_of_trying_every_whole_table(
        problem in prop_oneof![
            Tables::tiny().problems(),
            Tables { dimensions: 3, leaves: 2, values: Values::Small, bounded: true, ..Tables::default() }.problems(),
        ],
        picks in picks(),
    ) {
        prop_assume!(problem.len() <= 60);
        let pattern = pattern(&problem, &picks);
        let counts = problem.of_counts();
        prop_assume!(counts.is_ok());
        let problem = counts.unwrap();
        let tried = brute::ranges(&problem, &pattern, &[]);
        prop_assume!(tried.is_some());
        let found = find(&problem, &pattern);
        for (interval, range) in found.audit.intervals.iter().zip(&tried.unwrap()) {
            prop_assert_eq!(interval.cell, range.cell);
            prop_assert_eq!(interval.lower, Some(range.lower as f64));
            prop_assert_eq!(interval.upper, Some(range.upper as f64));
        }
    }

    #[test]
    fn the_truth_lies_in_every_interval(
        (problem, pattern) in prop_oneof![
            attacked(Tables { dimensions: 4, leaves: 3, ..Tables::default() }),
            attacked(Tables { values: Values::Wide, ..Tables::default() }),
        ],
    ) {
        let found = find(&problem, &pattern);
        prop_assert_eq!(found.audit.intervals.len(), pattern.withheld().count());
        for interval in &found.audit.intervals {
            let value = problem.value(interval.cell) as f64;
            prop_assert!(interval.lower.is_none_or(|lower| lower <= value), "{:?} {}", interval, value);
            prop_assert!(interval.upper.is_none_or(|upper| upper >= value), "{:?} {}", interval, value);
        }
    }

    #[test]
    fn withholding_more_never_narrows_an_interval(
        problem in sized(Tables { leaves: 3, values: Values::Small, ..Tables::default() }),
        fewer in picks(),
        more in picks(),
    ) {
        let narrow = pattern(&problem, &fewer);
        let mut wide = pattern(&problem, &more);
        for (cell, why) in narrow.withheld() {
            wide.withhold(cell, why);
        }
        let wide = find(&problem, &wide).audit;
        for interval in find(&problem, &narrow).audit.intervals {
            let wider = wide.interval(interval.cell).unwrap();
            let slack = |end: f64| 1e-6 * end.abs().max(1.0);
            let lower = wider.lower.is_none_or(|a| interval.lower.is_some_and(|b| a <= b + slack(b)));
            let upper = wider.upper.is_none_or(|a| interval.upper.is_some_and(|b| a >= b - slack(b)));
            prop_assert!(lower && upper, "{:?} {:?}", interval, wider);
        }
    }

    #[test]
    fn names_and_order_change_no_interval(
        (problem, pattern) in attacked(Tables { leaves: 3, ..Tables::default() }),
        seed in any::<u64>(),
    ) {
        let other = relabel(&problem, seed);
        let there = find(&other.problem, &other.there(&pattern)).audit;
        for interval in find(&problem, &pattern).audit.intervals {
            let moved = there.interval(other.moved[interval.cell.index()]).unwrap();
            prop_assert!(same(interval.lower, moved.lower) && same(interval.upper, moved.upper));
        }
    }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn intervals_equal_those_of_one_plain_program_per_end(
        (problem, pattern) in attacked(Tables { dimensions: 4, leaves: 3, hierarchies: false, ..Tables::default() }),
    ) {
        prop_assume!(pattern.withheld().count() <= 100);
        for interval in find(&problem, &pattern).audit.intervals {
            let lower = plainly(&problem, &pattern, interval.cell, Side::Down);
            let upper = plainly(&problem, &pattern, interval.cell, Side::Up);
            prop_assert!(same(interval.lower, lower), "{:?} from {:?}", interval, lower);
            prop_assert!(same(interval.upper, upper), "{:?} to {:?}", interval, upper);
        }
    }
}
