//! Instances from elsewhere: protected, attacked and proven.

use crate::support::{Desk, shared, steady};
use insta_cmd::assert_cmd_snapshot;

/// A 3 × 3 table with its margins and one sensitive cell.
const SMALL: &str = "\
0
9
0 60 60 s 0 1e20 0 0 0
1 30 30 s 0 1e20 0 0 0
2 30 30 s 0 1e20 0 0 0
3 25 25 s 0 1e20 0 0 0
4 10 10 u 0 1e20 3 3 0
5 15 15 s 0 1e20 0 0 0
6 35 35 s 0 1e20 0 0 0
7 20 20 s 0 1e20 0 0 0
8 15 15 s 0 1e20 0 0 0
6
0 3 : 0 (-1) 1 (1) 2 (1)
0 3 : 3 (-1) 4 (1) 5 (1)
0 3 : 6 (-1) 7 (1) 8 (1)
0 3 : 0 (-1) 3 (1) 6 (1)
0 3 : 1 (-1) 4 (1) 7 (1)
0 3 : 2 (-1) 5 (1) 8 (1)
";

fn small() -> Desk {
    let desk = Desk::new();
    desk.write("small.jj", SMALL);
    desk
}

#[test]
fn an_instance_is_suppressed_and_proven() {
    let desk = small();
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["suppress", "small.jj"]));
    assert_cmd_snapshot!(desk.cellveil(&["verify", "small-release"]));
    assert_cmd_snapshot!(desk.cellveil(&["suppress", "small.jj", "--json", "--out", "again"]));
}

#[test]
fn an_audit_of_an_exposed_pattern_ends_in_one() {
    let desk = small();
    desk.write("alone.csv", "cell,status\n4,p\n5,s\n");
    desk.write("square.csv", "cell,status\n4,p\n5,s\n7,s\n8,s\n");
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["audit", "small.jj", "--pattern", "alone.csv"]));
    assert_cmd_snapshot!(desk.cellveil(&["audit", "small.jj", "--pattern", "square.csv"]));
    let audit = std::fs::read_to_string(desk.path("small-audit/audit.csv")).unwrap();
    insta::assert_snapshot!(audit);
}

#[test]
fn what_was_published_earlier_is_known_for_good() {
    let desk = small();
    desk.write("square.csv", "cell,status\n4,p\n5,s\n7,s\n8,s\n");
    desk.write("earlier.csv", "cell,status\n4,p\n5,s\n");
    let audit = ["audit", "small.jj", "--pattern", "square.csv"];
    desk.expect(0, &audit);
    let _steady = steady();
    let after = [&audit[..], &["--earlier", "earlier.csv"]].concat();
    assert_cmd_snapshot!(desk.cellveil(&after));
    let reasons = std::fs::read_to_string(desk.path("small-audit/exposed.csv")).unwrap();
    insta::assert_snapshot!(reasons);
}

#[test]
fn a_cell_that_cannot_be_protected_ends_in_one_and_writes_nothing() {
    let desk = small();
    let frozen = SMALL.replace(" s 0 1e20", " z 0 1e20");
    desk.write("frozen.jj", frozen);
    let output = desk.run(&["suppress", "frozen.jj"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("cell 4"), "{message}");
    assert!(!desk.path("frozen-release").exists());
}

#[test]
fn what_is_no_instance_is_refused() {
    let desk = small();
    desk.edit("small.jj", "4 10 10 u", "4 11 10 u");
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["suppress", "small.jj"]));
    assert_cmd_snapshot!(desk.cellveil(&["suppress", "records.csv"]));
    assert_cmd_snapshot!(desk.cellveil(&["suppress", "none.jj"]));
    desk.write("short.jj", &SMALL[..60]);
    assert_cmd_snapshot!(desk.cellveil(&["suppress", "short.jj"]));
}

#[test]
fn a_release_and_a_job_are_instances_too() {
    let desk = Desk::new();
    desk.expect(0, &["protect", "job.toml", "--out", "release"]);
    desk.expect(0, &["suppress", "job.toml", "--out", "from-job"]);
    desk.expect(0, &["suppress", "release", "--out", "from-release"]);
    desk.expect(0, &["audit", "release", "--pattern", "release/pattern.csv"]);
    desk.expect(0, &["audit", "job.toml", "--pattern", "release/table.csv", "--out", "by-codes"]);
    let pattern = |dir: &str| std::fs::read(desk.path(dir).join("pattern.csv")).unwrap();
    assert_eq!(pattern("release"), pattern("from-job"));
}

#[test]
fn public_instances_end_with_no_cell_exposed() {
    for name in ["targus", "table7", "table8"] {
        let Some(path) = shared(&format!("data/csplib/{name}.jj")) else { return };
        let desk = Desk::new();
        let path = path.to_str().unwrap();
        let text = desk.expect(0, &["suppress", path, "--out", "release", "--intervals", "none"]);
        assert!(text.contains("exposed   0"), "{name}: {text}");
        desk.expect(0, &["verify", "release"]);
    }
}
