//! The true, additive table.

use crate::margins::relations_among;
use crate::problem::check_sums;
use crate::{CellId, CellNames, CodeId, Contributors, Dimension, ProblemError, Relations};
use std::cmp::Ordering;
use std::sync::Arc;
use thiserror::Error;

/// The weighted number of respondents of every cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighted {
    /// The number of decimals of a weight.
    pub decimals: u8,
    /// The sum of weights per cell, in those units.
    pub counts: Vec<i64>,
}

/// The fields of a [`Table`], before they are checked. Cells ascend by key.
#[derive(Clone, Debug)]
pub struct TableParts {
    /// The variables that span the table.
    pub dimensions: Vec<Dimension>,
    /// The codes of every cell, row-major.
    pub keys: Vec<CodeId>,
    /// The response's name; `None` for a table of counts.
    pub response: Option<String>,
    /// The number of decimals of a value.
    pub decimals: u8,
    /// The value of every cell, in units.
    pub values: Vec<i64>,
    /// The number of decimals of a single contribution; differs from `decimals` in weighted tables.
    pub contribution_decimals: u8,
    /// Respondents of every cell.
    pub respondents: Contributors,
    /// Holdings of every cell, where the records say who belongs to which.
    pub holdings: Option<Contributors>,
    /// Weighted counts, where there are weights.
    pub weighted: Option<Weighted>,
    /// Per cell the largest contribution among those who asked for protection, for each of the two request codes.
    pub requests: Option<Vec<[Option<i64>; 2]>>,
    /// A cell with a negative contribution, if there is any.
    pub negative: Option<CellId>,
    /// By how many units a total may miss its parts; 0 unless the values were rounded before they came here.
    pub tolerance: i64,
}

/// An additive table: cells that exist, and every sum that holds among them.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) parts: TableParts,
    names: CellNames,
    relations: Relations,
}

/// Why parts do not make a table.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TableError {
    /// Columns of different lengths or keys out of order: a mistake of the program that built them.
    #[error("internal: the columns of a table do not fit together")]
    Columns,
    /// The same cell twice.
    #[error("cell `{0}` is listed twice")]
    Twice(String),
    /// A cell without one of its totals.
    #[error("cell `{part}` has no total `{total}`")]
    NoTotal {
        /// The cell.
        part: String,
        /// The missing total.
        total: String,
    },
    /// Totals that are not the sums of their parts.
    #[error(transparent)]
    NotAdditive(#[from] ProblemError),
    /// More cells than can be numbered.
    #[error("the table has more than 4 billion cells")]
    TooLarge,
    /// Tables that cannot be joined to one.
    #[error("tables cannot be linked: {0}")]
    Unlike(String),
}

impl Table {
    /// Checks the parts, finds every sum among the cells and checks that each holds.
    ///
    /// # Errors
    /// [`TableError`] names the cells at fault.
    pub fn new(mut parts: TableParts) -> Result<Self, TableError> {
        let width = parts.dimensions.len();
        let cells = parts.values.len();
        let fits = parts.keys.len() == cells * width
            && parts.respondents.len() == cells
            && parts.holdings.as_ref().is_none_or(|h| h.len() == cells)
            && parts.weighted.as_ref().is_none_or(|w| w.counts.len() == cells)
            && parts.requests.as_ref().is_none_or(|r| r.len() == cells);
        let coded = |row: &[CodeId]| {
            parts.dimensions.iter().zip(row).all(|(d, &code)| (code as usize) < d.hierarchy.len())
        };
        if !fits || width == 0 || !parts.keys.chunks_exact(width).all(coded) {
            return Err(TableError::Columns);
        }
        if cells >= u32::MAX as usize {
            return Err(TableError::TooLarge);
        }
        // From here on the names alone hold the keys.
        let keys = Arc::new(std::mem::take(&mut parts.keys));
        let names = CellNames::Codes { dimensions: parts.dimensions.clone(), keys: keys.clone() };
        let (before, after) = (keys.chunks_exact(width), keys.chunks_exact(width).skip(1));
        for (at, (before, after)) in before.zip(after).enumerate() {
            match before.cmp(after) {
                Ordering::Less => {}
                Ordering::Equal => {
                    return Err(TableError::Twice(names.describe(CellId::at(at)).to_string()));
                }
                Ordering::Greater => return Err(TableError::Columns),
            }
        }
        let relations = relations_among(&parts.dimensions, &keys, &names)?;
        check_sums(&relations, &parts.values, &names, parts.tolerance)?;
        Ok(Self { parts, names, relations })
    }

    /// Some cells of a table, in order, without the sums they stand in: what rules look at that judge each cell by itself.
    #[must_use]
    pub fn excerpt(mut parts: TableParts) -> Self {
        let keys = Arc::new(std::mem::take(&mut parts.keys));
        let names = CellNames::Codes { dimensions: parts.dimensions.clone(), keys };
        Self { parts, names, relations: Relations::default() }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.parts.values.len()
    }

    /// Whether there is no cell at all.
    pub fn is_empty(&self) -> bool {
        self.parts.values.is_empty()
    }

    /// The variables that span the table.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.parts.dimensions
    }

    /// What the cells are called.
    pub fn names(&self) -> &CellNames {
        &self.names
    }

    /// The codes of one cell.
    pub fn key(&self, cell: CellId) -> &[CodeId] {
        self.names.key(cell)
    }

    /// The cell with the given codes, if it exists.
    pub fn find(&self, key: &[CodeId]) -> Option<CellId> {
        let CellNames::Codes { keys, .. } = &self.names else { return None };
        find_row(keys, self.parts.dimensions.len(), key)
    }

    /// About how many bytes a cell takes in a table of so many dimensions that keeps so many of the largest contributions, together with
    /// the instance that is made of it.
    pub fn bytes_per_cell(dimensions: usize, depth: usize) -> u64 {
        // Keys and relations take a number per dimension each; a cell is the total of one relation in every second dimension or so.
        let shared = 4 * dimensions + 4 * dimensions + 2 * dimensions;
        let table = 8 + 8 + 16 * depth;
        let instance = 8 + 8 + 8 + 8 + 1 + size_of::<crate::Need>();
        (shared + table + instance) as u64
    }

    /// The values, in units.
    pub fn values(&self) -> &[i64] {
        &self.parts.values
    }

    /// The number of decimals of a value.
    pub fn decimals(&self) -> u8 {
        self.parts.decimals
    }

    /// The number of decimals of a single contribution.
    pub fn contribution_decimals(&self) -> u8 {
        self.parts.contribution_decimals
    }

    /// The response's name; `None` for a table of counts.
    pub fn response(&self) -> Option<&str> {
        self.parts.response.as_deref()
    }

    /// Respondents of every cell.
    pub fn respondents(&self) -> &Contributors {
        &self.parts.respondents
    }

    /// Holdings of every cell, where known.
    pub fn holdings(&self) -> Option<&Contributors> {
        self.parts.holdings.as_ref()
    }

    /// Weighted counts, where there are weights.
    pub fn weighted(&self) -> Option<&Weighted> {
        self.parts.weighted.as_ref()
    }

    /// Largest contributions among those who asked for protection, where known.
    pub fn requests(&self) -> Option<&[[Option<i64>; 2]]> {
        self.parts.requests.as_deref()
    }

    /// A cell with a negative contribution, if there is any.
    pub fn negative(&self) -> Option<CellId> {
        self.parts.negative
    }

    /// By how many units a total may miss its parts.
    pub fn tolerance(&self) -> i64 {
        self.parts.tolerance
    }

    /// Every sum that holds among the cells.
    pub fn relations(&self) -> &Relations {
        &self.relations
    }

    /// Cells with exactly one contributor: one holding where holdings are known, one respondent otherwise.
    pub fn singletons(&self) -> Vec<CellId> {
        let contributors = self.holdings().unwrap_or(self.respondents());
        (0..self.len()).map(CellId::at).filter(|&cell| contributors.count(cell) == 1).collect()
    }
}

fn find_row(keys: &[CodeId], width: usize, key: &[CodeId]) -> Option<CellId> {
    let (mut from, mut to) = (0, keys.len() / width);
    while from < to {
        let middle = usize::midpoint(from, to);
        match keys[middle * width..(middle + 1) * width].cmp(key) {
            std::cmp::Ordering::Equal => return Some(CellId::at(middle)),
            std::cmp::Ordering::Less => from = middle + 1,
            std::cmp::Ordering::Greater => to = middle,
        }
    }
    None
}
