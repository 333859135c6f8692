//! Proofs that are none, one by one.

use crate::grid::{all_withheld, grid, unbounded};
use cellveil_core::{
    CellId, Certificate, Claim, Fault, Intruder, Need, Needs, Problem, ProblemError, ProblemParts,
    Reason, Relations, Side, Status, Witness, verify,
};

const NEEDY: CellId = CellId(5);

/// Three by three inner cells of value 10; cell 5, the first inner one, is sensitive.
fn parts(down: i64, up: i64, sliding: i64) -> ProblemParts {
    let mut parts = grid(3, 3, &[10]);
    parts.status[NEEDY.index()] = Status::Sensitive;
    parts.needs = Needs::new(vec![Need { cell: NEEDY, down, up, sliding, reason: Reason::Given }]);
    parts
}

/// Moves cell 5 and the cell across from it by `step`, the two others of their rectangle against them.
fn across(other: u32, step: i64) -> Witness {
    let (row, column) = (other / 4, other % 4);
    let mut moves = vec![
        (NEEDY, step),
        (CellId(4 + column), -step),
        (CellId(row * 4 + 1), -step),
        (CellId(other), step),
    ];
    moves.sort_unstable();
    Witness { denominator: 1, moves }
}

fn claim(side: Side, witness: u32) -> Claim {
    Claim { cell: NEEDY, side, intruder: Intruder::External, witness }
}

fn certificate(witnesses: Vec<(Side, Witness)>) -> Certificate {
    let claims =
        witnesses.iter().zip(0..).map(|((side, _), number)| claim(*side, number)).collect();
    Certificate { witnesses: witnesses.into_iter().map(|(_, witness)| witness).collect(), claims }
}

fn judge(parts: &ProblemParts, certificate: &Certificate) -> Result<(), Vec<Fault>> {
    verify(&Problem::new(parts.clone(), 0).unwrap(), &all_withheld(parts), certificate)
}

fn unmet(side: &'static str) -> Result<(), Vec<Fault>> {
    Err(vec![Fault::Unmet { cell: "cell 5".to_owned(), side }])
}

fn unmet_by(singleton: u32, side: &'static str) -> Result<(), Vec<Fault>> {
    let singleton = format!("cell {singleton}");
    Err(vec![Fault::UnmetBySingleton { cell: "cell 5".to_owned(), side, singleton }])
}

#[test]
fn the_two_witnesses_of_a_sliding_need_must_be_far_enough_apart() {
    let proof = certificate(vec![(Side::Down, across(10, -4)), (Side::Up, across(10, 3))]);
    assert_eq!(judge(&parts(4, 3, 7), &proof), Ok(()));
    assert_eq!(judge(&parts(0, 0, 8), &proof), unmet("apart"));
}

#[test]
fn distances_of_different_denominators_are_added_exactly() {
    let mut proof = certificate(vec![(Side::Down, across(10, -7)), (Side::Up, across(10, 8))]);
    proof.witnesses[0].denominator = 2;
    proof.witnesses[1].denominator = 3;
    // 7/2 + 8/3 = 6 + 1/6
    assert_eq!(judge(&parts(3, 2, 6), &proof), Ok(()));
    assert_eq!(judge(&parts(3, 2, 7), &proof), unmet("apart"));
    assert_eq!(judge(&parts(4, 2, 0), &proof), unmet("down"));
}

#[test]
fn a_witness_that_moves_a_singleton_shows_its_contributor_nothing() {
    let mut parts = parts(3, 3, 0);
    parts.singletons = vec![CellId(10)];
    let mut proof = certificate(vec![(Side::Down, across(10, -3)), (Side::Up, across(15, 3))]);
    assert_eq!(judge(&parts, &proof), unmet_by(10, "down"));
    proof.witnesses.push(across(11, -3));
    proof.claims.push(claim(Side::Down, 2));
    assert_eq!(judge(&parts, &proof), Ok(()), "another witness leaves the singleton alone");
}

#[test]
fn the_width_of_an_interval_is_checked_for_every_single_contributor_too() {
    let mut parts = parts(3, 3, 7);
    parts.singletons = vec![CellId(10)];
    let mut proof = certificate(vec![(Side::Down, across(10, -4)), (Side::Up, across(15, 3))]);
    proof.witnesses.push(across(15, -3));
    proof.claims.push(claim(Side::Down, 2));
    assert_eq!(judge(&parts, &proof), unmet_by(10, "apart"));
}

#[test]
fn who_is_alone_in_two_cells_knows_both_at_once() {
    // A total that is one contributor's alone, like one of its parts: cells 8 (total of the second row) and 10.
    let mut parts = parts(3, 0, 0);
    parts.singletons = vec![CellId(8), CellId(10)];
    let with_total = Witness {
        denominator: 1,
        moves: vec![(CellId(4), -3), (NEEDY, -3), (CellId(8), 3), (CellId(9), 3)],
    };
    let proof = certificate(vec![(Side::Down, with_total), (Side::Down, across(10, -3))]);
    assert_eq!(
        judge(&parts, &proof),
        unmet_by(8, "down"),
        "each leaves one of the two alone, neither leaves both"
    );
    let proof = certificate(vec![(Side::Down, across(10, -3)), (Side::Down, across(15, -3))]);
    assert_eq!(judge(&parts, &proof), Ok(()));
}

#[test]
fn who_is_alone_in_a_cell_and_its_total_has_nothing_to_learn_about_either() {
    let mut parts = parts(3, 0, 0);
    parts.singletons = vec![CellId(4), NEEDY];
    let with_total = Witness {
        denominator: 1,
        moves: vec![(CellId(4), -3), (NEEDY, -3), (CellId(8), 3), (CellId(9), 3)],
    };
    assert_eq!(judge(&parts, &certificate(vec![(Side::Down, with_total)])), Ok(()));
}

#[test]
fn singletons_out_of_order_or_out_of_the_table_are_refused() {
    for singletons in [vec![10, 5], vec![5, 5], vec![99]] {
        let mut parts = parts(1, 1, 0);
        parts.singletons = singletons.into_iter().map(CellId).collect();
        assert_eq!(Problem::new(parts, 0).unwrap_err(), ProblemError::Singletons);
    }
}

#[test]
fn a_malformed_witness_is_refused() {
    let good = across(10, 1);
    let (mut twice, mut backwards, mut outside, mut no_denominator) =
        (good.clone(), good.clone(), good.clone(), good);
    twice.moves.insert(1, twice.moves[0]);
    backwards.moves.reverse();
    outside.moves.push((CellId(16), 0));
    no_denominator.denominator = 0;
    for witness in [twice, backwards, outside, no_denominator] {
        let faults = judge(&parts(0, 1, 0), &certificate(vec![(Side::Up, witness)])).unwrap_err();
        assert_eq!(faults[0], Fault::Malformed(0));
        assert!(faults.len() == 2, "and it shows nothing");
    }
}

#[test]
fn a_claim_about_nothing_is_refused() {
    let mut proof = certificate(vec![(Side::Up, across(10, 1))]);
    proof.claims.push(Claim { cell: CellId(6), ..claim(Side::Up, 0) });
    proof.claims.push(Claim { cell: CellId(u32::MAX), ..claim(Side::Up, 0) });
    proof.claims.push(claim(Side::Up, u32::MAX));
    let nothing = |cell: &str| Fault::NoNeed(cell.to_owned());
    let expected =
        vec![nothing("cell 6"), nothing("cell 4294967295"), Fault::NoWitness("cell 5".to_owned())];
    assert_eq!(judge(&parts(0, 1, 0), &proof), Err(expected));
}

#[test]
fn a_frozen_cell_may_not_be_withheld_and_a_pattern_must_be_of_the_table() {
    let mut parts = parts(0, 0, 0);
    parts.status[15] = Status::Frozen;
    assert_eq!(
        judge(&parts, &Certificate::default()),
        Err(vec![Fault::FrozenWithheld("cell 15".to_owned())])
    );
    let problem = Problem::new(parts, 0).unwrap();
    let other = cellveil_core::Pattern::open(3);
    let faults =
        verify(&problem, &other, &certificate(vec![(Side::Up, across(10, 1))])).unwrap_err();
    assert_eq!(faults, [Fault::WrongPattern]);
}

#[test]
fn the_largest_numbers_neither_wrap_nor_pass() {
    let mut parts = parts(i64::MAX, i64::MAX, i64::MAX);
    unbounded(&mut parts);
    let mut proof =
        certificate(vec![(Side::Down, across(10, -i64::MAX)), (Side::Up, across(10, i64::MAX))]);
    assert_eq!(judge(&parts, &proof), Ok(()));
    proof.witnesses[0].denominator = u32::MAX;
    proof.witnesses[1].denominator = u32::MAX;
    assert_eq!(judge(&parts, &proof), unmet("down"));
}

#[test]
fn the_least_number_is_far_below_and_not_above() {
    // Two cells that are equal: both move by the least number there is.
    let mut parts = parts(i64::MAX, 0, 0);
    unbounded(&mut parts);
    let mut relations = Relations::default();
    relations.push_sum(NEEDY, [CellId(6)]);
    parts.relations = relations;
    let witness = Witness { denominator: 1, moves: vec![(NEEDY, i64::MIN), (CellId(6), i64::MIN)] };
    assert_eq!(judge(&parts, &certificate(vec![(Side::Down, witness.clone())])), Ok(()));
    let mut needs = parts.needs.to_vec();
    needs[0] = Need { down: 0, up: 1, ..needs[0] };
    parts.needs = Needs::new(needs);
    assert_eq!(judge(&parts, &certificate(vec![(Side::Up, witness)])), unmet("up"));
}

#[test]
fn a_cell_with_the_coefficient_two_counts_twice() {
    let mut parts = parts(0, 1, 0);
    unbounded(&mut parts);
    parts.values[6] = 20;
    let mut relations = Relations::default();
    relations.push([(CellId(6), -1), (NEEDY, 2)], 0);
    parts.relations = relations;
    let moves = |total| Witness { denominator: 1, moves: vec![(NEEDY, 1), (CellId(6), total)] };
    assert_eq!(judge(&parts, &certificate(vec![(Side::Up, moves(2))])), Ok(()));
    assert!(judge(&parts, &certificate(vec![(Side::Up, moves(1))])).is_err());
}

#[test]
fn coefficients_other_than_one_are_multiplied() {
    let mut parts = parts(0, 3, 0);
    unbounded(&mut parts);
    parts.values[6] = 15;
    let mut relations = Relations::default();
    relations.push([(NEEDY, 3), (CellId(6), -2)], 0);
    parts.relations = relations;
    let moves =
        |needy, other| Witness { denominator: 1, moves: vec![(NEEDY, needy), (CellId(6), other)] };
    assert!(judge(&parts, &certificate(vec![(Side::Up, moves(3, 3))])).is_err());
    assert!(judge(&parts, &certificate(vec![(Side::Up, moves(4, 6))])).is_ok());
}

#[test]
fn a_witness_that_goes_the_wrong_way_neither_helps_nor_harms() {
    let proof = certificate(vec![(Side::Down, across(10, 4)), (Side::Up, across(10, 4))]);
    assert_eq!(judge(&parts(0, 4, 4), &proof), Ok(()));
    assert_eq!(judge(&parts(0, 4, 5), &proof), unmet("apart"));
    assert_eq!(judge(&parts(1, 4, 0), &proof), unmet("down"));
}

#[test]
fn where_every_interval_must_be_wide_a_secondary_without_proof_is_a_fault() {
    let proof = certificate(vec![(Side::Down, across(10, -4)), (Side::Up, across(10, 3))]);
    let asked = ProblemParts { width: 7, ..parts(4, 3, 7) };
    let faults = judge(&asked, &proof).unwrap_err();
    assert!(faults.contains(&Fault::WidthNotAsked("cell 6".to_owned())));
    assert!(!faults.contains(&Fault::WidthNotAsked("cell 5".to_owned())));
    let others = (0..16).map(CellId).filter(|&cell| cell != NEEDY);
    let kept = Problem::new(asked, 0).unwrap().keeping(others);
    let unmet = verify(&kept, &all_withheld(&parts(4, 3, 7)), &proof).unwrap_err();
    let apart = |cell: &str| Fault::Unmet { cell: cell.to_owned(), side: "apart" };
    assert!(unmet.contains(&apart("cell 6")) && !unmet.contains(&apart("cell 5")));
}

#[test]
fn a_cell_that_was_withheld_from_the_start_must_stay_withheld() {
    let mut given = parts(0, 3, 0);
    given.status[15] = Status::Withheld;
    let proof = certificate(vec![(Side::Up, across(10, 3))]);
    assert_eq!(judge(&given, &proof), Ok(()));
    let mut pattern = all_withheld(&given);
    pattern.give_back(CellId(15));
    let faults = verify(&Problem::new(given, 0).unwrap(), &pattern, &proof);
    assert_eq!(faults, Err(vec![Fault::WithheldPublished("cell 15".to_owned())]));
}

#[test]
fn a_relation_that_names_a_cell_twice_or_for_nothing_is_refused() {
    for terms in [vec![(CellId(0), -1), (CellId(1), 1), (CellId(1), 1)], vec![(CellId(0), 0)]] {
        let mut parts = parts(1, 1, 0);
        let relation = parts.relations.len();
        parts.relations.push(terms, 0);
        assert_eq!(Problem::new(parts, 0).unwrap_err(), ProblemError::Terms { relation });
    }
}
