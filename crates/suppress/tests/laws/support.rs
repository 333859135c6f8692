//! Ways to protect tables and to judge the patterns.

use cellveil_attack::{Attack, Options, attack};
use cellveil_core::{CellId, Pattern, Problem, Status, Why, verify};
use cellveil_highs::Highs;
use cellveil_suppress::{Context, Method, Protected, SuppressError, suppress};
use cellveil_testkit::tables::Tables;
use proptest::prelude::*;

/// A fixed number of cases and no files beside the sources.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    }
}

/// Instances of at most `cells` cells, so that a case takes milliseconds.
pub(crate) fn sized(tables: Tables, cells: usize) -> impl Strategy<Value = Problem> {
    tables.problems().prop_filter("few cells", move |problem| problem.len() <= cells)
}

/// Any of the methods, the default more often than the others.
pub(crate) fn methods() -> impl Strategy<Value = Method> {
    prop_oneof![Just(Method::Auto), proptest::sample::select(Method::ALL.to_vec())]
}

pub(crate) fn protect(problem: &Problem) -> Result<Protected, SuppressError> {
    protect_by(Method::Auto, problem)
}

pub(crate) fn protect_by(method: Method, problem: &Problem) -> Result<Protected, SuppressError> {
    let context =
        Context { engine: &Highs, progress: &(), seconds_left: &|| None, gap: 0.0, seed: 1 };
    suppress(problem, method, &context)
}

/// Attacks with nothing known beforehand.
pub(crate) fn find(problem: &Problem, pattern: &Pattern) -> Attack {
    attack(problem, pattern, &Highs, Options::default(), &[]).unwrap()
}

/// Whether an attack finds nothing and proves it.
pub(crate) fn is_safe(problem: &Problem, pattern: &Pattern) -> bool {
    let found = find(problem, pattern);
    let verified = verify(problem, pattern, &found.certificate).is_ok();
    assert_eq!(verified, found.audit.exposed.is_empty(), "attack and verifier disagree");
    verified
}

/// Every cell withheld that may be.
pub(crate) fn everything(problem: &Problem) -> Pattern {
    let mut pattern = problem.start();
    for cell in problem.cells().filter(|&cell| problem.status(cell) == Status::Free) {
        pattern.withhold(cell, Why::Secondary);
    }
    pattern
}

/// The cells that a method chose.
pub(crate) fn chosen(problem: &Problem, pattern: &Pattern) -> Vec<CellId> {
    pattern.secondaries().filter(|&cell| problem.status(cell) == Status::Free).collect()
}
