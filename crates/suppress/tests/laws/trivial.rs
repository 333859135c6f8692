//! Problems at the edge: nothing to do, nothing to be done, or hardly a table.

use crate::support::{chosen, is_safe, protect};
use cellveil_core::{
    CellId, CellNames, NO_UPPER, Need, Needs, Problem, ProblemParts, Reason, Relations, Status,
};
use cellveil_suppress::SuppressError;

/// Cells with values, some of them sensitive with levels down, up and apart; cell 0 is the sum of the others unless alone.
fn row(values: &[i64], needs: &[(u32, [i64; 3])], upper: i64, frozen: &[usize]) -> Problem {
    let cells = values.len();
    let mut relations = Relations::default();
    if cells > 1 && values[0] == values[1..].iter().sum::<i64>() {
        relations.push_sum(CellId(0), (1..cells).map(CellId::at));
    }
    let needs: Vec<Need> = needs
        .iter()
        .map(|&(cell, [down, up, sliding])| Need {
            cell: CellId(cell),
            down,
            up,
            sliding,
            reason: Reason::Given,
        })
        .collect();
    let mut status = vec![Status::Free; cells];
    for need in &needs {
        status[need.cell.index()] = Status::Sensitive;
    }
    for &cell in frozen {
        status[cell] = Status::Frozen;
    }
    let parts = ProblemParts {
        decimals: 0,
        values: values.to_vec(),
        costs: values.iter().map(|&value| value as f64).collect(),
        lower: vec![0; cells],
        upper: vec![upper; cells],
        status,
        needs: Needs::new(needs),
        relations,
        names: CellNames::Ids((0..cells as u64).collect()),
        singletons: Vec::new(),
        width: 0,
    };
    Problem::new(parts, 0).unwrap()
}

#[test]
fn without_needs_nothing_is_withheld() {
    let problem = row(&[6, 1, 2, 3], &[], NO_UPPER, &[]);
    let pattern = protect(&problem).unwrap().pattern;
    assert_eq!(pattern, problem.start());
    assert_eq!(problem.cost_of(&pattern).to_string(), "0");
}

#[test]
fn a_problem_without_cells_has_an_empty_pattern() {
    let problem = row(&[], &[], NO_UPPER, &[]);
    assert_eq!(protect(&problem).unwrap().pattern.cells(), 0);
}

#[test]
fn when_all_cells_are_sensitive_no_further_one_is_withheld() {
    let needs: Vec<(u32, [i64; 3])> = (0..4).map(|cell| (cell, [0, 1, 0])).collect();
    let problem = row(&[6, 1, 2, 3], &needs, NO_UPPER, &[]);
    let pattern = protect(&problem).unwrap().pattern;
    assert_eq!(pattern, problem.start());
    assert!(is_safe(&problem, &pattern));
}

#[test]
fn in_one_dimension_the_cheapest_other_cell_is_withheld() {
    let problem = row(&[60, 10, 20, 30], &[(2, [5, 5, 0])], NO_UPPER, &[]);
    let pattern = protect(&problem).unwrap().pattern;
    assert_eq!(chosen(&problem, &pattern), [CellId(1)]);
    assert!(is_safe(&problem, &pattern));
}

#[test]
fn a_table_of_zeros_can_be_protected_upwards() {
    let problem = row(&[0, 0, 0, 0], &[(1, [0, 1, 1])], NO_UPPER, &[]);
    let pattern = protect(&problem).unwrap().pattern;
    assert_eq!(chosen(&problem, &pattern), [CellId(0)], "only the total can rise with it");
    assert!(is_safe(&problem, &pattern));
}

#[test]
fn a_sensitive_cell_in_no_sum_is_safe_alone() {
    let problem = row(&[5], &[(0, [5, 7, 9])], NO_UPPER, &[]);
    let pattern = protect(&problem).unwrap().pattern;
    assert_eq!(pattern, problem.start());
    assert!(is_safe(&problem, &pattern));
}

#[test]
fn a_need_that_asks_for_nothing_is_met_even_where_the_cell_is_determined() {
    let problem = row(&[6, 1, 2, 3], &[(1, [0, 0, 0])], NO_UPPER, &[0, 2, 3]);
    let pattern = protect(&problem).unwrap().pattern;
    assert_eq!(pattern, problem.start());
    assert!(is_safe(&problem, &pattern));
}

#[test]
fn a_cell_among_frozen_ones_has_no_pattern_and_the_error_names_it() {
    let problem = row(&[6, 1, 2, 3], &[(1, [1, 1, 0])], NO_UPPER, &[0, 2, 3]);
    let error = protect(&problem).unwrap_err();
    assert!(matches!(&error, SuppressError::NoPattern { cell, .. } if cell == "cell 1"), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("these 3 cells") && text.contains("`cell 0`, `cell 2`, `cell 3`"),
        "{text}"
    );
}

#[test]
fn of_frozen_cells_only_those_that_block_a_need_together_are_named() {
    // Two rows of three: cell 1 is sensitive, and its own row is frozen; the other row has nothing to do with it.
    let mut relations = Relations::default();
    relations.push_sum(CellId(0), [1, 2, 3].map(CellId));
    relations.push_sum(CellId(4), [5, 6].map(CellId));
    let mut parts =
        row(&[9, 2, 3, 4, 5, 2, 3], &[(1, [1, 1, 0])], NO_UPPER, &[0, 2, 3, 4, 5]).parts().clone();
    parts.relations = relations;
    parts.values = vec![9, 2, 3, 4, 5, 2, 3];
    let error = protect(&Problem::new(parts, 0).unwrap()).unwrap_err();
    assert!(
        matches!(&error, SuppressError::NoPattern { frozen, .. } if *frozen == [0, 2, 3].map(CellId)),
        "{error}"
    );
}

#[test]
fn frozen_cells_that_block_nothing_are_not_blamed() {
    let problem = row(&[16, 8, 8], &[(1, [5, 5, 17])], 16, &[0]);
    let error = protect(&problem).unwrap_err();
    assert!(
        matches!(&error, SuppressError::NoPattern { frozen, .. } if frozen.is_empty()),
        "{error}"
    );
}

#[test]
fn a_width_that_no_single_side_reaches_is_reached_by_both() {
    // 8 up and 8 down are possible; 15 apart are asked for, and neither side can give 10 of them.
    let problem = row(&[16, 8, 8], &[(1, [5, 5, 15])], 16, &[0]);
    let pattern = protect(&problem).unwrap().pattern;
    assert_eq!(chosen(&problem, &pattern), [CellId(2)]);
    assert!(is_safe(&problem, &pattern));
}

#[test]
fn a_width_that_is_exactly_the_interval_is_met() {
    let problem = row(&[16, 8, 8], &[(1, [5, 5, 16])], 16, &[0]);
    assert!(is_safe(&problem, &protect(&problem).unwrap().pattern));
}

#[test]
fn a_width_beyond_what_the_intruder_knows_has_no_pattern() {
    let problem = row(&[16, 8, 8], &[(1, [5, 5, 17])], 16, &[0]);
    assert!(matches!(protect(&problem), Err(SuppressError::NoPattern { .. })));
}

#[test]
fn a_width_that_no_side_reaches_alone_is_reached_by_both() {
    // The only contributor of cell 2 knows it. Without it the total goes 5 down and 11 up: too little on either side, enough on both.
    let needs = [(0, [0, 1, 14]), (2, [0, 1, 0]), (3, [0, 1, 0])];
    let parts = row(&[10, 0, 5, 5], &needs, NO_UPPER, &[]).parts().clone();
    let parts = ProblemParts { upper: vec![23, 3, 13, 13], singletons: vec![CellId(2)], ..parts };
    let problem = Problem::new(parts, 0).unwrap();
    assert!(is_safe(&problem, &protect(&problem).unwrap().pattern));
}
