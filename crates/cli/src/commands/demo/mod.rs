//! `cellveil demo`

mod piece;
mod records;

use super::suppress::report;
use crate::error::Failure;
use crate::flags::Common;
use crate::output;
use crate::progress::Bar;
use crate::settings::Tools;
use cellveil::{Job, Released, Run};
use cellveil_attack::Intervals;
use cellveil_publish::{Verdict, verify_release};
use std::fs;
use std::path::{Path, PathBuf};

/// Go the whole way on data it makes itself
///
/// Makes records of a few thousand enterprises, writes them and a job file into a folder (`cellveil-demo` unless `--out` names
/// another), protects their table, verifies the release and shows a piece of it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many enterprises
    #[arg(long, default_value_t = 3000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    enterprises: u32,
}

/// The job, as a person would write it.
const JOB: &str = include_str!("job.toml");

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let dir = common.out.clone().unwrap_or_else(|| PathBuf::from("cellveil-demo"));
    write_inputs(&dir, args.enterprises, common.settings().seed())?;
    let job = Job::read(&dir.join("job.toml"))?;
    let out = dir.join("release");
    let released = {
        let bar = Bar::new(common);
        let run = Run::new(common.settings().or(job.settings), &bar);
        let tools = Tools::new(&run);
        cellveil::protect(&job, &out, Intervals::All, &tools.engines(), &run)?
    };
    let verdict = verify_release(&out)?;
    if let Some(first) = released.first().filter(|_| !common.json && !common.quiet) {
        show(&job, first, &verdict)?;
    }
    report(&released, common)?;
    Ok(verdict.is_proven())
}

/// Shows what the job was and a piece of what came of it.
fn show(job: &Job, released: &Released, verdict: &Verdict) -> Result<(), Failure> {
    let proof =
        if verdict.is_proven() { "and its proof was replayed" } else { "but its proof FAILED" };
    output::print(&format!(
        "{}, from {}\n\n{}\n\
         ·p withheld: sensitive    ·s withheld: protects others\n\
         the release was written, {proof}: {} witnesses\n\n",
        job.title,
        job.path.display(),
        released.release.as_ref().map(piece::piece).unwrap_or_default(),
        output::thousands(verdict.witnesses),
    ))
}

/// Writes records, hierarchies and the job file, over those of an earlier demo but of nobody else.
fn write_inputs(dir: &Path, enterprises: u32, seed: u64) -> Result<(), Failure> {
    let is_empty = fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty && fs::read_to_string(dir.join("job.toml")).ok().as_deref() != Some(JOB) {
        return Err(Failure::Occupied(dir.to_owned()));
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Failure::Write { path, source }
    };
    fs::create_dir_all(dir).map_err(failed(dir))?;
    let files = [
        ("records.csv", records::records(enterprises, seed)),
        ("region.hrc", records::region_hrc()),
        ("activity.csv", records::activity_csv()),
        ("job.toml", JOB.to_owned()),
    ];
    for (name, text) in files {
        let path = dir.join(name);
        fs::write(&path, text).map_err(failed(&path))?;
    }
    Ok(())
}
