//! Why a run ended without a result.

use crate::JobError;
use cellveil_adjust::AdjustError;
use cellveil_argus::jj::JjError;
use cellveil_attack::AttackError;
use cellveil_core::{Audit, NotProtected, NotSafe, Problem, ProblemError};
use cellveil_publish::PublishError;
use cellveil_rules::RuleError;
use cellveil_suppress::SuppressError;
use cellveil_tabulate::{TabulateError, text};
use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// Why a run ended without a result. Messages name files, lines and cells, never amounts.
#[derive(Debug, Error)]
pub enum Error {
    /// The job file cannot be followed.
    #[error(transparent)]
    Job(#[from] JobError),
    /// There is no table.
    #[error(transparent)]
    Tabulate(#[from] TabulateError),
    /// A finished table that does not add up.
    #[error(
        "{}: {source}\nhint: correct them, or allow for rounding with `tolerance` under `[finished]`",
        path.display()
    )]
    NotAdditive {
        /// The file of the table.
        path: PathBuf,
        /// What does not add up.
        source: ProblemError,
    },
    /// A rule does not fit the table.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// Nothing says which cells are sensitive.
    #[error(
        "{}: no rule says which cells are sensitive, so that every cell would be published\n\
         hint: add `[rules]`, such as `frequency = {{ below = 3, range = 10 }}`", .0.display()
    )]
    NoRules(PathBuf),
    /// Several responses where one instance is wanted.
    #[error(
        "{}: `[tables]` names further responses, and an instance has one\n\
         hint: make a release of each with `cellveil protect`, or leave them out", .0.display()
    )]
    SeveralResponses(PathBuf),
    /// The table is too large to be held, and has something that only tables can have that are.
    #[error(
        "the table takes more memory than there is, and {what} is not for tables of this size\nhint: {hint}"
    )]
    TooLarge {
        /// What it has.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Even if the table is not held there is too little memory.
    #[error(
        "protecting the table takes about {} of memory even if it is not held, and there are {}\n\
         hint: allow for more with `--memory`, or leave out a variable or a level",
        text::bytes(*bytes), text::bytes(*memory)
    )]
    TooLittle {
        /// How much it takes.
        bytes: u64,
        /// How much there is.
        memory: u64,
    },
    /// The proof of a table that is not held was refused.
    #[error(
        "{0}; nothing was written\nhint: this is a mistake of cellveil; please report it with the job"
    )]
    Unproven(#[from] cellveil_publish::Unproven),
    /// The table is no instance.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A JJ file does not read as it should.
    #[error("{}: {source}", path.display())]
    Jj {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: JjError,
    },
    /// A file of a kind that cannot be read as an instance.
    #[error("`{}` is no instance\nhint: give a `.jj` file, a job file `.toml` or the folder of a release", .0.display())]
    NoInstance(PathBuf),
    /// A file that cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// No pattern was found.
    #[error(transparent)]
    Suppress(#[from] SuppressError),
    /// No adjusted table was found.
    #[error(transparent)]
    Adjust(#[from] AdjustError),
    /// The adjusted table was refused.
    #[error(
        "{0}; nothing was written\nhint: this is a mistake of cellveil; please report it with the instance"
    )]
    NotProtected(#[from] NotProtected),
    /// The attack failed.
    #[error(transparent)]
    Attack(#[from] AttackError),
    /// The pattern leaves cells exposed.
    #[error("nothing was written: {0}")]
    Exposed(Exposed),
    /// The proof was refused.
    #[error(
        "{0}; nothing was written\nhint: this is a mistake of cellveil; please report it with the instance"
    )]
    NotSafe(#[from] NotSafe),
    /// Files could not be written or read.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// The threads asked for could not be started.
    #[error("cannot start {threads} threads: {why}\nhint: ask for fewer with `--threads`")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system says.
        why: String,
    },
}

impl Error {
    /// Whether the work was done, but no safe table came of it; otherwise it could not be done.
    pub fn is_unsafe(&self) -> bool {
        matches!(
            self,
            Self::Exposed(_)
                | Self::NotSafe(_)
                | Self::Unproven(_)
                | Self::NotProtected(_)
                | Self::Adjust(
                    AdjustError::Stuck { .. }
                        | AdjustError::Infeasible { .. }
                        | AdjustError::OutOfTime
                        | AdjustError::NotExact
                        | AdjustError::NotWhole
                        | AdjustError::Relaxed { .. }
                        | AdjustError::NoRounding { .. }
                        | AdjustError::Unprotected { .. }
                )
                | Self::Tabulate(TabulateError::OutOfTime)
                | Self::Suppress(
                    SuppressError::NoPattern { .. }
                        | SuppressError::TooLarge { .. }
                        | SuppressError::OutOfTime { .. }
                )
        )
    }
}

/// How many exposed cells are listed.
const LISTED: usize = 10;

/// The cells that an intruder comes too close to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exposed {
    /// The first of them, by their codes.
    pub cells: Vec<String>,
    /// How many there are beyond those.
    pub more: usize,
}

impl Exposed {
    /// The exposed cells of an audit; `None` if there is none.
    pub fn of(problem: &Problem, audit: &Audit) -> Option<Self> {
        let exposed = audit.exposed_cells();
        let names = problem.names();
        let cells =
            exposed.iter().take(LISTED).map(|&cell| names.describe(cell).to_string()).collect();
        let more = exposed.len().saturating_sub(LISTED);
        (!exposed.is_empty()).then_some(Self { cells, more })
    }
}

impl fmt::Display for Exposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.cells.len() + self.more;
        let cells = if count == 1 { "cell is" } else { "cells are" };
        write!(f, "{count} {cells} exposed")?;
        for cell in &self.cells {
            write!(f, "\n  `{cell}`")?;
        }
        if self.more > 0 {
            write!(f, "\n  and {} more", self.more)?;
        }
        Ok(())
    }
}
