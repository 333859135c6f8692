//! `cellveil convert IN OUT`

use crate::error::Failure;
use crate::flags::Common;
use crate::output;
use serde_json::json;
use std::path::PathBuf;

/// Convert instances, tables, records and lists of codes between formats
///
/// `.csv`, `.parquet` and `.xlsx` hold everything: tables, records, the cells of a `.jj` instance with its relations beside them in
/// `<name>-relations`, hierarchies (`.hrc`), labels (`.cdl`), recodes (`.grc`) and a-priori lines (`.hst`). All of them come back.
/// Data of τ-ARGUS are read with their `.rda` file beside them; tables become `.tab`, records `.asc` or `.dat`, all with `.rda`, and
/// the hierarchies of a table stand beside it in `<name>-<variable>`.
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
