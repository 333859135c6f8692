//! Rows and columns: the last two variables across the page, a layer for each combination of the others.

use super::Shown;
use crate::ArgusTable;
use cellveil_core::CodeId;
use std::io::{self, Write};

/// Writes a table as rows and columns; withheld cells are `x`.
///
/// # Errors
/// Whatever the writer reports.
pub fn write(table: &ArgusTable, quotes: bool, out: &mut impl Write) -> io::Result<()> {
    let shown = Shown { table, quotes };
    let width = table.codes.len();
    let codes = |d: usize| 0..table.codes[d].dimension.hierarchy.len() as CodeId;
    if width == 1 {
        let names: Vec<String> = codes(0).map(|code| shown.code(0, code)).collect();
        let values: Vec<String> =
            codes(0).map(|code| shown.published(table.find(&[code]))).collect();
        return writeln!(out, ",{}\n,{}", names.join(","), values.join(","));
    }
    let (row, column) = (width - 2, width - 1);
    let mut layer: Option<Vec<CodeId>> = None;
    for key in table.keys() {
        if layer.as_deref() != Some(&key[..row]) {
            if layer.is_some() {
                writeln!(out)?;
            }
            layer = Some(key[..row].to_vec());
            let name =
                |d: usize| format!("{},{}", table.codes[d].dimension.name, shown.code(d, key[d]));
            let names: Vec<String> = (0..row).map(name).collect();
            if !names.is_empty() {
                writeln!(out, "{}", names.join(", "))?;
            }
            for code in codes(column) {
                write!(out, ",{}", shown.code(column, code))?;
            }
            writeln!(out)?;
        }
        if key[column] == 0 {
            write!(out, "{}", shown.code(row, key[row]))?;
        }
        write!(out, ",{}", shown.published(table.find(&key)))?;
        if key[column] + 1 == table.codes[column].dimension.hierarchy.len() as CodeId {
            writeln!(out)?;
        }
    }
    writeln!(out)
}
