//! What intruders find who know that cells are counts.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use cellveil_attack::{Options, attack};
use cellveil_core::{
    CellId, CellNames, Fault, Intruder, NO_UPPER, Need, Needs, Pattern, Problem, ProblemParts,
    Reason, Relations, Status, Why, verify,
};
use cellveil_highs::Highs;

/// A line of counts with its total first; the parts at `sensitive` are withheld and ask for one unit on each side.
fn line(parts: &[i64], sensitive: &[usize]) -> Problem {
    let values: Vec<i64> =
        std::iter::once(parts.iter().sum()).chain(parts.iter().copied()).collect();
    let mut relations = Relations::default();
    relations.push_sum(CellId(0), (1..values.len()).map(CellId::at));
    let mut status = vec![Status::Free; values.len()];
    let mut needs = Vec::new();
    for &at in sensitive {
        status[at] = Status::Sensitive;
        let down = values[at].min(1);
        needs.push(Need {
            cell: CellId::at(at),
            down,
            up: 1,
            sliding: 0,
            reason: Reason::Frequency,
        });
    }
    let cells = values.len();
    let parts = ProblemParts {
        decimals: 0,
        costs: vec![1.0; cells],
        lower: vec![0; cells],
        upper: vec![NO_UPPER; cells],
        status,
        needs: Needs::new(needs),
        relations,
        names: CellNames::Ids((0..cells as u64).collect()),
        singletons: Vec::new(),
        width: 0,
        values,
    };
    Problem::new(parts, 0).unwrap()
}

fn exposed(problem: &Problem, pattern: &Pattern) -> Vec<u32> {
    let found = attack(problem, pattern, &Highs, Options::default(), &[]).unwrap();
    let is_safe = verify(problem, pattern, &found.certificate).is_ok();
    assert_eq!(is_safe, found.audit.exposed.is_empty());
    found.audit.exposed_cells().iter().map(|cell| cell.0).collect()
}

fn of_counts(problem: Problem) -> (Problem, Pattern) {
    let pattern = problem.start();
    (problem.of_counts().unwrap().zeros_seen_in(&pattern), pattern)
}

#[test]
fn nothing_split_in_two_is_nothing_twice() {
    // 0 = x + x + 0
    let (problem, pattern) = of_counts(line(&[0, 0, 0], &[1, 2]));
    assert_eq!(exposed(&problem, &pattern), [1, 2]);
    // 15 = 10 + 5 + x + x
    let (problem, pattern) = of_counts(line(&[10, 5, 0, 0], &[3, 4]));
    assert_eq!(exposed(&problem, &pattern), [3, 4]);
}

#[test]
fn two_split_in_two_that_are_not_nothing_are_one_each() {
    // 15 = 10 + 3 + 1 + 1, where zeros would have been published
    let problem = line(&[10, 3, 1, 1], &[3, 4]);
    assert_eq!(exposed(&problem, &problem.start()), [] as [u32; 0]);
    let (problem, pattern) = of_counts(problem);
    assert_eq!(exposed(&problem, &pattern), [3, 4]);
}

#[test]
fn withholding_the_three_as_well_protects_the_ones() {
    let problem = line(&[10, 3, 1, 1], &[3, 4]);
    let mut pattern = problem.start();
    pattern.withhold(CellId(2), Why::Secondary);
    let problem = problem.of_counts().unwrap().zeros_seen_in(&pattern);
    assert_eq!(exposed(&problem, &pattern), [] as [u32; 0]);
    let found = attack(&problem, &pattern, &Highs, Options::default(), &[]).unwrap();
    assert!(found.certificate.claims.iter().all(|claim| claim.intruder == Intruder::Integer));
    assert!(found.certificate.witnesses.iter().all(|witness| witness.denominator == 1));
}

#[test]
fn half_a_respondent_is_no_witness() {
    let problem = line(&[10, 3, 1, 1], &[3, 4]);
    let pattern = problem.start();
    let mut certificate =
        attack(&problem, &pattern, &Highs, Options::default(), &[]).unwrap().certificate;
    let problem = problem.of_counts().unwrap();
    verify(&problem, &pattern, &certificate).unwrap();
    certificate.witnesses[0].denominator = 2;
    let faults = verify(&problem, &pattern, &certificate).unwrap_err();
    assert!(faults.contains(&Fault::NotWhole(0)), "{faults:?}");
}

#[test]
fn a_table_with_negative_values_is_no_table_of_counts() {
    assert!(line(&[1, 2], &[1]).of_counts().is_ok());
    let mut parts = vec![4, 1];
    parts[0] = -4;
    let values = [&[-3][..], &parts].concat();
    let mut relations = Relations::default();
    relations.push_sum(CellId(0), [CellId(1), CellId(2)]);
    let parts = ProblemParts {
        decimals: 0,
        costs: vec![1.0; 3],
        lower: vec![-9; 3],
        upper: vec![NO_UPPER; 3],
        status: vec![Status::Free; 3],
        needs: Needs::default(),
        relations,
        names: CellNames::Ids(vec![0, 1, 2]),
        singletons: Vec::new(),
        width: 0,
        values,
    };
    assert!(Problem::new(parts, 0).unwrap().of_counts().is_err());
}

/// Three respondents, each alone in a cell of a line: any one of them is left with two unknown cells that sum to what it can work
/// out, so each of the others is safe from it; but two of them that belong to one holding know the third.
#[test]
fn three_singletons_in_a_line_and_a_holding_behind_two_of_them() {
    let problem = line(&[10, 4, 4, 4], &[2, 3, 4]);
    let alone = with_singletons(&problem, &[2, 3, 4]);
    assert_eq!(exposed(&alone, &alone.start()), [] as [u32; 0]);
    let together = alone.with_coalitions(vec![vec![CellId(2), CellId(3)]]).unwrap();
    assert_eq!(exposed(&together, &together.start()), [4]);
    // Two singletons and nobody else: each knows the other.
    let pair = with_singletons(&line(&[10, 4, 4], &[2, 3]), &[2, 3]);
    assert_eq!(exposed(&pair, &pair.start()), [2, 3]);
}

fn with_singletons(problem: &Problem, singletons: &[u32]) -> Problem {
    let column = |of: &dyn Fn(CellId) -> i64| problem.cells().map(of).collect::<Vec<i64>>();
    let parts = ProblemParts {
        decimals: 0,
        values: column(&|cell| problem.value(cell)),
        costs: vec![1.0; problem.len()],
        lower: vec![0; problem.len()],
        upper: vec![NO_UPPER; problem.len()],
        status: problem.cells().map(|cell| problem.status(cell)).collect(),
        needs: problem.needs().clone(),
        relations: problem.relations().clone(),
        names: problem.names().clone(),
        singletons: singletons.iter().map(|&cell| CellId(cell)).collect(),
        width: 0,
    };
    Problem::new(parts, 0).unwrap()
}
