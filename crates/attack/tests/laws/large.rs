//! Tables large enough for cubes and flows between layers.

use cellveil_attack::{Attack, Intervals, Options, attack, quick_certificate};
use cellveil_core::{CellId, Pattern, Problem, Status, Why, verify};
use cellveil_generate::Ons;
use cellveil_highs::Highs;
use cellveil_testkit::relabel::relabel;
use std::collections::BTreeSet;
use std::sync::Arc;

fn ons(shape: &str, seed: u64) -> Problem {
    let shape = shape.parse().unwrap();
    Ons { shape, lambda: 2.4, zeros: 0.3, seed, ..Ons::default() }.problem().unwrap()
}

fn find(problem: &Problem, pattern: &Pattern) -> Attack {
    attack(problem, pattern, &Highs, Options { intervals: Intervals::None }, &[]).unwrap()
}

/// The needs that are not exposed are exactly those of which the judge has nothing to say.
fn exposed(problem: &Problem, pattern: &Pattern, found: &Attack) -> BTreeSet<CellId> {
    let exposed: BTreeSet<CellId> = found.audit.exposed_cells().into_iter().collect();
    let faults = verify(problem, pattern, &found.certificate).err().unwrap_or_default();
    for fault in &faults {
        let named = fault.to_string();
        let is_known = exposed
            .iter()
            .any(|&cell| named.contains(&format!("`{}`", problem.names().describe(cell))));
        assert!(is_known, "{named}");
    }
    assert!(faults.len() >= exposed.len());
    exposed
}

#[test]
fn names_order_and_threads_change_no_verdict_in_any_number_of_dimensions() {
    let mut safe = 0;
    for (shape, seed) in
        [("9x8x7", 1), ("16x14x12", 2), ("5x5x4x4", 3), ("13h2x8x6", 4), ("4x4x3x3x3", 5)]
    {
        let problem = ons(shape, seed);
        let pattern = problem.start();
        let found = find(&problem, &pattern);
        let here = exposed(&problem, &pattern, &found);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = pool.install(|| find(&problem, &pattern));
        assert_eq!(found.certificate, alone.certificate, "{shape}");
        let other = relabel(&problem, seed);
        let there = find(&other.problem, &other.there(&pattern));
        let there = exposed(&other.problem, &other.there(&pattern), &there);
        let moved: BTreeSet<CellId> = here.iter().map(|cell| other.moved[cell.index()]).collect();
        assert_eq!(moved, there, "{shape}");
        safe += problem.needs().len() - here.len();
    }
    assert!(safe > 100, "cubes and layers showed much to be safe: {safe}");
}

#[test]
fn no_need_of_a_large_table_stays_undecided_and_threads_change_nothing() {
    let shape = "40x35x30".parse().unwrap();
    let table = Ons { shape, lambda: 3.0, zeros: 0.3, seed: 6, ..Ons::default() };
    let problem = table.problem().unwrap();
    let pattern = problem.start();
    let found = find(&problem, &pattern);
    let exposed = exposed(&problem, &pattern, &found);
    let needs = problem.needs().len();
    assert_eq!(found.audit.undecided, []);
    assert!(exposed.len() * 10 < needs, "{}", exposed.len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(found.certificate, pool.install(|| find(&problem, &pattern)).certificate);
}

#[test]
fn what_a_table_of_many_dimensions_shows_needs_no_program() {
    for (shape, seed) in [("5x4x4x4", 1), ("9h2x5x4x3", 2), ("4x4x3x3x3", 3)] {
        let problem = ons(shape, seed);
        let mut all = problem.start();
        for cell in problem.cells().filter(|&cell| problem.status(cell) == Status::Free) {
            all.withhold(cell, Why::Secondary);
        }
        let incidence = Arc::new(problem.relations().incidence(problem.len()));
        let shown = quick_certificate(&problem, &all, incidence, None, &[]).unwrap();
        assert_eq!(verify(&problem, &all, &shown).err(), None, "{shape}");
    }
}
