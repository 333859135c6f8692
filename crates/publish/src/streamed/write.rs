//! Writing a release whose table is made on the way.

use super::files::{
    FINEST, KIND, PATTERN, REPORT, RULES, TABLE, TABLE_CSV, WITNESSES, files, has_lists,
};
use super::note::Note;
use super::proof::StreamedRelease;
use super::table::{Watch, write_csv, write_parquet};
use crate::confidentiality::status_letter;
use crate::grid::{Column, Field, Grid, Kind};
use crate::manifest::SUMMARY;
use crate::report::facts::Facts;
use crate::report::view::{Content, Sheets, View};
use crate::staging::Staging;
use crate::{Account, Manifest, PublishError, Staged, report};
use cellveil_core::{CodeId, Why};
use cellveil_tabulate::LeafMoves;
use std::io::Write;
use std::path::Path;

/// Writes a release beside its place, until the time is over.
///
/// # Errors
/// [`PublishError`] if the folder holds anything but an earlier release, or cannot be written.
pub fn stage_streamed(
    dir: &Path,
    release: &StreamedRelease<'_>,
    account: &Account,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<Staged, PublishError> {
    let StreamedRelease { gathered, rules, witnesses, withheld, facts } = release;
    let is_listed = has_lists(withheld.len(), account.formats);
    let mut seen = Seen::new(release, is_listed);
    let mut staging = Staging::open(dir, None)?;
    staging.write(TABLE, true, |sink| write_parquet(release, is_over, &mut seen, sink))?;
    if is_listed {
        staging.write(TABLE_CSV, true, |sink| write_csv(release, is_over, sink))?;
        let grid = PatternGrid::new(&seen.statuses);
        staging.write(PATTERN, true, |sink| crate::csv_file::write_csv(&grid, sink))?;
    }
    in_time(is_over)?;
    staging.write(FINEST, false, |sink| gathered.save(KIND, sink))?;
    let note = Note::new(rules, gathered.frame().spec());
    staging.write(RULES, false, |sink| Ok(serde_json::to_writer_pretty(sink, &note)?))?;
    let grid = WitnessGrid::new(witnesses);
    staging.write(WITNESSES, false, |sink| crate::parquet_file::write_parquet(&grid, sink))?;
    let page = report::Streamed {
        account,
        witnesses: witnesses.len(),
        facts,
        view: &seen.view,
        sheets: &seen.sheets,
        decimals: gathered.frame().units().value,
        files: &files(is_listed),
    };
    let page = page.page().map_err(|_| {
        PublishError::Unwritable("internal: the report cannot be put together".into())
    })?;
    staging.write(REPORT, false, |sink| sink.write_all(page.as_bytes()))?;
    staging.write_json(SUMMARY, &account.summary)?;
    in_time(is_over)?;
    let manifest = Manifest {
        cellveil: account.summary.version.clone(),
        kind: KIND.to_owned(),
        title: account.title.clone(),
        inputs: account.inputs.clone(),
        job: account.job.clone(),
        method: account.summary.method.clone(),
        seed: account.summary.seed,
        limits: account.limits.clone(),
        way: account.way.clone(),
        ..Manifest::default()
    };
    Ok(Staged::new(staging, manifest))
}

fn in_time(is_over: &(dyn Fn() -> bool + Sync)) -> Result<(), PublishError> {
    let late = || PublishError::Unwritable("the time limit was reached; allow more time".into());
    if is_over() { Err(late()) } else { Ok(()) }
}

/// What is kept of cells while they are written.
struct Seen<'a> {
    facts: &'a Facts<'a>,
    view: View,
    sheets: Sheets,
    /// Of every cell, where a list of them is written.
    statuses: Vec<Option<Why>>,
    is_listed: bool,
}

impl<'a> Seen<'a> {
    fn new(release: &'a StreamedRelease<'_>, is_listed: bool) -> Self {
        let facts = &release.facts;
        let (view, sheets) = (View::new(facts), Sheets::default());
        Self { facts, view, sheets, statuses: Vec::new(), is_listed }
    }
}

impl Watch for Seen<'_> {
    fn see(&mut self, codes: &[CodeId], content: Content) {
        self.view.add(&mut self.sheets, self.facts.dimensions(), codes, || content);
        if self.is_listed {
            self.statuses.push(match content {
                Content::Value(_) => None,
                Content::Withheld(why, _) => Some(why),
            });
        }
    }
}

/// `cell,status` of every withheld cell, as in any release.
struct PatternGrid {
    withheld: Vec<(u32, Why)>,
    columns: [Column; 2],
}

impl PatternGrid {
    fn new(statuses: &[Option<Why>]) -> Self {
        let withheld = (0..).zip(statuses).filter_map(|(at, why)| Some((at, (*why)?)));
        let columns = [Column::new("cell", Kind::Whole), Column::new("status", Kind::Text)];
        Self { withheld: withheld.collect(), columns }
    }
}

impl Grid for PatternGrid {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.withheld.len()
    }

    fn fill<'b>(&'b self, row: usize, fields: &mut Vec<Field<'b>>) {
        let (cell, why) = self.withheld[row];
        fields.push(Field::Whole(i64::from(cell)));
        fields.push(status_letter(Some(why)).into());
    }
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
