//! JJ instances: cells with value, cost, status, bounds and protection levels, then relations.
//!
//! ```text
//! 0
//! <number of cells>
//! <id> <value> <cost> <status> <lower> <upper> <down> <up> <sliding>      status: u s z m
//! <number of relations>
//! <constant> <number of terms> : <id> (<coefficient>) …
//! ```
//!
//! Levels are distances from the value; they count for `u` cells, and the sliding level also for `m` cells. A bound of 1e18 or more is none. After the relations, files of this program may have lines
//! that other readers never reach: `singletons <number> : <id> …`, `coalition <number> : <id> …`, `width <amount>`, `whole`, `earlier`. They
//! say what intruders know beyond the published table, and how wide every interval must be.

use crate::extras::Extras;
pub use crate::jj_write::write;
use cellveil_core::units::{self, Decimal};
use cellveil_core::{
    CellId, CellNames, NO_LOWER, NO_UPPER, Need, Needs, Problem, ProblemError, ProblemParts,
    Reason, Relations, Status,
};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use thiserror::Error;

/// Why a text is not a JJ instance.
#[derive(Debug, Error)]
pub enum JjError {
    /// A line does not read as it should.
    #[error("line {line}: {what}")]
    Line {
        /// The line, counted from 1.
        line: usize,
        /// What was expected.
        what: String,
    },
    /// The file cannot be read, or is no text.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The file ends too early.
    #[error("the file ends before {0}; is it truncated?")]
    Ends(&'static str),
    /// The cells and relations do not fit together.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Numbers beyond this are "no bound".
const UNBOUNDED: f64 = 1e18;

/// A number of the file before its unit is known.
#[derive(Clone, Copy)]
enum Number {
    Finite(Decimal),
    Unbounded { negative: bool },
}

struct CellLine {
    id: u64,
    cost: f64,
    status: Status,
    value: Decimal,
    lower: Number,
    upper: Number,
    levels: [Decimal; 3],
}

/// Lines that are not blank, with their numbers, one at a time.
pub(crate) struct Lines<R> {
    reader: R,
    number: usize,
    text: String,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: R) -> Self {
        Self { reader, number: 0, text: String::new() }
    }

    fn next(&mut self, before: &'static str) -> Result<(usize, &str), JjError> {
        self.optional()?.ok_or(JjError::Ends(before))
    }

    pub(crate) fn optional(&mut self) -> Result<Option<(usize, &str)>, JjError> {
        loop {
            self.text.clear();
            self.number += 1;
            if self.reader.read_line(&mut self.text)? == 0 {
                return Ok(None);
            }
            if !self.text.trim().is_empty() {
                return Ok(Some((self.number, self.text.trim())));
            }
        }
    }

    /// Reads up to the cells; returns how many there are.
    fn begin(&mut self) -> Result<usize, JjError> {
        let (line, first) = self.next("its first line")?;
        if first.parse::<f64>().is_err() {
            return Err(wrong(line, "a JJ file starts with a line that holds `0`"));
        }
        read_count(self, "the number of cells")
    }
}

/// Reads an instance; every relation must hold within `tolerance` units of the last decimal.
///
/// # Errors
/// [`JjError`] names the line, or the cells and relations that do not fit.
pub fn read(text: &str, tolerance: i64) -> Result<Problem, JjError> {
    read_from(|| Ok(text.as_bytes()), |parts| Problem::new(parts, tolerance))
}

/// Reads an instance for adjustment alone: relations need not hold, because adjustment makes them hold, and one of the two levels of a cell
/// may be below zero (see [`Problem::to_adjust`]).
///
/// # Errors
/// [`JjError`] names the line, or the cells that do not fit.
pub fn read_to_adjust(text: &str) -> Result<Problem, JjError> {
    read_from(|| Ok(text.as_bytes()), |parts| Problem::to_adjust(parts, i64::MAX))
}

/// Reads an instance from a file, line by line.
///
/// # Errors
/// [`JjError`] names the line, or the cells and relations that do not fit.
pub fn read_file(path: &Path, tolerance: i64) -> Result<Problem, JjError> {
    let open = || Ok(BufReader::with_capacity(1 << 20, File::open(path)?));
    read_from(open, |parts| Problem::new(parts, tolerance))
}

/// Goes through the cells twice, because their unit depends on all of them.
fn read_from<R: BufRead>(
    open: impl Fn() -> io::Result<R>,
    build: impl FnOnce(ProblemParts) -> Result<Problem, ProblemError>,
) -> Result<Problem, JjError> {
    let decimals = read_decimals(&mut Lines::new(open()?))?;
    let mut lines = Lines::new(open()?);
    let (mut parts, index) = read_cells(&mut lines, decimals)?;
    parts.relations = read_relations(&mut lines, &index, decimals)?;
    let extras = Extras::read(&mut lines, &index, decimals)?;
    (parts.singletons, parts.width) = (extras.singletons.clone(), extras.width);
    extras.apply(build(parts)?)
}

pub(crate) fn wrong(line: usize, what: impl Into<String>) -> JjError {
    JjError::Line { line, what: what.into() }
}

fn read_count<R: BufRead>(lines: &mut Lines<R>, what: &'static str) -> Result<usize, JjError> {
    let (line, text) = lines.next(what)?;
    text.parse().map_err(|_| wrong(line, format!("expected {what}, a whole number")))
}

/// The unit of the instance: the most decimals of any number that an `i64` can still hold.
fn read_decimals<R: BufRead>(lines: &mut Lines<R>) -> Result<u8, JjError> {
    let (mut most, mut largest) = (0, 0);
    for _ in 0..lines.begin()? {
        let (line, text) = lines.next("the last cell")?;
        let cell = read_cell(line, text)?;
        let bounds = [cell.lower, cell.upper].into_iter().filter_map(|bound| match bound {
            Number::Finite(number) => Some(number),
            Number::Unbounded { .. } => None,
        });
        for number in cell.levels.into_iter().chain([cell.value]).chain(bounds) {
            most = number.decimals.max(most);
            let whole =
                number.mantissa.unsigned_abs() / units::pow10(number.decimals).unsigned_abs();
            largest = whole.max(largest);
        }
    }
    let fits = |d: &u8| (largest + 1).saturating_mul(units::pow10(*d).unsigned_abs()) < 1 << 61;
    Ok((0..=most.min(units::MAX_DECIMALS)).rev().find(fits).unwrap_or(0))
}

fn read_cells<R: BufRead>(
    lines: &mut Lines<R>,
    decimals: u8,
) -> Result<(ProblemParts, Index), JjError> {
    let count = lines.begin()?;
    let room = count.min(1 << 24);
    let mut columns = Columns {
        decimals,
        ids: Vec::with_capacity(room),
        parts: ProblemParts {
            decimals,
            values: Vec::with_capacity(room),
            costs: Vec::with_capacity(room),
            lower: Vec::with_capacity(room),
            upper: Vec::with_capacity(room),
            status: Vec::with_capacity(room),
            needs: Needs::default(),
            relations: Relations::default(),
            names: CellNames::Ids(Vec::new()),
            singletons: Vec::new(),
            width: 0,
        },
        needs: Vec::new(),
    };
    let first = lines.number + 1;
    for _ in 0..count {
        let (line, text) = lines.next("the last cell")?;
        columns.push(line, &read_cell(line, text)?)?;
    }
    let index = Index::new(&columns.ids).map_err(|at| {
        // Blank lines between cells are nowhere counted, and nowhere seen.
        wrong(first + at, format!("cell {} is listed twice", columns.ids[at]))
    })?;
    let Columns { mut parts, ids, needs, .. } = columns;
    parts.names = CellNames::Ids(ids);
    parts.needs = Needs::new(needs);
    Ok((parts, index))
}

fn read_cell(line: usize, text: &str) -> Result<CellLine, JjError> {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let [id, value, cost, status, lower, upper, down, up, sliding] = fields[..] else {
        let expected = "a cell has 9 fields: id value cost status lower upper down up sliding";
        return Err(wrong(line, format!("{expected}; this line has {}", fields.len())));
    };
    let number = |text: &str, what| {
        Decimal::parse(text)
            .ok_or_else(|| wrong(line, format!("the {what} is not a finite number")))
    };
    let bound = |text: &str, what| {
        bound(text).ok_or_else(|| wrong(line, format!("the {what} is not a number")))
    };
    Ok(CellLine {
        id: id.parse().map_err(|_| wrong(line, "the id is not a whole number"))?,
        cost: cost
            .parse()
            .ok()
            .filter(|c: &f64| c.is_finite())
            .ok_or_else(|| wrong(line, "the cost is not a finite number"))?,
        status: status_of(status)
            .ok_or_else(|| wrong(line, format!("status `{status}` is none of u, s, z, m")))?,
        value: number(value, "value")?,
        lower: bound(lower, "lower bound")?,
        upper: bound(upper, "upper bound")?,
        levels: [
            number(down, "lower protection level")?,
            number(up, "upper protection level")?,
            number(sliding, "sliding protection level")?,
        ],
    })
}

fn status_of(letter: &str) -> Option<Status> {
    Some(match letter {
        "u" | "U" => Status::Sensitive,
        "s" | "S" => Status::Free,
        "z" | "Z" => Status::Frozen,
        "m" | "M" => Status::Withheld,
        _ => return None,
    })
}

fn bound(text: &str) -> Option<Number> {
    let rough: f64 = text.parse().ok().filter(|x: &f64| !x.is_nan())?;
    if rough.abs() >= UNBOUNDED {
        return Some(Number::Unbounded { negative: rough < 0.0 });
    }
    Decimal::parse(text).map(Number::Finite)
}

/// Finds cells by their ids.
pub(crate) enum Index {
    /// Ids are positions.
    Rows(usize),
    /// By ascending id.
    Sorted(Vec<(u64, CellId)>),
}

impl Index {
    /// A cell whose id was there before is an error, by its position.
    fn new(ids: &[u64]) -> Result<Self, usize> {
        if (0..).zip(ids).all(|(row, &id)| row == id) {
            return Ok(Self::Rows(ids.len()));
        }
        let mut sorted: Vec<(u64, CellId)> =
            ids.iter().enumerate().map(|(at, &id)| (id, CellId::at(at))).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(pair[1].1.index()),
            None => Ok(Self::Sorted(sorted)),
        }
    }

    pub(crate) fn get(&self, id: u64) -> Option<CellId> {
        match self {
            Self::Rows(count) => usize::try_from(id).ok().filter(|row| row < count).map(CellId::at),
            Self::Sorted(ids) => {
                ids.binary_search_by_key(&id, |&(id, _)| id).ok().map(|at| ids[at].1)
            }
        }
    }
}

fn read_relations<R: BufRead>(
    lines: &mut Lines<R>,
    index: &Index,
    decimals: u8,
) -> Result<Relations, JjError> {
    let count = read_count(lines, "the number of relations")?;
    let mut relations = Relations::default();
    for _ in 0..count {
        let (line, text) = lines.next("the last relation")?;
        let (head, tail) = text
            .split_once(':')
            .ok_or_else(|| wrong(line, "a relation has a `:` before its terms"))?;
        let mut head = head.split_ascii_whitespace();
        let constant =
            head.next().and_then(Decimal::parse).and_then(|number| number.units(decimals));
        let constant =
            constant.ok_or_else(|| wrong(line, "a relation starts with its constant, a number"))?;
        let terms: usize = head
            .next()
            .and_then(|n| n.parse().ok())
            .ok_or_else(|| wrong(line, "expected the number of terms"))?;
        let row = read_terms(line, tail, index)?;
        if row.len() != terms {
            return Err(wrong(
                line,
                format!("the relation announces {terms} terms and has {}", row.len()),
            ));
        }
        relations.push(row, constant);
    }
    Ok(relations)
}

fn read_terms(line: usize, text: &str, index: &Index) -> Result<Vec<(CellId, i32)>, JjError> {
    let mut terms = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let parsed = rest.split_once('(').and_then(|(id, after)| {
            let (coefficient, after) = after.split_once(')')?;
            Some((id.trim().parse::<u64>().ok()?, coefficient.trim().parse::<i32>().ok()?, after))
        });
        let (id, coefficient, after) = parsed
            .ok_or_else(|| wrong(line, "a term is `id (coefficient)`, both whole numbers"))?;
        let cell = index
            .get(id)
            .ok_or_else(|| wrong(line, format!("cell {id} is not in the list of cells")))?;
        terms.push((cell, coefficient));
        rest = after.trim_start();
    }
    let mut cells: Vec<CellId> = terms.iter().map(|&(cell, _)| cell).collect();
    cells.sort_unstable();
    if cells.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(wrong(line, "the relation names a cell twice"));
    }
    Ok(terms)
}

/// The cells so far.
struct Columns {
    decimals: u8,
    ids: Vec<u64>,
    parts: ProblemParts,
    needs: Vec<Need>,
}

impl Columns {
    fn push(&mut self, line: usize, cell: &CellLine) -> Result<(), JjError> {
        let (decimals, parts) = (self.decimals, &mut self.parts);
        let large = || wrong(line, "a number has more digits than this program can hold");
        let id = CellId::at(self.ids.len());
        self.ids.push(cell.id);
        parts.values.push(cell.value.rounded_units(decimals).ok_or_else(large)?);
        // Bounds are rounded inwards and levels up: what is kept is never weaker than what was asked.
        parts.lower.push(match cell.lower {
            Number::Unbounded { negative: true } => NO_LOWER,
            Number::Unbounded { negative: false } => {
                return Err(wrong(line, "the lower bound is infinite"));
            }
            Number::Finite(number) => ceil(number, decimals).ok_or_else(large)?,
        });
        parts.upper.push(match cell.upper {
            Number::Unbounded { negative: false } => NO_UPPER,
            Number::Unbounded { negative: true } => {
                return Err(wrong(line, "the upper bound is infinite"));
            }
            Number::Finite(number) => -ceil(negated(number), decimals).ok_or_else(large)?,
        });
        parts.costs.push(cell.cost);
        parts.status.push(cell.status);
        let [down, up, sliding] = cell.levels.map(|level| ceil(level, decimals).ok_or_else(large));
        let (down, up, sliding) = (down?, up?, sliding?);
        match cell.status {
            Status::Sensitive => {
                // A sensitive cell without levels still must not be computable exactly.
                let sliding = sliding.max(i64::from(down == 0 && up == 0));
                self.needs.push(Need { cell: id, down, up, sliding, reason: Reason::Given });
            }
            // Some programs write a smallest level for every cell, but none a sliding one unless it is meant.
            Status::Withheld if sliding > 0 => {
                let reason = Reason::Interval;
                self.needs.push(Need { cell: id, down: 0, up: 0, sliding, reason });
            }
            Status::Withheld | Status::Free | Status::Frozen => {}
        }
        Ok(())
    }
}

fn negated(number: Decimal) -> Decimal {
    Decimal { mantissa: -number.mantissa, ..number }
}

pub(crate) fn ceil(number: Decimal, decimals: u8) -> Option<i64> {
    if number.decimals <= decimals {
        return number.units(decimals);
    }
    let divisor = units::pow10(number.decimals - decimals);
    let floor = number.mantissa.div_euclid(divisor);
    i64::try_from(floor + i128::from(number.mantissa.rem_euclid(divisor) != 0)).ok()
}

#[cfg(test)]
mod tests;
