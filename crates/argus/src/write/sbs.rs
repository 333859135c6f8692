//! Eurostat's format for structural business statistics: every cell that is not empty, with its flag.

use super::Shown;
use crate::arb::Concentration;
use crate::{ArgusTable, CellStatus};
use cellveil_core::{CellId, CodeId, units};
use std::io::{self, Write};

/// Writes cells with flags: `V` safe, `A` too few, `B` other, `C` dominance, `F` p%, `D` secondary; `levels` adds those of codes.
///
/// # Errors
/// Whatever the writer reports.
pub fn write(
    table: &ArgusTable,
    levels: bool,
    quotes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let shown = Shown { table, quotes };
    for cell in (0..table.len()).map(CellId::at) {
        let status = table.states[cell.index()].status;
        if status.is_empty() {
            continue;
        }
        for (d, &code) in table.response.key(cell).iter().enumerate() {
            write!(out, "{},", shown.code(d, code))?;
            if levels {
                write!(out, "{},", level(table, d, code))?;
            }
        }
        let (flag, shares) = flag(table, cell, status);
        // Eurostat sees values of unsafe cells with their flags, unless all values were changed.
        let value = match table.adjusted {
            Some(_) => shown.published(Some(cell)),
            None => shown.value(Some(cell)),
        };
        write!(out, "{value},{},{flag}", table.contributors(cell))?;
        for share in shares {
            write!(out, ",{share:.1}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The level of a code; 0 for totals and for variables without a hierarchy.
fn level(table: &ArgusTable, dimension: usize, code: CodeId) -> u8 {
    let hierarchy = &table.codes[dimension].dimension.hierarchy;
    if hierarchy.sums().len() > 1 { hierarchy.depth(code) } else { 0 }
}

fn flag(table: &ArgusTable, cell: CellId, status: CellStatus) -> (char, Vec<f64>) {
    let judged = table.judged();
    let by = usize::from(table.rules.by_holding() && table.rules.concentration[0].is_empty());
    let contributors = judged.holdings().filter(|_| by == 1).unwrap_or(judged.respondents());
    let total = units::to_f64(judged.values()[cell.index()], judged.decimals());
    let share = |nth: usize| {
        let value = contributors.top(cell).get(nth).map_or(0, |top| top.value);
        let value = units::to_f64(value, judged.contribution_decimals());
        if total == 0.0 { 0.0 } else { 100.0 * value / total }
    };
    let is_dominance =
        matches!(table.rules.concentration[by].first(), Some(Concentration::Dominance { .. }));
    match status {
        CellStatus::UnsafeFrequency => ('A', Vec::new()),
        CellStatus::UnsafeRule if !is_dominance => ('F', vec![share(0), share(1)]),
        CellStatus::UnsafeRule if contributors.depth() > 1 => ('C', vec![share(0) + share(1)]),
        CellStatus::UnsafeRule => ('B', vec![share(0)]),
        status if status.is_unsafe() => ('B', Vec::new()),
        status if status.is_secondary() => ('D', Vec::new()),
        _ => ('V', Vec::new()),
    }
}
