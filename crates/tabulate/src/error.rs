//! What can be wrong with records, hierarchies and finished tables.

use crate::amount::AmountFault;
use cellveil_core::{HierarchyError, TableError};
use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// Where something stands: a file, and a line or row of it counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File(PathBuf),
    /// A line of a text file.
    Line(PathBuf, u64),
    /// A row of a Parquet file.
    Row(PathBuf, u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "{}", file.display()),
            Self::Line(file, line) => write!(f, "{}:{line}", file.display()),
            Self::Row(file, row) => write!(f, "{}, row {row}", file.display()),
        }
    }
}

/// Why there is no table. Messages name codes and places, never amounts.
#[derive(Debug, Error)]
pub enum TabulateError {
    /// A file cannot be opened or read.
    #[error("{}: cannot be read: {why}; check the path and the permissions", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        why: String,
    },
    /// A file without records.
    #[error("{}: holds no records; give a file with a header and at least one record", .0.display())]
    Empty(PathBuf),
    /// A folder without readable files, or with files of both kinds.
    #[error("{}: {why}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What is wrong and what to do.
        why: &'static str,
    },
    /// A Parquet file that is cut off or damaged.
    #[error("{}: is not a whole Parquet file ({why}); write or copy it again", file.display())]
    Corrupt {
        /// The file.
        file: PathBuf,
        /// What the reader says.
        why: String,
    },
    /// A line that does not fit its file.
    #[error("{place}: {why}")]
    Malformed {
        /// Where.
        place: Place,
        /// What is wrong and what to do.
        why: String,
    },
    /// A column that the file does not have.
    #[error("{}: has no column `{column}`{}", file.display(), did_you_mean(nearest.as_deref()))]
    UnknownColumn {
        /// The file.
        file: PathBuf,
        /// The column asked for.
        column: String,
        /// The most similar column there is.
        nearest: Option<String>,
    },
    /// A column of a kind that cannot be used as it should be.
    #[error("{}: column `{column}` is of type {kind}, which cannot be {wanted}; convert it to text or numbers", file.display())]
    ColumnType {
        /// The file.
        file: PathBuf,
        /// The column.
        column: String,
        /// Its type.
        kind: String,
        /// What it should serve as.
        wanted: &'static str,
    },
    /// A column of one kind in one file and of another in the next.
    #[error("{place}: column `{column}` is of type {} from here on, but of type {} in {}; convert one of the two", kinds[1], kinds[0], file.display())]
    TypeChanges {
        /// Where it changes.
        place: Place,
        /// The column.
        column: String,
        /// Its type before, and there.
        kinds: Box<[String; 2]>,
        /// A file in which it has that type.
        file: PathBuf,
    },
    /// A code that no hierarchy of its variable lists.
    #[error("{place}: code `{code}` of `{column}` is in no hierarchy{}; add it to one, or correct the record", did_you_mean(nearest.as_deref()))]
    UnknownCode {
        /// Where it stands first.
        place: Place,
        /// The variable's column.
        column: String,
        /// The code.
        code: String,
        /// The most similar code there is.
        nearest: Option<String>,
    },
    /// A record with the code of an aggregate.
    #[error(
        "{place}: code `{code}` of `{column}` is an aggregate; a record must carry a code of the finest level"
    )]
    AggregateCode {
        /// Where it stands first.
        place: Place,
        /// The variable's column.
        column: String,
        /// The code.
        code: String,
    },
    /// A code as long as no level of its variable.
    #[error(
        "{place}: code `{code}` of `{column}` ends inside a level; by its digits, codes have {} characters",
        either(lengths)
    )]
    CodeLength {
        /// Where it stands first.
        place: Place,
        /// The variable's column.
        column: String,
        /// The code.
        code: String,
        /// The lengths at which levels end.
        lengths: Vec<usize>,
    },
    /// A code of a level column under two codes of the next.
    #[error("`{code}` lies in `{}` ({}) and in `{}` ({}); each code must lie in one", above[0], places[0], above[1], places[1])]
    TwoParents {
        /// The finer column and its code.
        code: String,
        /// The next coarser column, with both of its codes.
        above: Box<[String; 2]>,
        /// Where the one and the other is seen first.
        places: Box<[Place; 2]>,
    },
    /// A field that should hold a number and does not.
    #[error("{place}: column `{column}` {fault}")]
    Amount {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// What it holds instead.
        fault: AmountFault,
    },
    /// A code listed twice in one tree.
    #[error("{}:{again}: code `{code}` is already listed in line {first}; list each code once", file.display())]
    ListedTwice {
        /// The hierarchy's file.
        file: PathBuf,
        /// The code.
        code: String,
        /// The line where it stands first.
        first: u64,
        /// The line where it stands again.
        again: u64,
    },
    /// A code that is its own ancestor.
    #[error("{}:{line}: code `{code}` lies below itself, by lines {}; remove one of them", file.display(), lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))]
    Cycle {
        /// The hierarchy's file.
        file: PathBuf,
        /// The code.
        code: String,
        /// The line that lists it.
        line: u64,
        /// All lines of the cycle.
        lines: Vec<u64>,
    },
    /// Hierarchies over one variable that contradict each other.
    #[error(
        "the hierarchies of `{dimension}` do not fit together: {source}; correct one, or leave it out"
    )]
    Hierarchies {
        /// The variable.
        dimension: String,
        /// What is wrong.
        source: HierarchyError,
    },
    /// Nobody waits for the cells any more.
    #[error("the time limit was reached before all cells were made\nhint: allow more time")]
    OutOfTime,
    /// A cell whose value does not fit.
    #[error(
        "the value of cell `{0}` is too large; give the response in larger units, such as thousands"
    )]
    Overflow(String),
    /// More cells than there is memory for.
    #[error(
        "there are more than {rows} {what}, and {} of memory are not enough for them; allow for more with `--memory`, or leave out a variable or a level",
        crate::text::bytes(*bytes)
    )]
    Memory {
        /// Which cells.
        what: &'static str,
        /// How many there is memory for.
        rows: usize,
        /// How much memory there may be.
        bytes: u64,
    },
    /// A disk that does not take what has no room in memory.
    #[error(
        "{}: rows that have no room in memory cannot be put there: {why}; make room, name another folder with `TMPDIR`, or allow for more memory with `--memory`",
        folder.display()
    )]
    Disk {
        /// The folder for temporary files.
        folder: PathBuf,
        /// What the system says.
        why: String,
    },
    /// A cell that a finished table lists twice.
    #[error("{again}: cell `{cell}` is already listed at {first}; list each cell once")]
    CellTwice {
        /// The cell.
        cell: String,
        /// Where it stands first.
        first: Place,
        /// Where it stands again.
        again: Place,
    },
    /// The cells do not make an additive table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A specification that contradicts itself.
    #[error("{0}")]
    Spec(String),
    /// The engine failed for a reason of its own.
    #[error("reading the records failed: {0}")]
    Engine(String),
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

fn either(lengths: &[usize]) -> String {
    lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
}
