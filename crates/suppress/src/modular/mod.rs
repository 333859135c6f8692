//! The modular method (HiTaS): sub-table by sub-table from the top, each protected as well as can be.
//!
//! A sub-table's margins come with the status they got as inner cells of sub-tables above: withheld ones must be protected here too,
//! published ones stay published. Sub-tables of one class share no inner cells and are protected side by side. Where a sub-table has no
//! pattern with its margins as they are, it may withhold further ones, and the sub-tables above to which those belong are
//! protected again. Sums that cross several sub-tables are seen by none of them, so the attack on the whole table and its repair, which the original
//! lacks, come last.

mod piece;
mod plan;

use crate::incremental::complete;
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use crate::optimal::Optimal;
use crate::subtable::{SubTable, subtables};
use cellveil_attack::{Component, Crossings};
use cellveil_core::{Bound, CellId, Incidence, Pattern, Problem, Why};
use piece::{Margins, Piece};
pub use plan::{Part, PartCell, Plan};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// See the module's documentation and `proof.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Modular;

impl Protect for Modular {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let tables = Tables::new(problem);
        if tables.is_one() {
            let protected = Optimal.protect(problem, context)?;
            return Ok(Protected { method: Method::Modular, ..protected });
        }
        let pattern = context.in_half_the_time(|context| tables.protect(context))?;
        let (pattern, witnesses) = complete(problem, context, &pattern, &[])?;
        let bound = Bound { cost: 0.0 };
        Ok(Protected { pattern, witnesses, bound, method: Method::Modular })
    }
}

/// The sub-tables of a problem, and which cells belong to which.
struct Tables<'t> {
    problem: &'t Problem,
    incidence: Incidence,
    list: Vec<SubTable>,
    /// Per cell the sub-tables it belongs to, ascending.
    homes: Vec<Vec<usize>>,
    /// Per cell the class of the first of them: there it is decided whether the cell is withheld.
    first: Vec<u32>,
}

impl<'t> Tables<'t> {
    fn new(problem: &'t Problem) -> Self {
        let whole = Component::whole(problem);
        let tables = subtables(&whole, &Crossings::new(&whole));
        let mut homes = vec![Vec::new(); problem.len()];
        for (at, table) in tables.iter().enumerate() {
            for cell in table.cells.iter().flatten() {
                homes[cell.index()].push(at);
            }
        }
        let class = |homes: &Vec<usize>| homes.first().map_or(0, |&at| tables[at].class);
        let first = homes.iter().map(class).collect();
        let incidence = problem.relations().incidence(problem.len());
        Self { problem, incidence, list: tables, homes, first }
    }

    /// Whether the whole table is its only sub-table.
    fn is_one(&self) -> bool {
        self.list.len() == 1 && self.homes.iter().all(|homes| !homes.is_empty())
    }

    /// The pattern that the sub-tables give, class by class.
    fn protect(&self, context: &Context<'_>) -> Result<Pattern, SuppressError> {
        let mut pattern = self.problem.start();
        let mut open: BTreeSet<usize> = (0..self.list.len()).collect();
        while let Some(&first) = open.first() {
            if context.is_over() {
                // The repair goes on from here, or says that there is no time for it.
                break;
            }
            let class = self.list[first].class;
            let (done, total) = (self.list.len() - open.len(), self.list.len());
            context.progress.step("sub-tables", done, total, self.problem.cost_of(&pattern));
            let together: Vec<usize> =
                open.iter().copied().take_while(|&at| self.list[at].class == class).collect();
            for at in &together {
                open.remove(at);
            }
            let chosen: Result<Vec<Vec<CellId>>, SuppressError> = together
                .par_iter()
                .map(|&at| self.protect_one(&self.list[at], &pattern, context))
                .collect();
            for (at, cells) in together.iter().zip(chosen?) {
                for cell in cells {
                    if pattern.is_withheld(cell) {
                        continue;
                    }
                    pattern.withhold(cell, Why::Secondary);
                    // Sub-tables below come anyway; others up to here are protected again with it.
                    open.extend(self.homes[cell.index()].iter().filter(|other| *other != at));
                }
            }
        }
        Ok(pattern)
    }

    /// What to withhold further in one sub-table: cells that are its own to decide on, or margins too where that is not enough, or
    /// nothing where nothing helps.
    fn protect_one(
        &self,
        table: &SubTable,
        pattern: &Pattern,
        context: &Context<'_>,
    ) -> Result<Vec<CellId>, SuppressError> {
        for margins in [Margins::AsTheyAre, Margins::Free] {
            let Some(piece) = Piece::of(self, table, pattern, margins) else { break };
            match piece.protect(context) {
                Err(SuppressError::NoPattern { .. }) => {}
                // The repair goes on from here.
                Err(SuppressError::OutOfTime { .. }) => break,
                chosen => return chosen,
            }
        }
        Ok(Vec::new())
    }
}
