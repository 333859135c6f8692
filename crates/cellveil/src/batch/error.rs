//! Why a batch stopped.

use crate::{Error, Exposed};
use cellveil_argus::{Fault, InstanceError};
use thiserror::Error;

/// Why a batch stopped. Messages name files, lines and cells, never amounts.
#[derive(Debug, Error)]
pub enum BatchError {
    /// A file or a command is wrong.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Tables that cannot be protected together.
    #[error("{place}: {source}")]
    Instance {
        /// The command.
        place: String,
        /// What is wrong.
        source: InstanceError,
    },
    /// The work failed.
    #[error("{place}: {source}")]
    Work {
        /// The command.
        place: String,
        /// What is wrong.
        source: Box<Error>,
    },
    /// A table that would give cells away.
    #[error(
        "{place}: the table is not protected, and nothing was written: {exposed}\n\
         hint: add `<SUPPRESS>` before, or write type 5 or 6, or option AS+, which are for the office"
    )]
    Unprotected {
        /// The command.
        place: String,
        /// The cells.
        exposed: Exposed,
    },
}

impl BatchError {
    /// Whether the work was done, but no safe table came of it.
    pub fn is_unsafe(&self) -> bool {
        match self {
            Self::Work { source, .. } => source.is_unsafe(),
            Self::Unprotected { .. } => true,
            Self::Fault(_) | Self::Instance { .. } => false,
        }
    }
}
