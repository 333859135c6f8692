//! The program `cellveil`: makes statistical tables safe to publish, and proves it.

mod commands;
mod error;
mod flags;
mod output;
mod progress;
mod settings;

use clap::Parser;
use error::Failure;
use flags::{Cli, Command};
use std::process::ExitCode;

/// The work is done and the table is safe.
const SAFE: u8 = 0;
/// The work is done, and the table is not safe.
const NOT_SAFE: u8 = 1;
/// The work could not be done.
const NOT_DONE: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    settings::start_logging(cli.common.verbose);
    match run(&cli) {
        Ok(safe) => ExitCode::from(if safe { SAFE } else { NOT_SAFE }),
        Err(failure) => {
            let status = if failure.is_unsafe() { NOT_SAFE } else { NOT_DONE };
            output::failure(&failure, &cli.common);
            ExitCode::from(status)
        }
    }
}

/// Runs a verb; says whether the table is safe.
fn run(cli: &Cli) -> Result<bool, Failure> {
    match &cli.command {
        Command::Protect(args) => commands::protect::run(args, &cli.common),
        Command::Tabulate(args) => commands::tabulate::run(args, &cli.common),
        Command::Suppress(args) => commands::suppress::run(args, &cli.common),
        Command::Adjust(args) => commands::adjust::run(args, &cli.common),
        Command::Audit(args) => commands::audit::run(args, &cli.common),
        Command::Verify(args) => commands::verify::run(args, &cli.common),
        Command::Argus(args) => commands::argus::run(args, &cli.common),
        Command::Convert(args) => commands::convert::run(args, &cli.common),
        Command::Generate(args) => commands::generate::run(args, &cli.common),
        Command::Demo(args) => commands::demo::run(args, &cli.common),
    }
}
