//! The judge of tables too large to be held: the same question as in `verify`, asked cell by cell.
//!
//! The witnesses of such a table are written as moves of its finest cells. Every cell comes by once with its need, whether it is withheld and by how
//! much each witness moves it, which is the sum over the finest cells below it; so every sum of the table holds in every witness, and no
//! cell falls below zero if no finest cell does. Further witnesses take further rounds over the same cells.
//!
//! Each witness stands for two tables: itself, and its mirror image, in which everything moves the other way.

use crate::{Fault, Need};

/// What is known of a cell.
const DOWN: u8 = 1;
const UP: u8 = 2;
const APART: u8 = 4;
const WITHHELD: u8 = 8;
const SENSITIVE: u8 = 16;

/// How many faults are kept; the others are counted.
const KEPT: usize = 20;

/// Judges a table that comes cell by cell, with intruders who know that nothing lies below zero.
#[derive(Debug, Default)]
pub struct Replay {
    cells: Vec<u8>,
    /// Witnesses of the rounds before this one.
    before: usize,
    /// Per witness of this round, whether it and its mirror image leave every finest cell at zero or above.
    holds: Vec<[bool; 2]>,
    rounds: usize,
    is_last: bool,
    at: usize,
    faults: Vec<Fault>,
    more: usize,
}

/// Whether a witness, and its mirror image, leave every finest cell at zero or above. Finest cells come with their value and by how much they move.
pub fn stays_above_zero(moves: impl IntoIterator<Item = (i64, i64)>) -> [bool; 2] {
    let mut holds = [true; 2];
    for (value, by) in moves {
        holds[0] &= value.checked_add(by).is_some_and(|moved| moved >= 0);
        holds[1] &= value.checked_sub(by).is_some_and(|moved| moved >= 0);
    }
    holds
}

impl Replay {
    /// Begins a round over all cells with further witnesses, of which [`stays_above_zero`] was asked; whatever is not shown when the last round ends never will be.
    pub fn begin(&mut self, holds: Vec<[bool; 2]>, is_last: bool) {
        self.end();
        for (at, holds) in holds.iter().enumerate() {
            if *holds == [false; 2] {
                let cell = "a finest cell".to_owned();
                self.fault(Fault::LeavesBounds { witness: self.before + at, cell });
            }
        }
        self.holds = holds;
        self.rounds += 1;
        self.is_last = is_last;
    }

    /// Judges the next cell, in the same order in every round.
    pub fn cell(
        &mut self,
        need: Option<&Need>,
        is_withheld: bool,
        moves: &[i64],
        name: &dyn Fn() -> String,
    ) {
        let kind = if is_withheld { WITHHELD } else { 0 } | need.map_or(0, |_| SENSITIVE);
        if self.rounds == 1 {
            self.cells.push(kind);
        }
        let at = self.at;
        self.at += 1;
        let known = self.cells.get(at).copied();
        if known.is_none_or(|known| known & (WITHHELD | SENSITIVE) != kind)
            || moves.len() != self.holds.len()
        {
            self.fault(Fault::WrongPattern);
            return;
        }
        if need.is_some() && !is_withheld && self.rounds == 1 {
            self.fault(Fault::SensitivePublished(name()));
        }
        if !is_withheld && let Some(witness) = moves.iter().position(|&by| by != 0) {
            self.fault(Fault::MovesPublished { witness: self.before + witness, cell: name() });
        }
        let Some(need) = need else { return };
        for (&by, holds) in moves.iter().zip(&self.holds) {
            self.cells[at] |= shown(need, by, *holds);
        }
        if self.is_last {
            self.unmet(need, self.cells[at], name);
        }
    }

    /// What was not shown of a sensitive cell.
    fn unmet(&mut self, need: &Need, known: u8, name: &dyn Fn() -> String) {
        if need.down < 0 || need.up < 0 {
            self.fault(Fault::LevelBelowZero(name()));
        }
        let asked = [
            (need.down > 0, DOWN, "down"),
            (need.up > 0, UP, "up"),
            (need.sliding > 0, APART, "apart"),
        ];
        // A need that asks for nothing would be met by nothing.
        let is_idle = asked.iter().all(|(is_asked, ..)| !is_asked);
        for (is_asked, bit, side) in asked {
            if is_idle || is_asked && known & bit == 0 {
                self.fault(Fault::Unmet { cell: name(), side });
            }
        }
    }

    fn fault(&mut self, fault: Fault) {
        if self.faults.len() < KEPT {
            self.faults.push(fault);
        } else {
            self.more += 1;
        }
    }

    /// Every round must go over all cells.
    fn end(&mut self) {
        if self.at != self.cells.len() {
            self.fault(Fault::WrongPattern);
        }
        self.before += self.holds.len();
        self.at = 0;
    }

    /// How many cells there are, how many are withheld and how many are sensitive.
    pub fn counts(&self) -> [usize; 3] {
        let with = |bit: u8| self.cells.iter().filter(|&known| known & bit != 0).count();
        [self.cells.len(), with(WITHHELD), with(SENSITIVE)]
    }

    /// Ends the last round.
    ///
    /// # Errors
    /// The first faults, and how many more there are.
    pub fn finish(mut self) -> Result<(), (Vec<Fault>, usize)> {
        if self.rounds == 0 || !self.is_last {
            self.fault(Fault::WrongPattern);
        }
        self.end();
        if self.faults.is_empty() { Ok(()) } else { Err((self.faults, self.more)) }
    }
}

/// What a witness shows of a cell that it moves by so much.
fn shown(need: &Need, by: i64, holds: [bool; 2]) -> u8 {
    let [this, mirrored] = holds;
    let reaches = |level: i64, by: i64| level > 0 && by >= level;
    let away = by.checked_neg().unwrap_or(0);
    let up = this && reaches(need.up, by) || mirrored && reaches(need.up, away);
    let down = this && reaches(need.down, away) || mirrored && reaches(need.down, by);
    let apart = this && mirrored && reaches(need.sliding, by.saturating_abs().saturating_mul(2));
    (if down { DOWN } else { 0 }) | (if up { UP } else { 0 }) | (if apart { APART } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CellId, Reason};

    const NEED: Need =
        Need { cell: CellId(0), down: 2, up: 3, sliding: 0, reason: Reason::Frequency };

    /// A published total, a sensitive cell and another, with one witness per round.
    fn judged(rounds: &[([i64; 3], [bool; 2])], is_withheld: bool) -> Result<(), Vec<Fault>> {
        let mut replay = Replay::default();
        for (at, (moves, holds)) in rounds.iter().enumerate() {
            replay.begin(vec![*holds], at + 1 == rounds.len());
            let cells = [(None, false), (Some(&NEED), true), (None, is_withheld)];
            for ((need, is_withheld), by) in cells.into_iter().zip(moves) {
                replay.cell(need, is_withheld, &[*by], &|| "c".to_owned());
            }
        }
        replay.finish().map_err(|(faults, _)| faults)
    }

    #[test]
    fn a_witness_and_its_mirror_image_show_both_sides() {
        assert_eq!(judged(&[([0, 3, -3], [true, true])], true), Ok(()));
        assert_eq!(judged(&[([0, -3, 3], [true, true])], true), Ok(()));
        let one = ([0, 3, -3], [true, false]);
        assert_eq!(judged(&[one, ([0, -2, 2], [true, false])], true), Ok(()));
        let unmet = |side| Err(vec![Fault::Unmet { cell: "c".to_owned(), side }]);
        assert_eq!(judged(&[one], true), unmet("down"));
        assert_eq!(judged(&[([0, 2, -2], [true, true])], true), unmet("up"));
    }

    #[test]
    fn whatever_is_published_stays() {
        let moved = Fault::MovesPublished { witness: 0, cell: "c".to_owned() };
        assert_eq!(judged(&[([0, 3, -3], [true, true])], false), Err(vec![moved.clone()]));
        assert_eq!(judged(&[([1, 3, -2], [true, true])], true), Err(vec![moved]));
    }

    #[test]
    fn witnesses_below_zero_show_nothing() {
        assert_eq!(stays_above_zero([(4, -4), (3, 2)]), [true, true]);
        assert_eq!(stays_above_zero([(4, -4), (3, 4)]), [true, false]);
        assert_eq!(stays_above_zero([(4, -5), (3, 4)]), [false, false]);
        assert!(judged(&[([0, 3, -3], [false, false])], true).is_err());
    }

    #[test]
    fn rounds_that_differ_are_refused() {
        let mut replay = Replay::default();
        replay.begin(vec![[true; 2]], false);
        replay.cell(None, true, &[1], &String::new);
        replay.cell(None, true, &[-1], &String::new);
        replay.begin(vec![[true; 2]], true);
        replay.cell(None, true, &[1], &String::new);
        assert_eq!(replay.finish(), Err((vec![Fault::WrongPattern], 0)));
        let never = Replay::default();
        assert_eq!(never.finish(), Err((vec![Fault::WrongPattern], 0)));
    }
}
