//! Which cells are sensitive: what the rules say, and what a finished table says of itself; and the instance that follows.

use crate::tabulation::Made;
use crate::{Data, Error, Job, Previous};
use cellveil_core::{CellId, Need, Needs, Policy, Problem, Reason, Table};
use cellveil_rules::{Judgement, Percent};

/// The level of cells that a finished table calls sensitive, in per cent of their value, unless `manual` has a margin.
const MARGIN: Percent = Percent::whole(20);

/// Judges a table. A status that the table came with counts like one set by hand.
fn judge(job: &Job, made: &Made) -> Result<Judgement, Error> {
    let has_status = matches!(&job.data, Data::Finished(_, spec) if spec.status.is_some());
    if job.rules.is_empty() && !has_status {
        return Err(Error::NoRules(job.path.clone()));
    }
    let judged = job.rules.judge(&made.table)?;
    let margin = job.rules.manual.as_ref().map_or(MARGIN, |manual| manual.margin);
    let given = |cell: CellId| {
        let level = level(made.table.values()[cell.index()], margin);
        Need { cell, down: level, up: level, sliding: judged.width, reason: Reason::Given }
    };
    let is_published = |cell: CellId| made.frozen.binary_search(&cell).is_ok();
    let mut needs: Vec<Need> =
        judged.needs.iter().filter(|need| !is_published(need.cell)).copied().collect();
    needs.extend(made.sensitive.iter().copied().map(given));
    let mut frozen = judged.frozen.clone();
    frozen.extend(&made.frozen);
    frozen.sort_unstable();
    frozen.dedup();
    let needs = Needs::new(needs);
    frozen.retain(|&cell| needs.of(cell).is_none());
    Ok(Judgement { needs, frozen, ..judged })
}

/// Finds the sensitive cells of a table and says what protecting it is to mean.
pub(crate) fn judged(job: &Job, made: Made) -> Result<Problem, Error> {
    let judgement = judge(job, &made)?;
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
    let coalitions = coalitions(job, &made.table, &problem);
    drop(made.table);
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

/// Cells behind which the same contributor stands, where the sums do not say so already: one record in several tables, and one
/// holding if its parts tell each other what they know.
fn coalitions(job: &Job, table: &Table, problem: &Problem) -> Vec<Vec<CellId>> {
    if !job.protection.singletons {
        return Vec::new();
    }
    let mut groups = table.respondents().coalitions();
    let insider = |cell: &CellId| problem.insiders().of(*cell);
    groups.retain(|cells| cells.iter().any(|cell| insider(cell) != insider(&cells[0])));
    let holdings = table.holdings().filter(|_| job.protection.coalitions);
    groups.extend(holdings.map_or_else(Vec::new, cellveil_core::Contributors::coalitions));
    groups
}

/// A share of a value, rounded up, at least one unit.
fn level(value: i64, margin: Percent) -> i64 {
    let whole = Percent::HUNDRED.millionths();
    let share = i128::from(value.unsigned_abs()) * margin.millionths();
    i64::try_from(share.div_euclid(whole) + i128::from(share.rem_euclid(whole) > 0))
        .map_or(i64::MAX / 4, |level| level.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_rounded_up_and_never_nothing() {
        assert_eq!(level(50, MARGIN), 10);
        assert_eq!(level(-51, MARGIN), 11);
        assert_eq!(level(0, MARGIN), 1);
    }
}
