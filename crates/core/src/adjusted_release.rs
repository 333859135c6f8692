//! An adjusted table that may be written, because it was checked.

use crate::{
    Adjustment, AdjustmentFault, Certificate, Fault, Pattern, Problem, Promise, Status, Why,
    check_adjustment, verify,
};
use thiserror::Error;

/// A table and its adjusted values, checked by [`check_adjustment`]; where the promise tells the intruder how near the truth is, also
/// witnesses that [`verify()`] accepted. Writers take nothing else.
#[derive(Clone, Debug)]
pub struct AdjustedRelease {
    problem: Problem,
    adjustment: Adjustment,
    promise: Promise,
    certificate: Certificate,
}

/// The adjusted table is not proven safe.
#[derive(Clone, Debug, Error)]
#[error("the adjusted table is not proven safe: {} fault{}, first: {}", faults.len(),
    if faults.len() == 1 { "" } else { "s" }, faults.first().map_or("", String::as_str))]
pub struct NotProtected {
    /// What is wrong, never empty. Cells are named, amounts are not.
    pub faults: Vec<String>,
}

impl AdjustedRelease {
    /// Checks the table and verifies the certificate, if its promise asks for one.
    ///
    /// # Errors
    /// [`NotProtected`] lists everything that does not hold.
    pub fn new(
        problem: Problem,
        adjustment: Adjustment,
        promise: Promise,
        certificate: Certificate,
    ) -> Result<Self, NotProtected> {
        let faults = faults(&problem, &adjustment, promise, &certificate);
        if faults.is_empty() {
            Ok(Self { problem, adjustment, promise, certificate })
        } else {
            Err(NotProtected { faults })
        }
    }

    /// The table as an instance, with its true values.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The values to publish.
    pub fn adjustment(&self) -> &Adjustment {
        &self.adjustment
    }

    /// What the table keeps.
    pub fn promise(&self) -> Promise {
        self.promise
    }

    /// The witnesses for an intruder who knows the promise; empty where none are needed.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }
}

fn faults(
    problem: &Problem,
    adjustment: &Adjustment,
    promise: Promise,
    certificate: &Certificate,
) -> Vec<String> {
    let text = |fault: &AdjustmentFault| fault.to_string();
    if let Err(faults) = check_adjustment(problem, adjustment, promise) {
        return faults.iter().map(text).collect();
    }
    if promise == Promise::Moved {
        return Vec::new();
    }
    let Some(view) = intruder_view(problem, adjustment, promise) else {
        return vec!["the amounts are too large to be checked".to_owned()];
    };
    let pattern = all_withheld(&view);
    let text = |fault: &Fault| fault.to_string();
    verify(&view, &pattern, certificate).err().unwrap_or_default().iter().map(text).collect()
}

/// What an intruder knows who sees an adjusted table and its promise: every cell is unknown, but lies within what the published value
/// allows. Bounds are rounded inwards. `None` if the amounts do not fit, or the promise tells nothing.
pub fn intruder_view(
    problem: &Problem,
    adjustment: &Adjustment,
    promise: Promise,
) -> Option<Problem> {
    let view = problem.in_decimals(adjustment.decimals())?;
    let per_unit = adjustment.per_unit(problem)?;
    let mut parts = view.parts().clone();
    for cell in problem.cells() {
        let i = cell.index();
        let value = i128::from(*adjustment.values().get(i)?);
        let (least, most) = match promise {
            Promise::Moved => return None,
            Promise::Rounded { base, steps } => {
                let base = i128::from(base).checked_mul(per_unit.into())?;
                let reach = base * (i128::from(steps) + 1) - 1;
                (value - reach, value + reach)
            }
            Promise::Radius { .. } if problem.needs().of(cell).is_some() => (i128::MIN, i128::MAX),
            Promise::Radius { millionths } => around(value, millionths.into()),
        };
        let clamp = |bound: i128| bound.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        parts.lower[i] = parts.lower[i].max(clamp(least));
        parts.upper[i] = parts.upper[i].min(clamp(most));
        if problem.needs().of(cell).is_none() {
            parts.status[i] = Status::Free;
        }
    }
    Problem::new(parts, i64::MAX).ok()
}

/// All values `a` with `|x − a| ≤ β/2 · |a|` for a published `x`.
fn around(value: i128, millionths: i128) -> (i128, i128) {
    const WHOLE: i128 = 2_000_000;
    let size = value.abs() * WHOLE;
    let near = size / (WHOLE + millionths) + i128::from(size % (WHOLE + millionths) != 0);
    let far = if millionths >= WHOLE { i128::MAX } else { size / (WHOLE - millionths) };
    if millionths >= WHOLE {
        // The sign is unknown too.
        (i128::MIN, i128::MAX)
    } else if value >= 0 {
        (near, far)
    } else {
        (-far, -near)
    }
}

/// The pattern of a table of which no cell is certain.
pub fn all_withheld(problem: &Problem) -> Pattern {
    let mut pattern = problem.start();
    for cell in problem.cells() {
        pattern.withhold(cell, Why::Secondary);
    }
    pattern
}
