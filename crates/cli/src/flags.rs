//! The command line: verbs and the flags they share. Each verb's own flags stand with the verb.

use crate::commands::{
    adjust, argus, audit, convert, demo, generate, protect, suppress, tabulate, verify,
};
use cellveil::{Memory, TimeLimit};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Makes statistical tables safe to publish, and proves it.
#[derive(Parser)]
#[command(name = "cellveil", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "\
Exit status: 0 safe and written, 1 not safe, 2 could not run.
Results go to stdout, progress and messages to stderr. NO_COLOR is honoured.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

const VERBOSE: &str = "Log every stage to stderr; CELLVEIL_LOG=debug says more";

/// Flags of every verb.
#[derive(Args)]
pub(crate) struct Common {
    /// Where to write
    #[arg(long, global = true, value_name = "DIR", help_heading = "Common")]
    pub(crate) out: Option<PathBuf>,
    /// How long to work, such as 60s, 5m or 1h
    #[arg(long, global = true, value_name = "TIME", help_heading = "Common")]
    pub(crate) time_limit: Option<TimeLimit>,
    /// How far from the best cost is good enough, from 0 to 1
    #[arg(long, global = true, value_name = "SHARE", value_parser = share, help_heading = "Common")]
    pub(crate) gap: Option<f64>,
    /// How many threads; never changes a result
    #[arg(long, global = true, value_name = "N", value_parser = threads, help_heading = "Common")]
    pub(crate) threads: Option<usize>,
    /// How much memory tables may take, such as 8GiB; what needs more is refused
    #[arg(long, global = true, value_name = "SIZE", help_heading = "Common")]
    pub(crate) memory: Option<Memory>,
    /// The seed of everything random
    #[arg(long, global = true, value_name = "N", help_heading = "Common")]
    pub(crate) seed: Option<u64>,
    /// Print results as JSON
    #[arg(long, global = true, help_heading = "Common")]
    pub(crate) json: bool,
    /// Print nothing but results and errors
    #[arg(long, short, global = true, help_heading = "Common")]
    pub(crate) quiet: bool,
    /// Log every stage to stderr
    #[arg(long, short, global = true, help_heading = "Common", help = VERBOSE)]
    pub(crate) verbose: bool,
}

/// The verbs; each is explained where its flags stand.
#[derive(Subcommand)]
pub(crate) enum Command {
    Protect(protect::Arguments),
    Tabulate(tabulate::Arguments),
    Suppress(suppress::Arguments),
    Adjust(adjust::Arguments),
    Audit(audit::Arguments),
    Verify(verify::Arguments),
    Argus(argus::Arguments),
    Convert(convert::Arguments),
    Generate(generate::Arguments),
    Demo(demo::Arguments),
}

fn share(text: &str) -> Result<f64, String> {
    let share: Option<f64> = text.parse().ok();
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "must be from 0 to 1".to_owned())
}

fn threads(text: &str) -> Result<usize, String> {
    let threads: Option<usize> = text.parse().ok();
    threads
        .filter(|threads| (1..=1024).contains(threads))
        .ok_or_else(|| "must be from 1 to 1024".to_owned())
}
