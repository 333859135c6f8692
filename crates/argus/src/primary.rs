//! Which cells are unsafe, and how well each must be protected.
//!
//! The first rule that objects gives the status, in this order: dominance and p% or pq, request, frequency, zero. Levels are
//! computed on the shadow variable and carried over to the response in proportion. All comparisons are made in whole numbers.

use crate::arb::{Concentration, Rules};
use crate::table::CellState;
use crate::{ArgusTable, CellStatus};
use cellveil_core::units::{pow10, to_f64};
use cellveil_core::{CellId, Table};
use cellveil_rules::{By, Cell, RuleError};

const BY: [By; 2] = [By::Respondent, By::Holding];

/// The states of all cells, as the rules see them.
pub(crate) fn judge(table: &ArgusTable) -> Result<Vec<CellState>, RuleError> {
    (0..table.len())
        .map(CellId::at)
        .map(|id| Ok(state(table, &Cell::of(table.judged(), id)?)))
        .collect()
}

fn state(table: &ArgusTable, cell: &Cell<'_>) -> CellState {
    let rules = &table.rules;
    if cell.count(By::Respondent) == 0 {
        return CellState::safe(CellStatus::Empty);
    }
    if rules.missing_safe && has_missing(table, cell.id()) {
        return CellState::safe(CellStatus::Safe);
    }
    let excess = BY
        .iter()
        .zip(&rules.concentration)
        .flat_map(|(&by, list)| list.iter().filter_map(move |rule| excess(rule, cell, by)))
        .fold(None, |most: Option<f64>, one| Some(most.map_or(one, |most| most.max(one))));
    let status = if excess.is_some() {
        CellStatus::UnsafeRule
    } else if requested(rules, cell) {
        CellStatus::UnsafeRequest
    } else if too_few(rules, cell) {
        CellStatus::UnsafeFrequency
    } else if rules.zero.is_some() && cell.value() == 0 {
        CellStatus::UnsafeZero
    } else {
        return CellState::safe(CellStatus::Safe);
    };
    level(table, cell, status, excess.unwrap_or(0.0))
}

fn has_missing(table: &ArgusTable, cell: CellId) -> bool {
    table
        .response
        .key(cell)
        .iter()
        .zip(&table.codes)
        .any(|(code, codes)| codes.missing.contains(code))
}

/// By how much a rule is broken, in fine units of the shadow; `None` if it is not.
fn excess(rule: &Concentration, cell: &Cell<'_>, by: By) -> Option<f64> {
    let (total, first) = (cell.signed_total(), cell.first(by));
    match *rule {
        Concentration::Dominance { n, k } => {
            let largest = cell.largest(by, n);
            let broken = first > 0 && total != 0 && 100 * largest > i128::from(k) * total;
            broken.then(|| 100.0 * largest as f64 / f64::from(k) - total as f64)
        }
        Concentration::PriorPosterior { p, q, n } => {
            let (p, q) = (i128::from(p), i128::from(q));
            let known = cell.largest(by, n + 1);
            let broken = p * first + q * (known - total) > 0;
            broken.then(|| p as f64 / q as f64 * first as f64 + known as f64 - total as f64)
        }
    }
}

fn requested(rules: &Rules, cell: &Cell<'_>) -> bool {
    let table = cell.table();
    BY.iter().zip(&rules.request).any(|(&by, rule)| {
        let Some(rule) = rule else { return false };
        let asked = match by {
            By::Respondent => table.requests().map(|requests| requests[cell.id().index()]),
            By::Holding => table.holdings().and_then(|holdings| holdings.requests(cell.id())),
        };
        let asked = asked.unwrap_or([None; 2]);
        let shown = asked.iter().zip(rule.percents).any(|(largest, percent)| {
            largest.is_some_and(|r| 100 * cell.single(r) > i128::from(percent) * cell.total())
        });
        shown || (asked.iter().any(Option::is_some) && cell.count(by) < rule.below)
    })
}

/// In a weighted table both respondents and those they stand for must be enough.
fn too_few(rules: &Rules, cell: &Cell<'_>) -> bool {
    let weights = cell.table().weighted().filter(|_| rules.weights);
    let stand_for_few = |below: u64| {
        weights.is_some_and(|weighted| {
            i128::from(weighted.counts[cell.id().index()])
                < i128::from(below) * pow10(weighted.decimals)
        })
    };
    BY.iter().zip(&rules.frequency).any(|(&by, rule)| {
        rule.is_some_and(|rule| {
            let count = cell.count(by);
            (0 < count && count < rule.below) || stand_for_few(rule.below)
        })
    })
}

fn level(table: &ArgusTable, cell: &Cell<'_>, status: CellStatus, excess: f64) -> CellState {
    let rules = &table.rules;
    let id = cell.id();
    let (value, step) = (table.value(id).abs(), table.step());
    if table.response.values()[id.index()] == 0 {
        let upper = rules.zero.unwrap_or(0.0).max(step);
        return CellState { status, lower: 0.0, upper };
    }
    let percent = |percent: u32| value * f64::from(percent) / 100.0;
    let widest = rules.frequency.iter().flatten().map(|rule| rule.range).max();
    let distance = match status {
        CellStatus::UnsafeRule => {
            let total = shadow(table.judged(), id).abs();
            let fine = cell.total() as f64;
            if total == 0.0 || fine == 0.0 {
                percent(rules.manual)
            } else if excess > 0.0 {
                value * excess / fine
            } else {
                let few = too_few(rules, cell);
                let level = percent(widest.filter(|_| few).unwrap_or(rules.manual));
                if level == 0.0 { value / total } else { level }
            }
        }
        CellStatus::UnsafeRequest => {
            percent(rules.request.iter().flatten().map(|rule| rule.range).max().unwrap_or(0))
        }
        CellStatus::UnsafeFrequency => percent(widest.unwrap_or(0)),
        _ => percent(rules.manual),
    };
    let distance = distance.max(step);
    CellState { status, lower: distance, upper: distance }
}

fn shadow(table: &Table, cell: CellId) -> f64 {
    to_f64(table.values()[cell.index()], table.decimals())
}
