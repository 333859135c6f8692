//! The program for some needs of a large table without hierarchies, among the largest codes of every dimension.
//!
//! A need that asks for much is met by cells that can fall far, and most of what can fall is in the parts of the table that a few large codes of each
//! dimension make up. (What rises may be small, and such cells are everywhere.) A neighbourhood that grows by prices stays far smaller than that, and a product of circuits
//! moves a few cells by the whole amount, which only totals can: both cost five to thirty times as much for the dearest needs of plain tables of 250 000 cells.

use super::price::{Program, Wish};
use super::protect::Workshop;
use crate::cover::Cover;
use crate::method::SuppressError;
use cellveil_core::{CellId, Witness};
use std::cmp::Reverse;

/// How many cells such a part has at most: more if a need that costs more than this part of all that is withheld finds nothing cheaper.
const CELLS: usize = 8_000;
const MORE_CELLS: usize = 16_000;
const WORTH_MORE: f64 = 0.2;

/// So many of the next needs are met by the same program (grouping, Serpell et al. (17)–(19)), if they ask for more than one part in so many of
/// what the first does. It takes as long as for one.
const NEXT: usize = 3;
const AS_MUCH: i64 = 2;

impl Workshop<'_> {
    /// The cheapest table found for a wish, its kin and the next wishes in which only cells of the largest codes move; for the wish and its kin
    /// alone if that is dearer than a known table.
    pub(super) fn among_largest(
        &self,
        cover: &Cover<'_>,
        alone: Program<'_>,
        known: &Witness,
    ) -> Result<Option<Witness>, SuppressError> {
        let Some(products) = self.products() else { return Ok(None) };
        let (wish, known) = (alone.wish, cover.charge(known));
        let kin = self.kin(cover, products, wish);
        let next = self.next_after(cover, wish, &kin);
        let is_worth_more = known > WORTH_MORE * cover.cost();
        let attempts = [
            (!next.is_empty()).then_some((&next[..], CELLS)),
            Some((&[], CELLS)),
            is_worth_more.then_some((&[], MORE_CELLS)),
        ];
        for (others, most) in attempts.into_iter().flatten() {
            let asked = std::iter::once(wish.cell).chain(others.iter().map(|(cell, _)| *cell));
            let Some(cells) = products.largest(&asked.collect::<Vec<_>>(), most) else { break };
            let is_in = |(cell, _): &(CellId, i64)| cells.binary_search(cell).is_ok();
            let mut kin: Vec<_> = kin.iter().chain(others).copied().filter(is_in).collect();
            kin.sort_unstable();
            let found = self.whole(Program { kin: &kin, ..alone }.cheapest(&cells)?);
            let is_cheaper = found.as_ref().is_some_and(|found| cover.charge(found) < known);
            if is_cheaper || (alone.seconds_left)().is_some_and(|left| left <= 0.0) {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The wishes to the same side that come next after a wish, largest first, without its kin.
    fn next_after(
        &self,
        cover: &Cover<'_>,
        wish: Wish<'_>,
        kin: &[(CellId, i64)],
    ) -> Vec<(CellId, i64)> {
        if !wish.unmoved.is_empty() {
            return Vec::new();
        }
        let next = |need: usize| {
            let cell = self.problem.needs()[need].cell;
            let far = cover.wanted(need, wish.side, None)?;
            let asks_as_much = far > wish.target / AS_MUCH && far <= wish.target;
            let is_other = || cell != wish.cell && !kin.iter().any(|(kin, _)| *kin == cell);
            (asks_as_much && is_other()).then_some((cell, far))
        };
        let mut next: Vec<_> = (0..self.problem.needs().len()).filter_map(next).collect();
        next.sort_unstable_by_key(|&(cell, far)| (Reverse(far), cell));
        next.truncate(NEXT);
        next
    }
}
