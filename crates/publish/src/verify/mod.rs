//! Replaying a release from its files alone.
//!
//! Shares nothing with the programs that made it but the types, the readers of its formats and the judge in the core. What is
//! damaged or does not fit is a fault; only a folder that is no release at all is an error.

mod adjusted;
mod instance;
mod proof;
mod rows;
mod tables;

use crate::manifest::{InstanceNote, MANIFEST, SUMMARY};
use crate::release_table::TABLE;
use crate::{Manifest, PublishError, Summary, hash_file, streamed};
use cellveil_core::{Pattern, Problem, Why};
pub(crate) use instance::CellIndex;
use std::path::Path;
use tables::Numbering;

/// What verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Cells of the table.
    pub cells: usize,
    /// Cells withheld.
    pub withheld: usize,
    /// Sensitive cells.
    pub needs: usize,
    /// Alternative tables that were replayed.
    pub witnesses: usize,
    /// What they were claimed to show.
    pub claims: usize,
    /// Cells whose value was changed, if values were changed instead of withheld.
    pub adjusted: Option<usize>,
    /// What is wrong; empty if the release is proven safe. Cells are named, amounts are not.
    pub faults: Vec<String>,
}

impl Verdict {
    /// Whether the files prove that the published table is safe.
    pub fn is_proven(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Files without which there is no proof, besides the tables.
const NEEDED: [&str; 4] = ["pattern.csv", "instance.jj", "witnesses.parquet", "claims.parquet"];

/// The files of a table.
fn files_of(table: &str) -> [String; 2] {
    ["csv", "parquet"].map(|extension| format!("{table}.{extension}"))
}

/// How many faults of one kind are listed.
const LISTED: usize = 20;

/// Verifies a release: that no file changed since it was written, that the table shows every published cell's value and no
/// withheld one's, and that the witnesses prove every need.
///
/// # Errors
/// [`PublishError::NotARelease`] if the folder is none. Everything else is a fault of the verdict.
pub fn verify_release(dir: &Path) -> Result<Verdict, PublishError> {
    let mut verdict = Verdict::default();
    let Some(manifest) = manifest_of(dir)? else {
        verdict.faults.push(format!("`{MANIFEST}` is missing or damaged"));
        return Ok(verdict);
    };
    if manifest.kind == streamed::KIND {
        let needed = streamed::NEEDED.map(str::to_owned);
        let changed = changed_files(dir, &manifest, &needed, &mut verdict.faults);
        let replayed = guarded(MANIFEST, || streamed::replay(dir, &changed, &mut verdict));
        verdict.faults.extend(replayed.err());
        return Ok(verdict);
    }
    let adjusted = manifest.kind == crate::adjusted::KIND;
    let tables =
        if manifest.tables.is_empty() { &[TABLE.to_owned()] } else { &manifest.tables[..] };
    let needed = if adjusted { &adjusted::NEEDED[..] } else { &NEEDED[..] };
    let needed = needed.iter().map(|&name| name.to_owned());
    let needed: Vec<String> =
        tables.iter().flat_map(|table| files_of(table)).chain(needed).collect();
    let changed = changed_files(dir, &manifest, &needed, &mut verdict.faults);
    let replay = if adjusted { adjusted::replay } else { replay };
    if let Err(fault) = replay(dir, &manifest, &changed, &mut verdict) {
        verdict.faults.push(fault);
    }
    Ok(verdict)
}

/// The manifest of a release; `None` if the folder is a release whose manifest cannot be read.
fn manifest_of(dir: &Path) -> Result<Option<Manifest>, PublishError> {
    let not_a_release = |why: String| PublishError::NotARelease { dir: dir.to_owned(), why };
    if !dir.is_dir() {
        return Err(not_a_release("there is no such folder".to_owned()));
    }
    match Manifest::read(dir) {
        Some(manifest)
            if ["release", crate::adjusted::KIND, streamed::KIND]
                .contains(&manifest.kind.as_str()) =>
        {
            Ok(Some(manifest))
        }
        Some(manifest) if ["audit", "table"].contains(&manifest.kind.as_str()) => Err(
            not_a_release(format!("it is an output of kind `{}`, without a proof", manifest.kind)),
        ),
        None if !NEEDED.iter().any(|name| dir.join(name).is_file())
            && !files_of(TABLE).iter().any(|name| dir.join(name).is_file()) =>
        {
            Err(not_a_release(format!("it has no `{MANIFEST}`")))
        }
        Some(_) | None => Ok(None),
    }
}

/// The files that are not those the manifest describes.
fn changed_files(
    dir: &Path,
    manifest: &Manifest,
    needed: &[String],
    faults: &mut Vec<String>,
) -> Vec<String> {
    let mut changed = Vec::new();
    for name in needed {
        if manifest.file(name).is_none() {
            faults.push(format!("`{MANIFEST}` does not list `{name}`"));
            changed.push(name.clone());
        }
    }
    for file in &manifest.files {
        let fault = match hash_file(&dir.join(&file.name)) {
            Ok((bytes, sha256)) if (bytes, &sha256) == (file.bytes, &file.sha256) => continue,
            Ok(_) => format!("`{}` is not the file that was written: its hash differs", file.name),
            Err(_) => format!("`{}` is missing or cannot be read", file.name),
        };
        faults.push(fault);
        changed.push(file.name.clone());
    }
    changed
}

/// Everything after the hashes. An error is a fault that leaves nothing more to check.
fn replay(
    dir: &Path,
    manifest: &Manifest,
    changed: &[String],
    verdict: &mut Verdict,
) -> Result<(), String> {
    let note = manifest
        .instance
        .as_ref()
        .ok_or_else(|| format!("`{MANIFEST}` does not describe `instance.jj`"))?;
    let problem = instance::read_instance(&dir.join("instance.jj"), note)?;
    verdict.cells = problem.len();
    verdict.needs = problem.needs().len();
    let index = instance::CellIndex::new(&problem);
    let pattern = instance::read_statuses(&dir.join("pattern.csv"), &problem, &index)?;
    verdict.withheld = pattern.withheld().count();
    check_summary(dir, &problem, &pattern, &mut verdict.faults);
    let intact = |name: &str| !changed.iter().any(|file| file == name);
    let subject = Subject { problem: &problem, pattern: &pattern, note };
    let mut tables = tables::Tables::new(&subject, &index);
    if manifest.tables.is_empty() {
        tables.check(dir, TABLE, Numbering::Rows, intact, &mut verdict.faults);
    } else {
        for table in &manifest.tables {
            tables.check(dir, table, Numbering::FirstColumn, intact, &mut verdict.faults);
        }
        tables.check_complete(&mut verdict.faults);
    }
    // Damaged Parquet is not even opened: its reader trusts what it reads.
    if intact("witnesses.parquet") && intact("claims.parquet") {
        proof::check_proof(dir, &subject, &index, verdict)?;
    }
    Ok(())
}

/// What the files are checked against.
struct Subject<'a> {
    problem: &'a Problem,
    pattern: &'a Pattern,
    note: &'a InstanceNote,
}

/// The summary is not hashed, because its times differ from run to run; its counts must fit all the same.
fn check_summary(dir: &Path, problem: &Problem, pattern: &Pattern, faults: &mut Vec<String>) {
    let text = std::fs::read_to_string(dir.join(SUMMARY)).unwrap_or_default();
    let Ok(summary) = serde_json::from_str::<Summary>(&text) else {
        faults.push(format!("`{SUMMARY}` is missing or damaged"));
        return;
    };
    let count = |why| pattern.withheld().filter(|&(_, w)| w == why).count();
    let counted = (problem.len(), count(Why::Primary), count(Why::Secondary));
    if (summary.cells, summary.primary, summary.secondary) != counted {
        faults.push(format!("`{SUMMARY}` does not count the cells of this release"));
    }
}

/// Lists the first faults of one kind and counts the rest.
fn list(faults: &mut Vec<String>, found: impl IntoIterator<Item = String>) {
    let mut found = found.into_iter();
    faults.extend(found.by_ref().take(LISTED));
    let more = found.count();
    if more > 0 {
        faults.push(format!("… and {more} more of this kind"));
    }
}

/// Runs a reader that may panic on bytes it does not expect, and makes a fault of that.
fn guarded<T>(name: &str, read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(format!("`{name}` is damaged")))
}
