//! Runs τ-ARGUS batch files: commands in, tables out.
//!
//! The batch is a state machine over typed commands ([`cellveil_argus::arb`]). A table that failed writes nothing, and what is
//! written for publication was attacked and proven safe before.

mod adjust;
mod error;
mod follow;
mod loaded;
mod log;
mod machine;
mod methods;
mod output;
mod paths;
mod plan;
mod protect;
mod steps;

pub use error::BatchError;
pub use log::{BatchLog, CommandLog, TableLog};

use crate::{Progress, Settings};
use cellveil_lp::Engine;
use cellveil_suppress::Method;
use machine::Machine;
use std::path::{Path, PathBuf};

/// What may be said about a batch besides the batch.
#[derive(Clone, Debug, Default)]
pub struct BatchOptions {
    /// Whether whoever is alone in a cell is an intruder of its own, in place of the virtual cells of τ-ARGUS.
    pub strict: bool,
    /// Where every output goes; as the batch says if not given.
    pub out: Option<PathBuf>,
    /// The method to use for every `<SUPPRESS>`; those of the batch if not given.
    pub method: Option<Method>,
    /// A further folder to look for data in.
    pub data: Option<PathBuf>,
}

/// Runs a batch file. What happened is in the log, also when the batch stopped.
pub fn run_batch(
    path: &Path,
    options: &BatchOptions,
    engine: &dyn Engine,
    settings: Settings,
    progress: &dyn Progress,
) -> (BatchLog, Result<(), BatchError>) {
    let mut machine = Machine::new(path, options, engine, settings, progress);
    let result = machine.run();
    (machine.end(&result), result)
}
