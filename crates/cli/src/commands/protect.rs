//! `cellveil protect JOB.toml`

use super::suppress::{IntervalsFlag, report};
use crate::error::Failure;
use crate::flags::Common;
use crate::progress::Bar;
use crate::settings::Tools;
use cellveil::{Job, Run, Settings};
use std::path::{Path, PathBuf};

/// Make a release of records or a finished table: the main job
///
/// The job file says where the records are, which variables span the table, which cells are sensitive and how to protect
/// them. The release is a folder, `<job>-release` beside the job file unless `--out` names another. It appears whole or not at
/// all, and only if the proof of its safety was verified.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The job file
    #[arg(value_name = "JOB.toml")]
    pub(crate) job: PathBuf,
    /// For which withheld cells to find intervals
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) intervals: IntervalsFlag,
    /// Withhold the least costly of the cells that must be published, where no pattern exists otherwise
    #[arg(long)]
    pub(crate) release_frozen: bool,
}

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let job = Job::read(&args.job)?;
    let out = common.out_or(job.path.parent().unwrap_or(Path::new("")), &job.path, "release");
    let released = {
        let bar = Bar::new(common);
        let said = Settings { release_frozen: args.release_frozen, ..common.settings() };
        let run = Run::new(said.or(job.settings), &bar);
        let tools = Tools::new(&run);
        cellveil::protect(&job, &out, args.intervals.into(), &tools.engines(), &run)?
    };
    report(&released, common)?;
    Ok(true)
}
