//! `cellveil-bench-intervals PER_CENT INSTANCE.jj…`: withholds the sensitive cells and about that share of the others that are no
//! totals, and prints what all verdicts and all intervals took.
#![expect(clippy::print_stdout, reason = "the table is the result")]

use cellveil_attack::{Intervals, Network, Options, attack, reduce};
use cellveil_core::{CellId, Pattern, Problem, Status, Why};
use cellveil_highs::Highs;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let share: u64 = arguments.next().ok_or("how many per cent to withhold?")?.parse()?;
    for path in arguments {
        let problem = cellveil_argus::jj::read(&std::fs::read_to_string(&path)?, 0)?;
        let pattern = pattern(&problem, share);
        let start = Instant::now();
        let reduced = reduce(&problem, &pattern);
        let reduction = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let networks = reduced.components.iter().filter(|c| Network::of(c).is_some()).count();
        let recognition = start.elapsed().as_secs_f64();
        println!(
            "{path}: {} cells, {} withheld, {networks} of {} components are networks",
            problem.len(),
            pattern.withheld().count(),
            reduced.components.len()
        );
        println!("reduction {reduction:.2} s, recognition {recognition:.2} s");
        for intervals in [Intervals::None, Intervals::All] {
            let start = Instant::now();
            let found = attack(&problem, &pattern, &Highs, Options { intervals }, &[])?;
            println!(
                "intervals {intervals:?}: {:.2} s, {} exposed, {} witnesses, {} intervals",
                start.elapsed().as_secs_f64(),
                found.audit.exposed.len(),
                found.certificate.witnesses.len(),
                found.audit.intervals.len()
            );
        }
    }
    Ok(())
}

/// The sensitive cells and a share of the free ones that are no totals, chosen by their number.
fn pattern(problem: &Problem, share: u64) -> Pattern {
    let mut pattern = problem.start();
    let relations = problem.relations();
    let mut is_total = vec![false; problem.len()];
    for total in (0..relations.len()).filter_map(|relation| relations.total(relation)) {
        is_total[total.index()] = true;
    }
    let is_free = |&cell: &CellId| problem.status(cell) == Status::Free && !is_total[cell.index()];
    for cell in problem.cells().filter(is_free) {
        let lot = (u64::from(cell.0).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) % 100;
        if lot < share {
            pattern.withhold(cell, Why::Secondary);
        }
    }
    pattern
}
