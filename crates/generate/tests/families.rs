//! The generated families are what they say.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use cellveil_core::{CellId, Problem, Status};
use cellveil_generate::{Castro, GenerateError, Ons, Salaries};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};

fn ons(shape: &str, lambda: f64, zeros: f64) -> Ons {
    Ons { shape: shape.parse().unwrap(), lambda, zeros, ..Ons::default() }
}

fn sensitive(problem: &Problem) -> f64 {
    problem.needs().len() as f64
}

#[test]
fn ons_tables_have_as_many_sensitive_cells_as_the_published_ones() {
    for (shape, lambda, zeros, published) in [
        ("100x33x78", 4.53, 0.4, 44_617.0),
        ("100x66x38", 2.28, 0.4, 86_250.0),
        ("21x35x60x6", 4.92, 0.2, 44_934.0),
    ] {
        let found = sensitive(&ons(shape, lambda, zeros).problem().unwrap());
        assert!((found / published - 1.0_f64).abs() < 0.03, "{shape}: {found} against {published}");
    }
}

#[test]
fn an_ons_table_repeats_for_its_seed_only() {
    let table = |seed| {
        let problem = Ons { seed, ..ons("12h2x9", 3.0, 0.3) }.problem().unwrap();
        problem.cells().map(|cell| problem.value(cell)).collect::<Vec<_>>()
    };
    assert_eq!(table(5), table(5));
    assert_ne!(table(5), table(6));
}

#[test]
fn empty_cells_are_frozen_and_levels_stay_inside_the_value() {
    let problem = ons("20h3x9x8", 2.0, 0.5).problem().unwrap();
    assert!(problem.cells().any(|cell| problem.status(cell) == Status::Frozen));
    for cell in problem.cells() {
        assert_eq!(problem.value(cell) == 0, problem.status(cell) == Status::Frozen);
    }
    for need in problem.needs() {
        assert!((1..=problem.value(need.cell)).contains(&need.down));
        assert_eq!(need.down, need.up);
    }
}

#[test]
fn records_add_up_to_the_table_in_both_kinds_of_file() {
    let ons = ons("15h3x6", 3.0, 0.3);
    let problem = ons.problem().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (text, binary) = (folder.path().join("records.csv"), folder.path().join("records.parquet"));
    ons.write_records(&text).unwrap();
    ons.write_records(&binary).unwrap();
    let mut from_text: Vec<(String, String, i64)> = Vec::new();
    for line in fs::read_to_string(&text).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        from_text.push((fields[0].to_owned(), fields[1].to_owned(), fields[2].parse().unwrap()));
    }
    let mut from_binary = Vec::new();
    for batch in ParquetRecordBatchReaderBuilder::try_new(File::open(&binary).unwrap())
        .unwrap()
        .build()
        .unwrap()
    {
        let batch = batch.unwrap();
        let (d1, d2) = (batch.column(0).as_string::<i32>(), batch.column(1).as_string::<i32>());
        let values = batch.column(2).as_primitive::<Int64Type>();
        from_binary.extend(
            (0..batch.num_rows())
                .map(|i| (d1.value(i).to_owned(), d2.value(i).to_owned(), values.value(i))),
        );
    }
    assert_eq!(from_text, from_binary);
    // The first column of the table is the sum over the second dimension; its leaves are the codes of full length.
    let mut by_code: BTreeMap<&str, i64> = BTreeMap::new();
    for (code, _, value) in &from_text {
        *by_code.entry(code).or_default() += value;
    }
    let margins: BTreeSet<i64> = (0..15).map(|row| problem.value(CellId(row * 6))).collect();
    assert!(by_code.values().all(|sum| margins.contains(sum)));
    assert_eq!(by_code.values().sum::<i64>(), problem.value(CellId(0)));
    let long: usize = ons.digits().unwrap()[0].iter().sum();
    assert!(by_code.keys().all(|code| code.len() == long));
}

#[test]
fn castro_tables_have_the_published_numbers_of_cells_relations_and_terms() {
    for (rows, columns, subtables) in [(1217, 11, 21), (5804, 51, 100), (40, 3, 14), (4, 3, 1)] {
        let problem = Castro { rows, columns, subtables, ..Castro::default() }.problem().unwrap();
        let [r, c, t] = [rows, columns, subtables].map(|count| count as usize);
        assert_eq!(problem.len(), r * c);
        assert_eq!(problem.relations().len(), r + c * t);
        assert_eq!(problem.relations().terms(), 2 * r * c + c * (t - 1));
    }
}

#[test]
fn castro_levels_lie_in_their_range() {
    let castro =
        Castro { rows: 400, columns: 11, subtables: 9, sensitive: 0.2, ..Castro::default() };
    let problem = castro.problem().unwrap();
    assert!((sensitive(&problem) / (391.0 * 10.0) - 0.2).abs() < 0.03);
    for need in problem.needs() {
        let value = problem.value(need.cell) as f64;
        for level in [need.down, need.up] {
            assert!(level as f64 >= 0.1 * value && (level as f64) < 0.15 * value + 1.0);
        }
    }
}

#[test]
fn impossible_parameters_are_refused() {
    let castro = Castro { rows: 20, columns: 5, subtables: 10, ..Castro::default() };
    assert!(matches!(castro.problem(), Err(GenerateError::Subtables { rows: 20, subtables: 10 })));
    for (lambda, zeros) in
        [(0.0, 0.1), (f64::NAN, 0.1), (501.0, 0.1), (4.0, 1.0), (4.0, -0.1), (4.0, f64::NAN)]
    {
        assert!(matches!(ons("5x5", lambda, zeros).problem(), Err(GenerateError::Range { .. })));
    }
    assert!(matches!(
        ons("6h2x5", 4.0, 0.0).problem(),
        Err(GenerateError::TooSmall { needed: 7, .. })
    ));
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        ons("5x5", 4.0, 0.0).write_records(&folder.path().join("x.txt")),
        Err(GenerateError::Kind(_))
    ));
}

#[test]
fn salaries_come_in_files_that_do_not_depend_on_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let salaries = Salaries { rows: 25_000, rows_per_file: 10_000, seed: 3 };
    salaries.write_records(folder.path()).unwrap();
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]);
    let rows = |file| salaries.batches(file).map(|batch| batch.unwrap().num_rows()).sum::<usize>();
    assert_eq!([rows(0), rows(1), rows(2), rows(3)], [10_000, 10_000, 5_000, 0]);
    let file = File::open(folder.path().join(&names[1])).unwrap();
    let read = ParquetRecordBatchReaderBuilder::try_new(file)
        .unwrap()
        .with_batch_size(10_000)
        .build()
        .unwrap();
    let read: Vec<_> = read.map(|batch| batch.unwrap()).collect();
    let made: Vec<_> = salaries.batches(1).map(|batch| batch.unwrap()).collect();
    assert_eq!(read, made);
    assert!(matches!(salaries.write_records(folder.path()), Err(GenerateError::NotEmpty(_))));
}

#[test]
fn a_table_of_four_variables_has_full_and_sparse_cells() {
    let mut counts: BTreeMap<(i32, i32, i32, i64), u32> = BTreeMap::new();
    let salaries = Salaries { rows: 100_000, ..Salaries::default() };
    for batch in salaries.batches(0) {
        let batch = batch.unwrap();
        let [depr, cs, a88] = [1, 2, 6]
            .map(|column| batch.column(column).as_primitive::<Int32Type>().values().clone());
        let sexe = batch.column(0).as_primitive::<Int64Type>().values();
        for i in 0..batch.num_rows() {
            *counts.entry((depr[i], cs[i], a88[i], sexe[i])).or_default() += 1;
        }
    }
    let single = counts.values().filter(|&&count| count == 1).count();
    let full = counts.values().filter(|&&count| count >= 20).count();
    assert!(single > counts.len() / 4, "{single} of {}", counts.len());
    assert!(full > 150, "{full}");
}
