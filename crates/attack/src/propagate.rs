//! How far cells can move at most, seen one relation at a time.
//!
//! In `Σ cᵢ·yᵢ = 0` a cell moves no further than all others together can make up for. Narrowing one cell narrows the others of its
//! relations, until nothing changes. What comes out holds for every consistent table, so a need beyond it is exposed, and
//! a cell without room is known.

use cellveil_core::Side;
use std::collections::VecDeque;

/// The room of a cell to a side of which nothing limits it.
pub(crate) const NO_LIMIT: i64 = i64::MAX;

/// How far a cell can move at most, in units: down, then up; `i64::MAX` if nothing is known.
pub type Room = [i64; 2];

/// Where a side stands in a [`Room`].
pub(crate) const fn slot(side: Side) -> usize {
    match side {
        Side::Down => 0,
        Side::Up => 1,
    }
}

/// How often each term is looked at, on average, before narrowing stops: a few times are enough for almost everything, and two
/// relations can narrow each other by one unit at a time for ever.
const LOOKS: usize = 60;

/// Rows of the system and the rows of every column.
pub(crate) struct Rows {
    pub(crate) starts: Vec<usize>,
    pub(crate) terms: Vec<(u32, i32)>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn of(&self, row: usize) -> &[(u32, i32)] {
        &self.terms[self.starts[row]..self.starts[row + 1]]
    }

    /// The same entries by column.
    pub(crate) fn transposed(&self, columns: usize) -> Rows {
        let mut starts = vec![0_usize; columns + 1];
        for &(column, _) in &self.terms {
            starts[column as usize + 1] += 1;
        }
        for column in 0..columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut terms = vec![(0_u32, 0_i32); self.terms.len()];
        for row in 0..self.len() {
            for &(column, coefficient) in self.of(row) {
                terms[next[column as usize]] = (row as u32, coefficient);
                next[column as usize] += 1;
            }
        }
        Rows { starts, terms }
    }
}

/// Narrows the rooms of all columns to a fixpoint, or until the work is used up.
pub(crate) fn propagate(rows: &Rows, rows_of: &Rows, rooms: &mut [Room]) {
    let mut waiting: VecDeque<u32> = (0..rows.len() as u32).collect();
    let mut is_waiting = vec![true; rows.len()];
    let mut work = LOOKS * rows.terms.len().max(1000);
    while let Some(row) = waiting.pop_front() {
        is_waiting[row as usize] = false;
        let terms = rows.of(row as usize);
        let Some(left) = work.checked_sub(terms.len()) else { return };
        work = left;
        let total = Reach::of_row(terms, rooms);
        for &(column, coefficient) in terms {
            let Some(room) = total.without(coefficient, rooms[column as usize]) else { continue };
            if room == rooms[column as usize] {
                continue;
            }
            rooms[column as usize] = room;
            for &(other, _) in rows_of.of(column as usize) {
                if other != row && !std::mem::replace(&mut is_waiting[other as usize], true) {
                    waiting.push_back(other);
                }
            }
        }
    }
}

/// How far the sum of a relation's terms can go: the finite part, and how many terms have no limit.
struct Reach {
    finite: [i128; 2],
    endless: [u32; 2],
}

impl Reach {
    fn of_row(terms: &[(u32, i32)], rooms: &[Room]) -> Self {
        let mut reach = Self { finite: [0; 2], endless: [0; 2] };
        for &(column, coefficient) in terms {
            for (end, of_term) in own(coefficient, rooms[column as usize]).into_iter().enumerate() {
                match of_term {
                    Some(units) => reach.finite[end] += units,
                    None => reach.endless[end] += 1,
                }
            }
        }
        reach
    }

    /// The room of one of the terms once the others are counted; `None` if they leave it as it is.
    fn without(&self, coefficient: i32, room: Room) -> Option<Room> {
        let own = own(coefficient, room);
        let mut narrowed = room;
        let mut changed = false;
        for (end, own) in own.into_iter().enumerate() {
            // What the others can go one way, this term can go the other way.
            let others = self.endless[end] - u32::from(own.is_none());
            if others > 0 {
                continue;
            }
            let units = self.finite[end] - own.unwrap_or(0);
            let side = usize::from((end == 0) == (coefficient > 0));
            let size = i128::from(coefficient.unsigned_abs());
            // Rounded outwards: a cell may move by a part of a unit.
            let limit = i64::try_from((units + size - 1) / size).unwrap_or(NO_LIMIT);
            if limit < narrowed[side] {
                narrowed[side] = limit;
                changed = true;
            }
        }
        changed.then_some(narrowed)
    }
}

/// How far a term goes down and up, both as distances.
fn own(coefficient: i32, [down, up]: Room) -> [Option<i128>; 2] {
    let size = i128::from(coefficient.unsigned_abs());
    let far = |room: i64| (room != NO_LIMIT).then_some(i128::from(room) * size);
    if coefficient > 0 { [far(down), far(up)] } else { [far(up), far(down)] }
}
