//! Totals of a finished table: made anew, filled in, or checked.

use crate::arb::Additivity;
use crate::tab_cell::{Given, TabCell};
use crate::{ArgusTable, Fault};
use cellveil_core::{CellId, CodeId, Dimension, TableError};
use cellveil_tabulate::Space;
use std::collections::BTreeMap;
use std::path::Path;

/// Makes every total anew from the finest cells.
pub(crate) fn recompute(
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
pub(crate) fn add_missing_totals(
    dimensions: &[Dimension],
    cells: &mut BTreeMap<Vec<CodeId>, TabCell>,
) {
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

/// How many failing sums a message lists.
const LISTED: usize = 10;

/// Refuses sums that do not hold, or notes them.
pub(crate) fn check_sums(
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
