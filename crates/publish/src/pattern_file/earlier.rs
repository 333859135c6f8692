//! What earlier releases published of the cells of a table.
//!
//! An earlier table may have had fewer dimensions: its cells are those of this table with the total in the others. What cannot be joined
//! cell by cell is refused, because what is overlooked here is overlooked by the proof.

use super::{Finder, STATUS, places, read_lines, statuses};
use crate::PublishError;
use crate::columns::column_names;
use cellveil_core::{CellId, CellNames, CodeId, Dimension, Problem};
use std::collections::BTreeSet;
use std::path::Path;

/// The cells of a problem that an earlier release published. The file is as for [`read_pattern`](super::read_pattern), but columns of
/// dimensions that the earlier table did not have may be missing. Cells of the earlier table that are not listed count as published.
///
/// # Errors
/// [`PublishError`] names the line and what is wrong with it.
pub fn read_earlier(path: &Path, problem: &Problem) -> Result<Vec<CellId>, PublishError> {
    let text = std::fs::read_to_string(path).map_err(PublishError::io("read", path))?;
    let wrong = |line: u64, what: String| PublishError::Line { path: path.to_owned(), line, what };
    let mut lines = read_lines(text.trim_start_matches('\u{feff}'))
        .map_err(|(line, what)| wrong(line, what))?;
    let totals = fill_totals(&mut lines, problem);
    let (places, first) = places(&lines, problem, &STATUS).map_err(|what| wrong(1, what))?;
    let letter = |row: &[String]| row.get(places.content).cloned().unwrap_or_default();
    let letters: Vec<String> = lines[first..].iter().map(|(_, row)| letter(row)).collect();
    let vocabulary = statuses::Vocabulary::of(letters.iter().map(String::as_str));
    let finder = Finder::new(problem, &places)?;
    let (mut listed, mut withheld) = (BTreeSet::new(), BTreeSet::new());
    for ((line, row), letter) in lines[first..].iter().zip(&letters) {
        let cell = finder.find(row).map_err(|what| {
            wrong(*line, format!("{what}, so what was published of it cannot be joined"))
        })?;
        let hides = vocabulary.withholds(letter).ok_or_else(|| {
            wrong(*line, format!("status `{letter}` is unknown; known are {}", statuses::KNOWN))
        })?;
        if !listed.insert(cell) {
            let name = problem.names().describe(cell).to_string();
            return Err(wrong(
                *line,
                format!(
                    "`{name}` stands here again; a variable that is not in this table cannot be joined: keep the lines of its total only"
                ),
            ));
        }
        if hides {
            withheld.insert(cell);
        }
    }
    let is_there =
        |cell: &CellId| totals.iter().all(|&(at, total)| problem.names().key(*cell)[at] == total);
    Ok(problem.cells().filter(is_there).filter(|cell| !withheld.contains(cell)).collect())
}

/// Adds columns with the total of every dimension that a file has no column of, if it has one of any. Returns those dimensions, by
/// number, with their totals.
fn fill_totals(lines: &mut [(u64, Vec<String>)], problem: &Problem) -> Vec<(usize, CodeId)> {
    let CellNames::Codes { dimensions, .. } = problem.names() else { return Vec::new() };
    let header: Vec<String> = lines[0].1.iter().map(|name| name.trim().to_lowercase()).collect();
    let has = |dimension: &Dimension| {
        column_names(dimension).iter().any(|name| header.contains(&name.to_lowercase()))
    };
    let by_number = super::CELL.iter().any(|name| header.contains(&(*name).to_owned()));
    if by_number || !dimensions.iter().any(has) {
        return Vec::new();
    }
    let mut totals = Vec::new();
    for (at, dimension) in dimensions.iter().enumerate().filter(|(_, dimension)| !has(dimension)) {
        let codes = 0..dimension.hierarchy.len() as CodeId;
        let Some(total) = codes.into_iter().find(|&code| dimension.hierarchy.depth(code) == 0)
        else {
            continue;
        };
        totals.push((at, total));
        for name in column_names(dimension) {
            let width = lines[0].1.len();
            lines[0].1.push(name.clone());
            // In level columns the total leaves all of them empty.
            let shown =
                if dimension.levels.is_empty() { dimension.hierarchy.name(total) } else { "" };
            for (_, row) in &mut lines[1..] {
                row.resize(width, String::new());
                row.push(shown.to_owned());
            }
        }
    }
    totals
}
