//! Results on stdout, errors on stderr.

use crate::error::Failure;
use crate::flags::Common;
use cellveil_publish::{RELEASED_FROZEN, Summary};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Prints a result. Whoever stops reading has seen enough; the exit status still tells how it ended.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Print(error)),
        _ => Ok(()),
    }
}

/// Prints a result as JSON.
pub(crate) fn print_json(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

/// Tells what went wrong, on stderr; with `--json` also on stdout.
pub(crate) fn failure(failure: &Failure, common: &Common) {
    if common.json {
        let status = if failure.is_unsafe() { "exposed" } else { "failed" };
        // If even this cannot be printed, the exit status still tells.
        let _ = print_json(&json!({ "status": status, "error": failure.to_string() }));
    }
    let colour =
        io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let (on, off) = if colour { ("\u{1b}[1;31m", "\u{1b}[0m") } else { ("", "") };
    let _ = writeln!(io::stderr().lock(), "{on}error:{off} {failure}");
}

/// The figures of a run with the place it wrote to, as JSON.
pub(crate) fn summary_json(summary: &Summary, out: &Path) -> Value {
    let mut object = match serde_json::to_value(summary) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    };
    object.insert("out".to_owned(), json!(out.display().to_string()));
    Value::Object(object)
}

/// The figures of a run for a person to read.
pub(crate) fn summary_text(summary: &Summary) -> String {
    let mut text = String::new();
    let mut line = |name: &str, content: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<10}{content}");
    };
    line(
        "cells",
        format!("{} in {} relations", thousands(summary.cells), thousands(summary.relations)),
    );
    line(
        "withheld",
        format!(
            "{}: {} primary, {} secondary",
            thousands(summary.primary + summary.secondary),
            thousands(summary.primary),
            thousands(summary.secondary)
        ),
    );
    line("cost", format!("{} for the secondaries", amount(summary.cost)));
    if let (Some(bound), Some(gap)) = (summary.lower_bound, summary.gap) {
        line("bound", format!("{} at least, gap {:.1} %", amount(bound), 100.0 * gap));
    }
    if let Some(released) = summary.extra.get(RELEASED_FROZEN).and_then(Value::as_array) {
        let names: Vec<&str> = released.iter().filter_map(Value::as_str).collect();
        line("released", format!("{}, which had to be published", names.join("; ")));
    }
    line("exposed", thousands(summary.exposed));
    line("against", summary.intruders.join(", "));
    line("time", format!("{:.2} s", summary.seconds.get("total").copied().unwrap_or(0.0)));
    text
}

/// A whole number in groups of three digits.
pub(crate) fn thousands(number: usize) -> String {
    group(&number.to_string())
}

/// A cost in groups of three digits, with two decimals if it has any.
fn amount(amount: f64) -> String {
    let rounded = format!("{amount:.2}");
    let (whole, decimals) = rounded.split_once('.').unwrap_or((&rounded, "00"));
    if decimals == "00" { group(whole) } else { format!("{}.{decimals}", group(whole)) }
}

/// A cost that may be small: as many decimals as it takes.
pub(crate) fn cost(cost: f64) -> String {
    if cost.abs() < 1000.0 { format!("{cost:.6}") } else { amount(cost) }
}

fn group(digits: &str) -> String {
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_234_567), "1 234 567");
        assert_eq!(amount(2_037_610.0), "2 037 610");
        assert_eq!(amount(1234.5), "1 234.50");
    }
}
