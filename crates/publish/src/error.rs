//! Why files could not be written or read.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why files could not be written or read. Messages name files, lines and cells, never amounts.
#[derive(Debug, Error)]
pub enum PublishError {
    /// The file system refused.
    #[error("cannot {what} `{}`: {source}", path.display())]
    Io {
        /// `write`, `read`, `create`, …
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The folder to be written holds something else.
    #[error("`{}` holds `{file}`, which no earlier release wrote; choose another folder or empty this one", dir.display())]
    Foreign {
        /// The folder.
        dir: PathBuf,
        /// A file in it.
        file: String,
    },
    /// The place to be written is a file, or nothing that can be named.
    #[error("`{}` is not a folder; choose another place for the release", .0.display())]
    NotAFolder(PathBuf),
    /// The folder to be verified is no release.
    #[error("`{}` is not a release: {why}", dir.display())]
    NotARelease {
        /// The folder.
        dir: PathBuf,
        /// What is missing.
        why: String,
    },
    /// A line of a pattern file does not read as it should.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong and what to do.
        what: String,
    },
    /// The release cannot be put into files.
    #[error("{0}")]
    Unwritable(String),
}

impl PublishError {
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}
