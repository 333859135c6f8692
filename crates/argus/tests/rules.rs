//! Holdings, weights, requests, missing codes, λ and recodes on tables small enough to check by hand.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use cellveil_argus::arb::{self, Command, Rules, Specify};
use cellveil_argus::rda::Metadata;
use cellveil_argus::{ArgusTable, CellStatus, Micro, MicroTable, Records, grc};
use std::path::Path;

const RDA: &str = "<SEPARATOR> \";\"\nreg 1 9\n<RECODEABLE>\nval 5\n<NUMERIC>\n<DECIMALS> 0\nw 3\n<WEIGHT>\ngrp 2\n<HOLDING>\nask 1\n<REQUEST> \"1\" \"2\"\ncost 5\n<NUMERIC>\n";

fn commands(table: &str, rule: &str) -> (Specify, Rules) {
    let text = format!("<SPECIFYTABLE> {table}\n<SAFETYRULE> {rule}");
    let mut lines = arb::read(Path::new("t.arb"), &text).unwrap().into_iter();
    match (lines.next().unwrap().command, lines.next().unwrap().command) {
        (Command::SpecifyTable(specify), Command::SafetyRule(rules)) => (specify, rules),
        _ => unreachable!(),
    }
}

fn made(records: &str, table: &str, rule: &str) -> MicroTable {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.csv");
    std::fs::write(&file, records).unwrap();
    let (specify, rules) = commands(table, rule);
    let metadata = Metadata::of_records(Path::new("r.rda"), RDA).unwrap();
    let tables = [(specify.clone(), rules.clone())];
    let micro = Micro::read(Records::read(&file).unwrap(), metadata, &tables).unwrap();
    micro.table(&specify, &rules, &|name| name.into()).unwrap()
}

fn state(table: &ArgusTable, code: &str) -> (CellStatus, f64) {
    let cell = table.find(&[table.codes[0].of_record(code).unwrap()]).unwrap();
    let state = table.states[cell.index()];
    (state.status, state.upper)
}

#[test]
fn a_contribution_of_weight_four_stands_four_times() {
    let records = "a;100;4;1;0;1\na;10;7;2;0;1\nb;1;1;3;0;1\n";
    let table = made(records, "\"reg\"|\"val\"||", "NK(2,40)|WGT(1)").table;
    // 470 in all, and the two largest of the population are 100 each: 42.55 %.
    let cell = table.find(&[table.codes[0].of_record("a").unwrap()]).unwrap();
    assert!((table.value(cell) - 470.0).abs() < 1e-9);
    let (status, level) = state(&table, "a");
    assert_eq!(status, CellStatus::UnsafeRule);
    assert!((level - (200.0 / 0.4 - 470.0)).abs() < 1e-9);
}

#[test]
fn a_weighted_table_needs_enough_respondents_and_enough_they_stand_for() {
    let records = "a;1;9;1;0;1\na;1;9;2;0;1\nb;1;.5;3;0;1\nb;1;.5;4;0;1\nb;1;.5;5;0;1\nc;1;2;6;0;1\nc;1;2;7;0;1\nc;1;2;8;0;1\n";
    let table = made(records, "\"reg\"|\"val\"||", "FREQ(3,10)|WGT(1)").table;
    let statuses = ["a", "b", "c"].map(|code| state(&table, code).0);
    assert_eq!(
        statuses,
        [CellStatus::UnsafeFrequency, CellStatus::UnsafeFrequency, CellStatus::Safe]
    );
}

#[test]
fn records_of_one_holding_are_one_contribution() {
    let records =
        "a;40;1;g;0;1\na;45;1;g;0;1\na;15;1;h;0;1\nb;40;1;i;0;1\nb;45;1;j;0;1\nb;15;1;k;0;1\n";
    let table = made(records, "\"reg\"|\"val\"||", "NK(0,0)|NK(0,0)|NK(1,80)").table;
    assert_eq!(state(&table, "a"), (CellStatus::UnsafeRule, 85.0 / 0.8 - 100.0));
    assert_eq!(state(&table, "b").0, CellStatus::Safe);
    let table = made(records, "\"reg\"|\"val\"||", "FREQ(0,0)|FREQ(3,20)").table;
    assert_eq!(state(&table, "a"), (CellStatus::UnsafeFrequency, 20.0));
    assert_eq!(state(&table, "b").0, CellStatus::Safe);
}

#[test]
fn whoever_asked_is_protected_beyond_a_share() {
    let records =
        "a;60;1;g;1;1\na;40;1;h;0;1\nb;60;1;g;2;1\nb;40;1;h;0;1\nc;60;1;g;0;1\nc;40;1;h;1;1\n";
    let table = made(records, "\"reg\"|\"val\"||", "REQ(50,70,0,15)").table;
    assert_eq!(state(&table, "a"), (CellStatus::UnsafeRequest, 15.0));
    assert_eq!(state(&table, "b").0, CellStatus::Safe);
    assert_eq!(state(&table, "c").0, CellStatus::Safe);
    let few = made(records, "\"reg\"|\"val\"||", "REQ(90,90,3,15)").table;
    assert_eq!(few.count(CellStatus::is_unsafe), 3);
}

#[test]
fn cells_of_a_missing_code_are_safe_if_asked_for() {
    let records = "a;60;1;g;1;1\n9;40;1;h;0;1\n";
    let judged = |rule: &str| made(records, "\"reg\"|\"val\"||", rule).table;
    assert_eq!(state(&judged("FREQ(3,10)"), "9").0, CellStatus::UnsafeFrequency);
    assert_eq!(state(&judged("FREQ(3,10)|MIS(1)"), "9").0, CellStatus::Safe);
    assert_eq!(state(&judged("FREQ(3,10)|MIS(1)"), "a").0, CellStatus::UnsafeFrequency);
    // A missing code is a code also where no record has it.
    assert_eq!(made("a;1;1;g;0;1\n", "\"reg\"|\"val\"||", "FREQ(1,1)").table.all_cells(), 3);
}

#[test]
fn costs_follow_their_variable_and_lambda() {
    let records = "a;60;1;g;1;16\nb;40;1;h;0;9\n";
    let cost = |table: &str, code: &str| {
        let table = made(records, table, "FREQ(1,1)").table;
        table.cost(table.find(&[table.codes[0].of_record(code).unwrap()]).unwrap())
    };
    assert!((cost("\"reg\"|\"val\"||\"cost\",0.5", "a") - 4.0).abs() < 1e-9);
    assert!((cost("\"reg\"|\"val\"||\"cost\"|0.5", "b") - 3.0).abs() < 1e-9);
    assert!((cost("\"reg\"|\"val\"||\"cost\",0", "b") - 10_f64.ln()).abs() < 1e-9);
    assert!((cost("\"reg\"|\"val\"||-1", "b") - 1.0).abs() < 1e-9);
    assert!((cost("\"reg\"|\"val\"||-2", "a") - 1.0).abs() < 1e-9);
    assert!((cost("\"reg\"|\"val\"||", "a") - 60.0).abs() < 1e-9);
}

#[test]
fn a_recode_starts_from_the_codes_of_the_data_every_time() {
    let records = "1;10;1;a;0;1\n2;20;1;b;0;1\n3;30;1;c;0;1\n4;40;1;d;0;1\n9;5;1;e;0;1\n";
    let table = made(records, "\"reg\"|\"val\"||", "FREQ(2,10)");
    let recoded = |text: &str| grc::recode(Path::new("r.grc"), text, table.original(0));
    let names = |made: &MicroTable| {
        let hierarchy = &made.table.codes[0].dimension.hierarchy;
        (0..hierarchy.len() as u32).map(|code| hierarchy.name(code).to_owned()).collect::<Vec<_>>()
    };
    let first = table.clone().recode(0, &recoded("low : - 2\n\"hi gh\":3,4-").unwrap()).unwrap();
    assert_eq!(names(&first), ["Total", "  low", "hi gh", "9"]);
    assert_eq!(first.table.count(CellStatus::is_unsafe), 1);
    let again = first.recode(0, &recoded("<MISSING> 0\nx:1-3\n").unwrap()).unwrap();
    assert_eq!(names(&again), ["Total", "4", "x", "0"]);
    let notes = recoded("x:1,7\ny:1").unwrap().notes;
    assert_eq!(
        notes,
        [
            "1 entries name no code",
            "1 codes are named twice; the last line counts",
            "3 codes are not named and stay as they are"
        ]
    );
    let said: Vec<String> = ["x:9", "x 1", "x:2-1", "x:", "<TREERECODE>\n7"]
        .iter()
        .map(|text| recoded(text).unwrap_err().to_string())
        .collect();
    insta::assert_snapshot!(said.join("\n\n"));
}
