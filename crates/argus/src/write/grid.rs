//! Codes, values and statuses as all formats show them.

use crate::ArgusTable;
use cellveil_core::units::{self, Decimal};
use cellveil_core::{CellId, CodeId};

/// A table to be written.
pub(crate) struct Shown<'a> {
    pub(crate) table: &'a ArgusTable,
    pub(crate) quotes: bool,
}

impl Shown<'_> {
    /// A code, in quotes unless somebody minds.
    pub(crate) fn code(&self, dimension: usize, code: CodeId) -> String {
        let name = self.table.codes[dimension].dimension.hierarchy.name(code).replace('"', "'");
        if self.quotes { format!("\"{name}\"") } else { name }
    }

    /// All codes of a cell, each followed by a separator.
    pub(crate) fn codes(&self, key: &[CodeId], separator: &str) -> String {
        key.iter().enumerate().map(|(d, &code)| self.code(d, code) + separator).collect()
    }

    /// The true value with the decimals of its variable; `-` for an empty cell.
    pub(crate) fn value(&self, cell: Option<CellId>) -> String {
        match cell.filter(|_| !self.table.status(cell).is_empty()) {
            Some(cell) => rounded(
                self.table.response.values()[cell.index()],
                self.table.response.decimals(),
                self.table.decimals,
            ),
            None => "-".to_owned(),
        }
    }

    /// The value that everybody may see: the changed one where values were changed, else `x` where it is withheld.
    pub(crate) fn published(&self, cell: Option<CellId>) -> String {
        let status = self.table.status(cell);
        match (&self.table.adjusted, cell.filter(|_| !status.is_empty())) {
            (Some(_), Some(cell)) => {
                let (units, decimals) = self.table.shown(cell);
                // Never fewer decimals than there are, or sums would not hold.
                rounded(units, decimals, self.table.decimals.max(decimals))
            }
            (None, _) if status.is_withheld() => "x".to_owned(),
            _ => self.value(cell),
        }
    }
}

/// An amount of units with another number of decimals, halves away from zero.
pub(crate) fn rounded(units: i64, decimals: u8, shown: u8) -> String {
    let decimal = Decimal { mantissa: i128::from(units), decimals };
    match decimal.rounded_units(shown) {
        Some(units) => units::display(units, shown).to_string(),
        None => units::display(units, decimals).to_string(),
    }
}

/// A real number with as few digits as say the same, nine decimals at most.
pub(crate) fn real(number: f64) -> String {
    let shortest = number.to_string();
    if shortest.split_once('.').is_none_or(|(_, decimals)| decimals.len() <= 9) {
        return shortest;
    }
    let text = format!("{number:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
