//! Which cells are sensitive: what the rules say, and what a finished table says of itself.

use crate::pipeline::Made;
use crate::{Data, Error, Job};
use cellveil_core::{CellId, Need, Needs, Reason};
use cellveil_rules::{Judgement, Percent};

/// The level of cells that a finished table calls sensitive, in per cent of their value, unless `manual` has a margin.
const MARGIN: Percent = Percent::whole(20);

/// Judges a table. A status that the table came with counts like one set by hand.
pub(crate) fn judge(job: &Job, made: &Made) -> Result<Judgement, Error> {
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
