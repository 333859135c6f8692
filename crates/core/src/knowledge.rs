//! What stronger intruders know beyond the published table.

use crate::{CellId, Insiders, Intruder, Needs, Pattern, Problem, ProblemError, Status};

/// What an intruder is taken to know beyond what everybody does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Beyond {
    /// That every cell is a whole number.
    pub(crate) whole: bool,
    /// Singletons behind which the same holding stands, as groups.
    pub(crate) coalitions: Vec<Vec<CellId>>,
    /// What was published earlier: the bounds of those cells say so.
    pub(crate) earlier: bool,
}

impl Problem {
    /// The same problem against intruders who know that the cells are counts: whole numbers.
    ///
    /// # Errors
    /// [`ProblemError::NotCounts`] if the values have decimals or one is negative.
    pub fn of_counts(mut self) -> Result<Self, ProblemError> {
        let negative = self.cells().find(|&cell| self.value(cell) < 0);
        if self.decimals() > 0 || negative.is_some() {
            return Err(ProblemError::NotCounts);
        }
        self.beyond.whole = true;
        Ok(self)
    }

    /// The same problem where everybody knows that no withheld cell is zero, because zeros are published: cells without
    /// a need that are zero become frozen, and all others are at least 1. Changes nothing if a zero is sensitive or withheld.
    #[must_use]
    pub fn above_zero(mut self) -> Self {
        let must_hide = |status: Status| matches!(status, Status::Sensitive | Status::Withheld);
        if self.cells().any(|cell| self.value(cell) == 0 && must_hide(self.status(cell))) {
            return self;
        }
        for cell in self.cells() {
            let at = cell.index();
            if self.value(cell) == 0 {
                self.parts.status[at] = Status::Frozen;
            } else if self.value(cell) > 0 {
                self.parts.lower[at] = self.parts.lower[at].max(1);
            }
        }
        self.with_needs_within_bounds()
    }

    /// The same problem for intruders who see a pattern without withheld zeros, and conclude that none of the withheld cells
    /// is one.
    #[must_use]
    pub fn zeros_seen_in(mut self, pattern: &Pattern) -> Self {
        if pattern.withheld().any(|(cell, _)| self.value(cell) == 0) {
            return self;
        }
        for (cell, _) in pattern.withheld() {
            if self.value(cell) > 0 {
                let lower = &mut self.parts.lower[cell.index()];
                *lower = (*lower).max(1);
            }
        }
        self.with_needs_within_bounds()
    }

    /// Nothing lies below the lower bound, so a need that reaches there asks for the bound itself.
    fn with_needs_within_bounds(mut self) -> Self {
        let needs = self.needs().iter().map(|need| {
            let room = self.room(need.cell, crate::Side::Down);
            crate::Need { down: need.down.min(room.unwrap_or(i64::MAX)), ..*need }
        });
        self.parts.needs = Needs::new(needs.collect());
        self
    }

    /// The same problem where each group of singletons has one holding behind it, whose parts tell each other what they know.
    ///
    /// # Errors
    /// [`ProblemError::Singletons`] if a group names a cell that is no singleton.
    pub fn with_coalitions(mut self, coalitions: Vec<Vec<CellId>>) -> Result<Self, ProblemError> {
        let is_singleton = |cell: &CellId| self.parts.singletons.binary_search(cell).is_ok();
        if !coalitions.iter().flatten().all(is_singleton) {
            return Err(ProblemError::Singletons);
        }
        self.insiders = Insiders::new(&self.parts.singletons, &self.parts.relations, &coalitions);
        self.beyond.coalitions = coalitions;
        Ok(self)
    }

    /// The same problem against the intruders of another with the same cells.
    #[must_use]
    pub fn against_those_of(mut self, other: &Self) -> Self {
        self.beyond = other.beyond.clone();
        self.insiders =
            Insiders::new(&self.parts.singletons, &self.parts.relations, &self.beyond.coalitions);
        self
    }

    /// The same problem after earlier releases in which some cells were published: everybody knows them, whatever is done now,
    /// and withholding them is of no use. A need of such a cell cannot be met any more.
    #[must_use]
    pub fn after_earlier_releases(mut self, published: impl IntoIterator<Item = CellId>) -> Self {
        self.beyond.earlier = true;
        for cell in published {
            let at = cell.index();
            self.parts.lower[at] = self.parts.values[at];
            self.parts.upper[at] = self.parts.values[at];
            if self.parts.status[at] == Status::Free {
                self.parts.status[at] = Status::Frozen;
            }
        }
        self
    }

    /// Whether intruders know that every cell is a whole number.
    pub fn is_whole(&self) -> bool {
        self.beyond.whole
    }

    /// Groups of singletons with one holding behind them.
    pub fn coalitions(&self) -> &[Vec<CellId>] {
        &self.beyond.coalitions
    }

    /// Whether intruders know what was published earlier.
    pub fn has_earlier_releases(&self) -> bool {
        self.beyond.earlier
    }

    /// The intruder that every claim is about, before insiders are considered.
    pub fn outsider(&self) -> Intruder {
        match (self.beyond.whole, self.beyond.earlier) {
            (true, _) => Intruder::Integer,
            (false, true) => Intruder::Earlier,
            (false, false) => Intruder::External,
        }
    }

    /// What an insider is called in claims.
    pub fn insider_kind(&self, insider: u32) -> Intruder {
        if self.insiders().is_holding(insider) { Intruder::Coalition } else { Intruder::Singleton }
    }
}
