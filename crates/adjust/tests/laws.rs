//! What every method of adjustment must do, against brute force and on the reference instances.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use cellveil_adjust::{
    AdjustError, Adjusted, Context, Key, Method, Norm, Options, Search, Weights, adjust,
    adjust_online, contributors_sense, keyed_sense,
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

/// `sum` with a level below zero: the first part may stay where it is or go far up.
fn aside(down: i64, up: i64) -> Problem {
    let mut parts =
        sum(20, [2, 0], [Status::Free, Status::Sensitive, Status::Free]).parts().clone();
    let need = Need { cell: CellId(1), down, up, sliding: 0, reason: Reason::Given };
    parts.needs = Needs::new(vec![need]);
    assert!(Problem::new(parts.clone(), 0).is_err());
    Problem::to_adjust(parts, 0).unwrap()
}

#[test]
fn a_cell_with_a_level_below_zero_may_stay_where_it_is() {
    for search in [Search::Auto, Search::Exact, Search::Start] {
        let options = Options { search, ..one(Norm::L1) };
        let stays = run(&aside(-1, 3), Method::Cta, &options).unwrap();
        assert!(stays.cost.abs() < 1e-9, "{search}: {}", stays.cost);
    }
}

#[test]
fn the_interval_of_a_level_below_zero_is_avoided() {
    // The total is 12 and not 10, so the parts must go up by 2 together; the first one may go up by 1, or by 3 and more.
    let mut parts = aside(-1, 3).parts().clone();
    parts.values[0] = 12;
    parts.status[0] = Status::Frozen;
    parts.upper[2] = 6;
    let problem = Problem::to_adjust(parts, 2).unwrap();
    for norm in [Norm::L1, Norm::L2] {
        let adjusted = run(&problem, Method::Cta, &one(norm)).unwrap();
        let values = adjusted.adjustment.values();
        assert_eq!(values[0], values[1] + values[2]);
        let moved = adjusted.adjustment.moved(&problem, CellId(1)) as f64
            / adjusted.adjustment.per_unit(&problem).unwrap() as f64;
        assert!(moved >= 3.0, "{moved}");
    }
}

#[test]
fn no_witness_speaks_for_a_level_below_zero() {
    let options = Options { base: 2, ..one(Norm::L1) };
    let rounded = run(&aside(-1, 3), Method::Rounding, &options);
    let refused = rounded.and_then(|a| {
        AdjustedRelease::new(aside(-1, 3), a.adjustment, a.promise, a.certificate)
            .map_err(|error| AdjustError::Argument(error.to_string()))
    });
    assert!(refused.is_err());
}

#[test]
fn a_table_that_does_not_add_up_is_made_to() {
    let mut parts =
        sum(20, [0, 2], [Status::Free, Status::Free, Status::Sensitive]).parts().clone();
    parts.values[0] = 13;
    let problem = Problem::to_adjust(parts, 3).unwrap();
    for norm in [Norm::L1, Norm::L2] {
        let adjusted = run(&problem, Method::Cta, &one(norm)).unwrap();
        let values = adjusted.adjustment.values();
        assert_eq!(values[0], values[1] + values[2], "{norm}");
        assert!(check_adjustment(&problem, &adjusted.adjustment, Promise::Moved).is_ok());
        // The second part goes up by what is missing, and nothing else moves.
        if norm == Norm::L1 {
            assert!((adjusted.cost - 3.0).abs() < 1e-9, "{}", adjusted.cost);
        }
    }
    let kept = cellveil_core::Adjustment::new(0, vec![13, 4, 8]);
    assert!(check_adjustment(&problem, &kept, Promise::Moved).is_err());
}

#[test]
fn margins_that_are_kept_do_not_move() {
    let problem = sum(20, [2, 0], [Status::Free, Status::Sensitive, Status::Free]);
    assert_eq!(problem.margins(), [CellId(0)]);
    let problem = problem.forbidding([CellId(0), CellId(1)]);
    assert_eq!(problem.status(CellId(1)), Status::Sensitive);
    let adjusted = run(&problem, Method::Cta, &one(Norm::L1)).unwrap();
    assert_eq!(adjusted.adjustment.values()[0], 10);
}

/// Three pairs that add up to a frozen 1: fractions of one half are the nearest table, and no whole one is as near.
fn triangle() -> Problem {
    let mut relations = Relations::default();
    for [a, b] in [[0, 1], [1, 2], [0, 2]] {
        relations.push([(CellId(a), 1), (CellId(b), 1), (CellId(3), -1)], 0);
    }
    let need = Need { cell: CellId(3), down: 1, up: 1, sliding: 0, reason: Reason::Given };
    let parts = ProblemParts {
        decimals: 0,
        values: vec![2, 2, 2, 4],
        costs: vec![1.0; 4],
        lower: vec![0; 4],
        upper: vec![20; 4],
        status: vec![Status::Free, Status::Free, Status::Free, Status::Sensitive],
        needs: Needs::new(vec![need]),
        relations,
        names: CellNames::Ids(vec![0, 1, 2, 3]),
        singletons: Vec::new(),
        width: 0,
    };
    Problem::new(parts, 0).unwrap()
}

#[test]
fn whole_cells_are_searched_where_the_nearest_table_has_fractions() {
    let halves = run(&triangle(), Method::Cta, &one(Norm::L1)).unwrap();
    assert!((halves.cost - 2.5).abs() < 1e-6, "{}", halves.cost);
    let options = Options { whole: true, ..one(Norm::L1) };
    let whole = run(&triangle(), Method::Cta, &options).unwrap();
    assert_eq!(whole.adjustment.decimals(), 0);
    // Each part goes by 1 and the total by 2.
    assert!((whole.cost - 5.0).abs() < 1e-9, "{}", whole.cost);
    assert!((whole.bound.unwrap() - 5.0).abs() < 1e-6, "{:?}", whole.bound);
}

#[test]
fn no_whole_table_is_said_so() {
    let mut parts = triangle().parts().clone();
    parts.lower[3] = 3;
    parts.upper[3] = 5;
    let problem = Problem::new(parts, 0).unwrap();
    let options = Options { whole: true, ..one(Norm::L1) };
    assert!(matches!(run(&problem, Method::Cta, &options), Err(AdjustError::NotWhole)));
}

#[test]
fn every_rounded_cell_has_an_interval_in_the_audit() {
    let status = [Status::Free, Status::Sensitive, Status::Free];
    let problem = sum(20, [2, 0], status);
    let options = Options { base: 5, ..one(Norm::L1) };
    let adjusted = run(&problem, Method::Rounding, &options).unwrap();
    assert_eq!(adjusted.audit.intervals.len(), 3);
    for interval in &adjusted.audit.intervals {
        let i = interval.cell.index();
        let (rounded, value) =
            (adjusted.adjustment.values()[i] as f64, problem.parts().values[i] as f64);
        let (lower, upper) = (interval.lower.unwrap(), interval.upper.unwrap());
        assert!(lower <= value && value <= upper);
        assert!((rounded - 4.0).max(0.0) <= lower && upper <= rounded + 4.0);
    }
}

#[test]
fn an_infeasible_table_names_the_conflict_and_the_way_out() {
    // The total stays, and the second part can only go down, further than the first may go up.
    let status = [Status::Frozen, Status::Free, Status::Sensitive];
    let error = run(&sum(8, [0, 5], status), Method::Cta, &one(Norm::L1)).unwrap_err();
    let AdjustError::Infeasible { conflict, hint } = &error else { panic!("{error}") };
    assert!(conflict.contains("the levels of `cell 2`"), "{conflict}");
    assert!(conflict.contains("the sum of `cell 0`"), "{conflict}");
    assert!(conflict.contains("given the bounds of `cell 0` (frozen), `cell 1`"), "{conflict}");
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
fn the_same_contributors_go_the_same_way_under_any_name() {
    assert_eq!(contributors_sense(b"key", [3, 1, 2]), contributors_sense(b"key", [1, 2, 3, 3]));
    let ups =
        (0..64).filter(|&c| contributors_sense(b"key", [c]) == cellveil_core::Side::Up).count();
    assert!((16..=48).contains(&ups), "{ups}");
}

#[test]
fn the_on_line_answer_relaxes_sums_last_and_protection_first() {
    let left = || None;
    let context = Context { engine: &Highs, progress: &(), seconds_left: &left, gap: 0.0, seed: 1 };
    let up = |_: CellId| cellveil_core::Side::Up;
    let answer = |values: [i64; 3], status: [Status; 3]| {
        let level = |cell: usize| if status[cell] == Status::Sensitive { 2 } else { 0 };
        let mut parts = sum(20, [level(1), level(2)], status).parts().clone();
        parts.values = values.to_vec();
        let problem = Problem::to_adjust(parts, 40).unwrap();
        adjust_online(&problem, &up, &one(Norm::L1), &context).unwrap()
    };
    let (frozen, free, sensitive) = (Status::Frozen, Status::Free, Status::Sensitive);
    // Preserved cells that do not add up: only a sum can give way.
    let sums = answer([12, 4, 6], [frozen; 3]);
    assert_eq!(sums.relaxed.sums, [(0, 2.0)]);
    assert!(sums.relaxed.bounds.is_empty() && sums.relaxed.protection.is_empty());
    assert_eq!(sums.adjustment.values(), [12, 4, 6]);
    // One free cell: it leaves its bounds rather than break the sum.
    let bounds = answer([4, 20, 6], [frozen, frozen, free]);
    assert_eq!(bounds.relaxed.bounds, [(CellId(2), 22.0 - 6.0)]);
    assert!(bounds.relaxed.sums.is_empty());
    // Two sensitive cells that cannot both go up: protection gives way, and nothing else.
    let protection = answer([10, 4, 6], [frozen, sensitive, sensitive]);
    assert!(!protection.relaxed.protection.is_empty());
    assert!(protection.relaxed.sums.is_empty() && protection.relaxed.bounds.is_empty());
    assert!(protection.relaxed.protection.iter().all(|&(_, share)| share > 0.0 && share <= 1.0));
}

#[test]
fn on_line_adjustment_needs_a_key_and_refuses_to_release_what_was_relaxed() {
    let status = [Status::Frozen, Status::Sensitive, Status::Sensitive];
    let problem = sum(20, [2, 2], status);
    assert!(matches!(run(&problem, Method::Online, &one(Norm::L1)), Err(AdjustError::Argument(_))));
    let (mut released, mut refused) = (0, 0);
    for secret in 0..16_u8 {
        let options = Options { key: Some(Key::of(&[secret])), ..one(Norm::L1) };
        match run(&problem, Method::Online, &options) {
            Ok(adjusted) => {
                released += 1;
                assert!(check_adjustment(&problem, &adjusted.adjustment, Promise::Moved).is_ok());
            }
            Err(AdjustError::Relaxed { what }) => {
                refused += 1;
                assert!(what.contains("the protection of `cell"), "{what}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(released > 0 && refused > 0, "{released} and {refused}");
}

#[test]
fn the_on_line_answer_keeps_sums_and_bounds_and_says_what_it_relaxed() {
    let left = || None;
    let context = Context { engine: &Highs, progress: &(), seconds_left: &left, gap: 0.0, seed: 1 };
    let status = [Status::Frozen, Status::Sensitive, Status::Sensitive];
    let (mut relaxed, mut kept) = (0, 0);
    for key in 0..16_u8 {
        let problem = sum(20, [2, 2], status);
        let sense = |cell: CellId| keyed_sense(&[key], &format!("cell {}", cell.0));
        let norm = if key % 2 == 0 { Norm::L1 } else { Norm::L2 };
        let answer = adjust_online(&problem, &sense, &one(norm), &context).unwrap();
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

/// A cube of `side³` cells with totals first in every dimension; every fifth inner cell is sensitive, every third empty.
fn cube(side: u32) -> Problem {
    let at = |x: u32, y: u32, z: u32| CellId((x * side + y) * side + z);
    let inner = |x: u32, y: u32, z: u32| i64::from((x * 7919 + y * 104_729 + z * 1_299_709) % 997);
    let mut values = vec![0; side.pow(3) as usize];
    let mut needs = Vec::new();
    for (x, y, z) in
        (1..side).flat_map(|x| (1..side).flat_map(move |y| (1..side).map(move |z| (x, y, z))))
    {
        let value = inner(x, y, z);
        if value % 3 == 0 {
            continue;
        }
        for total in
            [[x, y, z], [0, y, z], [x, 0, z], [x, y, 0], [0, 0, z], [0, y, 0], [x, 0, 0], [0; 3]]
        {
            values[at(total[0], total[1], total[2]).index()] += value;
        }
        if value % 5 == 0 {
            let (cell, level) = (at(x, y, z), value / 10 + 1);
            needs.push(Need { cell, down: level, up: level, sliding: 0, reason: Reason::Given });
        }
    }
    let mut relations = Relations::default();
    for (a, b) in (0..side).flat_map(|a| (0..side).map(move |b| (a, b))) {
        relations.push_sum(at(0, a, b), (1..side).map(|c| at(c, a, b)));
        relations.push_sum(at(a, 0, b), (1..side).map(|c| at(a, c, b)));
        relations.push_sum(at(a, b, 0), (1..side).map(|c| at(a, b, c)));
    }
    let empty = |value: &i64| if *value == 0 { Status::Frozen } else { Status::Free };
    let mut status: Vec<Status> = values.iter().map(empty).collect();
    for need in &needs {
        status[need.cell.index()] = Status::Sensitive;
    }
    let count = values.len();
    let parts = ProblemParts {
        decimals: 0,
        costs: vec![1.0; count],
        lower: vec![0; count],
        upper: vec![i64::from(side).pow(3) * 2000; count],
        status,
        values,
        needs: Needs::new(needs),
        relations,
        names: CellNames::Ids((0..count as u64).collect()),
        singletons: Vec::new(),
        width: 0,
    };
    Problem::new(parts, 0).unwrap()
}

#[test]
fn a_large_table_is_near_its_bound_in_squares() {
    let problem = cube(16);
    let adjusted = run(&problem, Method::Cta, &one(Norm::L2)).unwrap();
    let bound = adjusted.bound.unwrap();
    assert!(bound > 0.0 && adjusted.cost <= 2.0 * bound, "{} and {bound}", adjusted.cost);
    let Adjusted { adjustment, promise, certificate, .. } = adjusted;
    assert!(AdjustedRelease::new(problem, adjustment, promise, certificate).is_ok());
}

#[test]
fn without_time_there_is_a_checked_table_or_none() {
    let problem = cube(16);
    let left = || Some(0.0);
    let context = Context { engine: &Highs, progress: &(), seconds_left: &left, gap: 0.0, seed: 1 };
    for norm in [Norm::L1, Norm::L2] {
        match adjust(&problem, Method::Cta, &one(norm), &context) {
            Ok(adjusted) => {
                let Adjusted { adjustment, promise, .. } = adjusted;
                assert!(check_adjustment(&problem, &adjustment, promise).is_ok());
            }
            Err(error) => assert!(matches!(error, AdjustError::OutOfTime), "{error}"),
        }
    }
}
