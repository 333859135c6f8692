//! `cellveil argus BATCH.arb`

use crate::error::Failure;
use crate::flags::Common;
use crate::output;
use crate::progress::Bar;
use cellveil::{BatchLog, BatchOptions, run_batch};
use cellveil_highs::Highs;
use cellveil_suppress::Method;
use std::fmt::Write;
use std::path::PathBuf;

/// Run a τ-ARGUS batch file
///
/// Files of another machine are looked for by their base name beside the batch file, whatever their case. `--out` sends
/// every output to one folder. What is written for publication was attacked and proven safe; docs/argus.md has the details.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The batch file
    #[arg(value_name = "BATCH.arb")]
    batch: PathBuf,
    /// Take whoever is alone in a cell for an intruder, in place of τ-ARGUS's virtual cells
    #[arg(long)]
    strict: bool,
    /// Use this method for every <SUPPRESS>, such as auto
    #[arg(long, value_name = "M")]
    method: Option<Method>,
    /// A further folder to look for data in
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let options = BatchOptions {
        strict: args.strict,
        out: common.out.clone(),
        method: args.method,
        data: args.data.clone(),
    };
    let (log, result) = {
        let bar = Bar::new(common);
        run_batch(&args.batch, &options, &Highs, common.settings(), &bar)
    };
    if common.json {
        if result.is_ok() {
            output::print_json(&serde_json::to_value(&log).unwrap_or_default())?;
        }
    } else if !common.quiet {
        output::print(&text(&log))?;
    }
    result?;
    Ok(true)
}

fn text(log: &BatchLog) -> String {
    let mut text = log.text();
    for table in &log.tables {
        let verdict = if table.proven { "proven safe" } else { "not protected" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "table {}: {}: {} cells, {} empty, {} primary, {} secondary; {verdict}",
            table.table, table.title, table.cells, table.empty, table.primary, table.secondary
        );
    }
    text
}
