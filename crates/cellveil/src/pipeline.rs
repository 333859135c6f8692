//! The one way through the house: records → table → needs → pattern → certificate → release → files.
//!
//! Each step is one function; none reaches back.

use crate::resume::Resume;
use crate::{Data, Error, Exposed, Job, Previous, Run, inputs, judge};
use cellveil_attack::{Attack, AttackError, Intervals, Options, attack, explain};
use cellveil_core::{
    Audit, CellId, Certificate, Exposure, Pattern, Policy, Problem, Release, Status, Table,
    TableError,
};
use cellveil_lp::Engine;
use cellveil_publish::{Formats, Input, Publication, RELEASED_FROZEN, Summary};
use cellveil_suppress::{Context, Method, Protected, SuppressError, suppress};
use cellveil_tabulate::{Gathered, Limits, Source, Step, TableSpec, Tabulate, TabulateError};
use std::path::{Path, PathBuf};

/// Who does the heavy work.
#[derive(Clone, Copy)]
pub struct Engines<'a> {
    /// Reads records.
    pub tabulate: &'a dyn Tabulate,
    /// Solves linear programs.
    pub solve: &'a dyn Engine,
}

/// A table as it was made or read.
pub struct Made {
    /// The true table.
    pub table: Table,
    /// Cells that a finished table calls sensitive, ascending.
    pub sensitive: Vec<CellId>,
    /// Cells that a finished table wants published, ascending.
    pub frozen: Vec<CellId>,
    /// What withholding cells costs, as far as a finished table says so.
    pub costs: Vec<(CellId, f64)>,
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
}

/// A table that is proven safe, but not yet written.
pub struct Secured {
    /// The verified table.
    pub release: Release,
    /// What intruders can work out.
    pub audit: Audit,
    /// The figures of the run so far.
    pub summary: Summary,
}

/// A release, and the files it was written to.
pub struct Released {
    /// The verified table.
    pub release: Release,
    /// The figures of the run.
    pub summary: Summary,
    /// The files, `manifest.json` last.
    pub files: Vec<PathBuf>,
}

/// Protects the table of a job and writes the release.
///
/// # Errors
/// [`Error`]; nothing is written then.
pub fn protect(
    job: &Job,
    dir: &Path,
    intervals: Intervals,
    engines: &Engines<'_>,
    run: &Run<'_>,
) -> Result<Released, Error> {
    if !job.further.is_empty() {
        return Err(Error::SeveralTables(job.path.clone()));
    }
    // Files that cannot be read are for the tabulation to complain about.
    let inputs = run.stage("inputs", || inputs::inputs(&job.files)).ok();
    let resume = match (&job.data, &inputs) {
        (Data::Records(_, spec), Some(inputs)) => Some(Resume::new(dir, spec, inputs)),
        _ => None,
    };
    let made = made(job, engines.tabulate, run, resume.as_ref())?;
    let (problem, origin) = posed(job, made, inputs, run)?;
    let secured = secure(problem, job.protection.method, intervals, engines.solve, run)?;
    // The release may need the room.
    drop(resume);
    publish(dir, secured, &origin, run)
}

/// Makes the table of a job and finds its sensitive cells.
///
/// # Errors
/// [`Error`] if the job does not fit its files.
pub fn pose(job: &Job, engines: &Engines<'_>, run: &Run<'_>) -> Result<(Problem, Origin), Error> {
    let made = tabulate(job, engines.tabulate, run)?;
    posed(job, made, None, run)
}

/// Finds the sensitive cells of a table; `inputs` are the files of the job, if they were looked at before.
fn posed(
    job: &Job,
    made: Made,
    inputs: Option<Vec<Input>>,
    run: &Run<'_>,
) -> Result<(Problem, Origin), Error> {
    let problem = run.stage("judge", || judged(job, made))?;
    let inputs = match inputs {
        Some(inputs) => inputs,
        None => run.stage("inputs", || inputs::inputs(&job.files))?,
    };
    let origin = Origin {
        inputs,
        job: Some(job.text.clone()),
        title: job.title.clone(),
        formats: job.formats,
    };
    Ok((problem, origin))
}

fn judged(job: &Job, made: Made) -> Result<Problem, Error> {
    let judgement = judge::judge(job, &made)?;
    let policy = Policy {
        cost: job.protection.cost.clone(),
        lambda: job.protection.lambda,
        margins: job.protection.margins,
        knowledge: job.protection.knowledge,
        singletons: job.protection.singletons,
        width: judgement.width,
    };
    let problem = Problem::from_table(&made.table, &judgement.needs, &judgement.frozen, &policy)?;
    let problem = problem.with_costs(made.costs)?;
    let holdings = made.table.holdings().filter(|_| job.protection.coalitions);
    let coalitions = holdings.map_or_else(Vec::new, |holdings| holdings.coalitions().to_vec());
    let problem = problem.with_coalitions(coalitions)?;
    let problem = if job.protection.whole { problem.above_zero().of_counts()? } else { problem };
    let problem = choose(problem, job)?;
    crate::instance::after(problem, &job.protection.earlier)
}

/// What the job says about single cells: their costs, and what becomes of those that an earlier release withheld.
fn choose(mut problem: Problem, job: &Job) -> Result<Problem, Error> {
    if let Some(path) = &job.protection.cost_file {
        let costs = cellveil_publish::read_costs(path, &problem)?;
        problem = problem.with_costs(costs)?;
    }
    let Some((path, previous)) = &job.protection.previous else { return Ok(problem) };
    let pattern = cellveil_publish::read_pattern(path, &problem)?;
    let withheld: Vec<CellId> = pattern.secondaries().collect();
    Ok(match previous {
        Previous::Keep => problem.keeping(withheld),
        Previous::Prefer => problem.with_costs(withheld.into_iter().map(|cell| (cell, 0.0)))?,
        Previous::Forbid => problem.forbidding(withheld),
    })
}

/// Makes the table of a job.
///
/// # Errors
/// [`Error`] if the job does not fit its files.
pub fn tabulate(job: &Job, engine: &dyn Tabulate, run: &Run<'_>) -> Result<Made, Error> {
    made(job, engine, run, None)
}

/// Makes the table of a job, from what an earlier attempt has left if there is anything.
pub(crate) fn made(
    job: &Job,
    engine: &dyn Tabulate,
    run: &Run<'_>,
    resume: Option<&Resume>,
) -> Result<Made, Error> {
    run.stage("tabulate", || match &job.data {
        Data::Records(source, spec) => {
            let gathered = if let Some(kept) = resume.and_then(|resume| resume.load(spec)) {
                kept
            } else {
                let gathered = gathered(source, std::slice::from_ref(spec), engine, run)?;
                let gathered = gathered.into_iter().next();
                let gathered = gathered.ok_or_else(|| TabulateError::Empty(source.path.clone()))?;
                if let Some(resume) = resume {
                    resume.save(&gathered);
                }
                gathered
            };
            let memory = run.settings.memory.map(|memory| memory.0);
            tabulate_step(run, Step::RollUp);
            let table = run.install(|| gathered.table(memory))??;
            Ok(Made { table, sensitive: Vec::new(), frozen: Vec::new(), costs: Vec::new() })
        }
        Data::Finished(source, spec) => {
            let finished =
                engine.finished(source, spec).map_err(|error| additive(error, &source.path))?;
            let cellveil_tabulate::Finished { table, sensitive, frozen, costs } = finished;
            Ok(Made { table, sensitive, frozen, costs })
        }
    })
}

fn tabulate_step(run: &Run<'_>, step: Step) {
    cellveil_tabulate::Progress::begin(run, step);
}

/// Gathers the finest cells of a job's table and of all further ones, in one pass over the records; nothing if the table is finished
/// already.
///
/// # Errors
/// [`Error`] if the job does not fit its files.
pub fn gather(job: &Job, engine: &dyn Tabulate, run: &Run<'_>) -> Result<Vec<Gathered>, Error> {
    let Data::Records(source, spec) = &job.data else { return Ok(Vec::new()) };
    let further = job.further.iter().map(|(_, spec)| spec);
    let specs: Vec<TableSpec> = std::iter::once(spec).chain(further).cloned().collect();
    run.stage("tabulate", || gathered(source, &specs, engine, run))
}

fn gathered(
    source: &Source,
    specs: &[TableSpec],
    engine: &dyn Tabulate,
    run: &Run<'_>,
) -> Result<Vec<Gathered>, Error> {
    let limits = Limits { memory: run.settings.memory.map(|memory| memory.0) };
    Ok(engine.gather(source, specs, limits, run)?)
}

/// Says which file it is that does not add up.
fn additive(error: TabulateError, path: &Path) -> Error {
    match error {
        TabulateError::Table(TableError::NotAdditive(source)) => {
            Error::NotAdditive { path: path.to_owned(), source }
        }
        error => error.into(),
    }
}

/// Chooses what to withhold, attacks the result and verifies the proof.
///
/// # Errors
/// [`Error`] if no safe pattern is found.
pub fn secure(
    problem: Problem,
    method: Method,
    intervals: Intervals,
    engine: &dyn Engine,
    run: &Run<'_>,
) -> Result<Secured, Error> {
    let choose = |problem: &Problem, context: &Context<'_>| suppress(problem, method, context);
    secure_by(problem, &choose, intervals, engine, run)
}

/// Chooses what to withhold in whatever way.
pub(crate) type Choose<'a> =
    dyn Fn(&Problem, &Context<'_>) -> Result<Protected, SuppressError> + Sync + 'a;

/// The same with a method that has no name.
pub(crate) fn secure_by(
    problem: Problem,
    choose: &Choose<'_>,
    intervals: Intervals,
    engine: &dyn Engine,
    run: &Run<'_>,
) -> Result<Secured, Error> {
    let left = || run.seconds_left();
    let context = Context {
        engine,
        progress: run,
        seconds_left: &left,
        gap: run.settings.gap.unwrap_or(0.0),
        seed: run.settings.seed(),
    };
    let release_frozen = run.settings.release_frozen;
    let (problem, chosen, released) = run.stage("suppress", || {
        run.install(|| withhold(problem, choose, &context, release_frozen))
    })??;
    let Protected { pattern, witnesses, bound, method } = chosen;
    let options = Options { intervals };
    let attacked = run.stage("attack", || {
        run.install(|| attack(&problem, &pattern, engine, options, &witnesses))
    })??;
    let Attack { audit, certificate } = attacked;
    if let Some(exposed) = Exposed::of(&problem, &audit) {
        return Err(Error::Exposed(exposed));
    }
    let mut summary = Summary::of(&problem, &pattern, &audit);
    summary.method = Some(method.name().to_owned());
    summary.lower_bound = Some(bound.cost);
    summary.gap = Some(bound.gap(summary.cost));
    if !released.is_empty() {
        let names = released.iter().map(|&cell| problem.names().describe(cell).to_string());
        summary.extra.insert(RELEASED_FROZEN.to_owned(), names.collect());
    }
    let release = run.stage("verify", || Release::new(problem, pattern, certificate))?;
    Ok(Secured { release, audit, summary })
}

/// Chooses what to withhold. Where the interval of every withheld cell must be wide, each secondary becomes a cell to be protected
/// itself, until no further one is chosen.
///
/// Where no pattern exists, the least costly of the frozen cells in the way is released, if that is allowed. Those that are withheld in the end are
/// returned too.
fn withhold(
    mut problem: Problem,
    choose: &Choose<'_>,
    context: &Context<'_>,
    release_frozen: bool,
) -> Result<(Problem, Protected, Vec<CellId>), SuppressError> {
    let mut released = Vec::new();
    loop {
        let chosen = match choose(&problem, context) {
            Err(error) if release_frozen => {
                let cell = cheapest_in_the_way(&problem, &error).ok_or(error)?;
                released.push(cell);
                problem = problem.releasing([cell]);
                continue;
            }
            chosen => chosen?,
        };
        let is_new = |cell: &CellId| problem.status(*cell) == Status::Free;
        let new: Vec<CellId> = chosen.pattern.secondaries().filter(is_new).collect();
        if problem.width() == 0 || new.is_empty() {
            released.sort_unstable();
            released.retain(|&cell| chosen.pattern.is_withheld(cell));
            return Ok((problem, chosen, released));
        }
        problem = problem.keeping(new);
    }
}

/// The least costly of the frozen cells that an error names. Zeros stay where everybody knows that no withheld cell is one.
fn cheapest_in_the_way(problem: &Problem, error: &SuppressError) -> Option<CellId> {
    let SuppressError::NoPattern { frozen, .. } = error else { return None };
    let may_go = |cell: &CellId| !problem.is_whole() || problem.value(*cell) != 0;
    let by_cost = |a: &CellId, b: &CellId| problem.cost(*a).total_cmp(&problem.cost(*b));
    frozen.iter().copied().filter(may_go).min_by(|a, b| by_cost(a, b).then(a.cmp(b)))
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
    let Secured { release, audit, summary } = secured;
    let summary = run.complete(summary);
    let publication = Publication {
        release: &release,
        audit: &audit,
        summary: summary.clone(),
        inputs: origin.inputs.clone(),
        job: origin.job.clone(),
        limits: run.settings.limits(),
        title: origin.title.clone(),
        formats: origin.formats,
    };
    let files = run.stage("publish", || cellveil_publish::write(dir, &publication))?;
    Ok(Released { release, summary, files })
}

/// What an intruder can work out from anybody's pattern, with the figures of the run.
///
/// # Errors
/// [`Error::Attack`] if the engine fails.
pub fn audit(
    problem: &Problem,
    pattern: &Pattern,
    intervals: Intervals,
    engine: &dyn Engine,
    run: &Run<'_>,
) -> Result<Audited, Error> {
    let options = Options { intervals };
    let attacked =
        run.stage("attack", || run.install(|| attack(problem, pattern, engine, options, &[])))??;
    let reasons =
        run.stage("explain", || reasons(problem, pattern, &attacked.audit.exposed, engine))?;
    let summary = Summary::of(problem, pattern, &attacked.audit);
    let Attack { audit, certificate } = attacked;
    Ok(Audited { audit, certificate, summary: run.complete(summary), reasons })
}

/// What an audit found.
#[derive(Clone, Debug)]
pub struct Audited {
    /// Intervals and exposed needs.
    pub audit: Audit,
    /// Witnesses for every need that is met; nobody has verified them yet.
    pub certificate: Certificate,
    /// The figures of the run.
    pub summary: Summary,
    /// Why needs are exposed, for the first [`EXPLAINED`] of them.
    pub reasons: Vec<(Exposure, String)>,
}

/// How many exposures are explained.
pub const EXPLAINED: usize = 200;

fn reasons(
    problem: &Problem,
    pattern: &Pattern,
    exposed: &[Exposure],
    engine: &dyn Engine,
) -> Result<Vec<(Exposure, String)>, Error> {
    let incidence = problem.relations().incidence(problem.len());
    let mut reasons = Vec::new();
    for exposure in exposed.iter().take(EXPLAINED) {
        let found =
            explain(problem, &incidence, pattern, exposure, engine).map_err(AttackError::from)?;
        let name = problem.names().describe(exposure.cell);
        let sentence = found.map_or_else(
            || format!("nothing was found that shows `{name}` to be far enough from its value"),
            |found| found.sentence(problem),
        );
        reasons.push((*exposure, sentence));
    }
    Ok(reasons)
}
