//! Release folders: written all together or not at all, and verified again from their files alone.
//!
//! A release ([`write`]) is a flat folder. Its tables may be published; everything else is for the office and its checkers:
//!
//! | file | content | public |
//! |---|---|---|
//! | `table.csv`, `table.parquet`, `table.xlsx` | codes (or `cell`), `value` where published, `status`, `CONF_STATUS` | yes |
//! | `pattern.csv` | `cell,status` of the withheld cells: `p` primary, `s` secondary | yes |
//! | `audit.csv` | what an intruder can work out, and what was required | no |
//! | `instance.jj` | the true table, which [`verify_release`] replays the proof against | no |
//! | `witnesses.parquet`, `claims.parquet` | the proof | no |
//! | `report.html` | for people | no |
//! | `summary.json` | figures of the run, with its times; the only file that differs between two runs | no |
//! | `manifest.json` | inputs, job, versions, limits and the SHA-256 of every file but these two | no |
//!
//! In a table, `status` is `v` for a published cell, `p` for a primary and `s` for a secondary, and `CONF_STATUS` follows
//! SDMX: `F` free, `A` small counts, `G` dominance, `M` other concentration measure, `C` other confidential, `D` secondary.
//! `cell` is the instance's own id, or the row of `table.parquet` counted from 0. Codes are written as they are; a
//! spreadsheet should open `table.xlsx`, where no code can turn into a formula.

mod atomic;
mod audit_file;
mod columns;
mod confidentiality;
mod csv_file;
mod error;
mod grid;
mod manifest;
mod parquet_file;
mod pattern_file;
mod proof_files;
mod publication;
mod release_table;
mod report;
mod single;
mod sink;
mod staging;
mod summary;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod true_table;
mod verify;
mod xlsx_file;

pub use error::PublishError;
pub use manifest::{FileEntry, Input, Manifest, hash_file};
pub use pattern_file::read_pattern;
pub use publication::{Publication, write, write_audit};
pub use release_table::Formats;
pub use summary::Summary;
pub use true_table::write_table;
pub use verify::{Verdict, verify_release};
