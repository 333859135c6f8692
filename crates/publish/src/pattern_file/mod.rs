//! Patterns from anybody: CSV files that say which cells are withheld.
//!
//! A header names the columns, in upper or lower case: `cell` (or `id`) or the table's own code columns, and `status` (or
//! `sdcStatus`, `suppressed`). Cells that are not listed are published. Which of the withheld cells are primaries is the
//! instance's to say, not the file's.

mod costs;
mod earlier;
mod statuses;

pub use costs::read_costs;
pub use earlier::read_earlier;

use crate::PublishError;
use crate::columns::NameColumns;
use crate::grid::Field;
use crate::verify::CellIndex;
use cellveil_core::{CellId, CellNames, Pattern, Problem, Status, Why};
use std::collections::BTreeMap;
use std::path::Path;

/// Names of the column with the cell's number.
const CELL: [&str; 2] = ["cell", "id"];
/// The column with the status.
const STATUS: Content = Content {
    names: &["status", "sdcstatus", "suppressed", "statut"],
    missing: "no column `status` or `suppressed`; name the column that says which cells are withheld",
};

/// The column that says something of the cells.
struct Content {
    /// What it may be called, the most telling first.
    names: &'static [&'static str],
    /// What to say if there is none.
    missing: &'static str,
}

/// Reads which cells of a problem a file withholds.
///
/// Statuses may be those of cellveil (`p`, `s`, `v`), τ-ARGUS and JJ (`U`, `M`), sdcTable (`u`, `x`), rtauargus (`A`, `B`, `D`)
/// or `TRUE` and `FALSE`.
///
/// # Errors
/// [`PublishError`] names the line and what is wrong with it.
pub fn read_pattern(path: &Path, problem: &Problem) -> Result<Pattern, PublishError> {
    let text = std::fs::read_to_string(path).map_err(PublishError::io("read", path))?;
    let wrong = |line: u64, what: String| PublishError::Line { path: path.to_owned(), line, what };
    let lines = read_lines(text.trim_start_matches('\u{feff}')).map_err(|(l, w)| wrong(l, w))?;
    let (places, first) = places(&lines, problem, &STATUS).map_err(|what| wrong(1, what))?;
    let rows = &lines[first..];
    let letters = rows.iter().map(|(_, row)| row.get(places.content).map_or("", String::as_str));
    let vocabulary = statuses::Vocabulary::of(letters);
    let finder = Finder::new(problem, &places)?;
    let mut pattern = Pattern::open(problem.len());
    for (line, row) in rows {
        let letter = row.get(places.content).map_or("", String::as_str);
        let withheld = vocabulary.withholds(letter).ok_or_else(|| {
            wrong(*line, format!("status `{letter}` is unknown; known are {}", statuses::KNOWN))
        })?;
        let cell = finder.find(row).map_err(|what| wrong(*line, what))?;
        if withheld {
            let sensitive = problem.status(cell) == Status::Sensitive;
            pattern.withhold(cell, if sensitive { Why::Primary } else { Why::Secondary });
        }
    }
    Ok(pattern)
}

type Line = (u64, Vec<String>);

/// All lines with their numbers; the delimiter is the first of `;`, tab and `,` that the header has.
fn read_lines(text: &str) -> Result<Vec<Line>, (u64, String)> {
    let header = text.lines().next().unwrap_or_default();
    let delimiter = [b';', b'\t', b','].into_iter().find(|d| header.contains(char::from(*d)));
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter.unwrap_or(b','))
        .from_reader(text.as_bytes());
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            (error.position().map_or(1, csv::Position::line), "is not CSV".to_owned())
        })?;
        let line = record.position().map_or(1, csv::Position::line);
        lines.push((line, record.iter().map(str::to_owned).collect()));
    }
    if lines.is_empty() { Err((1, "the file is empty".to_owned())) } else { Ok(lines) }
}

/// Where in a line things stand.
struct Places {
    content: usize,
    /// The column with the cell's number, or the code columns in the order of the table.
    cell: Result<usize, Vec<usize>>,
}

/// Finds the columns; also says which line is the first after the header.
fn places(lines: &[Line], problem: &Problem, content: &Content) -> Result<(Places, usize), String> {
    let header: Vec<String> = lines[0].1.iter().map(|name| name.trim().to_lowercase()).collect();
    if header.len() == 2 && header[0].parse::<u64>().is_ok() {
        return Ok((Places { content: 1, cell: Ok(0) }, 0));
    }
    let find = |names: &[&str]| {
        names.iter().find_map(|name| header.iter().position(|column| column == name))
    };
    let content = find(content.names).ok_or(content.missing)?;
    if let Some(cell) = find(&CELL) {
        return Ok((Places { content, cell: Ok(cell) }, 1));
    }
    if matches!(problem.names(), CellNames::Ids(_) | CellNames::Labels(_)) {
        return Err("no column `cell`; the cells of this instance have numbers".to_owned());
    }
    let names = NameColumns::new(problem.names()).map_err(|error| error.to_string())?;
    let mut codes = Vec::new();
    for column in names.columns() {
        let place = header.iter().position(|name| *name == column.name.to_lowercase());
        codes.push(place.ok_or_else(|| {
            format!("no column `cell`, and no column `{}` of the table either", column.name)
        })?);
    }
    Ok((Places { content, cell: Err(codes) }, 1))
}

/// Finds the cell of a line.
enum Finder<'a> {
    Number { column: usize, index: CellIndex },
    Codes { columns: &'a [usize], cells: BTreeMap<Vec<String>, CellId> },
}

impl<'a> Finder<'a> {
    fn new(problem: &Problem, places: &'a Places) -> Result<Self, PublishError> {
        let columns = match &places.cell {
            Ok(column) => {
                return Ok(Self::Number { column: *column, index: CellIndex::new(problem) });
            }
            Err(columns) => columns,
        };
        let names = NameColumns::new(problem.names())?;
        let mut cells = BTreeMap::new();
        let mut fields = Vec::new();
        for cell in problem.cells() {
            fields.clear();
            names.fill(cell, &mut fields);
            let codes = fields.iter().map(|field| match field {
                Field::Text(text) => text.to_string(),
                _ => String::new(),
            });
            cells.insert(codes.collect(), cell);
        }
        Ok(Self::Codes { columns, cells })
    }

    fn find(&self, row: &[String]) -> Result<CellId, String> {
        let text = |column: usize| row.get(column).map_or("", String::as_str);
        match self {
            Self::Number { column, index } => {
                let id = text(*column).trim();
                let cell = id.parse().ok().and_then(|id| index.find(id));
                cell.ok_or_else(|| format!("cell `{id}` is not in the instance"))
            }
            Self::Codes { columns, cells } => {
                let codes: Vec<String> = columns.iter().map(|&c| text(c).to_owned()).collect();
                let cell = cells.get(&codes).copied();
                cell.ok_or_else(|| format!("the table has no cell `{}`", codes.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests;
