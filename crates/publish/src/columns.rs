//! The columns that say which cell a row is.

use crate::PublishError;
use crate::grid::{Column, Field, Kind};
use cellveil_core::{CellId, CellNames, CodeId, Dimension};

/// One column per dimension, or one per level of it, finest first; the instance's own id where cells have no codes.
///
/// In level columns an aggregate leaves the finer levels empty, and the total leaves all of them empty.
pub(crate) struct NameColumns<'a> {
    names: &'a CellNames,
    /// For each dimension, for each of its codes, the codes to show in its columns.
    shown: Vec<Vec<Vec<Option<CodeId>>>>,
}

impl<'a> NameColumns<'a> {
    /// # Errors
    /// If a cell's id does not fit the files' 64-bit numbers.
    pub(crate) fn new(names: &'a CellNames) -> Result<Self, PublishError> {
        match names {
            CellNames::Ids(ids) => match ids.iter().find(|&&id| i64::try_from(id).is_err()) {
                None => Ok(Self { names, shown: Vec::new() }),
                Some(id) => Err(PublishError::Unwritable(format!(
                    "cell {id} has a number beyond 63 bits; renumber the cells of the instance"
                ))),
            },
            CellNames::Labels(_) => Ok(Self { names, shown: Vec::new() }),
            CellNames::Codes { dimensions, .. } => {
                Ok(Self { names, shown: dimensions.iter().map(shown_codes).collect() })
            }
        }
    }

    pub(crate) fn columns(&self) -> Vec<Column> {
        match self.names {
            CellNames::Ids(_) | CellNames::Labels(_) => vec![Column::new("cell", Kind::Whole)],
            CellNames::Codes { dimensions, .. } => {
                let names = dimensions.iter().flat_map(column_names);
                names.map(|name| Column::new(name, Kind::Text)).collect()
            }
        }
    }

    pub(crate) fn fill(&self, cell: CellId, fields: &mut Vec<Field<'a>>) {
        match self.names {
            CellNames::Ids(_) | CellNames::Labels(_) => {
                fields.push(Field::Whole(self.names.id(cell) as i64));
            }
            CellNames::Codes { .. } => self.fill_codes(self.names.key(cell), fields),
        }
    }

    /// Adds the entries for a cell with these codes, one per dimension.
    pub(crate) fn fill_codes(&self, key: &[CodeId], fields: &mut Vec<Field<'a>>) {
        let CellNames::Codes { dimensions, .. } = self.names else { return };
        for ((dimension, shown), &code) in dimensions.iter().zip(&self.shown).zip(key) {
            fields.extend(shown[code as usize].iter().map(|code| match code {
                Some(code) => Field::from(dimension.hierarchy.name(*code)),
                None => Field::Empty,
            }));
        }
    }
}

/// The columns of a dimension.
pub(crate) fn column_names(dimension: &Dimension) -> &[String] {
    if dimension.levels.is_empty() {
        std::slice::from_ref(&dimension.name)
    } else {
        &dimension.levels
    }
}

fn shown_codes(dimension: &Dimension) -> Vec<Vec<Option<CodeId>>> {
    let hierarchy = &dimension.hierarchy;
    let codes = 0..hierarchy.len() as CodeId;
    if dimension.levels.is_empty() {
        return codes.map(|code| vec![Some(code)]).collect();
    }
    let mut parent = vec![None; hierarchy.len()];
    for sum in hierarchy.sums() {
        for &part in &sum.parts {
            // Level columns make one tree; the first parent is the only one.
            parent[part as usize].get_or_insert(sum.total);
        }
    }
    let levels = dimension.levels.len();
    let row = |code: CodeId| {
        let mut row = vec![None; levels];
        let mut above = Some(code);
        while let Some(code) = above {
            let depth = usize::from(hierarchy.depth(code));
            if (1..=levels).contains(&depth) {
                row[levels - depth] = Some(code);
            }
            above = parent[code as usize];
        }
        row
    };
    codes.map(row).collect()
}
