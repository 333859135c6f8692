//! Release folders: written all together or not at all, and verified again from their files alone.
//!
//! A release ([`write()`]) is a flat folder. Its tables may be published; everything else is for the office and its checkers:
//!
//! | file | content | public |
//! |---|---|---|
//! | `table.csv`, `table.parquet`, `table.xlsx` | codes (or `cell`), `value` where published, `status`, `CONF_STATUS` | yes |
//! | `pattern.csv` | `cell,status` of the withheld cells: `p` primary, `s` secondary | yes |
//! | `audit.csv` | what an intruder can work out, and what was required | no |
//! | `why.csv` | which primaries each secondary protects | no |
//! | `instance.jj` | the true table, which [`verify_release`] replays the proof against | no |
//! | `witnesses.parquet`, `claims.parquet` | the proof | no |
//! | `report.html` | for people | no |
//! | `summary.json` | figures of the run, with its times; the only file that differs between two runs | no |
//! | `manifest.json` | inputs, job, versions, limits and the SHA-256 of every file but these two | no |
//!
//! In a table, `status` is `v` for a published cell, `p` for a primary and `s` for a secondary, and `CONF_STATUS` follows
//! SDMX: `F` free, `A` small counts, `G` dominance, `M` other concentration measure, `C` other confidential, `D` secondary.
//! A release of several tables has `table.*` and `table-NAME.*`, whose rows begin with the number of their `cell`; the cells of all of them
//! are one instance with one proof.
//!
//! `cell` is the instance's own id, or the row of `table.parquet` counted from 0. Codes are written as they are; a
//! spreadsheet should open `table.xlsx`, where no code can turn into a formula.
//!
//! ```
//! use cellveil_core::{Audit, CellId, Certificate, Claim, Intruder, Release, Side, Why, Witness};
//! use cellveil_publish::{Account, Publication, Summary, verify_release, write};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let instance = "0\n3\n0 10 10 s 0 20 0 0 0\n1 4 4 u 0 20 2 2 0\n2 6 6 s 0 20 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 (1)\n";
//! let problem = cellveil_argus::jj::read(instance, 0)?;
//! let mut pattern = problem.start();
//! pattern.withhold(CellId(2), Why::Secondary);
//! // Cell 1 lower and cell 2 higher, and the other way round: the total stays.
//! let moved = |by| Witness { denominator: 1, moves: vec![(CellId(1), by), (CellId(2), -by)] };
//! let claim = |side, witness| Claim { cell: CellId(1), side, intruder: Intruder::External, witness };
//! let certificate = Certificate {
//!     witnesses: vec![moved(-2), moved(2)],
//!     claims: vec![claim(Side::Down, 0), claim(Side::Up, 1)],
//! };
//! let release = Release::new(problem, pattern, certificate)?;
//! let audit = Audit::default();
//! let folder = tempfile::tempdir()?;
//! write(&folder.path().join("release"), &Publication {
//!     release: &release,
//!     audit: &audit,
//!     tables: &[],
//!     account: Account {
//!         summary: Summary::of(release.problem(), release.pattern(), &audit),
//!         title: "Two cells and their sum".to_owned(),
//!         ..Account::default()
//!     },
//! })?;
//! assert!(verify_release(&folder.path().join("release"))?.is_proven());
//! # Ok(())
//! # }
//! ```

mod account;
mod adjusted;
mod argus_report;
mod atomic;
mod audit_file;
mod cell_stream;
mod columns;
mod confidentiality;
mod convert;
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
mod streamed;
mod summary;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod true_table;
mod verify;
mod why_file;
mod xlsx_file;

pub use account::Account;
pub use adjusted::{AdjustedPublication, LevelLoss, Loss, Parameters, write_adjusted};
pub use argus_report::{ReportNote, argus_report};
pub use cell_stream::{Written, write_cells};
pub use convert::{convert, write_instance};
pub use error::PublishError;
pub use manifest::{FileEntry, Input, Manifest, Way, hash_file};
pub use pattern_file::{read_costs, read_earlier, read_pattern};
pub use publication::{Publication, Staged, stage, write, write_audit};
pub use release_table::{Formats, Part};
pub use single::write_bytes;
pub use streamed::{StreamedRelease, Unproven, left_out, stage_streamed};
pub use summary::{RELEASED_FROZEN, Summary};
pub use true_table::write_table;
pub use verify::{Verdict, verify_release};
