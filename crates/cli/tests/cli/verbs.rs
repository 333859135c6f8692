//! What each verb prints and writes.

use crate::support::{Desk, steady};
use insta_cmd::assert_cmd_snapshot;
use std::fs;
use std::io::Read;
use std::process::Stdio;

#[test]
fn protect_says_what_was_withheld_and_where_the_proof_is() {
    let desk = Desk::new();
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["protect", "job.toml"]));
    let mut files: Vec<String> = fs::read_dir(desk.path("job-release"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    insta::assert_snapshot!(files.join("\n"));
    insta::assert_snapshot!(fs::read_to_string(desk.path("job-release/table.csv")).unwrap());
    insta::assert_snapshot!(fs::read_to_string(desk.path("job-release/summary.json")).unwrap());
}

#[test]
fn protect_again_replaces_its_own_release() {
    let desk = Desk::new();
    desk.expect(0, &["protect", "job.toml", "--quiet"]);
    desk.expect(0, &["protect", "job.toml", "--quiet"]);
    desk.no_leftovers();
}

#[test]
fn protect_out_of_time_writes_nothing_unsafe() {
    let desk = Desk::new();
    let output = desk.run(&["protect", "job.toml", "--time-limit", "0ms"]);
    match output.status.code() {
        Some(0) => drop(desk.expect(0, &["verify", "job-release"])),
        Some(1) => assert!(!desk.path("job-release").exists()),
        other => unreachable!("ended in {other:?}"),
    }
}

#[test]
fn a_failure_in_json_says_so_on_both_sides() {
    let desk = Desk::new();
    desk.edit("job.toml", "response", "respons");
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["protect", "job.toml", "--json"]));
}

#[test]
fn further_tables_come_from_the_same_records() {
    let desk = Desk::new();
    let job = fs::read_to_string(desk.path("job.toml")).unwrap();
    let further = "[tables.counts]\ndimensions = [\"region\"]\n[tables.by-holding]\n\
                   dimensions = [\"activity\"]\nresponse = \"turnover\"\nholding = \"holding\"\n";
    desk.write("several.toml", format!("{job}\n{further}"));
    desk.expect(0, &["tabulate", "several.toml", "--out", "t.csv"]);
    desk.expect(0, &["tabulate", "job.toml", "--out", "alone.csv"]);
    let read = |name: &str| fs::read_to_string(desk.path(name)).unwrap();
    assert_eq!(read("t.csv"), read("alone.csv"));
    let counts = read("t-counts.csv");
    assert!(counts.starts_with("region,value,respondents,"), "{counts}");
    assert!(counts.contains("\nTotal,16,16,"), "{counts}");
    assert!(read("t-by-holding.csv").contains("\nTotal,470,16,16,"));
}

#[test]
fn what_needs_more_memory_than_there_may_be_is_refused() {
    let desk = Desk::new();
    let line = |n: u32| format!("r{n},c{},{},h", n % 200, n % 7);
    let wide = (0..100_000).map(line).collect::<Vec<_>>().join("\n");
    desk.write("records.csv", format!("region,activity,turnover,holding\n{wide}"));
    desk.write("wide.toml", "[records]\nfile = \"records.csv\"\n[table]\ndimensions = [\"region\", \"activity\", \"turnover\", \"holding\"]\n[rules]\nfrequency = { below = 2, range = 10 }\n[protect]\nintruder = [\"singleton\"]\n");
    let refused = desk.run(&["protect", "wide.toml", "--memory", "64MiB"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("the singleton intruder is not for tables of this size"), "{said}");
    assert!(said.contains("hint: leave it out"), "{said}");
    assert!(!desk.path("wide-release").exists());
    desk.no_leftovers();
}

#[test]
fn tabulate_writes_the_true_table() {
    let desk = Desk::new();
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["tabulate", "job.toml", "--out", "table.csv"]));
    insta::assert_snapshot!(fs::read_to_string(desk.path("table.csv")).unwrap());
    desk.expect(0, &["tabulate", "job.toml"]);
    assert!(desk.path("job-table/table.parquet").exists());
}

#[test]
fn a_finished_table_keeps_the_statuses_it_came_with() {
    let desk = Desk::new();
    desk.write("t.csv", "region,v,n,st\nTotal,100,9,z\nNord,30,5,u\nSud,40,3,s\nEst,30,1,s\n");
    desk.write(
        "job.toml",
        "[finished]\nfile = \"t.csv\"\nvalue = \"v\"\nrespondents = \"n\"\n\
        status = \"st\"\n[table]\ndimensions = [\"region\"]\n",
    );
    desk.expect(0, &["protect", "job.toml", "--out", "release"]);
    let pattern = fs::read_to_string(desk.path("release/pattern.csv")).unwrap();
    assert_eq!(pattern.lines().filter(|line| line.ends_with(",p")).count(), 1, "{pattern}");
    assert!(!pattern.contains("0,"), "the total is frozen: {pattern}");
}

#[test]
fn convert_goes_there_and_back() {
    let desk = Desk::new();
    desk.expect(0, &["protect", "job.toml", "--out", "release"]);
    desk.expect(0, &["convert", "release/table.csv", "t.parquet"]);
    desk.expect(0, &["convert", "t.parquet", "t.csv"]);
    desk.expect(0, &["convert", "release/table.csv", "t.xlsx"]);
    let text = |name: &str| fs::read_to_string(desk.path(name)).unwrap();
    assert_eq!(text("t.csv"), text("release/table.csv"));
    desk.expect(0, &["convert", "release/instance.jj", "i.csv"]);
    desk.expect(0, &["convert", "i.csv", "i.jj"]);
    assert_eq!(text("i.jj"), text("release/instance.jj"));
    desk.expect(0, &["convert", "t.xlsx", "u.csv"]);
    assert_eq!(text("u.csv"), text("release/table.csv"));
}

#[test]
fn generate_makes_the_same_data_from_the_same_seed() {
    let desk = Desk::new();
    let made = |out: &str, seed: &str, family: &[&str]| {
        let common = ["--seed", seed, "--out", out];
        desk.expect(0, &[&["generate"], family, &common].concat());
        fs::read(desk.path(out)).unwrap()
    };
    let ons = ["ons", "--shape", "6x5x4", "--lambda", "3", "--zeros", "0.2"];
    let castro =
        ["castro", "--rows", "30", "--columns", "6", "--subtables", "4", "--sensitive", "0.1"];
    for family in [&ons[..], &castro[..]] {
        assert_eq!(made("a.jj", "5", family), made("b.jj", "5", family));
        assert_ne!(made("a.jj", "5", family), made("b.jj", "6", family));
        desk.expect(0, &["suppress", "a.jj", "--out", "release"]);
        desk.expect(0, &["verify", "release"]);
    }
    made("a.csv", "5", &ons);
    desk.expect(0, &["generate", "salaries", "--rows", "50", "--out", "wages"]);
    assert!(desk.path("wages/part-00000.parquet").exists());
    desk.expect(2, &["generate", "castro", "--out", "a.csv"]);
    desk.expect(2, &["generate", "ons", "--shape", "2x5"]);
}

#[test]
fn a_sparse_table_of_seven_dimensions_is_protected_and_proven() {
    let desk = Desk::new();
    desk.expect(0, &["generate", "salaries", "--rows", "600", "--out", "wages"]);
    let job = "[records]\nfile = \"wages\"\n[table]\nresponse = \"salaire\"\n\
               dimensions = [\"sexe\", \"depr\", \"cs\", \"ce\", \"trage\", \"treffen\", \"a88\"]\n\
               [rules]\nfrequency = { below = 3, range = 10 }\ndominance = { n = 1, k = 85 }\n\
               [protect]\nmethod = \"suppress\"\n";
    std::fs::write(desk.path("wages.toml"), job).unwrap();
    desk.expect(0, &["protect", "wages.toml", "--out", "release"]);
    desk.expect(0, &["verify", "release"]);
    let table = std::fs::read_to_string(desk.path("release/table.csv")).unwrap();
    let published = table.lines().filter(|line| line.ends_with(",v,F")).count();
    assert!(published > 20, "{published} cells stay published");
}

#[test]
fn nothing_goes_to_stderr_when_all_is_well_and_it_is_no_terminal() {
    let desk = Desk::new();
    let output = desk.run(&["protect", "job.toml"]);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    let output = desk.run(&["protect", "job.toml", "--verbose"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("stage"));
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let desk = Desk::new();
    let mut child = desk
        .cellveil(&["protect", "job.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut messages = String::new();
    child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    assert_eq!((child.wait().unwrap().code(), messages.as_str()), (Some(0), ""));
    assert!(desk.path("job-release/manifest.json").exists());
}
