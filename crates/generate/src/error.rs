//! Why data cannot be generated.

use cellveil_core::ProblemError;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why data cannot be generated.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// A shape that cannot be read.
    #[error(
        "`{0}` is not a shape; write sizes joined by `x`, such as `100x33x78`, with `h` and a depth for a hierarchy: `100h3x33`"
    )]
    Shape(String),
    /// A dimension too small for its hierarchy.
    #[error(
        "a dimension of {size} codes cannot have {depth} levels without single children; it needs at least {needed} codes"
    )]
    TooSmall {
        /// The codes asked for, the total included.
        size: u32,
        /// The levels asked for.
        depth: u8,
        /// The least number of codes for that many levels.
        needed: u64,
    },
    /// More cells than can be numbered.
    #[error("a table of that shape has more than 4 billion cells")]
    TooLarge,
    /// A parameter outside its range.
    #[error("`{name}` must be {range}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// What it may be.
        range: &'static str,
    },
    /// More subtables than the rows allow.
    #[error(
        "{rows} rows are too few for {subtables} subtables; ask for fewer subtables or more rows"
    )]
    Subtables {
        /// The rows asked for.
        rows: u32,
        /// The subtables asked for.
        subtables: u32,
    },
    /// A file of unknown kind.
    #[error(
        "`{0}` names no known kind of file; end it in `.csv` or `.parquet`, or in `.jj` for a finished table"
    )]
    Kind(PathBuf),
    /// A folder that holds records already.
    #[error("`{0}` holds Parquet files already; name a new or empty folder")]
    NotEmpty(PathBuf),
    /// The file system refused.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The Parquet writer refused.
    #[error("cannot write `{path}`: {source}")]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: parquet::errors::ParquetError,
    },
    /// A broken invariant of this crate.
    #[error("internal: the generated table is no instance: {0}")]
    Problem(#[from] ProblemError),
    /// A broken invariant of this crate.
    #[error("internal: the generated columns do not fit together: {0}")]
    Columns(#[from] arrow_schema::ArrowError),
}

impl GenerateError {
    /// Names the file that could not be written.
    pub(crate) fn write(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }

    /// Names the Parquet file that could not be written.
    pub(crate) fn parquet(path: &Path) -> impl FnOnce(parquet::errors::ParquetError) -> Self {
        let path = path.to_owned();
        move |source| Self::Parquet { path, source }
    }
}

/// Refuses a parameter outside its range.
pub(crate) fn check(
    fits: bool,
    name: &'static str,
    range: &'static str,
) -> Result<(), GenerateError> {
    if fits { Ok(()) } else { Err(GenerateError::Range { name, range }) }
}
