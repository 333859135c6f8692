//! A-priori files: order, expansion, refusals, and a million lines.

use crate::support::{READ, small};
use std::fmt::Write;

fn statuses(folder: &crate::support::Folder) -> Vec<String> {
    let text = folder.read("t.csv");
    let wanted = |line: &&str| line.contains(";U;") || line.contains(";P;") || line.contains(";M;");
    text.lines().filter(wanted).map(str::to_owned).collect()
}

#[test]
fn lines_are_followed_in_order() {
    let folder = small();
    std::fs::write(
        folder.path("a.hst"),
        "N2;y;u\nN2;y;pl;3;7\nS1;;p\n\"S2\";\"x\";c;1\nN1;x;s\nS2;y;m\n",
    )
    .unwrap();
    folder
        .run(&format!("{READ}<APRIORI> \"a.hst\",1,\";\",0\n<WRITETABLE> (1,5,SO+,\"t.csv\")\n"))
        .unwrap();
    insta::assert_snapshot!(statuses(&folder).join("\n"));
}

#[test]
fn mistakes_are_skipped_and_counted_or_stop_the_batch() {
    let folder = small();
    std::fs::write(folder.path("a.hst"), "N2,y,u\nN9,y,u\nN2,y,p\nN2,x,pl,3\nN2,x,zz\nN2\n")
        .unwrap();
    let log = folder.run(&format!("{READ}<APRIORI> \"a.hst\",1,\",\"\n")).unwrap();
    insta::assert_snapshot!(log.commands.last().unwrap().messages.join("\n"));
    let said = folder.run(&format!("{READ}<APRIORI> \"a.hst\",1,\",\",0\n")).unwrap_err();
    assert_eq!(said, "a.hst:2: `N9` is no code of `reg`\nhint: correct it, or remove the line");
    let said = folder.run(&format!("{READ}<APRIORI> \"a.hst\",1,\";\",0\n")).unwrap_err();
    assert_eq!(
        said,
        "a.hst:1: the first line has no `;`\nhint: name the separator of the file in `<APRIORI>`"
    );
}

#[test]
fn equal_cells_are_meant_as_well_when_lines_are_expanded() {
    let folder = small();
    std::fs::write(folder.path("reg.hrc"), "N\n@NN\n@@N1\n@@N2\nS\n@S1\n@S2\n").unwrap();
    std::fs::write(folder.path("a.hst"), "N;y;u\n").unwrap();
    for (flag, count) in [(0, 1), (1, 2)] {
        folder
            .run(&format!(
                "{READ}<APRIORI> \"a.hst\",1,\";\",0,{flag}\n<WRITETABLE> (1,5,,\"t.csv\")\n"
            ))
            .unwrap();
        let manual = statuses(&folder)
            .iter()
            .filter(|line| line.starts_with("\"N") && line.contains("\"y\""))
            .count();
        assert_eq!(manual, count);
    }
}

#[test]
fn a_million_lines_are_read_in_one_go() {
    let folder = small();
    let mut records = String::new();
    let mut lines = String::new();
    for row in 0..1000 {
        for column in 0..1000 {
            let _ = writeln!(lines, "{row:04};{column:04};c;7");
            if row == 0 || column == 0 || (row + column) % 50 == 0 {
                let _ = writeln!(records, "{row:04};{column:04};{}", row + column + 1);
            }
        }
    }
    std::fs::write(folder.path("r.csv"), records).unwrap();
    std::fs::write(folder.path("a.hst"), lines).unwrap();
    std::fs::write(
        folder.path("r.rda"),
        "<SEPARATOR> \";\"\na 4\n<RECODEABLE>\nb 4\n<RECODEABLE>\nv 9\n<NUMERIC>\n",
    )
    .unwrap();
    let batch = "<OPENMICRODATA> \"r.csv\"\n<OPENMETADATA> \"r.rda\"\n<SPECIFYTABLE> \"a\"\"b\"|\"v\"||\n<SAFETYRULE> FREQ(1,10)\n<READMICRODATA>\n";
    let log = folder.run(&format!("{batch}<APRIORI> \"a.hst\",1,\";\",1,0\n")).unwrap();
    assert!(log.commands.last().unwrap().messages[0].starts_with("a-priori `c`: "));
}
