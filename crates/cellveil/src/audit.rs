//! What an intruder can work out from anybody's pattern, and how.

use crate::{Error, Run};
use cellveil_attack::{Attack, AttackError, Intervals, Options, attack, explain};
use cellveil_core::{Audit, Certificate, Exposure, Pattern, Problem};
use cellveil_lp::Engine;
use cellveil_publish::Summary;

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
