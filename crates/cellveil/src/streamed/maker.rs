//! From finest cells to a release: a proposal, its proof, its files.

use super::cells::{AllCells, Tally};
use super::clock::Clock;
use super::published::{Part, lifted, parts};
use super::survey::{Survey, Variables};
use super::witnesses::Work;
use super::{lines, policy, split};
use crate::pipeline::{Origin, Released, Unreleased};
use crate::{Error, Job, Run};
use cellveil_core::{Bound, Intruder};
use cellveil_publish::{StreamedRelease, Summary};
use cellveil_suppress::streamed::Exchange;
use cellveil_tabulate::{Gathered, LeafMoves};
use std::path::Path;

/// What the summary calls this way.
const METHOD: &str = "streamed";

/// So many witnesses are looked at together at most: less has to be done again for the last ones.
const LOOK: usize = 8;

/// What is to be withheld, and why that is safe; to be proven.
pub(super) struct Proposal {
    pub(super) witnesses: Vec<LeafMoves>,
    /// In the order of cells.
    pub(super) withheld: Vec<bool>,
    pub(super) tally: Tally,
    pub(super) bound: Bound,
}

/// Makes a release.
#[derive(Clone, Copy)]
pub(super) struct Maker<'a> {
    pub(super) job: &'a Job,
    pub(super) gathered: &'a Gathered,
    pub(super) survey: &'a Survey,
    /// The two smaller tables that stay published.
    pub(super) pair: [Variables; 2],
    pub(super) run: &'a Run<'a>,
    pub(super) clock: &'a Clock<'a>,
    /// How many witnesses there is room for at a time.
    pub(super) round: usize,
}

impl Maker<'_> {
    /// Writes a release beside its place, if it is proven.
    pub(super) fn released(self, dir: &Path, origin: &Origin) -> Result<Unreleased, Error> {
        let Self { job, gathered, survey, run, clock, round, .. } = self;
        let Proposal { witnesses, withheld, tally, bound } = self.propose()?;
        let is_past = || clock.is_past();
        let proven = run.stage("verify", || {
            run.install(|| {
                StreamedRelease::new(gathered, &job.rules, &witnesses, &withheld, round, &is_past)
            })
        })??;
        let mut summary = Summary {
            cells: survey.cells,
            relations: survey.relations,
            primary: survey.needs,
            secondary: tally.secondaries,
            cost: tally.cost,
            lower_bound: Some(bound.cost),
            gap: Some(bound.gap(tally.cost)),
            status: "safe".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            decimals: gathered.frame().units().value,
            intruders: vec![Intruder::External.name().to_owned()],
            method: Some(METHOD.to_owned()),
            ..Summary::default()
        };
        summary.extra.insert("witnesses".to_owned(), witnesses.len().into());
        let summary = origin.complete(summary, run);
        let account = origin.account(summary.clone(), run);
        let staged = run.stage("publish", || {
            run.install(|| cellveil_publish::stage_streamed(dir, &proven, &account, &is_past))
        })??;
        let released = Released { dir: dir.to_owned(), release: None, summary, files: Vec::new() };
        Ok(Unreleased { released, staged })
    }

    /// Makes witnesses until every need is met, and withholds what they move.
    pub(super) fn propose(self) -> Result<Proposal, Error> {
        let Self { job, gathered, survey, pair, run, clock, round } = self;
        let policy = policy(job);
        tracing::info!(cells = survey.cells, needs = survey.needs, leaves = gathered.len(), ?pair);
        let made = run.stage("split", || run.install(|| parts(job, gathered, pair)))?;
        let (mut parts, ends) = made?;
        let measure = gathered.frame().measure();
        let values: Vec<i64> =
            (0..gathered.len()).map(|leaf| measure.value(gathered.row(leaf))).collect();
        let exchange = Exchange::new(&values, ends);
        run.stage("suppress", || {
            run.install(|| {
                let shared = gathered.projected(&split::positions(pair[0] & pair[1]))?.1;
                let [one, other] = &mut parts;
                let [joined, other_joined] = exchange.joined(&shared);
                let is_over = clock.share(0.3);
                rayon::join(
                    || one.protect(pair[1], &joined, &is_over),
                    || other.protect(pair[0], &other_joined, &is_over),
                );
                Ok::<_, Error>(())
            })
        })??;
        let mut witnesses = run.stage("lift", || lifted(&parts, &exchange, &clock.share(0.3)));
        let seed = run.settings.seed();
        let work =
            Work { exchange: &exchange, survey, values: &values, parts: &parts, clock, seed };
        witnesses.extend(run.stage("circles", || run.install(|| work.everywhere()))?);
        let kinds = Vec::with_capacity(survey.cells);
        let round = round.min(LOOK);
        let all = AllCells { gathered, rules: &job.rules, policy: &policy, kinds, pair, round };
        let (all, tally) =
            run.stage("complete", || run.install(|| work.complete(all, &mut witnesses)))??;
        let withheld = all.withheld();
        let bound = run.stage("bound", || {
            run.install(|| {
                let lines = lines::bound(gathered, &job.rules, &policy, clock)?;
                Ok::<_, Error>(of_parts(&parts, clock).max(lines).min(tally.cost))
            })
        })??;
        Ok(Proposal { witnesses, withheld, tally, bound: Bound { cost: bound } })
    }
}

/// No pattern costs less; nothing is known if there is no time to find out.
fn of_parts(parts: &[Part; 2], clock: &Clock<'_>) -> f64 {
    let bounds = parts.iter().take_while(|_| !clock.is_short(1.0)).map(Part::bound);
    bounds.fold(0.0, f64::max)
}
