//! From an instance to a table with changed values that is checked and written.

use crate::{Error, Origin, Run};
use cellveil_adjust::{Adjusted, Context, Method, Options, adjust};
use cellveil_core::{AdjustedRelease, Audit, Bound, Problem};
use cellveil_lp::Engine;
use cellveil_publish::{AdjustedPublication, Loss, Summary};
use std::path::{Path, PathBuf};

/// An adjusted table, and the files it was written to.
pub struct ReleasedAdjustment {
    /// The checked table.
    pub release: AdjustedRelease,
    /// The figures of the run.
    pub summary: Summary,
    /// The files, `manifest.json` last.
    pub files: Vec<PathBuf>,
}

/// Changes the values of an instance, checks the result and writes it.
///
/// # Errors
/// [`Error`]; nothing is written then.
pub fn release_adjusted(
    dir: &Path,
    problem: Problem,
    (method, options): (Method, &Options),
    origin: &Origin,
    engine: &dyn Engine,
    run: &Run<'_>,
) -> Result<ReleasedAdjustment, Error> {
    let (release, audit, summary) = secure_adjusted(problem, (method, options), engine, run)?;
    let summary = run.complete(summary);
    let account = origin.account(summary.clone(), run);
    let publication = AdjustedPublication { release: &release, audit: &audit, account };
    let files = run.stage("publish", || cellveil_publish::write_adjusted(dir, &publication))?;
    Ok(ReleasedAdjustment { release, summary, files })
}

/// Changes the values of an instance and checks the result.
///
/// # Errors
/// [`Error`] if there is no such table, or it is not proven safe.
pub(crate) fn secure_adjusted(
    problem: Problem,
    (method, options): (Method, &Options),
    engine: &dyn Engine,
    run: &Run<'_>,
) -> Result<(AdjustedRelease, Audit, Summary), Error> {
    let left = || run.seconds_left();
    let context = Context {
        engine,
        progress: run,
        seconds_left: &left,
        gap: run.settings.gap.unwrap_or(0.0),
        seed: run.settings.seed(),
    };
    let adjusted =
        run.stage("adjust", || run.install(|| adjust(&problem, method, options, &context)))??;
    let summary = summary(&problem, &adjusted, method, options);
    let Adjusted { adjustment, promise, certificate, audit, .. } = adjusted;
    let release =
        run.stage("verify", || AdjustedRelease::new(problem, adjustment, promise, certificate))?;
    Ok((release, audit, summary))
}

/// The figures of an adjusted table.
fn summary(problem: &Problem, adjusted: &Adjusted, method: Method, options: &Options) -> Summary {
    let loss = Loss::of(problem, &adjusted.adjustment);
    let mut summary = Summary {
        cells: problem.len(),
        relations: problem.relations().len(),
        primary: problem.needs().len(),
        cost: adjusted.cost,
        lower_bound: adjusted.bound,
        gap: adjusted.bound.map(|cost| Bound { cost }.gap(adjusted.cost)),
        status: "safe".to_owned(),
        method: Some(method.name().to_owned()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        decimals: adjusted.adjustment.decimals(),
        intruders: vec!["external".to_owned()],
        ..Summary::default()
    };
    let mut note = |name: &str, value: serde_json::Value| {
        summary.extra.insert(name.to_owned(), value);
    };
    note("norm", options.norm.name().into());
    note("weights", options.weights.name().into());
    note(
        "adjusted",
        problem.cells().filter(|&c| adjusted.adjustment.moved(problem, c) != 0).count().into(),
    );
    if let Ok(loss) = serde_json::to_value(loss) {
        note("loss", loss);
    }
    match adjusted.promise {
        cellveil_core::Promise::Moved => {}
        cellveil_core::Promise::Radius { millionths } => {
            note("beta", (millionths as f64 / 1e6).into());
        }
        cellveil_core::Promise::Rounded { base, steps } => {
            note("base", base.into());
            note("steps", steps.into());
        }
    }
    summary
}
