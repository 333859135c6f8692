//! Simulated annealing among flats that leave one way to move.
//!
//! Such a flat is a vertex: the only table, but for a factor, in which all published cells stay. Opening one closed way beside it gives the vertices of a
//! line, one for every ratio at which some withheld cells come to rest. The dearest of these groups that is not sensitive is published, and what the
//! way moves is withheld. As many cells are published beyond those that determine the vertex, it stands on many lines: now and then
//! one of them takes the place of another.

use super::classes::Classes;
use super::tableau::Tableau;
use super::worth::ratios;
use crate::method::Context;
use crate::random::Random;

/// The share of the cost that a step may add, at first and in the end.
const HOT: f64 = 0.04;
const COLD: f64 = 0.006;

/// One step in so many exchanges cells instead of moving on.
const EXCHANGES: usize = 6;

/// A way that moves cells of more than this share of the cost is no use.
const HOPELESS: f64 = 0.35;

/// Steps between looks at the time.
const UNTIMED: u64 = 256;

/// The cheapest flat that a number of steps lead to, as its cost and withheld classes, with the work that took; `None` if more than one way is open at the start.
pub(super) fn anneal(
    classes: &Classes,
    flat: Tableau,
    cost: f64,
    context: &Context<'_>,
    mut random: Random,
    steps: u64,
) -> Option<(f64, Vec<bool>, u64)> {
    let open = flat.only_open()?;
    let mut vertex = Vertex { flat, open, cost, looked: 0 };
    let mut best = (cost, vertex.withheld());
    for step in 0..steps {
        if step % UNTIMED == 0 && context.is_over() {
            break;
        }
        let heat = cost * HOT * (COLD / HOT).powf(step as f64 / steps as f64);
        vertex.step(classes, heat, &mut random);
        if vertex.cost < best.0 {
            best = (vertex.cost, vertex.withheld());
        }
    }
    Some((best.0, best.1, vertex.flat.work + vertex.looked))
}

/// A flat with one open way.
struct Vertex {
    flat: Tableau,
    open: u32,
    cost: f64,
    /// Coordinates that were looked at without a change.
    looked: u64,
}

impl Vertex {
    fn withheld(&self) -> Vec<bool> {
        self.flat.column(self.open).iter().map(|&step| step != 0).collect()
    }

    fn step(&mut self, classes: &Classes, heat: f64, random: &mut Random) {
        let Some(way) = self.flat.any_closed(random) else { return };
        if random.below(EXCHANGES) == 0 {
            return self.exchange(way, random);
        }
        let allowed = -heat * random.share().max(f64::MIN_POSITIVE).ln();
        let (moves, along) = (self.flat.column(self.open), self.flat.column(way));
        let newly = moves.iter().zip(along).zip(&classes.costs);
        let added: f64 = newly
            .filter(|((moves, along), _)| **moves == 0 && **along != 0)
            .map(|(_, cost)| cost)
            .sum();
        self.looked += moves.len() as u64;
        if added > allowed + HOPELESS * self.cost {
            return;
        }
        let Some((worth, class)) = dearest_at_rest(classes, moves, along) else { return };
        self.looked += 8 * moves.len() as u64;
        if added - worth <= allowed {
            self.flat.replace(self.open, way, class);
            self.open = way;
            self.cost += added - worth;
        }
    }

    /// Lets another published class determine the vertex instead of the one of a closed way.
    fn exchange(&mut self, way: u32, random: &mut Random) {
        let (moves, along) = (self.flat.column(self.open), self.flat.column(way));
        let start = random.below(along.len());
        let all = (start..along.len()).chain(0..start);
        let mut others = all.filter(|&class| moves[class] == 0 && along[class] != 0);
        if let Some(class) = others.next() {
            self.flat.replace(way, self.open, class as u32);
        }
    }
}

/// What the dearest group of classes is worth that comes to rest at one point of a line, without a sensitive one, and a class of it.
fn dearest_at_rest(classes: &Classes, moves: &[u32], along: &[u32]) -> Option<(f64, u32)> {
    let moving: Vec<u32> =
        (0..moves.len() as u32).filter(|&class| moves[class as usize] != 0).collect();
    let pairs = moving.iter().map(|&class| [along, moves].map(|of| u64::from(of[class as usize])));
    let mut ratios: Vec<(u64, u32)> = ratios(pairs).into_iter().zip(moving.clone()).collect();
    ratios.sort_unstable();
    let mut dearest: Option<(f64, u32)> = None;
    for group in ratios.chunk_by(|a, b| a.0 == b.0) {
        let is_sensitive = group.iter().any(|&(_, class)| classes.sensitive[class as usize]);
        let worth: f64 = group.iter().map(|&(_, class)| classes.costs[class as usize]).sum();
        if !is_sensitive && dearest.is_none_or(|(most, _)| worth > most) {
            dearest = Some((worth, group[0].1));
        }
    }
    dearest
}

#[cfg(test)]
mod tests {
    use super::super::super::level::System;
    use super::super::classes::Classes;
    use super::anneal;
    use crate::everything::everything;
    use crate::method::Context;
    use crate::random::Random;
    use cellveil_attack::Solutions;
    use cellveil_highs::Highs;
    use cellveil_testkit::tables::random_problem;

    #[test]
    fn every_sensitive_cell_stays_withheld_and_the_cost_is_what_is_withheld() {
        let context =
            Context { engine: &Highs, progress: &(), seconds_left: &|| None, gap: 0.0, seed: 1 };
        let (mut annealed, mut cheaper) = (0, 0);
        for seed in 0..12 {
            let problem = random_problem(seed, &[3, 4, 3]);
            for component in &everything(&problem) {
                let is_sensitive =
                    |at: &u32| problem.needs().of(component.cells[*at as usize]).is_some();
                let sensitive: Vec<(u32, i64)> = (0..component.cells.len() as u32)
                    .filter(is_sensitive)
                    .map(|at| (at, 1))
                    .collect();
                let Some(solutions) = Solutions::of(component, 1_000_000) else { continue };
                let system = System::new(&problem, component);
                let classes = Classes::new(&system, solutions, &sensitive);
                let mut random = Random::new(seed, 1);
                let mut flat = classes.tableau();
                let start = flat.change(0, &classes, &vec![1.0; classes.len()], &mut random);
                flat.keep(&start);
                let found = anneal(&classes, flat, start.cost, &context, random, 3_000);
                let Some((cost, withheld, _)) = found else { continue };
                let paid = classes.costs.iter().zip(&withheld).filter(|(_, withheld)| **withheld);
                let paid: f64 = paid.map(|(cost, _)| cost).sum();
                assert!((cost - paid).abs() < 1e-6 * paid.max(1.0), "seed {seed}: {cost} {paid}");
                let missing = classes.sensitive.iter().zip(&withheld);
                assert_eq!(missing.filter(|(s, w)| **s && !**w).count(), 0, "seed {seed}");
                assert!(cost <= start.cost);
                annealed += 1;
                cheaper += usize::from(cost < start.cost);
            }
        }
        assert!(annealed > 3 && cheaper > 0, "{cheaper} of {annealed}");
    }
}
