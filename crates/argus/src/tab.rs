//! A finished table, one cell a line (`.tab`).

use crate::arb::{Additivity, CostSpec, Rules, Specify};
use crate::micro::Resolve;
use crate::micro_table::costs;
use crate::rda::Metadata;
use crate::tab_cell::{Reading, TabCell};
use crate::tab_columns::Columns;
use crate::tab_sums::{add_missing_totals, check_sums, recompute};
use crate::{ArgusTable, CellState, CellStatus, Codes, Fault, Records};
use cellveil_core::units::pow10;
use cellveil_core::{
    CellId, CodeId, Contribution, Contributors, Dimension, Table, TableError, TableParts,
};
use cellveil_tabulate::{AMOUNT_DECIMALS, Extent, units_of_amount};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Reads a finished table. With several files, all are one table.
///
/// # Errors
/// [`Fault`] names the line, the code or the cells at fault.
pub fn read_table(
    files: &[std::path::PathBuf],
    metadata: &Metadata,
    specify: &Specify,
    rules: &Rules,
    additivity: Additivity,
    resolve: &Resolve<'_>,
) -> Result<ArgusTable, Fault> {
    let columns = Columns::new(metadata, specify, rules)?;
    let records: Vec<Records> =
        files.iter().map(|file| Records::read(file)).collect::<Result<_, _>>()?;
    let codes = code_lists(metadata, &columns, &records, resolve)?;
    let keep = rules.given || additivity == Additivity::Recompute { keep: true };
    let reading = Reading { metadata, columns: &columns, codes: &codes, rules, statuses: keep };
    let mut cells: BTreeMap<Vec<CodeId>, TabCell> = BTreeMap::new();
    for records in &records {
        reading.cells(records, &mut cells)?;
    }
    let mut notes = Vec::new();
    let dimensions: Vec<Dimension> = codes.iter().map(|codes| codes.dimension.clone()).collect();
    if let Additivity::Recompute { .. } = additivity {
        recompute(&dimensions, &mut cells, &mut notes).map_err(too_large(&files[0]))?;
    } else {
        add_missing_totals(&dimensions, &mut cells);
    }
    let counted = columns.frequency.is_some() || specify.response.is_none();
    if !counted {
        if rules.frequency.iter().any(Option::is_some) {
            return Err(Fault::new(
                &metadata.file,
                "a rule looks at frequencies, but no column holds them",
            )
            .hint("mark one with `<FREQUENCY>`, or leave out `FREQ`"));
        }
        notes.push("no frequencies: every cell is taken to have one contributor".to_owned());
        for cell in cells.values_mut().filter(|cell| !cell.is_empty()) {
            // As many as are known to contribute, so that the rules see all of the largest.
            cell.frequency = cell.top.iter().filter(|&&amount| amount > 0).count().max(1) as u64;
        }
    }
    cells.retain(|_, cell| !cell.is_empty() || cell.response != 0 || !cell.listed);
    let file = files[0].clone();
    let mut table = assemble(&file, specify, rules, codes, &cells, &columns, metadata)?;
    check_sums(&file, &mut table, additivity, &mut notes)?;
    (table.counted, table.notes) = (counted, notes);
    finish(&file, table, &cells, keep)
}

/// The codes of every spanning variable; totals and missing codes are known without the data.
fn code_lists(
    metadata: &Metadata,
    columns: &Columns,
    records: &[Records],
    resolve: &Resolve<'_>,
) -> Result<Vec<Codes>, Fault> {
    let mut seen: Vec<BTreeSet<String>> = vec![BTreeSet::new(); columns.explanatory.len()];
    for records in records {
        records.each(metadata, |fields| {
            for (seen, &at) in seen.iter_mut().zip(&columns.explanatory) {
                let variable = &metadata.variables[at];
                let code = fields.code(variable, at);
                let missing = variable.missing.iter().any(|one| one.trim() == code.trim());
                if !code.trim().is_empty() && code.trim() != variable.total().trim() && !missing {
                    seen.insert(code.into_owned());
                }
            }
            Ok(())
        })?;
    }
    let of = |(&at, seen): (&usize, BTreeSet<String>)| {
        let mut variable = metadata.variables[at].clone();
        let width = seen.iter().map(|code| code.chars().count()).max().unwrap_or(0);
        let data = seen.iter().map(|code| crate::text::padded(code, width)).collect();
        let file = variable.hierarchy_file.as_deref().map(resolve);
        let width = if file.is_some() { 0 } else { width };
        for code in &mut variable.missing {
            *code = crate::text::padded(code, width);
        }
        let mut codes = Codes::new(&variable, &data, file.as_deref())?;
        codes.label_from(&variable, resolve);
        Ok(codes)
    };
    columns.explanatory.iter().zip(seen).map(of).collect()
}

fn too_large(file: &Path) -> impl Fn(TableError) -> Fault + '_ {
    |why| Fault::new(file, why.to_string()).hint("leave out a variable, or fold its codes")
}

fn assemble(
    file: &Path,
    specify: &Specify,
    rules: &Rules,
    codes: Vec<Codes>,
    cells: &BTreeMap<Vec<CodeId>, TabCell>,
    columns: &Columns,
    metadata: &Metadata,
) -> Result<ArgusTable, Fault> {
    let table = |response: Option<String>, of: fn(&TabCell) -> i128| {
        parts(&codes, cells, columns.top.len(), response, of)
            .ok_or_else(|| {
                Fault::new(file, "an amount is too large")
                    .hint("give the response in larger units, such as thousands")
            })
            .and_then(|parts| Table::new(parts).map_err(too_large(file)))
    };
    let response = table(specify.response.clone(), |cell| cell.response)?;
    let shadow = match columns.shadow {
        Some(_) => Some(table(specify.shadow.clone(), |cell| cell.shadow)?),
        None => None,
    };
    let cost = match columns.cost {
        Some(_) => Some(table(None, |cell| cell.cost)?),
        None => None,
    };
    let mut specify = specify.clone();
    if let (Some(at), CostSpec::Default) = (columns.cost, &specify.cost) {
        specify.cost = CostSpec::Variable(metadata.variables[at].name.clone());
    }
    if let (Some(at), None) = (columns.shadow, &specify.shadow) {
        specify.shadow = Some(metadata.variables[at].name.clone());
    }
    let mut table = ArgusTable {
        specify,
        rules: rules.clone(),
        codes,
        decimals: metadata.variables[columns.response].decimals,
        response,
        shadow,
        costs: Vec::new(),
        states: Vec::new(),
        original: Vec::new(),
        adjusted: None,
        counted: true,
        notes: Vec::new(),
    };
    table.costs = costs(&table, cost.as_ref());
    Ok(table)
}

/// The parts of a table; whether its sums hold is found out afterwards.
fn parts(
    codes: &[Codes],
    cells: &BTreeMap<Vec<CodeId>, TabCell>,
    depth: usize,
    response: Option<String>,
    of: fn(&TabCell) -> i128,
) -> Option<TableParts> {
    let mut extent = Extent::default();
    for cell in cells.values() {
        for amount in cell.top.iter().chain([&of(cell)]) {
            extent.add(*amount, pow10(AMOUNT_DECIMALS));
        }
    }
    extent.response = cells.values().map(|cell| of(cell).abs()).max().unwrap_or(0);
    let decimals = extent.units().contribution;
    let (mut values, mut counts, mut top) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells.values() {
        values.push(units_of_amount(of(cell), decimals)?);
        counts.push(cell.frequency);
        for nth in 0..depth {
            let amount = cell.top.get(nth).map_or(Some(0), |&t| units_of_amount(t, decimals))?;
            top.push(Contribution { value: amount, weight: 1 });
        }
    }
    Some(TableParts {
        dimensions: codes.iter().map(|codes| codes.dimension.clone()).collect(),
        keys: cells.keys().flatten().copied().collect(),
        response,
        decimals,
        negative: values.iter().position(|&value| value < 0).map(CellId::at),
        values,
        contribution_decimals: decimals,
        respondents: Contributors::new(counts, depth, top),
        holdings: None,
        weighted: None,
        requests: None,
        tolerance: i64::MAX,
    })
}

/// Statuses of the file, or those of the rules.
fn finish(
    file: &Path,
    mut table: ArgusTable,
    cells: &BTreeMap<Vec<CodeId>, TabCell>,
    keep: bool,
) -> Result<ArgusTable, Fault> {
    table.states = vec![CellState::safe(CellStatus::Safe); table.len()];
    if !table.rules.given {
        table.judge().map_err(|why| Fault::new(file, why.to_string()))?;
    }
    if keep {
        let states = cells.values().zip(0..).map(|(cell, at)| {
            let value = table.value(CellId::at(at));
            cell.state(value, table.rules.manual, table.step())
        });
        table.states = states.collect();
        table.original.clone_from(&table.states);
    }
    Ok(table)
}
