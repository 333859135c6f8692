//! Further cells for sums that a single contributor could use: the singleton devices of τ-ARGUS.

use crate::ArgusTable;
use crate::instance::System;
use cellveil_core::units::pow10;
use cellveil_core::{CellId, Status};
use std::collections::BTreeSet;

/// A sum of sensitive cells that must not be known exactly.
pub(crate) struct VirtualCell {
    pub(crate) members: Vec<CellId>,
    pub(crate) value: i64,
    pub(crate) up: i64,
    pub(crate) label: String,
}

/// The virtual cells of a system, for the devices that are on.
pub(crate) fn of(system: &System, tables: &[&ArgusTable], devices: [bool; 3]) -> Vec<VirtualCell> {
    let smallest = tables.iter().filter_map(|table| minimum(table)).max().unwrap_or(0);
    let coarsest = tables.iter().map(|table| table.decimals).min().unwrap_or(0);
    let step = pow10(system.decimals - coarsest.min(system.decimals));
    let step = i64::try_from(step).unwrap_or(1).max(1);
    let cell = |members: Vec<CellId>| {
        let value: i64 = members.iter().map(|cell| system.values[cell.index()]).sum();
        let names: Vec<&str> =
            members.iter().map(|cell| system.labels[cell.index()].as_str()).collect();
        let label = format!("sum of {}", names.join(" and "));
        VirtualCell { value, up: (value.abs() / 10_000).max(step), label, members }
    };
    members(system, devices, smallest).into_iter().map(cell).collect()
}

/// Fewer contributors than this are too few, where a rule says so.
fn minimum(table: &ArgusTable) -> Option<u64> {
    table.rules.frequency.iter().flatten().map(|rule| rule.below).max()
}

/// The sets of sensitive cells whose sums a single contributor could use.
fn members(system: &System, [two, one, few]: [bool; 3], minimum: u64) -> Vec<Vec<CellId>> {
    let mut found = BTreeSet::new();
    for relation in 0..system.relations.len() {
        let sensitive = |cell: &CellId| system.status[cell.index()] == Status::Sensitive;
        let members: Vec<CellId> =
            system.relations.row(relation).map(|(cell, _)| cell).filter(sensitive).collect();
        let alone = members.iter().filter(|cell| system.frequencies[cell.index()] == 1).count();
        let all: u64 = members.iter().map(|cell| system.frequencies[cell.index()]).sum();
        let pair = members.len() == 2;
        let wanted = (two && pair && alone == 2)
            || (one && pair && alone == 1)
            || (few && members.len() > 1 && 0 < all && all < minimum);
        if wanted {
            let mut members = members;
            members.sort_unstable();
            found.insert(members);
        }
    }
    found.into_iter().collect()
}
