//! Witnesses are exact, whatever they are made from.

use crate::support::{attacked, cases, find, sized};
use cellveil_attack::{Ledger, Products, Quick, exact_witness, reduce};
use cellveil_core::{
    CellId, CellNames, Need, Needs, Problem, ProblemParts, Reason, Relations, Side, Status, Witness,
};
use cellveil_testkit::tables::{Tables, Values};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

/// Whether a witness keeps every relation and bound and moves `goal` by `target` units; in whole numbers.
fn holds(problem: &Problem, witness: &Witness, goal: CellId, target: i64) -> bool {
    let denominator = i128::from(witness.denominator);
    let moved = |cell: CellId| i128::from(witness.move_of(cell));
    let at = |cell: CellId| i128::from(problem.value(cell)) * denominator + moved(cell);
    let sums = (0..problem.relations().len()).all(|relation| {
        let terms = problem.relations().row(relation);
        terms.map(|(cell, c)| i128::from(c) * moved(cell)).sum::<i128>() == 0
    });
    let bounds = problem.cells().all(|cell| {
        problem.lower(cell).is_none_or(|bound| at(cell) >= i128::from(bound) * denominator)
            && problem.upper(cell).is_none_or(|bound| at(cell) <= i128::from(bound) * denominator)
    });
    sums && bounds && moved(goal) == i128::from(target) * denominator
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_witness_made_of_any_moves_holds_exactly(
        problem in prop_oneof![
            sized(Tables { values: Values::Small, ..Tables::default() }),
            sized(Tables { dimensions: 4, leaves: 2, values: Values::Wide, bounded: true, ..Tables::default() }),
        ],
        moves in vec(prop_oneof![Just(0.0), -3.0..3.0_f64, -1e6..1e6_f64, (-9..=9_i32).prop_map(f64::from)], 1..60),
        goal in any::<prop::sample::Index>(),
        target in -9..=9_i64,
    ) {
        let goal = CellId::at(goal.index(problem.len()));
        let incidence = problem.relations().incidence(problem.len());
        let moves = problem.cells().zip(moves.into_iter().cycle());
        if let Some(witness) = exact_witness(&problem, &incidence, moves, goal, target) {
            prop_assert!(holds(&problem, &witness, goal, target), "{:?}", witness);
        }
    }
}

/// Whether a witness keeps every relation and bound.
fn is_table(problem: &Problem, witness: &Witness) -> bool {
    let (cell, step) = witness.moves[0];
    let denominator = i64::from(witness.denominator);
    step % denominator == 0 && holds(problem, witness, cell, step / denominator)
}

/// What a need is shown by all of some witnesses at once: for everybody, and against each insider but its own.
fn is_met_by(problem: &Problem, need: usize, witnesses: &[Witness]) -> bool {
    let need = &problem.needs()[need];
    let insiders = problem.insiders();
    let own = insiders.of(need.cell);
    let others = (0..insiders.len() as u32).filter(|&insider| Some(insider) != own);
    std::iter::once(&[][..]).chain(others.map(|insider| insiders.cells(insider))).all(|known| {
        let usable = witnesses.iter().filter(|w| known.iter().all(|&cell| w.move_of(cell) == 0));
        let shown = Side::BOTH.map(|side| {
            let far = |w: &Witness| w.move_of(need.cell) * side.sign() / i64::from(w.denominator);
            usable.clone().map(far).max().unwrap_or(0).max(0)
        });
        shown[0] >= need.down && shown[1] >= need.up && shown[0] + shown[1] >= need.sliding
    })
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn a_ledger_calls_a_need_proven_as_soon_as_its_witnesses_prove_it(
        (problem, pattern) in attacked(
            Tables { values: Values::Small, singletons: true, shares: [30, 0], ..Tables::default() },
        ),
    ) {
        let mut ledger = Ledger::new(&problem);
        for witness in find(&problem, &pattern).certificate.witnesses {
            ledger.add(witness);
            for need in 0..problem.needs().len() {
                let is_proven = is_met_by(&problem, need, ledger.witnesses());
                prop_assert_eq!(ledger.is_proven(need), is_proven);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn what_is_found_without_a_solver_holds_exactly_and_leaves_cells_alone(
        (problem, pattern) in attacked(Tables { values: Values::Small, ..Tables::default() }),
        target in 1..=9_i64,
        known in any::<prop::sample::Index>(),
    ) {
        for component in &reduce(&problem, &pattern).components {
            let quick = Quick::new(&problem, component);
            let known = component.cells[known.index(component.cells.len())];
            for &cell in component.cells.iter().filter(|&&cell| cell != known) {
                for side in Side::BOTH {
                    let Some(witness) = quick.reach(cell, side, target, &[known]) else { continue };
                    prop_assert!(is_table(&problem, &witness));
                    prop_assert!(witness.reaches(cell, side, target));
                    prop_assert!(witness.moves.iter().all(|&(moved, _)| pattern.is_withheld(moved)));
                    prop_assert_eq!(witness.move_of(known), 0);
                }
            }
        }
    }
}

/// Cells at 10 with bounds 0 and 20, the first of them sensitive, and relations that sum to nothing.
fn system(cells: usize, rows: &[&[(u32, i32)]]) -> Problem {
    let mut relations = Relations::default();
    for row in rows {
        let constant = row.iter().map(|&(_, c)| 10 * i64::from(c)).sum();
        relations.push(row.iter().map(|&(cell, c)| (CellId(cell), c)), constant);
    }
    let mut status = vec![Status::Free; cells];
    status[0] = Status::Sensitive;
    let need = Need { cell: CellId(0), down: 1, up: 1, sliding: 0, reason: Reason::Given };
    let parts = ProblemParts {
        decimals: 0,
        values: vec![10; cells],
        costs: vec![1.0; cells],
        lower: vec![0; cells],
        upper: vec![20; cells],
        status,
        needs: Needs::new(vec![need]),
        relations,
        names: CellNames::Ids((0..cells as u64).collect()),
        singletons: Vec::new(),
        width: 0,
    };
    Problem::new(parts, 0).unwrap()
}

#[test]
fn a_table_that_splits_a_unit_in_halves_is_written_as_halves() {
    // y₀ = y₁ + y₂ and y₁ = y₂: one unit of y₀ is half a unit of each.
    let problem = system(3, &[&[(0, -1), (1, 1), (2, 1)], &[(1, 1), (2, -1)]]);
    let incidence = problem.relations().incidence(3);
    let moves = [(CellId(0), 1.0), (CellId(1), 0.5), (CellId(2), 0.5)];
    let witness = exact_witness(&problem, &incidence, moves, CellId(0), 1).unwrap();
    assert_eq!(witness.denominator, 2);
    assert_eq!(witness.moves, [(CellId(0), 2), (CellId(1), 1), (CellId(2), 1)]);
    assert!(holds(&problem, &witness, CellId(0), 1));
}

#[test]
fn thirds_of_thirds_need_no_grid() {
    // y₀ = 3 y₁ and y₁ = 3 y₂, found by a solver that is a little off.
    let problem = system(3, &[&[(0, -1), (1, 3)], &[(1, -1), (2, 3)]]);
    let incidence = problem.relations().incidence(3);
    let moves = [(CellId(1), 0.333_333_331), (CellId(2), 0.111_111_113)];
    let witness = exact_witness(&problem, &incidence, moves, CellId(0), 1).unwrap();
    assert_eq!((witness.denominator, witness.move_of(CellId(2))), (9, 1));
    assert!(holds(&problem, &witness, CellId(0), 1));
}

proptest! {
    #![proptest_config(cases(96))]

    /// Products and pursued cells are exact, move nothing that has no price, and go as far as they were asked to.
    #[test]
    fn what_is_found_without_a_solver_holds_exactly(
        problem in prop_oneof![
            sized(Tables::default()),
            sized(Tables { dimensions: 4, leaves: 3, values: Values::Wide, ..Tables::default() }),
            sized(Tables { values: Values::Small, bounded: true, ..Tables::default() }),
        ],
    ) {
        let incidence = Arc::new(problem.relations().incidence(problem.len()));
        let Some(products) = Products::new(&problem, Arc::clone(&incidence)) else { return Ok(()) };
        let price = |cell: CellId| (problem.status(cell) != Status::Frozen).then(|| problem.cost(cell));
        for need in problem.needs() {
            for side in Side::BOTH {
                let target = need.on(side).max(1);
                let reached = products.reach(need.cell, side, target, &price);
                let pursued = products.pursue(need.cell, side, target, &price);
                for witness in [reached, pursued].into_iter().flatten() {
                    prop_assert!(is_table(&problem, &witness));
                    prop_assert!(witness.reaches(need.cell, side, target));
                    prop_assert!(witness.moves.iter().all(|&(cell, _)| price(cell).is_some()));
                }
            }
        }
    }
}
