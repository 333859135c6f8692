//! `cellveil-bench INSTANCE.jj…`: protects, attacks and verifies each instance and prints a table of what it took.
//! `cellveil-bench adjust …` does the same for adjustment.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the table is the result")]

mod adjust;

use cellveil_attack::{Intervals, Options, attack};
use cellveil_core::Release;
use cellveil_highs::Highs;
use cellveil_suppress::{Context, Method, Progress, suppress};
use std::error::Error;
use std::time::Instant;

/// Tells on standard error what is being done, once a second.
struct Told(Instant, std::sync::atomic::AtomicU64);

impl Progress for Told {
    fn step(&self, stage: &'static str, done: usize, total: usize, cost: f64) {
        let now = self.0.elapsed().as_secs();
        if self.1.swap(now, std::sync::atomic::Ordering::Relaxed) != now {
            eprintln!("{now:>6} s {stage} {done}/{total} {cost}");
        }
    }

    fn improved(&self, cost: f64, bound: f64) {
        eprintln!("{:>8.1} s improved to {cost}, bound {bound}", self.0.elapsed().as_secs_f64());
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "adjust") {
        return adjust::run(&arguments[1..]);
    }
    println!(
        "{:<12} {:>8} {:>8} {:>9} {:>8} {:>16} {:>8} {:>8} {:>9} {:>9}",
        "instance",
        "cells",
        "needs",
        "secondary",
        "exposed",
        "cost",
        "protect",
        "attack",
        "intervals",
        "verified"
    );
    for path in std::env::args().skip(1) {
        let problem = cellveil_argus::jj::read(&std::fs::read_to_string(&path)?, 0)?;
        let name = std::path::Path::new(&path)
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default();
        let start = Instant::now();
        let context = Context {
            engine: &Highs,
            progress: &Told(start, 0.into()),
            seconds_left: &|| None,
            gap: 0.0,
            seed: 1,
        };
        let protected = suppress(&problem, Method::Auto, &context)?;
        let protect = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let options = Options { intervals: Intervals::None };
        let found = attack(&problem, &protected.pattern, &Highs, options, &protected.witnesses)?;
        let attacked = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let all =
            attack(&problem, &protected.pattern, &Highs, Options::default(), &protected.witnesses)?;
        let intervals = start.elapsed().as_secs_f64();
        let secondary = protected.pattern.secondaries().count();
        let cost = problem.cost_of(&protected.pattern);
        let (cells, needs) = (problem.len(), problem.needs().len());
        let verified = Release::new(problem, protected.pattern, found.certificate).is_ok();
        println!(
            "{name:<12} {cells:>8} {needs:>8} {secondary:>9} {:>8} {cost:>16} {protect:>8.2} {attacked:>8.2} {intervals:>9.2} {verified:>9}",
            all.audit.exposed.len(),
        );
    }
    Ok(())
}
