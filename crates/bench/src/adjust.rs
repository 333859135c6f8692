//! `cellveil-bench adjust METHOD NORM WEIGHTS SECONDS INSTANCE.jj…`: adjusts and checks each instance and prints what it took.
//! `cellveil-bench adjust table DIR` runs the published comparisons on the instances of a folder and prints what was known beside what
//! is found. An instance may also be `castro:ROWSxCOLUMNSxSUBTABLES:SHARE` or `ons:SHAPE`, which is made first.

use cellveil_adjust::{
    Context, Method, Options, Progress, Search, adjust, adjust_online, keyed_sense,
};
use cellveil_core::{AdjustedRelease, Problem};
use cellveil_generate::{Castro, Ons};
use cellveil_highs::Highs;
use std::error::Error;
use std::sync::Mutex;
use std::time::Instant;

/// Remembers when the first table was found.
struct First(Instant, Mutex<Option<f64>>);

impl Progress for First {
    fn step(&self, _: f64, _: f64) {
        if let Ok(mut first) = self.1.lock() {
            first.get_or_insert(self.0.elapsed().as_secs_f64());
        }
    }
}

/// The published comparisons: method, norm, weights, seconds, instance, and what is known of it.
const COMPARISONS: [[&str; 6]; 15] = [
    ["cta", "l1", "inverse", "100", "table1.jj", "8.19539 by another solver in 39 s"],
    ["cta", "l1", "inverse", "60", "hier13.jj", "12.809, bound 8.95, after 120 s"],
    ["cta", "l1", "inverse", "60", "hier133a.jj", "12.830, bound 8.11, after 120 s"],
    ["cta", "l1", "inverse", "60", "hier16.jj", "no table after 120 s"],
    ["cta", "l1", "given", "60", "cbs_mip.jj", "0 after 29 to 74 s"],
    ["cta", "l1", "given", "600", "castro:12178x41x209:0.116", "5 % of the bound in 600 s"],
    ["cta", "l1", "given", "600", "castro:29279x41x399:0.093", "5 % of the bound in 600 s"],
    ["cta", "l1", "given", "600", "castro:5804x51x100:0.150", "5 % of the bound in 600 s"],
    ["cta", "l1", "given", "600", "castro:11223x51x150:0.147", "5 % of the bound in 600 s"],
    ["cta", "l1", "given", "40", "castro:29279x41x399:0.093", "a table in 60 s"],
    ["ecta", "l1", "inverse", "60", "hier16.jj", "197 s"],
    ["ecta", "l1", "inverse", "60", "ninenew.jj", "459 s"],
    ["cta", "l2", "one", "300", "ons:100x100x100", "in 300 s"],
    ["online", "l1", "inverse", "60", "ninenew.jj", "in 1 s for 10 000 cells"],
    ["online", "l1", "inverse", "60", "nine12.jj", "in 1 s for 10 000 cells"],
];

/// Runs the rows that the arguments ask for.
pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    if let [table, folder] = arguments
        && table == "table"
    {
        for [method, norm, weights, seconds, instance, known] in COMPARISONS {
            println!("\n{method} {norm} {weights} {seconds} s; known: {known}");
            let made = instance.contains(':');
            let path = if made { instance.to_owned() } else { format!("{folder}/{instance}") };
            run(&[method, norm, weights, seconds, &path].map(str::to_owned))?;
        }
        return Ok(());
    }
    let [method, norm, weights, seconds, instances @ ..] = arguments else {
        return Err("usage: cellveil-bench adjust METHOD NORM WEIGHTS SECONDS INSTANCE…".into());
    };
    let (method, search) = method.split_once(':').unwrap_or((method, "auto"));
    let options = Options {
        norm: norm.parse()?,
        weights: weights.parse()?,
        search: search.parse::<Search>()?,
        ..Options::default()
    };
    let seconds: f64 = seconds.parse()?;
    println!(
        "{:<28} {:>8} {:>9} {:>18} {:>18} {:>7} {:>8} {:>8} {:>8}",
        "instance", "cells", "sensitive", "cost", "bound", "gap %", "first s", "total s", "checked"
    );
    for name in instances {
        let problem = instance(name)?;
        let clock = Instant::now();
        let progress = First(clock, Mutex::new(None));
        let left = || (seconds > 0.0).then(|| seconds - clock.elapsed().as_secs_f64());
        let context =
            Context { engine: &Highs, progress: &progress, seconds_left: &left, gap: 0.0, seed: 1 };
        let short = name.rsplit('/').next().unwrap_or(name);
        let (cells, sensitive) = (problem.len(), problem.needs().len());
        if method == "online" {
            let sense = |cell| keyed_sense(b"a key", &problem.names().describe(cell).to_string());
            let answer = adjust_online(&problem, &sense, &options, &context)?;
            let total = clock.elapsed().as_secs_f64();
            println!(
                "{short:<28} {cells:>8} {sensitive:>9} {:>18.6} relaxed {:>6} {total:>8.2}",
                answer.cost,
                answer.relaxed.protection.len()
            );
            continue;
        }
        let adjusted = match adjust(&problem, method.parse::<Method>()?, &options, &context) {
            Ok(adjusted) => adjusted,
            Err(error) => {
                println!(
                    "{short:<28} {cells:>8} {sensitive:>9} {error} after {:.2} s",
                    clock.elapsed().as_secs_f64()
                );
                continue;
            }
        };
        let total = clock.elapsed().as_secs_f64();
        let first = progress.1.lock().ok().and_then(|first| *first).unwrap_or(total);
        let (cost, bound) = (adjusted.cost, adjusted.bound);
        let gap = bound
            .map_or(f64::NAN, |bound| if cost > 0.0 { 100.0 * (cost - bound) / cost } else { 0.0 });
        let checked = AdjustedRelease::new(
            problem,
            adjusted.adjustment,
            adjusted.promise,
            adjusted.certificate,
        )
        .is_ok();
        println!(
            "{short:<28} {cells:>8} {sensitive:>9} {cost:>18.6} {:>18.6} {gap:>7.2} {first:>8.2} {total:>8.2} {checked:>8}",
            bound.unwrap_or(f64::NAN),
        );
    }
    Ok(())
}

fn instance(name: &str) -> Result<Problem, Box<dyn Error>> {
    if let Some(shape) = name.strip_prefix("castro:") {
        let (shape, share) = shape.split_once(':').ok_or("castro:RxCxT:SHARE")?;
        let sizes: Vec<u32> = shape.split('x').map(str::parse).collect::<Result<_, _>>()?;
        let [rows, columns, subtables] = sizes[..] else { return Err("castro:RxCxT:SHARE".into()) };
        let sensitive = share.parse()?;
        return Ok(Castro { rows, columns, subtables, sensitive, ..Castro::default() }.problem()?);
    }
    if let Some(shape) = name.strip_prefix("ons:") {
        return Ok(Ons { shape: shape.parse()?, ..Ons::default() }.problem()?);
    }
    Ok(cellveil_argus::jj::read(&std::fs::read_to_string(name)?, 0)?)
}
