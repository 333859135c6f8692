//! `cellveil audit INSTANCE --pattern FILE`

use super::suppress::{IntervalsFlag, IntruderFlag};
use crate::error::Failure;
use crate::flags::Common;
use crate::output;
use crate::progress::Bar;
use crate::settings::Tools;
use cellveil::{Audited, Exposed, Run, instance};
use cellveil_core::Exposure;
use std::path::{Path, PathBuf};

/// Find what an intruder can derive, for anybody's pattern
///
/// The pattern is a CSV file with a column `cell` or the table's code columns, and a column `status`, as cellveil, τ-ARGUS,
/// sdcTable and rtauargus write it. The intervals go to `audit.csv` in `<instance>-audit` in the current folder unless `--out`
/// names another (confidential). Ends in 1 if a cell is exposed.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A .jj file, a job file or the folder of a release
    instance: PathBuf,
    /// Which cells are withheld
    #[arg(long, value_name = "FILE")]
    pattern: PathBuf,
    /// For which withheld cells to find intervals
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    intervals: IntervalsFlag,
    /// Who attacks the table besides everybody
    #[arg(long, value_enum, value_name = "WHO")]
    intruder: Vec<IntruderFlag>,
    /// The same table as it was released before: a pattern.csv or table.csv
    #[arg(long, value_name = "FILE")]
    earlier: Vec<PathBuf>,
}

/// How many calculations are shown.
const SHOWN: usize = 5;

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let out = common.out_or(Path::new(""), &args.instance, "audit");
    let (summary, exposed, reasons, undecided) = {
        let bar = Bar::new(common);
        let run = Run::new(common.settings(), &bar);
        let tools = Tools::new(&run);
        let (problem, _) = instance::load(&args.instance, &tools.engines(), &run)?;
        let pattern = cellveil_publish::read_pattern(&args.pattern, &problem)?;
        let problem = instance::after(problem, &args.earlier)?;
        let problem = if args.intruder.contains(&IntruderFlag::Integer) {
            problem.of_counts().map_err(cellveil::Error::from)?.zeros_seen_in(&pattern)
        } else {
            problem
        };
        let Audited { audit, summary, reasons, .. } = cellveil::audit(
            &problem,
            &pattern,
            args.intervals.into(),
            tools.engines().solve,
            &run,
        )?;
        cellveil_publish::write_audit(&out, &problem, &pattern, &audit, &reasons, &summary)?;
        (summary, Exposed::of(&problem, &audit), reasons, audit.undecided.len())
    };
    if common.json {
        let mut summary = output::summary_json(&summary, &out);
        summary["exposed_cells"] =
            exposed.iter().flat_map(|exposed| exposed.cells.clone()).collect();
        summary["undecided"] = undecided.into();
        summary["reasons"] = reasons.iter().map(|reason| reason.1.clone()).collect();
        output::print_json(&summary)?;
    } else {
        let verdict = match &exposed {
            None => "no cell is exposed".to_owned(),
            Some(exposed) => format!("{exposed}\n{}{}", undecided_note(undecided), why(&reasons)),
        };
        let figures = output::summary_text(&summary);
        let shown = out.display();
        output::print(&format!("{verdict}\n{figures}\n{shown}\n  the intervals  audit.csv\n"))?;
    }
    Ok(exposed.is_none())
}

/// Says how many of the exposed cells are so only because nothing shows the contrary.
fn undecided_note(undecided: usize) -> String {
    match undecided {
        0 => String::new(),
        1 => "1 of them may be safe: nothing was found that shows it, so it counts as exposed\n"
            .to_owned(),
        more => format!(
            "{more} of them may be safe: nothing was found that shows it, so they count as exposed\n"
        ),
    }
}

/// The first few calculations, each once.
fn why(reasons: &[(Exposure, String)]) -> String {
    let mut sentences: Vec<&str> = reasons.iter().map(|(_, reason)| &reason[..]).collect();
    sentences.dedup();
    let more = sentences.len().saturating_sub(SHOWN);
    let mut lines: Vec<String> =
        sentences.iter().take(SHOWN).map(|sentence| format!("  {sentence}")).collect();
    if more > 0 {
        lines.push(format!("  {more} more in exposed.csv"));
    }
    lines.join("\n")
}
