//! Does the certificate prove the pattern safe? Witnesses are read row group by row group and never held together.

use super::instance::CellIndex;
use super::{Subject, Verdict, guarded, list};
use crate::proof_files::delta;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use cellveil_core::{Claim, Intruder, Side, Verifier, Witness};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::path::Path;

/// How many witnesses in a row may move nothing; a false number must not keep verification busy for ever.
const MOST_EMPTY: usize = 1 << 20;

/// Replays all witnesses. An error is a fault after which nothing can be replayed.
pub(super) fn check_proof(
    dir: &Path,
    subject: &Subject<'_>,
    index: &CellIndex,
    verdict: &mut Verdict,
) -> Result<(), String> {
    let claims = guarded("claims.parquet", || read_claims(&dir.join("claims.parquet"), index))?;
    verdict.claims = claims.len();
    let mut replay = Replay {
        verifier: Verifier::new(subject.problem, subject.pattern, &claims),
        admitted: 0,
        current: None,
    };
    guarded("witnesses.parquet", || {
        for batch in batches(&dir.join("witnesses.parquet"))? {
            let batch = batch.map_err(|_| damaged("witnesses.parquet"))?;
            replay.rows(&batch, index, subject.note.decimals)?;
        }
        Ok(())
    })?;
    replay.admit_current();
    // Witnesses that move nothing have no rows.
    let claimed = claims.iter().map(|claim| claim.witness as usize + 1).max().unwrap_or(0);
    replay.admit_empty(claimed.min(replay.admitted + MOST_EMPTY));
    verdict.witnesses = replay.admitted;
    if let Err(found) = replay.verifier.finish() {
        list(&mut verdict.faults, found.iter().map(ToString::to_string));
    }
    Ok(())
}

fn damaged(name: &str) -> String {
    format!("`{name}` is damaged")
}

fn batches(path: &Path) -> Result<ParquetRecordBatchReader, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = File::open(path).map_err(|_| format!("`{name}` cannot be read"))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|_| damaged(&name))?;
    builder.with_batch_size(1 << 16).build().map_err(|_| damaged(&name))
}

/// A column without gaps.
fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, String> {
    let column = batch.column_by_name(name).filter(|column| column.null_count() == 0);
    column.ok_or_else(|| format!("the proof has no full column `{name}`"))
}

fn whole<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Int64Array, String> {
    let column = column(batch, name)?.as_primitive_opt::<Int64Type>();
    column.ok_or_else(|| format!("`{name}` in the proof is not a column of whole numbers"))
}

fn real<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Float64Array, String> {
    let column = column(batch, name)?.as_primitive_opt::<Float64Type>();
    column.ok_or_else(|| format!("`{name}` in the proof is not a column of numbers"))
}

fn text<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a StringArray, String> {
    let column = column(batch, name)?.as_string_opt::<i32>();
    column.ok_or_else(|| format!("`{name}` in the proof is not a column of texts"))
}

fn read_claims(path: &Path, index: &CellIndex) -> Result<Vec<Claim>, String> {
    let mut claims = Vec::new();
    for batch in batches(path)? {
        let batch = batch.map_err(|_| damaged("claims.parquet"))?;
        let (cells, witnesses) = (whole(&batch, "cell")?, whole(&batch, "witness")?);
        let (sides, intruders) = (text(&batch, "side")?, text(&batch, "intruder")?);
        for row in 0..batch.num_rows() {
            let claim = claim(
                cells.value(row),
                sides.value(row),
                intruders.value(row),
                witnesses.value(row),
                index,
            );
            let number = claims.len();
            claims.push(claim.ok_or_else(|| format!("`claims.parquet` row {number} is no claim"))?);
        }
    }
    Ok(claims)
}

fn claim(cell: i64, side: &str, intruder: &str, witness: i64, index: &CellIndex) -> Option<Claim> {
    Some(Claim {
        cell: index.find(cell)?,
        side: Side::BOTH.into_iter().find(|known| known.name() == side)?,
        intruder: Intruder::ALL.into_iter().find(|known| known.name() == intruder)?,
        witness: u32::try_from(witness).ok()?,
    })
}

/// Gathers rows into witnesses and hands them to the judge in their order.
struct Replay<'a> {
    verifier: Verifier<'a>,
    admitted: usize,
    current: Option<(i64, Witness)>,
}

impl Replay<'_> {
    fn rows(&mut self, batch: &RecordBatch, index: &CellIndex, decimals: u8) -> Result<(), String> {
        let (numbers, cells) = (whole(batch, "witness")?, whole(batch, "cell")?);
        let (moves, denominators) = (whole(batch, "units")?, whole(batch, "denominator")?);
        let deltas = real(batch, "delta")?;
        for row in 0..batch.num_rows() {
            let (number, denominator) = (numbers.value(row), denominators.value(row));
            let fault = |what: &str| format!("witness {number} {what}");
            let cell = index
                .find(cells.value(row))
                .ok_or_else(|| fault("moves a cell that is not there"))?;
            let shown = delta(moves.value(row), denominator, decimals);
            if shown.to_bits() != deltas.value(row).to_bits() {
                return Err(fault("has a `delta` that is not its `units` by its `denominator`"));
            }
            self.begin(number, denominator).ok_or_else(|| fault("is malformed"))?;
            if let Some((_, witness)) = &mut self.current {
                witness.moves.push((cell, moves.value(row)));
            }
        }
        Ok(())
    }

    /// Makes sure that the current witness is the one of that number; `None` if the rows are out of order.
    fn begin(&mut self, number: i64, denominator: i64) -> Option<()> {
        let denominator = u32::try_from(denominator).ok()?;
        if let Some((current, witness)) = &self.current
            && *current == number
        {
            return (witness.denominator == denominator).then_some(());
        }
        self.admit_current();
        let position = u32::try_from(number).ok()? as usize;
        if position < self.admitted || position - self.admitted > MOST_EMPTY {
            return None;
        }
        self.admit_empty(position);
        self.current = Some((number, Witness { denominator, moves: Vec::new() }));
        Some(())
    }

    fn admit_current(&mut self) {
        if let Some((_, witness)) = self.current.take() {
            self.verifier.admit(&witness);
            self.admitted += 1;
        }
    }

    fn admit_empty(&mut self, until: usize) {
        while self.admitted < until {
            self.verifier.admit(&Witness { denominator: 1, moves: Vec::new() });
            self.admitted += 1;
        }
    }
}
