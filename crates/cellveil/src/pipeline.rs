//! The one way through the house: records → table → needs → pattern → certificate → release → files.
//!
//! Each step is one function; none reaches back.

use crate::resume::Resume;
use crate::secure::{Secured, secure};
use crate::streamed::Choice;
use crate::system::System;
use crate::tabulation::{Made, Tabulation};
use crate::{Data, Error, Job, Run, inputs, judge, streamed};
use cellveil_attack::Intervals;
use cellveil_core::{Problem, Release};
use cellveil_lp::Engine;
use cellveil_publish::{Account, Formats, Input, Part, Publication, Staged, Summary, Way};
use cellveil_tabulate::Tabulate;
use std::path::{Path, PathBuf};

/// Who does the heavy work.
#[derive(Clone, Copy)]
pub struct Engines<'a> {
    /// Reads records.
    pub tabulate: &'a dyn Tabulate,
    /// Solves linear programs.
    pub solve: &'a dyn Engine,
}

/// Where a table came from and what shall become of it.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The files that were read.
    pub inputs: Vec<Input>,
    /// The text of the job file, if there was one.
    pub job: Option<String>,
    /// What the table is called.
    pub title: String,
    /// Which files shall hold the table.
    pub formats: Formats,
    /// The tables that are released together, if there are several.
    pub tables: Vec<Part>,
    /// Whether the table is held in memory, where that was chosen.
    pub way: Option<Way>,
}

impl Origin {
    /// Adds to a summary what only the run and its choices say.
    pub(crate) fn complete(&self, mut summary: Summary, run: &Run<'_>) -> Summary {
        let way = self.way.as_ref().and_then(|way| serde_json::to_value(way).ok());
        summary.extra.extend(way.map(|way| ("way".to_owned(), way)));
        run.complete(summary)
    }

    /// How a folder comes about, with the figures of the run.
    pub(crate) fn account(&self, summary: Summary, run: &Run<'_>) -> Account {
        Account {
            summary,
            inputs: self.inputs.clone(),
            job: self.job.clone(),
            limits: run.settings.limits(),
            title: self.title.clone(),
            formats: self.formats,
            way: self.way.clone(),
        }
    }
}

/// A release, and the files it was written to.
pub struct Released {
    /// The folder.
    pub dir: PathBuf,
    /// The verified table; `None` if it was too large to be held.
    pub release: Option<Release>,
    /// The figures of the run.
    pub summary: Summary,
    /// The files, `manifest.json` last.
    pub files: Vec<PathBuf>,
}

/// Protects the tables of a job and writes a release for each response: the first to `dir`, others beside it. All appear or none.
///
/// # Errors
/// [`Error`]; nothing is written then.
pub fn protect(
    job: &Job,
    dir: &Path,
    intervals: Intervals,
    engines: &Engines<'_>,
    run: &Run<'_>,
) -> Result<Vec<Released>, Error> {
    let systems = job.systems()?;
    // Files that cannot be read are for the tabulation to complain about.
    let inputs = run.stage("inputs", || inputs::inputs(&job.files)).ok();
    let mut resume = match (&job.data, &inputs) {
        (Data::Records(..), Some(inputs)) => Some(Resume::new(dir, job.specs(), inputs)),
        _ => None,
    };
    let mut tabulation = Tabulation::new(job, engines.tabulate, run, resume.as_ref())?;
    let mut written = Vec::new();
    for (at, system) in systems.iter().enumerate() {
        let left = systems.len() - at;
        run.take_share(left);
        let way = match streamed::choose(job, system, &tabulation, intervals, run)? {
            Choice::Held(way) => way,
            Choice::Streamed(surveyed, way) => {
                let origin = origin(job, system, inputs.clone(), Vec::new(), run)?;
                let origin = Origin { way: Some(way), ..origin };
                let place = system.place(dir);
                written.push(streamed::protect(job, surveyed, &place, origin, run)?);
                continue;
            }
        };
        let made = tabulation.made(system)?;
        let (problem, origin) = posed(job, system, made, inputs.clone(), run)?;
        let origin = Origin { way, ..origin };
        let secured = secure(problem, job.protection.method, intervals, engines.solve, run)?;
        if left == 1 {
            // The last release may need the room.
            resume = None;
        }
        written.push(stage(&system.place(dir), secured, &origin, run)?);
    }
    drop(resume);
    written.into_iter().map(Unreleased::commit).collect()
}

/// Makes the tables of a job and finds their sensitive cells.
///
/// # Errors
/// [`Error`] if the job does not fit its files, or has several responses.
pub fn pose(job: &Job, engines: &Engines<'_>, run: &Run<'_>) -> Result<(Problem, Origin), Error> {
    let systems = job.systems()?;
    let [system] = &systems[..] else { return Err(Error::SeveralResponses(job.path.clone())) };
    let made = Tabulation::new(job, engines.tabulate, run, None)?.made(system)?;
    posed(job, system, made, None, run)
}

/// Finds the sensitive cells of a table; `inputs` are the files of the job, if they were looked at before.
fn posed(
    job: &Job,
    system: &System<'_>,
    mut made: Made,
    inputs: Option<Vec<Input>>,
    run: &Run<'_>,
) -> Result<(Problem, Origin), Error> {
    let tables = system.parts(job, std::mem::take(&mut made.linked));
    let problem = run.stage("judge", || judge::judged(job, made))?;
    Ok((problem, origin(job, system, inputs, tables, run)?))
}

/// Where the tables of a system come from; `inputs` are the files of the job, if they were looked at before.
fn origin(
    job: &Job,
    system: &System<'_>,
    inputs: Option<Vec<Input>>,
    tables: Vec<Part>,
    run: &Run<'_>,
) -> Result<Origin, Error> {
    let inputs = match inputs {
        Some(inputs) => inputs,
        None => run.stage("inputs", || inputs::inputs(&job.files))?,
    };
    Ok(Origin {
        inputs,
        job: Some(job.text.clone()),
        title: system.title(job),
        formats: job.formats,
        tables,
        way: None,
    })
}

/// Writes a release.
///
/// # Errors
/// [`Error::Publish`] if the folder cannot be written; it is as before then.
pub fn publish(
    dir: &Path,
    secured: Secured,
    origin: &Origin,
    run: &Run<'_>,
) -> Result<Released, Error> {
    stage(dir, secured, origin, run)?.commit()
}

/// A release that is written, but not in its place yet.
pub(crate) struct Unreleased {
    pub(crate) released: Released,
    pub(crate) staged: Staged,
}

fn stage(
    dir: &Path,
    secured: Secured,
    origin: &Origin,
    run: &Run<'_>,
) -> Result<Unreleased, Error> {
    let Secured { release, audit, summary } = secured;
    let summary = origin.complete(summary, run);
    let publication = Publication {
        release: &release,
        audit: &audit,
        tables: &origin.tables,
        account: origin.account(summary.clone(), run),
    };
    let staged = run.stage("publish", || cellveil_publish::stage(dir, &publication))?;
    let release = Some(release);
    let released = Released { dir: dir.to_owned(), release, summary, files: Vec::new() };
    Ok(Unreleased { released, staged })
}

impl Unreleased {
    fn commit(self) -> Result<Released, Error> {
        Ok(Released { files: self.staged.commit()?, ..self.released })
    }
}
