//! Why the program ends without a result.

use cellveil_core::ProblemError;
use cellveil_generate::GenerateError;
use cellveil_publish::PublishError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why the program ends without a result.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The work failed.
    #[error(transparent)]
    Work(#[from] cellveil::Error),
    /// A batch stopped.
    #[error(transparent)]
    Batch(#[from] cellveil::BatchError),
    /// Data could not be made.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A file could not be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// A folder with files of somebody else.
    #[error("`{}` holds files that no demo wrote\nhint: name a new folder with `--out`", .0.display())]
    Occupied(PathBuf),
    /// Two kinds of file that cannot be converted.
    #[error("cannot convert `{}` to `{}`\nhint: {hint}", from.display(), to.display())]
    Convert { from: PathBuf, to: PathBuf, hint: &'static str },
    /// A base that is none.
    #[error(
        "`{0}` is no base for this table\nhint: give a number above 0 with no more decimals than the table has"
    )]
    Base(String),
    /// On-line adjustment without a key.
    #[error(
        "method `online` needs a key\nhint: name a file of random bytes with `--key-file`, and keep it: with the same key a cell goes the same way in every table"
    )]
    NoKey,
    /// Results could not be printed.
    #[error("cannot print results: {0}")]
    Print(io::Error),
}

impl Failure {
    /// Whether the work was done, but no safe table came of it.
    pub(crate) fn is_unsafe(&self) -> bool {
        match self {
            Self::Work(error) => error.is_unsafe(),
            Self::Batch(error) => error.is_unsafe(),
            _ => false,
        }
    }
}

impl From<PublishError> for Failure {
    fn from(error: PublishError) -> Self {
        Self::Work(error.into())
    }
}

impl From<cellveil::JobError> for Failure {
    fn from(error: cellveil::JobError) -> Self {
        Self::Work(error.into())
    }
}

impl From<ProblemError> for Failure {
    fn from(error: ProblemError) -> Self {
        Self::Work(error.into())
    }
}
