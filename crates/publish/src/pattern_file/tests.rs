//! Pattern files as other programs write them.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use super::{read_earlier, read_pattern};
use crate::testing::{grid_problem, jj_problem};
use cellveil_core::{CellId, Problem, Why};

fn withheld(text: &str, problem: &Problem) -> Result<Vec<(u32, char)>, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pattern.csv");
    std::fs::write(&path, text).unwrap();
    let shown = |(cell, why): (CellId, Why)| (cell.0, why.letter());
    match read_pattern(&path, problem) {
        Ok(pattern) => Ok(pattern.withheld().map(shown).collect()),
        Err(error) => Err(error.to_string().split_once("pattern.csv").unwrap().1.to_owned()),
    }
}

#[test]
fn primaries_are_what_the_problem_says() {
    let expected = Ok(vec![(5, 'p'), (6, 's')]);
    assert_eq!(withheld("cell,status\n5,s\n6,p\n", &grid_problem()), expected);
}

#[test]
fn a_safe_s_and_a_secondary_s_are_told_apart_by_the_company_they_keep() {
    let problem = grid_problem();
    assert_eq!(withheld("cell;STATUS\n5;U\n6;M\n7;S\n", &problem), Ok(vec![(5, 'p'), (6, 's')]));
    assert_eq!(withheld("id,sdcStatus\n5,u\n6,x\n7,s\n8,z\n", &problem).unwrap().len(), 2);
    assert_eq!(withheld("cell,status\n5,p\n6,s\n7,s\n", &problem).unwrap().len(), 3);
    assert_eq!(withheld("cell,Status\n5,A\n6,D\n7,V\n", &problem).unwrap().len(), 2);
    assert_eq!(withheld("cell,suppressed\n5,TRUE\n6,FALSE\n", &problem).unwrap().len(), 1);
    assert_eq!(withheld("cell,status\n5,3\n6,11\n7,1\n8,14\n", &problem).unwrap().len(), 2);
    assert_eq!(withheld("cell,suppressed\n5,1\n6,0\n", &problem).unwrap().len(), 1);
    assert_eq!(withheld("5,p\n6,s\n", &problem).unwrap().len(), 2);
}

#[test]
fn cells_may_be_named_by_their_codes() {
    let text = "status\tREGION\tactivity\nu\tNord\tA\nx\tNord\tB\n";
    assert_eq!(withheld(text, &grid_problem()), Ok(vec![(5, 'p'), (6, 's')]));
}

#[test]
fn mistakes_are_named_by_their_line() {
    let message = |text: &str| withheld(text, &grid_problem()).unwrap_err();
    assert_eq!(message("cell,status\n5,p\n99,s\n"), ":3: cell `99` is not in the instance");
    assert_eq!(
        message("cell,status\n5,q\n"),
        ":2: status `q` is unknown; known are p s v, u x m z e w, A B D V, TRUE FALSE, 1 to 14"
    );
    assert_eq!(
        message("region,status\nNord,p\n"),
        ":1: no column `cell`, and no column `activity` of the table either"
    );
    assert_eq!(
        message("region,activity,status\nNord,Z,p\n"),
        ":2: the table has no cell `Nord, Z`"
    );
    assert_eq!(message(""), ":1: the file is empty");
    let unnamed = withheld("region,status\nNord,p\n", &jj_problem()).unwrap_err();
    assert_eq!(unnamed, ":1: no column `cell`; the cells of this instance have numbers");
}

fn earlier(text: &str) -> Result<Vec<String>, String> {
    let problem = grid_problem();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("earlier.csv");
    std::fs::write(&path, text).unwrap();
    let name = |cell: CellId| problem.names().describe(cell).to_string();
    match read_earlier(&path, &problem) {
        Ok(published) => Ok(published.into_iter().map(name).collect()),
        Err(error) => Err(error.to_string().split_once("earlier.csv").unwrap().1.to_owned()),
    }
}

#[test]
fn an_earlier_table_of_fewer_dimensions_is_joined_where_it_stands() {
    let problem = grid_problem();
    let all = problem.len();
    let published = earlier("region,status\nNord,p\n").unwrap();
    assert!(!published.is_empty() && published.len() < all, "{published:?}");
    assert!(published.iter().all(|name| name.contains("activity=Total")), "{published:?}");
    assert!(!published.iter().any(|name| name.contains("region=Nord,")), "{published:?}");
    assert_eq!(earlier("region,activity,status\nNord,A,p\n").unwrap().len(), all - 1);
}

#[test]
fn what_cannot_be_joined_is_named() {
    assert_eq!(
        earlier("region,sex,status\nNord,m,v\nNord,f,v\n").unwrap_err(),
        ":3: `region=Nord, activity=Total` stands here again; a variable that is not in this table cannot be joined: keep the lines of its total only"
    );
    assert_eq!(
        earlier("region,status\nAtlantis,v\n").unwrap_err(),
        ":2: the table has no cell `Atlantis, Total`, so what was published of it cannot be joined"
    );
}
