//! Why cells are exposed, in words.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use cellveil_attack::{Options, attack, explain};
use cellveil_core::{
    CellId, CellNames, NO_UPPER, Need, Needs, Pattern, Problem, ProblemParts, Reason, Relations,
    Status,
};
use cellveil_highs::Highs;

/// A table of 2 × 3 inner cells with all margins; the parts of each line follow its total.
fn table(inner: [[i64; 3]; 2], sensitive: &[u32], level: i64) -> Problem {
    let row = |cells: [i64; 3]| [cells.iter().sum(), cells[0], cells[1], cells[2]];
    let rows = [row(inner[0]), row(inner[1])];
    let totals: Vec<i64> = (0..4).map(|column| rows[0][column] + rows[1][column]).collect();
    let values = [&totals[..], &rows[0], &rows[1]].concat();
    let mut relations = Relations::default();
    for line in 0..3 {
        relations.push_sum(CellId(4 * line), (1..4).map(|column| CellId(4 * line + column)));
    }
    for column in 0..4 {
        relations.push_sum(CellId(column), [CellId(4 + column), CellId(8 + column)]);
    }
    let mut status = vec![Status::Free; 12];
    let mut needs = Vec::new();
    for &cell in sensitive {
        status[cell as usize] = Status::Sensitive;
        let need =
            Need { cell: CellId(cell), down: level, up: level, sliding: 0, reason: Reason::Given };
        needs.push(need);
    }
    let parts = ProblemParts {
        decimals: 0,
        values,
        costs: vec![1.0; 12],
        lower: vec![0; 12],
        upper: vec![NO_UPPER; 12],
        status,
        needs: Needs::new(needs),
        relations,
        names: CellNames::Ids((0..12).collect()),
        singletons: Vec::new(),
        width: 0,
    };
    Problem::new(parts, 0).unwrap()
}

fn sentences(problem: &Problem, pattern: &Pattern) -> Vec<String> {
    let found = attack(problem, pattern, &Highs, Options::default(), &[]).unwrap();
    let incidence = problem.relations().incidence(problem.len());
    let exposed = found.audit.exposed.iter();
    exposed
        .map(|exposure| {
            let why = explain(problem, &incidence, pattern, exposure, &Highs).unwrap();
            why.map_or_else(|| "?".to_owned(), |why| why.sentence(problem))
        })
        .collect()
}

#[test]
fn a_cell_alone_in_its_row_is_the_difference_of_its_total_and_the_rest() {
    let problem = table([[5, 7, 9], [20, 30, 40]], &[5], 1);
    let found = sentences(&problem, &problem.start());
    assert_eq!(found.len(), 2);
    for sentence in found {
        let by_column = "`cell 5` can be computed exactly from `cell 1` and `cell 9`";
        let by_row = "`cell 5` can be computed exactly from `cell 4`, `cell 6` and `cell 7`";
        assert!(sentence == by_column || sentence == by_row, "{sentence}");
    }
}

#[test]
fn a_cell_beside_a_small_one_is_betrayed_by_its_bound() {
    // A rectangle of withheld cells, one of them nearly nothing.
    let problem = table([[50, 1, 9], [60, 70, 40]], &[5, 6, 9, 10], 10);
    let pattern = problem.start();
    let found = sentences(&problem, &pattern);
    assert!(found.iter().any(|sentence| sentence.contains("too close")), "{found:?}");
    for sentence in &found {
        let by_others = sentence.contains("bounds of") && sentence.contains("too close");
        assert!(by_others || sentence.contains("its own bounds"), "{sentence}");
        assert!(!sentence.contains("70") && !sentence.contains("50"), "no amounts: {sentence}");
    }
}

#[test]
fn a_short_list_is_enough() {
    let problem = table([[5, 7, 9], [20, 30, 40]], &[5, 6], 1);
    let found = attack(&problem, &problem.start(), &Highs, Options::default(), &[]).unwrap();
    let incidence = problem.relations().incidence(problem.len());
    let why = explain(&problem, &incidence, &problem.start(), &found.audit.exposed[0], &Highs);
    let why = why.unwrap().unwrap();
    assert_eq!(why.relations.len(), 1, "its column alone betrays it");
    assert!(why.bounded.is_empty());
}
