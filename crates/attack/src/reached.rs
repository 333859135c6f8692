//! How far a cell can be moved, and who can say so.

use crate::flow::Flow;
use crate::reach::Probe;
use cellveil_core::{CellId, Side, Witness};
use cellveil_lp::EngineError;

/// The answer of a [`Probe`].
#[derive(Clone, Debug, PartialEq)]
pub enum Reached {
    /// A table in which the cell is moved as far as was asked.
    Target(Witness),
    /// No table is that far away; the furthest is, with a table nearly there if it could be written down exactly.
    Short {
        /// The furthest distance, in units.
        distance: f64,
        /// A table that is at most one unit less far.
        witness: Option<Witness>,
    },
}

/// Who can say how far a cell can be moved.
pub trait Reach {
    /// Looks for a table with `cell` moved `target` units to `side` and the cells `unmoved` left alone.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    fn reach(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Reached, EngineError>;
}

impl Reach for Probe<'_> {
    fn reach(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Reached, EngineError> {
        Probe::reach(self, cell, side, target, unmoved)
    }
}

impl Reach for Flow<'_> {
    fn reach(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Result<Reached, EngineError> {
        Ok(Flow::reach(self, cell, side, target, unmoved))
    }
}
