//! `cellveil tabulate JOB.toml`

use crate::error::Failure;
use crate::flags::Common;
use crate::output::{self, thousands};
use crate::progress::Bar;
use crate::settings::Tools;
use cellveil::{Job, Run, beside};
use cellveil_publish::Written;
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Make the true table of records (confidential)
///
/// Every margin and level, with the number of respondents and the largest contributions that the rules look at. `--out` is a
/// folder, or one file if it ends in `.csv`, `.parquet` or `.xlsx`; `<job>-table` beside the job file unless given. Further
/// tables that the job names go beside it, made from the same pass over the records.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The job file
    #[arg(value_name = "JOB.toml")]
    job: PathBuf,
}

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let job = Job::read(&args.job)?;
    let out = common.out_or(job.path.parent().unwrap_or(Path::new("")), &job.path, "table");
    let written = {
        let bar = Bar::new(common);
        let run = Run::new(common.settings().or(job.settings), &bar);
        let tools = Tools::new(&run);
        let engine = tools.engines().tabulate;
        let gathered = cellveil::gather(&job, engine, &run)?;
        if gathered.is_empty() {
            let table = cellveil::tabulate(&job, engine, &run)?.table;
            let files = cellveil_publish::write_table(&table, &out, job.formats)?;
            Written { cells: table.len(), relations: table.relations().len(), files }
        } else {
            let places = std::iter::once(out.clone())
                .chain(job.further.iter().map(|(name, _)| beside(&out, name)));
            let mut all = Written::default();
            for (gathered, place) in gathered.iter().zip(places) {
                let write = || cellveil_publish::write_cells(gathered, &place, job.formats);
                let written = run.stage("write", || run.install(write))??;
                all.cells += written.cells;
                all.relations += written.relations;
                all.files.extend(written.files);
            }
            all
        }
    };
    let Written { cells, relations, files } = written;
    if common.json {
        let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        output::print_json(&json!({ "cells": cells, "relations": relations, "files": files }))?;
        return Ok(true);
    }
    let (cells, relations) = (thousands(cells), thousands(relations));
    let mut text =
        format!("{cells} cells in {relations} relations; confidential, the true table\n");
    for file in files.iter().filter(|file| !file.ends_with("manifest.json")) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}", file.display());
    }
    output::print(&text)?;
    Ok(true)
}
