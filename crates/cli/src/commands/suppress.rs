//! `cellveil suppress INSTANCE`

use crate::error::Failure;
use crate::flags::Common;
use crate::output;
use crate::progress::Bar;
use crate::settings::Tools;
use cellveil::{Released, Run, Settings, instance};
use cellveil_attack::Intervals;
use cellveil_suppress::Method;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Choose which cells of an instance to withhold, and prove it
///
/// An instance is a `.jj` file, a job file or the folder of an earlier release. The release is a folder,
/// `<instance>-release` in the current folder unless `--out` names another.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A .jj file, a job file or the folder of a release
    instance: PathBuf,
    /// How to choose: auto, incremental, optimal, hypercube, modular, network, genetic or tabu
    #[arg(long, default_value = "auto", value_name = "M")]
    method: Method,
    /// For which withheld cells to find intervals
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    intervals: IntervalsFlag,
    /// Who attacks the table besides everybody
    #[arg(long, value_enum, value_name = "WHO")]
    intruder: Vec<IntruderFlag>,
    /// The same table as it was released before: a pattern.csv or table.csv
    #[arg(long, value_name = "FILE")]
    earlier: Vec<PathBuf>,
    /// Withhold the least costly of the cells that must be published, where no pattern exists otherwise
    #[arg(long)]
    release_frozen: bool,
}

/// Who attacks a table besides everybody.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum IntruderFlag {
    /// Somebody who knows that the cells are counts, and that zeros are published
    Integer,
}

/// For which withheld cells to find intervals.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub(crate) enum IntervalsFlag {
    /// All of them where that is quick, none elsewhere
    #[default]
    Auto,
    /// All of them
    All,
    /// The sensitive ones
    Needs,
    /// None; whether needs are met is found out all the same
    None,
}

impl From<IntervalsFlag> for Intervals {
    fn from(flag: IntervalsFlag) -> Self {
        match flag {
            IntervalsFlag::Auto => Self::Affordable,
            IntervalsFlag::All => Self::All,
            IntervalsFlag::Needs => Self::Needs,
            IntervalsFlag::None => Self::None,
        }
    }
}

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let out = common.out_or(Path::new(""), &args.instance, "release");
    let released = {
        let bar = Bar::new(common);
        let settings = Settings { release_frozen: args.release_frozen, ..common.settings() };
        let run = Run::new(settings, &bar);
        let tools = Tools::new(&run);
        let (problem, origin) = instance::load(&args.instance, &tools.engines(), &run)?;
        let problem = instance::after(problem, &args.earlier)?;
        let problem = if args.intruder.contains(&IntruderFlag::Integer) {
            problem.above_zero().of_counts().map_err(cellveil::Error::from)?
        } else {
            problem
        };
        let intervals = args.intervals.into();
        let secured =
            cellveil::secure(problem, args.method, intervals, tools.engines().solve, &run)?;
        cellveil::publish(&out, secured, &origin, &run)?
    };
    report(&[released], common)?;
    Ok(true)
}

/// Tells about releases: what was withheld, where the proof is and how to check it.
pub(crate) fn report(released: &[Released], common: &Common) -> Result<(), Failure> {
    if common.json {
        let json = |one: &Released| output::summary_json(&one.summary, &one.dir);
        return output::print_json(&match released {
            [one] => json(one),
            several => json!({ "releases": several.iter().map(json).collect::<Vec<_>>() }),
        });
    }
    released.iter().try_for_each(|one| output::print(&text(one)))
}

fn text(released: &Released) -> String {
    let names = released.files.iter().filter_map(|file| file.file_name()?.to_str());
    let tables: Vec<&str> = names.filter(|name| name.starts_with("table")).collect();
    let what =
        if tables.iter().any(|name| name.starts_with("table-")) { "tables" } else { "table" };
    let shown = released.dir.display();
    let files = if released.release.is_some() {
        "witnesses.parquet, claims.parquet"
    } else {
        "witnesses.parquet, finest.cells, rules.json"
    };
    format!(
        "safe: every sensitive cell is proven to be protected\n{}\n\
         {shown}\n  \
         the {what:<8}{}\n  \
         the report  report.html\n  the proof   {files}\n\
         check it with: cellveil verify {shown}\n",
        output::summary_text(&released.summary),
        tables.join(", "),
    )
}
