//! `cellveil argus`: a batch runs, fails closed, and says which method is missing.

use crate::support::Desk;
use std::fmt::Write;

const RDA: &str =
    "<SEPARATOR> \";\"\nreg 1\n<RECODEABLE>\nkind 1\n<RECODEABLE>\nval 4\n<NUMERIC>\n";
const READ: &str = "<OPENMICRODATA> \"C:\\data\\R.CSV\"\n<OPENMETADATA> \"r.rda\"\n\
<SPECIFYTABLE> \"reg\"\"kind\"|\"val\"||\n<SAFETYRULE> FREQ(3,10)\n<READMICRODATA>\n";

fn desk() -> Desk {
    let desk = Desk::new();
    let mut records = String::new();
    for reg in ["a", "b", "c"] {
        for kind in ["x", "y", "z"] {
            let count = if (reg, kind) == ("a", "x") { 2 } else { 4 };
            for nth in 0..count {
                writeln!(records, "{reg};{kind};{}", 20 + nth).unwrap();
            }
        }
    }
    desk.write("r.csv", &records);
    desk.write("r.rda", RDA);
    desk
}

#[test]
fn a_batch_writes_what_is_proven_safe() {
    let desk = desk();
    desk.write("b.arb", format!("{READ}<SUPPRESS> AUTO(1)\n<WRITETABLE> (1,3,,\"t.txt\")\n"));
    let said = desk.expect(0, &["argus", "b.arb", "--out", "results"]);
    assert!(said.contains("16 cells, 0 empty, 1 primary, 3 secondary; proven safe"), "{said}");
    let table = std::fs::read_to_string(desk.dir.path().join("results/t.txt")).unwrap();
    assert_eq!(table.lines().filter(|line| line.ends_with(",x")).count(), 4);
    let json = desk.expect(0, &["argus", "b.arb", "--out", "results", "--json"]);
    assert!(json.contains("\"status\": \"ok\""), "{json}");
}

#[test]
fn a_batch_that_is_not_safe_ends_in_one_and_one_that_cannot_run_in_two() {
    let desk = desk();
    desk.write("b.arb", format!("{READ}<WRITETABLE> (1,3,,\"t.txt\")\n"));
    desk.expect(1, &["argus", "b.arb"]);
    desk.write("b.arb", format!("{READ}<WRITETABL> (1,3,,\"t.txt\")\n"));
    desk.expect(2, &["argus", "b.arb"]);
    assert!(!desk.dir.path().join("t.txt").exists());
}
