//! Makes a table of one that is already finished.

use crate::amount::{AmountFault, amount_of_text, units_of_amount};
use crate::assembly::{Carried, Values};
use crate::extent::Extent;
use crate::hierarchy::dimension;
use crate::plan::FinishedPlan;
use crate::{Finished, Locate, Place, TabulateError, text};
use cellveil_core::units::pow10;
use cellveil_core::{
    CellId, CellNames, CodeId, Contribution, Contributors, Dimension, Table, TableParts,
};
use std::sync::Arc;

/// One line of a finished table.
#[derive(Clone, Debug)]
pub struct FinishedRow {
    /// Where it stands.
    pub place: Place,
    /// The text of its fields, in the order of [`FinishedPlan::columns`]; `None` where empty.
    pub fields: Vec<Option<String>>,
}

/// A line with its numbers read.
struct Cell {
    row: usize,
    key: Vec<CodeId>,
    /// An amount, in 10⁻⁹.
    value: i128,
    respondents: Option<u64>,
    top: Vec<i128>,
    /// In 10⁻⁹.
    cost: Option<i128>,
    status: String,
}

/// The line of a table that has a code: rows are at hand, so they need not be read again.
struct Rows<'a> {
    plan: &'a FinishedPlan,
    rows: &'a [FinishedRow],
}

impl Locate for Rows<'_> {
    fn first(&self, wanted: &[(&str, Option<&str>)]) -> Place {
        let columns = self.plan.columns();
        let field = |row: &FinishedRow, column: &str| {
            let at = columns.iter().position(|name| *name == column)?;
            row.fields[at].as_deref().and_then(text::code).map(str::to_owned)
        };
        let fits = |row: &&FinishedRow| {
            wanted.iter().all(|&(column, value)| field(row, column).as_deref() == value)
        };
        let first = self.rows.iter().find(fits).or(self.rows.first());
        first.map_or_else(|| Place::File(std::path::PathBuf::new()), |row| row.place.clone())
    }
}

impl FinishedPlan {
    /// Makes the table.
    ///
    /// # Errors
    /// [`TabulateError`] names the line or the cell at fault.
    pub fn table(&self, rows: &[FinishedRow]) -> Result<Finished, TabulateError> {
        let (dimensions, keys) = self.dimensions(rows)?;
        let mut cells: Vec<Cell> = rows
            .iter()
            .zip(keys)
            .enumerate()
            .map(|(at, (row, key))| self.cell(at, row, key))
            .collect::<Result<_, _>>()?;
        cells.sort_by(|a, b| (&a.key, a.row).cmp(&(&b.key, b.row)));
        let keys: Vec<CodeId> = cells.iter().flat_map(|cell| cell.key.iter().copied()).collect();
        let names = CellNames::Codes { dimensions, keys: keys.into() };
        if let Some(at) = (1..cells.len()).find(|&at| cells[at].key == cells[at - 1].key) {
            let place = |at: usize| rows[cells[at].row].place.clone();
            let cell = names.describe(CellId::at(at)).to_string();
            return Err(TabulateError::CellTwice { cell, first: place(at - 1), again: place(at) });
        }
        let with_status = |wanted: &[&str]| -> Vec<CellId> {
            let is_wanted =
                |cell: &Cell| wanted.iter().any(|status| cell.status.eq_ignore_ascii_case(status));
            (0..cells.len()).filter(|&at| is_wanted(&cells[at])).map(CellId::at).collect()
        };
        let (sensitive, frozen) = (with_status(&["u"]), with_status(&["z", "p"]));
        let cost = |(at, cell): (usize, &Cell)| {
            let unit = pow10(crate::AMOUNT_DECIMALS) as f64;
            cell.cost.map(|cost| (CellId::at(at), cost as f64 / unit))
        };
        let costs = cells.iter().enumerate().filter_map(cost).collect();
        let table = Table::new(self.parts(&cells, names)?)?;
        Ok(Finished { table, sensitive, frozen, costs })
    }

    fn dimensions(
        &self,
        rows: &[FinishedRow],
    ) -> Result<(Vec<Dimension>, Vec<Vec<CodeId>>), TabulateError> {
        let mut dimensions = Vec::new();
        let mut keys = vec![Vec::new(); rows.len()];
        let mut from = 0;
        for variable in &self.variables {
            let to = from + variable.columns.len();
            let clean =
                |field: &Option<String>| field.as_deref().and_then(text::code).map(str::to_owned);
            let of_row: Vec<Values> =
                rows.iter().map(|row| row.fields[from..to].iter().map(clean).collect()).collect();
            let mut distinct = of_row.clone();
            distinct.sort();
            distinct.dedup();
            let (dimension, codes) =
                dimension(variable, &distinct, Carried::Any, &Rows { plan: self, rows })?;
            for (key, values) in keys.iter_mut().zip(&of_row) {
                if let Ok(at) = distinct.binary_search(values) {
                    key.push(codes[at]);
                }
            }
            dimensions.push(dimension);
            from = to;
        }
        Ok((dimensions, keys))
    }

    fn cell(&self, at: usize, row: &FinishedRow, key: Vec<CodeId>) -> Result<Cell, TabulateError> {
        let columns = self.columns();
        let mut next: usize = self.variables.iter().map(|variable| variable.columns.len()).sum();
        let mut take = |optional: bool| -> Result<Option<(usize, i128)>, TabulateError> {
            let field = next;
            next += 1;
            let text = row.fields[field].as_deref().unwrap_or_default();
            if optional && text.trim().is_empty() {
                return Ok(None);
            }
            amount_of_text(text)
                .map(|amount| Some((field, amount)))
                .map_err(|fault| fault_at(row, columns[field], fault))
        };
        let value = take(false)?.map_or(0, |(_, amount)| amount);
        let mut respondents = None;
        if self.spec.respondents.is_some()
            && let Some((field, amount)) = take(false)?
        {
            respondents = Some(
                whole(amount)
                    .ok_or_else(|| fault_at(row, columns[field], AmountFault::NotACount))?,
            );
        }
        let mut top = Vec::new();
        for _ in &self.spec.top {
            top.extend(take(true)?.map(|(_, amount)| amount.abs()));
        }
        top.sort_unstable_by(|a, b| b.cmp(a));
        let mut cost = None;
        if self.spec.cost.is_some() {
            cost = take(true)?.map(|(_, amount)| amount);
        }
        let status =
            self.spec.status.as_ref().and_then(|_| row.fields[next].as_deref()).unwrap_or_default();
        Ok(Cell { row: at, key, value, respondents, top, cost, status: status.trim().to_owned() })
    }

    fn parts(&self, cells: &[Cell], names: CellNames) -> Result<TableParts, TabulateError> {
        let mut extent = Extent::default();
        for amount in cells.iter().flat_map(|cell| cell.top.iter().chain([&cell.value])) {
            extent.add(*amount, pow10(crate::AMOUNT_DECIMALS));
        }
        // No sum is left to be made, so only the largest cell must fit.
        extent.response = cells.iter().map(|cell| cell.value.abs()).max().unwrap_or(0);
        let decimals = extent.units().contribution;
        let overflow =
            |at: usize| TabulateError::Overflow(names.describe(CellId::at(at)).to_string());
        let units =
            |at: usize, amount: i128| units_of_amount(amount, decimals).ok_or_else(|| overflow(at));
        let mut values = Vec::new();
        let mut respondents = Vec::new();
        for (at, cell) in cells.iter().enumerate() {
            values.push(units(at, cell.value)?);
            let top = cell
                .top
                .iter()
                .map(|&amount| units(at, amount).map(|value| Contribution { value, weight: 1 }));
            let top: Vec<Contribution> = top.collect::<Result<_, _>>()?;
            let known =
                top.iter().filter(|contribution| contribution.value > 0).count().max(1) as u64;
            respondents.push((cell.respondents.unwrap_or(known), top));
        }
        let CellNames::Codes { dimensions, keys } = names else {
            return Err(TabulateError::Table(cellveil_core::TableError::Columns));
        };
        Ok(TableParts {
            dimensions,
            keys: Arc::unwrap_or_clone(keys),
            response: Some(self.spec.value.clone()),
            decimals,
            negative: values.iter().position(|&value| value < 0).map(CellId::at),
            values,
            contribution_decimals: decimals,
            respondents: contributors(
                respondents.iter().map(|(n, top)| (*n, &top[..])),
                self.spec.top.len(),
            ),
            holdings: None,
            weighted: None,
            requests: None,
            tolerance: self.spec.tolerance,
        })
    }
}

fn whole(amount: i128) -> Option<u64> {
    let unit = pow10(crate::AMOUNT_DECIMALS);
    (amount % unit == 0).then(|| u64::try_from(amount / unit).ok()).flatten()
}

fn fault_at(row: &FinishedRow, column: &str, fault: AmountFault) -> TabulateError {
    TabulateError::Amount { place: row.place.clone(), column: column.to_owned(), fault }
}

/// Columns of counts and largest contributions, padded to the same depth.
fn contributors<'a>(
    cells: impl Iterator<Item = (u64, &'a [Contribution])>,
    depth: usize,
) -> Contributors {
    let (mut counts, mut all) = (Vec::new(), Vec::new());
    for (count, top) in cells {
        counts.push(count);
        all.extend_from_slice(top);
        all.resize(counts.len() * depth, Contribution::default());
    }
    Contributors::new(counts, depth, all)
}
