//! What the parts of the method rely on, against brute force and linear algebra.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use super::cuts::of_lone_cells;
use super::equal::Equal;
use super::flows::by_flows;
use super::level::{Goal, System};
use super::rounds::Rounds;
use super::search::{Best, Search};
use super::{Optimal, attacked, levels, patches, with_moved};
use crate::everything::everything;
use crate::method::{Context, Protect};
use cellveil_attack::{Component, Intervals, Network, Options, Solutions, attack};
use cellveil_core::{CellId, Pattern, Problem, Status, Why};
use cellveil_highs::Highs;
use cellveil_testkit::tables::random_problem;
use cellveil_testkit::{Grouped, Sketch, Trait, brute};

fn context() -> Context<'static> {
    Context { engine: &Highs, progress: &(), seconds_left: &|| None, gap: 0.0, seed: 1 }
}

fn is_safe(problem: &Problem, pattern: &Pattern) -> bool {
    let options = Options { intervals: Intervals::None };
    attack(problem, pattern, &Highs, options, &[]).unwrap().audit.exposed.is_empty()
}

/// Tables with hierarchies and many zeros, in which totals often have one part that may move.
fn sparse(seed: u64) -> Problem {
    let number = |k: u64| (seed * 7 + k * k * 13 + k * 5) % 23;
    let trait_of = |k: u64| Trait {
        lot: (number(k) * 4) as u8,
        levels: [10, 10, 0],
        cost: 1 + number(k + 3) as u16,
    };
    let value = |k: u64| if number(k) < 11 { 0 } else { 10 * (1 + number(k + 1)) as i64 };
    Sketch {
        axes: vec![vec![2, 2], vec![2, 3], vec![2]],
        linked: 0,
        values: (0..29).map(value).collect(),
        traits: (0..31).map(trait_of).collect(),
        shares: [15, 25],
        bounded: false,
        decimals: 0,
        singletons: false,
    }
    .problem()
}

fn dimension(component: &Component) -> usize {
    Solutions::of(component, usize::MAX).unwrap().dimension
}

#[test]
fn cells_that_are_one_are_equal_in_every_table_and_no_table_is_lost() {
    let mut merged = 0;
    for problem in (0..40).map(sparse) {
        for component in &everything(&problem) {
            let equal = Equal::new(&problem, component);
            let coordinates = Solutions::of(component, usize::MAX).unwrap().rows;
            let at =
                |cell: &CellId| component.cells.iter().position(|other| other == cell).unwrap();
            for cells in &equal.members {
                assert!(cells.iter().all(|c| coordinates[at(c)] == coordinates[at(&cells[0])]));
            }
            let all: usize = equal.members.iter().map(Vec::len).sum();
            assert_eq!(all, component.cells.len());
            assert_eq!(dimension(&equal.component), dimension(component));
            merged += all - equal.members.len();
        }
    }
    assert!(merged > 100, "only {merged} cells");
}

/// A cheapest pattern from which no cell can be given back, of a table with few cells.
fn cheapest(problem: &Problem, most: usize) -> Option<Pattern> {
    let free = || problem.cells().filter(|&cell| problem.status(cell) == Status::Free);
    if free().count() > most {
        return None;
    }
    let (mut pattern, _) = brute::cheapest_pattern(problem, is_safe)?;
    for cell in free() {
        let mut less = pattern.clone();
        less.give_back(cell);
        if is_safe(problem, &less) {
            pattern = less;
        }
    }
    Some(pattern)
}

#[test]
fn no_cheapest_pattern_is_cheaper_than_the_bound_of_patches_and_all_have_their_shapes() {
    let (mut compared, mut paid_for, mut tight) = (0, 0, 0);
    for seed in 0..60 {
        let leaves = [&[2, 2][..], &[3, 2], &[2, 1, 1]][seed as usize % 3];
        let like = Grouped { leaves: 5, groupings: 3, dimensions: 1, empty: 10, sensitive: 15 };
        for problem in [random_problem(seed, leaves), like.problem(seed)] {
            let Some(pattern) = cheapest(&problem, 11) else { continue };
            let mut bound = problem.cost_of(&problem.start());
            for component in &everything(&problem) {
                let equal = Equal::new(&problem, component);
                let system = System::of_equal(&problem, &equal);
                let mut patches = patches(&problem, &system, &context());
                let is_withheld =
                    |cells: &Vec<CellId>| cells.iter().any(|&c| pattern.is_withheld(c));
                let withheld: Vec<bool> = system.members.iter().map(is_withheld).collect();
                assert!(patches.allow(&withheld), "seed {seed}");
                bound += patches.split(&context()).bound + system.forced;
            }
            let cost = problem.cost_of(&pattern);
            assert!(bound <= cost * (1.0 + 1e-9), "seed {seed}: {bound} above {cost}");
            compared += 1;
            paid_for += usize::from(bound > 0.0);
            tight += usize::from(bound > 0.999 * cost);
        }
    }
    assert!(compared > 40 && paid_for > 20 && tight > 10, "{compared}, {paid_for}, {tight}");
}

#[test]
fn no_cheapest_pattern_that_withholds_no_more_than_it_must_misses_a_cut_of_lone_cells() {
    let (mut missed, mut kept) = (0, 0);
    for seed in 0..60 {
        let problem = random_problem(seed, [&[2, 2][..], &[3, 2], &[2, 1, 1]][seed as usize % 3]);
        let Some(pattern) = cheapest(&problem, 11) else { continue };
        for component in &everything(&problem) {
            let system = System::new(&problem, component);
            let share = |cell: &CellId| f64::from(u8::from(pattern.is_withheld(*cell)));
            let point: Vec<f64> = component.cells.iter().map(share).collect();
            assert_eq!(of_lone_cells(&system, &point), [], "seed {seed}");
            kept += 1;
            let alone = system.free.iter().position(|&free| free).unwrap_or(0);
            let point: Vec<f64> =
                (0..system.len()).map(|at| f64::from(u8::from(at == alone))).collect();
            missed += of_lone_cells(&system, &point).len();
        }
    }
    assert!(missed > 20 && kept > 10, "{missed} missed, {kept} kept");
}

#[test]
fn no_pattern_is_cheaper_than_what_flows_pay_and_what_they_move_is_safe() {
    let (mut paid_for, mut safe) = (0, 0);
    for seed in 0..80 {
        let problem = random_problem(seed, [&[2, 2][..], &[2, 3], &[3, 2]][seed as usize % 3]);
        let free = problem.cells().filter(|&cell| problem.status(cell) == Status::Free).count();
        if free > 12 {
            continue;
        }
        let Some((_, cheapest)) = brute::cheapest_pattern(&problem, is_safe) else { continue };
        let exposed = attacked(&problem, &context()).unwrap();
        let (mut bound, mut witnesses) = (problem.cost_of(&problem.start()), Vec::new());
        let mut asks_for_sides = true;
        for component in &everything(&problem) {
            let network = Network::of(component).unwrap();
            let system = System::new(&problem, component);
            let levels = levels(&problem, &system, &exposed);
            asks_for_sides &= levels.iter().all(|level| matches!(level.goal, Goal::Side(_)));
            let (paid, found) = by_flows(&system, &network, &levels, &context());
            paid_for += usize::from(paid > 0.0);
            bound += paid;
            witnesses.extend(found);
        }
        assert!(bound <= cheapest + 1e-9, "seed {seed}: {bound} above {cheapest}");
        if asks_for_sides {
            assert!(is_safe(&problem, &with_moved(&problem, &witnesses)), "seed {seed}");
            safe += 1;
        }
    }
    assert!(paid_for > 20 && safe > 10, "{paid_for} paid for, {safe} safe");
}

#[test]
fn parts_near_everything_withheld_lead_to_a_cheapest_pattern() {
    let (mut compared, mut cheapest) = (0, 0);
    for seed in 0..60 {
        let problem = random_problem(seed, [&[2, 2][..], &[3, 2], &[2, 1, 1]][seed as usize % 3]);
        let free: Vec<CellId> =
            problem.cells().filter(|&cell| problem.status(cell) == Status::Free).collect();
        if free.len() > 11 {
            continue;
        }
        let Some((_, least)) = brute::cheapest_pattern(&problem, is_safe) else { continue };
        let mut pattern = problem.start();
        for &cell in &free {
            pattern.withhold(cell, Why::Secondary);
        }
        let options = Options { intervals: Intervals::None };
        let found = attack(&problem, &pattern, &Highs, options, &[]).unwrap();
        let mut best = Best { pattern, witnesses: found.certificate.witnesses };
        let exposed = attacked(&problem, &context()).unwrap();
        for component in &everything(&problem) {
            let equal = Equal::new(&problem, component);
            let system = System::of_equal(&problem, &equal);
            let levels = levels(&problem, &system, &exposed);
            let context = context();
            let rounds = Rounds::new(&system, levels, None, &context).unwrap();
            let mut search = Search::new(&problem, &context, rounds);
            search.look_nearby(&mut best, None, 3).unwrap();
        }
        assert!(is_safe(&problem, &best.pattern), "seed {seed}");
        let cost = problem.cost_of(&best.pattern);
        assert!(cost >= least - 1e-9, "seed {seed}: {cost} below {least}");
        compared += 1;
        cheapest += usize::from(cost <= least + 1e-9);
    }
    assert!(compared > 20 && 10 * cheapest >= 9 * compared, "{cheapest} of {compared}");
}

#[test]
fn the_number_of_threads_changes_no_pattern_and_no_bound() {
    let mut with_secondaries = 0;
    for (seed, leaves) in [(1, &[6, 7][..]), (2, &[4, 4, 4]), (5, &[8, 9])] {
        let problem = random_problem(seed, leaves);
        let find = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Optimal.protect(&problem, &context()).ok())
        };
        let (Some(one), Some(three)) = (find(1), find(3)) else { continue };
        assert_eq!(one.pattern, three.pattern, "seed {seed}");
        assert_eq!(one.witnesses, three.witnesses, "seed {seed}");
        assert_eq!(one.bound.cost.to_bits(), three.bound.cost.to_bits(), "seed {seed}");
        with_secondaries += usize::from(problem.cost_of(&one.pattern) > 0.0);
    }
    assert!(with_secondaries > 1, "only {with_secondaries}");
}
