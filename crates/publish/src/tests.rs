//! Releases written, read again, damaged and replaced.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use crate::manifest::Manifest;
use crate::publication::{Staged, stage_within};
use crate::testing::{
    audit_of, flat, grid_release, jj_problem, level_dimension, problem, problem_with, publication,
    release, table,
};
use crate::{
    Formats, PublishError, Summary, Verdict, hash_file, verify_release, write, write_audit,
    write_table,
};
use cellveil_core::{Reason, Release};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn written(release: &Release) -> TempDir {
    let dir = TempDir::new().unwrap();
    write(&dir.path().join("out"), &publication(release, &audit_of(release))).unwrap();
    dir
}

fn read(dir: &TempDir, name: &str) -> String {
    fs::read_to_string(dir.path().join("out").join(name)).unwrap()
}

fn verdict(dir: &TempDir) -> Verdict {
    verify_release(&dir.path().join("out")).unwrap()
}

/// Replaces text in a file and lets the manifest vouch for the result.
fn forge(dir: &TempDir, name: &str, from: &str, to: &str) {
    let out = dir.path().join("out");
    let text = read(dir, name);
    assert!(text.contains(from), "{name} has {from}");
    fs::write(out.join(name), text.replacen(from, to, 1)).unwrap();
    let mut manifest = Manifest::read(&out).unwrap();
    for file in &mut manifest.files {
        (file.bytes, file.sha256) = hash_file(&out.join(&file.name)).unwrap();
    }
    fs::write(out.join("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_release_that_was_written_verifies() {
    let dir = written(&grid_release());
    let expected =
        Verdict { cells: 16, withheld: 4, needs: 2, witnesses: 2, claims: 4, ..Verdict::default() };
    assert_eq!(verdict(&dir), expected);
    let files = "audit.csv claims.parquet instance.jj manifest.json pattern.csv report.html \
                 summary.json table.csv table.parquet table.xlsx why.csv witnesses.parquet";
    assert_eq!(names_in(&dir.path().join("out")).join(" "), files);
    assert_eq!(names_in(dir.path()), ["out"]);
}

#[test]
fn an_instance_with_its_own_ids_verifies() {
    let dir = written(&release(jj_problem(), &[vec![5, 6, 9, 10]]));
    assert!(verdict(&dir).is_proven(), "{:?}", verdict(&dir).faults);
    assert!(read(&dir, "table.csv").starts_with("cell,value,status,CONF_STATUS\n0,"));
}

#[test]
fn whole_amounts_in_a_unit_with_decimals_verify() {
    let dimensions = vec![flat("r", &["a", "b"]), flat("c", &["x", "y"])];
    let table = table(&dimensions, 2, |key| i64::from(key[0] + key[1]) * 1000);
    let dir = written(&release(problem_with(&table, &[(4, Reason::Pq)], 100), &[vec![4, 5, 7, 8]]));
    let text = read(&dir, "instance.jj");
    assert_eq!(cellveil_argus::jj::read(&text, 0).unwrap().decimals(), 0);
    assert!(verdict(&dir).is_proven(), "{:?}", verdict(&dir).faults);
}

#[test]
fn one_flipped_byte_is_a_fault() {
    let files = [
        "witnesses.parquet",
        "claims.parquet",
        "table.csv",
        "table.parquet",
        "pattern.csv",
        "instance.jj",
    ];
    for name in files {
        let dir = written(&grid_release());
        let path = dir.path().join("out").join(name);
        let good = fs::read(&path).unwrap();
        for at in (0..good.len()).step_by(1 + good.len() / 40) {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(&path, bad).unwrap();
            let faults = verdict(&dir).faults;
            let expected = format!("`{name}` is not the file that was written: its hash differs");
            assert!(faults.contains(&expected), "{name} {at} {faults:?}");
        }
        fs::write(&path, &good[..good.len() / 2]).unwrap();
        assert!(!verdict(&dir).is_proven(), "{name} truncated");
        fs::remove_file(&path).unwrap();
        assert!(!verdict(&dir).is_proven(), "{name} missing");
    }
}

#[test]
fn a_damaged_proof_that_the_manifest_vouches_for_is_still_a_fault() {
    for name in ["witnesses.parquet", "claims.parquet", "table.parquet"] {
        let dir = written(&grid_release());
        let path = dir.path().join("out").join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
        forge(&dir, "pattern.csv", "p", "p");
        assert!(!verdict(&dir).is_proven(), "{name}");
    }
}

#[test]
fn publishing_a_withheld_cell_is_a_fault_whoever_vouches_for_it() {
    let dir = written(&grid_release());
    forge(&dir, "table.csv", "Nord,A,,p", "Nord,A,11.0,p");
    assert_eq!(
        verdict(&dir).faults,
        ["`table.csv` row 5 (`Nord, A`) is withheld but shows a value"]
    );
    forge(&dir, "table.csv", "Nord,A,11.0,p,A", "Nord,A,11.0,v,F");
    forge(&dir, "pattern.csv", "5,p\n", "");
    insta::assert_snapshot!("forged", verdict(&dir).faults.join("\n"));
}

#[test]
fn tables_that_say_something_else_are_faults() {
    let faults = |name: &str, from: &str, to: &str| {
        let dir = written(&grid_release());
        forge(&dir, name, from, to);
        verdict(&dir).faults.join("\n")
    };
    let changes = [
        ("table.csv", "Total,Total,198.0", "Total,Total,198.1"),
        ("table.csv", "Nord,A", "Sud,A"),
        ("table.csv", "Nord,B,,s,D", "Nord,B,,v,F"),
        ("table.csv", "Île,C,33.0,v,F\n", ""),
        ("instance.jj", "\n0 198.0", "\n0 199.0"),
        ("pattern.csv", "cell,status", "id,status"),
        ("pattern.csv", "6,s", "6,p"),
    ];
    let all = changes.map(|(name, from, to)| faults(name, from, to));
    insta::assert_snapshot!("changed", all.join("\n\n"));
}

#[test]
fn what_is_no_release_is_an_error() {
    let dir = TempDir::new().unwrap();
    let error = |path: &Path| verify_release(path).unwrap_err().to_string();
    assert!(error(dir.path()).ends_with("is not a release: it has no `manifest.json`"));
    assert!(error(&dir.path().join("none")).ends_with("there is no such folder"));
    let release = grid_release();
    let audit = audit_of(&release);
    let summary = Summary::of(release.problem(), release.pattern(), &audit);
    write_audit(dir.path(), release.problem(), release.pattern(), &audit, &[], &summary).unwrap();
    assert!(error(dir.path()).ends_with("it is an output of kind `audit`, without a proof"));
}

#[test]
fn the_same_release_gives_the_same_bytes() {
    let release = grid_release();
    let (first, second) = (written(&release), written(&release));
    for name in names_in(&first.path().join("out")) {
        let bytes = |dir: &TempDir| fs::read(dir.path().join("out").join(&name)).unwrap();
        assert!(bytes(&first) == bytes(&second), "{name}");
    }
}

#[test]
fn an_earlier_release_is_replaced_and_nothing_else_is() {
    let release = grid_release();
    let dir = written(&release);
    let out = dir.path().join("out");
    let audit = audit_of(&release);
    let mut again = publication(&release, &audit);
    again.account.formats = Formats { xlsx: false, ..Formats::default() };
    write(&out, &again).unwrap();
    assert!(!out.join("table.xlsx").exists());
    assert!(verdict(&dir).is_proven());
    fs::write(out.join("notes.txt"), "mine").unwrap();
    let before = names_in(&out);
    let error = write(&out, &again).unwrap_err();
    assert!(
        matches!(error, PublishError::Foreign { ref file, .. } if file == "notes.txt"),
        "{error}"
    );
    assert_eq!(names_in(&out), before);
    for place in ["notes.txt", "notes.txt/deeper"] {
        let error = write(&out.join(place), &again).unwrap_err();
        assert!(matches!(error, PublishError::NotAFolder(_)), "{error}");
    }
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let release = grid_release();
    let audit = audit_of(&release);
    let whole: u64 = {
        let dir = written(&release);
        let out = dir.path().join("out");
        names_in(&out).iter().map(|name| fs::metadata(out.join(name)).unwrap().len()).sum()
    };
    for room in (0..whole).step_by(1 + whole as usize / 12) {
        let dir = TempDir::new().unwrap();
        let out = dir.path().join("new").join("out");
        let error = stage_within(&out, &publication(&release, &audit), Some(room))
            .and_then(Staged::commit)
            .unwrap_err();
        assert!(
            matches!(&error, PublishError::Io { source, .. }
            if source.kind() == std::io::ErrorKind::StorageFull),
            "{error}"
        );
        assert!(names_in(dir.path()).is_empty(), "{room}");
        let dir = written(&release);
        let out = dir.path().join("out");
        stage_within(&out, &publication(&release, &audit), Some(room))
            .and_then(Staged::commit)
            .unwrap_err();
        assert!(verdict(&dir).is_proven() && names_in(dir.path()) == ["out"], "{room}");
    }
}

#[test]
fn the_files_look_like_this() {
    let dir = written(&grid_release());
    insta::assert_snapshot!("table.csv", read(&dir, "table.csv"));
    insta::assert_snapshot!("pattern.csv", read(&dir, "pattern.csv"));
    insta::assert_snapshot!("audit.csv", read(&dir, "audit.csv"));
    insta::assert_snapshot!("why.csv", read(&dir, "why.csv"));
    insta::assert_snapshot!("summary.json", read(&dir, "summary.json"));
    let hashes =
        [("\"sha256\": \"[0-9a-f]{64}\"", "\"sha256\": …"), ("\"bytes\": [0-9]+", "\"bytes\": …")];
    insta::with_settings!({ filters => hashes }, {
        insta::assert_snapshot!("manifest.json", read(&dir, "manifest.json"));
    });
}

#[test]
fn codes_that_look_like_something_else_stay_codes() {
    let hostile = ["<script>alert(1)</script>", "=1+1", "a,\"b\"\nc"];
    let dimensions = vec![flat("r&d", &hostile), flat("value", &["é ", "+65", "-"])];
    let table = table(&dimensions, 0, |key| i64::from(key[0] * 100 + key[1] * 10));
    let dir = written(&release(problem(&table, &[(5, Reason::Pq)]), &[vec![5, 6, 9, 10]]));
    assert!(verdict(&dir).is_proven(), "{:?}", verdict(&dir).faults);
    insta::assert_snapshot!("hostile.csv", read(&dir, "table.csv"));
    let report = read(&dir, "report.html");
    assert!(report.contains("&lt;script&gt;alert(1)") && !report.contains("<script>alert"));
}

#[test]
fn a_workbook_holds_numbers_and_texts_but_no_formula() {
    let dimensions = vec![flat("r", &["=1+1", "@sum"]), flat("c", &["x", "-y"])];
    let table = table(&dimensions, 1, |key| i64::from(key[0] + key[1]) * 100);
    let dir = written(&release(problem(&table, &[(4, Reason::Pq)]), &[vec![4, 5, 7, 8]]));
    let file = fs::File::open(dir.path().join("out/table.xlsx")).unwrap();
    let mut parts = zip::ZipArchive::new(file).unwrap();
    let mut part = |name: &str| std::io::read_to_string(parts.by_name(name).unwrap()).unwrap();
    let sheet = part("xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<t>=1+1</t>") && sheet.contains("<v>120</v>"), "{sheet}");
    assert!(!sheet.contains("<f>") && sheet.contains("state=\"frozen\""), "{sheet}");
    assert!(part("xl/sharedStrings.xml").contains("primary: small counts"));
}

#[test]
fn level_columns_leave_finer_levels_of_an_aggregate_empty() {
    let counts = |key: &[u32]| match key[0] {
        3 => 2,
        5 | 10 => 1,
        8 => 3,
        other => unreachable!("{other} is no leaf"),
    };
    let table = table(&[level_dimension()], 0, counts);
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("tab.csv");
    write_table(&table, &path, Formats::default()).unwrap();
    insta::assert_snapshot!("levels.csv", fs::read_to_string(&path).unwrap());
    assert_eq!(names_in(dir.path()), ["tab.csv"]);
    write_table(&table, &dir.path().join("folder"), Formats::default()).unwrap();
    let files = ["manifest.json", "table.csv", "table.parquet", "table.xlsx"];
    assert_eq!(names_in(&dir.path().join("folder")), files);
}
