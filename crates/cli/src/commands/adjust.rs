//! `cellveil adjust INSTANCE`

use crate::error::Failure;
use crate::flags::Common;
use crate::output::{self, thousands};
use crate::progress::Bar;
use crate::settings::Tools;
use cellveil::{Engines, Origin, ReleasedAdjustment, Run, instance};
use cellveil_adjust::{Key, Method, Norm, Options, Search, Weights};
use cellveil_core::Problem;
use cellveil_core::units::Decimal;
use std::path::{Path, PathBuf};

/// Change values instead of withholding them, and prove it
///
/// cta finds the nearest additive table in which every sensitive cell is far enough from its true value; ecta moves a few sensitive
/// cells and publishes a radius for all others; rounding makes every value a multiple of a base; online answers at once, with senses
/// from a key, so that a cell goes the same way in every table. The folder is
/// `<instance>-adjusted` in the current folder unless `--out` names another.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A .jj file, a job file or the folder of a release
    instance: PathBuf,
    /// How to change values: cta, ecta, rounding or online
    #[arg(long, default_value = "cta", value_name = "M")]
    method: Method,
    /// How to measure the distance: l1 or l2
    #[arg(long, default_value = "l1", value_name = "N")]
    norm: Norm,
    /// What moving a cell costs: given, one, inverse or inverse-sqrt
    #[arg(long, value_name = "W")]
    weights: Option<Weights>,
    /// How to look for senses: auto, exact, start, blocks, dynamic, subtables, fix-and-relax or flips
    #[arg(long, default_value = "auto", value_name = "S")]
    search: Search,
    /// Keep adjusted values to the decimals of the table
    #[arg(long)]
    whole: bool,
    /// The base of rounding
    #[arg(long, default_value = "5", value_name = "B")]
    base: String,
    /// How many multiples beyond the nearest ones rounding may use
    #[arg(long, default_value_t = 0, value_name = "K")]
    steps: u32,
    /// Cells that keep their values besides frozen ones: margins, all that are sums of others
    #[arg(long, value_name = "CELLS")]
    keep: Option<Keep>,
    /// The file with the key of online; any bytes
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

/// Which cells keep their values.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Keep {
    Margins,
}

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let out = common.out_or(Path::new(""), &args.instance, "adjusted");
    let released = {
        let bar = Bar::new(common);
        let run = Run::new(common.settings(), &bar);
        let tools = Tools::new(&run);
        let engines = tools.engines();
        let (problem, origin) = load(args, &engines, &run)?;
        let options = options(args, problem.decimals())?;
        let task = (args.method, &options);
        cellveil::release_adjusted(&out, problem, task, &origin, engines.solve, &run)?
    };
    report(&released, &out, common)?;
    Ok(true)
}

/// A witness shows nothing in a table that does not add up, so only methods without witnesses take one.
fn load(
    args: &Arguments,
    engines: &Engines<'_>,
    run: &Run<'_>,
) -> Result<(Problem, Origin), Failure> {
    let (problem, origin) = match args.method {
        Method::Cta | Method::Online => instance::load_to_adjust(&args.instance, engines, run)?,
        Method::Ecta | Method::Rounding => instance::load(&args.instance, engines, run)?,
    };
    let kept = args.keep.map(|Keep::Margins| problem.margins()).unwrap_or_default();
    Ok((problem.forbidding(kept), origin))
}

fn options(args: &Arguments, decimals: u8) -> Result<Options, Failure> {
    let base = Decimal::parse(&args.base).and_then(|base| base.units(decimals));
    let base = base.filter(|&base| base > 0).ok_or_else(|| Failure::Base(args.base.clone()))?;
    // A count is a count wherever it stands; magnitudes cost what the instance says.
    let plain = if args.method == Method::Rounding { Weights::One } else { Weights::Given };
    Ok(Options {
        norm: args.norm,
        weights: args.weights.unwrap_or(plain),
        search: args.search,
        whole: args.whole,
        base,
        steps: args.steps,
        key: key(args)?,
    })
}

fn key(args: &Arguments) -> Result<Option<Key>, Failure> {
    match (&args.key_file, args.method) {
        (None, Method::Online) => Err(Failure::NoKey),
        (None, _) => Ok(None),
        (Some(path), _) => {
            let unreadable = |source| cellveil::Error::Unreadable { path: path.clone(), source };
            Ok(Some(Key::of(&std::fs::read(path).map_err(unreadable)?)))
        }
    }
}

fn report(released: &ReleasedAdjustment, out: &Path, common: &Common) -> Result<(), Failure> {
    let summary = &released.summary;
    if common.json {
        return output::print_json(&output::summary_json(summary, out));
    }
    let moved = summary.extra.get("adjusted").and_then(serde_json::Value::as_u64).unwrap_or(0);
    let bound = match (summary.lower_bound, summary.gap) {
        (Some(bound), Some(gap)) => {
            format!("  bound     {} at least, gap {:.1} %\n", output::cost(bound), 100.0 * gap)
        }
        _ => String::new(),
    };
    let shown = out.display();
    output::print(&format!(
        "safe: every sum holds and every sensitive cell is protected\n  \
         cells     {} in {} relations\n  \
         changed   {}\n  \
         sensitive {}\n  \
         cost      {}\n{bound}  \
         time      {:.2} s\n\n\
         {shown}\n  \
         the table   table.csv, table.parquet, table.xlsx, parameters.json\n  \
         the report  report.html\n\
         check it with: cellveil verify {shown}\n",
        thousands(summary.cells),
        thousands(summary.relations),
        thousands(usize::try_from(moved).unwrap_or(usize::MAX)),
        thousands(summary.primary),
        output::cost(summary.cost),
        summary.seconds.get("total").copied().unwrap_or(0.0),
    ))
}
