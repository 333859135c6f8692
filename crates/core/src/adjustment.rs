//! A table with changed values, and the check that it is additive, within bounds and far enough from the truth.
//!
//! Additions and comparisons of whole numbers only, as in [`verify`](crate::verify): it knows nothing of how an adjustment was
//! found.

use crate::{CellId, Need, Problem, Status, units};
use thiserror::Error;

/// A value for every cell, to be published instead of the true one. An overlay: it never changes the table beneath it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjustment {
    decimals: u8,
    values: Vec<i64>,
}

impl Adjustment {
    /// Values in units of `10^-decimals`, which may be finer than the table's.
    pub fn new(decimals: u8, values: Vec<i64>) -> Self {
        Self { decimals, values }
    }

    /// The number of decimals of the unit.
    pub fn decimals(&self) -> u8 {
        self.decimals
    }

    /// The values, in units.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// How many of these units make one of the table's; `None` if the table's are finer.
    pub fn per_unit(&self, problem: &Problem) -> Option<i64> {
        let finer = self.decimals.checked_sub(problem.decimals())?;
        i64::try_from(units::pow10(finer.min(18))).ok()
    }

    /// How far a cell moved, in units of this adjustment.
    pub fn moved(&self, problem: &Problem, cell: CellId) -> i128 {
        let per_unit = self.per_unit(problem).unwrap_or(1);
        i128::from(self.values[cell.index()])
            - i128::from(problem.value(cell)) * i128::from(per_unit)
    }
}

/// What an adjusted table must keep besides every relation and every bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Frozen cells keep their values, and every sensitive cell lies outside the interval of its levels.
    Moved,
    /// Every value is a multiple of `base` units of the table, at most `steps` further away than the two nearest ones.
    Rounded {
        /// The base, in units of the table; at least 1.
        base: i64,
        /// How many multiples beyond the nearest ones are allowed.
        steps: u32,
    },
    /// Every cell that is not sensitive lies within a published share of its true value: `|x − a| ≤ β/2 · |a|`, with
    /// `β` in millionths. That needs are met by whoever knows `β` is shown by witnesses.
    Radius {
        /// `β` in millionths.
        millionths: u64,
    },
}

/// Why an adjusted table may not be published. Cells are named as in the problem; no amounts.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AdjustmentFault {
    /// The adjustment is for another table, or in coarser units.
    #[error("the adjusted table is not one of this table")]
    WrongTable,
    /// A relation that the adjusted values do not satisfy.
    #[error("relation {0} does not hold in the adjusted table")]
    BreaksRelation(usize),
    /// A value outside the bounds that everybody knows.
    #[error("the adjusted value of `{0}` lies outside its bounds")]
    LeavesBounds(String),
    /// A preserved cell that changed.
    #[error("`{0}` must keep its value but was adjusted")]
    MovesFrozen(String),
    /// A sensitive cell that is too near to its true value.
    #[error("the adjusted value of `{0}` is too near to its true value")]
    TooNear(String),
    /// A value that is no multiple of the base.
    #[error("the rounded value of `{0}` is no multiple of the base")]
    NotAMultiple(String),
    /// A value further from the true one than was promised.
    #[error("the adjusted value of `{0}` is too far from its true value")]
    TooFar(String),
}

/// Checks an adjusted table.
///
/// # Errors
/// Every [`AdjustmentFault`], relations first, then cells in their order.
pub fn check_adjustment(
    problem: &Problem,
    adjustment: &Adjustment,
    promise: Promise,
) -> Result<(), Vec<AdjustmentFault>> {
    let per_unit = match adjustment.per_unit(problem) {
        Some(per_unit) if adjustment.values.len() == problem.len() => i128::from(per_unit),
        _ => return Err(vec![AdjustmentFault::WrongTable]),
    };
    let mut faults = Vec::new();
    let relations = problem.relations();
    for relation in 0..relations.len() {
        let term =
            |(cell, c): (CellId, i32)| i128::from(adjustment.values[cell.index()]) * i128::from(c);
        let sum: i128 = relations.row(relation).map(term).sum();
        if sum != i128::from(relations.constant(relation)) * per_unit {
            faults.push(AdjustmentFault::BreaksRelation(relation));
        }
    }
    for cell in problem.cells() {
        let value = i128::from(adjustment.values[cell.index()]);
        let beyond = problem.lower(cell).is_some_and(|bound| value < i128::from(bound) * per_unit)
            || problem.upper(cell).is_some_and(|bound| value > i128::from(bound) * per_unit);
        let name = || problem.names().describe(cell).to_string();
        if beyond {
            faults.push(AdjustmentFault::LeavesBounds(name()));
        }
        let moved = adjustment.moved(problem, cell);
        match promise {
            Promise::Moved => {
                if problem.status(cell) == Status::Frozen && moved != 0 {
                    faults.push(AdjustmentFault::MovesFrozen(name()));
                }
                if problem.needs().of(cell).is_some_and(|need| !moved_enough(need, moved, per_unit))
                {
                    faults.push(AdjustmentFault::TooNear(name()));
                }
            }
            Promise::Rounded { base, steps } => {
                let base = i128::from(base.max(1)) * per_unit;
                if value % base != 0 {
                    faults.push(AdjustmentFault::NotAMultiple(name()));
                }
                // A multiple of the base stays where it is unless steps are allowed.
                let at_multiple = (value - moved) % base == 0;
                let reach = i128::from(steps) * base + if at_multiple { 0 } else { base - 1 };
                if moved.abs() > reach {
                    faults.push(AdjustmentFault::TooFar(name()));
                }
            }
            Promise::Radius { millionths } => {
                let reach = i128::from(millionths) * (value - moved).abs();
                if problem.needs().of(cell).is_none() && moved.abs() * 2_000_000 > reach {
                    faults.push(AdjustmentFault::TooFar(name()));
                }
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// How far a sensitive cell must move to each side, down first; `None` where moving to that side protects nothing.
///
/// A level of 0 would let the true value be published, so that side is closed. A need that asks only for two tables far apart
/// is met by a move of that distance. With a level below zero, the interval to avoid does not contain the value, and both sides are open.
pub fn levels(need: &Need) -> [Option<i64>; 2] {
    if need.down < 0 || need.up < 0 {
        return [Some(need.down), Some(need.up)];
    }
    let level = |own: i64| match (own, need.down == 0 && need.up == 0) {
        (0, true) => Some(need.sliding).filter(|&sliding| sliding > 0),
        (own, _) => Some(own).filter(|&own| own > 0),
    };
    [level(need.down), level(need.up)]
}

fn moved_enough(need: &Need, moved: i128, per_unit: i128) -> bool {
    let [down, up] = levels(need);
    let reaches = |level: Option<i64>, moved: i128| {
        level.is_some_and(|level| moved >= i128::from(level) * per_unit)
    };
    let idle = need.down == 0 && need.up == 0 && need.sliding == 0;
    idle || reaches(down, -moved) || reaches(up, moved)
}
