//! `cellveil-bench-audit [INSTANCE.jj…]`: attacks tables and prints what it took.
//!
//! Each instance is attacked with only its sensitive cells withheld; without arguments, tables of the published families are, and one
//! hierarchical table with a box of cells withheld besides. Beside it stands the plain way, one program per need and side on the
//! withheld columns, where it ends within a minute. `open` are needs
//! of which nothing was shown either way; they count as exposed. `MEMORY` is the peak of the process so far.
#![expect(clippy::print_stdout, reason = "the table is the result")]

use cellveil_attack::{Intervals, Network, Options, attack, reduce};
use cellveil_core::{Pattern, Problem, Side, Status, Why, Witness, verify};
use cellveil_generate::{Ons, Shape};
use cellveil_highs::Highs;
use cellveil_lp::{Changes, Engine, Limits, Model, Outcome};
use std::error::Error;
use std::time::Instant;

/// The tables of the published family: name, mean number of contributors, share of empty cells, whether all intervals are found.
const FAMILY: [(&str, f64, f64, bool); 4] = [
    ("61h3x12x9", 7.0, 0.3, true),
    ("489x1026", 7.07, 0.0, true),
    ("100x33x78", 4.53, 0.4, false),
    ("100x100x100", 2.38, 0.6, false),
];

/// The plain way is given up after this long.
const PATIENCE: f64 = 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:<14} {:>8} {:>8} {:>8} {:>7} {:>8} {:>8} {:>6} {:>9} {:>7} {:>9} {:>7} {:>7}",
        "instance",
        "cells",
        "withheld",
        "needs",
        "reduce",
        "decide",
        "exposed",
        "open",
        "intervals",
        "verify",
        "plain",
        "ratio",
        "memory"
    );
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        let problem = cellveil_argus::jj::read(&std::fs::read_to_string(path)?, 0)?;
        let name = std::path::Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
        measure(&name, &problem, &problem.start(), &[], problem.len() < 20_000)?;
    }
    if paths.is_empty() {
        for (shape, lambda, zeros, intervals) in FAMILY {
            let table =
                Ons { shape: shape.parse::<Shape>()?, lambda, zeros, seed: 3, ..Ons::default() };
            let problem = table.problem()?;
            let mut pattern = problem.start();
            if problem.len() < 20_000 {
                let sizes: Vec<usize> =
                    table.shape.0.iter().map(|axis| axis.size as usize).collect();
                withhold_box(&problem, &sizes, &mut pattern);
            }
            measure(shape, &problem, &pattern, &[], intervals)?;
        }
    }
    Ok(())
}

/// Withholds the free cells of a box besides: seven in eleven codes of every variable.
fn withhold_box(problem: &Problem, sizes: &[usize], pattern: &mut Pattern) {
    for cell in problem.cells().filter(|&cell| problem.status(cell) == Status::Free) {
        let mut rest = cell.index();
        let mut is_inside = true;
        for &size in sizes.iter().rev() {
            is_inside &= (rest % size) * 7 % 11 < 7;
            rest /= size;
        }
        if is_inside {
            pattern.withhold(cell, Why::Secondary);
        }
    }
}

fn measure(
    name: &str,
    problem: &Problem,
    pattern: &Pattern,
    known: &[Witness],
    intervals: bool,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let reduced = reduce(problem, pattern);
    let reduction = start.elapsed().as_secs_f64();
    let networks = reduced.components.iter().all(|component| Network::of(component).is_some());
    let start = Instant::now();
    let found = attack(problem, pattern, &Highs, Options { intervals: Intervals::None }, known)?;
    let decided = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let faults =
        verify(problem, pattern, &found.certificate).err().map_or(0, |faults| faults.len());
    let verified = start.elapsed().as_secs_f64();
    let open = found.audit.undecided.len();
    let exposed = found.audit.exposed_cells().len() - open;
    if (faults == 0) != found.audit.exposed.is_empty() {
        return Err(format!("{name}: the attack and its judge disagree").into());
    }
    let all = if intervals {
        let start = Instant::now();
        attack(
            problem,
            pattern,
            &Highs,
            Options { intervals: Intervals::All },
            &found.certificate.witnesses,
        )?;
        format!("{:.2}", start.elapsed().as_secs_f64())
    } else {
        "-".to_owned()
    };
    let plain = plainly(problem, pattern)?;
    let (plain, ratio) = match plain {
        Some(plain) => (format!("{plain:.2}"), format!("{:.0}", plain / decided)),
        None => ("> 60".to_owned(), format!("> {:.0}", PATIENCE / decided)),
    };
    println!(
        "{name:<14} {:>8} {:>8} {:>8} {reduction:>7.2} {decided:>8.2} {exposed:>8} {open:>6} {all:>9} {verified:>7.2} {plain:>9} {ratio:>7} {:>7}{}",
        problem.len(),
        pattern.withheld().count(),
        problem.needs().len(),
        memory(),
        if networks { "  by flows" } else { "" },
    );
    Ok(())
}

/// The seconds of one cold program per need and side on the withheld columns; `None` if they are too many.
fn plainly(problem: &Problem, pattern: &Pattern) -> Result<Option<f64>, Box<dyn Error>> {
    let start = Instant::now();
    let cells: Vec<_> = pattern.withheld().map(|(cell, _)| cell).collect();
    let relations = problem.relations();
    for need in problem.needs() {
        for side in Side::BOTH {
            let mut model = Model { changes: Changes::Many, ..Model::default() };
            for &cell in &cells {
                let room =
                    |side| problem.room(cell, side).map_or(f64::INFINITY, |room| room as f64);
                let cost = if cell == need.cell { -(side.sign() as f64) } else { 0.0 };
                model.column(cost, -room(Side::Down), room(Side::Up));
            }
            for relation in 0..relations.len() {
                let terms = relations.row(relation).filter_map(|(cell, c)| {
                    cells.binary_search(&cell).ok().map(|at| (at as u32, f64::from(c)))
                });
                model.row(terms.collect(), 0.0, 0.0);
            }
            let limits = Limits { steps: Some(20_000), ..Limits::default() };
            let stopped = Highs.open(&model)?.solve(&limits)? == Outcome::Stopped;
            if stopped || start.elapsed().as_secs_f64() > PATIENCE {
                return Ok(None);
            }
        }
    }
    Ok(Some(start.elapsed().as_secs_f64()))
}

/// The most memory this process has held, in MiB, where the system tells.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").trim().parse::<u64>().ok());
    kib.map_or_else(|| "-".to_owned(), |kib| format!("{} MiB", kib / 1024))
}
