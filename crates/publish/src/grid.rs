//! Rows and columns before they become a file of some format.

use std::borrow::Cow;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Codes, letters.
    Text,
    /// Counts and numbers of cells.
    Whole,
    /// Amounts in units of so many decimals.
    Amount(u8),
    /// Anything else.
    Real,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

impl Column {
    pub(crate) fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind }
    }
}

/// One entry; its kind is that of its column, or it is empty.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Field<'a> {
    Empty,
    Text(Cow<'a, str>),
    Whole(i64),
    Amount(i64),
    Real(f64),
}

impl<'a> From<&'a str> for Field<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

/// Rows that are made when they are asked for, so that no second copy of a large table is held.
pub(crate) trait Grid: Sync {
    fn columns(&self) -> &[Column];
    fn rows(&self) -> usize;
    /// Adds the entries of a row to `fields`.
    fn fill<'a>(&'a self, row: usize, fields: &mut Vec<Field<'a>>);
    /// Whether a row is one to mark: withheld.
    fn is_marked(&self, _row: usize) -> bool {
        false
    }
}

/// Gives every column a name of its own; a variable may be called `value`.
pub(crate) fn make_names_unique(columns: &mut [Column]) {
    // The last columns are ours and keep their names.
    for at in (0..columns.len()).rev() {
        while columns[at + 1..].iter().any(|later| later.name == columns[at].name) {
            columns[at].name.push('_');
        }
    }
}
