//! How to check the release, what may leave the house, and how it was made.

use super::html::text;
use crate::Account;
use std::fmt::{self, Write};

/// The files of the folder: name, content, whether it may be published.
pub(super) const FILES: [(&str, &str, bool); 9] = [
    ("table.csv, table.parquet, table.xlsx", "the table, withheld cells without values", true),
    ("pattern.csv", "which cells are withheld", true),
    ("audit.csv", "intervals an intruder can derive, with the true values", false),
    ("why.csv", "which primaries each secondary protects", false),
    ("instance.jj", "the true table", false),
    ("witnesses.parquet, claims.parquet", "the proof", false),
    ("report.html", "this page", false),
    ("summary.json", "figures of the run; the cost adds up withheld values", false),
    ("manifest.json", "inputs, job and hashes", false),
];

pub(super) fn section(
    out: &mut String,
    account: &Account,
    listed: &[(&str, &str, bool)],
) -> fmt::Result {
    out.write_str(
        "<section id=\"check\">\n<h2>How to check it</h2>\n\
         <p>No solver is needed, only additions. From the folder above the release:</p>\n\
         <pre><code>cellveil verify DIR</code></pre>\n\
         <p>It compares every file with the hash in <code>manifest.json</code>, checks that the table shows each \
         published value and no other, and replays every alternative table. It ends with status 0 if the release is \
         proven safe and 1 if anything is amiss.</p>\n</section>\n",
    )?;
    files(out, listed)?;
    making(out, account)
}

fn files(out: &mut String, listed: &[(&str, &str, bool)]) -> fmt::Result {
    out.write_str(
        "<section id=\"files\">\n<h2>What may leave the house</h2>\n<div class=\"scroll\"><table class=\"plain\">\n\
         <thead><tr><th>file</th><th></th><th>content</th></tr></thead>\n<tbody>\n",
    )?;
    for &(name, content, public) in listed {
        let (class, word) = if public { ("public", "public") } else { ("closed", "confidential") };
        writeln!(
            out,
            "<tr><th scope=\"row\"><code>{name}</code></th><td><span class=\"tag {class}\">{word}</span></td>\
             <td>{content}</td></tr>"
        )?;
    }
    out.write_str("</tbody>\n</table></div>\n</section>\n")
}

fn making(out: &mut String, account: &Account) -> fmt::Result {
    let summary = &account.summary;
    out.write_str("<section id=\"making\">\n<h2>How it was made</h2>\n<dl class=\"list\">\n")?;
    let mut item = |name: &str, value: &str| {
        writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", text(name), text(value))
    };
    item("cellveil", &summary.version)?;
    item("method", summary.method.as_deref().unwrap_or("–"))?;
    item("seed", &summary.seed.map_or_else(|| "–".to_owned(), |seed| seed.to_string()))?;
    item("proven against", &summary.intruders.join(", "))?;
    if let Some(way) = &account.way {
        item("the table was", &way.table)?;
        let bytes = |bytes: Option<u64>| bytes.map(cellveil_tabulate::text::bytes);
        if let (Some(needed), Some(memory)) = (bytes(way.estimated_bytes), bytes(way.memory_bytes))
        {
            item(
                "memory",
                &format!("{needed} to hold the table, by estimate; there were {memory}"),
            )?;
        }
        if !way.left_out.is_empty() {
            item("left out", &way.left_out.join(", "))?;
        }
    }
    for (name, value) in &account.limits {
        item(&name.replace('_', " "), value)?;
    }
    for input in &account.inputs {
        item(
            "input",
            &format!("{} (sha256 {}…)", input.name, input.sha256.get(..12).unwrap_or("")),
        )?;
    }
    out.write_str("</dl>\n")?;
    if let Some(job) = &account.job {
        write!(
            out,
            "<details><summary>The job</summary>\n<pre><code>{}</code></pre>\n</details>\n",
            text(job)
        )?;
    }
    out.write_str("</section>\n")
}
