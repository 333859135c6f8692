//! The same answer on every machine, every time, under every name.

use crate::support::{cases, methods, protect_by, sized};
use cellveil_core::{CellNames, Pattern, Problem, ProblemParts, Relations};
use cellveil_suppress::Method;
use cellveil_testkit::tables::{Tables, Values};
use proptest::prelude::*;

/// The same cells in the same order under other numbers.
fn renamed(problem: &Problem) -> Problem {
    let mut relations = Relations::default();
    for relation in 0..problem.relations().len() {
        relations.push(problem.relations().row(relation), problem.relations().constant(relation));
    }
    let column = |of: &dyn Fn(cellveil_core::CellId) -> i64| problem.cells().map(of).collect();
    let parts = ProblemParts {
        decimals: problem.decimals(),
        values: column(&|cell| problem.value(cell)),
        costs: problem.cells().map(|cell| problem.cost(cell)).collect(),
        lower: column(&|cell| problem.lower(cell).unwrap_or(cellveil_core::NO_LOWER)),
        upper: column(&|cell| problem.upper(cell).unwrap_or(cellveil_core::NO_UPPER)),
        status: problem.cells().map(|cell| problem.status(cell)).collect(),
        needs: problem.needs().clone(),
        relations,
        names: CellNames::Ids(problem.cells().map(|cell| 9000 - 13 * u64::from(cell.0)).collect()),
        singletons: problem.singletons().to_vec(),
        width: problem.width(),
    };
    Problem::new(parts, 0).unwrap()
}

fn on_threads(method: Method, problem: &Problem, threads: usize) -> Option<Pattern> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| protect_by(method, problem).ok().map(|protected| protected.pattern))
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn threads_runs_and_names_change_nothing(
        problem in prop_oneof![
            sized(Tables { leaves: 3, singletons: true, shares: [25, 5], ..Tables::default() }, 60),
            sized(Tables { values: Values::Small, ..Tables::default() }, 150),
        ],
        method in methods(),
    ) {
        let once = on_threads(method, &problem, 1);
        prop_assert_eq!(&on_threads(method, &problem, 1), &once);
        prop_assert_eq!(&on_threads(method, &problem, 2), &once);
        prop_assert_eq!(&on_threads(method, &problem, 8), &once);
        prop_assert_eq!(&on_threads(method, &renamed(&problem), 2), &once);
    }
}
