//! Cells that can only move together, because the relations leave no other way: they become one.
//!
//! A total with a single part moves as its part does. Two relations that differ in one cell each make a pair of these two, and pairs lead to further
//! pairs, until there are no more. (Measured on a hierarchical table of 2020 cells: 112 sensitive cells become 27.)
//! Relations are compared by random hashes. Two cells that are no pair look like one with a chance below 10⁻⁹; a search would then miss
//! tables, but what it finds is always one.

use crate::cta::{Best, other};
use crate::program::Point;
use crate::task::{Senses, Sensitive, Task};
use cellveil_core::{CellId, Relations, Side};
use std::collections::BTreeSet;

/// The most cells for which this is tried.
const LARGE: usize = 100_000;

/// Which cells move together.
pub(crate) struct Together {
    /// Per cell its class, and whether it moves against the class.
    class: Vec<(u32, bool)>,
    /// How many classes there are.
    count: usize,
    /// Per cell whether it cannot move at all.
    still: Vec<bool>,
}

impl Together {
    /// The classes of a task; `None` where there is nothing to gain, or it would take too long.
    pub(crate) fn of(task: &Task<'_>) -> Option<Self> {
        let cells = task.weights.len();
        if cells > LARGE || !task.is_additive() {
            return None;
        }
        let united = United::new(task);
        let first: Vec<(u32, bool)> = (0..cells as u32).map(|cell| united.first(cell)).collect();
        // Cells with several senses stay as they are.
        let mut sensitive = vec![(0, false); cells];
        for s in &task.sensitive {
            let class = &mut sensitive[first[s.cell.index()].0 as usize];
            *class = (class.0 + 1, class.1 || s.is_aside());
        }
        let mut numbers = vec![u32::MAX; cells];
        let (mut class, mut count) = (Vec::with_capacity(cells), 0);
        for (cell, &(first, against)) in first.iter().enumerate() {
            let apart = matches!(sensitive[first as usize], (2.., true));
            let (of, against) = if apart { (cell, false) } else { (first as usize, against) };
            if numbers[of] == u32::MAX {
                numbers[of] = count;
                count += 1;
            }
            class.push((numbers[of], against));
        }
        let still: Vec<bool> =
            first.iter().map(|&(first, _)| united.still[first as usize]).collect();
        let count = count as usize;
        (count < cells || still.contains(&true)).then_some(Self { class, count, still })
    }

    /// The task of the classes. It may be stuck where no single cell is.
    pub(crate) fn task<'a>(&self, task: &'a Task<'a>) -> Task<'a> {
        let (lower, upper) = self.ranges(task);
        let mut weights = vec![0.0; self.count];
        for (&(class, _), weight) in self.class.iter().zip(&task.weights) {
            weights[class as usize] += weight;
        }
        let sensitive = self.sensitive(task, &lower, &upper);
        let relations = self.relations(&task.relations);
        let missing = vec![0.0; relations.len()];
        Task {
            problem: task.problem,
            relations,
            lower,
            upper,
            weights,
            sensitive,
            missing,
            origin: Some(task),
        }
    }

    /// The ranges of the classes.
    fn ranges(&self, task: &Task<'_>) -> (Vec<f64>, Vec<f64>) {
        let mut lower = vec![f64::NEG_INFINITY; self.count];
        let mut upper = vec![f64::INFINITY; self.count];
        for (cell, &(class, against)) in self.class.iter().enumerate() {
            let class = class as usize;
            let (low, high) = match (self.still[cell], against) {
                (true, _) => (0.0, 0.0),
                (false, true) => (-task.upper[cell], -task.lower[cell]),
                (false, false) => (task.lower[cell], task.upper[cell]),
            };
            lower[class] = f64::max(lower[class], low);
            upper[class] = f64::min(upper[class], high);
        }
        (lower, upper)
    }

    /// Stops every cell that its class does not let move; says whether any moved before.
    pub(crate) fn narrow(&self, task: &mut Task<'_>) -> bool {
        let (lower, upper) = self.ranges(task);
        let mut any = false;
        for (cell, &(class, _)) in self.class.iter().enumerate() {
            if lower[class as usize] >= upper[class as usize] && task.lower[cell] < task.upper[cell]
            {
                (task.lower[cell], task.upper[cell], any) = (0.0, 0.0, true);
            }
        }
        any
    }

    /// The senses and the levels that are asked of classes, from those of cells. A class that must not move has those of any of its cells.
    pub(crate) fn wishes(
        &self,
        task: &Task<'_>,
        senses: &Senses,
        asked: &[f64],
    ) -> (Senses, Vec<f64>) {
        let mut wishes: Vec<Option<(Side, f64)>> = vec![None; self.count];
        for ((s, &sense), &level) in task.sensitive.iter().zip(senses).zip(asked) {
            let (class, against) = self.class[s.cell.index()];
            let own = (if against { other(sense) } else { sense }, level);
            let wish = &mut wishes[class as usize];
            *wish = Some(wish.map_or(own, |(sense, known)| (sense, known.max(level))));
        }
        wishes.into_iter().flatten().unzip()
    }

    /// Sensitive classes: each moves as far as the one of its cells that must go furthest.
    fn sensitive(&self, task: &Task<'_>, lower: &[f64], upper: &[f64]) -> Vec<Sensitive> {
        let mut levels: Vec<Option<[Option<f64>; 2]>> = vec![None; self.count];
        for s in &task.sensitive {
            let (class, against) = self.class[s.cell.index()];
            let own = if against { [s.up, s.down] } else { [s.down, s.up] };
            let slot = &mut levels[class as usize];
            let both = |a: Option<f64>, b: Option<f64>| Some(a?.max(b?));
            *slot = Some(slot.map_or(own, |[down, up]| [both(down, own[0]), both(up, own[1])]));
        }
        let class = |(i, levels): (usize, Option<[Option<f64>; 2]>)| {
            let [down, up] = levels?;
            let down = down.filter(|&level| level <= -lower[i]);
            let up = up.filter(|&level| level <= upper[i]);
            Some(Sensitive { cell: CellId::at(i), down, up })
        };
        levels.into_iter().enumerate().filter_map(class).collect()
    }

    /// The relations among classes, each once.
    fn relations(&self, relations: &Relations) -> Relations {
        let mut seen = BTreeSet::new();
        let mut merged = Relations::default();
        for relation in 0..relations.len() {
            let moving = relations.row(relation).filter(|(cell, _)| !self.still[cell.index()]);
            let mut terms: Vec<(u32, i32)> = moving
                .map(|(cell, c)| {
                    let (class, against) = self.class[cell.index()];
                    (class, if against { -c } else { c })
                })
                .collect();
            terms.sort_unstable();
            let sums = terms.chunk_by(|a, b| a.0 == b.0);
            let sums = sums.map(|same| (same[0].0, same.iter().map(|&(_, c)| c).sum::<i32>()));
            let mut terms: Vec<(u32, i32)> = sums.filter(|&(_, c)| c != 0).collect();
            // A total stands first.
            terms.sort_by_key(|&(class, c)| (c > 0, class));
            if !terms.is_empty() && seen.insert(terms.clone()) {
                merged.push(terms.into_iter().map(|(class, c)| (CellId(class), c)), 0);
            }
        }
        merged
    }

    /// The sense of every sensitive cell of the task, from those of the classes.
    fn senses(&self, task: &Task<'_>, merged: &Task<'_>, senses: &Senses) -> Senses {
        let positions = crate::program::positions(merged);
        let sense = |s: &Sensitive| {
            let (class, against) = self.class[s.cell.index()];
            let sense = senses[positions[class as usize] as usize];
            if against { other(sense) } else { sense }
        };
        task.sensitive.iter().map(sense).collect()
    }

    /// The moves of the cells, from those of the classes.
    pub(crate) fn moves(&self, moves: &[f64]) -> Vec<f64> {
        let cell = |&(class, against): &(u32, bool)| {
            if against { -moves[class as usize] } else { moves[class as usize] }
        };
        self.class.iter().map(cell).collect()
    }

    /// A table of the task, from one of the classes.
    pub(crate) fn table(&self, task: &Task<'_>, merged: &Task<'_>, best: &Best) -> Best {
        let senses = self.senses(task, merged, &best.senses);
        let moves = self.moves(&best.point.moves);
        Best { senses, point: Point { moves, ..best.point.clone() } }
    }
}

/// Cells united so far: every cell points to another one of its class, or to itself.
struct United {
    /// Per cell the one it points to, and whether it moves against that.
    parents: Vec<(u32, bool)>,
    still: Vec<bool>,
    changed: bool,
}

/// A term of a relation whose other terms have this hash, up to the sign: its cell moves by `-sign` times what they add up to.
struct Rest {
    hash: u64,
    cell: u32,
    coefficient: i32,
}

impl United {
    fn new(task: &Task<'_>) -> Self {
        let cells = task.weights.len();
        let still: Vec<bool> = (0..cells).map(|i| task.lower[i] >= task.upper[i]).collect();
        let mut united = Self {
            parents: (0..cells as u32).map(|cell| (cell, false)).collect(),
            still,
            changed: true,
        };
        while std::mem::take(&mut united.changed) {
            let mut rests = Vec::new();
            for relation in 0..task.relations.len() {
                let terms = united.terms(&task.relations, relation);
                united.short(&terms);
                if terms.len() > 2 {
                    let hash = |&(cell, c): &(u32, i32)| scrambled(cell).wrapping_mul(c as u64);
                    let all = terms.iter().map(hash).fold(0, u64::wrapping_add);
                    rests.extend(
                        terms.iter().map(|term| Rest::new(all.wrapping_sub(hash(term)), *term)),
                    );
                }
            }
            rests.sort_unstable_by_key(|rest| (rest.hash, rest.cell));
            for pair in rests.windows(2).filter(|pair| pair[0].hash == pair[1].hash) {
                united.unite(
                    (pair[0].cell, pair[0].coefficient),
                    (pair[1].cell, -pair[1].coefficient),
                );
            }
        }
        united
    }

    /// The first of the class of a cell, and whether the cell moves against it.
    fn first(&self, cell: u32) -> (u32, bool) {
        let (mut at, mut against) = (cell, false);
        while self.parents[at as usize].0 != at {
            let (parent, turned) = self.parents[at as usize];
            (at, against) = (parent, against != turned);
        }
        (at, against)
    }

    /// The terms of a relation among classes that move, each class once.
    fn terms(&self, relations: &Relations, relation: usize) -> Vec<(u32, i32)> {
        let signed = |(cell, c): (CellId, i32)| {
            let (first, against) = self.first(cell.0);
            (first, if against { -c } else { c })
        };
        let mut terms: Vec<(u32, i32)> = relations.row(relation).map(signed).collect();
        terms.retain(|&(first, _)| !self.still[first as usize]);
        terms.sort_unstable();
        let sums = terms.chunk_by(|a, b| a.0 == b.0);
        let sums = sums.map(|same| (same[0].0, same.iter().map(|&(_, c)| c).sum::<i32>()));
        sums.filter(|&(_, c)| c != 0).collect()
    }

    /// What a relation of one or two terms says.
    fn short(&mut self, terms: &[(u32, i32)]) {
        match *terms {
            [(cell, _)] => self.stop(cell),
            [a, b] => self.unite(a, b),
            _ => {}
        }
    }

    fn stop(&mut self, cell: u32) {
        let first = self.first(cell).0 as usize;
        self.changed |= !std::mem::replace(&mut self.still[first], true);
    }

    /// The two terms add up to zero.
    fn unite(&mut self, (a, c): (u32, i32), (b, d): (u32, i32)) {
        let ((a, a_against), (b, b_against)) = (self.first(a), self.first(b));
        if c.abs() != d.abs() || (self.still[a as usize] && self.still[b as usize]) {
            return;
        }
        let against = ((c > 0) == (d > 0)) != (a_against != b_against);
        if a == b {
            if against {
                self.stop(a);
            }
            return;
        }
        let (low, high) = (a.min(b), a.max(b));
        self.still[low as usize] |= self.still[high as usize];
        self.parents[high as usize] = (low, against);
        self.changed = true;
    }
}

impl Rest {
    fn new(hash: u64, (cell, c): (u32, i32)) -> Self {
        let opposite = hash.wrapping_neg();
        let (hash, coefficient) = if opposite < hash { (opposite, -c) } else { (hash, c) };
        Self { hash, cell, coefficient }
    }
}

/// A number that looks random, the same for the same cell.
fn scrambled(cell: u32) -> u64 {
    let mut x = (u64::from(cell) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::Together;
    use crate::task::Task;
    use crate::{Search, Weights, cta};
    use cellveil_core::{CellId, Relations, Side};
    use cellveil_highs::Highs;
    use cellveil_testkit::tables::Tables;
    use proptest::prelude::*;

    /// A total of one part, beside another total with the same other parts.
    fn pairs(task: &Task<'_>) -> Relations {
        let mut relations = task.relations.clone();
        let copy = task.weights.len() as u32 - 1;
        relations.push_sum(CellId(0), [CellId(copy)]);
        relations
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn one_cell_for_those_that_move_together_costs_the_same(problem in Tables::tiny().problems()) {
            let Ok(mut task) = Task::new(&problem, Weights::One, false) else { return Ok(()) };
            task.relations = pairs(&task);
            task.missing = vec![0.0; task.relations.len()];
            prop_assume!(task.sensitive.len() <= 8);
            let Some(together) = Together::of(&task) else { return Err(TestCaseError::fail("no pair")) };
            let merged = together.task(&task);
            let left = || None;
            let context = crate::Context { engine: &Highs, progress: &(), seconds_left: &left, gap: 0.0, seed: 1 };
            if merged.stuck().is_some() {
                return Ok(());
            }
            let alone = cta::find(&task, Search::Exact, &context);
            let Ok((best, _)) = cta::find(&merged, Search::Exact, &context) else {
                prop_assert!(alone.is_err());
                return Ok(());
            };
            let Ok((alone, _)) = alone else { return Err(TestCaseError::fail("a table where there is none")) };
            prop_assert!((best.point.cost - alone.point.cost).abs() <= 1e-6 * (1.0 + alone.point.cost));
            let table = together.table(&task, &merged, &best);
            for relation in 0..task.relations.len() {
                let terms = task.relations.row(relation);
                let sum: f64 = terms.map(|(cell, c)| f64::from(c) * table.point.moves[cell.index()]).sum();
                prop_assert!(sum.abs() < 1e-5, "{sum}");
            }
            for (s, &sense) in task.sensitive.iter().zip(&table.senses) {
                let z = table.point.moves[s.cell.index()];
                let distance = if sense == Side::Up { z } else { -z };
                prop_assert!(s.level(sense).is_some_and(|level| distance > level - 1e-5));
            }
        }
    }
}
