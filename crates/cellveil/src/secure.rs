//! From an instance to a pattern that is proven safe.

use crate::{Error, Exposed, Run};
use cellveil_attack::{Attack, Intervals, Options, attack};
use cellveil_core::{Audit, CellId, Problem, Release, Status};
use cellveil_lp::Engine;
use cellveil_publish::{RELEASED_FROZEN, Summary};
use cellveil_suppress::{Context, Method, Protected, SuppressError, suppress};

/// A table that is proven safe, but not yet written.
pub struct Secured {
    /// The verified table.
    pub release: Release,
    /// What intruders can work out.
    pub audit: Audit,
    /// The figures of the run so far.
    pub summary: Summary,
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
    drop(witnesses);
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
