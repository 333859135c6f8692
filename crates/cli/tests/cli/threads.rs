//! The number of threads changes nothing but times.

use crate::support::{Desk, RECORDS};
use std::collections::BTreeMap;
use std::fs;

#[test]
fn one_two_and_eight_threads_give_the_same_bytes() {
    let desk = Desk::new();
    desk.write("records.csv", RECORDS);
    let release = |threads: &str| {
        let out = format!("release-{threads}");
        desk.expect(0, &["demo", "--enterprises", "400", "--threads", threads, "--out", &out]);
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for entry in fs::read_dir(desk.path(&out).join("release")).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            files.insert(name, fs::read(entry.path()).unwrap());
        }
        files.remove("summary.json").unwrap();
        files
    };
    let one = release("1");
    assert!(one.len() >= 10);
    for threads in ["2", "8"] {
        for (name, bytes) in release(threads) {
            assert!(one[&name] == bytes, "{name} differs with {threads} threads");
        }
    }
}
