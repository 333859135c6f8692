//! Cells, and what people call them.

use crate::{CodeId, Hierarchy};
use std::fmt;
use std::sync::Arc;

/// A cell, counted from 0 in the order of its table or instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

impl CellId {
    /// The position of the cell in the columns of its table.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell at a position.
    ///
    /// # Panics
    /// If the position does not fit 32 bits; tables are refused before they grow that large.
    pub fn at(index: usize) -> Self {
        match u32::try_from(index) {
            Ok(id) => Self(id),
            Err(_) => unreachable!("a table holds fewer than 2^32 cells"),
        }
    }
}

/// One variable that spans a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// The variable's name, as in the job file or the records.
    pub name: String,
    /// For a variable given by level columns: the columns, finest first. Empty otherwise.
    pub levels: Vec<String>,
    /// Its codes and which of them add up to which.
    pub hierarchy: Arc<Hierarchy>,
}

/// How cells are called in files and messages.
#[derive(Clone, Debug, PartialEq)]
pub enum CellNames {
    /// By the numbers of the instance they came from.
    Ids(Vec<u64>),
    /// By one code per dimension; `keys` is row-major, one row per cell.
    Codes {
        /// The variables that span the table.
        dimensions: Vec<Dimension>,
        /// The code of every cell in every dimension; copies share them.
        keys: Arc<Vec<CodeId>>,
    },
    /// By texts, where cells come from several tables or stand for sums of others. In files they have the number of their row.
    Labels(Vec<String>),
}

impl CellNames {
    /// The number of cells named.
    pub fn len(&self) -> usize {
        match self {
            Self::Ids(ids) => ids.len(),
            Self::Labels(labels) => labels.len(),
            Self::Codes { dimensions, keys } => {
                keys.len().checked_div(dimensions.len()).unwrap_or(0)
            }
        }
    }

    /// Whether no cell is named.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of one cell, one per dimension. Empty when cells have numbers only.
    pub fn key(&self, cell: CellId) -> &[CodeId] {
        match self {
            Self::Ids(_) | Self::Labels(_) => &[],
            Self::Codes { dimensions, keys } => {
                let width = dimensions.len();
                &keys[cell.index() * width..(cell.index() + 1) * width]
            }
        }
    }

    /// The number a cell carries in files: its own id, or its row counted from 0.
    pub fn id(&self, cell: CellId) -> u64 {
        match self {
            Self::Ids(ids) => ids[cell.index()],
            Self::Codes { .. } | Self::Labels(_) => u64::from(cell.0),
        }
    }

    /// The cell as a person reads it: `region=Nord, activity=B`, or `cell 17`.
    pub fn describe(&self, cell: CellId) -> impl fmt::Display + '_ {
        Described { names: self, cell }
    }
}

struct Described<'a> {
    names: &'a CellNames,
    cell: CellId,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.names {
            CellNames::Ids(ids) => write!(f, "cell {}", ids[self.cell.index()]),
            CellNames::Labels(labels) => f.write_str(&labels[self.cell.index()]),
            CellNames::Codes { dimensions, .. } => {
                for (d, (dimension, &code)) in
                    dimensions.iter().zip(self.names.key(self.cell)).enumerate()
                {
                    let comma = if d == 0 { "" } else { ", " };
                    write!(f, "{comma}{}={}", dimension.name, dimension.hierarchy.name(code))?;
                }
                Ok(())
            }
        }
    }
}
