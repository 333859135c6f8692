//! One cell a line: its codes, its value, and its status if asked for. Also the pivot format, which always has a header.

use super::Shown;
use crate::arb::SaveOptions;
use crate::{Adjusting, ArgusTable};
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
        writeln!(out, "{}", header(table, status))?;
    }
    for key in table.keys() {
        let cell = table.find(&key);
        let state = table.status(cell);
        if state.is_empty() && options.skip_empty.unwrap_or(false) {
            continue;
        }
        write!(out, "{}", shown.codes(&key, ","))?;
        let number = state.number();
        match table.adjusted.as_ref().map(|adjusted| adjusted.how) {
            _ if !status => writeln!(out, "{}", shown.published(cell))?,
            None => writeln!(out, "{},{number}", shown.value(cell))?,
            Some(Adjusting::Rounded) => {
                writeln!(out, "{},{}", shown.published(cell), shown.value(cell))?;
            }
            Some(Adjusting::Moved) => {
                writeln!(out, "{},{},{number}", shown.published(cell), shown.value(cell))?;
            }
        }
    }
    Ok(())
}

/// The names of the columns after the codes.
fn header(table: &ArgusTable, status: bool) -> String {
    let response = table.specify.response.as_deref().unwrap_or("Freq");
    match table.adjusted.as_ref().map(|adjusted| adjusted.how) {
        None if status => format!("{response},Status"),
        None => response.to_owned(),
        Some(how) if !status => format!("{response}{}", how.suffix()),
        Some(how @ Adjusting::Rounded) => {
            format!("{response}{},{response}_Orig", how.suffix())
        }
        Some(how @ Adjusting::Moved) => {
            format!("{response}{},{response}_Orig,Status", how.suffix())
        }
    }
}
