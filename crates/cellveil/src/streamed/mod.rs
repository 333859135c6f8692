//! Protecting tables too large to be held.
//!
//! Nothing is stored per cell but a byte; everything else is held per finest cell, and known of every cell while the cells stream by. Two smaller tables stay
//! published, but for what protects their own sensitive cells ([`published`]); everything else that moves in any witness is withheld. Witnesses are tables of moves of
//! the finest cells ([`cellveil_suppress::streamed`]): a few in which as many as possible move, then some for the needs that those leave open.

mod below;
mod cells;
mod choice;
mod published;
mod split;
mod survey;
#[cfg(test)]
mod tests;

use crate::pipeline::{Origin, Released, Unreleased};
use crate::{Error, Job, Run};
use below::below;
use cells::{AllCells, Open, ROUND, Tally};
use cellveil_core::{Bound, Intruder, Policy};
use cellveil_publish::{StreamedRelease, Summary};
use cellveil_suppress::streamed::{Aim, Draft, Exchange, scattered};
use cellveil_tabulate::{Gathered, LeafMoves};
pub(crate) use choice::is_for;
use published::{Part, carry, lifted, parts};
use rayon::prelude::*;
use std::path::Path;
use survey::{Survey, told_apart};

/// Tables of moves in which as many finest cells as possible move.
const EVERYWHERE: u64 = 8;

/// How often needs that are left open are asked again.
const ROUNDS: usize = 8;

/// After so many rounds, what is left open is met at the price of published cells.
const PATIENCE: usize = 2;

/// After so many, nothing else is tried.
const LAST: usize = 4;

/// How many neighbours in the order of codes are looked at.
const NEAR: u32 = 100;

/// What the summary calls this way.
const METHOD: &str = "streamed";

/// Something that tables of this size cannot have.
fn refused(what: &str, hint: &str) -> Error {
    Error::TooLarge { what: what.to_owned(), hint: hint.to_owned() }
}

/// What protecting the table is to mean.
fn policy(job: &Job) -> Policy {
    let (cost, lambda) = (job.protection.cost.clone(), job.protection.lambda);
    Policy { cost, lambda, ..Policy::default() }
}

/// Protects a table from its finest cells and writes its release beside its place.
pub(crate) fn protect(
    job: &Job,
    (gathered, survey): (&Gathered, Survey),
    dir: &Path,
    origin: &Origin,
    run: &Run<'_>,
) -> Result<Unreleased, Error> {
    let Proposal { witnesses, withheld, tally, bound } = propose(job, gathered, &survey, run)?;
    let proven = run.stage("verify", || {
        run.install(|| StreamedRelease::new(gathered, &job.rules, &witnesses, &withheld))
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
    let summary = run.complete(summary);
    let account = origin.account(summary.clone(), run);
    let staged = run.stage("publish", || {
        run.install(|| cellveil_publish::stage_streamed(dir, &proven, &account))
    })??;
    let released = Released { dir: dir.to_owned(), release: None, summary, files: Vec::new() };
    Ok(Unreleased { released, staged })
}

/// What is to be withheld, and why that is safe; to be proven.
struct Proposal {
    witnesses: Vec<LeafMoves>,
    /// In the order of cells.
    withheld: Vec<bool>,
    tally: Tally,
    bound: Bound,
}

/// Makes witnesses until every need is met, and withholds what they move.
fn propose(
    job: &Job,
    gathered: &Gathered,
    survey: &Survey,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    let policy = policy(job);
    let pair = split::choose(&survey.sets, gathered.len()).ok_or_else(|| {
        refused("a table of which no two smaller ones are dense", "leave out a variable")
    })?;
    tracing::info!(cells = survey.cells, needs = survey.needs, leaves = gathered.len(), ?pair);
    let (mut parts, ends) = run.stage("split", || run.install(|| parts(job, gathered, pair)))??;
    let measure = gathered.frame().measure();
    let values: Vec<i64> =
        (0..gathered.len()).map(|leaf| measure.value(gathered.row(leaf))).collect();
    let exchange = Exchange::new(&values, ends);
    run.stage("suppress", || {
        run.install(|| {
            let shared = gathered.projected(&split::positions(pair[0] & pair[1]))?.1;
            let [one, other] = &mut parts;
            let [joined, other_joined] = exchange.joined(&shared);
            rayon::join(|| one.protect(pair[1], &joined), || other.protect(pair[0], &other_joined));
            Ok::<_, Error>(())
        })
    })??;
    let mut witnesses = run.stage("lift", || lifted(&parts, &exchange));
    let work = Work { exchange: &exchange, survey, values: &values, parts: &parts };
    witnesses.extend(run.stage("circles", || run.install(|| work.everywhere()))?);
    let kinds = Vec::with_capacity(survey.cells);
    let all = AllCells { gathered, rules: &job.rules, policy: &policy, kinds, pair };
    let (all, tally) =
        run.stage("complete", || run.install(|| work.complete(all, &mut witnesses)))??;
    let withheld = all.withheld();
    let bounds = run.stage("bound", || parts.each_ref().map(Part::bound));
    let bound = Bound { cost: bounds[0].max(bounds[1]).min(tally.cost) };
    Ok(Proposal { witnesses, withheld, tally, bound })
}

/// What the making of witnesses looks at.
struct Work<'a> {
    exchange: &'a Exchange<'a>,
    survey: &'a Survey,
    values: &'a [i64],
    parts: &'a [Part; 2],
}

impl Work<'_> {
    /// Tables in which as many finest cells as possible move. Of the sensitive ones each leaves out a third: two cells that move against each other in one then
    /// do not in another.
    fn everywhere(&self) -> Vec<LeafMoves> {
        let factor = (0.7 / self.survey.steepest.max(0.01)).clamp(1.2, 4.0);
        let one = |seed: u64| {
            let may_move = |leaf: u32| {
                let lot = scattered(seed, u64::from(leaf)) % 3;
                !self.survey.sensitive[leaf as usize] || lot != 0
            };
            LeafMoves::of(&self.exchange.everywhere(&may_move, factor, seed + 1))
        };
        (0..EVERYWHERE).into_par_iter().map(one).collect()
    }

    /// Adds witnesses until every need is met.
    fn complete<'c>(
        &self,
        mut all: AllCells<'c>,
        witnesses: &mut Vec<LeafMoves>,
    ) -> Result<(AllCells<'c>, Tally), Error> {
        let mut tally = all.look(witnesses)?;
        for round in 0..ROUNDS {
            tracing::info!(
                open = tally.open.len(),
                secondaries = tally.secondaries,
                inside = tally.inside,
                cost = tally.cost,
                "witnesses so far"
            );
            if tally.open.is_empty() {
                return Ok((all, tally));
            }
            let further = self.aimed(&tally.open, all.gathered, round);
            if !further.is_empty() {
                tally = all.look(&further)?;
                witnesses.extend(further);
            }
        }
        Err(exposed(all.gathered, &tally.open))
    }

    /// Witnesses for single cells.
    fn aimed(&self, open: &[Open], gathered: &Gathered, round: usize) -> Vec<LeafMoves> {
        let below = below(gathered, open);
        let drafts = (0..ROUND).into_par_iter().map(|at| {
            let mut draft = self.exchange.draft();
            let (mut met, mut failed) = (0_usize, 0_usize);
            for (cell, leaves) in open.iter().zip(&below).skip(at).step_by(ROUND) {
                if self.meet(&mut draft, cell, leaves, gathered, round) {
                    met += 1;
                } else {
                    failed += 1;
                }
            }
            tracing::info!(round, met, failed, "aimed");
            draft
        });
        let drafts: Vec<Draft> = drafts.collect();
        let moves = drafts.iter().map(|draft| LeafMoves::of(draft.moves()));
        moves.filter(|moves| !moves.leaves.is_empty()).collect()
    }

    /// Moves one leaf of a cell, and no other.
    fn meet(
        &self,
        draft: &mut Draft,
        cell: &Open,
        leaves: &[u32],
        gathered: &Gathered,
        round: usize,
    ) -> bool {
        let mut order = leaves.to_vec();
        order.sort_by_key(|&leaf| std::cmp::Reverse(self.values[leaf as usize]));
        // Circles leave the cells of the two tables where they are.
        let set = told_apart(&cell.codes);
        let may_circle = self.parts.iter().all(|part| part.lacks(set));
        let is_last = round >= LAST;
        order.iter().take(4).any(|&leaf| {
            let others: Vec<u32> = leaves.iter().copied().filter(|&other| other != leaf).collect();
            let aim = Aim { leaf, level: cell.level, others: &others };
            may_circle && !is_last && self.exchange.through(draft, &aim)
                || !is_last && carry(self.parts, self.exchange, draft, &aim, cell)
                || round >= PATIENCE && self.against(draft, &aim, gathered)
        })
    }

    /// Moves a leaf against one that differs in as few variables as possible.
    fn against(&self, draft: &mut Draft, aim: &Aim<'_>, gathered: &Gathered) -> bool {
        let differ = |other: u32| {
            let code = |leaf: u32, d: usize| gathered.code(leaf as usize, d);
            let dimensions = 0..gathered.frame().dimensions().len();
            dimensions.filter(|&d| code(aim.leaf, d) != code(other, d)).count()
        };
        let last = gathered.len() as u32;
        let near = aim.leaf.saturating_sub(NEAR)..aim.leaf.saturating_add(NEAR).min(last);
        let mut partners: Vec<(usize, u32)> = self
            .exchange
            .beside(aim.leaf)
            .chain(near)
            .filter(|&other| other != aim.leaf)
            .map(|other| (differ(other), other))
            .collect();
        partners.sort_unstable();
        partners.dedup();
        partners.into_iter().any(|(_, partner)| self.exchange.against(draft, aim, partner))
    }
}

/// The cells that are left.
fn exposed(gathered: &Gathered, open: &[Open]) -> Error {
    let dimensions = gathered.frame().dimensions().to_vec();
    let name = |cell: &Open| {
        let keys = cell.codes.to_vec().into();
        let names = cellveil_core::CellNames::Codes { dimensions: dimensions.clone(), keys };
        names.describe(cellveil_core::CellId(0)).to_string()
    };
    let cells: Vec<String> = open.iter().take(10).map(name).collect();
    let more = open.len() - cells.len();
    Error::Exposed(crate::Exposed { cells, more })
}
