//! Tables that do not fit into the memory they may take.

use crate::support::Desk;
use std::fs;

const JOB: &str = r#"
[records]
file = "wages"

[table]
dimensions = ["sexe", "depr", "cs", "ce", "trage", "treffen", "a88"]
response = "salaire"

[rules]
frequency = { below = 3, range = 10 }
dominance = { n = 1, k = 85 }
"#;

const PROTECT: [&str; 6] = ["protect", "job.toml", "--out", "release", "--memory", "64MiB"];

fn desk(rows: &str) -> Desk {
    let desk = Desk::new();
    desk.write("job.toml", JOB);
    desk.expect(0, &["generate", "salaries", "--rows", rows, "--seed", "3", "--out", "wages"]);
    desk
}

fn released() -> Desk {
    let desk = desk("1500");
    let text = desk.expect(0, &PROTECT);
    assert!(text.starts_with("safe: "), "{text}");
    assert!(text.contains("the report  report.html"), "{text}");
    desk
}

fn text(desk: &Desk, name: &str) -> String {
    fs::read_to_string(desk.path(&format!("release/{name}"))).unwrap()
}

#[test]
fn a_table_that_is_not_held_is_protected_and_proven() {
    let desk = released();
    let summary = text(&desk, "summary.json");
    assert!(summary.contains("\"method\": \"streamed\""), "{summary}");
    assert!(summary.contains("\"exposed\": 0"), "{summary}");
    let text = desk.expect(0, &["verify", "release"]);
    assert!(text.starts_with("proven: "), "{text}");
    desk.no_leftovers();
}

#[test]
fn any_changed_byte_of_it_is_found() {
    let desk = released();
    for name in [
        "table.parquet",
        "table.csv",
        "pattern.csv",
        "report.html",
        "finest.cells",
        "rules.json",
        "witnesses.parquet",
    ] {
        let path = format!("release/{name}");
        let before = fs::read(desk.path(&path)).unwrap();
        for at in [6, before.len() / 2, before.len() - 5] {
            let mut bytes = before.clone();
            bytes[at] ^= 1;
            desk.write(&path, &bytes);
            let text = desk.expect(1, &["verify", "release"]);
            assert!(text.starts_with("not proven:\n  `"), "{text}");
        }
        desk.write(&path, &before);
    }
    desk.expect(0, &["verify", "release"]);
}

#[test]
fn its_way_is_recorded_and_its_bytes_are_always_the_same() {
    let desk = released();
    for name in ["summary.json", "manifest.json"] {
        let text = text(&desk, name);
        assert!(text.contains("\"table\": \"streamed\""), "{text}");
        assert!(text.contains("\"memory_bytes\": 67108864,"), "{text}");
        assert!(text.contains("\"memory_from\": \"--memory\""), "{text}");
        assert!(text.contains("\"instance.jj\""), "{text}");
        assert!(!text.contains("\"table.csv\"") || name == "manifest.json", "{text}");
    }
    // The manifest has the hashes of all others.
    let before = text(&desk, "manifest.json");
    let one: Vec<&str> = PROTECT.into_iter().chain(["--threads", "1"]).collect();
    desk.expect(0, &one);
    assert_eq!(text(&desk, "manifest.json"), before);
    desk.expect(0, &PROTECT.into_iter().chain(["--seed", "2"]).collect::<Vec<_>>());
    assert_ne!(text(&desk, "manifest.json"), before);
}

#[test]
fn its_lists_are_those_of_any_release() {
    let desk = released();
    let (table, pattern) = (text(&desk, "table.csv"), text(&desk, "pattern.csv"));
    let mut lines = table.lines();
    let header = "sexe,depr,cs,ce,trage,treffen,a88,value,status,CONF_STATUS";
    assert_eq!(lines.next(), Some(header));
    let statuses = lines.enumerate().map(|(at, line)| {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[7].is_empty(), fields[8] != "v", "{line}");
        (at, fields[8].to_owned())
    });
    let withheld = statuses.filter(|(_, status)| status != "v");
    let listed: Vec<String> = withheld.map(|(at, status)| format!("{at},{status}")).collect();
    assert!(pattern.lines().skip(1).eq(listed.iter()), "{}", listed.len());
    let report = text(&desk, "report.html");
    assert!(report.contains("By variable") && report.contains("By reason"));
    assert!(report.len() < 5_000_000, "{}", report.len());
}

#[test]
fn a_time_limit_is_kept() {
    let desk = desk("1500");
    let limited = |limit: &'static str| {
        PROTECT.into_iter().chain(["--time-limit", limit]).collect::<Vec<_>>()
    };
    let output = desk.run(&limited("1ms"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the time limit was reached"), "{said}");
    assert!(!desk.path("release").exists());
    desk.no_leftovers();
    desk.expect(0, &limited("10m"));
    assert!(text(&desk, "manifest.json").contains("\"time_limit\": \"600s\""));
    desk.expect(0, &["verify", "release"]);
}

#[test]
fn what_it_cannot_have_is_refused() {
    let desk = desk("14000");
    let refused = |args: &[&str], what: &str| {
        let output = desk.run(&PROTECT.into_iter().chain(args.iter().copied()).collect::<Vec<_>>());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("{what} is not for tables of this size")), "{said}");
        assert!(!desk.path("release").exists());
    };
    refused(&["--intervals", "all"], "`--intervals`");
    desk.write("job.toml", format!("{JOB}\n[protect]\nsuppression = \"optimal\"\n"));
    refused(&[], "the method `optimal`");
}

#[test]
fn what_takes_more_memory_even_so_is_refused_before_it_is_protected() {
    let desk = desk("60000");
    let refused = desk.run(&PROTECT);
    let text = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{text}");
    assert!(text.contains("of memory even if it is not held, and there are 64 MiB"), "{text}");
    desk.no_leftovers();
}
