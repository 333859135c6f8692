//! Costs from anybody: CSV files that say what withholding cells costs.

use super::{Content, Finder, places, read_lines};
use crate::PublishError;
use cellveil_core::{CellId, Problem};
use std::path::Path;

/// The column with the cost.
const COST: Content = Content {
    names: &["cost", "weight"],
    missing: "no column `cost`; name the column that says what withholding each cell costs",
};

/// Reads what withholding cells costs: a column `cost` beside `cell`, or beside the table's code columns. Cells that are not listed
/// are not mentioned.
///
/// # Errors
/// [`PublishError`] names the line and what is wrong with it.
pub fn read_costs(path: &Path, problem: &Problem) -> Result<Vec<(CellId, f64)>, PublishError> {
    let text = std::fs::read_to_string(path).map_err(PublishError::io("read", path))?;
    let wrong = |line: u64, what: String| PublishError::Line { path: path.to_owned(), line, what };
    let lines = read_lines(text.trim_start_matches('\u{feff}')).map_err(|(l, w)| wrong(l, w))?;
    let (places, first) = places(&lines, problem, &COST).map_err(|what| wrong(1, what))?;
    let finder = Finder::new(problem, &places)?;
    let mut costs = Vec::new();
    for (line, row) in &lines[first..] {
        let written = row.get(places.content).map_or("", |cost| cost.trim());
        let cost = written.parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0);
        let cost =
            cost.ok_or_else(|| wrong(*line, "the cost is not a number of at least 0".to_owned()))?;
        costs.push((finder.find(row).map_err(|what| wrong(*line, what))?, cost));
    }
    Ok(costs)
}
