//! The program for one need in a large table without hierarchies, among the largest codes of every dimension.
//!
//! A need that asks for much is met by cells that can fall far, and most of what can fall is in the parts of the table that a few large codes of each
//! dimension make up. (What rises may be small, and such cells are everywhere.) A neighbourhood that grows by prices stays far smaller than that, and a product of circuits
//! moves a few cells by the whole amount, which only totals can: both cost five to thirty times as much for the dearest needs of plain tables of 250 000 cells.

use super::price::{Prices, Program, Wish};
use super::protect::Workshop;
use crate::cover::Cover;
use crate::method::SuppressError;
use cellveil_core::{CellId, Witness};

/// How many cells such a part has at most: more if those leave too little room.
const CELLS: [usize; 2] = [12_000, 40_000];

impl Workshop<'_> {
    /// The cheapest table found for a wish and its kin in which only cells of the largest codes move.
    pub(super) fn among_largest(
        &self,
        cover: &Cover<'_>,
        prices: &Prices<'_>,
        wish: Wish<'_>,
    ) -> Result<Option<Witness>, SuppressError> {
        let Some(products) = self.products() else { return Ok(None) };
        let kin = self.kin(cover, products, wish);
        for most in CELLS {
            let Some(cells) = products.largest(wish.cell, most) else { return Ok(None) };
            let is_in = |cell: &CellId| cells.binary_search(cell).is_ok();
            let kin: Vec<_> = kin.iter().copied().filter(|(cell, _)| is_in(cell)).collect();
            let program = Program { kin: &kin, ..self.program(prices, wish) };
            let found = self.whole(program.cheapest(&cells)?);
            if found.is_some() || self.context.is_over() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}
