//! Releases of adjusted tables: values changed instead of withheld.
//!
//! | file | content | public |
//! |---|---|---|
//! | `table.csv`, `table.parquet`, `table.xlsx` | codes (or `cell`), the adjusted `value`, `status` `v`, `CONF_STATUS` `F` | yes |
//! | `parameters.json` | what whoever uses the table may know: method, base or radius | yes |
//! | `adjusted.csv` | `cell,value,adjusted` | no |
//! | `audit.csv` | where the intruder knows a base or radius: the interval of each cell that was asked for | no |
//! | `instance.jj`, `witnesses.parquet`, `claims.parquet`, `report.html`, `summary.json`, `manifest.json` | as in other releases | no |

mod loss;
mod report;

use crate::audit_file::AuditGrid;
use crate::columns::NameColumns;
use crate::csv_file::write_csv;
use crate::grid::{Column, Field, Grid, Kind, make_names_unique};
use crate::manifest::SUMMARY;
use crate::parquet_file::write_parquet;
use crate::proof_files::{ClaimGrid, WitnessGrid};
use crate::publication::check_needs;
use crate::release_table::{TABLE, write_grid};
use crate::staging::Staging;
use crate::{Account, PublishError};
use cellveil_core::{
    AdjustedRelease, Adjustment, Audit, CellId, Problem, Promise, all_withheld, intruder_view,
};
pub use loss::{LevelLoss, Loss};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The kind of a folder with an adjusted table.
pub(crate) const KIND: &str = "adjustment";
/// The name of the file with what users of the table may know.
pub(crate) const PARAMETERS: &str = "parameters.json";

/// Everything that goes into the folder of an adjusted table.
#[derive(Clone, Debug)]
pub struct AdjustedPublication<'a> {
    /// The checked table.
    pub release: &'a AdjustedRelease,
    /// What an intruder who knows the promise can work out; empty where it tells nothing.
    pub audit: &'a Audit,
    /// How it came about.
    pub account: Account,
}

/// What the users of an adjusted table may know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// How values were changed: `moved`, `radius` or `rounded`.
    pub promise: String,
    /// The number of decimals of the adjusted values.
    pub decimals: u8,
    /// For `radius`: β in millionths. Cells that are not sensitive lie within β/2 of their true values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta_millionths: Option<u64>,
    /// For `rounded`: the base, in units of the true table's last decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<i64>,
    /// For `rounded`: how many multiples beyond the nearest were allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
}

impl Parameters {
    fn of(promise: Promise, decimals: u8) -> Self {
        let plain = |name: &str| Self { promise: name.to_owned(), decimals, ..Self::default() };
        match promise {
            Promise::Moved => plain("moved"),
            Promise::Radius { millionths } => {
                Self { beta_millionths: Some(millionths), ..plain("radius") }
            }
            Promise::Rounded { base, steps } => {
                Self { base: Some(base), steps: Some(steps), ..plain("rounded") }
            }
        }
    }

    /// The promise these parameters stand for, if they hold together.
    pub(crate) fn promise(&self) -> Option<Promise> {
        match (self.promise.as_str(), self.beta_millionths, self.base, self.steps) {
            ("moved", None, None, None) => Some(Promise::Moved),
            ("radius", Some(millionths), None, None) => Some(Promise::Radius { millionths }),
            ("rounded", None, Some(base), Some(steps)) if base > 0 => {
                Some(Promise::Rounded { base, steps })
            }
            _ => None,
        }
    }
}

/// Writes the folder of an adjusted table, all files together or none. Returns the files, `manifest.json` last.
///
/// # Errors
/// [`PublishError`] if the folder holds anything but earlier output of cellveil, or cannot be written.
pub fn write_adjusted(
    dir: &Path,
    publication: &AdjustedPublication<'_>,
) -> Result<Vec<PathBuf>, PublishError> {
    let release = publication.release;
    let (problem, adjustment) = (release.problem(), release.adjustment());
    check_needs(problem)?;
    let mut staging = Staging::open(dir, None)?;
    let table = AdjustedTable::new(problem, adjustment)?;
    let account = &publication.account;
    write_grid(&mut staging, TABLE, &table, account.formats(), &account.title, true)?;
    let parameters = Parameters::of(release.promise(), adjustment.decimals());
    staging.write(PARAMETERS, true, |sink| {
        serde_json::to_writer_pretty(&mut *sink, &parameters)?;
        sink.write_all(b"\n")
    })?;
    let both = BothGrid::new(problem, adjustment);
    staging.write("adjusted.csv", false, |sink| write_csv(&both, sink))?;
    staging.write("instance.jj", false, |sink| cellveil_argus::jj::write(problem, sink))?;
    if let Some(view) = intruder_view(problem, adjustment, release.promise()) {
        let audit = AuditGrid::new(&view, &all_withheld(&view), publication.audit);
        staging.write("audit.csv", false, |sink| write_csv(&audit, sink))?;
    }
    if let Some(view) = problem.in_decimals(adjustment.decimals()) {
        let witnesses = WitnessGrid::new(&view, release.certificate());
        staging.write("witnesses.parquet", false, |sink| write_parquet(&witnesses, sink))?;
        let claims = ClaimGrid::new(&view, release.certificate());
        staging.write("claims.parquet", false, |sink| write_parquet(&claims, sink))?;
    }
    let page = report::page(publication).map_err(|_| {
        PublishError::Unwritable("internal: the report cannot be put together".into())
    })?;
    staging.write("report.html", false, |sink| sink.write_all(page.as_bytes()))?;
    staging.write_json(SUMMARY, &account.summary)?;
    staging.commit(account.manifest(KIND, problem))
}

/// The published table.
struct AdjustedTable<'a> {
    adjustment: &'a Adjustment,
    names: NameColumns<'a>,
    columns: Vec<Column>,
}

impl<'a> AdjustedTable<'a> {
    fn new(problem: &'a Problem, adjustment: &'a Adjustment) -> Result<Self, PublishError> {
        let names = NameColumns::new(problem.names())?;
        let mut columns = names.columns();
        columns.push(Column::new("value", Kind::Amount(adjustment.decimals())));
        columns.push(Column::new("status", Kind::Text));
        columns.push(Column::new("CONF_STATUS", Kind::Text));
        make_names_unique(&mut columns);
        Ok(Self { adjustment, names, columns })
    }
}

impl Grid for AdjustedTable<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.adjustment.values().len()
    }

    fn fill<'b>(&'b self, row: usize, fields: &mut Vec<Field<'b>>) {
        self.names.fill(CellId::at(row), fields);
        fields.push(Field::Amount(self.adjustment.values()[row]));
        fields.push("v".into());
        fields.push("F".into());
    }
}

/// `cell,value,adjusted` of every cell.
struct BothGrid<'a> {
    problem: &'a Problem,
    adjustment: &'a Adjustment,
    columns: [Column; 3],
}

impl<'a> BothGrid<'a> {
    fn new(problem: &'a Problem, adjustment: &'a Adjustment) -> Self {
        let columns = [
            Column::new("cell", Kind::Whole),
            Column::new("value", Kind::Amount(problem.decimals())),
            Column::new("adjusted", Kind::Amount(adjustment.decimals())),
        ];
        Self { problem, adjustment, columns }
    }
}

impl Grid for BothGrid<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.problem.len()
    }

    fn fill<'b>(&'b self, row: usize, fields: &mut Vec<Field<'b>>) {
        let cell = CellId::at(row);
        fields.push(Field::Whole(self.problem.names().id(cell) as i64));
        fields.push(Field::Amount(self.problem.value(cell)));
        fields.push(Field::Amount(self.adjustment.values()[row]));
    }
}
