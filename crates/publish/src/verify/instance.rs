//! The true table and the pattern, as verification reads them.

use crate::manifest::InstanceNote;
use cellveil_argus::jj;
use cellveil_core::{
    CellId, NO_LOWER, NO_UPPER, Need, Needs, Pattern, Problem, ProblemParts, Relations, Why, units,
};
use std::path::Path;

/// Reads `instance.jj` in the unit that witnesses count in.
pub(super) fn read_instance(path: &Path, note: &InstanceNote) -> Result<Problem, String> {
    let text =
        std::fs::read_to_string(path).map_err(|_| "`instance.jj` cannot be read".to_owned())?;
    let fault = |error: &dyn std::fmt::Display| format!("`instance.jj`: {error}");
    // The file's own unit may be coarser than that of the witnesses, and the tolerance shrinks with it.
    let problem = jj::read(&text, note.tolerance).map_err(|error| fault(&error))?;
    if problem.decimals() == note.decimals {
        return Ok(problem);
    }
    let parts = rescaled(&problem, note.decimals)
        .ok_or_else(|| fault(&"its unit is not that of the witnesses"))?;
    let rescaled = Problem::new(parts, note.tolerance).map_err(|error| fault(&error))?;
    Ok(rescaled.against_those_of(&problem))
}

/// The same problem in a finer unit; `None` if its amounts do not fit.
fn rescaled(problem: &Problem, decimals: u8) -> Option<ProblemParts> {
    let finer = decimals.checked_sub(problem.decimals()).filter(|_| decimals <= 18)?;
    let factor = i64::try_from(units::pow10(finer)).ok()?;
    let scale = |amount: i64| amount.checked_mul(factor);
    let column = |of: &dyn Fn(CellId) -> Option<i64>| problem.cells().map(of).collect();
    let mut relations = Relations::default();
    for relation in 0..problem.relations().len() {
        let constant = scale(problem.relations().constant(relation))?;
        relations.push(problem.relations().row(relation), constant);
    }
    let scaled = |need: &Need| {
        let [down, up, sliding] = [need.down, need.up, need.sliding].map(scale);
        Some(Need { down: down?, up: up?, sliding: sliding?, ..*need })
    };
    let needs: Option<Vec<Need>> = problem.needs().iter().map(scaled).collect();
    let values: Option<Vec<i64>> = column(&|cell| scale(problem.value(cell)));
    let lower: Option<Vec<i64>> = column(&|cell| problem.lower(cell).map_or(Some(NO_LOWER), scale));
    let upper: Option<Vec<i64>> = column(&|cell| problem.upper(cell).map_or(Some(NO_UPPER), scale));
    Some(ProblemParts {
        decimals,
        values: values?,
        costs: problem.cells().map(|cell| problem.cost(cell)).collect(),
        lower: lower?,
        upper: upper?,
        status: problem.cells().map(|cell| problem.status(cell)).collect(),
        needs: Needs::new(needs?),
        relations,
        names: problem.names().clone(),
        singletons: problem.singletons().to_vec(),
        width: scale(problem.width())?,
    })
}

/// Finds cells by the numbers they carry in files.
pub(crate) struct CellIndex {
    /// Ascending.
    ids: Vec<(u64, CellId)>,
}

impl CellIndex {
    pub(crate) fn new(problem: &Problem) -> Self {
        let id = |cell| (problem.names().id(cell), cell);
        let mut ids: Vec<(u64, CellId)> = problem.cells().map(id).collect();
        // Already sorted when cells are numbered by their rows.
        ids.sort_unstable();
        Self { ids }
    }

    pub(crate) fn find(&self, id: i64) -> Option<CellId> {
        let id = u64::try_from(id).ok()?;
        self.ids.binary_search_by_key(&id, |&(id, _)| id).ok().map(|at| self.ids[at].1)
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
