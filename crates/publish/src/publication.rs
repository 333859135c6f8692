//! Writing a release, or the audit of somebody's pattern.

use crate::audit_file::{AuditGrid, PatternGrid, ReasonGrid};
use crate::csv_file::write_csv;
use crate::manifest::{InstanceNote, SUMMARY};
use crate::parquet_file::write_parquet;
use crate::proof_files::{ClaimGrid, WitnessGrid};
use crate::release_table::{ReleaseTable, write_grid};
use crate::staging::Staging;
use crate::why_file::WhyGrid;
use crate::{Formats, Input, Manifest, PublishError, Summary, report};
use cellveil_core::{Audit, CellNames, Exposure, Pattern, Problem, Release};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Everything that goes into a release folder.
#[derive(Clone, Debug)]
pub struct Publication<'a> {
    /// The verified table.
    pub release: &'a Release,
    /// What an intruder can work out about its withheld cells.
    pub audit: &'a Audit,
    /// The figures of the run.
    pub summary: Summary,
    /// The files that were read.
    pub inputs: Vec<Input>,
    /// The text of the job file, if there was one.
    pub job: Option<String>,
    /// What was allowed: time, gap and the like.
    pub limits: BTreeMap<String, String>,
    /// What the table is called.
    pub title: String,
    /// Which files hold the table; a release always has CSV and Parquet.
    pub formats: Formats,
}

/// Writes a release folder, all files together or none. Returns the files, `manifest.json` last.
///
/// # Errors
/// [`PublishError`] if the folder holds anything but an earlier release, or cannot be written.
pub fn write(dir: &Path, publication: &Publication<'_>) -> Result<Vec<PathBuf>, PublishError> {
    write_within(dir, publication, None)
}

/// As [`write()`], on a disk that has room for so many bytes.
pub(crate) fn write_within(
    dir: &Path,
    publication: &Publication<'_>,
    room: Option<u64>,
) -> Result<Vec<PathBuf>, PublishError> {
    let (problem, pattern) = (publication.release.problem(), publication.release.pattern());
    let certificate = publication.release.certificate();
    check_needs(problem)?;
    let table = ReleaseTable::new(problem, pattern)?;
    let formats = Formats { csv: true, parquet: true, ..publication.formats };
    let mut staging = Staging::open(dir, room)?;
    write_grid(&mut staging, &table, formats, &publication.title, true)?;
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
    staging.write_json(SUMMARY, &publication.summary)?;
    staging.commit(manifest(publication))
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

/// By how many units a relation of the true table misses at most.
pub(crate) fn furthest_residual(problem: &Problem) -> i64 {
    let values: Vec<i64> = problem.cells().map(|cell| problem.value(cell)).collect();
    let relations = problem.relations();
    let furthest =
        (0..relations.len()).map(|relation| relations.residual(relation, &values).abs()).max();
    i64::try_from(furthest.unwrap_or(0)).unwrap_or(i64::MAX)
}

fn manifest(publication: &Publication<'_>) -> Manifest {
    let problem = publication.release.problem();
    Manifest {
        cellveil: publication.summary.version.clone(),
        kind: "release".to_owned(),
        title: publication.title.clone(),
        inputs: publication.inputs.clone(),
        job: publication.job.clone(),
        method: publication.summary.method.clone(),
        seed: publication.summary.seed,
        limits: publication.limits.clone(),
        instance: Some(InstanceNote {
            decimals: problem.decimals(),
            tolerance: furthest_residual(problem),
            own_ids: matches!(problem.names(), CellNames::Ids(_) | CellNames::Labels(_)),
        }),
        files: Vec::new(),
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
