//! `cellveil-bench [--method M] [--time-limit SECONDS] [--watch] [--json FILE] [--singletons] [--bound WORK] INSTANCE.jj…`: protects, attacks
//! and verifies each instance, prints a table of what it took and writes it as JSON; with `--bound` only finds lower bounds. With `--singletons` a
//! second line shows the same instance against whoever is alone in a cell: a plain JJ file does not say who is, so all sensitive cells are taken for such.
//! `cellveil-bench growth PLOT.svg [MOST_CELLS]` does so for tables of growing size, `cellveil-bench adjust …` for adjustment.
#![expect(clippy::print_stdout, reason = "the table is the result")]

mod adjust;
mod growth;
mod measure;
mod watch;

use cellveil_core::{Problem, ProblemError, ProblemParts};
use cellveil_highs::Highs;
use cellveil_suppress::{Context, Method, lower_bound};
use measure::{Measured, measure};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("adjust") => return adjust::run(&arguments[1..]),
        Some("growth") => {
            Measured::head();
            return growth::run(&arguments[1..]).map(|_| ());
        }
        _ => {}
    }
    let wish = Wish::read(&arguments)?;
    Measured::head();
    let mut measured = Vec::new();
    for path in &wish.paths {
        let problem = cellveil_argus::jj::read_file(Path::new(path), 0)?;
        let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
        if let Some(work) = wish.work {
            let start = Instant::now();
            let context = Context {
                engine: &Highs,
                progress: &(),
                seconds_left: &|| None,
                gap: 0.0,
                seed: 1,
            };
            let bound = lower_bound(&problem, &context, None, work)?.cost;
            let seconds = start.elapsed().as_secs_f64();
            println!("{name:<12} {:>8} {bound:>16.0} {seconds:>8.2}", problem.len());
            continue;
        }
        let strict = wish.singletons.then(|| with_singletons(&problem)).transpose()?;
        let named = [(name.to_string(), Some(problem)), (format!("{name} 1"), strict)];
        for (name, problem) in named {
            let Some(problem) = problem else { continue };
            let found = measure(&name, problem, wish.method, wish.limit, wish.watched)?;
            found.print();
            measured.push(found.json());
        }
    }
    if let Some(path) = &wish.json {
        std::fs::write(path, serde_json::to_string_pretty(&measured)?)?;
    }
    Ok(())
}

/// The same instance with somebody alone in every sensitive cell.
fn with_singletons(problem: &Problem) -> Result<Problem, ProblemError> {
    let singletons = problem.needs().iter().map(|need| need.cell).collect();
    Problem::new(ProblemParts { singletons, ..problem.parts().clone() }, 0)
}

/// What to measure.
#[derive(Default)]
struct Wish {
    method: Method,
    /// Seconds.
    limit: Option<f64>,
    watched: bool,
    /// Also measure every instance against singletons.
    singletons: bool,
    /// Only find a lower bound, with this much work.
    work: Option<usize>,
    /// Where to write the figures as JSON.
    json: Option<String>,
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
                "--json" => wish.json = Some(value()?.clone()),
                "--singletons" => wish.singletons = true,
                "--watch" => wish.watched = true,
                path => wish.paths.push(path.to_owned()),
            }
        }
        Ok(wish)
    }
}
