//! The examples and the demo end in a proven release.

use crate::support::{Desk, steady};
use insta_cmd::assert_cmd_snapshot;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join("job.toml")
}

#[test]
fn the_examples_are_protected_and_proven() {
    for name in ["turnover", "counts"] {
        let desk = Desk::new();
        let job = example(name);
        let text = desk.expect(0, &["protect", job.to_str().unwrap(), "--out", "release"]);
        assert!(text.contains("witnesses.parquet"), "{text}");
        assert!(text.contains("exposed   0"), "{text}");
        desk.expect(0, &["verify", "release"]);
    }
}

#[test]
fn the_demo_shows_a_piece_of_its_table_and_where_the_proof_is() {
    let desk = Desk::new();
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["demo"]));
    desk.expect(0, &["verify", "cellveil-demo/release"]);
    desk.expect(0, &["protect", "cellveil-demo/job.toml"]);
}

#[test]
fn the_demo_writes_over_itself_and_over_nobody_else() {
    let desk = Desk::new();
    desk.expect(0, &["demo", "--enterprises", "200", "--out", "mine"]);
    desk.expect(0, &["demo", "--enterprises", "300", "--out", "mine"]);
    desk.write("mine/job.toml", "# edited");
    let output = desk.run(&["demo", "--out", "mine"]);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap());
}
