//! Programs for two needs side by side.
//!
//! A program for a dear need of a large table keeps one core busy for a second or more. Where time is limited, the next need gets its own beside it, at the
//! same prices. What it finds holds whatever the first withholds, and can only cost less then; but it does not look for cells that the first takes, so that
//! without a limit one need follows the other.

use super::price::{Prices, Program, Wish};
use super::protect::Workshop;
use crate::cover::Cover;
use crate::method::SuppressError;
use cellveil_core::{CellId, Side, Witness};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// One that costs more than this part of all that is withheld is worth a program.
const WORTH_IT: f64 = 0.002;

/// …as long as no more work than this was done; programs among the largest codes of tables without hierarchies are larger and take longer.
const MOST_LEVELS: u64 = 6_000_000;
const MOST_AMONG_LARGEST: u64 = 800_000;

/// What was found for needs whose turn has not come.
#[derive(Default)]
pub(super) struct Ahead(Mutex<BTreeMap<(CellId, bool), Witness>>);

impl Ahead {
    fn has(&self, cell: CellId, side: Side) -> bool {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.contains_key(&(cell, side == Side::Up))
    }

    fn put(&self, wish: Wish<'_>, witness: Witness) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert((wish.cell, wish.side == Side::Up), witness);
    }

    fn take(&self, wish: Wish<'_>) -> Option<Witness> {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let witness = found.remove(&(wish.cell, wish.side == Side::Up))?;
        let grants = witness.reaches(wish.cell, wish.side, wish.target)
            && wish.unmoved.iter().all(|&cell| witness.move_of(cell) == 0);
        grants.then_some(witness)
    }
}

impl Workshop<'_> {
    /// What a program finds for a wish that is dear by products, as long as more seconds than these are left; the next one gets its own beside it.
    pub(super) fn by_program(
        &self,
        cover: &Cover<'_>,
        wish: Wish<'_>,
        without: &Witness,
        reserve: f64,
    ) -> Result<Option<Witness>, SuppressError> {
        if let Some(found) = self.ahead.take(wish) {
            return Ok(Some(found));
        }
        if !self.is_worth_it(cover, without, reserve) {
            return Ok(None);
        }
        let is_limited = (self.context.seconds_left)().is_some();
        let next = if is_limited { self.next_wish(cover, wish) } else { None };
        let Some(next) = next else { return self.solved(cover, wish, without, reserve) };
        let (found, beside) = rayon::join(
            || self.solved(cover, wish, without, reserve),
            || self.solved_ahead(cover, next, reserve),
        );
        if let Some(witness) = beside? {
            self.ahead.put(next, witness);
        }
        found
    }

    fn is_worth_it(&self, cover: &Cover<'_>, without: &Witness, reserve: f64) -> bool {
        let most = if self.has_levels() { MOST_LEVELS } else { MOST_AMONG_LARGEST };
        self.has_more_than(reserve)
            && self.work() < most
            && cover.charge(without) > WORTH_IT * cover.cost()
    }

    fn solved(
        &self,
        cover: &Cover<'_>,
        wish: Wish<'_>,
        without: &Witness,
        reserve: f64,
    ) -> Result<Option<Witness>, SuppressError> {
        let prices = Prices::new(cover);
        let seconds_left = || Some((self.context.seconds_left)()? - reserve);
        let program = Program { seconds_left: &seconds_left, ..self.program(&prices, wish) };
        if self.has_levels() {
            self.by_levels(cover, program, without)
        } else {
            self.among_largest(cover, program, without)
        }
    }

    fn solved_ahead(
        &self,
        cover: &Cover<'_>,
        wish: Wish<'_>,
        reserve: f64,
    ) -> Result<Option<Witness>, SuppressError> {
        let without = self.without_programs(cover, &Prices::new(cover), wish);
        let Some(without) = without.filter(|w| self.is_worth_it(cover, w, reserve)) else {
            return Ok(None);
        };
        self.solved(cover, wish, &without, reserve)
    }

    /// The wish that asks for most of those whose turn comes after a wish and its kin.
    fn next_wish(&self, cover: &Cover<'_>, wish: Wish<'_>) -> Option<Wish<'static>> {
        let products = self.products()?;
        let wishes = (0..self.problem.needs().len()).filter_map(|need| {
            let cell = self.problem.needs()[need].cell;
            let is_kin = products.is_above(cell, wish.cell) || products.is_above(wish.cell, cell);
            if cell == wish.cell || is_kin {
                return None;
            }
            let of_side = |side| Some((cover.wanted(need, side, None)?, side));
            let (target, side) = of_side(Side::Up).or_else(|| of_side(Side::Down))?;
            let follows = target <= wish.target && !self.ahead.has(cell, side);
            follows.then_some(Wish { cell, side, target, unmoved: &[] })
        });
        wishes.min_by_key(|wish| (std::cmp::Reverse(wish.target), wish.cell))
    }
}

#[cfg(test)]
mod tests {
    use super::{Ahead, Wish};
    use cellveil_core::{CellId, Side, Witness};

    #[test]
    fn what_was_found_ahead_serves_once_and_only_if_it_still_grants_the_wish() {
        let [cell, other] = [CellId(3), CellId(5)];
        let witness = Witness { denominator: 2, moves: vec![(cell, 20), (other, -20)] };
        let wish = |side, target, unmoved| Wish { cell, side, target, unmoved };
        let [moved, unmoved] = [[other], [CellId(4)]];
        let cases = [
            (wish(Side::Up, 10, &[][..]), true),
            (wish(Side::Up, 11, &[]), false),
            (wish(Side::Down, 10, &[]), false),
            (wish(Side::Up, 10, &moved), false),
            (wish(Side::Up, 10, &unmoved), true),
        ];
        for (asked, serves) in cases {
            let ahead = Ahead::default();
            ahead.put(wish(Side::Up, 10, &[]), witness.clone());
            assert!(ahead.has(cell, Side::Up) && !ahead.has(other, Side::Up));
            assert_eq!(ahead.take(asked), serves.then(|| witness.clone()));
            assert_eq!(ahead.take(wish(Side::Up, 10, &[])).is_some(), asked.side == Side::Down);
        }
    }
}
