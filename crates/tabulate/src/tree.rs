//! A tree of codes as a file lists it.

use crate::{HierarchySpec, TabulateError, hrc, parent_child};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// One code of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The code.
    pub name: String,
    /// The position of the code above; `None` right below the total.
    pub parent: Option<usize>,
    /// Where the file lists it.
    pub line: u64,
}

/// The codes below the total, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Parents before their children.
    pub nodes: Vec<Node>,
}

/// Finds the lines that list each code, and refuses a second one.
pub(crate) struct Lines<'a> {
    file: &'a Path,
    listed: HashMap<String, u64>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(file: &'a Path) -> Self {
        Self { file, listed: HashMap::new() }
    }

    pub(crate) fn list(&mut self, code: &str, line: u64) -> Result<(), TabulateError> {
        match self.listed.insert(code.to_owned(), line) {
            None => Ok(()),
            Some(first) => Err(TabulateError::ListedTwice {
                file: self.file.to_owned(),
                code: code.to_owned(),
                first,
                again: line,
            }),
        }
    }
}

/// How codes get above other codes.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// By columns of the records; positions among the variable's columns, finest first.
    Levels(Vec<usize>),
    /// By a file.
    Tree(Tree),
    /// By their first characters; where each level ends.
    Digits(Vec<usize>),
}

impl Form {
    /// Reads what a specification names.
    pub(crate) fn read(
        spec: &HierarchySpec,
        total: &str,
        columns: &[String],
    ) -> Result<Self, TabulateError> {
        match spec {
            HierarchySpec::Levels(levels) => {
                let position = |level: &String| columns.iter().position(|column| column == level);
                Ok(Self::Levels(levels.iter().filter_map(position).collect()))
            }
            HierarchySpec::ParentChild(file) => Ok(Self::Tree(parent_child::read(file, total)?)),
            HierarchySpec::Hrc(file, lead) => {
                Ok(Self::Tree(hrc::read(file, lead.as_deref(), total)?))
            }
            HierarchySpec::Digits(digits) => Ok(Self::Digits(
                digits
                    .iter()
                    .scan(0, |end, &length| {
                        *end += length;
                        Some(*end)
                    })
                    .collect(),
            )),
        }
    }
}

/// The text of a hierarchy file, which must not be empty.
pub(crate) fn text_of(file: &Path) -> Result<String, TabulateError> {
    let unreadable = |why: std::io::Error| TabulateError::Unreadable {
        file: PathBuf::from(file),
        why: why.to_string(),
    };
    Ok(crate::text::decode(&std::fs::read(file).map_err(unreadable)?))
}
