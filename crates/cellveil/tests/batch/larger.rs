//! Batches of an office: three dimensions with hierarchies, holdings, links, chains of a-priori files, paths of another machine.

use crate::support::Folder;
use cellveil::BatchOptions;
use std::fmt::Write;

const RDA: &str = "<SEPARATOR> \";\"\r\n\
nace 4\r\n <RECODABLE>\r\n <TOTCODE> \"All\"\r\n <HIERARCHICAL>\r\n <HIERLEVELS> 2 1 1\r\n\
reg 3\r\n <RECODEABLE>\r\n <HIERARCHICAL>\r\n <HIERCODELIST> \"X:\\meta\\REG.HRC\"\r\n <HIERLEADSTRING> \"@\"\r\n\
size 1 \"9\"\r\n <RECODEABLE>\r\n\
turn 12\r\n <NUMERIC>\r\n <DECIMALS> 1\r\ngrp 6\r\n <HOLDING>\r\nwgt 4\r\n <WEIGHT>\r\n";

/// A few thousand skewed records in no particular order of anything but their holdings.
fn office() -> Folder {
    let mut state: u64 = 5;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let regions = ["S1a", "S1b", "S2a", "N1a", "N1b", "N1c", "W1"];
    let mut records = String::new();
    for record in 0..6000_u64 {
        let nace = ["10", "11", "20", "25"][draw(4) as usize];
        let (branch, class) = (1 + draw(3), 1 + draw(2));
        let region = regions[draw(7) as usize];
        let size = ["A", "B", "C"][draw(3) as usize];
        let turnover = 2_u64.pow(draw(12) as u32) * (1 + draw(9));
        let holding = record / 3;
        let weight = 1 + draw(3);
        let _ = write!(
            records,
            "{nace}{branch}{class};{region};{size};{turnover}.5;{holding};{weight}\r\n"
        );
    }
    Folder::new(&[
        ("Recs.csv", &records),
        ("recs.RDA", RDA),
        (
            "reg.hrc",
            "S\r\n@S1\r\n@@S1a\r\n@@S1b\r\n@S2\r\n@@S2a\r\nN\r\n@N1\r\n@@N1a\r\n@@N1b\r\n@@N1c\r\nW1\r\n",
        ),
    ])
}

const OPEN: &str =
    "<OPENMICRODATA> \"\\\\srv\\data\\RECS.CSV\"\r\n<OPENMETADATA> \"D:\\old place\\recs.rda\"\r\n";

fn run(folder: &Folder, text: &str, strict: bool) -> cellveil::BatchLog {
    std::fs::write(folder.path("b.arb"), format!("{OPEN}{text}")).unwrap();
    let out = Some(folder.path("out"));
    folder.run_file("b.arb", &BatchOptions { out, strict, ..BatchOptions::default() }).unwrap()
}

#[test]
fn three_dimensions_with_hierarchies_are_proven_safe_and_written_in_every_format() {
    let folder = office();
    let log = run(
        &folder,
        "<SPECIFYTABLE> \"nace\"\"reg\"\"size\"|\"turn\"|\"\"|\"\"\r\n<SAFETYRULE> P(20,1)|FREQ(3,10)\r\n<READMICRODATA>\r\n\
         <SUPPRESS> MOD(1,5,1,1,1,5000,0.98,1.02)\r\n<WRITETABLE> (1,1,,\"1.csv\")\r\n<WRITETABLE> (1,2,1,\"C:\\out\\2.csv\")\r\n\
         <WRITETABLE> (1,3,SE+,\"3.csv\")\r\n<WRITETABLE> (1,4,HL+,\"4.csv\")\r\n<WRITETABLE> (1,5,1,\"\\\\srv\\5.csv\")\r\n<WRITETABLE> (1,6,TR+,\"6.jj\")\r\n",
        false,
    );
    let table = &log.tables[0];
    assert!(table.proven && table.primary > 10 && table.secondary > 10, "{table:?}");
    for name in ["1.csv", "2.csv", "3.csv", "4.csv", "5.csv", "5.rda", "5_reg.hrc", "6.jj", "6.frq"]
    {
        assert!(folder.path("out").join(name).is_file(), "{name}");
    }
    // A region with one part is that part: they share their fate.
    let text = folder.read("out/2.csv");
    let status = |region: &str| -> Vec<String> {
        let of = |line: &&str| line.contains(&format!("\"{region}\","));
        let last = |line: &str| line.rsplit(',').next().unwrap().to_owned();
        text.lines().filter(of).map(last).collect()
    };
    assert_eq!(status("S2"), status("S2a"));
}

#[test]
fn holdings_count_once_and_weights_count_fully() {
    let folder = office();
    let log = run(
        &folder,
        "<SPECIFYTABLE> \"nace\"\"reg\"|\"turn\"||\"-1\",0.5\r\n<SAFETYRULE> NK(0,0)|NK(0,0)|NK(1,30)|NK(2,40)|FREQ(0,0)|FREQ(3,10)\r\n\
         <SPECIFYTABLE> \"nace\"\"size\"|\"turn\"||\r\n<SAFETYRULE> P(10,1)|WGT(1)|MIS(1)\r\n\
         <SPECIFYTABLE> \"nace\"\"reg\"|\"<freq>\"|\"\"|-2\r\n<SAFETYRULE> FREQ(5,20)\r\n<READMICRODATA>\r\n\
         <SUPPRESS> MOD(1,5)\r\n<SUPPRESS> GH(2,80)\r\n<SUPPRESS> OPT(3,1)\r\n\
         <WRITETABLE> (1,5,HI+,\"h.csv\")\r\n<WRITETABLE> (2,1,,\"w.csv\")\r\n<WRITETABLE> (3,3,,\"f.csv\")\r\n",
        false,
    );
    assert!(log.tables.iter().all(|table| table.proven));
    assert!(log.tables[0].primary > 0 && log.tables[0].secondary > 0);
}

#[test]
fn linked_tables_with_a_chain_of_a_priori_files_are_one_system() {
    let folder = office();
    std::fs::write(
        folder.path("one.hst"),
        "1011;N;u\n1011;N;pl;100;100\n;N;p\n\"1012\";\"N1\";c;5\n",
    )
    .unwrap();
    std::fs::write(folder.path("two.hst"), "1011,N,s\n\"All\",S1,p\n1012,S1,w,3\n9999,S1,u\n")
        .unwrap();
    let batch = "<SPECIFYTABLE> \"nace\"\"reg\"|\"turn\"||\r\n<SAFETYRULE> P(20,1)|FREQ(3,10)\r\n\
        <SPECIFYTABLE> \"reg\"\"size\"|\"turn\"||\r\n<SAFETYRULE> P(20,1)|FREQ(3,10)\r\n\
        <SPECIFYTABLE> \"nace\"\"size\"|\"turn\"||\r\n<SAFETYRULE> P(20,1)|FREQ(3,10)\r\n<READMICRODATA>\r\n\
        <APRIORY> \"C:\\one.hst\",1,\";\",1,1\r\n<APRIORI> \"two.hst\",1,\",\",1,0\r\n<SUPPRESS> MOD(0,5,1,1,1)\r\n\
        <WRITETABLE> (1,3,AS+,\"1.csv\")\r\n<WRITETABLE> (2,3,AS+,\"2.csv\")\r\n<WRITETABLE> (3,3,AS+,\"3.csv\")\r\n";
    for strict in [false, true] {
        let log = run(&folder, batch, strict);
        assert!(log.tables.iter().all(|table| table.proven));
        assert!(log.tables[0].primary > 0 && log.tables[0].secondary > 0);
        assert!(log.text().contains("a-priori `u`: 0 lines followed, 1 skipped"), "{}", log.text());
        let margin = |text: &str, total: usize, code: usize| -> Vec<String> {
            let fields = text
                .lines()
                .map(|l| l.replace('"', "").split(',').map(str::to_owned).collect::<Vec<_>>());
            let of = |f: &Vec<String>| ["All", "Total"].contains(&f[total].as_str());
            let mut found: Vec<String> =
                fields.filter(of).map(|f| format!("{} {}", f[code], f[3])).collect();
            found.sort();
            // A cell that only one of the tables was told about keeps the word for it.
            found.iter().map(|cell| cell.replace(" 10", " 1").replace(" 2", " 1")).collect()
        };
        let [one, two, three] =
            ["1.csv", "2.csv", "3.csv"].map(|name| folder.read(&format!("out/{name}")));
        assert_eq!(margin(&one, 0, 1), margin(&two, 1, 0));
        assert_eq!(margin(&one, 1, 0), margin(&three, 1, 0));
    }
}
