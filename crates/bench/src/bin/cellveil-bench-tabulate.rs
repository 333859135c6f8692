//! `cellveil-bench-tabulate [--rows N] [--variables 4|7] [--hierarchies] [--weights] [--holdings] [--check] [--python PATH] [--threads N]
//! [--duckdb-memory SIZE] [--duckdb-disk SIZE] [--duckdb-sets N] [--folder DIR]`: tabulates wage records with every margin, sum, count and
//! the two largest, and prints what it took beside `DuckDB` on the same files in the same run. With `--check` both tables are compared cell
//! by cell.
//!
//! `DuckDB` comes from its Python wheel, in the Python that `--python` names; without it only our own figures are printed.
#![expect(clippy::print_stdout, reason = "the table is the result")]

use cellveil_datafusion::DataFusion;
use cellveil_generate::Salaries;
use cellveil_publish::{Formats, write_cells};
use cellveil_tabulate::{DimensionSpec, HierarchySpec, Limits, Source, TableSpec, Tabulate};
use serde_json::{Map, Value, json};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const FOUR: [&str; 4] = ["sexe", "depr", "cs", "trage"];
const SEVEN: [&str; 7] = ["sexe", "depr", "cs", "ce", "trage", "treffen", "a88"];
/// The variables that get a level of tens above their codes.
const LEVELLED: [&str; 3] = ["depr", "cs", "a88"];
const SCRIPT: &str = include_str!("../duckdb.py");

#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[derive(Clone)]
struct Wish {
    rows: u64,
    variables: usize,
    hierarchies: bool,
    weights: bool,
    holdings: bool,
    check: bool,
    python: Option<String>,
    threads: usize,
    memory: String,
    disk: String,
    sets: Option<u64>,
    folder: PathBuf,
    only_ours: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wish = Wish::read(&arguments)?;
    if wish.only_ours {
        println!("{}", ours(&wish)?);
        return Ok(());
    }
    std::fs::create_dir_all(&wish.folder)?;
    let records = prepare(&wish)?;
    println!(
        "{} records in {}, {} variables{}{}{}, {} threads",
        wish.rows,
        records.display(),
        wish.variables,
        if wish.hierarchies { ", levels above three of them" } else { "" },
        if wish.weights { ", weights" } else { "" },
        if wish.holdings { ", holdings" } else { "" },
        wish.threads
    );
    println!("{:<10} {:>10} {:>12} {:>14}", "", "seconds", "peak MiB", "cells");
    // A process of its own, so that its memory is nobody else's.
    let own =
        Command::new(std::env::current_exe()?).args(&arguments).arg("--only-ours").output()?;
    if !own.status.success() {
        return Err(String::from_utf8_lossy(&own.stderr).into_owned().into());
    }
    let own: Value = serde_json::from_slice(&own.stdout)?;
    line("cellveil", &own);
    let Some(duck) = duckdb(&wish, &records)? else { return Ok(()) };
    line("DuckDB", &duck);
    let ratio = |name: &str| Some(own[name].as_f64()? / duck[name].as_f64()?);
    if let (Some(time), Some(memory)) = (ratio("seconds"), ratio("peak")) {
        println!(
            "asked: not slower, under half the memory; found: {time:.2} times its seconds, {memory:.2} times its memory"
        );
    }
    if let (Some(cells), Some(more), Some(less)) =
        (duck["cells"].as_u64(), duck["ours_only"].as_u64(), duck["theirs_only"].as_u64())
    {
        println!("compared: {cells} cells, {more} only in ours, {less} only in DuckDB's");
        if more + less > 0 {
            return Err("the tables differ".into());
        }
    }
    Ok(())
}

fn line(name: &str, figures: &Value) {
    let seconds = figures["seconds"].as_f64().unwrap_or(f64::NAN);
    let peak = figures["peak"].as_f64().unwrap_or(f64::NAN) / f64::from(1 << 20);
    let cells = figures["cells"].as_u64().map_or_else(String::new, |cells| cells.to_string());
    println!("{name:<10} {seconds:>10.1} {peak:>12.0} {cells:>14}");
    if let Some(error) = figures["error"].as_str() {
        println!("{:<10} {error}", "");
    }
}

/// The records, made if they are not there yet.
fn prepare(wish: &Wish) -> Result<PathBuf, Box<dyn Error>> {
    let plain = wish.folder.join(format!("salaries-{}", wish.rows));
    if !plain.exists() {
        Salaries { rows: wish.rows, ..Salaries::default() }.write_records(&plain)?;
    }
    for variable in LEVELLED {
        let mut text = "parent,child\n".to_owned();
        for code in 0..1000 {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "above {},{code}", code / 10);
        }
        std::fs::write(wish.folder.join(format!("{variable}.csv")), text)?;
    }
    if !wish.weights && !wish.holdings {
        return Ok(plain);
    }
    let rich = wish.folder.join(format!("salaries-{}-rich", wish.rows));
    if !rich.exists() {
        std::fs::create_dir_all(&rich)?;
        let python = wish.python.as_ref().ok_or("weights and holdings need --python")?;
        let script = format!(
            "import duckdb; duckdb.execute(\"copy (select *, case when hash(salaire, depr) % 5 = 0 then null else 'h' || \
             (hash(salaire, a88) % 5000) end as firm, (100 + hash(salaire, cs) % 900)::decimal(9, 2) / 100 as w \
             from read_parquet('{}/*.parquet')) to '{}/part.parquet' (format parquet)\")",
            plain.display(),
            rich.display()
        );
        let made = Command::new(python).args(["-c", &script]).output()?;
        if !made.status.success() {
            return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
        }
    }
    Ok(rich)
}

fn out(wish: &Wish) -> PathBuf {
    wish.folder.join("ours.parquet")
}

/// Our own way: gather, roll up, write.
fn ours(wish: &Wish) -> Result<Value, Box<dyn Error>> {
    let start = Instant::now();
    let source = Source { path: prepare(wish)?, delimiter: None };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(wish.threads).build()?;
    let gathered =
        DataFusion::new(wish.threads).gather(&source, &[wish.spec()], Limits::default(), &())?;
    let read = start.elapsed().as_secs_f64();
    let formats = Formats { csv: false, parquet: true, xlsx: false, asked: true };
    let written = pool.install(|| write_cells(&gathered[0], &out(wish), formats))?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(json!({
        "seconds": seconds, "reading": read, "peak": peak(), "cells": written.cells,
        "relations": written.relations, "finest": gathered[0].len(),
    }))
}

/// The most memory this process has held, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The way of `DuckDB`, in its own process.
fn duckdb(wish: &Wish, records: &Path) -> Result<Option<Value>, Box<dyn Error>> {
    let Some(python) = &wish.python else { return Ok(None) };
    let mut dimensions = Map::new();
    for name in wish.names() {
        let above = wish.hierarchies && LEVELLED.contains(name);
        dimensions.insert((*name).to_owned(), if above { json!(true) } else { Value::Null });
    }
    let temp = wish.folder.join("duckdb");
    std::fs::create_dir_all(&temp)?;
    let argument = json!({
        "records": records, "out": temp.join("out"), "temp": temp, "dimensions": dimensions,
        "threads": wish.threads, "memory": wish.memory, "disk": wish.disk, "sets": wish.sets,
        "weight": wish.weights.then_some("w"), "holding": wish.holdings.then_some("firm"),
        "compare": wish.check.then(|| out(wish)),
    });
    let run = Command::new(python).args(["-c", SCRIPT, &argument.to_string()]).output();
    std::fs::remove_dir_all(&temp)?;
    let run = run?;
    if run.status.success() {
        let said = String::from_utf8_lossy(&run.stdout);
        return Ok(Some(serde_json::from_str(said.lines().last().unwrap_or_default())?));
    }
    let said = String::from_utf8_lossy(&run.stderr);
    let last = said.lines().last().unwrap_or_default().to_owned();
    Ok(Some(json!({ "error": format!("did not finish: {last}") })))
}

impl Wish {
    fn read(arguments: &[String]) -> Result<Self, Box<dyn Error>> {
        let mut wish = Self {
            rows: 1_306_620,
            variables: 7,
            hierarchies: false,
            weights: false,
            holdings: false,
            check: false,
            python: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: "8GB".to_owned(),
            disk: "16GB".to_owned(),
            sets: None,
            folder: std::env::temp_dir().join("cellveil-bench"),
            only_ours: false,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("`{argument}` takes a value"));
            match argument.as_str() {
                "--rows" => wish.rows = value()?.parse()?,
                "--variables" => wish.variables = value()?.parse()?,
                "--python" => wish.python = Some(value()?.clone()),
                "--threads" => wish.threads = value()?.parse()?,
                "--duckdb-memory" => wish.memory.clone_from(value()?),
                "--duckdb-disk" => wish.disk.clone_from(value()?),
                "--duckdb-sets" => wish.sets = Some(value()?.parse()?),
                "--folder" => wish.folder = value()?.into(),
                "--hierarchies" => wish.hierarchies = true,
                "--weights" => wish.weights = true,
                "--holdings" => wish.holdings = true,
                "--check" => wish.check = true,
                "--only-ours" => wish.only_ours = true,
                other => return Err(format!("there is no `{other}`").into()),
            }
        }
        Ok(wish)
    }

    fn names(&self) -> &'static [&'static str] {
        if self.variables == 4 { &FOUR } else { &SEVEN }
    }

    fn spec(&self) -> TableSpec {
        let dimension = |name: &&str| DimensionSpec {
            name: (*name).to_owned(),
            total: "Total".to_owned(),
            missing: "(missing)".to_owned(),
            hierarchies: if self.hierarchies && LEVELLED.contains(name) {
                vec![HierarchySpec::ParentChild(self.folder.join(format!("{name}.csv")))]
            } else {
                Vec::new()
            },
        };
        TableSpec {
            dimensions: self.names().iter().map(dimension).collect(),
            response: Some("salaire".to_owned()),
            weight: self.weights.then(|| "w".to_owned()),
            holding: self.holdings.then(|| "firm".to_owned()),
            request: None,
            top: 2,
            owners: false,
        }
    }
}
