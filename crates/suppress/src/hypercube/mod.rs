//! The hypercube method: every withheld cell becomes a corner of a hypercube of withheld cells, in every sub-table it belongs to.
//!
//! Alternating moves at the corners of a box keep every sum of a sub-table, so how far the box lets its cells move is read off
//! its corners, without a program. Of all boxes that let a cell move far enough, the one with the fewest new cells is taken; of those the one
//! with the least sum of logarithms of values, margins being dear. What a box adds must be protected in the other
//! sub-tables of the new cells too, until nothing new comes. A sum that crosses several sub-tables can still betray a cell, so the attack on the
//! whole table and its repair come last, as for every method.

mod cube;

use crate::incremental::complete;
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use crate::subtable::{SubTable, subtables};
use cellveil_attack::{Component, Crossings};
use cellveil_core::{Bound, CellId, Pattern, Problem, Side, Status, Why, Witness};
use cube::{Cube, Search};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// See the module's documentation and `proof.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hypercube;

impl Protect for Hypercube {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let (pattern, known) = cubes(problem, context);
        let (pattern, witnesses) = complete(problem, context, &pattern, &known)?;
        let bound = Bound { cost: 0.0 };
        Ok(Protected { pattern, witnesses, bound, method: Method::Hypercube })
    }
}

/// How far a cell must be able to move: down and up.
type Levels = [i64; 2];

/// A cell of a sub-table that needs a cube: sub-tables in their order, large levels first.
type Task = (u32, Reverse<i64>, u32);

/// The pattern that cubes alone give, and those cubes that keep every sum of the whole table.
pub(crate) fn cubes(problem: &Problem, context: &Context<'_>) -> (Pattern, Vec<Witness>) {
    let whole = Component::whole(problem);
    let crossings = Crossings::new(&whole);
    let tables = subtables(&whole, &crossings);
    let mut work = Work::new(problem, &tables, &crossings);
    while let Some((table, _, at)) = work.tasks.pop_first() {
        if context.is_over() {
            // What is not done yet is left to the repair, which says so if there is no time for it either.
            break;
        }
        let (done, total) = (work.done, work.done + work.tasks.len());
        if done % 256 == 0 {
            context.progress.step("cubes", done, total, problem.cost_of(&work.pattern));
        }
        work.done += 1;
        work.protect(table, at);
    }
    (work.pattern, work.witnesses)
}

/// What grows while cubes are chosen.
struct Work<'w> {
    problem: &'w Problem,
    tables: &'w [SubTable],
    crossings: &'w Crossings<'w>,
    /// Per cell the sub-tables it belongs to, and where.
    occurrences: Vec<Vec<(u32, u32)>>,
    /// Per cell how far it must be able to move.
    levels: Vec<Levels>,
    pattern: Pattern,
    tasks: BTreeSet<Task>,
    done: usize,
    witnesses: Vec<Witness>,
}

impl<'w> Work<'w> {
    fn new(problem: &'w Problem, tables: &'w [SubTable], crossings: &'w Crossings<'w>) -> Self {
        let mut occurrences = vec![Vec::new(); problem.len()];
        for (number, table) in tables.iter().enumerate() {
            for (at, cell) in table.cells.iter().enumerate() {
                if let Some(cell) = cell {
                    occurrences[cell.index()].push((number as u32, at as u32));
                }
            }
        }
        let mut levels = vec![[0, 0]; problem.len()];
        for need in problem.needs() {
            // A width that the levels do not give is asked of the way up.
            levels[need.cell.index()] = [need.down, need.up.max(need.sliding - need.down)];
        }
        let mut work = Self {
            problem,
            tables,
            crossings,
            occurrences,
            levels,
            pattern: problem.start(),
            tasks: BTreeSet::new(),
            done: 0,
            witnesses: Vec::new(),
        };
        for need in problem.needs() {
            work.ask(need.cell, None);
        }
        work
    }

    /// A cell needs cubes in all its sub-tables but one.
    fn ask(&mut self, cell: CellId, but: Option<u32>) {
        let [down, up] = self.levels[cell.index()];
        if down == 0 && up == 0 {
            return;
        }
        for &(table, at) in &self.occurrences[cell.index()] {
            if Some(table) != but {
                self.tasks.insert((table, Reverse(down.max(up)), at));
            }
        }
    }

    /// Makes a cell a corner of a cube of withheld cells; of two if its only contributor is an intruder too.
    fn protect(&mut self, table: u32, at: u32) {
        let Some(cell) = self.tables[table as usize].cells[at as usize] else { return };
        let Some(first) = self.best(table, at, &[]) else { return };
        self.take(table, &first);
        if self.problem.insiders().of(cell).is_some()
            && let Some(second) = self.best(table, at, &first.opposite)
        {
            self.take(table, &second);
        }
    }

    /// The best cube of a cell. Where none lets it move far enough, one that lets it move half, a third, … as far, or at all.
    fn best(&self, table: u32, at: u32, avoided: &[usize]) -> Option<Cube> {
        let table = &self.tables[table as usize];
        let levels = self.levels[table.cells[at as usize]?.index()];
        let parts = (1..=10).map(|part| levels.map(|level| (level / part).max(level.min(1))));
        let last = std::iter::once(levels.map(|level| level.min(1)));
        let mut tried = None;
        parts.chain(last).find_map(|levels| {
            if tried.replace(levels) == Some(levels) {
                return None;
            }
            let search = Search { problem: self.problem, pattern: &self.pattern, table, levels };
            search.best(at as usize, avoided)
        })
    }

    /// Withholds the corners of a cube. Each must be able to move at all in its other sub-tables: to ask for as much there as here costs more
    /// cells than the repair does where it is needed (h2d750: 506 097 instead of 414 316 in the end).
    fn take(&mut self, table: u32, cube: &Cube) {
        for &(cell, sign) in &cube.corners {
            let [down, up] = cube.levels;
            let asked = if sign > 0 { [down, up] } else { [up, down] }.map(|level| level.min(1));
            let before = self.levels[cell.index()];
            let levels = [before[0].max(asked[0]), before[1].max(asked[1])];
            let is_new = !self.pattern.is_withheld(cell);
            if is_new {
                self.pattern.withhold(cell, Why::Secondary);
            }
            if is_new || levels != before {
                self.levels[cell.index()] = levels;
                self.ask(cell, Some(table));
            }
        }
        let signs = || cube.corners.iter().map(|&(cell, sign)| (cell.0, sign));
        if self.crossings.keeps_every_sum(signs()) {
            self.witnesses.extend(cube.witnesses(self.problem));
        }
    }
}

/// Whether a cell may be a corner: it is withheld already, or may be and is not zero.
fn may_be_corner(problem: &Problem, pattern: &Pattern, cell: CellId) -> bool {
    pattern.is_withheld(cell) || (problem.status(cell) == Status::Free && problem.value(cell) != 0)
}

/// How far a cell can move to a side.
fn room(problem: &Problem, cell: CellId, side: Side) -> i64 {
    problem.room(cell, side).unwrap_or(i64::MAX)
}
