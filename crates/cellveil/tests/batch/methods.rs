//! What the methods of τ-ARGUS are known to withhold.

use crate::support::Folder;
use cellveil::BatchOptions;

const DEMO: &str = "<OPENMICRODATA> \"tau_testW.asc\"\n<OPENMETADATA> \"tau_testw.rda\"\n";
const P15: &str =
    "<SPECIFYTABLE> \"Size\"\"Region\"|\"Var2\"||\n<SAFETYRULE> P(15,1)\n<READMICRODATA>\n";
const P20: &str = "<SPECIFYTABLE> \"Size\"\"Region\"|\"Var2\"|\"Var3\"|\"Var3\"\n<SAFETYRULE> P(20,3)|FREQ(3,30)|ZERO(20)\n<READMICRODATA>\n";
const NK: &str = "<SPECIFYTABLE> \"Size\"\"Year\"|\"Var2\"|\"Var3\"|\"Var3\"\n<SAFETYRULE> NK(3,70)|FREQ(3,30)|ZERO(20)\n<READMICRODATA>\n";

/// One line of an intermediate file that was written with `SO+`: codes, value, frequency, cost, status, levels.
struct Row(Vec<String>);

impl Row {
    fn number(&self, column: usize) -> f64 {
        self.0[column].parse().unwrap()
    }

    fn is(&self, status: &str) -> bool {
        self.0[5] == status
    }
}

/// Runs a method on the demonstration data.
fn protect(table: &str, method: &str) -> Option<Vec<Row>> {
    let folder = Folder::of("argus-demo")?;
    let log = folder
        .run(&format!("{DEMO}{table}<SUPPRESS> {method}\n<WRITETABLE> (1,5,SO+,\"t.csv\")\n"))
        .unwrap();
    assert!(log.tables[0].proven);
    let text = folder.read("t.csv");
    let row = |line: &str| Row(line.split(';').map(|field| field.replace('"', "")).collect());
    Some(text.lines().map(row).collect())
}

fn count(rows: &[Row], status: &str) -> usize {
    rows.iter().filter(|row| row.is(status)).count()
}

/// The cost of the secondaries in the whole numbers of a JJ file.
fn scaled_cost(rows: &[Row]) -> f64 {
    let largest = rows.iter().map(|row| row.number(4)).fold(0.0, f64::max);
    let scaled = |row: &Row| (row.number(4) * 20_000.0 / largest).round().max(1.0);
    rows.iter().filter(|row| row.is("M")).map(scaled).sum()
}

#[test]
fn the_modular_method_withholds_the_very_cells_of_the_published_file() {
    let Some(folder) = Folder::of("argus-demo") else { return };
    let published =
        cellveil_testkit::shared().unwrap().join("data/argus-batch/simple2d/Simple2D.txt");
    folder
        .run(&format!("{DEMO}{P15}<SUPPRESS> MOD(1,5,1,1,1)\n<WRITETABLE> (1,3,AS+,\"t.txt\")\n"))
        .unwrap();
    let published = std::fs::read_to_string(published).unwrap();
    let published: Vec<&str> = published.lines().map(str::trim_end).collect();
    assert_eq!(folder.read("t.txt").lines().collect::<Vec<_>>(), published);
}

#[test]
fn the_modular_method_withholds_as_many_cells_as_published() {
    for (table, cells) in [(P20, 10), (NK, 5)] {
        let Some(rows) = protect(table, "MOD(1,5,1,1,1)") else { return };
        assert_eq!(count(&rows, "M"), cells);
    }
}

#[test]
fn the_optimal_method_costs_what_the_exact_optimum_costs() {
    for (table, method, cells, cost) in [
        (P15, "OPT(1,10)", 12, 1301.0),
        (P15, "OPT(1,10,0,0,0)", 6, 621.0),
        (P20, "OPT(1,10)", 12, 2766.0),
        (P20, "OPT(1,10,0,0,0)", 9, 1916.0),
    ] {
        let Some(rows) = protect(table, method) else { return };
        assert_eq!((count(&rows, "M"), scaled_cost(&rows)), (cells, cost), "{method}");
        let cell = rows.iter().find(|row| row.0[0] == " 9" && row.0[1] == " 4").unwrap();
        if table == P15 {
            let interval = [cell.number(2) - cell.number(6), cell.number(2) + cell.number(7)];
            assert_eq!(interval.map(|end| end.round() as i64), [10_680, 13_256]);
        }
    }
}

#[test]
fn a_large_hierarchical_table_is_safe_and_no_dearer_than_published() {
    let Some(folder) = Folder::of("argus-demo") else { return };
    let log = folder
        .run(&format!(
            "{DEMO}<SPECIFYTABLE> \"IndustryCode\"\"Region\"|\"Var1\"||\n<SAFETYRULE> NK(1,85)|FREQ(3,10)\n\
             <SPECIFYTABLE> \"IndustryCode\"\"Region\"|\"<freq>\"||\n<SAFETYRULE> FREQ(3,10)\n<READMICRODATA>\n\
             <SUPPRESS> MOD(1,5,1,1,1)\n<WRITETABLE> (1,5,SO+SE+,\"t.csv\")\n"
        ))
        .unwrap();
    let [amounts, counts] = &log.tables[..] else { unreachable!() };
    assert_eq!((amounts.cells, amounts.empty), (12_798, 4539));
    assert_eq!(amounts.unsafe_by_status, [(3, 983), (5, 348)]);
    assert_eq!((counts.primary, counts.empty), (1260, 4539));
    assert!(amounts.proven);
    let text = folder.read("t.csv");
    let fields = text.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let sum: f64 = fields.filter(|f| f[5] == "M").map(|f| f[2].parse::<f64>().unwrap()).sum();
    assert!(sum <= 48_068_689.0, "{sum}");
}

/// Fields of an intermediate file, without blanks.
fn fields(text: &str) -> Vec<Vec<String>> {
    let line = |line: &str| line.split(';').map(|f| f.replace('"', "").trim().to_owned()).collect();
    text.lines().map(line).collect()
}

#[test]
fn batches_from_another_machine_give_the_cells_and_levels_they_gave_there() {
    let Some(folder) = Folder::of("sas2argus") else { return };
    let out = folder.path("out");
    let options = BatchOptions { out: Some(out.clone()), ..BatchOptions::default() };
    for (name, unsafe_cells, secondary, cost) in
        [("Example1", 15, 4, 4954.0), ("Example4", 12, 7, 2947.0)]
    {
        let theirs = fields(&folder.read(&format!("{name}_Out_5_1.csv")));
        let log = folder.run_file(&format!("{name}.ARB"), &options).unwrap();
        let table = &log.tables[0];
        assert_eq!((table.cells, table.empty), (286, 6));
        assert_eq!((table.primary, table.secondary), (unsafe_cells, secondary));
        let ours = std::fs::read_to_string(out.join(format!("{name}_Out_5_1.csv"))).unwrap();
        let ours = fields(&ours);
        assert_eq!(ours.len(), 286);
        let of = |row: &[String]| {
            let level = |at: usize| row[at].parse::<f64>().unwrap();
            let numbers = [2, 5, 9, 10].map(|at| (level(at) * 1e6).round());
            (row[0].clone(), row[1].clone(), row[8].clone(), numbers)
        };
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(of(ours), of(theirs), "{name}");
        }
        let withheld = ours.iter().filter(|row| row[8] == "M");
        let sum: f64 = withheld.map(|row| row[2].parse::<f64>().unwrap()).sum();
        assert!((sum - cost).abs() < 1e-9, "{name}: {sum}");
        for file in ["_Out_5_1.rda", ".LOG", ".LOG.json"] {
            assert!(out.join(format!("{name}{file}")).is_file(), "{name}{file}");
        }
    }
}

#[test]
fn small_batches_cost_what_the_optimum_costs() {
    for (folder, name, output, cost) in [
        ("argus-batch/batch_ex1", "batch_ex1.arb", "tabout_ex1.txt", 1950.0),
        ("argus-batch/batch_ex2", "batch_ex2.arb", "tabout_ex2.txt", 4188.31),
    ] {
        let Some(folder) = Folder::of(folder) else { return };
        folder.run_file(name, &BatchOptions::default()).unwrap();
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
fn turnover_needs_no_more_cells_than_published() {
    let Some(folder) = Folder::of("rtauargus") else { return };
    let csv = folder.read("turnover_act_size.csv");
    let (mut few, mut large) = (0, 0);
    let rows = csv.lines().skip(1).map(|line| {
        let f: Vec<&str> = line.split(',').collect();
        let (n, total, largest): (u64, f64, f64) =
            (f[2].parse().unwrap(), f[3].parse().unwrap(), f[4].parse().unwrap());
        few += usize::from(n < 3);
        large += usize::from(n >= 3 && largest > 0.85 * total);
        let status = if n < 3 || largest > 0.85 * total { "U" } else { "S" };
        format!("{},{},{},{},{status}", f[0], f[1], f[3], f[2])
    });
    let rows: Vec<String> = rows.collect();
    assert_eq!((rows.len(), few, large), (414, 52, 25));
    std::fs::write(folder.path("t.tab"), rows.join("\n")).unwrap();
    std::fs::write(
        folder.path("t.rda"),
        "<SEPARATOR> \",\"\nACTIVITY\n<RECODEABLE>\n<TOTCODE> \"Total\"\n<HIERARCHICAL>\n<HIERCODELIST> \"activity.hrc\"\n<HIERLEADSTRING> \"@\"\n\
         SIZE\n<RECODEABLE>\n<TOTCODE> \"Total\"\nTOT\n<NUMERIC>\n<DECIMALS> 4\nN_OBS\n<FREQUENCY>\nST\n<STATUS>\n",
    )
    .unwrap();
    let log = folder
        .run("<OPENTABLEDATA> \"t.tab\"\n<OPENMETADATA> \"t.rda\"\n<SPECIFYTABLE> \"ACTIVITY\"\"SIZE\"|\"TOT\"||\n<SAFETYRULE> MAN(10)\n\
              <READTABLE>\n<SUPPRESS> OPT(1,5)\n<WRITETABLE> (1,3,,\"t.txt\")\n")
        .unwrap();
    assert_eq!(log.tables[0].primary, 77);
    assert!(log.tables[0].proven && log.tables[0].secondary <= 64);
}
