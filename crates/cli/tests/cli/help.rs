//! Help that fits a screen, and usage errors.

use crate::support::Desk;
use insta_cmd::assert_cmd_snapshot;

const VERBS: [&str; 10] = [
    "protect", "tabulate", "suppress", "adjust", "audit", "verify", "argus", "convert", "generate",
    "demo",
];

#[test]
fn short_help_fits_a_screen() {
    let desk = Desk::new();
    assert_cmd_snapshot!(desk.cellveil(&["-h"]));
    for verb in VERBS {
        let text = desk.expect(0, &[verb, "-h"]);
        assert!(text.lines().count() <= 40, "{verb}: {} lines", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{verb} is too wide");
    }
}

#[test]
fn every_verb_explains_itself() {
    let desk = Desk::new();
    for verb in VERBS {
        insta::assert_snapshot!(format!("help_of_{verb}"), desk.expect(0, &[verb, "--help"]));
    }
}

#[test]
fn a_command_line_that_makes_no_sense_could_not_run() {
    let desk = Desk::new();
    assert_cmd_snapshot!(desk.cellveil(&["protct", "job.toml"]));
    assert_cmd_snapshot!(desk.cellveil(&["suppress", "a.jj", "--method", "modlar"]));
    assert_cmd_snapshot!(desk.cellveil(&["protect", "job.toml", "--time-limit", "60"]));
    assert_cmd_snapshot!(desk.cellveil(&["protect", "job.toml", "--threads", "0"]));
    desk.expect(2, &[]);
}
