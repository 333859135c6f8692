//! What is counted and added up.

use crate::support::{Folder, lines, source, spec, tabulate, values};
use cellveil_core::Contribution;
use cellveil_datafusion::DataFusion;
use cellveil_tabulate::{Progress, RequestSpec, Tabulate};
use std::cell::Cell;

const RECORDS: &str = "region,sex,wage\nNord,m,10\nNord,f,2.50\nSud,m,4\nNord,m,7\n";

#[test]
fn every_margin_has_its_sum_and_largest_contributions() {
    let folder = Folder::new();
    let table =
        tabulate(folder.write("r.csv", RECORDS), &spec(&["region", "sex"], Some("wage"))).unwrap();
    let expected = [
        "Total Total = 23.5 (4: 10.0 7.0)",
        "Total f = 2.5 (1: 2.5)",
        "Total m = 21.0 (3: 10.0 7.0)",
        "Nord Total = 19.5 (3: 10.0 7.0)",
        "Nord f = 2.5 (1: 2.5)",
        "Nord m = 17.0 (2: 10.0 7.0)",
        "Sud Total = 4.0 (1: 4.0)",
        "Sud m = 4.0 (1: 4.0)",
    ];
    assert_eq!(lines(&table), expected);
    assert_eq!(table.negative(), None);
}

#[test]
fn without_a_response_respondents_are_counted() {
    let folder = Folder::new();
    let mut spec = spec(&["region"], None);
    let path = folder.write("r.csv", "region,w\nNord,1.5\nNord,2\nSud,0.25\n");
    assert_eq!(
        lines(&tabulate(&path, &spec).unwrap()),
        ["Total = 3 (3: 1 1)", "Nord = 2 (2: 1 1)", "Sud = 1 (1: 1)"]
    );
    spec.weight = Some("w".to_owned());
    let expected =
        ["Total = 3.75 (3: 1 1) w 3.75", "Nord = 3.50 (2: 1 1) w 3.50", "Sud = 0.25 (1: 1) w 0.25"];
    assert_eq!(lines(&tabulate(&path, &spec).unwrap()), expected);
}

#[test]
fn a_holding_in_two_regions_counts_once_in_their_total() {
    let folder = Folder::new();
    let records = "region,firm,wage\nNord,a,5\nNord,a,2\nSud,a,4\nSud,b,6\nSud,,3\nNord,,1\n";
    let mut spec = spec(&["region"], Some("wage"));
    spec.holding = Some("firm".to_owned());
    let table = tabulate(folder.write("r.csv", records), &spec).unwrap();
    let expected = [
        "Total = 21 (6: 6 5) [4: 11 6]",
        "Nord = 8 (3: 5 2) [2: 7 1]",
        "Sud = 13 (3: 6 4) [3: 6 4]",
    ];
    assert_eq!(lines(&table), expected);
}

#[test]
fn weights_multiply_exactly() {
    let folder = Folder::new();
    let mut spec = spec(&["region"], Some("wage"));
    spec.weight = Some("w".to_owned());
    let records = "region,wage,w\nNord,100,4\nNord,10.5,1.25\nSud,0.1,3\n";
    let table = tabulate(folder.write("r.csv", records), &spec).unwrap();
    let expected = [
        "Total = 413.425 (3: 100.0 10.5) w 8.25",
        "Nord = 413.125 (2: 100.0 10.5) w 5.25",
        "Sud = 0.300 (1: 0.1) w 3.00",
    ];
    assert_eq!(lines(&table), expected);
    let top = table.respondents().top(cellveil_core::CellId(0));
    assert_eq!(top[0], Contribution { value: 1000, weight: 400 });
}

#[test]
fn a_holding_weighs_what_it_brings_to_the_cell() {
    let folder = Folder::new();
    let mut spec = spec(&["region"], Some("wage"));
    spec.weight = Some("w".to_owned());
    spec.holding = Some("firm".to_owned());
    let records = "region,wage,w,firm\nNord,10,2,a\nSud,30,4,a\n";
    let table = tabulate(folder.write("r.csv", records), &spec).unwrap();
    let top = table.holdings().unwrap().top(cellveil_core::CellId(0));
    assert_eq!(top, [Contribution { value: 40, weight: 4 }], "(10·2 + 30·4) / 40, rounded up");
}

#[test]
fn a_holding_asks_when_one_of_its_parts_does() {
    let folder = Folder::new();
    let mut spec = spec(&["region"], Some("wage"));
    spec.holding = Some("group".to_owned());
    spec.request =
        Some(RequestSpec { column: "ask".to_owned(), codes: [Some("1".to_owned()), None] });
    let records = "region,wage,ask,group\nNord,10,,g\nNord,3,1,g\nSud,7,,g\nSud,8,1,\n";
    let table = tabulate(folder.write("r.csv", records), &spec).unwrap();
    let asked = |cell| table.holdings().unwrap().requests(cellveil_core::CellId(cell)).unwrap();
    assert_eq!(asked(0), [Some(20), None], "10 + 3 + 7 of one holding");
    assert_eq!(asked(1), [Some(13), None], "both parts in Nord");
    assert_eq!(asked(2), [Some(8), None], "in Sud the holding's part did not ask, one alone did");
}

#[test]
fn requests_keep_the_largest_who_asked() {
    let folder = Folder::new();
    let mut spec = spec(&["region"], Some("wage"));
    spec.request = Some(RequestSpec {
        column: "ask".to_owned(),
        codes: [Some("1".to_owned()), Some("x".to_owned())],
    });
    let records = "region,wage,ask\nNord,10,\nNord,3,1\nNord,5,1\nSud,7,x\nSud,8,0\n";
    let table = tabulate(folder.write("r.csv", records), &spec).unwrap();
    assert_eq!(table.requests().unwrap(), [[Some(5), Some(7)], [Some(5), None], [None, Some(7)]]);
}

#[test]
fn negative_contributions_are_kept_by_size_and_told() {
    let folder = Folder::new();
    let table =
        tabulate(folder.write("r.csv", "a,x\np,5\np,-9\nq,2\n"), &spec(&["a"], Some("x"))).unwrap();
    assert_eq!(lines(&table), ["Total = -2 (3: 9 5)", "p = -4 (2: 9 5)", "q = 2 (1: 2)"]);
    assert_eq!(table.names().describe(table.negative().unwrap()).to_string(), "a=p");
}

#[test]
fn missing_values_are_a_code_of_their_own() {
    let folder = Folder::new();
    let table = tabulate(
        folder.write("r.csv", "a,x\nb,1\n,2\n\"\",3\nNA,4\n  ,5\n"),
        &spec(&["a"], Some("x")),
    )
    .unwrap();
    assert_eq!(values(&table), ["Total = 15", "b = 1", "NA = 14"]);
}

#[test]
fn noise_of_floating_point_is_rounded_once() {
    let folder = Folder::new();
    let records = "a,x\np,0.30000000000000004\np,0.1\nq,1e-3\n";
    let table = tabulate(folder.write("r.csv", records), &spec(&["a"], Some("x"))).unwrap();
    assert_eq!(values(&table), ["Total = 0.401", "p = 0.400", "q = 0.001"]);
}

#[test]
fn large_sums_cost_decimals_not_correctness() {
    let folder = Folder::new();
    let records = "a,x\np,4000000000000000.123456\nq,4000000000000000.5\n";
    let table = tabulate(folder.write("r.csv", records), &spec(&["a"], Some("x"))).unwrap();
    assert_eq!(
        values(&table),
        ["Total = 8000000000000000.623", "p = 4000000000000000.123", "q = 4000000000000000.500"]
    );
}

#[test]
fn progress_ends_with_the_number_of_records() {
    struct Last(Cell<u64>);
    impl Progress for Last {
        fn rows(&self, done: u64, _all: u64) {
            self.0.set(done);
        }
    }
    let folder = Folder::new();
    let last = Last(Cell::new(0));
    let path = folder.write("r.csv", RECORDS);
    DataFusion::default().tabulate(&source(path), &spec(&["sex"], Some("wage")), &last).unwrap();
    assert_eq!(last.0.get(), 4);
}

#[test]
fn a_dimension_with_one_code_is_fine() {
    let folder = Folder::new();
    let table =
        tabulate(folder.write("r.csv", "a,b,x\np,1,0\np,2,0\n"), &spec(&["a", "b"], Some("x")))
            .unwrap();
    assert_eq!(
        values(&table),
        ["Total Total = 0", "Total 1 = 0", "Total 2 = 0", "p Total = 0", "p 1 = 0", "p 2 = 0"]
    );
}
