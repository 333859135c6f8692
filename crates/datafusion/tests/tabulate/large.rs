//! Hundreds of thousands of records: the same table whatever the order, the files, the threads and the memory; and mistakes deep inside.

use crate::formats::write_parquet;
use crate::support::{Folder, lines, source, spec};
use cellveil_core::Table;
use cellveil_datafusion::DataFusion;
use cellveil_tabulate::{Limits, TableSpec, Tabulate, TabulateError};
use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, StringArray};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

const RECORDS: u64 = 300_000;
const HEADER: &str = "a,b,c,x,w,h\n";

/// A record of many codes, with cents, a weight in tenths and a holding.
fn record(n: u64, text: &mut String) {
    let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    let (a, b, c) = (mixed % 97, mixed / 97 % 53, mixed / 5141 % 31);
    let (cents, tenths) = (mixed % 1_000_003, mixed % 37);
    let (euros, cents) = (cents / 100, cents % 100);
    writeln!(
        text,
        "a{a},b{b},c{c},{euros}.{cents:02},{}.{},h{}",
        tenths / 10,
        tenths % 10,
        n % 5000
    )
    .unwrap();
}

fn text(records: impl IntoIterator<Item = u64>) -> String {
    let mut text = HEADER.to_owned();
    records.into_iter().for_each(|n| record(n, &mut text));
    text
}

fn tabulated(
    path: &Path,
    spec: &TableSpec,
    threads: usize,
    memory: Option<u64>,
) -> Result<Table, TabulateError> {
    let specs = std::slice::from_ref(spec);
    let gathered = DataFusion::new(threads).gather(&source(path), specs, Limits { memory }, &())?;
    gathered[0].table(None)
}

#[test]
fn order_files_threads_and_memory_change_nothing() {
    let folder = Folder::new();
    let one = folder.write("one.csv", text(0..RECORDS));
    folder.write("many/1.csv", text((0..RECORDS / 3).rev()));
    folder.write("many/2.csv", text(RECORDS / 2..RECORDS));
    folder.write("many/3.csv", text(RECORDS / 3..RECORDS / 2));
    let many = folder.path("many");
    let plain = spec(&["a", "b", "c"], Some("x"));
    let weighted = TableSpec { weight: Some("w".to_owned()), ..plain.clone() };
    let held = TableSpec { holding: Some("h".to_owned()), ..spec(&["a", "c"], Some("x")) };
    // Just enough for the finest cells in the end, and too little for what the threads gather on the way.
    for (spec, memory) in [(plain, 12 << 20), (weighted, 22 << 20), (held, 28 << 20)] {
        let table = tabulated(&one, &spec, 2, None).unwrap();
        for relation in 0..table.relations().len() {
            assert_eq!(table.relations().residual(relation, table.values()), 0);
        }
        let expected = lines(&table);
        for (path, threads, memory) in
            [(&many, 3, None), (&one, 1, Some(memory)), (&many, 2, Some(memory))]
        {
            let again = tabulated(path, &spec, threads, memory).unwrap();
            assert!(lines(&again) == expected, "{} {threads} {memory:?}", path.display());
        }
    }
    let refused = tabulated(&one, &spec(&["a", "b", "c"], Some("x")), 2, Some(8 << 20));
    assert!(matches!(refused.map(|_| ()), Err(TabulateError::Memory { .. })));
}

/// What is said of a folder of two files, the second of which is this.
fn said(folder: &Folder, second: &str) -> String {
    folder.write("f/2.csv", second);
    let spec = spec(&["a", "b"], Some("x"));
    folder.said(&tabulated(&folder.path("f"), &spec, 2, None).map(|_| ()).unwrap_err())
}

#[test]
fn a_mistake_deep_inside_is_named_by_file_and_line() {
    let folder = Folder::new();
    folder.write("f/1.csv", text(0..1000));
    let (before, after) = (text(0..249_999), text(249_999..RECORDS));
    let after = &after[HEADER.len()..];
    for (line, what) in [
        ("a1,b1,c1,12;5,1,h1\n", "column `x` is not a number as it is written"),
        ("a1,b1,c1,many,1,h1\n", "column `x` holds `many`, which is not a number"),
        ("a1,b1,c1\n", "has 3 fields where the header has 6"),
        ("a1,b1,c1,1,1,h1,9\n", "has 7 fields where the header has 6"),
        ("a1,b1,c1,,1,h1\n", "column `x` is empty"),
    ] {
        let said = said(&folder, &format!("{before}{line}{after}"));
        assert!(said.starts_with(&format!("f/2.csv:250001: {what}")), "{said}");
    }
    // A column with text from here on.
    let text_now = after.replace('.', "x");
    let told = said(&folder, &format!("{before}{text_now}"));
    assert!(told.starts_with("f/2.csv:250001: column `x`"), "{told}");
}

#[test]
fn a_file_that_ends_too_early_is_named() {
    let folder = Folder::new();
    folder.write("f/1.csv", text(0..1000));
    let whole = text(0..200_000);
    let last = whole.trim_end().rfind('\n').unwrap() + 1;
    let comma = last + whole[last..].find(',').unwrap();
    // Within a row, and within its last field, which still looks like one.
    for end in [comma + 2, whole.len() - 2] {
        let said = said(&folder, &whole[..end]);
        assert!(said.starts_with("f/2.csv:200001: "), "{said}");
        assert!(said.contains("cut off"), "{said}");
    }
    // Alone, a file may end as it likes, but not within a row.
    let alone = folder.write("alone.csv", &whole[..comma + 2]);
    let refused = tabulated(&alone, &spec(&["a"], Some("x")), 2, None).map(|_| ());
    let said = folder.said(&refused.unwrap_err());
    assert!(said.starts_with("alone.csv:200001: has 2 fields"), "{said}");
    let trimmed = folder.write("trimmed.csv", whole.trim_end());
    assert!(tabulated(&trimmed, &spec(&["a"], Some("x")), 2, None).is_ok());
}

#[test]
fn a_parquet_file_among_many_is_named_with_its_row() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("p")).unwrap();
    let codes: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..100_000).map(|n| format!("c{}", n % 50))));
    let mut amounts: Vec<f64> = (0..100_000).map(f64::from).collect();
    let write = |name: &str, amounts: ArrayRef| {
        write_parquet(&folder.path(name), vec![("a", codes.clone()), ("x", amounts)]);
    };
    write("p/1.parquet", Arc::new(Float64Array::from(amounts.clone())));
    amounts[77_776] = f64::NAN;
    write("p/2.parquet", Arc::new(Float64Array::from(amounts)));
    let refused = || {
        let refused = tabulated(&folder.path("p"), &spec(&["a"], Some("x")), 2, None);
        folder.said(&refused.map(|_| ()).unwrap_err())
    };
    let said = refused();
    assert!(said.starts_with("p/2.parquet, row 77777: column `x` is not a finite"), "{said}");
    // The last file without its footer.
    write("p/2.parquet", Arc::new(Int64Array::from_iter_values(0..100_000)));
    let whole = std::fs::read(folder.path("p/2.parquet")).unwrap();
    folder.write("p/2.parquet", &whole[..whole.len() - 100]);
    let said = refused();
    assert!(said.starts_with("p/2.parquet: is not a whole Parquet file"), "{said}");
    // Numbers in one, text in the next.
    write("p/2.parquet", codes.clone());
    let said = refused();
    assert!(said.starts_with("p/2.parquet, row 1: column `x` is of type Utf8"), "{said}");
}
