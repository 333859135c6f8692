//! What every method of adjustment must do, against brute force and on the reference instances.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use cellveil_adjust::{
    AdjustError, Adjusted, Context, Method, Norm, Options, Search, Weights, adjust, adjust_online,
    keyed_sense,
};
use cellveil_core::{
    AdjustedRelease, CellId, CellNames, Need, Needs, Problem, ProblemParts, Promise, Reason,
    Relations, Status, check_adjustment,
};
use cellveil_highs::Highs;
use cellveil_testkit::tables::Tables;
use cellveil_testkit::{brute, csplib};
use proptest::prelude::*;

fn run(problem: &Problem, method: Method, options: &Options) -> Result<Adjusted, AdjustError> {
    let left = || None;
    let context = Context { engine: &Highs, progress: &(), seconds_left: &left, gap: 0.0, seed: 1 };
    adjust(problem, method, options, &context)
}

fn one(norm: Norm) -> Options {
    Options { norm, weights: Weights::One, ..Options::default() }
}

/// The cheapest whole moves, by trying all of them.
#[expect(clippy::option_option, reason = "no table at all, and too many to try, are two answers")]
fn cheapest(problem: &Problem, norm: Norm) -> Option<Option<f64>> {
    let mut best: Option<f64> = None;
    brute::tables(problem, 1000, &mut |values| {
        let adjustment = cellveil_core::Adjustment::new(problem.decimals(), values.to_vec());
        if check_adjustment(problem, &adjustment, Promise::Moved).is_ok() {
            let moved =
                problem.cells().map(|cell| (values[cell.index()] - problem.value(cell)) as f64);
            let cost: f64 = moved.map(|z| if norm == Norm::L2 { z * z } else { z.abs() }).sum();
            if best.is_none_or(|best| cost < best) {
                best = Some(cost);
            }
        }
    })?;
    Some(best)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn the_nearest_table_of_a_small_one_is_found(problem in Tables::tiny().problems()) {
        // Two-dimensional tables have whole optima, so the best whole table is the best of all.
        let Some(best) = cheapest(&problem, Norm::L1) else { return Ok(()) };
        match run(&problem, Method::Cta, &Options { search: Search::Auto, ..one(Norm::L1) }) {
            Ok(adjusted) => {
                let best = best.unwrap();
                prop_assert!((adjusted.cost - best).abs() < 1e-6, "{} and {best}", adjusted.cost);
                prop_assert!(adjusted.bound.unwrap() <= best + 1e-6);
                prop_assert!(check_adjustment(&problem, &adjusted.adjustment, adjusted.promise).is_ok());
            }
            Err(AdjustError::Stuck { .. } | AdjustError::Infeasible { .. }) => prop_assert_eq!(best, None),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }

    #[test]
    fn no_whole_table_is_nearer_in_squares(problem in Tables::tiny().problems()) {
        let Some(best) = cheapest(&problem, Norm::L2) else { return Ok(()) };
        match run(&problem, Method::Cta, &one(Norm::L2)) {
            Ok(adjusted) => {
                prop_assert!(check_adjustment(&problem, &adjusted.adjustment, adjusted.promise).is_ok());
                prop_assert!(adjusted.bound.unwrap() <= adjusted.cost + 1e-6);
                if let Some(best) = best {
                    prop_assert!(adjusted.cost <= best * (1.0 + 1e-3) + 1e-2, "{} and {best}", adjusted.cost);
                }
            }
            Err(AdjustError::Stuck { .. } | AdjustError::Infeasible { .. }) => prop_assert_eq!(best, None),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }

    #[test]
    fn every_search_gives_a_table_that_is_checked(problem in Tables { leaves: 3, ..Tables::default() }.problems(), which in 0..7_usize) {
        let search = [Search::Exact, Search::Start, Search::Blocks, Search::Dynamic, Search::Subtables, Search::FixAndRelax, Search::Flips][which];
        match run(&problem, Method::Cta, &Options { search, ..one(Norm::L1) }) {
            Ok(adjusted) => prop_assert!(AdjustedRelease::new(problem, adjusted.adjustment, adjusted.promise, adjusted.certificate).is_ok()),
            Err(AdjustError::Stuck { .. } | AdjustError::Infeasible { .. }) => {}
            Err(error) => return Err(TestCaseError::fail(format!("{search}: {error}"))),
        }
    }

    #[test]
    fn rounding_of_a_small_table_is_the_best(problem in Tables { shares: [0, 0], ..Tables::tiny() }.problems(), base in 2..6_i64) {
        let options = Options { base, weights: Weights::One, ..Options::default() };
        let adjusted = run(&problem, Method::Rounding, &options);
        let mut best: Option<f64> = None;
        let tried = brute::tables(&problem, base, &mut |values| {
            let adjustment = cellveil_core::Adjustment::new(0, values.to_vec());
            if check_adjustment(&problem, &adjustment, Promise::Rounded { base, steps: 0 }).is_ok() {
                let cost: i64 = problem.cells().map(|cell| (values[cell.index()] - problem.value(cell)).abs()).sum();
                best = Some(best.map_or(cost as f64, |best| best.min(cost as f64)));
            }
        });
        if tried.is_none() { return Ok(()) }
        match (adjusted, best) {
            (Ok(adjusted), Some(best)) => prop_assert!((adjusted.cost - best).abs() < 1e-9, "{} and {best}", adjusted.cost),
            (Err(AdjustError::NoRounding { .. }), None) => {}
            (adjusted, best) => return Err(TestCaseError::fail(format!("{:?} and {best:?}", adjusted.map(|a| a.cost)))),
        }
    }
}

/// `10 = 4 + 6` with the given bound above and levels of the parts.
fn sum(upper: i64, levels: [i64; 2], status: [Status; 3]) -> Problem {
    let mut relations = Relations::default();
    relations.push_sum(CellId(0), [CellId(1), CellId(2)]);
    let need = |cell: u32, level: i64| Need {
        cell: CellId(cell),
        down: level,
        up: level,
        sliding: 0,
        reason: Reason::Given,
    };
    let needs = [need(1, levels[0]), need(2, levels[1])].into_iter().filter(|need| need.up > 0);
    let parts = ProblemParts {
        decimals: 0,
        values: vec![10, 4, 6],
        costs: vec![1.0; 3],
        lower: vec![0; 3],
        upper: vec![20, upper, upper],
        status: status.to_vec(),
        needs: Needs::new(needs.collect()),
        relations,
        names: CellNames::Ids(vec![0, 1, 2]),
        singletons: Vec::new(),
        width: 0,
    };
    Problem::new(parts, 0).unwrap()
}

#[test]
fn an_infeasible_table_names_the_conflict_and_the_way_out() {
    // The total stays, and the second part can only go down, further than the first may go up.
    let status = [Status::Frozen, Status::Free, Status::Sensitive];
    let error = run(&sum(8, [0, 5], status), Method::Cta, &one(Norm::L1)).unwrap_err();
    let AdjustError::Infeasible { conflict, hint } = &error else { panic!("{error}") };
    assert!(conflict.contains("the levels of `cell 2`"), "{conflict}");
    assert!(conflict.contains("the sum of `cell 0`"), "{conflict}");
    assert!(hint.contains("lower protection level for `cell 2`"), "{hint}");
}

#[test]
fn a_sensitive_cell_without_room_is_named() {
    let status = [Status::Free, Status::Free, Status::Sensitive];
    let error = run(&sum(10, [0, 7], status), Method::Cta, &one(Norm::L1)).unwrap_err();
    assert!(matches!(&error, AdjustError::Stuck { cell } if cell == "cell 2"), "{error}");
}

#[test]
fn a_frozen_cell_keeps_its_value() {
    let status = [Status::Frozen, Status::Free, Status::Sensitive];
    let adjusted = run(&sum(20, [0, 2], status), Method::Cta, &one(Norm::L1)).unwrap();
    assert_eq!(adjusted.adjustment.values()[0], 10);
    assert!((adjusted.cost - 4.0).abs() < 1e-9 && (adjusted.bound.unwrap() - 4.0).abs() < 1e-6);
}

#[test]
fn a_base_below_one_is_refused() {
    let status = [Status::Free; 3];
    let options = Options { base: 0, ..Options::default() };
    assert!(matches!(
        run(&sum(20, [0, 0], status), Method::Rounding, &options),
        Err(AdjustError::Argument(_))
    ));
}

#[test]
fn a_keyed_sense_depends_on_key_and_cell_alone() {
    assert_eq!(keyed_sense(b"key", "region=Nord"), keyed_sense(b"key", "region=Nord"));
    let senses = |key: &[u8]| {
        (0..64).map(|cell| keyed_sense(key, &format!("cell {cell}"))).collect::<Vec<_>>()
    };
    assert_ne!(senses(b"key"), senses(b"another"));
    let ups = senses(b"key").iter().filter(|&&side| side == cellveil_core::Side::Up).count();
    assert!((16..=48).contains(&ups), "{ups}");
}

#[test]
fn the_on_line_answer_keeps_sums_and_bounds_and_says_what_it_relaxed() {
    let left = || None;
    let context = Context { engine: &Highs, progress: &(), seconds_left: &left, gap: 0.0, seed: 1 };
    let status = [Status::Frozen, Status::Sensitive, Status::Sensitive];
    let (mut relaxed, mut kept) = (0, 0);
    for key in 0..16_u8 {
        let problem = sum(20, [2, 2], status);
        let answer = adjust_online(&problem, &[key], &one(Norm::L1), &context).unwrap();
        let values = answer.adjustment.values();
        assert_eq!(values[0], values[1] + values[2]);
        let check = check_adjustment(&problem, &answer.adjustment, Promise::Moved);
        assert_eq!(check.is_ok(), answer.is_safe());
        *(if answer.is_safe() { &mut kept } else { &mut relaxed }) += 1;
    }
    assert!(relaxed > 0 && kept > 0, "{relaxed} and {kept}");
}

#[test]
fn reference_instances_are_adjusted_by_every_method() {
    for path in csplib(&["targus", "table7", "table8"]) {
        let problem =
            cellveil_argus::jj::read(&std::fs::read_to_string(&path).unwrap(), 0).unwrap();
        for (method, norm) in
            [(Method::Cta, Norm::L1), (Method::Cta, Norm::L2), (Method::Ecta, Norm::L1)]
        {
            let options = Options {
                norm,
                weights: Weights::Inverse,
                search: Search::Flips,
                ..Options::default()
            };
            let adjusted = run(&problem, method, &options);
            let adjusted = match (method, adjusted) {
                // Not every table can be protected by moving a few cells.
                (Method::Ecta, Err(AdjustError::Unprotected { .. })) => continue,
                (_, adjusted) => {
                    adjusted.unwrap_or_else(|error| panic!("{path:?} {method} {norm}: {error}"))
                }
            };
            let release = AdjustedRelease::new(
                problem.clone(),
                adjusted.adjustment,
                adjusted.promise,
                adjusted.certificate,
            );
            assert!(release.is_ok(), "{path:?} {method} {norm}");
        }
    }
}

#[test]
fn known_optima_with_given_weights_are_found() {
    for (name, optimum) in
        [("targus", 902_250_119.65), ("table7", 4_219_945_617.0), ("table8", 1610.0)]
    {
        for path in csplib(&[name]) {
            let problem =
                cellveil_argus::jj::read(&std::fs::read_to_string(&path).unwrap(), 0).unwrap();
            let adjusted = run(&problem, Method::Cta, &Options::default()).unwrap();
            assert!((adjusted.cost - optimum).abs() <= 1e-5 * optimum, "{name}: {}", adjusted.cost);
        }
    }
}
