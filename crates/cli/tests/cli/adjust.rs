//! Tables with changed values, from instance to proof.

use crate::support::Desk;
use std::fs;

/// `10 = 4 + 6` by `3 + 7`: a table of two by two with margins, one inner cell sensitive.
const INSTANCE: &str = "0\n9\n0 20 20 s 0 40 0 0 0\n1 9 9 s 0 40 0 0 0\n2 11 11 s 0 40 0 0 0\n\
3 8 8 s 0 40 0 0 0\n4 3 3 u 0 40 2 2 0\n5 5 5 s 0 40 0 0 0\n6 12 12 s 0 40 0 0 0\n7 6 6 s 0 40 0 0 0\n8 6 6 s 0 40 0 0 0\n\
6\n0 3 : 0 (-1) 1 (1) 2 (1)\n0 3 : 3 (-1) 4 (1) 5 (1)\n0 3 : 6 (-1) 7 (1) 8 (1)\n\
0 3 : 0 (-1) 3 (1) 6 (1)\n0 3 : 1 (-1) 4 (1) 7 (1)\n0 3 : 2 (-1) 5 (1) 8 (1)\n";

fn adjusted(arguments: &[&str]) -> Desk {
    let desk = Desk::new();
    desk.write("table.jj", INSTANCE);
    desk.expect(0, &[&["adjust", "table.jj", "--out", "adjusted"], arguments].concat());
    desk
}

#[test]
fn an_adjusted_table_is_written_and_proven() {
    let desk = adjusted(&["--weights", "one"]);
    let text = desk.expect(0, &["verify", "adjusted"]);
    assert!(text.starts_with("proven: the published table is safe\n"), "{text}");
    let summary = fs::read_to_string(desk.path("adjusted/summary.json")).unwrap();
    // One inner cell and three others around it move by 2, and no margin.
    assert!(summary.contains("\"cost\": 8.0"), "{summary}");
    let table = fs::read_to_string(desk.path("adjusted/adjusted.csv")).unwrap();
    assert!(table.starts_with("cell,value,adjusted\n0,20,"), "{table}");
}

#[test]
fn every_method_is_proven() {
    for arguments in [&["--norm", "l2"][..], &["--method", "rounding", "--base", "5"]] {
        let desk = adjusted(arguments);
        desk.expect(0, &["verify", "adjusted"]);
    }
}

#[test]
fn a_changed_value_is_found() {
    let desk = adjusted(&[]);
    let table = fs::read_to_string(desk.path("adjusted/table.csv")).unwrap();
    let line = table.lines().nth(1).unwrap();
    desk.edit("adjusted/table.csv", line, "0,999,v,F");
    let text = desk.expect(1, &["verify", "adjusted"]);
    assert!(text.contains("`table.csv` is not the file that was written"), "{text}");
    assert!(text.contains("row 0 does not show the adjusted value"), "{text}");
}

#[test]
fn one_and_two_threads_adjust_to_the_same_bytes() {
    let one = adjusted(&["--threads", "1"]);
    let two = adjusted(&["--threads", "2"]);
    for name in ["table.csv", "adjusted.csv", "manifest.json", "report.html"] {
        let read = |desk: &Desk| fs::read(desk.path("adjusted").join(name)).unwrap();
        assert!(read(&one) == read(&two), "{name} differs");
    }
}

#[test]
fn what_cannot_be_adjusted_names_the_cell_and_writes_nothing() {
    let desk = Desk::new();
    desk.write("table.jj", INSTANCE.replace("4 3 3 u 0 40 2 2 0", "4 3 3 u 0 4 9 9 0"));
    let output = desk.run(&["adjust", "table.jj", "--out", "adjusted"]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("`cell 4` cannot move as far as its protection level"), "{message}");
    assert!(!desk.path("adjusted").exists());
}

#[test]
fn a_base_that_is_none_is_refused() {
    let desk = Desk::new();
    desk.write("table.jj", INSTANCE);
    for base in ["0", "-5", "2.5", "five"] {
        let base = format!("--base={base}");
        desk.expect(2, &["adjust", "table.jj", "--method", "rounding", &base]);
    }
}

/// What people see, with times left out.
fn seen(desk: &Desk, arguments: &[&str]) -> String {
    let output = desk.run(&[&["adjust", "table.jj", "--out", "adjusted"], arguments].concat());
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    let timed = |line: &str| line.trim_start().starts_with("time");
    let lines = text.lines().map(|line| if timed(line) { "  time      […] s" } else { line });
    format!("status {}\n{}", output.status.code().unwrap(), lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn what_people_see_of_each_method() {
    let desk = Desk::new();
    desk.write("table.jj", INSTANCE);
    desk.write("key", "not a good key");
    insta::assert_snapshot!(seen(&desk, &["--weights", "one"]));
    insta::assert_snapshot!(seen(&desk, &["--method", "ecta", "--weights", "one"]));
    insta::assert_snapshot!(seen(&desk, &["--method", "rounding"]));
    insta::assert_snapshot!(seen(&desk, &["--method", "online", "--key-file", "key"]));
    insta::assert_snapshot!(seen(&desk, &["--method", "online"]));
}

#[test]
fn what_people_see_when_there_is_no_table() {
    let desk = Desk::new();
    // The margins of a sensitive cell and all else in its row are frozen.
    let frozen = INSTANCE.replace("3 8 8 s", "3 8 8 z").replace("5 5 5 s", "5 5 5 z");
    desk.write("table.jj", &frozen);
    desk.write("key", "not a good key");
    insta::assert_snapshot!(seen(&desk, &[]));
    insta::assert_snapshot!(seen(&desk, &["--method", "online", "--key-file", "key"]));
}

#[test]
fn an_instance_that_does_not_add_up_is_made_to_and_proven() {
    let desk = Desk::new();
    desk.write("table.jj", INSTANCE.replace("0 20 20 s", "0 23 23 s"));
    desk.expect(0, &["adjust", "table.jj", "--out", "adjusted"]);
    desk.expect(0, &["verify", "adjusted"]);
    desk.expect(2, &["adjust", "table.jj", "--method", "rounding", "--out", "rounded"]);
}

#[test]
fn a_level_below_zero_is_adjusted_and_proven_but_not_suppressed() {
    let desk = Desk::new();
    desk.write("table.jj", INSTANCE.replace("4 3 3 u 0 40 2 2 0", "4 3 3 u 0 40 -1 4 0"));
    desk.expect(0, &["adjust", "table.jj", "--out", "adjusted"]);
    desk.expect(0, &["verify", "adjusted"]);
    desk.expect(2, &["suppress", "table.jj"]);
}

#[test]
fn margins_are_kept_if_so_wished() {
    let desk = adjusted(&["--keep", "margins", "--weights", "one"]);
    let table = fs::read_to_string(desk.path("adjusted/adjusted.csv")).unwrap();
    for (line, margin) in table.lines().skip(1).zip([true, true, true, true, false, false, true]) {
        let fields: Vec<&str> = line.split(',').collect();
        assert!(!margin || fields[1] == fields[2], "{line}");
    }
    desk.expect(0, &["verify", "adjusted"]);
}

#[test]
fn a_rounded_release_has_the_interval_of_every_cell() {
    let desk = adjusted(&["--method", "rounding", "--base", "5"]);
    let audit = fs::read_to_string(desk.path("adjusted/audit.csv")).unwrap();
    assert_eq!(audit.lines().count(), 10, "{audit}");
    assert!(audit.starts_with("cell,status,value,lower,upper,need_lower,need_upper,exposed\n0,"));
    assert!(audit.lines().skip(1).all(|line| line.split(',').all(|field| field != "inf")));
}
