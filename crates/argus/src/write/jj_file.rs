//! A JJ file of all cells, empty ones included, as τ-ARGUS numbers them.

use super::grid::{real, rounded};
use crate::{ArgusTable, CellStatus};
use cellveil_core::{CellId, CodeId};
use std::io::{self, Write};

/// Writes the table as an instance; `trivial` leaves out sums of a single part.
///
/// # Errors
/// Whatever the writer reports.
pub fn write(table: &ArgusTable, trivial: bool, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "0\n{}", table.all_cells())?;
    let decimals = table.decimals.max(table.response.decimals());
    let values = (0..table.len()).map(|at| table.value(CellId::at(at)));
    let least = values.clone().fold(0.0, f64::min) * 1.5;
    let most = values.fold(0.0, f64::max) * 1.5;
    let largest = table.largest_cost();
    for (number, key) in table.keys().enumerate() {
        let cell = table.find(&key);
        let status = table.status(cell);
        let (value, text, cost) = match cell {
            Some(cell) => (
                table.value(cell),
                rounded(table.response.values()[cell.index()], table.response.decimals(), decimals),
                table.scaled_cost(cell, largest),
            ),
            None => (0.0, rounded(0, 0, decimals), 1.0),
        };
        let letter = match status {
            CellStatus::Protected | CellStatus::Empty => 'z',
            status if status.is_unsafe() => 'u',
            status if status.is_secondary() => 'm',
            _ => 's',
        };
        let state = cell.filter(|_| letter == 'u').map(|cell| table.states[cell.index()]);
        let (down, up) = state.map_or((0.0, 0.0), |state| (state.lower, state.upper));
        let lower = least.min(value - down);
        let upper = most.max(value + up);
        let places = usize::from(decimals);
        writeln!(
            out,
            "{number} {text} {cost} {letter} {lower:.places$} {upper:.places$} {} {} 0",
            real(down),
            real(up)
        )?;
    }
    relations(table, trivial, out)
}

/// For each variable, each aggregate and each combination of the others.
fn relations(table: &ArgusTable, trivial: bool, out: &mut impl Write) -> io::Result<()> {
    let sizes: Vec<u64> =
        table.codes.iter().map(|codes| codes.dimension.hierarchy.len() as u64).collect();
    let step = |d: usize| sizes[d + 1..].iter().product::<u64>();
    let sums = |d: usize| {
        let sums = table.codes[d].dimension.hierarchy.sums().iter();
        sums.filter(move |sum| !trivial || sum.parts.len() > 1)
    };
    let all = table.all_cells();
    let count: u64 = (0..sizes.len()).map(|d| sums(d).count() as u64 * (all / sizes[d])).sum();
    writeln!(out, "{count}")?;
    for (d, &size) in sizes.iter().enumerate() {
        let step = step(d);
        let hierarchy = &table.codes[d].dimension.hierarchy;
        for number in 0..all {
            let code = number / step % size;
            let sums = hierarchy.sums_of(code as CodeId).iter();
            for sum in sums.filter(|sum| !trivial || sum.parts.len() > 1) {
                write!(out, "0 {} : {number} (-1)", sum.parts.len() + 1)?;
                let at = |part: CodeId| number - code * step + u64::from(part) * step;
                for &part in &sum.parts {
                    write!(out, " {} (1)", at(part))?;
                }
                writeln!(out)?;
            }
        }
    }
    Ok(())
}

/// Writes respondents and holdings of every cell, one cell a line.
///
/// # Errors
/// Whatever the writer reports.
pub fn write_frequencies(table: &ArgusTable, out: &mut impl Write) -> io::Result<()> {
    for key in table.keys() {
        let cell = table.find(&key);
        let respondents = cell.map_or(0, |cell| table.respondents(cell));
        let holdings = table.judged().holdings();
        let holdings = cell.zip(holdings).map_or(0, |(cell, holdings)| holdings.count(cell));
        writeln!(out, "{respondents} {holdings}")?;
    }
    Ok(())
}
