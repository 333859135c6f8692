//! One cell a line: its codes, its value, and its status if asked for. Also the pivot format, which always has a header.

use super::Shown;
use crate::ArgusTable;
use crate::arb::SaveOptions;
use std::io::{self, Write};

/// Writes one cell a line.
///
/// # Errors
/// Whatever the writer reports.
pub fn write(
    table: &ArgusTable,
    options: SaveOptions,
    pivot: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let shown = Shown { table, quotes: options.quotes.unwrap_or(true) };
    let status = options.status.unwrap_or(false);
    if pivot || options.header.unwrap_or(false) {
        for codes in &table.codes {
            write!(out, "{},", codes.dimension.name)?;
        }
        write!(out, "{}", table.specify.response.as_deref().unwrap_or("Freq"))?;
        writeln!(out, "{}", if status { ",Status" } else { "" })?;
    }
    for key in table.keys() {
        let cell = table.find(&key);
        let state = table.status(cell);
        if state.is_empty() && options.skip_empty.unwrap_or(false) {
            continue;
        }
        write!(out, "{}", shown.codes(&key, ","))?;
        if status {
            writeln!(out, "{},{}", shown.value(cell), state.number())?;
        } else {
            writeln!(out, "{}", shown.published(cell))?;
        }
    }
    Ok(())
}
