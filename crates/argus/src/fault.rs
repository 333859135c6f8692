//! What is wrong with a file, where, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

/// What is wrong with a file of the τ-ARGUS family. Never shows an amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1, skipped lines included.
    pub line: Option<u64>,
    /// The number under which τ-ARGUS reports the same mistake, where it has one.
    pub number: Option<u16>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub hint: String,
}

impl Fault {
    /// Something wrong with a whole file.
    pub fn new(file: &Path, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            number: None,
            what: what.into(),
            hint: String::new(),
        }
    }

    /// In this line.
    #[must_use]
    pub fn at(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Under this number of τ-ARGUS.
    #[must_use]
    pub fn number(mut self, number: u16) -> Self {
        self.number = Some(number);
        self
    }

    /// With this way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)?;
        if let Some(number) = self.number {
            write!(f, " (τ-ARGUS error {number})")?;
        }
        if !self.hint.is_empty() {
            write!(f, "\nhint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
