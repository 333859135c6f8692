//! Writing a release whose table is made on the way.

use super::note::Note;
use super::proof::StreamedRelease;
use super::replay::{FINEST, KIND, RULES, WITNESSES};
use super::table::write_table;
use crate::grid::{Column, Field, Grid, Kind};
use crate::manifest::SUMMARY;
use crate::parquet_file::write_parquet;
use crate::staging::Staging;
use crate::{Account, Manifest, PublishError, Staged};
use cellveil_tabulate::LeafMoves;
use std::path::Path;

/// Writes a release beside its place. Of the formats, only Parquet is for tables of this size.
///
/// # Errors
/// [`PublishError`] if the folder holds anything but an earlier release, or cannot be written.
pub fn stage_streamed(
    dir: &Path,
    release: &StreamedRelease<'_>,
    account: &Account,
) -> Result<Staged, PublishError> {
    let StreamedRelease { gathered, rules, witnesses, withheld } = release;
    let mut staging = Staging::open(dir, None)?;
    staging.write("table.parquet", true, |sink| write_table(gathered, rules, withheld, sink))?;
    staging.write(FINEST, false, |sink| gathered.save(KIND, sink))?;
    let note = Note::new(rules, gathered.frame().spec());
    staging.write(RULES, false, |sink| Ok(serde_json::to_writer_pretty(sink, &note)?))?;
    let grid = WitnessGrid::new(witnesses);
    staging.write(WITNESSES, false, |sink| write_parquet(&grid, sink))?;
    staging.write_json(SUMMARY, &account.summary)?;
    let manifest = Manifest {
        cellveil: account.summary.version.clone(),
        kind: KIND.to_owned(),
        title: account.title.clone(),
        inputs: account.inputs.clone(),
        job: account.job.clone(),
        method: account.summary.method.clone(),
        seed: account.summary.seed,
        limits: account.limits.clone(),
        ..Manifest::default()
    };
    Ok(Staged::new(staging, manifest))
}

/// The moves of all witnesses, row by row.
struct WitnessGrid<'a> {
    witnesses: &'a [LeafMoves],
    /// The first row of each witness, and the number of rows.
    starts: Vec<usize>,
    columns: Vec<Column>,
}

impl<'a> WitnessGrid<'a> {
    fn new(witnesses: &'a [LeafMoves]) -> Self {
        let mut starts = vec![0];
        let mut rows = 0;
        for witness in witnesses {
            rows += witness.leaves.len();
            starts.push(rows);
        }
        let whole = |name| Column::new(name, Kind::Whole);
        Self { witnesses, starts, columns: ["witness", "leaf", "units"].map(whole).to_vec() }
    }
}

impl Grid for WitnessGrid<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn fill<'b>(&'b self, row: usize, fields: &mut Vec<Field<'b>>) {
        let number = self.starts.partition_point(|&start| start <= row) - 1;
        let (witness, at) = (&self.witnesses[number], row - self.starts[number]);
        fields.push(Field::Whole(number as i64));
        fields.push(Field::Whole(i64::from(witness.leaves[at])));
        fields.push(Field::Whole(witness.by[at]));
    }
}
