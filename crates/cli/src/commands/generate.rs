//! `cellveil generate FAMILY`

use crate::error::Failure;
use crate::flags::Common;
use crate::output;
use cellveil::Run;
use cellveil_generate::{Castro, Ons, Salaries, Shape};
use cellveil_publish::write_instance;
use clap::Subcommand;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Make synthetic data
///
/// The same seed gives the same data. `--out` says where: a folder for salaries, a `.jj` file for castro, and for ons a `.jj`
/// file or records in a `.csv` or `.parquet` file.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    family: Family,
}

#[derive(Subcommand)]
enum Family {
    /// Wage records with seven variables, as a folder of Parquet files
    Salaries {
        /// How many records
        #[arg(long, default_value_t = 1_300_000)]
        rows: u64,
    },
    /// Magnitude tables from random contributors, as records or a .jj file
    Ons {
        /// Sizes with margins, joined by x; h and a depth make a hierarchy: 100h3x33x78
        #[arg(long, default_value = "100x33x78")]
        shape: Shape,
        /// The mean number of contributors of a cell
        #[arg(long, default_value_t = 4.53)]
        lambda: f64,
        /// The share of empty cells
        #[arg(long, default_value_t = 0.4)]
        zeros: f64,
    },
    /// Two-dimensional tables with one hierarchy, as a .jj file
    Castro {
        /// All rows, totals included
        #[arg(long, default_value_t = 12_178)]
        rows: u32,
        /// All columns, the total included
        #[arg(long, default_value_t = 41)]
        columns: u32,
        /// The rows that others add up to
        #[arg(long, default_value_t = 209)]
        subtables: u32,
        /// The share of sensitive cells
        #[arg(long, default_value_t = 0.1)]
        sensitive: f64,
    },
}

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let seed = common.settings().seed();
    let out = |name: &str| common.out.clone().unwrap_or_else(|| PathBuf::from(name));
    let place = match &args.family {
        Family::Salaries { rows } => {
            let place = out("salaries");
            let salaries = Salaries { rows: *rows, seed, ..Salaries::default() };
            Run::new(common.settings(), &()).install(|| salaries.write_records(&place))??;
            place
        }
        Family::Ons { shape, lambda, zeros } => {
            let place = out("ons.jj");
            let (shape, lambda, zeros) = (shape.clone(), *lambda, *zeros);
            let ons = Ons { shape, lambda, zeros, seed, ..Ons::default() };
            if is_instance(&place) {
                write_instance(&ons.problem()?, &place)?;
            } else {
                ons.write_records(&place)?;
            }
            place
        }
        Family::Castro { rows, columns, subtables, sensitive } => {
            let place = out("castro.jj");
            let (rows, columns, subtables) = (*rows, *columns, *subtables);
            let sensitive = *sensitive;
            let castro = Castro { rows, columns, subtables, sensitive, seed, ..Castro::default() };
            if !is_instance(&place) {
                let hint = "name a file that ends in `.jj`";
                return Err(Failure::Convert { from: "castro".into(), to: place, hint });
            }
            write_instance(&castro.problem()?, &place)?;
            place
        }
    };
    if common.json {
        output::print_json(&json!({ "out": place.display().to_string(), "seed": seed }))?;
    } else {
        output::print(&format!("{}\n", place.display()))?;
    }
    Ok(true)
}

fn is_instance(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jj"))
}
