//! What τ-ARGUS is known to find before anything is protected.

use crate::support::Folder;
use cellveil::BatchOptions;

const DEMO: &str = "<OPENMICRODATA> \"tau_testW.asc\"\n<OPENMETADATA> \"tau_testw.rda\"\n";

#[test]
fn size_by_region_is_written_as_the_original_writes_it() {
    let Some(folder) = Folder::of("argus-demo") else { return };
    let published =
        cellveil_testkit::shared().unwrap().join("data/argus-batch/simple2d/Simple2D.txt");
    let published = std::fs::read_to_string(published).unwrap();
    folder
        .run(&format!(
            "{DEMO}<SPECIFYTABLE> \"Size\"\"Region\"|\"Var2\"||\n<SAFETYRULE> P(15,1)\n<READMICRODATA>\n\
             <WRITETABLE> (1,3,AS+,\"t.txt\")\n<WRITETABLE> (1,6,,\"t.jj\")\n"
        ))
        .unwrap();
    let ours = folder.read("t.txt");
    assert_eq!(ours.lines().count(), published.lines().count());
    for (ours, theirs) in ours.lines().zip(published.lines()) {
        let theirs = theirs.trim_end();
        let theirs =
            theirs.strip_suffix(",11").map_or(theirs.to_owned(), |cell| format!("{cell},1"));
        assert_eq!(ours, theirs);
    }
    let jj = folder.read("t.jj");
    let lines: Vec<&str> = jj.lines().collect();
    assert_eq!((lines[1], lines[164]), ("162", "63"));
    let field = |line: usize, at: usize| lines[line].split(' ').nth(at).unwrap();
    assert_eq!((field(2, 1), field(2, 2), field(2, 5)), ("16847646.84", "20000", "25271470.26"));
    assert_eq!((field(3, 2), field(4, 2)), ("5192", "2358"));
    assert_eq!(folder.read("t.frq").lines().next(), Some("42723 0"));
    cellveil_argus::jj::read(&jj, 0).unwrap();
}

#[test]
fn recodes_fold_and_group_codes() {
    let Some(folder) = Folder::of("argus-demo") else { return };
    let log = folder.run_file("TestRecode.arb", &BatchOptions::default()).unwrap();
    insta::assert_snapshot!(log.text());
}

#[test]
fn a_finished_table_that_does_not_add_up_is_repaired_with_its_statuses() {
    let Some(folder) = Folder::of("argus-demo/tableinput") else { return };
    let log = folder.run_file("TestTable.arb", &BatchOptions::default()).unwrap();
    let table = &log.tables[0];
    let listed = folder.read("pp.tab");
    let count = |status: &str| listed.lines().filter(|line| line.contains(status)).count();
    // Statuses are kept: as many unsafe and secondary cells as the file lists.
    assert_eq!((table.cells, table.primary, table.secondary), (162, count(";U;"), count(";M;")));
    assert!(table.primary > 0);
    assert!(log.text().contains("totals were made anew"), "{}", log.text());
    let said = folder
        .run("<OPENTABLEDATA> \"pp.tab\"\n<OPENMETADATA> \"pp.rda\"\n<SPECIFYTABLE> \"Size\"\"Region\"|\"Var2\"||\n<READTABLE> 0\n")
        .unwrap_err();
    assert!(said.contains("3 sums do not hold"), "{said}");
}

/// The table of the manual, protected as the published file says, as one instance with virtual cells.
#[test]
fn the_published_pattern_stands_up_to_our_attack() {
    use cellveil::{Run, Settings, audit};
    use cellveil_argus::arb::{Command, Rules, Specify};
    use cellveil_argus::rda::Metadata;
    use cellveil_argus::{Costs, Micro, Records, Singletons, arb, instance, text};
    let Some(shared) = cellveil_testkit::shared() else { return };
    let demo = shared.join("data/argus-demo");
    let batch = "<SPECIFYTABLE> \"Size\"\"Region\"|\"Var2\"||\n<SAFETYRULE> P(15,1)";
    let mut lines = arb::read("b.arb".as_ref(), batch).unwrap().into_iter();
    let pair: (Specify, Rules) =
        match (lines.next().unwrap().command, lines.next().unwrap().command) {
            (Command::SpecifyTable(specify), Command::SafetyRule(rules)) => (specify, rules),
            _ => unreachable!(),
        };
    let rda = demo.join("Tau_TestW.rda");
    let metadata = Metadata::of_records(&rda, &text::read(&rda).unwrap()).unwrap();
    let records = Records::read(&demo.join("tau_testW.asc")).unwrap();
    let micro = Micro::read(records, metadata, std::slice::from_ref(&pair)).unwrap();
    let table = micro.table(&pair.0, &pair.1, &|name| demo.join(name)).unwrap().table;
    let all = instance(&[&table], Singletons::Virtual([true; 3]), Costs::Scaled).unwrap();
    let mut pattern = all.problem.start();
    let published =
        std::fs::read_to_string(shared.join("data/argus-batch/simple2d/Simple2D.txt")).unwrap();
    let mut secondary = Vec::new();
    for line in published.lines().map(str::trim_end).filter(|line| line.ends_with(",11")) {
        let codes: Vec<&str> = line.split(',').map(|field| field.trim_matches('"')).collect();
        let key: Vec<u32> = (0..2).map(|d| table.codes[d].of_table(codes[d]).unwrap()).collect();
        let cell = table.find(&key).unwrap();
        pattern.withhold(all.cells[0][cell.index()], cellveil_core::Why::Secondary);
        secondary.push(table.value(cell));
    }
    assert_eq!(secondary.len(), 12);
    assert!((secondary.iter().sum::<f64>() - 2_524_351.0).abs() < 1e-6);
    // The exact optimum is known; no safe pattern is cheaper.
    assert!(all.problem.cost_of(&pattern) >= 1301.0);
    let run = Run::new(Settings::default(), &());
    let found = audit(
        &all.problem,
        &pattern,
        cellveil_attack::Intervals::None,
        &cellveil_highs::Highs,
        &run,
    )
    .unwrap();
    assert!(found.audit.exposed.is_empty());
    // Without one of them, something is found.
    let cell = pattern.secondaries().next().unwrap();
    pattern.give_back(cell);
    let found = audit(
        &all.problem,
        &pattern,
        cellveil_attack::Intervals::None,
        &cellveil_highs::Highs,
        &run,
    )
    .unwrap();
    assert!(!found.audit.exposed.is_empty());
}
