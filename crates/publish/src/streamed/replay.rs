//! Replaying such a release from its files alone.

use super::files::{FINEST, KIND, NEEDED, PATTERN, RULES, TABLE, TABLE_CSV, WITNESSES};
use super::lists::{compare_csv, compare_pattern};
use super::note::Note;
use super::proof::{StreamedRelease, Unproven};
use super::table::{columns, names};
use super::walk::walk;
use crate::columns::NameColumns;
use crate::confidentiality::agree;
use crate::grid::Field;
use crate::manifest::SUMMARY;
use crate::{Summary, Verdict};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use cellveil_core::{Why, units};
use cellveil_tabulate::{Gathered, LeafMoves};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// Rows that are read at a time.
const BATCH: usize = 1 << 16;

/// Witnesses that are rolled up at a time.
const AT_A_TIME: usize = 16;

/// Compares a list with the cells and their statuses.
type Check = fn(&Path, &Gathered, &[Option<Why>]) -> Result<(), String>;

/// Files that need not be there.
const LISTS: [(&str, Check); 2] = [(TABLE_CSV, compare_csv), (PATTERN, compare_pattern)];

/// Everything after the hashes; damaged files are not opened. An error is a fault that leaves nothing more to check.
pub(crate) fn replay(dir: &Path, changed: &[String], verdict: &mut Verdict) -> Result<(), String> {
    if NEEDED.iter().any(|name| changed.iter().any(|file| file == name)) {
        return Ok(());
    }
    let text = std::fs::read(dir.join(RULES)).unwrap_or_default();
    let note: Note = serde_json::from_slice(&text).map_err(|_| format!("`{RULES}` is damaged"))?;
    let gathered = finest(&dir.join(FINEST), &note)?;
    let statuses = compare(&dir.join(TABLE), &gathered)?;
    for (name, check) in LISTS {
        if dir.join(name).exists() && !changed.iter().any(|file| file == name) {
            check(&dir.join(name), &gathered, &statuses)?;
        }
    }
    let withheld: Vec<bool> = statuses.into_iter().map(|why| why.is_some()).collect();
    let witnesses = read_witnesses(&dir.join(WITNESSES))?;
    verdict.witnesses = witnesses.len();
    let rules = &note.rules;
    match StreamedRelease::judged(&gathered, rules, &witnesses, &withheld, AT_A_TIME, &|| false) {
        Ok((_, counts)) => {
            [verdict.cells, verdict.withheld, verdict.needs] = counts;
            verdict.claims = 2 * verdict.needs;
        }
        Err(Unproven::Unreadable(what)) => return Err(what),
        Err(error @ Unproven::OutOfTime) => return Err(error.to_string()),
        Err(Unproven::Faults(faults, more)) => {
            verdict.faults.extend(faults.iter().map(ToString::to_string));
            if more > 0 {
                verdict.faults.push(format!("… and {more} more"));
            }
        }
    }
    check_summary(dir, verdict)
}

fn finest(path: &Path, note: &Note) -> Result<Gathered, String> {
    let damaged = || format!("`{FINEST}` is damaged");
    let mut file = BufReader::with_capacity(1 << 20, File::open(path).map_err(|_| damaged())?);
    let gathered = Gathered::load(&note.spec(), KIND, &mut file).ok_or_else(damaged)?;
    let is_over = file.read(&mut [0]).is_ok_and(|count| count == 0);
    if is_over { Ok(gathered) } else { Err(damaged()) }
}

fn open(path: &Path) -> Result<(Vec<String>, ParquetRecordBatchReader), String> {
    let damaged = || format!("`{}` is damaged", path.file_name().unwrap_or_default().display());
    let file = File::open(path).map_err(|_| damaged())?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|_| damaged())?;
    let fields = builder.schema().fields();
    let columns = fields.iter().map(|field| field.name().clone()).collect();
    Ok((columns, builder.with_batch_size(BATCH).build().map_err(|_| damaged())?))
}

/// The witnesses, in order.
fn read_witnesses(path: &Path) -> Result<Vec<LeafMoves>, String> {
    let damaged = || format!("`{WITNESSES}` is damaged");
    let (columns, batches) = open(path)?;
    if columns != ["witness", "leaf", "units"] {
        return Err(damaged());
    }
    let mut witnesses: Vec<LeafMoves> = Vec::new();
    for batch in batches {
        let batch = batch.map_err(|_| damaged())?;
        let column = |at: usize| {
            let column = batch.column(at).as_primitive_opt::<Int64Type>();
            column.filter(|column| column.null_count() == 0).ok_or_else(damaged)
        };
        let (numbers, leaves, units) = (column(0)?, column(1)?, column(2)?);
        for row in 0..batch.num_rows() {
            let number = usize::try_from(numbers.value(row)).map_err(|_| damaged())?;
            if number == witnesses.len() {
                witnesses.push(LeafMoves::default());
            }
            if number + 1 != witnesses.len() {
                return Err(damaged());
            }
            let leaf = u32::try_from(leaves.value(row)).map_err(|_| damaged())?;
            witnesses[number].leaves.push(leaf);
            witnesses[number].by.push(units.value(row));
        }
    }
    Ok(witnesses)
}

/// Compares the public table with the cells that the finest ones make. Returns which cells are withheld, and why.
fn compare(path: &Path, gathered: &Gathered) -> Result<Vec<Option<Why>>, String> {
    let wrong = |what: &str| format!("`{TABLE}` {what}");
    let frame = gathered.frame();
    let cells = names(frame);
    let names = NameColumns::new(&cells).map_err(|error| error.to_string())?;
    let decimals = frame.units().value;
    let (found, batches) = open(path)?;
    if !columns(&names, decimals).iter().map(|column| &column.name).eq(&found) {
        return Err(wrong("has other columns than this table"));
    }
    let shown = found.len() - 3;
    let mut compared = Compared { decimals, shown, batches, batch: None, row: 0 };
    let mut statuses = Vec::new();
    walk(gathered, &names, |fields, value| {
        let shown = compared.next_row().and_then(|()| compared.shows(fields, value));
        statuses.push(shown.ok_or(TABLE)?.0);
        Ok(())
    })?;
    if compared.next_row().is_some() {
        return Err(wrong("has more rows than there are cells"));
    }
    Ok(statuses)
}

/// Why a cell is withheld, if it is.
struct Status(Option<Why>);

/// Cells beside the rows of the public table.
struct Compared {
    decimals: u8,
    /// How many columns name a cell.
    shown: usize,
    batches: ParquetRecordBatchReader,
    batch: Option<RecordBatch>,
    row: usize,
}

impl Compared {
    /// Goes to the next row; `None` if there is none that can be read.
    fn next_row(&mut self) -> Option<()> {
        self.row += 1;
        while self.batch.as_ref().is_none_or(|batch| self.row >= batch.num_rows()) {
            self.batch = Some(self.batches.next()?.ok()?);
            self.row = 0;
        }
        Some(())
    }

    /// Whether the row shows this cell as it must; then, why it is withheld if it is.
    fn shows(&self, fields: &[Field<'_>], value: i64) -> Option<Status> {
        let (batch, row) = (self.batch.as_ref()?, self.row);
        for (at, field) in fields.iter().enumerate() {
            let column = batch.column(at).as_string_opt::<i32>()?;
            let same = match field {
                Field::Text(text) => column.is_valid(row) && column.value(row) == text,
                _ => column.is_null(row),
            };
            same.then_some(())?;
        }
        let text = |at: usize| {
            let column = batch.column(at).as_string_opt::<i32>()?;
            column.is_valid(row).then(|| column.value(row))
        };
        let why = match text(self.shown + 1)? {
            "v" => None,
            "p" => Some(Why::Primary),
            "s" => Some(Why::Secondary),
            _ => return None,
        };
        agree(why, text(self.shown + 2)?).then_some(())?;
        let amount = batch.column(self.shown);
        if why.is_some() {
            return amount.is_null(row).then_some(Status(why));
        }
        let is_it = amount.is_valid(row)
            && if self.decimals == 0 {
                amount.as_primitive_opt::<Int64Type>()?.value(row) == value
            } else {
                let shown = amount.as_primitive_opt::<Float64Type>()?.value(row);
                shown.to_bits() == units::to_f64(value, self.decimals).to_bits()
            };
        is_it.then_some(Status(None))
    }
}

/// The summary is not hashed, because its times differ from run to run; its counts must fit all the same.
fn check_summary(dir: &Path, verdict: &Verdict) -> Result<(), String> {
    let text = std::fs::read_to_string(dir.join(SUMMARY)).unwrap_or_default();
    let summary: Summary =
        serde_json::from_str(&text).map_err(|_| format!("`{SUMMARY}` is missing or damaged"))?;
    let counted = [summary.cells, summary.primary + summary.secondary, summary.primary];
    if verdict.faults.is_empty() && counted != [verdict.cells, verdict.withheld, verdict.needs] {
        return Err(format!("`{SUMMARY}` does not count the cells of this release"));
    }
    Ok(())
}
