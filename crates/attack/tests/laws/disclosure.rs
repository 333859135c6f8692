//! Cells that relations alone determine.

use crate::support::{attacked, cases};
use cellveil_attack::{Component, disclosed, reduce};
use cellveil_core::CellId;
use cellveil_highs::Highs;
use cellveil_lp::{Engine, Limits, Model, Outcome};
use cellveil_testkit::tables::Tables;
use proptest::prelude::*;

/// Whether a cell moves in some solution of the relations with every move between −1 and 1.
fn moves(component: &Component, at: usize) -> bool {
    let mut model = Model::default();
    for column in 0..component.cells.len() {
        model.column(if column == at { -1.0 } else { 0.0 }, -1.0, 1.0);
    }
    for row in &component.rows {
        model.row(row.iter().map(|&(column, c)| (column, f64::from(c))).collect(), 0.0, 0.0);
    }
    let solved = Highs.open(&model).unwrap().solve(&Limits::default()).unwrap();
    let Outcome::Optimal(solution) = solved else { panic!("nothing moves at least") };
    solution.columns[at] > 1e-6
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn elimination_finds_exactly_the_cells_that_no_solution_moves(
        (problem, pattern) in prop_oneof![
            attacked(Tables::tiny()),
            attacked(Tables { leaves: 3, ..Tables::default() }),
            attacked(Tables { dimensions: 4, leaves: 2, ..Tables::default() }),
        ],
    ) {
        for component in reduce(&problem, &pattern).components {
            let found = disclosed(&component).unwrap();
            let known: Vec<CellId> =
                (0..component.cells.len()).filter(|&at| !moves(&component, at)).map(|at| component.cells[at]).collect();
            prop_assert_eq!(found, known);
        }
    }
}
