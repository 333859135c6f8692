//! Which part of a table the report shows, and how its dimensions lie on the page.

use super::facts::Facts;
use cellveil_core::{CodeId, Dimension, Reason, Why};
use std::collections::BTreeMap;

/// The most cells the page shows; of larger tables it shows the upper levels.
const MOST_CELLS: usize = 20_000;
/// The most codes that stand side by side.
const MOST_COLUMNS: usize = 120;
/// As many codes fit the width of a screen.
const SCREEN_COLUMNS: usize = 16;

/// What the page shows of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// A published amount, in units.
    Value(i64),
    /// A mark, and the rule that found it if it is sensitive.
    Withheld(Why, Option<Reason>),
}

/// The cells of a sheet, by row and column.
pub(super) type Sheet = BTreeMap<(CodeId, CodeId), Content>;

/// The cells shown, by the codes of the dimensions that are neither rows nor columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheets(pub(super) BTreeMap<Vec<CodeId>, Sheet>);

/// Rows, columns and the dimensions that a page cannot show side by side: one sheet per combination of their codes.
pub(crate) struct View {
    pub(super) row: usize,
    pub(super) column: Option<usize>,
    pub(super) others: Vec<usize>,
    /// Per dimension, the deepest level shown.
    limits: Vec<u8>,
    /// How many cells are shown.
    pub(super) shown: usize,
}

impl View {
    /// The longest dimension runs down the page. Across it runs the longest that fits a screen, or else the shortest.
    pub(crate) fn new(facts: &Facts<'_>) -> Self {
        let length = |d: &usize| facts.dimensions[*d].hierarchy.len();
        let dimensions = 0..facts.dimensions.len();
        let row = dimensions.clone().rev().max_by_key(length).unwrap_or(0);
        let rest = || dimensions.clone().rev().filter(|&d| d != row);
        let column = rest()
            .filter(|d| length(d) <= SCREEN_COLUMNS)
            .max_by_key(length)
            .or_else(|| rest().min_by_key(length));
        let others = dimensions.filter(|&d| d != row && Some(d) != column).collect();
        let limits = facts.dimensions.iter().map(deepest).collect();
        let mut view = Self { row, column, others, limits, shown: 0 };
        view.narrow(facts);
        view
    }

    /// Leaves out the deepest levels, of the other dimensions first, until the rest fits the page.
    fn narrow(&mut self, facts: &Facts<'_>) {
        if let Some(column) = self.column {
            while self.limits[column] > 0
                && self.codes(facts.dimensions, column).len() > MOST_COLUMNS
            {
                self.limits[column] -= 1;
            }
        }
        loop {
            let inside =
                |depths: &&Vec<u8>| depths.iter().zip(&self.limits).all(|(d, limit)| d <= limit);
            let kept = facts.levels.iter().filter(|(depths, _)| inside(depths));
            self.shown = kept.map(|(_, tally)| tally.cells).sum();
            let deepest = |among: &[usize]| {
                among
                    .iter()
                    .copied()
                    .filter(|&d| self.limits[d] > 0)
                    .max_by_key(|&d| self.limits[d])
            };
            let sides: Vec<usize> = self.column.into_iter().chain([self.row]).collect();
            match deepest(&self.others).or_else(|| deepest(&sides)) {
                Some(dimension) if self.shown > MOST_CELLS => self.limits[dimension] -= 1,
                _ => return,
            }
        }
    }

    /// The codes of a dimension that are shown, in display order.
    pub(super) fn codes(&self, dimensions: &[Dimension], dimension: usize) -> Vec<CodeId> {
        let hierarchy = &dimensions[dimension].hierarchy;
        let codes = 0..hierarchy.len() as CodeId;
        codes.filter(|&code| hierarchy.depth(code) <= self.limits[dimension]).collect()
    }

    /// Adds a cell to the sheets, if it is shown.
    pub(crate) fn add(
        &self,
        sheets: &mut Sheets,
        dimensions: &[Dimension],
        key: &[CodeId],
        content: impl FnOnce() -> Content,
    ) {
        let inside =
            |(d, &code): (usize, &CodeId)| dimensions[d].hierarchy.depth(code) <= self.limits[d];
        if key.iter().enumerate().all(inside) {
            let sheet = self.others.iter().map(|&d| key[d]).collect();
            let place = (key[self.row], self.column.map_or(0, |column| key[column]));
            sheets.0.entry(sheet).or_default().insert(place, content());
        }
    }
}

fn deepest(dimension: &Dimension) -> u8 {
    let hierarchy = &dimension.hierarchy;
    (0..hierarchy.len() as CodeId).map(|code| hierarchy.depth(code)).max().unwrap_or(0)
}
