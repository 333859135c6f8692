//! Every mistake has a place and a way out.

use crate::support::{Folder, READ, RECORDS, RECORDS_RDA, REGIONS, small};

#[test]
fn commands_in_the_wrong_position() {
    let folder = small();
    let said: Vec<String> = [
        "<READMICRODATA>",
        "<OPENMETADATA> \"r.rda\"",
        "<SAFETYRULE> FREQ(3,10)",
        "<SUPPRESS> AUTO(1)",
        "<WRITETABLE> (1,3,,\"t\")",
        "<OPENMICRODATA> \"r.csv\"\n<OPENMICRODATA> \"r.csv\"",
        "<OPENMICRODATA> \"r.csv\"\n<OPENMETADATA> \"r.rda\"\n<READTABLE>",
        "<OPENMICRODATA> \"r.csv\"\n<OPENMETADATA> \"r.rda\"\n<SPECIFYTABLE> \"reg\"|\"<freq>\"||\n<SAFETYRULE> P(10)",
        "<OPENMICRODATA> \"\\\\server\\x\\none.csv\"",
    ]
    .iter()
    .map(|batch| folder.run(batch).unwrap_err())
    .chain([
        folder.run(&format!("{READ}<SUPPRESS> AUTO(2)")).unwrap_err(),
        folder.run(&format!("{READ}<APRIORI> \"none.hst\",1,\";\"")).unwrap_err(),
        folder.run(&format!("{READ}<RECODE> 1,size,2")).unwrap_err(),
    ])
    .collect();
    insta::assert_snapshot!(said.join("\n\n"));
}

fn with(records: &str, rda: &str, hrc: &str) -> String {
    let folder = Folder::new(&[("r.csv", records), ("r.rda", rda), ("reg.hrc", hrc)]);
    folder.run(READ).unwrap_err()
}

#[test]
fn records_and_metadata_that_do_not_fit() {
    let fixed = "reg 1 2\n<RECODEABLE>\nkind 3 1\n<RECODEABLE>\nval 4 3\n<NUMERIC>\n";
    let said = [
        with("N1x 90\nN1y 5\n", fixed, REGIONS),
        with("N1x 90\n", &fixed.replace("val 4 3", "val 4 9"), REGIONS),
        with("N1;x\n", RECORDS_RDA, REGIONS),
        with("N1;x;ninety\n", RECORDS_RDA, REGIONS),
        with("N1;x;9,5\n", RECORDS_RDA, REGIONS),
        with("X1;x;9\n", RECORDS_RDA, REGIONS),
        with("N;x;9\n", RECORDS_RDA, REGIONS),
        with("", RECORDS_RDA, REGIONS),
        with(RECORDS, &RECORDS_RDA.replace("<NUMERIC>", "<NUMRIC>"), REGIONS),
        with(RECORDS, &RECORDS_RDA.replace("val 9", "val"), REGIONS),
        with(RECORDS, &RECORDS_RDA.replace("kind 1", "REG 1"), REGIONS),
        with(RECORDS, &RECORDS_RDA.replace("val 9", "vall 9"), REGIONS),
        with(RECORDS, &RECORDS_RDA.replace("  <NUMERIC>\n", ""), REGIONS),
        with(RECORDS, &RECORDS_RDA.replace("reg.hrc", "none.hrc"), REGIONS),
        with(RECORDS, &RECORDS_RDA.replace("\";\"", "\";;\""), REGIONS),
        with(RECORDS, &format!("<SPSS>\n{RECORDS_RDA}"), REGIONS),
        with(RECORDS, RECORDS_RDA, "N\n@@N1\n"),
        with(RECORDS, RECORDS_RDA, "N\n@\n"),
        with(RECORDS, RECORDS_RDA, "N\n@N1\nS\n@N1\n"),
        with(RECORDS, RECORDS_RDA, "Total\n@N1\n"),
        with(RECORDS, &RECORDS_RDA.replace("reg 2", "reg 2 N2"), REGIONS),
    ];
    insta::assert_snapshot!(said.join("\n\n"));
}

const TABLE_RDA: &str = "<SEPARATOR> \";\"\nr\n<RECODEABLE>\n<TOTCODE> T\nv\n<NUMERIC>\nn\n<FREQUENCY>\nm\n<MAXSCORE>\ns\n<STATUS>\n";

fn table(lines: &str) -> String {
    let folder = Folder::new(&[("t.tab", lines), ("t.rda", TABLE_RDA)]);
    folder
        .run("<OPENTABLEDATA> \"t.tab\"\n<OPENMETADATA> \"t.rda\"\n<SPECIFYTABLE> \"r\"|\"v\"||\n<READTABLE>\n")
        .unwrap_err()
}

#[test]
fn finished_tables_that_contradict_themselves() {
    let said = [
        table("T;10;3;9;S\na;6;2;5;S\na;4;1;4;S\n"),
        table("T;10;3;9;S\na;6;2;5;Q\nb;4;1;4;S\n"),
        table("T;10;3;9;S\na;;2;5;S\nb;4;1;4;S\n"),
        table("T;10;3;9;S\na;6;0;5;S\nb;4;1;4;S\n"),
        table("T;10;3;9;S\na;;;;U\nb;4;1;4;S\n"),
        table("T;10;3;9;S\na;6;2;5;E\nb;4;1;4;S\n"),
        table("T;10;3;9;S\na;six;2;5;S\nb;4;1;4;S\n"),
        table("T;10;3\n"),
        table("T;11;3;9;S\na;6;2;5;S\nb;4;1;4;S\n"),
        table("a;6;2;5;S\nb;4;1;4;S\n"),
    ];
    insta::assert_snapshot!(said.join("\n\n"));
}

#[test]
fn the_example_of_the_metadata_reads() {
    let folder = Folder::new(&[
        ("t.tab", "T;10;3;9;S\na;6;2;5;u\nb;4;1;4;S\n"),
        ("t.rda", &TABLE_RDA.replace("<SEPARATOR> \";\"", "<SEPARATOR> \";\"\n<UNSAFE> u")),
    ]);
    let log = folder
        .run("<OPENTABLEDATA> \"t.tab\"\n<OPENMETADATA> \"t.rda\"\n<SPECIFYTABLE> \"r\"|\"v\"||\n<READTABLE>\n")
        .unwrap();
    assert_eq!(log.tables[0].primary, 1);
}

#[test]
fn metadata_that_contradict_themselves() {
    let rda = RECORDS_RDA;
    let weights = format!("{rda}w 1\n<WEIGHT>\nw2 1\n<WEIGHT>\n");
    let digits = rda.replace("kind 1\n", "kind 1\n  <HIERLEVELS> 2 1\n");
    let said = [
        with(RECORDS, &weights, REGIONS),
        with(RECORDS, &digits, REGIONS),
        with(RECORDS, &rda.replace("kind 1", "kind 1 99"), REGIONS),
        with(RECORDS, &rda.replace("kind 1", "kind 1 7 8 9"), REGIONS),
        with(RECORDS, &rda.replace("  <HIERCODELIST> \"reg.hrc\"\n", ""), REGIONS),
        with(RECORDS, &rda.replace("<NUMERIC>", "<NUMERIC> <SHADOW>"), REGIONS),
        with(RECORDS, &rda.replace("<NUMERIC>", "<NUMERIC>\n<DECIMALS> x"), REGIONS),
        with(RECORDS, &rda.replace("<NUMERIC>", "<FREQUENCY>"), REGIONS),
        with(RECORDS, &format!("<RECODEABLE>\n{rda}"), REGIONS),
        with(RECORDS, &rda.replace("<RECODEABLE>", ""), REGIONS),
        with(RECORDS, &rda.replace("kind 1\n  <RECODEABLE>", "kind 1\n  <REQUEST>"), REGIONS),
    ];
    insta::assert_snapshot!(said.join("\n\n"));
}

/// A table whose metadata, or rules, are changed.
fn described(rda: &str, rule: &str, lines: &str) -> String {
    let folder = Folder::new(&[("t.tab", lines), ("t.rda", rda), ("r.hrc", "a\nb\n")]);
    folder
        .run(&format!("<OPENTABLEDATA> \"t.tab\"\n<OPENMETADATA> \"t.rda\"\n<SPECIFYTABLE> \"r\"|\"v\"||\n<SAFETYRULE> {rule}\n<READTABLE>\n"))
        .unwrap_err()
}

#[test]
fn finished_tables_that_do_not_fit_their_metadata() {
    let good = "T;10;3;9;S\na;6;2;5;S\nb;4;1;4;S\n";
    let listed = TABLE_RDA.replace(
        "<TOTCODE> T",
        "<TOTCODE> T\n<HIERARCHICAL>\n<HIERCODELIST> \"r.hrc\"\n<HIERLEADSTRING> \"@\"",
    );
    let costs = format!("{TABLE_RDA}c\n<NUMERIC> <COST>\n");
    let tops = TABLE_RDA.replace("s\n<STATUS>", "k\n<MAXSCORE>\ns\n<STATUS>");
    let said = [
        described(&TABLE_RDA.replace("<TOTCODE> T\n", ""), "", good),
        described(&format!("{TABLE_RDA}s2\n<STATUS>\n"), "", good),
        described("r\n<RECODEABLE>\n<TOTCODE> T\ns\n<STATUS>\n", "", good),
        described(&listed, "", "T;10;3;9;S\na;6;2;5;S\nc;4;1;4;S\n"),
        described(&costs, "", "T;10;3;9;S;1\na;6;2;5;S;-1\nb;4;1;4;S;1\n"),
        described(&tops, "P(10)", "T;10;3;5;4;S\na;6;2;2;4;S\nb;4;1;4;0;S\n"),
        described(&tops, "P(10)", "T;10;3;5;4;S\na;6;2;5;4;S\nb;4;1;4;0;S\n"),
        described(TABLE_RDA, "P(10)", good),
        described(TABLE_RDA, "WGT(1)", good),
        described(&TABLE_RDA.replace("n\n<FREQUENCY>", "n\n<NUMERIC>"), "FREQ(3,10)", good),
    ];
    insta::assert_snapshot!(said.join("\n\n"));
}

#[test]
fn recodes_that_make_no_sense() {
    let folder = small();
    let rda = RECORDS_RDA.replace("kind 1\n", "kind 1 \"9\"\n");
    std::fs::write(folder.path("r.rda"), rda).unwrap();
    let recode = |variable: &str, text: &str| {
        std::fs::write(folder.path("x.grc"), text).unwrap();
        folder.run(&format!("{READ}<RECODE> 1,{variable},\"x.grc\"\n")).unwrap_err()
    };
    let said = [
        recode("kind", "1 x y\n"),
        recode("kind", "1 : x\n2 : y - x\n"),
        recode("kind", "1 : 9\n"),
        recode("kind", "<TREERECODE>\nq\n"),
        recode("reg", "1 : N1 - N2\n"),
        recode("reg", "<TREERECODE>\nNN\n"),
        folder.run(&format!("{READ}<RECODE> 1,reg,\"none.grc\"\n")).unwrap_err(),
        folder.run(&format!("{READ}<RECODE> 1,reg\n")).unwrap_err(),
    ];
    insta::assert_snapshot!(said.join("\n\n"));
}

#[test]
fn nothing_is_written_for_a_table_that_cannot_be_protected() {
    let folder = small();
    // Everything but the sensitive cell must be published.
    let mut lines = String::new();
    for reg in ["", "N", "N1", "N2", "S", "S1", "S2"] {
        for kind in ["", "x", "y"] {
            if (reg, kind) != ("N1", "x") {
                lines.push_str(&[reg, ";", kind, ";p\n"].concat());
            }
        }
    }
    std::fs::write(folder.path("a.hst"), lines).unwrap();
    for method in ["MOD(1)", "OPT(1)", "GH(1)", "CTA(1)", "AUTO(1)"] {
        let batch = format!(
            "{READ}<APRIORI> \"a.hst\",1,\";\",0\n<SUPPRESS> {method}\n<WRITETABLE> (1,1,,\"t.csv\")\n"
        );
        let said = folder.run(&batch).unwrap_err();
        assert!(
            said.starts_with("b.arb:7: ") && said.contains("reg=N1, kind=x"),
            "{method}: {said}"
        );
        assert!(said.contains("\nhint: "), "{method}: {said}");
        assert!(!folder.path("t.csv").exists() && !folder.path("t.html").exists());
    }
}
