//! Writing a release, or the audit of somebody's pattern.

use crate::audit_file::{AuditGrid, PatternGrid, ReasonGrid};
use crate::csv_file::write_csv;
use crate::manifest::SUMMARY;
use crate::parquet_file::write_parquet;
use crate::proof_files::{ClaimGrid, WitnessGrid};
use crate::release_table::{Part, ReleaseTable, TABLE, write_grid};
use crate::staging::Staging;
use crate::why_file::WhyGrid;
use crate::{Account, Manifest, PublishError, Summary, report};
use cellveil_core::{Audit, Exposure, Pattern, Problem, Release};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Everything that goes into a release folder.
#[derive(Clone, Debug)]
pub struct Publication<'a> {
    /// The verified table.
    pub release: &'a Release,
    /// What an intruder can work out about its withheld cells.
    pub audit: &'a Audit,
    /// The tables of the release and their names, where there are several; one table of all cells otherwise.
    pub tables: &'a [Part],
    /// How it came about.
    pub account: Account,
}

/// A folder that is complete, but not in its place yet. It vanishes unless it is put there.
pub struct Staged {
    staging: Staging,
    manifest: Manifest,
}

impl Staged {
    pub(crate) fn new(staging: Staging, manifest: Manifest) -> Self {
        Self { staging, manifest }
    }

    /// Lets the folder appear in its place. Returns the files, `manifest.json` last.
    ///
    /// # Errors
    /// [`PublishError`] if it cannot be put there.
    pub fn commit(self) -> Result<Vec<PathBuf>, PublishError> {
        self.staging.commit(self.manifest)
    }
}

/// Writes a release folder, all files together or none. Returns the files, `manifest.json` last.
///
/// # Errors
/// [`PublishError`] if the folder holds anything but an earlier release, or cannot be written.
pub fn write(dir: &Path, publication: &Publication<'_>) -> Result<Vec<PathBuf>, PublishError> {
    stage(dir, publication)?.commit()
}

/// Writes a release folder beside its place, so that several can appear together.
///
/// # Errors
/// [`PublishError`] if the folder holds anything but an earlier release, or cannot be written.
pub fn stage(dir: &Path, publication: &Publication<'_>) -> Result<Staged, PublishError> {
    stage_within(dir, publication, None)
}

/// As [`stage()`], on a disk that has room for so many bytes.
pub(crate) fn stage_within(
    dir: &Path,
    publication: &Publication<'_>,
    room: Option<u64>,
) -> Result<Staged, PublishError> {
    let (problem, pattern) = (publication.release.problem(), publication.release.pattern());
    let certificate = publication.release.certificate();
    check_needs(problem)?;
    let account = &publication.account;
    let mut staging = Staging::open(dir, room)?;
    write_tables(&mut staging, publication)?;
    let withheld = PatternGrid::new(problem, pattern);
    staging.write("pattern.csv", true, |sink| write_csv(&withheld, sink))?;
    let audit = AuditGrid::new(problem, pattern, publication.audit);
    staging.write("audit.csv", false, |sink| write_csv(&audit, sink))?;
    let why = WhyGrid::new(problem, pattern, certificate)?;
    staging.write("why.csv", false, |sink| write_csv(&why, sink))?;
    staging.write("instance.jj", false, |sink| cellveil_argus::jj::write(problem, sink))?;
    let witnesses = WitnessGrid::new(problem, certificate);
    staging.write("witnesses.parquet", false, |sink| write_parquet(&witnesses, sink))?;
    let claims = ClaimGrid::new(problem, certificate);
    staging.write("claims.parquet", false, |sink| write_parquet(&claims, sink))?;
    let page = report::page(publication).map_err(|_| {
        PublishError::Unwritable("internal: the report cannot be put together".into())
    })?;
    staging.write("report.html", false, |sink| sink.write_all(page.as_bytes()))?;
    staging.write_json(SUMMARY, &account.summary)?;
    let tables = publication.tables.iter().map(|part| part.file.clone()).collect();
    let manifest = Manifest { tables, ..account.manifest("release", problem) };
    Ok(Staged { staging, manifest })
}

/// The published tables: all that the public gets to see of values.
fn write_tables(staging: &mut Staging, publication: &Publication<'_>) -> Result<(), PublishError> {
    let (problem, pattern) = (publication.release.problem(), publication.release.pattern());
    let account = &publication.account;
    let formats = account.formats();
    if publication.tables.is_empty() {
        let table = ReleaseTable::new(problem, pattern)?;
        return write_grid(staging, TABLE, &table, formats, &account.title, true);
    }
    for part in publication.tables {
        let names = part.linked.names(problem.names()).ok_or_else(|| {
            PublishError::Unwritable("internal: linked tables have no codes".into())
        })?;
        let table = ReleaseTable::part(problem, pattern, &part.linked, &names)?;
        write_grid(staging, &part.file, &table, formats, &account.title, true)?;
    }
    Ok(())
}

/// A need that asks for nothing would be shown to be met by nothing.
pub(crate) fn check_needs(problem: &Problem) -> Result<(), PublishError> {
    let needs = problem.needs();
    let idle = |need: &&cellveil_core::Need| need.down == 0 && need.up == 0 && need.sliding == 0;
    match needs.iter().find(idle) {
        None => Ok(()),
        Some(need) => Err(PublishError::Unwritable(format!(
            "`{}` is sensitive but asks for no distance; give its rule a protection level above 0",
            problem.names().describe(need.cell)
        ))),
    }
}

/// Writes `audit.csv`, `summary.json` and a manifest: what an intruder can work out from anybody's pattern. No table and no
/// certificate, because nothing is proven.
///
/// # Errors
/// [`PublishError`] if the folder holds anything but earlier output of cellveil, or cannot be written.
pub fn write_audit(
    dir: &Path,
    problem: &Problem,
    pattern: &Pattern,
    audit: &Audit,
    reasons: &[(Exposure, String)],
    summary: &Summary,
) -> Result<Vec<PathBuf>, PublishError> {
    let mut staging = Staging::open(dir, None)?;
    let grid = AuditGrid::new(problem, pattern, audit);
    staging.write("audit.csv", false, |sink| write_csv(&grid, sink))?;
    if !reasons.is_empty() {
        let grid = ReasonGrid::new(problem, reasons);
        staging.write("exposed.csv", false, |sink| write_csv(&grid, sink))?;
    }
    staging.write_json(SUMMARY, summary)?;
    let kind = "audit".to_owned();
    staging.commit(Manifest { cellveil: summary.version.clone(), kind, ..Manifest::default() })
}
