//! Values that are published in place of the true ones.

use crate::ArgusTable;
use cellveil_core::CellId;

/// How values were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjusting {
    /// To multiples of a base.
    Rounded,
    /// By controlled tabular adjustment.
    Moved,
}

impl Adjusting {
    /// What is added to the name of the response.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Rounded => "_Round",
            Self::Moved => "_CTA",
        }
    }
}

/// Values that are published in place of the true ones, one per cell that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjusted {
    /// How they were changed.
    pub how: Adjusting,
    /// The decimals of their unit.
    pub decimals: u8,
    /// The values, in units.
    pub values: Vec<i64>,
}

impl ArgusTable {
    /// The value of a cell that everybody may see, with the decimals of its unit.
    pub(crate) fn shown(&self, cell: CellId) -> (i64, u8) {
        match &self.adjusted {
            Some(adjusted) => (adjusted.values[cell.index()], adjusted.decimals),
            None => (self.response.values()[cell.index()], self.response.decimals()),
        }
    }
}
