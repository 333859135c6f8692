//! Tables, primaries, levels and costs that τ-ARGUS is known to find, on its own demonstration data.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use cellveil_argus::arb::{self, Additivity, Command, Rules, Specify};
use cellveil_argus::rda::Metadata;
use cellveil_argus::{ArgusTable, CellStatus, Micro, Records, read_table, text};
use cellveil_core::CellId;
use std::path::{Path, PathBuf};

fn specify(text: &str) -> Specify {
    let line = format!("<SPECIFYTABLE> {text}");
    match arb::read(Path::new("t.arb"), &line).unwrap().remove(0).command {
        Command::SpecifyTable(specify) => specify,
        _ => unreachable!(),
    }
}

fn rules(text: &str) -> Rules {
    let line = format!("<SAFETYRULE> {text}");
    match arb::read(Path::new("t.arb"), &line).unwrap().remove(0).command {
        Command::SafetyRule(rules) => rules,
        _ => unreachable!(),
    }
}

fn data(folder: &str) -> Option<PathBuf> {
    Some(cellveil_testkit::shared()?.join("data").join(folder))
}

fn micro(folder: &Path, names: [&str; 2], table: &str, rule: &str) -> ArgusTable {
    let (specify, rules) = (specify(table), rules(rule));
    let file = folder.join(names[1]);
    let metadata = Metadata::of_records(&file, &text::read(&file).unwrap()).unwrap();
    let records = Records::read(&folder.join(names[0])).unwrap();
    let micro = Micro::read(records, metadata, &[(specify.clone(), rules.clone())]).unwrap();
    micro.table(&specify, &rules, &|name| folder.join(name)).unwrap().table
}

fn demo(table: &str, rule: &str) -> Option<ArgusTable> {
    let folder = data("argus-demo")?;
    Some(micro(&folder, ["tau_testW.asc", "Tau_TestW.rda"], table, rule))
}

fn tabular(
    folder: &Path,
    names: [&str; 2],
    table: &str,
    rule: &str,
    additivity: Additivity,
) -> Result<ArgusTable, String> {
    let file = folder.join(names[1]);
    let metadata = Metadata::of_table(&file, &text::read(&file).unwrap()).unwrap();
    let files = [folder.join(names[0])];
    let resolve = |name: &str| folder.join(name);
    read_table(&files, &metadata, &specify(table), &rules(rule), additivity, &resolve)
        .map_err(|fault| fault.to_string().replace(&folder.display().to_string(), "data"))
}

fn with(table: &ArgusTable, status: CellStatus) -> u64 {
    table.summary().iter().find(|(one, _)| *one == status).unwrap().1.cells
}

#[test]
fn size_by_region_has_the_cells_and_sums_of_the_original() {
    let Some(table) = demo("\"Size\"\"Region\"|\"Var2\"||", "P(15,1)") else { return };
    assert_eq!(table.all_cells(), 162);
    assert_eq!(with(&table, CellStatus::UnsafeRule), 9);
    assert_eq!(with(&table, CellStatus::Empty), 43);
    let summary = table.summary();
    let sums = summary.iter().find(|(one, _)| *one == CellStatus::UnsafeRule).unwrap().1;
    assert!((sums.response - 12_013.0).abs() < 1e-6 && sums.respondents == 43);
    let all: f64 = summary.iter().map(|(_, sums)| sums.response).sum();
    let respondents: u64 = summary.iter().map(|(_, sums)| sums.respondents).sum();
    assert!((all - 101_085_881.04).abs() < 1e-3);
    assert_eq!(respondents, 256_338);
}

#[test]
fn the_level_of_a_cell_is_that_of_the_manual() {
    let Some(table) = demo("\"Size\"\"Region\"|\"Var2\"||", "P(15,1)") else { return };
    let key = [table.codes[0].of_record(" 9").unwrap(), table.codes[1].of_record(" 4").unwrap()];
    let cell = table.find(&key).unwrap();
    let (value, state) = (table.value(cell), table.states[cell.index()]);
    assert!((value - state.lower - 10_680.0).abs() < 0.5);
    assert!((value + state.upper - 13_256.0).abs() < 0.5);
}

#[test]
fn shadow_frequency_and_zero_rules_find_the_primaries_of_the_original() {
    let table =
        demo("\"Size\"\"Region\"|\"Var2\"|\"Var3\"|\"Var3\"", "P(20,3)|FREQ(3,30)|ZERO(20)");
    let Some(table) = table else { return };
    assert_eq!(table.count(CellStatus::is_unsafe), 15);
    let table = demo("\"Size\"\"Year\"|\"Var2\"|\"Var3\"|\"Var3\"", "NK(3,70)|FREQ(3,30)|ZERO(20)");
    let table = table.unwrap();
    assert_eq!(table.count(CellStatus::is_unsafe), 13);
    assert_eq!(with(&table, CellStatus::UnsafeRule), 9);
    assert_eq!(with(&table, CellStatus::UnsafeFrequency), 4);
}

#[test]
fn industry_by_region_has_the_primaries_of_the_original() {
    let table = demo("\"IndustryCode\"\"Region\"|\"Var1\"||", "NK(1,85)|FREQ(3,10)");
    let Some(table) = table else { return };
    assert_eq!(table.all_cells(), 12_798);
    assert_eq!(with(&table, CellStatus::UnsafeRule), 983);
    assert_eq!(with(&table, CellStatus::UnsafeFrequency), 348);
    assert_eq!(with(&table, CellStatus::Empty), 4_539);
    let counts = demo("\"IndustryCode\"\"Region\"|\"<freq>\"||", "FREQ(3,10)").unwrap();
    assert_eq!(with(&counts, CellStatus::UnsafeFrequency), 1_260);
    assert_eq!(with(&counts, CellStatus::Empty), 4_539);
}

#[test]
fn every_cell_of_example_1_has_the_status_and_levels_of_the_original() {
    let Some(folder) = data("sas2argus") else { return };
    let table = micro(
        &folder,
        ["Example1.CSV", "Example1.RDA"],
        "\"Age\"\"Omk\"|\"Resp\"|\"Resp\"|\"Resp\",1",
        "P(20,1)",
    );
    assert_eq!(table.all_cells(), 286);
    let answer = text::read(&folder.join("Example1_Out_5_1.csv")).unwrap();
    let mut seen = 0;
    for line in answer.lines().filter(|line| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(';').map(|f| f.trim().trim_matches('"')).collect();
        let key: Vec<u32> =
            table.codes.iter().zip(&fields).map(|(c, f)| c.of_table(f).unwrap()).collect();
        let cell = table.find(&key);
        let letter = fields[8];
        let state = cell.map(|cell| table.states[cell.index()]);
        let ours = table.status(cell).letter();
        assert!(ours.to_string() == letter || (letter == "M" && ours == 'S'), "{line}");
        if let (Some(state), "U") = (state, letter) {
            for (level, field) in [(state.lower, fields[9]), (state.upper, fields[10])] {
                assert!((level - field.parse::<f64>().unwrap()).abs() < 1e-9, "{line}");
            }
        }
        if let Some(cell) = cell {
            assert_eq!(format!("{:.0}", table.value(cell)), fields[2], "{line}");
            assert_eq!(table.contributors(cell).to_string(), fields[3], "{line}");
        }
        seen += 1;
    }
    assert_eq!(seen, 286);
}

#[test]
fn example_4_has_the_primaries_of_the_original() {
    let Some(folder) = data("sas2argus") else { return };
    let table = tabular(
        &folder,
        ["Example4.CSV", "Example4.RDA"],
        "\"Age\"\"Omk\"|\"Resp\"|\"Resp\"|\"Resp\",1",
        "P(20,1)",
        Additivity::Recompute { keep: false },
    )
    .unwrap();
    assert_eq!(table.count(CellStatus::is_unsafe), 12);
    assert_eq!(with(&table, CellStatus::Empty), 6);
    let answer = text::read(&folder.join("Example4_Out_5_1.csv")).unwrap();
    for line in answer.lines().filter(|line| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(';').map(|f| f.trim().trim_matches('"')).collect();
        let key: Vec<u32> =
            table.codes.iter().zip(&fields).map(|(c, f)| c.of_table(f).unwrap()).collect();
        let cell = table.find(&key);
        let ours = table.status(cell).letter();
        assert!(ours.to_string() == fields[8] || (fields[8] == "M" && ours == 'S'), "{line}");
        if let (Some(cell), "U") = (cell, fields[8]) {
            let state = table.states[cell.index()];
            assert!((state.upper - fields[10].parse::<f64>().unwrap()).abs() < 1e-9, "{line}");
        }
    }
}

#[test]
fn the_statuses_of_a_finished_table_count_when_no_rule_is_given() {
    let Some(folder) = data("argus-batch/batch_ex1") else { return };
    let table = tabular(
        &folder,
        ["tabdata_ex1.tab", "metadata_ex1.rda"],
        "\"region\"\"gender\"|\"freq\"|\"\"|\"\"",
        "MAN(20)",
        Additivity::Required,
    )
    .unwrap();
    assert_eq!(table.all_cells(), 15);
    assert!((table.value(CellId(0)) - 5146.0).abs() < 1e-9);
    let state = table.states.iter().find(|state| state.status.is_unsafe()).unwrap();
    assert!((state.lower - 1.0).abs() < 1e-9 && (state.upper - 1.0).abs() < 1e-9);
}

#[test]
fn weights_columns_of_free_records_do_not_disturb_the_table() {
    let Some(folder) = data("argus-batch/batch_ex2") else { return };
    let table = micro(
        &folder,
        ["microdata_ex2.asc", "metadata_ex2.rda"],
        "\"region\"\"gender\"|\"num1\"|\"\"|\"\"",
        "FREQ(5,20)|P(20,5)|",
    );
    assert_eq!(table.all_cells(), 15);
    assert!((table.value(CellId(0)) - 10_484.95).abs() < 1e-9);
}

#[test]
fn a_table_that_does_not_add_up_is_refused_with_its_sums_or_repaired() {
    let Some(folder) = data("argus-demo/tableinput") else { return };
    let read = |additivity| {
        tabular(
            &folder,
            ["pp.tab", "pp.rda"],
            "\"Size\"\"Region\"|\"Var2\"|\"Var2_Shadow\"|\"Var2\"",
            "",
            additivity,
        )
    };
    insta::assert_snapshot!(read(Additivity::Required).unwrap_err());
    let kept = read(Additivity::Recompute { keep: true }).unwrap();
    let taken = read(Additivity::Accepted).unwrap();
    assert_eq!(kept.count(CellStatus::is_unsafe), taken.count(CellStatus::is_unsafe));
    assert!(kept.count(CellStatus::is_unsafe) > 0);
}

#[test]
fn turnover_by_activity_has_the_primaries_of_the_other_program() {
    let Some(folder) = data("rtauargus") else { return };
    let here = tempfile::tempdir().unwrap();
    let csv = text::read(&folder.join("turnover_act_size.csv")).unwrap();
    // The metadata that goes with it: no header line, contributors and the largest of them.
    let lines: Vec<&str> = csv.lines().skip(1).collect();
    std::fs::write(here.path().join("t.tab"), lines.join("\n")).unwrap();
    std::fs::copy(folder.join("activity.hrc"), here.path().join("activity.hrc")).unwrap();
    std::fs::write(
        here.path().join("t.rda"),
        "<SEPARATOR> \",\"\nACTIVITY\n<RECODEABLE>\n<TOTCODE> \"Total\"\n<HIERARCHICAL>\n<HIERCODELIST> \"activity.hrc\"\n<HIERLEADSTRING> \"@\"\n\
         SIZE\n<RECODEABLE>\n<TOTCODE> \"Total\"\nN_OBS\n<FREQUENCY>\nTOT\n<NUMERIC>\n<DECIMALS> 2\nMAX\n<MAXSCORE>\n",
    )
    .unwrap();
    let table = tabular(
        here.path(),
        ["t.tab", "t.rda"],
        "\"ACTIVITY\"\"SIZE\"|\"TOT\"||",
        "NK(1,85)|FREQ(3,10)",
        Additivity::Accepted,
    )
    .unwrap();
    assert_eq!(table.len(), 414);
    let few = (0..414).map(CellId).filter(|&cell| (1..3).contains(&table.contributors(cell)));
    assert_eq!(few.count(), 52);
    // With the threshold counted first, 25 more are dominated.
    assert_eq!(table.count(CellStatus::is_unsafe), 52 + 25);
}
