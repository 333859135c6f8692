//! The same records in every form give the same table.

use crate::support::{Folder, lines, spec, tabulate, values};
use cellveil_datafusion::DataFusion;
use cellveil_tabulate::{Source, Tabulate};
use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array,
    Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use datafusion::arrow::datatypes::Int32Type;
use parquet::arrow::ArrowWriter;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn write_parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
            .unwrap();
    let mut writer =
        ArrowWriter::try_new(std::fs::File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn csv_parquet_and_folders_agree() {
    let folder = Folder::new();
    let spec = spec(&["region", "size"], Some("wage"));
    let csv = folder.write("r.csv", "region,size,wage\nNord,1,10.5\nSud,2,3\n,2,0.25\nNord,10,7\n");
    let expected = lines(&tabulate(csv, &spec).unwrap());
    assert_eq!(expected[0], "Total Total = 20.75 (4: 10.50 7.00)");

    let strings = |values: Vec<Option<&str>>| Arc::new(StringArray::from(values)) as ArrayRef;
    let regions = strings(vec![Some("Nord"), Some("Sud"), None, Some("Nord")]);
    let sizes = Arc::new(Int64Array::from(vec![1, 2, 2, 10])) as ArrayRef;
    let wages: Vec<ArrayRef> = vec![
        Arc::new(Float64Array::from(vec![10.5, 3.0, 0.25, 7.0])),
        Arc::new(Float32Array::from(vec![10.5, 3.0, 0.25, 7.0])),
        Arc::new(
            Decimal128Array::from(vec![1050, 300, 25, 700]).with_precision_and_scale(9, 2).unwrap(),
        ),
        strings(vec![Some("10.50"), Some("3"), Some("2.5e-1"), Some("7.0")]),
    ];
    for (at, wage) in wages.into_iter().enumerate() {
        let path = folder.path(&format!("{at}.parquet"));
        write_parquet(
            &path,
            vec![("region", regions.clone()), ("size", sizes.clone()), ("wage", wage)],
        );
        assert_eq!(lines(&tabulate(path, &spec).unwrap()), expected, "wage column {at}");
    }

    // Another order of columns, another delimiter, another name of the file, and one without records.
    folder.write("many/b.csv", "wage;region;size;more\n7;Nord;10;x\n0.25;;2;y\n");
    folder.write("many/a.txt", "region,size,wage\nSud,2,3\nNord,1,10.5\n");
    folder.write("many/c.csv", "region,size,wage\n");
    folder.write("many/_SUCCESS", "");
    assert_eq!(lines(&tabulate(folder.path("many"), &spec).unwrap()), expected);

    std::fs::create_dir(folder.path("parts")).unwrap();
    let half =
        |from: usize| vec![("region", regions.slice(from, 2)), ("size", sizes.slice(from, 2))];
    let with = |mut columns: Vec<(&'static str, ArrayRef)>, wage: ArrayRef| {
        columns.push(("wage", wage));
        columns
    };
    write_parquet(
        &folder.path("parts/a.parquet"),
        with(half(0), Arc::new(Float64Array::from(vec![10.5, 3.0]))),
    );
    write_parquet(
        &folder.path("parts/b.parquet"),
        with(half(2), Arc::new(Float32Array::from(vec![0.25, 7.0]))),
    );
    assert_eq!(
        lines(&tabulate(folder.path("parts"), &spec).unwrap()),
        expected,
        "types of numbers may differ between files"
    );
    write_parquet(
        &folder.path("parts/b.parquet"),
        with(half(2), strings(vec![Some("0.25"), Some("7")])),
    );
    let refused = folder.said(&tabulate(folder.path("parts"), &spec).unwrap_err());
    assert_eq!(
        refused,
        "parts/b.parquet, row 1: column `wage` is of type Utf8 from here on, but of type Float64 in \
         parts/a.parquet; convert one of the two"
    );
}

#[test]
fn dimensions_of_any_type_print_plainly() {
    let folder = Folder::new();
    let path = folder.path("r.parquet");
    let regions: DictionaryArray<Int32Type> = vec![Some("Nord"), None].into_iter().collect();
    write_parquet(
        &path,
        vec![
            ("whole", Arc::new(UInt64Array::from(vec![10, 9]))),
            ("float", Arc::new(Float64Array::from(vec![Some(2.0), Some(f64::NAN)]))),
            ("flag", Arc::new(BooleanArray::from(vec![true, false]))),
            ("day", Arc::new(Date32Array::from(vec![0, 365]))),
            ("region", Arc::new(regions)),
        ],
    );
    let seen = |name| values(&tabulate(&path, &spec(&[name], None)).unwrap());
    assert_eq!(seen("whole"), ["Total = 2", "9 = 1", "10 = 1"]);
    assert_eq!(seen("float"), ["Total = 2", "2 = 1", "NA = 1"]);
    assert_eq!(seen("flag"), ["Total = 2", "false = 1", "true = 1"]);
    assert_eq!(seen("day"), ["Total = 2", "1970-01-01 = 1", "1971-01-01 = 1"]);
    assert_eq!(seen("region"), ["Total = 2", "Nord = 1", "NA = 1"]);
}

#[test]
fn old_encodings_quotes_and_line_breaks_are_read() {
    let folder = Folder::new();
    let spec = spec(&["région"], Some("x"));
    let expected = ["Total = 6", "Île-de-France = 3", "a;\"b\"\nc = 1", "é = 2"];
    let text = "région;x\r\n\"a;\"\"b\"\"\nc\";1\r\né;2\r\nÎle-de-France;3\r\n";
    let (windows, _, _) = encoding_rs::WINDOWS_1252.encode(text);
    let sorted = |path: std::path::PathBuf| {
        let mut lines = values(&tabulate(path, &spec).unwrap());
        lines[1..].sort();
        lines
    };
    let mut wanted = expected.map(str::to_owned).to_vec();
    wanted[1..].sort();
    assert_eq!(sorted(folder.write("utf8.csv", text)), wanted);
    assert_eq!(sorted(folder.write("mark.csv", format!("\u{feff}{text}"))), wanted);
    assert_eq!(
        sorted(
            folder
                .write("mark_quote.csv", format!("\u{feff}\"région\"{}", &text["région".len()..]))
        ),
        wanted
    );
    assert_eq!(sorted(folder.write("windows.csv", windows)), wanted);
    assert_eq!(
        sorted(folder.write("mac.csv", "région;x\ré;5\rb;1\r")),
        ["Total = 6", "b = 1", "é = 5"]
    );
}

#[test]
fn any_delimiter_will_do() {
    let folder = Folder::new();
    for (name, delimiter) in [("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("bar", "|")] {
        let text = "a,b,x\np,q,1\n".replace(',', delimiter);
        let table = tabulate(folder.write(name, text), &spec(&["a", "b"], Some("x"))).unwrap();
        assert_eq!(table.len(), 4, "{name}");
    }
    let odd = Source { path: folder.write("odd", "a~x\np~1\n"), delimiter: Some(b'~') };
    assert_eq!(
        values(&DataFusion::new(1).tabulate(&odd, &spec(&["a"], Some("x")), &()).unwrap()),
        ["Total = 1", "p = 1"]
    );
}

#[test]
fn odd_file_and_column_names_are_no_trouble() {
    let folder = Folder::new();
    let path = folder.write("a b[1] é*?#%20.csv", "A.b,\"x \"\"y\"\"\",same,same\np,1,2,3\n");
    assert_eq!(
        values(&tabulate(path, &spec(&["A.b"], Some("x \"y\""))).unwrap()),
        ["Total = 1", "p = 1"]
    );
}

#[test]
fn order_of_records_splits_and_threads_do_not_matter() {
    let folder = Folder::new();
    let mut spec = spec(&["a", "b"], Some("x"));
    spec.holding = Some("h".to_owned());
    spec.weight = Some("w".to_owned());
    let record = |n: u64| {
        let r = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 17;
        format!("code{},{},{}.{},{},{}\n", r % 7, r % 11, r % 1009, r % 97, r % 50, 1 + r % 3)
    };
    let header = "a,b,x,h,w\n";
    let forward: String = (0..200_000).map(record).collect();
    let backward: String = (0..200_000).rev().map(record).collect();
    assert!(forward.len() > 2 << 20, "large enough for the engine to split");
    let table = |path: &Path, threads| {
        let source = Source { path: path.to_owned(), delimiter: None };
        lines(&DataFusion::new(threads).tabulate(&source, &spec, &()).unwrap())
    };
    let expected = table(&folder.write("f.csv", format!("{header}{forward}")), 1);
    assert_eq!(expected.len(), 8 * 12);
    for threads in [2, 8] {
        assert_eq!(table(&folder.path("f.csv"), threads), expected);
        assert_eq!(table(&folder.write("b.csv", format!("{header}{backward}")), threads), expected);
    }
    let middle = forward[..forward.len() / 3].rfind('\n').unwrap() + 1;
    folder.write("s/1.csv", format!("{header}{}", &forward[middle..]));
    folder.write("s/2.csv", format!("{header}{}", &forward[..middle]));
    assert_eq!(table(&folder.path("s"), 3), expected);
}
