//! Witnesses until every need is met: many cells at once first, then single ones, at last at the price of published cells.

use super::below::below;
use super::cells::{AllCells, Open, Tally};
use super::clock::Clock;
use super::prices::Prices;
use super::published::{Part, carry};
use super::survey::{Survey, told_apart};
use crate::Error;
use cellveil_suppress::streamed::{Aim, Draft, Exchange, scattered};
use cellveil_tabulate::{Gathered, LeafMoves};
use rayon::prelude::*;

/// Tables of moves in which as many finest cells as possible move.
const EVERYWHERE: u64 = 8;

/// How often needs that are left open are asked again.
const ROUNDS: usize = 8;

/// How many witnesses are made at a time.
const ROUND: usize = 8;

/// After so many rounds, what is left open is met at the price of published cells.
const PATIENCE: usize = 2;

/// How many neighbours in the order of codes are looked at.
const NEAR: u32 = 100;

/// Of so many leaves that differ least, the cheapest moves against one.
const WEIGHED: usize = 64;

/// So many leaves of a cell are tried.
const TRIED: usize = 4;

/// If no more passes over all cells fit into the time, needs are met in the quickest way.
const HURRY: f64 = 6.0;

/// What the making of witnesses looks at.
pub(super) struct Work<'a> {
    pub(super) exchange: &'a Exchange<'a>,
    pub(super) survey: &'a Survey,
    pub(super) values: &'a [i64],
    pub(super) parts: &'a [Part; 2],
    pub(super) clock: &'a Clock<'a>,
    /// What everything random derives from.
    pub(super) seed: u64,
}

impl Work<'_> {
    /// Tables in which as many finest cells as possible move. Of the sensitive ones each leaves out a third: two cells that move against each other in one then
    /// do not in another.
    pub(super) fn everywhere(&self) -> Vec<LeafMoves> {
        let factor = (0.7 / self.survey.steepest.max(0.01)).clamp(1.2, 4.0);
        let one = |number: u64| {
            let seed = scattered(self.seed, number);
            let may_move = |leaf: u32| {
                let lot = scattered(seed, u64::from(leaf)) % 3;
                !self.survey.sensitive[leaf as usize] || lot != 0
            };
            LeafMoves::of(&self.exchange.everywhere(&may_move, factor, seed))
        };
        (0..EVERYWHERE).into_par_iter().map(one).collect()
    }

    /// Adds witnesses until every need is met.
    pub(super) fn complete<'c>(
        &self,
        mut all: AllCells<'c>,
        witnesses: &mut Vec<LeafMoves>,
    ) -> Result<(AllCells<'c>, Tally), Error> {
        self.clock.expect(witnesses.len() + ROUND);
        let mut tally = all.look(witnesses, self.clock)?;
        for round in 0..ROUNDS {
            tracing::info!(
                open = tally.open.len(),
                secondaries = tally.secondaries,
                inside = tally.inside.len(),
                cost = tally.cost,
                "witnesses so far"
            );
            if tally.open.is_empty() {
                return Ok((all, tally));
            }
            let is_last = round >= PATIENCE || self.clock.is_short(HURRY);
            let further = if is_last {
                self.transferred(&tally, all.gathered)
            } else {
                self.aimed(&tally.open, all.gathered)
            };
            if !further.is_empty() {
                tally = all.look(&further, self.clock)?;
                witnesses.extend(further);
                self.clock.expect(witnesses.len() + ROUND);
            }
        }
        Err(exposed(all.gathered, &tally.open))
    }

    /// Witnesses for single cells that leave the two tables as they are, or move what is withheld of them.
    fn aimed(&self, open: &[Open], gathered: &Gathered) -> Vec<LeafMoves> {
        let below = below(gathered, open);
        // The rest of the time is for what these leave open.
        let is_over = self.clock.share(0.5);
        let drafts = (0..ROUND).into_par_iter().map(|at| {
            let mut draft = self.exchange.draft();
            let cells = open.iter().zip(&below).skip(at).step_by(ROUND);
            for (cell, leaves) in cells.take_while(|_| !is_over()) {
                // Circles leave the cells of the two tables where they are.
                let set = told_apart(&cell.codes);
                let may_circle = self.parts.iter().all(|part| part.lacks(set));
                self.aims(cell, leaves, &mut |aim| {
                    may_circle && self.exchange.through(&mut draft, aim)
                        || carry(self.parts, self.exchange, &mut draft, aim, cell)
                });
            }
            draft
        });
        moves(&drafts.collect::<Vec<Draft>>())
    }

    /// Tries to move a leaf of a cell and no other, one after the other.
    fn aims(&self, cell: &Open, leaves: &[u32], meet: &mut dyn FnMut(&Aim<'_>) -> bool) {
        let mut order = leaves.to_vec();
        order.sort_by_key(|&leaf| std::cmp::Reverse(self.values[leaf as usize]));
        for &leaf in order.iter().take(TRIED) {
            let others: Vec<u32> = leaves.iter().copied().filter(|&other| other != leaf).collect();
            if meet(&Aim { leaf, level: cell.level, others: &others }) {
                return;
            }
        }
    }

    /// Witnesses for single cells at the price of cells of the two tables. What is withheld for one is free for all that follow.
    fn transferred(&self, tally: &Tally, gathered: &Gathered) -> Vec<LeafMoves> {
        let below = below(gathered, &tally.open);
        let mut prices = Prices::new(gathered, self.parts, &tally.inside);
        let mut drafts: Vec<Draft> = (0..ROUND).map(|_| self.exchange.draft()).collect();
        let mut order: Vec<usize> = (0..tally.open.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(tally.open[at].level));
        for (nth, at) in order.into_iter().enumerate().take_while(|_| !self.clock.is_over()) {
            let draft = &mut drafts[nth % ROUND];
            let mut best: Option<(f64, Transfer)> = None;
            self.aims(&tally.open[at], &below[at], &mut |aim| {
                let weighed: Vec<(f64, u32)> = self
                    .partners(draft, aim, gathered)
                    .into_par_iter()
                    .map(|partner| (prices.of([aim.leaf, partner]), partner))
                    .collect();
                for (cost, partner) in weighed {
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, Transfer::new(aim, partner)));
                    }
                }
                best.as_ref().is_some_and(|(cost, _)| *cost == 0.0)
            });
            if let Some((_, Transfer { leaf, level, others, partner })) = best {
                prices.pay([leaf, partner]);
                self.exchange.against(draft, &Aim { leaf, level, others: &others }, partner);
            }
        }
        moves(&drafts)
    }

    /// Leaves that can move against one and differ from it in as few variables as possible.
    fn partners(&self, draft: &Draft, aim: &Aim<'_>, gathered: &Gathered) -> Vec<u32> {
        let differ = |other: u32| {
            let code = |leaf: u32, d: usize| gathered.code(leaf as usize, d);
            let dimensions = 0..gathered.frame().dimensions().len();
            dimensions.filter(|&d| code(aim.leaf, d) != code(other, d)).count()
        };
        let last = gathered.len() as u32;
        let near = aim.leaf.saturating_sub(NEAR)..aim.leaf.saturating_add(NEAR).min(last);
        let mut partners: Vec<(usize, u32)> = self
            .exchange
            .beside(aim.leaf)
            .chain(near)
            .filter(|&other| self.exchange.may_go_against(draft, aim, other))
            .map(|other| (differ(other), other))
            .collect();
        partners.sort_unstable();
        partners.dedup();
        partners.truncate(WEIGHED);
        partners.into_iter().map(|(_, partner)| partner).collect()
    }
}

/// A leaf that shall move, and another one that moves against it.
struct Transfer {
    leaf: u32,
    level: i64,
    others: Vec<u32>,
    partner: u32,
}

impl Transfer {
    fn new(aim: &Aim<'_>, partner: u32) -> Self {
        Self { leaf: aim.leaf, level: aim.level, others: aim.others.to_vec(), partner }
    }
}

/// The witnesses that drafts make, but for empty ones.
fn moves(drafts: &[Draft]) -> Vec<LeafMoves> {
    let moves = drafts.iter().map(|draft| LeafMoves::of(draft.moves()));
    moves.filter(|moves| !moves.leaves.is_empty()).collect()
}

/// The cells that are left.
fn exposed(gathered: &Gathered, open: &[Open]) -> Error {
    let dimensions = gathered.frame().dimensions().to_vec();
    let name = |cell: &Open| {
        let keys = cell.codes.to_vec().into();
        let names = cellveil_core::CellNames::Codes { dimensions: dimensions.clone(), keys };
        names.describe(cellveil_core::CellId(0)).to_string()
    };
    let cells: Vec<String> = open.iter().take(10).map(name).collect();
    let more = open.len() - cells.len();
    Error::Exposed(crate::Exposed { cells, more })
}
