//! Networks: which components are, and what flows say about them.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "laws/simplex.rs"]
mod simplex;

use cellveil_attack::{Component, Flow, Network, Options, Reached, Reduced, attack, reduce};
use cellveil_core::{
    CellId, CellNames, NO_LOWER, NO_UPPER, Needs, Pattern, Problem, ProblemParts, Relations, Side,
    Status, Why, Witness, verify,
};
use cellveil_highs::Highs;
use cellveil_testkit::relabel::relabel;
use cellveil_testkit::tables::{Tables, Values};
use cellveil_testkit::{Sketch, brute};
use proptest::collection::vec;
use proptest::prelude::*;
use simplex::{Exact, Fraction};

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    }
}

/// Tables of two dimensions, the first of them with a hierarchy or not.
fn flat(tables: Tables) -> impl Strategy<Value = Problem> {
    let tables = Tables { dimensions: 2, linked: false, ..tables };
    tables.sketches().prop_map(|mut sketch| {
        for axis in sketch.axes.iter_mut().skip(1) {
            axis.truncate(1);
        }
        sketch.problem()
    })
}

fn wide() -> Tables {
    Tables { leaves: 3, values: Values::Wide, ..Tables::default() }
}

fn pattern(problem: &Problem, picks: &[bool]) -> Pattern {
    let mut pattern = problem.start();
    for (cell, _) in problem.cells().zip(picks.iter().cycle()).filter(|(_, pick)| **pick) {
        if problem.status(cell) == Status::Free {
            pattern.withhold(cell, Why::Secondary);
        }
    }
    pattern
}

fn picks() -> impl Strategy<Value = Vec<bool>> {
    (0.2..1.0_f64).prop_flat_map(|share| vec(prop::bool::weighted(share), 1..80))
}

fn everything(problem: &Problem) -> Pattern {
    let mut pattern = Pattern::open(problem.len());
    for cell in problem.cells() {
        pattern.withhold(cell, Why::Secondary);
    }
    pattern
}

/// The components of a pattern, all of them networks.
fn networks(problem: &Problem, pattern: &Pattern) -> Vec<(Component, Network)> {
    let Reduced { components, .. } = reduce(problem, pattern);
    let network = |component: Component| {
        let network = Network::of(&component).unwrap();
        (component, network)
    };
    components.into_iter().map(network).collect()
}

/// The end of an interval by flows.
fn end(problem: &Problem, flow: &mut Flow<'_>, cell: CellId, side: Side) -> Option<i64> {
    let moved = flow.extreme(cell, side)?;
    Some(problem.value(cell) + side.sign() * moved)
}

/// Whether a witness keeps every relation and bound, moves the goal as far as was asked and the held cells not at all.
fn holds(
    problem: &Problem,
    witness: &Witness,
    (goal, step): (CellId, i64),
    held: &[CellId],
) -> bool {
    let sums = (0..problem.relations().len()).all(|relation| {
        let terms = problem.relations().row(relation);
        terms.map(|(cell, c)| i128::from(c) * i128::from(witness.move_of(cell))).sum::<i128>() == 0
    });
    let bounds = witness.moves.iter().all(|&(cell, step)| {
        let side = if step < 0 { Side::Down } else { Side::Up };
        step != 0 && problem.room(cell, side).is_none_or(|room| step.abs() <= room)
    });
    let ordered = witness.moves.is_sorted_by(|a, b| a.0 < b.0);
    sums && bounds
        && ordered
        && witness.denominator == 1
        && witness.move_of(goal) == step
        && held.iter().all(|&cell| witness.move_of(cell) == 0)
}

/// The same table with other bounds: none at all, or as far from the value as `far` says, taken in turn.
fn bounded(problem: &Problem, far: &[(Option<i64>, Option<i64>)]) -> Problem {
    let of = |cell: CellId| far[cell.index() % far.len()];
    let lower = |cell: CellId| of(cell).0.map_or(NO_LOWER, |room| problem.value(cell) - room);
    let upper = |cell: CellId| of(cell).1.map_or(NO_UPPER, |room| problem.value(cell) + room);
    let mut relations = Relations::default();
    for relation in 0..problem.relations().len() {
        relations.push(problem.relations().row(relation), problem.relations().constant(relation));
    }
    let parts = ProblemParts {
        decimals: problem.decimals(),
        values: problem.cells().map(|cell| problem.value(cell)).collect(),
        costs: vec![1.0; problem.len()],
        lower: problem.cells().map(lower).collect(),
        upper: problem.cells().map(upper).collect(),
        status: vec![Status::Free; problem.len()],
        needs: Needs::new(Vec::new()),
        relations,
        names: CellNames::Ids(problem.cells().map(|cell| u64::from(cell.0)).collect()),
        singletons: Vec::new(),
        width: 0,
    };
    Problem::new(parts, 0).unwrap()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn flows_find_what_trying_every_table_finds(
        problem in flat(Tables::tiny()),
        far in vec((0..=4_i64, 0..=4_i64), 1..12),
        picks in picks(),
    ) {
        let far: Vec<_> = far.into_iter().map(|(down, up)| (Some(down), Some(up))).collect();
        let problem = bounded(&problem, &far);
        let pattern = pattern(&problem, &picks);
        let tried = brute::ranges(&problem, &pattern, &[]);
        prop_assume!(tried.is_some());
        let tried = tried.unwrap();
        for (component, network) in networks(&problem, &pattern) {
            let mut flow = Flow::new(&problem, &component, &network);
            for &cell in &component.cells {
                let range = tried.iter().find(|range| range.cell == cell).unwrap();
                prop_assert_eq!(end(&problem, &mut flow, cell, Side::Down), Some(range.lower));
                prop_assert_eq!(end(&problem, &mut flow, cell, Side::Up), Some(range.upper));
            }
        }
    }

    #[test]
    fn flows_find_what_an_exact_simplex_finds(
        problem in prop_oneof![
            flat(wide()),
            flat(Tables { hierarchies: false, ..wide() }),
            flat(Tables { values: Values::Small, ..wide() }),
        ],
        picks in picks(),
        seed in any::<u64>(),
    ) {
        let other = relabel(&problem, seed);
        let (problem, pattern) = (&other.problem, other.there(&pattern(&problem, &picks)));
        prop_assume!(pattern.withheld().count() <= 60);
        let exact = Exact::new(problem, &pattern, &[]);
        for (component, network) in networks(problem, &pattern) {
            let mut flow = Flow::new(problem, &component, &network);
            for &cell in &component.cells {
                for side in Side::BOTH {
                    let found = end(problem, &mut flow, cell, side).map(|end| end as f64);
                    prop_assert_eq!(found, exact.end(cell, side).map(Fraction::to_f64));
                }
            }
        }
    }

    #[test]
    fn every_witness_holds_and_goes_exactly_as_far_as_asked(
        problem in flat(wide()),
        far in vec((prop::option::of(0..=50_i64), prop::option::of(0..=50_i64)), 1..12),
        picks in picks(),
        held in vec(prop::bool::weighted(0.1), 1..60),
        target in 1..=60_i64,
    ) {
        let problem = bounded(&problem, &far);
        let pattern = pattern(&problem, &picks);
        let held: Vec<CellId> =
            problem.cells().zip(held.iter().cycle()).filter(|(_, held)| **held).map(|(cell, _)| cell).collect();
        // What is held cannot move: the same as a table in which it is published.
        let mut known = pattern.clone();
        for &cell in &held {
            known.give_back(cell);
        }
        let apart = networks(&problem, &known);
        for (component, network) in networks(&problem, &pattern) {
            let mut flow = Flow::new(&problem, &component, &network);
            for &cell in &component.cells {
                let alone = apart.iter().find(|(component, _)| component.cells.contains(&cell));
                for side in Side::BOTH {
                    let furthest = alone.map_or(Some(0), |(component, network)| {
                        Flow::new(&problem, component, network).extreme(cell, side)
                    });
                    let possible = furthest.unwrap_or(target).min(target);
                    let goal = (cell, possible * side.sign());
                    match flow.reach(cell, side, target, &held) {
                        Reached::Target(witness) => {
                            prop_assert_eq!(possible, target);
                            prop_assert!(holds(&problem, &witness, goal, &held));
                        }
                        Reached::Short { distance, witness } => {
                            prop_assert!(possible < target);
                            prop_assert_eq!(distance as i64, possible);
                            prop_assert_eq!(witness.is_some(), possible > 0);
                            prop_assert!(witness.is_none_or(|w| holds(&problem, &w, goal, &held)));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn shortcuts_between_cells_change_no_interval(
        problem in flat(wide()),
        far in vec((prop::option::of(0..=9_i64), prop::option::of(0..=9_i64)), 1..12),
        picks in picks(),
    ) {
        let problem = bounded(&problem, &far);
        let pattern = pattern(&problem, &picks);
        let audit = attack(&problem, &pattern, &Highs, Options::default(), &[]).unwrap().audit;
        for (component, network) in networks(&problem, &pattern) {
            for &cell in &component.cells {
                // A new start for every cell: nothing is known from others.
                let ends = Side::BOTH.map(|side| {
                    let mut flow = Flow::new(&problem, &component, &network);
                    end(&problem, &mut flow, cell, side).map(|end| end as f64)
                });
                let interval = audit.interval(cell).unwrap();
                prop_assert_eq!([interval.lower, interval.upper], ends);
            }
        }
    }

    #[test]
    fn what_flows_call_safe_is_verified_also_against_insiders(
        problem in flat(Tables { singletons: true, shares: [35, 5], ..wide() }),
        picks in picks(),
    ) {
        let pattern = pattern(&problem, &picks);
        let found = attack(&problem, &pattern, &Highs, Options::default(), &[]).unwrap();
        let verified = verify(&problem, &pattern, &found.certificate);
        prop_assert_eq!(found.audit.exposed.is_empty(), verified.is_ok());
        prop_assert!(found.certificate.witnesses.iter().all(|witness| witness.denominator == 1));
    }

    #[test]
    fn without_bounds_a_cell_is_either_determined_or_unlimited(problem in flat(wide()), picks in picks()) {
        let problem = bounded(&problem, &[(None, None)]);
        let pattern = pattern(&problem, &picks);
        for (component, network) in networks(&problem, &pattern) {
            let mut flow = Flow::new(&problem, &component, &network);
            for &cell in &component.cells {
                let ends = Side::BOTH.map(|side| flow.extreme(cell, side));
                prop_assert!(ends == [None; 2] || ends == [Some(0); 2]);
                // One unit is free to move exactly where the cell is not determined.
                let near = bounded(&problem, &[(Some(1), Some(1))]);
                let ends = Side::BOTH.map(|side| Flow::new(&near, &component, &network).extreme(cell, side));
                prop_assert_eq!(ends == [Some(0); 2], flow.extreme(cell, Side::Up) == Some(0));
            }
        }
    }
}

/// A table with every inner value 7 and nothing sensitive.
fn table(axes: &[&[usize]], linked: usize) -> Problem {
    let sketch = Sketch {
        axes: axes.iter().map(|axis| axis.to_vec()).collect(),
        linked,
        values: vec![7, 11, 40],
        traits: vec![cellveil_testkit::Trait { lot: 99, levels: [0, 1, 0], cost: 1 }],
        shares: [0, 0],
        bounded: false,
        decimals: 0,
        singletons: false,
    };
    sketch.problem()
}

/// Whether all cells together, shuffled, make one network.
fn is_network(problem: &Problem, seed: u64) -> bool {
    let other = relabel(problem, seed).problem;
    reduce(&other, &everything(&other)).components.iter().all(|c| Network::of(c).is_some())
}

#[test]
fn tables_of_two_dimensions_are_networks_with_one_hierarchy_and_with_a_shared_margin() {
    for seed in 0..5 {
        assert!(is_network(&table(&[&[4], &[5]], 0), seed));
        assert!(is_network(&table(&[&[3, 2, 4], &[5]], 0), seed));
        assert!(is_network(&table(&[&[6]], 3), seed));
        assert!(is_network(&table(&[&[3], &[4]], 3), seed));
    }
}

#[test]
fn three_dimensions_or_two_hierarchies_are_no_network() {
    for seed in 0..5 {
        assert!(!is_network(&table(&[&[3], &[3], &[3]], 0), seed));
        assert!(!is_network(&table(&[&[2, 2], &[2, 3]], 0), seed));
    }
}

#[test]
fn a_cell_in_no_relation_moves_as_far_as_its_bounds() {
    let rooms = vec![[i64::MAX; 2]];
    let alone = Component { cells: vec![CellId(0)], rows: Vec::new(), rooms };
    let network = Network::of(&alone).unwrap();
    let table = table(&[&[2]], 0);
    let near = bounded(&table, &[(Some(3), None)]);
    let mut flow = Flow::new(&near, &alone, &network);
    assert_eq!(Side::BOTH.map(|side| flow.extreme(CellId(0), side)), [Some(3), None]);
    let moves = vec![(CellId(0), 8)];
    let witness = Witness { denominator: 1, moves };
    assert_eq!(flow.reach(CellId(0), Side::Up, 8, &[]), Reached::Target(witness));
}

#[test]
fn the_number_of_threads_changes_no_interval_and_no_witness() {
    let problem = cellveil_testkit::tables::random_problem(5, &[40, 50]);
    let pattern = pattern(&problem, &[true, false, true, true, false]);
    let find = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| attack(&problem, &pattern, &Highs, Options::default(), &[]).unwrap())
    };
    let (alone, together) = (find(1), find(4));
    assert!(alone.audit.intervals.len() > 1000);
    assert_eq!(alone.audit, together.audit);
    assert_eq!(alone.certificate, together.certificate);
}
