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
