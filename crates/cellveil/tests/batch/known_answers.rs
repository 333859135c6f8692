//! What τ-ARGUS is known to find; methods that do not exist yet are replaced by ours, which may cost more but must be safe.

use crate::support::Folder;
use cellveil::BatchOptions;
use cellveil_suppress::Method;

const DEMO: &str = "<OPENMICRODATA> \"tau_testW.asc\"\n<OPENMETADATA> \"tau_testw.rda\"\n";

fn auto() -> BatchOptions {
    BatchOptions { method: Some(Method::Auto), ..BatchOptions::default() }
}

/// The sum of a column over the rows of an intermediate file with some status.
fn sum(text: &str, status: &str, column: usize, status_column: usize) -> f64 {
    let fields = text.lines().map(|line| line.split(';').map(str::trim).collect::<Vec<_>>());
    fields.filter(|f| f[status_column] == status).map(|f| f[column].parse::<f64>().unwrap()).sum()
}

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
fn size_by_region_is_protected_and_proven() {
    let Some(folder) = Folder::of("argus-demo") else { return };
    let log = folder
        .run(&format!(
            "{DEMO}<SPECIFYTABLE> \"Size\"\"Region\"|\"Var2\"||\n<SAFETYRULE> P(15,1)\n<READMICRODATA>\n\
             <SUPPRESS> AUTO(1)\n<WRITETABLE> (1,5,,\"t.csv\")\n"
        ))
        .unwrap();
    let table = &log.tables[0];
    assert_eq!((table.cells, table.empty, table.primary), (162, 43, 9));
    assert!(table.proven && table.secondary >= 6);
    let cost = sum(&folder.read("t.csv"), "M", 2, 8);
    // The published pattern of the modular method.
    assert!(cost <= 2_524_351.0, "{cost}");
}

#[test]
fn small_batches_cost_what_the_optimum_costs() {
    for (folder, name, output, cost) in [
        ("argus-batch/batch_ex1", "batch_ex1.arb", "tabout_ex1.txt", 1950.0),
        ("argus-batch/batch_ex2", "batch_ex2.arb", "tabout_ex2.txt", 4188.31),
    ] {
        let Some(folder) = Folder::of(folder) else { return };
        folder.run_file(name, &auto()).unwrap();
        let text = folder.read(output);
        let mut lines = text.lines();
        assert!(lines.next().unwrap().ends_with(",Status"));
        let rows = lines.map(|line| line.rsplitn(3, ',').map(str::to_owned).collect::<Vec<_>>());
        let secondary: Vec<Vec<String>> = rows.filter(|row| row[0] == "11").collect();
        let sum: f64 = secondary.iter().map(|row| row[1].parse::<f64>().unwrap()).sum();
        assert!((sum - cost).abs() < 1e-6, "{name}: {sum}");
        let cells: Vec<String> =
            secondary.iter().map(|row| row[2].replace([' ', '"'], "")).collect();
        assert_eq!(cells, ["A,male", "C,male", "C,female"], "{name}");
    }
}

#[test]
fn batches_from_another_machine_run_beside_their_files() {
    let Some(folder) = Folder::of("sas2argus") else { return };
    let out = folder.path("out");
    let options = BatchOptions { out: Some(out.clone()), ..auto() };
    for (name, primary, empty, optimum) in
        [("Example1", 15, 6, 4954.0), ("Example4", 12, 6, 2947.0)]
    {
        let log = folder.run_file(&format!("{name}.ARB"), &options).unwrap();
        let table = &log.tables[0];
        assert_eq!((table.cells, table.primary, table.empty), (286, primary, empty));
        let text = std::fs::read_to_string(out.join(format!("{name}_Out_5_1.csv"))).unwrap();
        assert_eq!(text.lines().count(), 286);
        let cost = sum(&text, "M", 2, 8);
        assert!(cost >= optimum && cost < 1.6 * optimum, "{name}: {cost}");
        assert!(out.join(format!("{name}_Out_5_1.rda")).is_file());
        assert!(
            out.join(format!("{name}.LOG")).is_file()
                && out.join(format!("{name}.LOG.json")).is_file()
        );
    }
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
    assert_eq!(log.tables[0].cells, 162);
    assert!(log.tables[0].primary > 0);
    let said = folder
        .run("<OPENTABLEDATA> \"pp.tab\"\n<OPENMETADATA> \"pp.rda\"\n<SPECIFYTABLE> \"Size\"\"Region\"|\"Var2\"||\n<READTABLE> 0\n")
        .unwrap_err();
    assert!(said.contains("3 sums do not hold"), "{said}");
}

#[test]
fn published_patterns_are_at_least_matched_on_turnover() {
    let Some(folder) = Folder::of("rtauargus") else { return };
    let csv = folder.read("turnover_act_size.csv");
    let rows = csv.lines().skip(1).map(|line| {
        let f: Vec<&str> = line.split(',').collect();
        let (n, total, largest): (u64, f64, f64) =
            (f[2].parse().unwrap(), f[3].parse().unwrap(), f[4].parse().unwrap());
        let status = if n < 3 || largest > 0.85 * total { "U" } else { "S" };
        format!("{},{},{},{},{status}", f[0], f[1], f[3], f[2])
    });
    std::fs::write(folder.path("t.tab"), rows.collect::<Vec<_>>().join("\n")).unwrap();
    std::fs::write(
        folder.path("t.rda"),
        "<SEPARATOR> \",\"\nACTIVITY\n<RECODEABLE>\n<TOTCODE> \"Total\"\n<HIERARCHICAL>\n<HIERCODELIST> \"activity.hrc\"\n<HIERLEADSTRING> \"@\"\n\
         SIZE\n<RECODEABLE>\n<TOTCODE> \"Total\"\nTOT\n<NUMERIC>\n<DECIMALS> 4\nN_OBS\n<FREQUENCY>\nST\n<STATUS>\n",
    )
    .unwrap();
    let log = folder
        .run("<OPENTABLEDATA> \"t.tab\"\n<OPENMETADATA> \"t.rda\"\n<SPECIFYTABLE> \"ACTIVITY\"\"SIZE\"|\"TOT\"||\n<SAFETYRULE> MAN(10)\n\
              <READTABLE> 2\n<SUPPRESS> AUTO(1)\n<WRITETABLE> (1,3,,\"t.txt\")\n")
        .unwrap();
    assert_eq!(log.tables[0].primary, 77);
    assert!(log.tables[0].proven);
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
