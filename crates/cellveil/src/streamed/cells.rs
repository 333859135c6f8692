//! What is known of every cell of a table that is not held: a byte for each, in the order of their codes.

use super::clock::Clock;
use super::survey::{judged, told_apart};
use crate::Error;
use cellveil_core::{CellId, CodeId, Policy};
use cellveil_rules::RuleSet;
use cellveil_tabulate::{Cells, Gathered, LeafMoves, Sink, TabulateError, Until};
use rayon::prelude::*;

const SENSITIVE: u8 = 1;
const MET: u8 = 2;
const MOVED: u8 = 4;

/// A sensitive cell that no witness moves far enough yet.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) codes: Box<[CodeId]>,
    pub(super) level: i64,
}

/// What all witnesses so far come to.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) open: Vec<Open>,
    pub(super) secondaries: usize,
    pub(super) cost: f64,
    /// Those of them that belong to one of the two tables that should stay published.
    pub(super) inside: Vec<Box<[CodeId]>>,
}

/// All cells.
pub(super) struct AllCells<'a> {
    pub(super) gathered: &'a Gathered,
    pub(super) rules: &'a RuleSet,
    pub(super) policy: &'a Policy,
    pub(super) kinds: Vec<u8>,
    /// The two tables.
    pub(super) pair: [u32; 2],
    /// How many witnesses are rolled up at a time.
    pub(super) round: usize,
}

impl AllCells<'_> {
    /// Adds what further witnesses show, and says what all come to.
    pub(super) fn look(
        &mut self,
        witnesses: &[LeafMoves],
        clock: &Clock<'_>,
    ) -> Result<Tally, Error> {
        let mut tally = Tally::default();
        let rounds: Vec<&[LeafMoves]> = witnesses.chunks(self.round).collect();
        for (at, some) in rounds.iter().enumerate() {
            let moves: Vec<&LeafMoves> = some.iter().collect();
            let gathered = self.gathered;
            let is_last = at + 1 == rounds.len();
            let mut sink =
                Look { all: self, at: 0, moves: moves.len(), is_last, tally: Tally::default() };
            let is_over = || clock.is_over();
            let mut until = Until { sink: &mut sink, is_over: &is_over };
            clock.passing(|| gathered.roll_up_beside(&moves, &mut until))?;
            tally = sink.tally;
        }
        Ok(tally)
    }

    /// Which cells are withheld.
    pub(super) fn withheld(&self) -> Vec<bool> {
        self.kinds.iter().map(|kind| kind & (SENSITIVE | MOVED) != 0).collect()
    }
}

struct Look<'a, 'b> {
    all: &'a mut AllCells<'b>,
    at: usize,
    moves: usize,
    is_last: bool,
    tally: Tally,
}

/// What looking at cells takes besides what is known of them.
#[derive(Clone, Copy)]
struct Glance<'a> {
    gathered: &'a Gathered,
    rules: &'a RuleSet,
    policy: &'a Policy,
    pair: [u32; 2],
    moves: usize,
    is_last: bool,
}

impl Glance<'_> {
    /// Looks at some cells, of which so much is known.
    fn look(self, cells: Cells, kinds: &mut [u8]) -> Result<Tally, TabulateError> {
        let frame = self.gathered.frame();
        let measure = frame.measure().with_moves(self.moves);
        let rows = cells.rows.clone();
        let table = frame.excerpt(cells, self.moves)?;
        let needs = judged(self.rules, &table)?;
        let mut needs = needs.iter().peekable();
        let mut tally = Tally::default();
        for ((row, kind), cell) in
            rows.chunks_exact(measure.width()).zip(kinds).zip((0..).map(CellId))
        {
            let need = needs.next_if(|need| need.cell == cell);
            let moves = measure.moves(row);
            if moves.iter().any(|&by| by != 0) {
                *kind |= MOVED;
            }
            if let Some(need) = need {
                let level = need.down.max(need.up);
                *kind |= SENSITIVE | if moves.iter().any(|by| by.abs() >= level) { MET } else { 0 };
                if self.is_last && *kind & MET == 0 {
                    tally.open.push(Open { codes: table.key(cell).into(), level });
                }
            } else if self.is_last && *kind & MOVED != 0 {
                tally.secondaries += 1;
                tally.cost += self.policy.cost_of(&table, cell);
                let set = told_apart(table.key(cell));
                if self.pair.iter().any(|within| set & !within == 0) {
                    tally.inside.push(table.key(cell).into());
                }
            }
        }
        Ok(tally)
    }
}

impl Sink for Look<'_, '_> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        self.take_all(vec![cells])
    }

    fn take_all(&mut self, lots: Vec<Cells>) -> Result<(), TabulateError> {
        let AllCells { gathered, rules, policy, kinds, pair, .. } = &mut *self.all;
        let from = self.at;
        let (_, counts) = gathered.frame().starts(&lots, &mut self.at);
        if kinds.len() < self.at {
            kinds.resize(self.at, 0);
        }
        let mut rest = &mut kinds[from..self.at];
        let mut known = Vec::with_capacity(counts.len());
        for count in counts {
            let (one, after) = rest.split_at_mut(count);
            rest = after;
            known.push(one);
        }
        let (moves, is_last) = (self.moves, self.is_last);
        let glance = Glance { gathered, rules, policy, pair: *pair, moves, is_last };
        let seen: Result<Vec<Tally>, TabulateError> = lots
            .into_par_iter()
            .zip(known)
            .map(|(cells, kinds)| glance.look(cells, kinds))
            .collect();
        for mut tally in seen? {
            self.tally.open.append(&mut tally.open);
            self.tally.inside.append(&mut tally.inside);
            self.tally.secondaries += tally.secondaries;
            self.tally.cost += tally.cost;
        }
        Ok(())
    }
}
