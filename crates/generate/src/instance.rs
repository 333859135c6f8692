//! What all generated instances have in common.

use crate::GenerateError;
use cellveil_core::{CellNames, Need, Needs, Problem, ProblemParts, Relations, Status};

/// An instance of whole numbers: every cell costs its value and is known to lie between 0 and half above the largest value, the
/// bounds that go into JJ files, which know no infinity.
pub(crate) fn instance(
    values: Vec<i64>,
    status: Vec<Status>,
    needs: Vec<Need>,
    relations: Relations,
) -> Result<Problem, GenerateError> {
    let cells = values.len();
    let largest = values.iter().copied().max().unwrap_or(0);
    let parts = ProblemParts {
        decimals: 0,
        costs: values.iter().map(|&value| value as f64).collect(),
        values,
        lower: vec![0; cells],
        upper: vec![largest + largest / 2; cells],
        status,
        needs: Needs::new(needs),
        relations,
        names: CellNames::Ids((0..cells as u64).collect()),
        singletons: Vec::new(),
        width: 0,
    };
    Ok(Problem::new(parts, 0)?)
}
