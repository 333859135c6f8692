//! From flags to a run.

use crate::flags::Common;
use cellveil::{Engines, Run, Settings};
use cellveil_datafusion::DataFusion;
use cellveil_highs::Highs;
use std::path::{Path, PathBuf};
use tracing_subscriber::EnvFilter;

/// The engines of this program: records by DataFusion, linear programs by HiGHS.
pub(crate) struct Tools {
    tabulate: DataFusion,
    solve: Highs,
}

impl Tools {
    /// On as many threads as the run may use.
    pub(crate) fn new(run: &Run<'_>) -> Self {
        let tabulate = run.settings.threads.map_or_else(DataFusion::default, DataFusion::new);
        Self { tabulate, solve: Highs }
    }

    pub(crate) fn engines(&self) -> Engines<'_> {
        Engines { tabulate: &self.tabulate, solve: &self.solve }
    }
}

impl Common {
    /// What the flags say about the run.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            time_limit: self.time_limit,
            gap: self.gap,
            seed: self.seed,
            threads: self.threads,
            memory: self.memory,
            release_frozen: false,
        }
    }

    /// Where to write: as told, or `<name>-<kind>` in a folder.
    pub(crate) fn out_or(&self, folder: &Path, input: &Path, kind: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| {
            let name = input.file_stem().unwrap_or(input.as_os_str()).to_string_lossy();
            folder.join(format!("{name}-{kind}"))
        })
    }
}

/// Logs to stderr if asked to, by a flag or by `CELLVEIL_LOG`.
pub(crate) fn start_logging(verbose: bool) {
    let asked = std::env::var("CELLVEIL_LOG").ok();
    let filter = match (&asked, verbose) {
        (Some(filter), _) => filter.as_str(),
        (None, true) => "cellveil=info",
        (None, false) => return,
    };
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .without_time()
        .init();
}
