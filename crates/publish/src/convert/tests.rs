//! Content that goes there and back.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use super::convert;
use cellveil_argus::jj;
use std::fs;

const INSTANCE: &str = "0\n3\n7 30.5 30 u 0 1e20 3 3.5 0\n8 12 1 s 0 50 0 0 0\n9 18.5 2 z 0 1e20 0 0 0\n1\n0 3 : 7 (-1) 8 (1) 9 (1)\nsingletons 1 : 7\n";

#[test]
fn an_instance_comes_back_from_two_tables() {
    for kind in ["csv", "parquet", "xlsx"] {
        let dir = tempfile::tempdir().unwrap();
        let place = |name: &str| dir.path().join(name);
        fs::write(place("a.jj"), INSTANCE).unwrap();
        convert(&place("a.jj"), &place("direct.jj")).unwrap();
        let files = convert(&place("a.jj"), &place(&format!("b.{kind}"))).unwrap();
        assert_eq!(files[1], place(&format!("b-relations.{kind}")));
        convert(&files[0], &place("back.jj")).unwrap();
        let text = |name: &str| fs::read_to_string(place(name)).unwrap();
        assert_eq!(text("back.jj"), text("direct.jj"), "{kind}");
        assert_eq!(jj::read(&text("back.jj"), 0).unwrap().singletons().len(), 1);
    }
}

#[test]
fn a_table_comes_back_from_parquet_with_its_codes_as_texts() {
    let table = "region,value,status,CONF_STATUS\nTotal,30.50,v,F\n01,,p,A\n02,12.00,v,F\n";
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name);
    fs::write(place("a.csv"), table).unwrap();
    convert(&place("a.csv"), &place("a.parquet")).unwrap();
    convert(&place("a.parquet"), &place("b.csv")).unwrap();
    // Parquet holds numbers, not how many zeros they were written with.
    let back = table.replace("30.50", "30.5").replace("12.00", "12.0");
    assert_eq!(fs::read_to_string(place("b.csv")).unwrap(), back);
    assert_eq!(convert(&place("a.csv"), &place("a.xlsx")).unwrap(), [place("a.xlsx")]);
}

#[test]
fn what_cannot_be_converted_is_said_so() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name);
    fs::write(place("a.csv"), "region,value\nTotal,3\n").unwrap();
    fs::write(place("a-relations.csv"), "relation\n").unwrap();
    let message = |from: &str, to: &str| {
        let error = convert(&place(from), &place(to)).unwrap_err().to_string();
        error.replace(&format!("{}/", dir.path().display()), "")
    };
    insta::assert_snapshot!(
        [
            message("a.pdf", "a.csv"),
            message("a.csv", "a.ods"),
            message("a.xlsx", "a.csv"),
            message("none.csv", "a.parquet"),
            message("a.csv", "a.jj"),
        ]
        .join("\n")
    );
    assert!(!place("a.jj").exists());
}

#[test]
fn a_table_of_argus_goes_to_other_formats_and_back() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name);
    let rda = "<SEPARATOR> \";\"\nr\n<RECODEABLE>\n<TOTCODE> T\nv\n<NUMERIC>\n<DECIMALS> 1\nn\n<FREQUENCY>\ns\n<STATUS>\nl\n<NUMERIC> <LOWERPL>\nu\n<NUMERIC> <UPPERPL>\n";
    fs::write(place("t.tab"), "T;10,5;5;S;0;0\n 1;6;2;U;1,5;2\n 2;4,5;3;S;0;0\n").unwrap();
    fs::write(place("t.rda"), rda).unwrap();
    convert(&place("t.tab"), &place("t.csv")).unwrap();
    assert_eq!(
        fs::read_to_string(place("t.csv")).unwrap(),
        "r,value,respondents,status,down,up\nT,10.5,5,S,0.0,0\n1,6.0,2,U,1.5,2\n2,4.5,3,S,0.0,0\n"
    );
    convert(&place("t.tab"), &place("t.jj")).unwrap();
    let problem = jj::read(&fs::read_to_string(place("t.jj")).unwrap(), 0).unwrap();
    assert_eq!((problem.len(), problem.needs()[0].down, problem.needs()[0].up), (3, 15, 20));
    fs::rename(place("t.csv"), place("other.csv")).unwrap();
    convert(&place("other.csv"), &place("back.tab")).unwrap();
    convert(&place("back.tab"), &place("back.jj")).unwrap();
    assert_eq!(
        fs::read_to_string(place("back.jj")).unwrap().replace(".0", ""),
        fs::read_to_string(place("t.jj")).unwrap().replace(".0", "")
    );
    assert_eq!(convert(&place("t.tab"), &place("t.parquet")).unwrap(), [place("t.parquet")]);
    assert_eq!(convert(&place("t.tab"), &place("t.xlsx")).unwrap(), [place("t.xlsx")]);
}

#[test]
fn a_hierarchy_comes_back_from_parents_and_children() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name);
    let listed = "N\n@ 1\n@ 2\n@@2a\nS\n@3\n";
    fs::write(place("r.hrc"), listed).unwrap();
    convert(&place("r.hrc"), &place("r.csv")).unwrap();
    convert(&place("r.csv"), &place("back.hrc")).unwrap();
    assert_eq!(fs::read_to_string(place("back.hrc")).unwrap(), listed);
}

#[test]
fn records_of_argus_become_a_table_of_columns() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name);
    fs::write(place("r.asc"), "N1x 9.5\nN2y  12\n").unwrap();
    fs::write(
        place("r.rda"),
        "reg 1 2\n<RECODEABLE>\nkind 3 1\n<RECODEABLE>\nval 4 4\n<NUMERIC>\n",
    )
    .unwrap();
    convert(&place("r.asc"), &place("out.csv")).unwrap();
    assert_eq!(
        fs::read_to_string(place("out.csv")).unwrap(),
        "reg,kind,val\nN1,x,9.5\nN2,y,12.0\n"
    );
}

/// Sends a file to every format of rows and columns and back.
fn there_and_back(files: &[(&str, &str)], from: &str, back: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name);
    for (name, text) in files {
        fs::write(place(name), text).unwrap();
    }
    let kinds = ["csv", "parquet", "xlsx"];
    let there_and_back = |kind: &&str| {
        let (middle, end) = (place(&format!("there.{kind}")), place(back));
        convert(&place(from), &middle).unwrap();
        convert(&middle, &end).unwrap();
        fs::read_to_string(end).unwrap()
    };
    kinds.iter().map(there_and_back).collect()
}

#[test]
fn small_files_come_back_from_every_format() {
    for (name, text) in [
        ("a.hrc", "N\n@ 1\n@ 2\n@@2a\nS\n@3\n"),
        ("a.cdl", " 1,Groningen\n 2,Friesland, all of it\n"),
        ("a.grc", "1 : 1-5\n\"rest\" : 6, 7-\n"),
        ("b.grc", "<TREERECODE>\n142\n1500\n"),
        ("a.hst", "N2;y;u\nN2;y;pl;3;7\n;x;p\nS1;s;c;12.5\n"),
    ] {
        let end = name.rsplit('.').next().unwrap();
        for back in there_and_back(&[(name, text)], name, &format!("back.{end}")) {
            assert_eq!(back, text, "{name}");
        }
    }
}

#[test]
fn a_table_keeps_its_hierarchy_in_every_format() {
    let rda = "<SEPARATOR> \";\"\n<SAFE> S\n<UNSAFE> U\n<PROTECT> P\nreg\n  <RECODEABLE>\n  <TOTCODE> \"T\"\n  <HIERARCHICAL>\n  <HIERCODELIST> \"back_reg.hrc\"\n  <HIERLEADSTRING> \"@\"\nvalue\n  <NUMERIC>\nrespondents\n  <FREQUENCY>\nstatus\n  <STATUS>\n";
    let cells = "\"T\";60;9;S\n\"N\";30;5;S\n\"N1\";10;2;U\n\"N2\";20;3;P\n\"S\";30;4;M\n";
    let hrc = "N\n@N1\n@N2\nS\n";
    let described = rda.replace("back_reg", "D:\\\\x\\\\REG");
    let files = [("t.tab", cells), ("t.rda", &described), ("reg.hrc", hrc)];
    for back in there_and_back(&files, "t.tab", "back.tab") {
        assert_eq!(back, cells);
    }
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    convert(&dir.path().join("t.tab"), &dir.path().join("back.tab")).unwrap();
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    assert_eq!((read("back.rda"), read("back_reg.hrc")), (rda.to_owned(), hrc.to_owned()));
    convert(&dir.path().join("back.tab"), &dir.path().join("back.jj")).unwrap();
    assert_eq!(read("back.jj").lines().nth(1), Some("5"));
}

#[test]
fn records_come_back_from_every_format() {
    let rda =
        "reg 1 2\n  <RECODEABLE>\nkind 4 2\n  <RECODEABLE>\nval 7 4\n  <NUMERIC>\n  <DECIMALS> 1\n";
    let records = "N1 01  9.5\nN2 02 12.0\nN2 01 -3.5\n";
    for back in there_and_back(&[("r.asc", records), ("r.rda", rda)], "r.asc", "back.asc") {
        // Numbers may be written with fewer zeros.
        assert_eq!(back.replace("12.0", "  12"), records.replace("12.0", "  12"));
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("r.csv"), "reg,kind,val\nN1,01,9.5\nN2,02,12\n").unwrap();
    let files = convert(&dir.path().join("r.csv"), &dir.path().join("s.asc")).unwrap();
    let text = fs::read_to_string(&files[1]).unwrap();
    assert_eq!(text, rda.replace("val 7 4", "val 7 3"));
    let files = convert(&dir.path().join("r.csv"), &dir.path().join("free.dat")).unwrap();
    assert_eq!(fs::read_to_string(&files[0]).unwrap(), "N1;01;9.5\nN2;02;12\n");
    convert(&files[0], &dir.path().join("back.csv")).unwrap();
    let back = fs::read_to_string(dir.path().join("back.csv")).unwrap();
    assert_eq!(back.replace("12.0", "12"), "reg,kind,val\nN1,01,9.5\nN2,02,12\n");
}
