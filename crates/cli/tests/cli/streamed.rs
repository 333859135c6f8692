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

fn released() -> Desk {
    let desk = Desk::new();
    desk.write("job.toml", JOB);
    desk.expect(0, &["generate", "salaries", "--rows", "1500", "--seed", "3", "--out", "wages"]);
    let protect = ["protect", "job.toml", "--out", "release", "--memory", "64MiB"];
    let text = desk.expect(0, &protect);
    assert!(text.starts_with("safe: "), "{text}");
    desk
}

#[test]
fn a_table_that_is_not_held_is_protected_and_proven() {
    let desk = released();
    let text = fs::read_to_string(desk.path("release/summary.json")).unwrap();
    assert!(text.contains("\"method\": \"streamed\""), "{text}");
    assert!(text.contains("\"exposed\": 0"), "{text}");
    let text = desk.expect(0, &["verify", "release"]);
    assert!(text.starts_with("proven: "), "{text}");
    desk.no_leftovers();
}

#[test]
fn any_changed_byte_of_it_is_found() {
    let desk = released();
    for name in ["table.parquet", "finest.cells", "rules.json", "witnesses.parquet"] {
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
