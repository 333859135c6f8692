//! Every mistake is named with its place, and with what to do.

use crate::formats::write_parquet;
use crate::support::{Folder, dimension, levels, spec, tabulate};
use cellveil_tabulate::{HierarchySpec, Limits, TableSpec};
use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, ListArray, StringArray};
use datafusion::arrow::datatypes::Int32Type;
use std::sync::Arc;

fn said(folder: &Folder, name: &str, spec: &TableSpec) -> String {
    folder.said(&tabulate(folder.path(name), spec).map(|table| table.len()).unwrap_err())
}

fn said_of(records: impl AsRef<[u8]>, spec: &TableSpec) -> String {
    let folder = Folder::new();
    folder.write("r.csv", records);
    said(&folder, "r.csv", spec)
}

fn with_hierarchies(hierarchies: Vec<HierarchySpec>) -> TableSpec {
    TableSpec { dimensions: vec![dimension("a", hierarchies)], ..spec(&[], Some("x")) }
}

#[test]
fn an_unknown_column_suggests_the_nearest() {
    let text = said_of("region,wage\np,1\n", &spec(&["regoin"], Some("wage")));
    assert_eq!(text, "r.csv: has no column `regoin` (did you mean `region`?)");
    let text = said_of("region,wage\np,1\n", &spec(&["region"], Some("zzz")));
    assert_eq!(text, "r.csv: has no column `zzz`");
}

#[test]
fn a_file_without_records_is_empty() {
    for records in ["", "\n", "a,x\n", "\u{feff}", "\u{feff}a,x\n"] {
        let text = said_of(records, &spec(&["a"], Some("x")));
        assert!(text.starts_with("r.csv: holds no records"), "{records:?}: {text}");
        let text = said_of(records, &spec(&["a"], None));
        assert!(text.starts_with("r.csv: holds no records"), "{records:?}: {text}");
    }
    let folder = Folder::new();
    let none: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
    write_parquet(&folder.path("e.parquet"), vec![("a", none.clone()), ("x", none)]);
    assert!(
        said(&folder, "e.parquet", &spec(&["a"], Some("x")))
            .starts_with("e.parquet: holds no records")
    );
}

#[test]
fn missing_files_and_odd_folders_are_told() {
    let folder = Folder::new();
    let spec = spec(&["a"], None);
    assert!(said(&folder, "none.csv", &spec).starts_with("none.csv: cannot be read: No such file"));
    std::fs::create_dir(folder.path("empty")).unwrap();
    assert!(said(&folder, "empty", &spec).starts_with("empty: holds no CSV or Parquet file"));
    folder.write("both/a.csv", "a\n1\n");
    folder.write("both/b.parquet", "PAR1");
    assert!(said(&folder, "both", &spec).starts_with("both: holds both CSV and Parquet"));
    let hrc = with_hierarchies(vec![HierarchySpec::Hrc(folder.path("none.hrc"), None)]);
    assert!(said(&folder, "none.csv", &hrc).starts_with("none.hrc: cannot be read"));
}

#[test]
fn a_damaged_parquet_file_is_named() {
    let folder = Folder::new();
    let spec = spec(&["a"], Some("x"));
    let column: ArrayRef = Arc::new(Int64Array::from((0..50_000).collect::<Vec<i64>>()));
    write_parquet(&folder.path("w.parquet"), vec![("a", column.clone()), ("x", column)]);
    let whole = std::fs::read(folder.path("w.parquet")).unwrap();
    for length in [5, whole.len() / 2, whole.len() - 1] {
        folder.write("cut.parquet", &whole[..length]);
        let text = said(&folder, "cut.parquet", &spec);
        assert!(text.starts_with("cut.parquet: is not a whole Parquet file"), "{text}");
    }
    let mut damaged = whole.clone();
    damaged[4..60].fill(0xff);
    folder.write("bad.parquet", damaged);
    let text = said(&folder, "bad.parquet", &spec);
    assert!(text.starts_with("bad.parquet: is not a whole Parquet file"), "{text}");
}

#[test]
fn what_is_not_a_number_is_named_with_line_and_column() {
    let wage = spec(&["a"], Some("wage"));
    let text = said_of("a,wage\np,1\n\"q\nq\",2\nr,lots\n", &wage);
    assert!(
        text.starts_with("r.csv:5: column `wage` holds `lots`, which is not a number"),
        "{text}"
    );
    let long = said_of(format!("a,wage\np,{}\n", "y".repeat(500)), &wage);
    assert!(long.len() < 200, "{long}");
    for (field, expected) in [
        ("", "is empty where a number is needed"),
        ("NaN", "is not a finite number"),
        ("-inf", "is not a finite number"),
        ("1e30", "is too large"),
    ] {
        let text = said_of(format!("a,wage\np,1\nq,{field}\n"), &wage);
        assert!(text.starts_with(&format!("r.csv:3: column `wage` {expected}")), "{text}");
        assert!(!text.contains("e30"), "no amounts: {text}");
    }
    let weighted = TableSpec { weight: Some("w".to_owned()), ..wage };
    let text = said_of("a,wage,w\np,1,1\nq,1,-2.5\n", &weighted);
    assert!(text.starts_with("r.csv:3: column `w` is a negative weight"), "{text}");
    assert!(!text.contains("2.5"));
}

#[test]
fn rows_of_parquet_files_are_counted_from_one() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("f")).unwrap();
    let codes: ArrayRef = Arc::new(StringArray::from(vec!["p", "q"]));
    let good: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let bad: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::NAN]));
    write_parquet(&folder.path("f/1.parquet"), vec![("a", codes.clone()), ("x", good)]);
    write_parquet(&folder.path("f/2.parquet"), vec![("a", codes.clone()), ("x", bad)]);
    let text = said(&folder, "f", &spec(&["a"], Some("x")));
    assert!(text.starts_with("f/2.parquet, row 2: column `x` is not a finite number"), "{text}");
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)]), None]);
    write_parquet(&folder.path("l.parquet"), vec![("a", codes), ("x", Arc::new(list))]);
    assert!(
        said(&folder, "l.parquet", &spec(&["a"], Some("x")))
            .starts_with("l.parquet: column `x` is of type List")
    );
}

#[test]
fn lines_that_do_not_fit_the_header_are_named() {
    for dimensional in [Some("x"), None] {
        let text = said_of("a,x\np,1\nq,2,3\n", &spec(&["a"], dimensional));
        assert!(text.starts_with("r.csv:3: has 3 fields where the header has 2"), "{text}");
    }
    let text = said_of("a~x\np~1\n", &spec(&["a"], None));
    assert!(text.starts_with("r.csv: has no column `a`"), "{text}");
    let text = said_of("a,a,x\np,q,1\n", &spec(&["a"], None));
    assert_eq!(text, "r.csv: has two columns `a`; rename one");
    let text = said_of(b"a\0,\0x\0\n", &spec(&["a"], None));
    assert!(text.starts_with("r.csv:1: holds zero bytes"), "{text}");
}

#[test]
fn codes_outside_the_hierarchy_are_named() {
    let folder = Folder::new();
    folder.write("r.csv", "a,x\nnord,1\nsud,2\nnrod,3\n");
    let spec = with_hierarchies(vec![HierarchySpec::Hrc(
        folder.write("h.hrc", "all\n@nord\n@sud\n"),
        None,
    )]);
    assert_eq!(
        said(&folder, "r.csv", &spec),
        "r.csv:4: code `nrod` of `a` is in no hierarchy (did you mean `nord`?); add it to one, or correct the record"
    );
    folder.write("r.csv", "a,x\nnord,1\nall,2\n");
    let text = said(&folder, "r.csv", &spec);
    assert!(text.starts_with("r.csv:3: code `all` of `a` is an aggregate"), "{text}");
    folder.write("r.csv", "a,x\nnord,1\nTotal,2\n");
    let text = said(&folder, "r.csv", &spec);
    assert!(text.starts_with("r.csv:3: code `Total` of `a` is an aggregate"), "{text}");
    folder.write("r.csv", "a,x\n11,1\n111,2\n");
    let text = said(&folder, "r.csv", &with_hierarchies(vec![HierarchySpec::Digits(vec![2, 2])]));
    assert!(text.starts_with("r.csv:3: code `111` of `a` ends inside a level"), "{text}");
    folder.write("r.csv", "a,x\n11,1\n1111,2\n");
    let text = said(&folder, "r.csv", &with_hierarchies(vec![HierarchySpec::Digits(vec![2, 2])]));
    assert!(text.starts_with("r.csv:2: code `11` of `a` is an aggregate"), "{text}");
}

#[test]
fn a_code_below_two_codes_of_the_next_level_is_named_with_both() {
    let text =
        said_of("a,b,x\np,P,1\nq,Q,2\np,Q,3\n", &with_hierarchies(vec![levels(&["a", "b"])]));
    assert_eq!(
        text,
        "`a=p` lies in `b=P` (r.csv:2) and in `b=Q` (r.csv:4); each code must lie in one"
    );
}

#[test]
fn contradictory_hierarchies_are_refused() {
    let folder = Folder::new();
    folder.write("r.csv", "a,x\np,1\nq,2\n");
    let one = || HierarchySpec::Hrc(folder.write("1.hrc", "A\n@p\nq\n"), None);
    let two = HierarchySpec::Hrc(folder.write("2.hrc", "A\n@q\np\n"), None);
    let text = said(&folder, "r.csv", &with_hierarchies(vec![one(), two]));
    assert!(text.starts_with("the hierarchies of `a` do not fit together"), "{text}");
    let round = HierarchySpec::ParentChild(folder.write("3.csv", "parent,child\nB,A\nC,B\n"));
    let back = HierarchySpec::ParentChild(folder.write("4.csv", "parent,child\nA,C\n"));
    let text = said(&folder, "r.csv", &with_hierarchies(vec![one(), round, back]));
    assert!(text.contains("is part of itself"), "{text}");
}

#[test]
fn sums_beyond_all_bounds_name_the_cell() {
    let text =
        said_of("a,x\np,9000000000000000000\nq,9000000000000000000\n", &spec(&["a"], Some("x")));
    assert!(text.starts_with("the value of cell `a=Total` is too large"), "{text}");
    let text =
        said_of("a,x\np,9000000000000000000\np,9000000000000000000\n", &spec(&["a"], Some("x")));
    assert!(text.starts_with("the value of cell `a=Total` is too large"), "{text}");
}

#[test]
fn specifications_that_contradict_themselves_are_refused() {
    assert!(said_of("a,x\np,1\n", &spec(&[], Some("x"))).starts_with("the table has no dimension"));
    assert!(said_of("a,x\np,1\n", &spec(&["a", "a"], Some("x"))).contains("named twice"));
    let digits = with_hierarchies(vec![HierarchySpec::Digits(vec![1, 0])]);
    assert!(said_of("a,x\np,1\n", &digits).contains("at least one digit"));
    let two = with_hierarchies(vec![levels(&["a", "b"]), levels(&["b", "x"])]);
    assert!(said_of("a,b,x\np,q,1\n", &two).contains("same finest column"));
}

#[test]
fn a_broken_row_deep_in_the_last_file_is_named() {
    let folder = Folder::new();
    let records = |from: usize, count: usize| -> String {
        let line = |n| format!("c{},{}\n", n % 13, n % 977);
        (from..from + count).map(line).collect::<Vec<_>>().concat()
    };
    let header = "a,x\n";
    folder.write("many/1.csv", format!("{header}{}", records(0, 200_000)));
    folder.write(
        "many/2.csv",
        format!("{header}{}c1,1x\n{}", records(0, 123_454), records(0, 70_000)),
    );
    let wage = spec(&["a"], Some("x"));
    let text = said(&folder, "many", &wage);
    assert!(
        text.starts_with("many/2.csv:123456: column `x` is not a number as it is written"),
        "{text}"
    );
    folder.write("many/2.csv", format!("{header}{}c1", records(0, 150_000)));
    let text = said(&folder, "many", &wage);
    assert!(
        text.starts_with("many/2.csv:150002: is the last line and has no line break"),
        "{text}"
    );
}

#[test]
fn several_tables_come_from_one_pass() {
    let folder = Folder::new();
    let path = folder.write("r.csv", "a,b,x,y,h\np,u,1,10,1\nq,u,2,20,1\np,v,3,30.5,2\n");
    let mut specs = vec![spec(&["a", "b"], Some("x")), spec(&["b"], Some("y")), spec(&["a"], None)];
    specs[1].holding = Some("h".to_owned());
    let source = crate::support::source(path);
    let engine = cellveil_datafusion::DataFusion::new(2);
    let gathered =
        cellveil_tabulate::Tabulate::gather(&engine, &source, &specs, Limits::default(), &())
            .unwrap();
    for (gathered, spec) in gathered.iter().zip(&specs) {
        let together = crate::support::lines(&gathered.table(None).unwrap());
        let alone = cellveil_tabulate::Tabulate::tabulate(&engine, &source, spec, &()).unwrap();
        assert_eq!(together, crate::support::lines(&alone));
    }
}
