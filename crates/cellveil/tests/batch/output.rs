//! What is written, and that it reads back the same.

use crate::support::{Folder, READ, small};
use cellveil::BatchOptions;
use std::fmt::Write;

#[test]
fn every_format_shows_the_protected_table() {
    let folder = small();
    folder
        .run(&format!(
            "{READ}<SUPPRESS> AUTO(1)\n<WRITETABLE> (1,1,,\"1.csv\")\n<WRITETABLE> (1,2,AS+SE+,\"2.csv\")\n\
             <WRITETABLE> (1,3,FL+QU-,\"3.txt\")\n<WRITETABLE> (1,4,HL+,\"4.sbs\")\n<WRITETABLE> (1,5,AR+,\"5.tab\")\n<WRITETABLE> (1,6,TR+,\"6.jj\")\n"
        ))
        .unwrap();
    let all: Vec<String> =
        ["1.csv", "2.csv", "3.txt", "4.sbs", "5.tab", "5.rda", "5_reg.hrc", "6.jj"]
            .iter()
            .map(|name| format!("== {name}\n{}", folder.read(name)))
            .collect();
    insta::assert_snapshot!(all.join("\n"));
    for name in ["1.html", "2.html", "3.html", "4.html", "5.html", "6.html"] {
        assert!(folder.read(name).contains("proven safe"), "{name}");
    }
}

#[test]
fn an_intermediate_file_reads_back_the_same() {
    let folder = small();
    std::fs::write(folder.path("a.hst"), "N2;y;u\nN2;y;pl;3;7\nS1;;p\nS2;y;m\n").unwrap();
    let write = "<WRITETABLE> (1,5,,\"t.csv\")\n";
    folder.run(&format!("{READ}<APRIORI> \"a.hst\",1,\";\",0\n{write}")).unwrap();
    let first = folder.read("t.csv");
    let back = Folder::new(&[
        ("t.tab", &first),
        ("t.rda", &folder.read("t.rda")),
        ("t_reg.hrc", &folder.read("t_reg.hrc")),
    ]);
    back.run(
        "<OPENTABLEDATA> \"t.tab\"\n<OPENMETADATA> \"t.rda\"\n<SPECIFYTABLE> \"reg\"\"kind\"|\"val\"||\n<READTABLE>\n<WRITETABLE> (1,5,,\"again.csv\")\n",
    )
    .unwrap();
    assert_eq!(back.read("again.csv"), first);
}

#[test]
fn a_table_that_would_give_cells_away_is_not_written_for_the_public() {
    let folder = small();
    let said = folder.run(&format!("{READ}<WRITETABLE> (1,1,,\"t.csv\")\n")).unwrap_err();
    insta::assert_snapshot!(said);
    assert!(!folder.path("t.csv").exists() && !folder.path("t.html").exists());
    folder.run(&format!("{READ}<WRITETABLE> (1,3,AS+,\"t.csv\")\n")).unwrap();
}

#[test]
fn every_method_of_the_batch_language_runs_under_its_name_here() {
    let folder = small();
    for (call, name) in [
        ("GH(1)", "hypercube"),
        ("GH(1,75,1,0)", "hypercube"),
        ("MOD(1,5,1,1,1)", "modular"),
        ("MOD(1)", "modular"),
        ("OPT(1,10)", "optimal"),
        ("NET(1)", "network"),
        ("RND(1,15)", "rounding"),
        ("CTA(1)", "cta"),
        ("AUTO(1)", "auto"),
    ] {
        let log = folder
            .run(&format!("{READ}<SUPPRESS> {call}\n<WRITETABLE> (1,3,,\"t.csv\")\n"))
            .unwrap();
        let said = format!("by the method {name}");
        assert!(log.tables[0].proven && log.text().contains(&said), "{}", log.text());
    }
}

#[test]
fn names_are_written_as_the_metadata_spell_them() {
    let folder = small();
    let read = READ.replace("\"reg\"\"kind\"|\"val\"", "\"REG\"\"Kind\"|\"VAL\"");
    folder.run(&format!("{read}<WRITETABLE> (1,2,AS+,\"t.csv\")\n")).unwrap();
    assert!(folder.read("t.csv").starts_with("reg,kind,val,Status\n"));
}

#[test]
fn labels_of_codes_are_shown_in_the_report_and_kept() {
    let folder = small();
    let labelled = crate::support::RECORDS_RDA
        .replace("kind 1\n", "kind 1\n  <CODELIST> \"D:\\lists\\KIND.cdl\"\n")
        .replace("reg 2\n", "reg 2\n  <CODELIST> \"none.cdl\"\n  <DISTANCE> 1 2 5\n");
    std::fs::write(folder.path("r.rda"), labelled).unwrap();
    std::fs::write(folder.path("kind.cdl"), "x,\"Shops, large\"\ny,Farms & gardens\nz,Nothing\n")
        .unwrap();
    let log = folder.run(&format!("{READ}<WRITETABLE> (1,5,,\"t.tab\")\n")).unwrap();
    assert!(
        log.text().contains("no labels for `reg`: there is no file `none.cdl`"),
        "{}",
        log.text()
    );
    let report = folder.read("t.html");
    assert!(report.contains("x  Shops, large") && report.contains("y  Farms &amp; gardens"));
    assert_eq!(folder.read("t_kind.cdl"), "x,Shops, large\ny,Farms & gardens\n");
    let rda = folder.read("t.rda");
    assert!(rda.contains("<CODELIST> \"t_kind.cdl\"") && rda.contains("<DISTANCE> 1 2 5"), "{rda}");
}

#[test]
fn costs_by_distance_withhold_neighbours_first() {
    let mut records = String::new();
    for row in 1..=4 {
        for column in 1..=6 {
            for part in [40, 35, 30] {
                let only = row == 2 && column == 2;
                let part = if only && part < 40 { 1 } else { part };
                let _ = writeln!(records, "{row};{column};{part}");
            }
        }
    }
    let rda = "<SEPARATOR> \";\"\nr 1\n<RECODEABLE>\n<DISTANCE> 1 3 5 7 9\nc 1\n<RECODEABLE>\n<DISTANCE> 9 7 5 3 1\nv 3\n<NUMERIC>\n";
    let folder = Folder::new(&[("r.csv", &records), ("r.rda", rda)]);
    let read = "<OPENMICRODATA> \"r.csv\"\n<OPENMETADATA> \"r.rda\"\n<SPECIFYTABLE> \"r\"\"c\"|\"v\"||-3\n<SAFETYRULE> NK(1,85)\n<READMICRODATA>\n";
    folder
        .run(&format!("{read}<SUPPRESS> MOD(1,5,1,1,1)\n<WRITETABLE> (1,3,AS+,\"t.txt\")\n"))
        .unwrap();
    let text = folder.read("t.txt");
    let secondary: Vec<&str> =
        text.lines().filter(|line| line.ends_with(",11")).map(|line| &line[..7]).collect();
    // Along rows the next one is nearest, along columns the furthest.
    assert!(secondary.contains(&"\"2\",\"6\""), "{text}");
    assert!(secondary.contains(&"\"1\",\"2\"") || secondary.contains(&"\"3\",\"2\""), "{text}");
    let said = folder.run(&format!("{read}<SUPPRESS> OPT(1)\n")).unwrap_err();
    assert!(said.starts_with("b.arb:6: only `MOD` knows costs by distance"), "{said}");
}

#[test]
fn the_logbook_and_its_json_tell_what_happened() {
    let folder = small();
    let log = folder.run(&format!("<LOGBOOK> \"b.log\"\n<SOLVER> CPLEX,\"x.lic\"\n{READ}<SUPPRESS> AUTO(1)\n<WRITETABLE> (1,1,,\"t.csv\")\n<VERSIONINFO> \"v.txt\"\n")).unwrap();
    insta::assert_snapshot!(folder.clean(&log.text()));
    let times = folder.read("b.log");
    assert!(times.lines().all(|line| line.starts_with(' ') || line.contains(" : ")), "{times}");
    let json: serde_json::Value = serde_json::from_str(&folder.read("b.log.json")).unwrap();
    assert_eq!(json["status"], "ok");
    assert!(folder.read("v.txt").starts_with("cellveil "));
}

#[test]
fn outputs_go_where_they_are_sent_and_never_over_inputs() {
    let folder = small();
    std::fs::write(
        folder.path("b.arb"),
        format!("{READ}<WRITETABLE> (1,6,,\"C:\\old\\place\\t.jj\")\n"),
    )
    .unwrap();
    let out = folder.path("somewhere");
    folder
        .run_file("b.arb", &BatchOptions { out: Some(out.clone()), ..BatchOptions::default() })
        .unwrap();
    assert!(out.join("t.jj").is_file());
    let said = folder.run(&format!("{READ}<WRITETABLE> (1,5,,\"r.tab\")\n")).unwrap_err();
    assert_eq!(
        said,
        "r.rda: is read by this batch and would be written over\nhint: give the output another name, or send outputs elsewhere with `--out`"
    );
    assert!(!folder.path("r.tab").exists());
    assert!(folder.dir().join("r.rda").is_file());
}
