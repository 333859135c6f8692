//! `cellveil verify DIR`

use crate::error::Failure;
use crate::flags::Common;
use crate::output::{self, thousands};
use cellveil_publish::{Verdict, verify_release};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Replay the proof of a release, with additions only
///
/// Checks that no file changed since it was written, that the table shows the value of every published cell and of no withheld
/// one, and that the witnesses prove every need. Ends in 0 if they do and in 1 if they do not.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the release
    dir: PathBuf,
}

pub(crate) fn run(args: &Arguments, common: &Common) -> Result<bool, Failure> {
    let verdict = verify_release(&args.dir)?;
    if common.json {
        let mut answer = json!({
            "proven": verdict.is_proven(),
            "cells": verdict.cells,
            "withheld": verdict.withheld,
            "needs": verdict.needs,
            "witnesses": verdict.witnesses,
            "claims": verdict.claims,
            "faults": verdict.faults,
        });
        if let Some(adjusted) = verdict.adjusted {
            answer["adjusted"] = adjusted.into();
        }
        output::print_json(&answer)?;
    } else {
        output::print(&text(&verdict))?;
    }
    Ok(verdict.is_proven())
}

fn text(verdict: &Verdict) -> String {
    let mut text = String::new();
    if verdict.is_proven() {
        text.push_str("proven: the published table is safe\n");
    } else {
        text.push_str("not proven:\n");
        for fault in &verdict.faults {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {fault}");
        }
    }
    if let Some(adjusted) = verdict.adjusted {
        let _ = writeln!(
            text,
            "  {} cells, {} changed, {} sensitive; every sum added up again, {} witnesses replayed for {} claims",
            thousands(verdict.cells),
            thousands(adjusted),
            thousands(verdict.needs),
            thousands(verdict.witnesses),
            thousands(verdict.claims)
        );
        return text;
    }
    let _ = writeln!(
        text,
        "  {} cells, {} withheld, {} of them sensitive; {} witnesses replayed for {} claims",
        thousands(verdict.cells),
        thousands(verdict.withheld),
        thousands(verdict.needs),
        thousands(verdict.witnesses),
        thousands(verdict.claims)
    );
    text
}
