//! Cheap patterns in which no sensitive cell can be recomputed, whatever the amounts.
//!
//! Published cells determine a cell exactly if its coordinates in the space of all solutions are a combination of theirs. So a pattern is
//! a set of published cells, closed under such combinations, that contains no sensitive cell: a *flat* of a matroid. The dearest flat is looked for by
//! publishing what is worth most until nothing more can be, by taking some of it back and beginning again from there, and by annealing.
//! Rooms and levels play no part: where levels are small compared with cells, little has to be added to what comes out; elsewhere it is a start.

mod anneal;
mod classes;
mod tableau;
mod tiers;
mod worth;

use super::level::System;
use crate::method::Context;
use crate::random::Random;
use anneal::anneal;
use cellveil_attack::{Component, Solutions};
use cellveil_core::{Pattern, Problem, Status, Why};
use classes::Classes;
use rayon::prelude::*;
use tableau::Tableau;
use tiers::in_tiers;

/// Tables with more coordinates than this are left to other methods.
const COORDINATES: usize = 30_000_000;

/// How many searches run beside each other, how many rounds in vain end one, and how many groups of searches in vain end all.
const SEARCHES: u64 = 4;
const IN_VAIN: usize = 400;
const GROUPS_IN_VAIN: usize = 8;

/// The least that one search looks at, in coordinates of the table; where there is not enough work for several, there is one.
const LOOKS: u64 = 10;

/// So many flats are kept, and in the first groups no search begins from them.
const KEPT: usize = 8;
const FRESH: u64 = 2;

/// When that ends before the time does, flats are annealed in so many steps for every way to move, and in twice as many each time, until so
/// many groups in vain.
const STEPS: u64 = 2_000;
const ANNEALED_IN_VAIN: u32 = 3;

/// The streams of chance for that begin here.
const ANNEALED: u64 = 1 << 32;

/// How many ways are opened at most.
const OPENED: usize = 80;

/// How far chance changes what cells are worth, as the exponent of a factor.
const NOISE: f64 = 0.8;

/// Where sensitive cells hide.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tiers<'a> {
    /// All in the same way to move.
    One,
    /// Those that can move far in one in which small ones stay, and those in another; beginning from a pattern of the first kind.
    Two(&'a Pattern),
}

/// Patterns for components of the table, with every cell withheld in them that may be, cheapest first; none if one of them is too large. Cells that
/// cannot move `margin` times as far as some sensitive cell must are published, if possible. What can be looked at in all is limited
/// by `work`, in coordinates, and by the time.
pub(super) fn dearest_flats(
    problem: &Problem,
    context: &Context<'_>,
    components: &[Component],
    (margin, tiers): (i64, Tiers<'_>),
    work: u64,
) -> Vec<Pattern> {
    let mut patterns = vec![problem.start(); KEPT];
    let levels = |component: &Component| -> Vec<(u32, i64)> {
        let level = |(at, &cell)| {
            let need = problem.needs().of(cell)?;
            Some((at, need.down.max(need.up).max(need.sliding)))
        };
        (0..).zip(&component.cells).filter_map(level).collect()
    };
    let parts: Vec<(&Component, Vec<(u32, i64)>)> = components
        .iter()
        .map(|component| (component, levels(component)))
        .filter(|(_, levels)| !levels.is_empty())
        .collect();
    let work = work / parts.len().max(1) as u64;
    for (component, levels) in parts {
        let Some(solutions) = Solutions::of(component, COORDINATES) else { return Vec::new() };
        let classes = Classes::new(&System::new(problem, component), solutions, &levels);
        let flats = match tiers {
            Tiers::One => search(&classes, context, classes.asked().saturating_mul(margin), work),
            Tiers::Two(together) => {
                let mut withheld = vec![false; classes.len()];
                for (&cell, class) in component.cells.iter().zip(&classes.of) {
                    if let Some(class) = class {
                        withheld[*class as usize] |= together.is_withheld(cell);
                    }
                }
                in_tiers(&classes, context, &withheld, margin, work)
            }
        };
        patterns.truncate(flats.len());
        for (pattern, (_, withheld)) in patterns.iter_mut().zip(&flats) {
            for (&cell, class) in component.cells.iter().zip(&classes.of) {
                let is_withheld = class.is_some_and(|class| withheld[class as usize]);
                if is_withheld && problem.status(cell) == Status::Free {
                    pattern.withhold(cell, Why::Secondary);
                }
            }
        }
    }
    patterns
}

/// The best of several searches as costs and withheld classes, one group after the other as long as there is work and time. Every other search
/// begins from what two of the best have in common.
fn search(classes: &Classes, context: &Context<'_>, room: i64, work: u64) -> Vec<(f64, Vec<bool>)> {
    let mut nothing = classes.tableau();
    let least = LOOKS * (classes.len() * nothing.dimension()) as u64;
    let searches = if work < SEARCHES * least { 1 } else { SEARCHES };
    let mut tight: Vec<u32> =
        (0..classes.len() as u32).filter(|&class| classes.rooms[class as usize] < room).collect();
    tight.sort_by_key(|&class| classes.rooms[class as usize]);
    nothing.publish_harmless(&tight, classes);
    let mut best = Best::default();
    let (mut done, mut in_vain) = (0, 0);
    for group in 0.. {
        let found: Vec<(f64, Vec<bool>, u64)> = (0..searches)
            .into_par_iter()
            .map(|search| {
                let mut random = Random::new(context.seed, group * SEARCHES + search);
                let mut start = nothing.clone();
                if group >= FRESH && search % 2 == 1 && best.0.len() > 1 {
                    let a = random.below(best.0.len());
                    let b = (a + 1 + random.below(best.0.len() - 1)) % best.0.len();
                    let is_published =
                        |class: &u32| [a, b].iter().all(|&of| !best.0[of].1[*class as usize]);
                    start.publish((0..classes.len() as u32).filter(is_published));
                }
                let (cost, flat) = climb(classes, start, context, random, (work - done) / searches);
                let withheld = (0..classes.len() as u32).map(|class| flat.is_withheld(class));
                (cost, withheld.collect(), flat.work)
            })
            .collect();
        done += found.iter().map(|(.., work)| work).sum::<u64>();
        let is_better = best.keep(found);
        in_vain = if is_better { 0 } else { in_vain + 1 };
        if done >= work || in_vain == GROUPS_IN_VAIN || context.is_over() {
            break;
        }
    }
    let mut in_vain = 0;
    for group in 0.. {
        if done >= work || in_vain == ANNEALED_IN_VAIN || context.is_over() {
            break;
        }
        let steps = (STEPS * nothing.dimension() as u64) << group;
        let found: Option<Vec<(f64, Vec<bool>, u64)>> = (0..SEARCHES)
            .into_par_iter()
            .map(|search| {
                let mut random = Random::new(context.seed, ANNEALED + group * SEARCHES + search);
                let mut flat = nothing.clone();
                let start = flat.change(0, classes, &vec![1.0; classes.len()], &mut random);
                flat.keep(&start);
                anneal(classes, flat, start.cost, context, random, steps)
            })
            .collect();
        let Some(found) = found else { break };
        done += found.iter().map(|(.., work)| work).sum::<u64>();
        in_vain = if best.keep(found) { 0 } else { in_vain + 1 };
    }
    best.0
}

/// The cheapest flats, as costs and withheld classes.
#[derive(Default)]
struct Best(Vec<(f64, Vec<bool>)>);

impl Best {
    /// Keeps those of some that are cheap and new; says whether one is the cheapest of all.
    fn keep(&mut self, found: Vec<(f64, Vec<bool>, u64)>) -> bool {
        let before = self.0.first().map_or(f64::INFINITY, |(least, _)| *least);
        for (cost, flat, _) in found {
            if self.0.iter().all(|(known, _)| cost.total_cmp(known).is_ne()) {
                self.0.push((cost, flat));
            }
        }
        self.0.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.0.truncate(KEPT);
        self.0.first().is_some_and(|(least, _)| *least < before)
    }
}

/// Takes some of what is published back and publishes what is worth most, over and over; keeps what costs less.
fn climb(
    classes: &Classes,
    mut flat: Tableau,
    context: &Context<'_>,
    mut random: Random,
    work: u64,
) -> (f64, Tableau) {
    let mut factors = vec![1.0; classes.len()];
    let start = flat.change(0, classes, &factors, &mut random);
    flat.keep(&start);
    let mut cost = start.cost;
    let mut in_vain = 0;
    while in_vain < IN_VAIN && flat.work < work && !context.is_over() {
        for factor in &mut factors {
            *factor = (NOISE * (random.share() - 0.5)).exp();
        }
        let most = OPENED.min(flat.dimension());
        let change = flat.change(1 + random.below(most), classes, &factors, &mut random);
        if change.cost < cost {
            cost = change.cost;
            in_vain = 0;
            flat.keep(&change);
        } else {
            in_vain += 1;
            flat.undo(change);
        }
    }
    (cost, flat)
}

#[cfg(test)]
mod tests {
    use super::{Tiers, dearest_flats};
    use crate::method::Context;
    use cellveil_attack::{Component, disclosed, reduce};
    use cellveil_core::{CellId, Pattern, Problem, Status, Why};
    use cellveil_highs::Highs;
    use cellveil_testkit::tables::random_problem;

    /// The sensitive cells that a pattern's relations determine, whatever the bounds.
    fn determined(problem: &Problem, pattern: &Pattern) -> Vec<CellId> {
        let withheld: Vec<CellId> = pattern.withheld().map(|(cell, _)| cell).collect();
        let place = |cell: CellId| withheld.binary_search(&cell).ok().map(|at| at as u32);
        let relations = problem.relations();
        let terms = |relation| {
            let row = relations.row(relation);
            row.filter_map(|(cell, c)| Some((place(cell)?, c))).collect::<Vec<_>>()
        };
        let component = Component {
            rows: (0..relations.len()).map(terms).filter(|row| !row.is_empty()).collect(),
            rooms: vec![[1, 1]; withheld.len()],
            cells: withheld,
        };
        let mut known = disclosed(&component).unwrap_or_default();
        known.retain(|&cell| problem.needs().of(cell).is_some());
        known
    }

    #[test]
    fn no_sensitive_cell_is_determined_and_every_further_published_cell_would_determine_one() {
        let context =
            Context { engine: &Highs, progress: &(), seconds_left: &|| None, gap: 0.0, seed: 1 };
        let mut looked_at = 0;
        for seed in 0..12 {
            let problem = random_problem(seed, [&[4, 5][..], &[3, 3, 3]][seed as usize % 2]);
            let mut all = problem.start();
            for cell in problem.cells().filter(|&cell| problem.status(cell) == Status::Free) {
                all.withhold(cell, Why::Secondary);
            }
            let components = reduce(&problem, &all).components;
            let before = determined(&problem, &all);
            for margin in [0, 1] {
                let flats =
                    dearest_flats(&problem, &context, &components, (margin, Tiers::One), 1_000_000);
                let costs: Vec<f64> = flats.iter().map(|flat| problem.cost_of(flat)).collect();
                assert!(costs.is_sorted(), "cheapest first");
                let Some(together) = flats.first() else { continue };
                let tiers = (margin, Tiers::Two(together));
                for flat in dearest_flats(&problem, &context, &components, tiers, 1_000_000) {
                    assert_eq!(determined(&problem, &flat), before, "in tiers, seed {seed}");
                }
                for flat in flats.iter().take(2) {
                    assert_eq!(determined(&problem, flat), before, "seed {seed}");
                    for (cell, why) in flat.withheld().filter(|(_, why)| *why == Why::Secondary) {
                        let mut less = flat.clone();
                        less.give_back(cell);
                        assert_ne!(
                            determined(&problem, &less),
                            before,
                            "seed {seed} {cell:?} {why:?}"
                        );
                        looked_at += 1;
                    }
                }
            }
        }
        assert!(looked_at > 100, "only {looked_at} cells");
    }
}
