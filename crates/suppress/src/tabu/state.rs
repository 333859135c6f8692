//! A safe pattern and the store of witnesses that shows it.

use super::store::Store;
use cellveil_core::{CellId, Pattern, Problem, Side, Status, Why, Witness};

/// The pattern and the store.
pub(super) struct State<'s> {
    pub(super) problem: &'s Problem,
    pub(super) pattern: Pattern,
    store: Store<'s>,
}

/// What a move changed.
pub(super) struct Change {
    /// The cell given back.
    pub(super) given_back: CellId,
    /// The cells withheld for it.
    pub(super) withheld: Vec<CellId>,
    /// By how much the cost rises.
    pub(super) rise: f64,
}

/// Which cells may be withheld.
type Allowed<'a> = &'a dyn Fn(CellId) -> bool;

impl<'s> State<'s> {
    pub(super) fn new(problem: &'s Problem, pattern: Pattern, witnesses: &[Witness]) -> Self {
        let mut state = Self { problem, pattern, store: Store::new(problem) };
        state.learn(witnesses);
        state
    }

    /// Takes witnesses into the store.
    pub(super) fn learn(&mut self, witnesses: &[Witness]) {
        for witness in witnesses {
            self.store.add(witness, &self.pattern);
        }
    }

    /// The witnesses of use.
    pub(super) fn witnesses(&self) -> Vec<Witness> {
        self.store.of_use()
    }

    /// The cells that may be given back, ascending.
    pub(super) fn candidates(&self) -> Vec<CellId> {
        let is_free = |cell: &CellId| self.problem.status(*cell) == Status::Free;
        self.pattern.secondaries().filter(is_free).collect()
    }

    /// Changes to another safe pattern.
    pub(super) fn go_to(&mut self, pattern: &Pattern) {
        for cell in self.problem.cells().filter(|&cell| self.problem.status(cell) == Status::Free) {
            match (self.pattern.is_withheld(cell), pattern.is_withheld(cell)) {
                (true, false) => {
                    self.publish(cell);
                }
                (false, true) => self.withhold(cell),
                _ => {}
            }
        }
    }

    /// Gives a cell back and withholds the cheapest cells that make up for it, of those that may be used. `None`, and nothing is
    /// changed, if what is in store is not enough.
    pub(super) fn exchange(&mut self, cell: CellId, may_use: Allowed<'_>) -> Option<Change> {
        let open = self.publish(cell);
        let mut change = Change { given_back: cell, withheld: Vec::new(), rise: 0.0 };
        let allowed = |other: CellId| other != cell && may_use(other);
        for need in open {
            if !self.meet(need, &allowed, &mut change.withheld) {
                self.undo(&change);
                return None;
            }
        }
        let added: f64 = change.withheld.iter().map(|&cell| self.problem.cost(cell)).sum();
        change.rise = added - self.problem.cost(cell);
        Some(change)
    }

    /// Takes an exchange back.
    pub(super) fn undo(&mut self, change: &Change) {
        for &cell in change.withheld.iter().rev() {
            self.publish(cell);
        }
        self.withhold(change.given_back);
    }

    /// Meets a need with witnesses in store.
    fn meet(&mut self, need: usize, allowed: Allowed<'_>, withheld: &mut Vec<CellId>) -> bool {
        if !self.approach(need, None, allowed, withheld) {
            return false;
        }
        while let Some(insider) = self.store.blocking(need) {
            if !self.approach(need, Some(insider), allowed, withheld) {
                return false;
            }
        }
        true
    }

    fn approach(
        &mut self,
        need: usize,
        insider: Option<u32>,
        allowed: Allowed<'_>,
        withheld: &mut Vec<CellId>,
    ) -> bool {
        for side in [Side::Up, Side::Down] {
            let Some(target) = self.store.wanted(need, side, insider) else { continue };
            let which = (need, side, insider);
            let missing = self.store.cheapest(which, target, &self.pattern, allowed);
            let Some(missing) = missing else { return false };
            for cell in missing {
                self.withhold(cell);
                withheld.push(cell);
            }
        }
        Side::BOTH.iter().all(|&side| self.store.wanted(need, side, insider).is_none())
    }

    fn publish(&mut self, cell: CellId) -> Vec<usize> {
        self.pattern.give_back(cell);
        self.store.publish(cell)
    }

    fn withhold(&mut self, cell: CellId) {
        self.pattern.withhold(cell, Why::Secondary);
        self.store.withhold(cell);
    }
}
