//! A finished table, one cell a line (`.tab`).

use crate::arb::{Additivity, CostSpec, Rules, Specify};
use crate::micro::{Resolve, no_variable};
use crate::micro_table::costs;
use crate::rda::{Metadata, Roles};
use crate::tab_cell::{Given, Reading, TabCell};
use crate::{ArgusTable, CellState, CellStatus, Codes, Fault, Records};
use cellveil_core::units::pow10;
use cellveil_core::{
    CellId, CodeId, Contribution, Contributors, Dimension, Table, TableError, TableParts,
};
use cellveil_tabulate::{AMOUNT_DECIMALS, Extent, Space, units_of_amount};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The columns of the file that a table uses.
pub(crate) struct Columns {
    pub(crate) explanatory: Vec<usize>,
    pub(crate) response: usize,
    pub(crate) frequency: Option<usize>,
    pub(crate) shadow: Option<usize>,
    pub(crate) cost: Option<usize>,
    pub(crate) top: Vec<usize>,
    pub(crate) status: Option<usize>,
    pub(crate) levels: [Option<usize>; 2],
}

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

impl Columns {
    fn new(metadata: &Metadata, specify: &Specify, rules: &Rules) -> Result<Self, Fault> {
        let explanatory = |name: &String| {
            let found = metadata.find(name).filter(|&at| metadata.variables[at].roles.explanatory);
            found
                .ok_or_else(|| no_variable(metadata, name, "<RECODEABLE>", |v| v.roles.explanatory))
        };
        let is_number =
            |r: &Roles| r.numeric || r.shadow || r.cost || r.frequency || r.lower || r.upper;
        let number = |name: &str| {
            let found = metadata.find(name).filter(|&at| is_number(&metadata.variables[at].roles));
            found.ok_or_else(|| no_variable(metadata, name, "<NUMERIC>", |v| is_number(&v.roles)))
        };
        let frequency = metadata.with(|r| r.frequency);
        let response = match &specify.response {
            Some(name) => number(name)?,
            None => frequency.or(metadata.with(|r| r.numeric)).ok_or_else(|| {
                Fault::new(&metadata.file, "there is no column of frequencies")
                    .hint("mark one with `<FREQUENCY>`")
            })?,
        };
        let shadow = match &specify.shadow {
            Some(name) => Some(number(name)?),
            None => metadata.with(|r| r.shadow),
        };
        let cost = match &specify.cost {
            CostSpec::Variable(name) => Some(number(name)?),
            CostSpec::Default => metadata.with(|r| r.cost),
            _ => None,
        };
        let tops = |at: &usize| metadata.variables[*at].roles.top;
        let columns = Self {
            explanatory: specify.explanatory.iter().map(explanatory).collect::<Result<_, _>>()?,
            response,
            frequency,
            shadow: shadow.filter(|&at| at != response),
            cost: cost.filter(|&at| at != response),
            top: (0..metadata.variables.len()).filter(tops).collect(),
            status: metadata.with(|r| r.status),
            levels: [metadata.with(|r| r.lower), metadata.with(|r| r.upper)],
        };
        let lacking = rules.top().saturating_sub(columns.top.len());
        if lacking > 0 && !rules.given {
            return Err(Fault::new(
                &metadata.file,
                format!("the rules look at the {} largest contributions, the table has {}", rules.top(), columns.top.len()),
            )
            .hint("mark more columns with `<MAXSCORE>`, or use the statuses of the file (`<SAFETYRULE>` without rules)"));
        }
        Ok(columns)
    }
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

/// Makes every total anew from the finest cells.
fn recompute(
    dimensions: &[Dimension],
    cells: &mut BTreeMap<Vec<CodeId>, TabCell>,
    notes: &mut Vec<String>,
) -> Result<(), TableError> {
    let space = Space::new(dimensions, 1)?;
    let is_finest =
        |key: &[CodeId]| key.iter().zip(dimensions).all(|(&code, d)| d.hierarchy.is_leaf(code));
    let finest: Vec<(u128, TabCell)> = cells
        .iter()
        .filter(|(key, cell)| is_finest(key) && !cell.is_empty())
        .map(|(key, cell)| (space.key(key, 0), cell.clone()))
        .collect();
    let mut made = BTreeMap::new();
    let mut changed = 0;
    for (number, mut cell) in space.roll_up(finest, TabCell::join)? {
        let key: Vec<CodeId> = (0..dimensions.len()).map(|d| space.code(number, d)).collect();
        let before = cells.get(&key);
        changed += usize::from(before.is_none_or(|before| before.response != cell.response));
        if let Some(before) = before {
            (cell.given, cell.levels) = (before.given, before.levels);
        } else {
            (cell.given, cell.levels) = (Given::None, [None; 2]);
        }
        made.insert(key, cell);
    }
    let lost = cells.iter().filter(|(key, cell)| !cell.is_empty() && !made.contains_key(*key));
    let lost = lost.count();
    notes.push(format!("totals were made anew; {changed} cells differ from the file"));
    if lost > 0 {
        notes.push(format!("{lost} totals have no parts and are empty now"));
    }
    *cells = made;
    Ok(())
}

/// A total that is not listed is empty; its parts show whether that can be.
fn add_missing_totals(dimensions: &[Dimension], cells: &mut BTreeMap<Vec<CodeId>, TabCell>) {
    let parents: Vec<Vec<Vec<CodeId>>> = dimensions
        .iter()
        .map(|dimension| {
            let mut parents = vec![Vec::new(); dimension.hierarchy.len()];
            for sum in dimension.hierarchy.sums() {
                for &part in &sum.parts {
                    parents[part as usize].push(sum.total);
                }
            }
            parents
        })
        .collect();
    let mut open: Vec<Vec<CodeId>> =
        cells.iter().filter(|(_, cell)| !cell.is_empty()).map(|(key, _)| key.clone()).collect();
    while let Some(key) = open.pop() {
        for (d, parents) in parents.iter().enumerate() {
            for &parent in &parents[key[d] as usize] {
                let mut above = key.clone();
                above[d] = parent;
                if !cells.contains_key(&above) {
                    let total = TabCell { listed: false, ..TabCell::default() };
                    cells.insert(above.clone(), total);
                    open.push(above);
                }
            }
        }
    }
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

/// How many failing sums a message lists.
const LISTED: usize = 10;

fn check_sums(
    file: &Path,
    table: &mut ArgusTable,
    additivity: Additivity,
    notes: &mut Vec<String>,
) -> Result<(), Fault> {
    let response = &table.response;
    let relations = response.relations();
    let off = |relation: usize| relations.residual(relation, response.values()).unsigned_abs();
    let mut failing: Vec<usize> = (0..relations.len()).filter(|&r| off(r) != 0).collect();
    if failing.is_empty() {
        return Ok(());
    }
    failing.sort_by_key(|&relation| (std::cmp::Reverse(off(relation)), relation));
    let name = |&relation: &usize| {
        let row: Vec<CellId> = relations.row(relation).map(|(cell, _)| cell).collect();
        let over = row.get(1).map_or("", |&part| {
            let (total, part) = (response.key(row[0]), response.key(part));
            let d = (0..total.len()).find(|&d| total[d] != part[d]).unwrap_or(0);
            &response.dimensions()[d].name
        });
        format!("`{}` over {over}", response.names().describe(row[0]))
    };
    let all: Vec<String> = failing.iter().map(name).collect();
    if additivity == Additivity::Accepted {
        notes.push(format!("{} sums do not hold, the worst first: {}", all.len(), all.join("; ")));
        return Ok(());
    }
    let more = all.len().saturating_sub(LISTED);
    let list = all.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join("\n  ");
    let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    Err(Fault::new(file, format!("{} sums do not hold, the worst first:\n  {list}{more}", all.len()))
        .hint("correct the table, or read it with `<READTABLE> 1` (totals are made anew; `1T` keeps the statuses) or `2` (taken as they are)"))
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
