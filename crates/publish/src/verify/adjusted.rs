//! Replaying an adjusted table: additions, comparisons, and the witnesses where its promise needs them.

use super::instance::{CellIndex, read_instance, read_instance_to_adjust};
use super::rows::{Shown, TableFile, open_csv, open_parquet};
use super::{Subject, Verdict, guarded, list, proof};
use crate::adjusted::{PARAMETERS, Parameters};
use crate::manifest::{InstanceNote, MANIFEST, SUMMARY};
use crate::{Manifest, Summary};
use cellveil_core::units::Decimal;
use cellveil_core::{
    Adjustment, CellId, Problem, Promise, all_withheld, check_adjustment, intruder_view,
};
use std::path::Path;

/// Files without which there is no proof, besides the table.
pub(super) const NEEDED: [&str; 5] =
    [PARAMETERS, "adjusted.csv", "instance.jj", "witnesses.parquet", "claims.parquet"];

/// Everything after the hashes. An error is a fault that leaves nothing more to check.
pub(super) fn replay(
    dir: &Path,
    manifest: &Manifest,
    changed: &[String],
    verdict: &mut Verdict,
) -> Result<(), String> {
    let missing = || format!("`{MANIFEST}` does not describe `instance.jj`");
    let note = manifest.instance.as_ref().ok_or_else(missing)?;
    let parameters = read_parameters(dir)?;
    let damaged = || format!("`{PARAMETERS}` is damaged");
    let promise = parameters.promise().ok_or_else(damaged)?;
    let instance = dir.join("instance.jj");
    let problem = match promise {
        Promise::Moved => read_instance_to_adjust(&instance, note)?,
        Promise::Rounded { .. } | Promise::Radius { .. } => read_instance(&instance, note)?,
    };
    verdict.cells = problem.len();
    verdict.needs = problem.needs().len();
    let index = CellIndex::new(&problem);
    let adjustment = read_adjusted(dir, &problem, &index, parameters.decimals)?;
    verdict.adjusted =
        Some(problem.cells().filter(|&cell| adjustment.moved(&problem, cell) != 0).count());
    check_summary(dir, &problem, &mut verdict.faults);
    let intact = |name: &str| !changed.iter().any(|file| file == name);
    check_table(
        "table.csv",
        || open_csv(&dir.join("table.csv")),
        &problem,
        &adjustment,
        note,
        &mut verdict.faults,
    );
    if intact("table.parquet") {
        let open = || open_parquet(&dir.join("table.parquet"));
        check_table("table.parquet", open, &problem, &adjustment, note, &mut verdict.faults);
    }
    if let Err(found) = check_adjustment(&problem, &adjustment, promise) {
        list(&mut verdict.faults, found.iter().map(ToString::to_string));
        return Ok(());
    }
    if promise == Promise::Moved || !(intact("witnesses.parquet") && intact("claims.parquet")) {
        return Ok(());
    }
    let large = || "the amounts are too large to be checked".to_owned();
    let view = intruder_view(&problem, &adjustment, promise).ok_or_else(large)?;
    let pattern = all_withheld(&view);
    let note = InstanceNote { decimals: adjustment.decimals(), ..note.clone() };
    let subject = Subject { problem: &view, pattern: &pattern, note: &note };
    proof::check_proof(dir, &subject, &index, verdict)
}

fn read_parameters(dir: &Path) -> Result<Parameters, String> {
    let text = std::fs::read_to_string(dir.join(PARAMETERS)).unwrap_or_default();
    serde_json::from_str(&text).map_err(|_| format!("`{PARAMETERS}` is missing or damaged"))
}

/// Reads `adjusted.csv` strictly, as it was written: every cell in order, with its true value.
fn read_adjusted(
    dir: &Path,
    problem: &Problem,
    index: &CellIndex,
    decimals: u8,
) -> Result<Adjustment, String> {
    let fault = |line: usize, what: &str| format!("`adjusted.csv` line {line}: {what}");
    let mut reader = csv::Reader::from_path(dir.join("adjusted.csv"))
        .map_err(|_| "`adjusted.csv` cannot be read".to_owned())?;
    let header = reader.headers().map_err(|_| fault(1, "is not CSV"))?;
    if header.iter().ne(["cell", "value", "adjusted"]) {
        return Err(fault(1, "the columns must be `cell,value,adjusted`"));
    }
    let mut values = Vec::with_capacity(problem.len());
    for record in reader.records() {
        let line = values.len() + 2;
        let record = record.map_err(|_| fault(line, "is not CSV"))?;
        let cell = record.get(0).and_then(|id| id.parse().ok()).and_then(|id| index.find(id));
        let cell = cell.filter(|cell| cell.index() == values.len());
        let cell =
            cell.ok_or_else(|| fault(line, "is not the cell that stands there in `instance.jj`"))?;
        let number = |at: usize, decimals: u8| {
            Decimal::parse(record.get(at).unwrap_or_default())?.units(decimals)
        };
        if number(1, problem.decimals()) != Some(problem.value(cell)) {
            return Err(fault(line, "does not hold the cell's true value"));
        }
        values.push(
            number(2, decimals).ok_or_else(|| fault(line, "the adjusted value is no amount"))?,
        );
    }
    if values.len() != problem.len() {
        return Err("`adjusted.csv` does not list every cell".to_owned());
    }
    Ok(Adjustment::new(decimals, values))
}

fn check_summary(dir: &Path, problem: &Problem, faults: &mut Vec<String>) {
    let text = std::fs::read_to_string(dir.join(SUMMARY)).unwrap_or_default();
    match serde_json::from_str::<Summary>(&text) {
        Err(_) => faults.push(format!("`{SUMMARY}` is missing or damaged")),
        Ok(summary)
            if summary.cells != problem.len() || summary.primary != problem.needs().len() =>
        {
            faults.push(format!("`{SUMMARY}` does not count the cells of this release"));
        }
        Ok(_) => {}
    }
}

/// Every row must show the adjusted value and nothing else.
fn check_table(
    name: &str,
    open: impl FnOnce() -> Result<TableFile, String>,
    problem: &Problem,
    adjustment: &Adjustment,
    note: &InstanceNote,
    faults: &mut Vec<String>,
) {
    let mut found = Vec::new();
    let read = guarded(name, || {
        let table = open().map_err(|what| format!("`{name}`: {what}"))?;
        let mut count = 0;
        for (at, row) in table.rows.enumerate() {
            let row = row.map_err(|what| format!("`{name}`: {what}"))?;
            count += 1;
            if at >= problem.len() {
                continue;
            }
            let foreign =
                note.own_ids && row.names != [problem.names().id(CellId::at(at)).to_string()];
            let right = row.value != Shown::Nothing
                && row.value.is(adjustment.values()[at], adjustment.decimals())
                && row.status == "v"
                && row.conf_status == "F";
            if foreign || !right {
                found.push(format!(
                    "`{name}` row {at} does not show the adjusted value of its cell"
                ));
            }
        }
        if count == problem.len() {
            Ok(())
        } else {
            Err(format!("`{name}`: it has {count} rows for {} cells", problem.len()))
        }
    });
    list(faults, found);
    faults.extend(read.err());
}
