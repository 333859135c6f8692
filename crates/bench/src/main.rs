//! `cellveil-bench [--method M] [--time-limit SECONDS] [--watch] [--bound WORK] INSTANCE.jj…`: protects, attacks and verifies each
//! instance and prints a table of what it took; with `--bound` only finds lower bounds.
//! `cellveil-bench adjust …` does the same for adjustment.
#![expect(clippy::print_stdout, reason = "the table is the result")]

mod adjust;
mod watch;

use cellveil_attack::{Intervals, Options, attack};
use cellveil_core::Release;
use cellveil_highs::Highs;
use cellveil_suppress::{Context, Method, lower_bound, suppress};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "adjust") {
        return adjust::run(&arguments[1..]);
    }
    let Wish { method, limit, watched, work, paths } = Wish::read(&arguments)?;
    println!(
        "{:<12} {:>8} {:>7} {:>9} {:>7} {:>16} {:>16} {:>7} {:>8} {:>8} {:>8}",
        "instance",
        "cells",
        "needs",
        "secondary",
        "exposed",
        "cost",
        "bound",
        "gap %",
        "protect",
        "attack",
        "verified"
    );
    for path in paths {
        let problem = cellveil_argus::jj::read(&std::fs::read_to_string(&path)?, 0)?;
        let name = std::path::Path::new(&path)
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default();
        let start = Instant::now();
        let seconds_left = || limit.map(|limit: f64| limit - start.elapsed().as_secs_f64());
        let context = Context {
            engine: &Highs,
            progress: &watch::Watch(watched.then_some(start)),
            seconds_left: &seconds_left,
            gap: 0.0,
            seed: 1,
        };
        if let Some(work) = work {
            let bound = lower_bound(&problem, &context, None, work)?.cost;
            println!(
                "{name:<12} {:>8} {bound:>16.0} {:>8.2}",
                problem.len(),
                start.elapsed().as_secs_f64()
            );
            continue;
        }
        let protected = suppress(&problem, method, &context)?;
        let protect = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let options = Options { intervals: Intervals::None };
        let found = attack(&problem, &protected.pattern, &Highs, options, &protected.witnesses)?;
        let attacked = start.elapsed().as_secs_f64();
        let secondary = protected.pattern.secondaries().count();
        let cost = problem.cost_of(&protected.pattern);
        let (cells, needs, bound) = (problem.len(), problem.needs().len(), protected.bound);
        let gap = 100.0 * bound.gap(cost);
        let exposed = found.audit.exposed.len();
        let verified = Release::new(problem, protected.pattern, found.certificate).is_ok();
        println!(
            "{name:<12} {cells:>8} {needs:>7} {secondary:>9} {exposed:>7} {cost:>16.0} {:>16.0} {gap:>7.2} {protect:>8.2} {attacked:>8.2} {verified:>8}",
            bound.cost,
        );
    }
    Ok(())
}

/// What to measure.
#[derive(Default)]
struct Wish {
    method: Method,
    /// Seconds.
    limit: Option<f64>,
    watched: bool,
    /// Only find a lower bound, with this much work.
    work: Option<usize>,
    paths: Vec<String>,
}

impl Wish {
    fn read(arguments: &[String]) -> Result<Self, Box<dyn Error>> {
        let mut wish = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("`{argument}` takes a value"));
            match argument.as_str() {
                "--method" => wish.method = value()?.parse()?,
                "--time-limit" => wish.limit = Some(value()?.parse()?),
                "--bound" => wish.work = Some(value()?.parse()?),
                "--watch" => wish.watched = true,
                path => wish.paths.push(path.to_owned()),
            }
        }
        Ok(wish)
    }
}
