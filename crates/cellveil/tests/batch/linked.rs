//! Several tables as one system.

use crate::support::{Folder, RECORDS, RECORDS_RDA, REGIONS};
use cellveil::BatchOptions;
use std::collections::BTreeMap;

const LINKED: &str = "<OPENMICRODATA> \"r.csv\"\n<OPENMETADATA> \"r.rda\"\n\
<SPECIFYTABLE> \"reg\"\"kind\"|\"val\"||\n<SAFETYRULE> NK(1,85)|FREQ(3,10)\n\
<SPECIFYTABLE> \"size\"\"reg\"|\"val\"||\n<SAFETYRULE> NK(1,85)|FREQ(3,10)\n<READMICRODATA>\n";

fn folder() -> Folder {
    // A third variable that splits the same records another way.
    let line = |(at, line): (usize, &str)| format!("{line};{}", ["a", "b", "c"][at % 3]);
    let records: Vec<String> = RECORDS.lines().enumerate().map(line).collect();
    let records = records.join("\n") + "\n";
    let rda = format!("{RECORDS_RDA}size 1\n  <RECODEABLE>\n");
    Folder::new(&[("r.csv", &records), ("r.rda", &rda), ("reg.hrc", REGIONS)])
}

/// The status of each region's total, which both tables have.
fn margins(text: &str, region: usize) -> BTreeMap<String, String> {
    let fields =
        text.lines().map(|line| line.split(',').map(|f| f.replace('"', "")).collect::<Vec<_>>());
    let is_margin = |f: &Vec<String>| f[1 - region] == "Total";
    fields.filter(is_margin).map(|f| (f[region].clone(), f[3].clone())).collect()
}

#[test]
fn cells_that_two_tables_share_have_one_status() {
    let folder = folder();
    let log = folder
        .run(&format!("{LINKED}<SUPPRESS> AUTO(0)\n<WRITETABLE> (1,3,AS+,\"a.txt\")\n<WRITETABLE> (2,3,AS+,\"b.txt\")\n"))
        .unwrap();
    assert!(log.tables.iter().all(|table| table.proven));
    assert!(log.tables.iter().any(|table| table.primary > 0));
    assert_eq!(margins(&folder.read("a.txt"), 0), margins(&folder.read("b.txt"), 1));
}

#[test]
fn tables_protected_apart_are_warned_of() {
    let folder = folder();
    let log = folder.run(&format!("{LINKED}<SUPPRESS> AUTO(1)\n<SUPPRESS> AUTO(2)\n")).unwrap();
    assert!(log.text().contains("Protect them as one with table number 0"));
}

#[test]
fn the_strict_singleton_intruder_takes_the_place_of_virtual_cells() {
    let folder = folder();
    std::fs::write(folder.path("b.arb"), format!("{LINKED}<SUPPRESS> AUTO(2)\n")).unwrap();
    let options = BatchOptions { strict: true, ..BatchOptions::default() };
    let log = folder.run_file("b.arb", &options);
    match log {
        Ok(log) => assert!(log.text().contains("intruder of its own")),
        // Too strict for so small a table, and said so.
        Err(said) => assert!(said.contains("no pattern protects"), "{said}"),
    }
}
