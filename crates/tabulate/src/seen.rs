//! The distinct values of a variable, as they are met.

use crate::assembly::Values;
use crate::text;
use std::collections::HashMap;
use std::fmt::Write as _;

/// The distinct values of one variable's columns, numbered as they are met.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    positions: HashMap<String, u32>,
    pub(crate) values: Vec<Values>,
}

impl Seen {
    /// The number of some values, one per column; they get one if they are new.
    pub fn position(&mut self, values: &[Option<&str>]) -> u32 {
        let name = name_of(values);
        if let Some(&at) = self.positions.get(&name) {
            return at;
        }
        let at = self.values.len() as u32;
        self.positions.insert(name, at);
        let owned = |value: Option<&str>| value.and_then(text::code).map(str::to_owned);
        self.values.push(values.iter().copied().map(owned).collect());
        at
    }

    /// The number of some values, if they have been met.
    pub fn find(&self, values: &[Option<&str>]) -> Option<u32> {
        self.positions.get(&name_of(values)).copied()
    }

    /// The value of a number, of the first column.
    pub fn value(&self, at: u32) -> Option<&str> {
        self.values.get(at as usize).and_then(|values| values.first()?.as_deref())
    }

    /// Takes in what was met elsewhere.
    pub fn merge(&mut self, other: &Self) {
        for values in &other.values {
            let texts: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
            self.position(&texts);
        }
    }

    /// How many distinct values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// One text for values of several columns; blanks at the end of a value do not count.
fn name_of(values: &[Option<&str>]) -> String {
    let mut name = String::new();
    for value in values {
        match value.and_then(text::code) {
            // Writing to a string cannot fail.
            Some(text) => _ = write!(name, "{}:{text}", text.len()),
            None => name.push('-'),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_once_whatever_blanks_follow() {
        let mut seen = Seen::default();
        assert_eq!(seen.position(&[Some("a"), None]), 0);
        assert_eq!(seen.position(&[Some("a "), Some("  ")]), 0);
        assert_eq!(seen.position(&[None, Some("a")]), 1);
        let mut other = Seen::default();
        other.position(&[Some("b"), Some("c")]);
        other.position(&[Some("a"), None]);
        seen.merge(&other);
        assert_eq!(seen.len(), 3);
        assert_eq!(seen.find(&[Some("b"), Some("c")]), Some(2));
        assert_eq!(seen.find(&[Some("b:1"), None]), None);
    }
}
