//! Several tables in one job: those of one response are one system with one proof, every response is a release of its own.

use crate::support::{Desk, JOB};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

/// Enterprises with a region, an activity, a size, two responses and who they are.
fn records(count: u32) -> String {
    let mut text = "region,activity,size,turnover,staff,id\n".to_owned();
    for n in 0..count {
        let mixed = n.wrapping_mul(2_654_435_761) >> 7;
        let region = ["Aulne", "Brisé", "Garde"][(mixed % 3) as usize];
        let activity = ["crops", "food"][(mixed / 3 % 2) as usize];
        let size = ["small", "middle", "large", "huge"][(mixed / 6 % 31 / 10) as usize];
        let (turnover, staff) = (mixed % 97 + 1, mixed % 13);
        writeln!(text, "{region},{activity},{size},{turnover}.5,{staff},e{n}").unwrap();
    }
    text
}

const FURTHER: &str =
    "\n[tables.sizes]\ndimensions = [\"size\", \"region\"]\nresponse = \"turnover\"\n";

fn desk(further: &str) -> Desk {
    let desk = Desk::new();
    desk.write("records.csv", records(60));
    desk.write("several.toml", format!("{JOB}{further}"));
    desk
}

/// The rows of a released table: value and status by cell number.
fn statuses(desk: &Desk, file: &str) -> BTreeMap<u64, (String, String)> {
    let text = fs::read_to_string(desk.path(file)).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let last = fields.len();
        (fields[0].parse().unwrap(), (fields[last - 3].to_owned(), fields[last - 2].to_owned()))
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn tables_of_one_response_are_protected_together() {
    let desk = desk(FURTHER);
    let text = desk.expect(0, &["protect", "several.toml", "--out", "release"]);
    assert!(text.contains("table-sizes.csv"), "{text}");
    let proven = desk.expect(0, &["verify", "release"]);
    let (first, second) =
        (statuses(&desk, "release/table.csv"), statuses(&desk, "release/table-sizes.csv"));
    let header = fs::read_to_string(desk.path("release/table-sizes.csv")).unwrap();
    assert!(header.starts_with("cell,size,region,value,status,CONF_STATUS\n"), "{header}");
    let shared: Vec<_> = first.keys().filter(|cell| second.contains_key(cell)).collect();
    assert_eq!(shared.len(), 6, "regions, their groups and the total");
    assert!(shared.iter().all(|&cell| first[cell] == second[cell]));
    let cells = first.len() + second.len() - shared.len();
    assert!(proven.contains(&format!("{cells} cells")), "{proven}");
    assert!(second.values().any(|(_, status)| status == "s"), "nothing had to be protected");
    // From a job file, a release and its instance all follow in the same way.
    desk.expect(0, &["suppress", "several.toml", "--out", "again"]);
    for file in ["table.csv", "table-sizes.csv", "pattern.csv", "instance.jj"] {
        let read = |dir: &str| fs::read(desk.path(dir).join(file)).unwrap();
        assert_eq!(read("release"), read("again"), "{file}");
    }
}

#[test]
fn a_linked_table_that_shows_too_much_is_not_proven() {
    let desk = desk(FURTHER);
    desk.expect(0, &["protect", "several.toml", "--out", "release"]);
    let path = desk.path("release/table-sizes.csv");
    let text = fs::read_to_string(&path).unwrap();
    let (from, _) = text.match_indices(",,s,D\n").next().unwrap();
    let shown = format!("{}{}{}", &text[..from], ",7.5,s,D\n", &text[from + 6..]);
    let lines: Vec<&str> = text.lines().collect();
    let without = lines[..lines.len() - 1].join("\n");
    let twice = format!("{text}{}\n", lines[1]);
    for (changed, said) in [
        (shown, "is withheld but shows a value"),
        (without, "do not name the same cells"),
        (twice, "stands above already"),
    ] {
        fs::write(&path, changed).unwrap();
        let verdict = desk.expect(1, &["verify", "release"]);
        assert!(verdict.contains(said) && verdict.contains("its hash differs"), "{verdict}");
    }
    fs::remove_file(&path).unwrap();
    desk.expect(1, &["verify", "release"]);
}

#[test]
fn every_response_is_a_release_of_its_own() {
    let staff = "\n[tables.staff]\ndimensions = [\"region\", \"size\"]\nresponse = \"staff\"\n\
                 [tables.staff-by-activity]\ndimensions = [\"activity\"]\nresponse = \"staff\"\n";
    let desk = desk(&format!("{FURTHER}{staff}"));
    let text = desk.expect(0, &["protect", "several.toml", "--out", "release", "--json"]);
    let releases: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(releases["releases"].as_array().unwrap().len(), 2);
    desk.expect(0, &["verify", "release"]);
    desk.expect(0, &["verify", "release-staff"]);
    for file in ["release/table-sizes.csv", "release-staff/table-staff-by-activity.csv"] {
        assert!(desk.path(file).exists(), "{file}");
    }
    desk.no_leftovers();
    let refused = desk.run(&["suppress", "several.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    // What belongs to somebody else stays, and then nothing else appears either.
    desk.write("several.toml", format!("{JOB}{staff}"));
    fs::create_dir(desk.path("new-staff")).unwrap();
    desk.write("new-staff/notes.txt", "keep me");
    assert_eq!(desk.run(&["protect", "several.toml", "--out", "new"]).status.code(), Some(2));
    assert!(!desk.path("new").exists());
    desk.no_leftovers();
}

#[test]
fn who_is_alone_in_cells_of_two_tables_is_one_intruder() {
    let desk = desk(FURTHER);
    // One enterprise of Garde is alone in its activity, and alone in its size; both tables have others in the region.
    let mut text = "region,activity,size,turnover,staff,id\n".to_owned();
    for n in 0..40 {
        let region = ["Aulne", "Brisé"][n % 2];
        let (activity, size) = (["crops", "food"][n / 2 % 2], ["small", "large"][n / 4 % 2]);
        writeln!(text, "{region},{activity},{size},{},1,e{n}", n + 5).unwrap();
    }
    text += "Garde,crops,small,50,1,x\n";
    for n in 0..4 {
        writeln!(text, "Garde,food,large,{},1,y{n}", 20 + n).unwrap();
    }
    desk.write("records.csv", text);
    desk.edit("several.toml", "method = \"suppress\"", "intruder = [\"singleton\"]");
    let read = |threads: &str| {
        let out = format!("release-{threads}");
        desk.expect(0, &["protect", "several.toml", "--threads", threads, "--out", &out]);
        desk.expect(0, &["verify", &out]);
        fs::read_to_string(desk.path(&out).join("instance.jj")).unwrap()
    };
    let instance = read("1");
    assert!(instance.contains("coalition"), "{instance}");
    assert_eq!(instance, read("2"));
}

#[test]
fn linked_tables_go_on_from_where_they_were_and_do_not_depend_on_threads() {
    let desk = desk(FURTHER);
    let release = |threads: &str| {
        let out = format!("release-{threads}");
        desk.expect(0, &["protect", "several.toml", "--threads", threads, "--out", &out]);
        let names = ["table.parquet", "table-sizes.parquet", "pattern.csv", "manifest.json"];
        names.map(|name| fs::read(desk.path(&out).join(name)).unwrap())
    };
    assert!(release("1") == release("3"));
}
