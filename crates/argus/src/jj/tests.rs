//! Files as they come, and as they go.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
use super::*;

const SMALL: &str = "0\n3\n0 10.5 10 s 0 1e20 0 0 0\n1 4 4 u 0 1e20 1 1.25 0\n2 6.5 6 z -1e20 20 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 (1)\n";

#[test]
fn what_is_written_reads_back_the_same() {
    let problem = read(SMALL, 0).unwrap();
    assert_eq!(problem.decimals(), 2);
    let need = problem.needs()[0];
    assert_eq!((need.down, need.up, need.sliding), (100, 125, 0));
    let mut out = Vec::new();
    write(&problem, &mut out).unwrap();
    let again = read(std::str::from_utf8(&out).unwrap(), 0).unwrap();
    let mut second = Vec::new();
    write(&again, &mut second).unwrap();
    assert_eq!(out, second);
    assert_eq!(again.lower(CellId(2)), None);
    assert_eq!(again.upper(CellId(2)), Some(2000));
}

#[test]
fn errors_name_the_line() {
    let message = |text: &str| read(text, 0).unwrap_err().to_string();
    assert_eq!(
        message(&SMALL.replace("6.5 6 z", "x 6 z")),
        "line 5: the value is not a finite number"
    );
    assert_eq!(
        message(&SMALL.replace("6.5 6 z", "6.5 6 q")),
        "line 5: status `q` is none of u, s, z, m"
    );
    assert_eq!(
        message(&SMALL.replace("2 (1)", "7 (1)")),
        "line 7: cell 7 is not in the list of cells"
    );
    assert_eq!(
        message(&SMALL.replace("0 3 :", "0 4 :")),
        "line 7: the relation announces 4 terms and has 3"
    );
    assert_eq!(
        message("0\n1\n0 1 1 s"),
        "line 3: a cell has 9 fields: id value cost status lower upper down up sliding; this line has 4"
    );
    assert_eq!(message("0\n1\n"), "the file ends before the last cell; is it truncated?");
}

#[test]
fn a_total_that_misses_its_parts_is_refused_by_name() {
    let message = read(&SMALL.replace("0 10.5 10", "0 10.6 10"), 0).unwrap_err().to_string();
    assert_eq!(message, "1 of the relations do not add up; the worst are the totals `cell 0`");
}
