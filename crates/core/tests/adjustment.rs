//! The check of adjusted tables, case by case.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use cellveil_core::{
    AdjustedRelease, Adjustment, AdjustmentFault as Fault, CellId, CellNames, Certificate, Claim,
    Intruder, Need, Needs, Problem, ProblemParts, Promise, Reason, Relations, Side, Status,
    Witness, check_adjustment,
};

/// `10 = 4 + 6`, the first part sensitive by 2 down and 3 up, the second frozen or not.
fn problem(frozen: bool) -> Problem {
    let mut relations = Relations::default();
    relations.push_sum(CellId(0), [CellId(1), CellId(2)]);
    let need = Need { cell: CellId(1), down: 2, up: 3, sliding: 0, reason: Reason::Given };
    let parts = ProblemParts {
        decimals: 0,
        values: vec![10, 4, 6],
        costs: vec![1.0; 3],
        lower: vec![0; 3],
        upper: vec![20; 3],
        status: vec![
            Status::Free,
            Status::Sensitive,
            if frozen { Status::Frozen } else { Status::Free },
        ],
        needs: Needs::new(vec![need]),
        relations,
        names: CellNames::Ids(vec![0, 1, 2]),
        singletons: Vec::new(),
        width: 0,
    };
    Problem::new(parts, 0).unwrap()
}

fn faults(values: [i64; 3], promise: Promise) -> Vec<Fault> {
    let adjustment = Adjustment::new(0, values.to_vec());
    check_adjustment(&problem(true), &adjustment, promise).err().unwrap_or_default()
}

#[test]
fn a_sensitive_cell_may_go_to_either_level_and_not_between() {
    assert_eq!(faults([8, 2, 6], Promise::Moved), []);
    assert_eq!(faults([13, 7, 6], Promise::Moved), []);
    for between in 3..=6 {
        let near = Fault::TooNear("cell 1".to_owned());
        assert_eq!(faults([between + 6, between, 6], Promise::Moved), [near]);
    }
}

#[test]
fn sums_bounds_and_frozen_cells_are_kept() {
    assert_eq!(faults([10, 2, 6], Promise::Moved), [Fault::BreaksRelation(0)]);
    let outside = Fault::LeavesBounds("cell 0".to_owned());
    assert!(faults([21, 15, 6], Promise::Moved).contains(&outside));
    assert_eq!(faults([10, 2, 8], Promise::Moved), [Fault::MovesFrozen("cell 2".to_owned())]);
}

#[test]
fn finer_units_are_compared_as_amounts() {
    let check = |values: [i64; 3]| {
        check_adjustment(&problem(true), &Adjustment::new(1, values.to_vec()), Promise::Moved)
    };
    assert_eq!(check([80, 20, 60]), Ok(()));
    assert_eq!(check([81, 21, 60]), Err(vec![Fault::TooNear("cell 1".to_owned())]));
    let coarse = Adjustment::new(0, vec![1, 1]);
    assert_eq!(
        check_adjustment(&problem(true), &coarse, Promise::Moved),
        Err(vec![Fault::WrongTable])
    );
}

#[test]
fn a_rounded_value_is_a_multiple_next_to_the_truth() {
    let rounded = Promise::Rounded { base: 5, steps: 0 };
    assert_eq!(faults([10, 5, 5], rounded), []);
    assert!(faults([15, 5, 10], rounded).contains(&Fault::TooFar("cell 0".to_owned())));
    assert!(faults([9, 4, 5], rounded).contains(&Fault::NotAMultiple("cell 1".to_owned())));
    assert_eq!(faults([15, 5, 10], Promise::Rounded { base: 5, steps: 1 }), []);
}

#[test]
fn a_rounded_table_needs_witnesses_for_its_sensitive_cells() {
    let promise = Promise::Rounded { base: 5, steps: 0 };
    let rounded = || Adjustment::new(0, vec![10, 5, 5]);
    assert!(
        AdjustedRelease::new(problem(false), rounded(), promise, Certificate::default()).is_err()
    );
    let claim =
        |side, witness| Claim { cell: CellId(1), side, intruder: Intruder::External, witness };
    let moved = |by| Witness { denominator: 1, moves: vec![(CellId(1), by), (CellId(2), -by)] };
    let certificate = Certificate {
        witnesses: vec![moved(-2), moved(3)],
        claims: vec![claim(Side::Down, 0), claim(Side::Up, 1)],
    };
    assert!(AdjustedRelease::new(problem(false), rounded(), promise, certificate.clone()).is_ok());
    // Nine is out of reach for whoever sees five and knows the base: 5 + 4.
    let beyond = Certificate { witnesses: vec![moved(-2), moved(6)], ..certificate };
    assert!(AdjustedRelease::new(problem(false), rounded(), promise, beyond).is_err());
}

#[test]
fn a_radius_binds_all_but_sensitive_cells() {
    // Half of β is a tenth: the total may be 9 to 11.
    assert_eq!(faults([9, 3, 6], Promise::Radius { millionths: 200_000 }), []);
    let far = Fault::TooFar("cell 0".to_owned());
    assert_eq!(faults([8, 2, 6], Promise::Radius { millionths: 200_000 }), [far]);
}
