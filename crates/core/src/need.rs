//! What a sensitive cell asks for.

use crate::CellId;
use serde::{Deserialize, Serialize};

/// Why a cell is sensitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Too few respondents.
    Frequency,
    /// A few respondents hold too much of the cell.
    Dominance,
    /// The largest respondent can be estimated too closely.
    PPercent,
    /// As p%, with what others knew before counted.
    Pq,
    /// A respondent asked for protection.
    Request,
    /// A zero that tells something about its respondents.
    Zero,
    /// Somebody said so.
    Manual,
    /// The cell holds too much of its row.
    RowShare,
    /// The cell holds too much of its column.
    ColumnShare,
    /// The instance came with it.
    Given,
    /// It is withheld for the sake of others, and the interval of every withheld cell must be wide enough.
    Interval,
}

impl Reason {
    /// The name used in job files, reports and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frequency => "frequency",
            Self::Dominance => "dominance",
            Self::PPercent => "p-percent",
            Self::Pq => "pq",
            Self::Request => "request",
            Self::Zero => "zero",
            Self::Manual => "manual",
            Self::RowShare => "row-share",
            Self::ColumnShare => "column-share",
            Self::Given => "given",
            Self::Interval => "interval",
        }
    }
}

/// Below or above the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Some consistent table must lie far enough below.
    Down,
    /// Some consistent table must lie far enough above.
    Up,
}

impl Side {
    /// Both sides.
    pub const BOTH: [Self; 2] = [Self::Down, Self::Up];

    /// −1 for down, +1 for up.
    pub fn sign(self) -> i64 {
        match self {
            Self::Down => -1,
            Self::Up => 1,
        }
    }

    /// `down` or `up`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Up => "up",
        }
    }
}

/// How far from its true value an intruder must be left, for one sensitive cell. Distances are in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The sensitive cell.
    pub cell: CellId,
    /// Some consistent table must have the cell at least this far below its value.
    pub down: i64,
    /// Some consistent table must have the cell at least this far above its value.
    pub up: i64,
    /// Two consistent tables must be at least this far apart in the cell.
    pub sliding: i64,
    /// The rule that asks for it; with several, the first in the order of evaluation.
    pub reason: Reason,
}

impl Need {
    /// The distance asked for on one side.
    pub fn on(&self, side: Side) -> i64 {
        match side {
            Side::Down => self.down,
            Side::Up => self.up,
        }
    }
}

/// The needs of a table, ascending by cell, at most one per cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    list: Vec<Need>,
    /// Per 64 cells, which of them have needs, and how many needs come before: millions of needs are found without a search.
    blocks: Vec<(u64, u32)>,
}

impl Needs {
    /// Sorts needs by cell; several for one cell become one with the largest distances and the first one's reason.
    pub fn new(mut needs: Vec<Need>) -> Self {
        needs.sort_by_key(|need| need.cell);
        let mut merged: Vec<Need> = Vec::with_capacity(needs.len());
        for need in needs {
            match merged.last_mut() {
                Some(last) if last.cell == need.cell => {
                    last.down = last.down.max(need.down);
                    last.up = last.up.max(need.up);
                    last.sliding = last.sliding.max(need.sliding);
                }
                _ => merged.push(need),
            }
        }
        let last = merged.last().map_or(0, |need| need.cell.index() / 64 + 1);
        let mut blocks = vec![(0_u64, 0_u32); last];
        for need in &merged {
            blocks[need.cell.index() / 64].0 |= 1 << (need.cell.index() % 64);
        }
        let mut before = 0;
        for (bits, rank) in &mut blocks {
            *rank = before;
            before += bits.count_ones();
        }
        Self { list: merged, blocks }
    }

    /// The need of a cell, if it is sensitive.
    pub fn of(&self, cell: CellId) -> Option<&Need> {
        self.position(cell).map(|at| &self.list[at])
    }

    /// Where the need of a cell stands in the list.
    pub fn position(&self, cell: CellId) -> Option<usize> {
        let &(bits, rank) = self.blocks.get(cell.index() / 64)?;
        let bit = 1_u64 << (cell.index() % 64);
        (bits & bit != 0).then(|| rank as usize + (bits & (bit - 1)).count_ones() as usize)
    }
}

impl std::ops::Deref for Needs {
    type Target = [Need];

    fn deref(&self) -> &[Need] {
        &self.list
    }
}

impl<'a> IntoIterator for &'a Needs {
    type Item = &'a Need;
    type IntoIter = std::slice::Iter<'a, Need>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}
