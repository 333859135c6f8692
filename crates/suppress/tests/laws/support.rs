//! Ways to protect tables and to judge the patterns.

use cellveil_attack::{Attack, Options, attack};
use cellveil_core::{
    CellId, CellNames, Need, Needs, Pattern, Problem, ProblemParts, Relations, Status, Why, verify,
};
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

/// The same table as if it were made from records: empty cells do not exist unless they are sensitive.
pub(crate) fn with_holes(problem: &Problem) -> Problem {
    let exists =
        |&cell: &CellId| problem.value(cell) != 0 || problem.status(cell) == Status::Sensitive;
    let cells: Vec<CellId> = problem.cells().filter(exists).collect();
    let place = |cell: CellId| cells.binary_search(&cell).ok().map(CellId::at);
    let mut relations = Relations::default();
    for relation in 0..problem.relations().len() {
        let terms = problem.relations().row(relation);
        let left: Vec<(CellId, i32)> =
            terms.filter_map(|(cell, c)| Some((place(cell)?, c))).collect();
        if !left.is_empty() {
            relations.push(left, problem.relations().constant(relation));
        }
    }
    let parts = problem.parts();
    let column = |of: &[i64]| cells.iter().map(|cell| of[cell.index()]).collect::<Vec<i64>>();
    let needs =
        problem.needs().iter().filter_map(|need| Some(Need { cell: place(need.cell)?, ..*need }));
    let parts = ProblemParts {
        decimals: problem.decimals(),
        values: column(&parts.values),
        costs: cells.iter().map(|&cell| problem.cost(cell)).collect(),
        lower: column(&parts.lower),
        upper: column(&parts.upper),
        status: cells.iter().map(|&cell| problem.status(cell)).collect(),
        needs: Needs::new(needs.collect()),
        relations,
        names: CellNames::Ids(cells.iter().map(|&cell| u64::from(cell.0)).collect()),
        singletons: problem.singletons().iter().filter_map(|&cell| place(cell)).collect(),
        width: problem.width(),
    };
    Problem::new(parts, 0).unwrap()
}
