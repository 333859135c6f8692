//! How much memory a table takes that is not held.
//!
//! Rolling up holds the finest cells with the moves of some witnesses, and on the way down to the cells what is left of them when the first variables are
//! not told apart, then some cells that wait to be looked at. The fewer witnesses at a time, the less; and the more passes over all cells.

use super::survey::{Survey, Variables};
use cellveil_tabulate::{Gathered, WAVE};

/// How many witnesses may be rolled up at a time.
const ROUNDS: [usize; 5] = [16, 8, 4, 2, 1];

/// What is held besides for each finest cell (itself, what it is joined with, its moves in all witnesses), for each cell, and for each cell of the two
/// tables that stay published; as measured.
const PER_LEAF: u64 = 120;
const PER_CELL: u64 = 2;
const PER_PUBLISHED: u64 = 1400;

/// What a table is like, for knowing how much it takes.
#[derive(Clone, Debug)]
pub(super) struct Room {
    cells: u64,
    /// The cells of the two tables that stay published.
    published: u64,
    /// How many words each finest cell has.
    width: u64,
    /// How many finest cells there are if the first variables are not told apart: none of them, one, and so on to all.
    rows: Vec<u64>,
}

impl Room {
    pub(super) fn of(gathered: &Gathered, survey: &Survey, pair: [Variables; 2]) -> Self {
        let variables = gathered.frame().dimensions().len();
        let all: Variables = (1 << variables) - 1;
        let finest = |first: usize| survey.sets[(all >> first << first) as usize].finest as u64;
        let within = |of: Variables| {
            let sets =
                (0..).zip(&survey.sets).filter(move |(set, _): &(Variables, _)| set & !of == 0);
            sets.map(|(_, figures)| figures.cells as u64).sum::<u64>()
        };
        Self {
            cells: survey.cells as u64,
            published: pair.into_iter().map(within).sum(),
            width: gathered.frame().measure().width() as u64,
            rows: (0..=variables).map(finest).collect(),
        }
    }

    /// The bytes with so many witnesses at a time.
    pub(super) fn bytes(&self, round: usize) -> u64 {
        let leaves = self.rows[0].max(1);
        let row = 8 * (self.width + round as u64 + 1);
        // A row's place and key while rows are put into order.
        let on_the_way: u64 = self.rows.iter().map(|rows| rows * (row + 16)).sum();
        let cell = 4 * (self.rows.len() as u64 - 1) + row;
        let waiting = leaves.min(2 * WAVE as u64) * self.cells / leaves * cell;
        on_the_way
            + waiting
            + leaves * PER_LEAF
            + self.cells * PER_CELL
            + self.published * PER_PUBLISHED
    }

    /// How many witnesses to roll up at a time with so much memory.
    ///
    /// # Errors
    /// How much would be needed, if it is not enough.
    pub(super) fn round(&self, memory: u64) -> Result<usize, u64> {
        let fits = |&&round: &&usize| self.bytes(round) <= memory;
        ROUNDS.iter().find(fits).copied().ok_or_else(|| self.bytes(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_witnesses_at_a_time_take_less() {
        let room = Room {
            cells: 20_000_000,
            published: 9,
            width: 5,
            rows: vec![1_000_000, 400_000, 9, 1],
        };
        let least = room.bytes(1);
        assert_eq!(room.round(u64::MAX), Ok(16));
        assert_eq!(room.round(room.bytes(8)), Ok(8));
        assert_eq!(room.round(least), Ok(1));
        assert_eq!(room.round(least - 1), Err(least));
    }
}
