//! Records in fixed columns or with a sign between them, with the metadata that describe them.

use super::sheet::Sheet;
use crate::PublishError;
use crate::single::write_file;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How records are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Everything on the right of columns of its own.
    Fixed,
    /// A semicolon between the fields.
    Free,
}

/// Writes records and their `.rda` file.
pub(super) fn write(
    sheet: &Sheet,
    layout: Layout,
    path: &Path,
) -> Result<Vec<PathBuf>, PublishError> {
    let (names, rows) = (sheet.names(), sheet.texts());
    let column = |at: usize| rows.iter().map(move |row| row[at].as_str());
    let width = |at: usize| column(at).map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let is_free = layout == Layout::Free;
    let mut metadata = if is_free { "<SEPARATOR> \";\"\n" } else { "" }.to_owned();
    let mut start = 1;
    for (at, name) in names.iter().enumerate() {
        if name.contains([' ', '\t']) {
            let what = format!("the name `{name}` has blanks, which metadata cannot hold");
            return Err(PublishError::Unwritable(format!("{what}\nhint: rename the column")));
        }
        // Writing to a string cannot fail.
        let place = if is_free { String::new() } else { format!(" {start}") };
        let _ = writeln!(metadata, "{name}{place} {}", widths[at]);
        let _ = match decimals(column(at)) {
            Some(0) => writeln!(metadata, "  <NUMERIC>"),
            Some(decimals) => writeln!(metadata, "  <NUMERIC>\n  <DECIMALS> {decimals}"),
            None => writeln!(metadata, "  <RECODEABLE>"),
        };
        start += widths[at] + 1;
    }
    let mut files = write_file(path, |sink| {
        for row in rows {
            if is_free {
                writeln!(sink, "{}", row.join(";"))?;
                continue;
            }
            let fields: Vec<String> =
                row.iter().zip(&widths).map(|(text, &width)| format!("{text:>width$}")).collect();
            writeln!(sink, "{}", fields.join(" "))?;
        }
        Ok(())
    })?;
    files.extend(write_file(&path.with_extension("rda"), |sink| {
        sink.write_all(metadata.as_bytes())
    })?);
    Ok(files)
}

/// The decimals of a column of amounts; `None` if it holds codes.
///
/// A code may look like a number. Amounts have a point, a sign or mostly values of their own, and never a zero in front.
fn decimals<'a>(texts: impl Iterator<Item = &'a str>) -> Option<usize> {
    let (mut decimals, mut count, mut distinct) = (0, 0, BTreeSet::new());
    let mut is_amount = false;
    for text in texts {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, after) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = |text: &str| text.bytes().all(|sign| sign.is_ascii_digit());
        let padded = whole.len() > 1 && whole.starts_with('0');
        if whole.is_empty() || padded || !is_number(whole) || !is_number(after) {
            return None;
        }
        is_amount |= digits.contains('.') || text.starts_with('-');
        decimals = decimals.max(after.len().min(9));
        count += 1;
        distinct.insert(text);
    }
    (is_amount || distinct.len() * 2 > count).then_some(decimals)
}
