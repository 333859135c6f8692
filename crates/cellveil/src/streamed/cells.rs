//! What is known of every cell of a table that is not held: a byte for each, in the order of their codes.

use super::survey::{judged, told_apart};
use crate::Error;
use cellveil_core::{CellId, CodeId, Policy};
use cellveil_rules::RuleSet;
use cellveil_tabulate::{Gathered, LeafMoves, Sink, TabulateError};

const SENSITIVE: u8 = 1;
const MET: u8 = 2;
const MOVED: u8 = 4;

/// How many witnesses are rolled up at a time.
pub(super) const ROUND: usize = 8;

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
    /// The same by whether the cell belongs to one of the two tables that should stay published.
    pub(super) inside: usize,
}

/// All cells.
pub(super) struct AllCells<'a> {
    pub(super) gathered: &'a Gathered,
    pub(super) rules: &'a RuleSet,
    pub(super) policy: &'a Policy,
    pub(super) kinds: Vec<u8>,
    /// The two tables.
    pub(super) pair: [u32; 2],
}

impl AllCells<'_> {
    /// Adds what further witnesses show, and says what all come to.
    pub(super) fn look(&mut self, witnesses: &[LeafMoves]) -> Result<Tally, Error> {
        let mut tally = Tally::default();
        let rounds: Vec<&[LeafMoves]> = witnesses.chunks(ROUND).collect();
        for (at, some) in rounds.iter().enumerate() {
            let moves: Vec<&LeafMoves> = some.iter().collect();
            let gathered = self.gathered;
            let is_last = at + 1 == rounds.len();
            let mut sink =
                Look { all: self, at: 0, moves: moves.len(), is_last, tally: Tally::default() };
            gathered.roll_up_beside(&moves, &mut sink)?;
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

impl Sink for Look<'_, '_> {
    fn take(&mut self, cells: cellveil_tabulate::Cells) -> Result<(), TabulateError> {
        let frame = self.all.gathered.frame();
        let measure = frame.measure().with_moves(self.moves);
        let rows = cells.rows.clone();
        let table = frame.excerpt(cells, self.moves)?;
        let needs = judged(self.all.rules, &table)?;
        let mut needs = needs.iter().peekable();
        for (row, cell) in rows.chunks_exact(measure.width()).zip((0..).map(CellId)) {
            let need = needs.next_if(|need| need.cell == cell);
            let moves = measure.moves(row);
            if self.at == self.all.kinds.len() {
                self.all.kinds.push(0);
            }
            let kind = &mut self.all.kinds[self.at];
            self.at += 1;
            if moves.iter().any(|&by| by != 0) {
                *kind |= MOVED;
            }
            if let Some(need) = need {
                let level = need.down.max(need.up);
                *kind |= SENSITIVE | if moves.iter().any(|by| by.abs() >= level) { MET } else { 0 };
                if self.is_last && *kind & MET == 0 {
                    self.tally.open.push(Open { codes: table.key(cell).into(), level });
                }
            } else if self.is_last && *kind & MOVED != 0 {
                self.tally.secondaries += 1;
                self.tally.cost += self.all.policy.cost_of(&table, cell);
                let set = told_apart(table.key(cell));
                let is_inside = self.all.pair.iter().any(|within| set & !within == 0);
                self.tally.inside += usize::from(is_inside);
            }
        }
        Ok(())
    }
}
