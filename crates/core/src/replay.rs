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
    round: Round,
    at: usize,
    faults: Faults,
}

/// What is the same for all cells of a round.
#[derive(Debug, Default)]
struct Round {
    /// Counted from 1.
    number: usize,
    /// Witnesses of the rounds before this one.
    before: usize,
    /// Per witness, whether it and its mirror image leave every finest cell at zero or above.
    holds: Vec<[bool; 2]>,
    is_last: bool,
}

/// What was found against a table: the first faults, and how many more there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    first: Vec<Fault>,
    more: usize,
}

impl Faults {
    fn add(&mut self, fault: Fault) {
        if self.first.len() < KEPT {
            self.first.push(fault);
        } else {
            self.more += 1;
        }
    }

    fn append(&mut self, other: Self) {
        self.more += other.more;
        other.first.into_iter().for_each(|fault| self.add(fault));
    }
}

/// Some cells that follow each other, to be judged on any thread.
#[derive(Debug)]
pub struct Stretch<'a> {
    cells: &'a mut [u8],
    round: &'a Round,
    at: usize,
    faults: Faults,
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
        let (number, before) = (self.round.number + 1, self.round.before + self.round.holds.len());
        for (at, holds) in holds.iter().enumerate() {
            if *holds == [false; 2] {
                let cell = "a finest cell".to_owned();
                self.faults.add(Fault::LeavesBounds { witness: before + at, cell });
            }
        }
        self.round = Round { number, before, holds, is_last };
    }

    /// The next cells, in the same order in every round: so many, then so many, and so on.
    pub fn stretches(&mut self, counts: &[usize]) -> Vec<Stretch<'_>> {
        let from = self.at;
        self.at += counts.iter().sum::<usize>();
        if self.at > self.cells.len() {
            if self.round.number != 1 {
                self.faults.add(Fault::WrongPattern);
            }
            self.cells.resize(self.at, 0);
        }
        let mut rest = &mut self.cells[from..self.at];
        let mut stretches = Vec::with_capacity(counts.len());
        for &count in counts {
            let (cells, after) = rest.split_at_mut(count);
            rest = after;
            stretches.push(Stretch { cells, round: &self.round, at: 0, faults: Faults::default() });
        }
        stretches
    }

    /// Adds what was found in a stretch; in the order of stretches.
    pub fn add(&mut self, faults: Faults) {
        self.faults.append(faults);
    }

    /// Every round must go over all cells.
    fn end(&mut self) {
        if self.at != self.cells.len() {
            self.faults.add(Fault::WrongPattern);
        }
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
        if self.round.number == 0 || !self.round.is_last {
            self.faults.add(Fault::WrongPattern);
        }
        self.end();
        let Faults { first, more } = self.faults;
        if first.is_empty() { Ok(()) } else { Err((first, more)) }
    }
}

impl Stretch<'_> {
    /// Judges the next cell.
    pub fn cell(
        &mut self,
        need: Option<&Need>,
        is_withheld: bool,
        moves: &[i64],
        name: &dyn Fn() -> String,
    ) {
        let round = self.round;
        let kind = if is_withheld { WITHHELD } else { 0 } | need.map_or(0, |_| SENSITIVE);
        let Some(known) = self.cells.get_mut(self.at) else {
            self.faults.add(Fault::WrongPattern);
            return;
        };
        self.at += 1;
        if round.number == 1 {
            *known = kind;
        }
        if *known & (WITHHELD | SENSITIVE) != kind || moves.len() != round.holds.len() {
            self.faults.add(Fault::WrongPattern);
            return;
        }
        if need.is_some() && !is_withheld && round.number == 1 {
            self.faults.add(Fault::SensitivePublished(name()));
        }
        if !is_withheld && let Some(witness) = moves.iter().position(|&by| by != 0) {
            self.faults
                .add(Fault::MovesPublished { witness: round.before + witness, cell: name() });
        }
        let Some(need) = need else { return };
        for (&by, holds) in moves.iter().zip(&round.holds) {
            *known |= shown(need, by, *holds);
        }
        if round.is_last {
            let known = *known;
            self.unmet(need, known, name);
        }
    }

    /// What was not shown of a sensitive cell.
    fn unmet(&mut self, need: &Need, known: u8, name: &dyn Fn() -> String) {
        if need.down < 0 || need.up < 0 {
            self.faults.add(Fault::LevelBelowZero(name()));
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
                self.faults.add(Fault::Unmet { cell: name(), side });
            }
        }
    }

    /// What was found; every cell of the stretch must have come.
    pub fn finish(mut self) -> Faults {
        if self.at != self.cells.len() {
            self.faults.add(Fault::WrongPattern);
        }
        self.faults
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
            let mut cells = cells.into_iter().zip(moves);
            let mut found = Vec::new();
            for mut stretch in replay.stretches(&[1, 2]) {
                for ((need, is_withheld), by) in cells.by_ref().take(stretch.cells.len()) {
                    stretch.cell(need, is_withheld, &[*by], &|| "c".to_owned());
                }
                found.push(stretch.finish());
            }
            for faults in found {
                replay.add(faults);
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

    /// So many withheld cells that move.
    fn pass(replay: &mut Replay, cells: usize) {
        let mut found = Vec::new();
        for mut stretch in replay.stretches(&[cells]) {
            (0..cells).for_each(|_| stretch.cell(None, true, &[1], &String::new));
            found.push(stretch.finish());
        }
        for faults in found {
            replay.add(faults);
        }
    }

    #[test]
    fn rounds_that_differ_are_refused() {
        let mut replay = Replay::default();
        replay.begin(vec![[true; 2]], false);
        pass(&mut replay, 2);
        replay.begin(vec![[true; 2]], true);
        pass(&mut replay, 1);
        assert_eq!(replay.finish(), Err((vec![Fault::WrongPattern], 0)));
        let mut replay = Replay::default();
        replay.begin(vec![[true; 2]], false);
        pass(&mut replay, 1);
        replay.begin(vec![[true; 2]], true);
        pass(&mut replay, 2);
        assert!(replay.finish().is_err());
        let mut replay = Replay::default();
        replay.begin(vec![[true; 2]], true);
        let faults = replay.stretches(&[2]).remove(0).finish();
        replay.add(faults);
        assert_eq!(replay.finish(), Err((vec![Fault::WrongPattern], 0)));
        let never = Replay::default();
        assert_eq!(never.finish(), Err((vec![Fault::WrongPattern], 0)));
    }
}
