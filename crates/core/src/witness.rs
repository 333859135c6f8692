//! The proof that a pattern is safe, in a form that additions can check.

use crate::{CellId, Side};

/// Another table that fits everything published: the true one, changed in a few withheld cells.
///
/// Cell `i` moves by `moves[i] / denominator` units. The denominator is 1 unless a relation splits an amount into parts that are
/// no whole units, as tables of three and more dimensions do now and then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Witness {
    /// What the moves are divided by; at least 1.
    pub denominator: u32,
    /// The cells that move, ascending, and how far.
    pub moves: Vec<(CellId, i64)>,
}

impl Witness {
    /// How far a cell moves, times the denominator.
    pub fn move_of(&self, cell: CellId) -> i64 {
        self.moves.binary_search_by_key(&cell, |&(c, _)| c).map_or(0, |at| self.moves[at].1)
    }

    /// Whether the witness moves a cell at least `distance` units to one side.
    pub fn reaches(&self, cell: CellId, side: Side, distance: i64) -> bool {
        i128::from(self.move_of(cell)) * i128::from(side.sign())
            >= i128::from(distance) * i128::from(self.denominator)
    }
}

/// Against whom a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intruder {
    /// Knows what is published and the bounds of what is not.
    External,
    /// Also knows what was published earlier.
    Earlier,
    /// Also knows that every cell is a whole number, so that only whole witnesses count.
    Integer,
    /// Also knows the cells to which it is the only contributor (see [`Insiders`](crate::Insiders)). For each such contributor,
    /// the claims of a need whose witnesses leave all of its cells alone must meet the need on their own.
    Singleton,
    /// The same for the parts of one holding, who tell each other what they know.
    Coalition,
}

impl Intruder {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::External, Self::Earlier, Self::Integer, Self::Singleton, Self::Coalition];

    /// The name used in job files and claims.
    pub fn name(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Earlier => "earlier-releases",
            Self::Integer => "integer",
            Self::Singleton => "singleton",
            Self::Coalition => "coalition",
        }
    }
}

/// "This witness takes that cell far enough to that side."
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    /// The sensitive cell.
    pub cell: CellId,
    /// Which side of its need is met.
    pub side: Side,
    /// Against whom.
    pub intruder: Intruder,
    /// The position of the witness in the certificate.
    pub witness: u32,
}

/// For each need and side the witnesses that meet it. A witness may serve many needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// The alternative tables.
    pub witnesses: Vec<Witness>,
    /// What they show.
    pub claims: Vec<Claim>,
}
