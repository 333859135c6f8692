//! A release that was tampered with is not proven.

use crate::support::{Desk, steady};
use insta_cmd::assert_cmd_snapshot;
use std::fs;

fn released() -> Desk {
    let desk = Desk::new();
    desk.expect(0, &["protect", "job.toml", "--out", "release"]);
    desk
}

#[test]
fn a_release_is_proven() {
    let desk = released();
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["verify", "release"]));
    assert_cmd_snapshot!(desk.cellveil(&["verify", "release", "--json"]));
}

#[test]
fn one_flipped_byte_of_a_witness_is_found() {
    let desk = released();
    let mut bytes = fs::read(desk.path("release/witnesses.parquet")).unwrap();
    for at in [6, bytes.len() / 2, bytes.len() - 20] {
        bytes[at] ^= 1;
        desk.write("release/witnesses.parquet", &bytes);
        let text = desk.expect(1, &["verify", "release"]);
        assert!(text.starts_with("not proven:\n  `witnesses.parquet`"), "{text}");
        bytes[at] ^= 1;
    }
}

#[test]
fn publishing_a_withheld_cell_is_found() {
    let desk = released();
    let table = fs::read_to_string(desk.path("release/table.csv")).unwrap();
    let line = table.lines().find(|line| line.contains(",,p,")).unwrap();
    let (codes, _) = line.split_once(",,p,").unwrap();
    desk.edit("release/table.csv", line, &format!("{codes},70,v,F"));
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["verify", "release"]));
}

#[test]
fn a_folder_that_is_no_release_cannot_be_verified() {
    let desk = Desk::new();
    let _steady = steady();
    assert_cmd_snapshot!(desk.cellveil(&["verify", "."]));
    assert_cmd_snapshot!(desk.cellveil(&["verify", "nowhere"]));
}
