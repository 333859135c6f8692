//! The true table and the pattern, as verification reads them.

use crate::manifest::InstanceNote;
use cellveil_argus::jj;
use cellveil_core::{CellId, Pattern, Problem, Why};
use std::path::Path;

/// Reads `instance.jj` in the unit that witnesses count in.
pub(super) fn read_instance(path: &Path, note: &InstanceNote) -> Result<Problem, String> {
    let fault = |error: &dyn std::fmt::Display| format!("`instance.jj`: {error}");
    // The file's own unit may be coarser than that of the witnesses, and the tolerance shrinks with it.
    let problem = jj::read_file(path, note.tolerance).map_err(|error| fault(&error))?;
    if problem.decimals() == note.decimals {
        return Ok(problem);
    }
    let finer = problem
        .in_decimals(note.decimals)
        .ok_or_else(|| fault(&"its unit is not that of the witnesses"))?;
    let checked = Problem::new(finer.parts().clone(), note.tolerance);
    Ok(checked.map_err(|error| fault(&error))?.against_those_of(&problem))
}

/// Reads `instance.jj` of a table that was adjusted: it need not add up, and levels may be below zero.
pub(super) fn read_instance_to_adjust(path: &Path, note: &InstanceNote) -> Result<Problem, String> {
    let text =
        std::fs::read_to_string(path).map_err(|_| "`instance.jj` cannot be read".to_owned())?;
    let problem = jj::read_to_adjust(&text).map_err(|error| format!("`instance.jj`: {error}"))?;
    problem
        .in_decimals(note.decimals)
        .ok_or_else(|| "`instance.jj`: its unit is not that of the table".to_owned())
}

/// Finds cells by the numbers they carry in files.
pub(crate) enum CellIndex {
    /// They are numbered by their rows.
    Rows(usize),
    /// By ascending number.
    Sorted(Vec<(u64, CellId)>),
}

impl CellIndex {
    pub(crate) fn new(problem: &Problem) -> Self {
        let id = |cell| (problem.names().id(cell), cell);
        if problem.cells().map(id).all(|(id, cell)| id == u64::from(cell.0)) {
            return Self::Rows(problem.len());
        }
        let mut ids: Vec<(u64, CellId)> = problem.cells().map(id).collect();
        ids.sort_unstable();
        Self::Sorted(ids)
    }

    pub(crate) fn find(&self, id: i64) -> Option<CellId> {
        let id = u64::try_from(id).ok()?;
        match self {
            Self::Rows(rows) => usize::try_from(id).ok().filter(|row| row < rows).map(CellId::at),
            Self::Sorted(ids) => {
                ids.binary_search_by_key(&id, |&(id, _)| id).ok().map(|at| ids[at].1)
            }
        }
    }
}

/// Reads `pattern.csv` strictly, as it was written.
pub(super) fn read_statuses(
    path: &Path,
    problem: &Problem,
    index: &CellIndex,
) -> Result<Pattern, String> {
    let mut reader =
        csv::Reader::from_path(path).map_err(|_| "`pattern.csv` cannot be read".to_owned())?;
    let fault = |line: u64, what: &str| format!("`pattern.csv` line {line}: {what}");
    let header = reader.headers().map_err(|_| fault(1, "is not CSV"))?;
    if header.iter().ne(["cell", "status"]) {
        return Err(fault(1, "the columns must be `cell,status`"));
    }
    let mut pattern = Pattern::open(problem.len());
    for (line, record) in (2_u64..).zip(reader.records()) {
        let record = record.map_err(|_| fault(line, "is not CSV"))?;
        let cell = record.get(0).and_then(|id| id.parse().ok()).and_then(|id| index.find(id));
        let cell = cell.ok_or_else(|| fault(line, "the cell is not in `instance.jj`"))?;
        let why = match record.get(1) {
            Some("p") => Why::Primary,
            Some("s") => Why::Secondary,
            _ => return Err(fault(line, "the status is neither `p` nor `s`")),
        };
        if pattern.is_withheld(cell) {
            return Err(fault(line, "the cell is listed twice"));
        }
        pattern.withhold(cell, why);
    }
    Ok(pattern)
}
