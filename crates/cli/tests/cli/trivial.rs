//! Tables in which there is little or nothing to decide.

use crate::support::Desk;

/// Protects a table of one or two dimensions and verifies the release; returns what was said about withheld cells.
fn protected(dimensions: &str, rules: &str, records: &str) -> String {
    let desk = Desk::new();
    desk.write("records.csv", records);
    desk.write(
        "job.toml",
        format!(
            "[records]\nfile = \"records.csv\"\n[table]\ndimensions = {dimensions}\n\
        response = \"v\"\n[rules]\n{rules}\n"
        ),
    );
    let text = desk.expect(0, &["protect", "job.toml", "--out", "release"]);
    desk.expect(0, &["verify", "release"]);
    let withheld = text.lines().find(|line| line.contains("withheld")).unwrap();
    withheld.trim().trim_start_matches("withheld").trim().to_owned()
}

const FREQUENCY: &str = "frequency = { below = 2, range = 10 }";

#[test]
fn no_cell_is_unsafe() {
    let records = "a,b,v\nx,p,1\nx,p,2\nx,q,3\nx,q,4\ny,p,5\ny,p,6\ny,q,7\ny,q,8\n";
    assert_eq!(protected("[\"a\", \"b\"]", FREQUENCY, records), "0: 0 primary, 0 secondary");
}

#[test]
fn all_cells_are_unsafe() {
    let records = "a,b,v\nx,p,1\nx,q,3\ny,p,5\ny,q,7\n";
    let all = "frequency = { below = 9, range = 10 }";
    assert_eq!(protected("[\"a\", \"b\"]", all, records), "9: 9 primary, 0 secondary");
}

#[test]
fn one_dimension() {
    let records = "a,v\nx,10\ny,20\ny,30\nz,40\nz,50\n";
    assert_eq!(protected("[\"a\"]", FREQUENCY, records), "2: 1 primary, 1 secondary");
}

#[test]
fn all_values_are_zero() {
    let records = "a,b,v\nx,p,0\nx,p,0\nx,q,0\nx,q,0\ny,p,0\ny,p,0\ny,q,0\ny,q,0\n";
    assert_eq!(protected("[\"a\", \"b\"]", FREQUENCY, records), "0: 0 primary, 0 secondary");
}

#[test]
fn a_dimension_with_one_code() {
    let records = "a,b,v\nx,p,1\nx,p,2\nx,q,3\nx,q,4\n";
    assert_eq!(protected("[\"a\", \"b\"]", FREQUENCY, records), "0: 0 primary, 0 secondary");
}

#[test]
fn missing_values_are_a_code_and_not_dropped() {
    let desk = Desk::new();
    desk.edit("records.csv", "Garde,food,41,p", ",food,41,p");
    desk.expect(0, &["tabulate", "job.toml", "--out", "table.csv"]);
    let table = std::fs::read_to_string(desk.path("table.csv")).unwrap();
    assert!(table.contains("(missing),"), "{table}");
    desk.expect(0, &["protect", "job.toml"]);
}
