//! What every engine must do, run on HiGHS.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use cellveil_highs::Highs;
use cellveil_lp::{Column, Engine, Limits, Model, Outcome, Row};

fn optimum(outcome: Outcome) -> cellveil_lp::Solution {
    match outcome {
        Outcome::Optimal(solution) => solution,
        other => panic!("not optimal: {other:?}"),
    }
}

/// `min −x − 2y` over `x + y ≤ 4`, `0 ≤ x, y ≤ 3`.
fn small() -> Model {
    let mut model = Model::default();
    let x = model.column(-1.0, 0.0, 3.0);
    let y = model.column(-2.0, 0.0, 3.0);
    model.row(vec![(x, 1.0), (y, 1.0)], f64::NEG_INFINITY, 4.0);
    model
}

#[test]
fn a_small_model_is_solved_with_its_prices() {
    let solution = optimum(Highs.open(&small()).unwrap().solve(&Limits::default()).unwrap());
    assert!((solution.objective + 7.0).abs() < 1e-9);
    assert!((solution.columns[0] - 1.0).abs() < 1e-9 && (solution.columns[1] - 3.0).abs() < 1e-9);
    assert!((solution.duals[0] + 1.0).abs() < 1e-9 && (solution.reduced[1] + 1.0).abs() < 1e-9);
}

#[test]
fn a_session_follows_changes_of_cost_bounds_and_rows() {
    let mut session = Highs.open(&small()).unwrap();
    session.set_cost(0, -3.0).unwrap();
    session.set_bounds(1, 0.0, 2.0).unwrap();
    assert!((optimum(session.solve(&Limits::default()).unwrap()).objective + 11.0).abs() < 1e-9);
    session.add_row(&Row { terms: vec![(0, 1.0)], lower: 0.0, upper: 1.0 }).unwrap();
    assert!((optimum(session.solve(&Limits::default()).unwrap()).objective + 7.0).abs() < 1e-9);
}

#[test]
fn infeasible_and_unbounded_are_answers() {
    let mut model = small();
    model.row(vec![(0, 1.0)], 5.0, f64::INFINITY);
    assert_eq!(Highs.open(&model).unwrap().solve(&Limits::default()).unwrap(), Outcome::Infeasible);
    let mut free = Model::default();
    let x = free.column(-1.0, 0.0, f64::INFINITY);
    let y = free.column(0.0, 0.0, f64::INFINITY);
    free.row(vec![(x, 1.0), (y, -1.0)], 0.0, 0.0);
    assert_eq!(Highs.open(&free).unwrap().solve(&Limits::default()).unwrap(), Outcome::Unbounded);
}

#[test]
fn a_model_without_rows_has_its_bounds_as_optimum() {
    let mut model = Model::default();
    model.column(1.0, -2.0, 5.0);
    assert!(
        (optimum(Highs.open(&model).unwrap().solve(&Limits::default()).unwrap()).objective + 2.0)
            .abs()
            < 1e-9
    );
}

#[test]
fn whole_numbers_are_kept_whole() {
    let mut model = small();
    model.columns[0].integer = true;
    model.columns[1].integer = true;
    model.row(vec![(0, 2.0), (1, 2.0)], f64::NEG_INFINITY, 7.0);
    assert!(
        (optimum(Highs.open(&model).unwrap().solve(&Limits::default()).unwrap()).objective + 6.0)
            .abs()
            < 1e-6
    );
}

/// Ten things of which some are packed: `max Σ value`, `Σ weight ≤ 20`.
fn packing() -> Model {
    let mut model = Model::default();
    let columns: Vec<u32> =
        (0..10).map(|i| model.whole(-f64::from(5 + 7 * i % 11), 0.0, 1.0)).collect();
    let weights = columns.iter().map(|&c| (c, f64::from(3 + 5 * c % 7))).collect();
    model.row(weights, f64::NEG_INFINITY, 20.0);
    model
}

#[test]
fn a_search_goes_on_from_the_point_it_is_given_and_keeps_it_at_its_limit() {
    let best = optimum(Highs.open(&packing()).unwrap().solve(&Limits::default()).unwrap());
    let mut session = Highs.open(&packing()).unwrap();
    session.start(&best.columns).unwrap();
    let limits = Limits { nodes: Some(0), ..Limits::default() };
    match session.solve(&limits).unwrap() {
        Outcome::Optimal(solution) => assert!((solution.objective - best.objective).abs() < 1e-6),
        Outcome::Incumbent(solution, bound) => {
            assert!((solution.objective - best.objective).abs() < 1e-6);
            assert!(bound <= best.objective + 1e-6);
        }
        other => panic!("lost the point: {other:?}"),
    }
}

#[test]
fn points_that_cost_more_than_is_of_use_are_infeasible() {
    let best = optimum(Highs.open(&packing()).unwrap().solve(&Limits::default()).unwrap());
    for (above, is_found) in [(0.5, true), (-0.5, false)] {
        let limits = Limits { cutoff: Some(best.objective + above), ..Limits::default() };
        match Highs.open(&packing()).unwrap().solve(&limits).unwrap() {
            Outcome::Optimal(solution) => {
                assert!(is_found && (solution.objective - best.objective).abs() < 1e-6);
            }
            other => assert!(!is_found && other == Outcome::Infeasible, "{other:?}"),
        }
    }
}

#[test]
fn a_generous_gap_is_kept_within() {
    let best = optimum(Highs.open(&packing()).unwrap().solve(&Limits::default()).unwrap());
    let limits = Limits { gap: 0.5, ..Limits::default() };
    let rough = optimum(Highs.open(&packing()).unwrap().solve(&limits).unwrap());
    assert!(rough.objective >= best.objective - 1e-6);
    assert!(rough.objective <= 0.5 * best.objective);
}

#[test]
fn columns_and_rows_can_be_added_to_a_loaded_model() {
    let mut model = Model::default();
    let x = model.column(-1.0, 0.0, 4.0);
    model.row(vec![(x, 1.0)], f64::NEG_INFINITY, 3.0);
    let mut session = Highs.open(&model).unwrap();
    let before = optimum(session.solve(&Limits::default()).unwrap()).objective;
    let column = Column { cost: -1.0, lower: 0.0, upper: 5.0, integer: false };
    session.add_column(&column, &[(0, 1.0)]).unwrap();
    session.add_row(&Row { terms: vec![(1, 1.0)], lower: f64::NEG_INFINITY, upper: 1.0 }).unwrap();
    session.set_cost(1, -2.0).unwrap();
    let after = optimum(session.solve(&Limits::default()).unwrap());
    assert!((before + 3.0).abs() < 1e-9);
    assert!((after.objective + 4.0).abs() < 1e-9, "two of the first, one of the second");
}
