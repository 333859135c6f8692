//! `cellveil convert IN OUT`

use crate::error::Failure;
use crate::flags::Common;
use crate::output;
use serde_json::json;
use std::path::PathBuf;

/// Convert instances and tables between formats
///
/// A table goes from `.csv` or `.parquet` to `.csv`, `.parquet` or `.xlsx`. An instance goes from `.jj` to `.jj`, or to a
/// `.csv` or `.parquet` file of cells with its relations beside it in `<name>-relations`, and back. Records and tables of
/// τ-ARGUS, with their `.rda` file beside them, go to all of these; a table goes to `.tab` with `.rda`, and a `.hrc` file to a
/// parent–child `.csv` and back.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The file to read
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
}

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let files = cellveil_publish::convert(&args.from, &args.to)?;
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    if common.json {
        output::print_json(&json!({ "files": files }))?;
    } else {
        output::print(&format!("{}\n", files.join("\n")))?;
    }
    Ok(true)
}
