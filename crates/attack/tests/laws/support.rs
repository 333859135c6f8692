//! Patterns to attack, and ways to compare answers.

use cellveil_attack::{Attack, Options, attack};
use cellveil_core::{CellId, Exposure, Pattern, Problem, Side, Status, Why};
use cellveil_highs::Highs;
use cellveil_testkit::tables::Tables;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A fixed number of cases and no files beside the sources.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    }
}

/// Sensitive cells and those free cells that are picked; picks are taken in turn.
pub(crate) fn pattern(problem: &Problem, picks: &[bool]) -> Pattern {
    let mut pattern = problem.start();
    for (cell, &pick) in problem.cells().zip(picks.iter().cycle()) {
        if pick && problem.status(cell) == Status::Free {
            pattern.withhold(cell, Why::Secondary);
        }
    }
    pattern
}

/// Which free cells to withhold: about two in three.
pub(crate) fn picks() -> impl Strategy<Value = Vec<bool>> {
    vec(prop::bool::weighted(0.65), 1..40)
}

/// Instances of at most 150 cells, so that a case takes milliseconds.
pub(crate) fn sized(tables: Tables) -> impl Strategy<Value = Problem> {
    tables.problems().prop_filter("few cells", |problem| problem.len() <= 150)
}

/// Instances with a pattern each.
pub(crate) fn attacked(tables: Tables) -> impl Strategy<Value = (Problem, Pattern)> {
    (sized(tables), picks()).prop_map(|(problem, picks)| {
        let pattern = pattern(&problem, &picks);
        (problem, pattern)
    })
}

/// Attacks with nothing known beforehand.
pub(crate) fn find(problem: &Problem, pattern: &Pattern) -> Attack {
    attack(problem, pattern, &Highs, Options::default(), &[]).unwrap()
}

/// Whether two ends of intervals are the same up to a millionth of their size.
pub(crate) fn same(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0),
        (None, None) => true,
        _ => false,
    }
}

/// What is exposed to everybody, and what to insiders of cells that are not exposed to everybody.
pub(crate) type Verdict = BTreeSet<(CellId, Option<Side>, Option<u32>)>;

/// Exposures in a form that does not depend on the cell an insider is named by.
pub(crate) fn verdict(problem: &Problem, exposed: &[Exposure]) -> Verdict {
    let outside: BTreeSet<CellId> =
        exposed.iter().filter(|e| e.singleton.is_none()).map(|e| e.cell).collect();
    exposed
        .iter()
        .filter(|e| e.singleton.is_none() || !outside.contains(&e.cell))
        .map(|e| (e.cell, e.side, e.singleton.and_then(|cell| problem.insiders().of(cell))))
        .collect()
}
