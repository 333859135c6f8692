//! Which cells are withheld, and why.

use crate::CellId;

/// Why a cell is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It is sensitive itself.
    Primary,
    /// It keeps others from being recomputed.
    Secondary,
}

impl Why {
    /// The letter used in files: `p` or `s`.
    pub fn letter(self) -> char {
        match self {
            Self::Primary => 'p',
            Self::Secondary => 's',
        }
    }
}

/// The withheld cells. An overlay: it never changes the table beneath it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    why: Vec<Option<Why>>,
}

impl Pattern {
    /// Publishes all of `cells` cells.
    pub fn open(cells: usize) -> Self {
        Self { why: vec![None; cells] }
    }

    /// The number of cells, published and withheld.
    pub fn cells(&self) -> usize {
        self.why.len()
    }

    /// Withholds a cell; a primary stays a primary.
    pub fn withhold(&mut self, cell: CellId, why: Why) {
        let slot = &mut self.why[cell.index()];
        *slot = Some(slot.map_or(why, |before| before.min(why)));
    }

    /// Gives a secondary back. Primaries stay withheld.
    pub fn give_back(&mut self, cell: CellId) {
        if self.why[cell.index()] == Some(Why::Secondary) {
            self.why[cell.index()] = None;
        }
    }

    /// Why a cell is withheld; `None` if it is published.
    pub fn why(&self, cell: CellId) -> Option<Why> {
        self.why[cell.index()]
    }

    /// Whether a cell is withheld.
    pub fn is_withheld(&self, cell: CellId) -> bool {
        self.why[cell.index()].is_some()
    }

    /// The withheld cells, ascending.
    pub fn withheld(&self) -> impl Iterator<Item = (CellId, Why)> + '_ {
        self.why.iter().enumerate().filter_map(|(i, why)| why.map(|why| (CellId::at(i), why)))
    }

    /// The secondaries, ascending.
    pub fn secondaries(&self) -> impl Iterator<Item = CellId> + '_ {
        self.withheld().filter(|&(_, why)| why == Why::Secondary).map(|(cell, _)| cell)
    }
}
