//! What a job says about single cells: costs, what was withheld before, and what must be published.

use crate::support::Desk;
use std::fs;

/// A row of three regions under their total, of which the first is sensitive.
fn row(statuses: &str, protect: &str) -> Desk {
    let desk = Desk::new();
    let [total, nord, sud, est] = statuses.as_bytes() else { unreachable!("four statuses") };
    let [total, nord, sud, est] = [total, nord, sud, est].map(|&status| char::from(status));
    desk.write(
        "t.csv",
        format!("region,v,st\nTotal,100,{total}\nNord,30,{nord}\nSud,40,{sud}\nEst,30,{est}\n"),
    );
    desk.write(
        "job.toml",
        format!(
            "[finished]\nfile = \"t.csv\"\nvalue = \"v\"\nstatus = \"st\"\n\
             [table]\ndimensions = [\"region\"]\n[protect]\n{protect}\n"
        ),
    );
    desk
}

/// The regions that are withheld beyond the sensitive one, and the cost.
fn withheld(desk: &Desk, flags: &[&str]) -> (Vec<String>, f64) {
    desk.expect(0, &[&["protect", "job.toml", "--out", "release"], flags].concat());
    let table = fs::read_to_string(desk.path("release/table.csv")).unwrap();
    let regions = table.lines().filter(|line| line.contains(",s,"));
    let regions = regions.map(|line| line.split(',').next().unwrap().to_owned()).collect();
    let summary = fs::read_to_string(desk.path("release/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    (regions, summary["cost"].as_f64().unwrap())
}

#[test]
fn the_cheapest_cell_is_withheld_and_a_file_may_say_which_that_is() {
    let is = |desk: &Desk, region: &str, cost: f64| {
        let (regions, paid) = withheld(desk, &[]);
        assert_eq!(regions, [region]);
        assert!((paid - cost).abs() < 1e-9, "{paid} is not {cost}");
    };
    is(&row("zuss", ""), "Est", 30.0);
    is(&row("zuss", "lambda = 0.5"), "Est", 30_f64.sqrt());
    is(&row("zuss", "lambda = 0"), "Est", 31_f64.ln());
    let desk = row("zuss", "cost_file = \"costs.csv\"");
    desk.write("costs.csv", "region,cost\nEst,50\nSud,0.5\n");
    is(&desk, "Sud", 0.5);
}

#[test]
fn a_finished_table_may_have_a_column_of_costs() {
    let desk = row("zuss", "");
    desk.write("t.csv", "region,v,w,st\nTotal,100,,z\nNord,30,,u\nSud,40,2.5,s\nEst,30,,s\n");
    desk.edit("job.toml", "value = \"v\"", "value = \"v\"\ncost = \"w\"");
    assert_eq!(withheld(&desk, &[]), (vec!["Sud".to_owned()], 2.5));
}

#[test]
fn totals_may_be_dearer() {
    let dear = row("suzs", "cost = \"one\"\nmargins = 5");
    assert_eq!(withheld(&dear, &[]), (vec!["Est".to_owned()], 1.0));
    let only = row("suzz", "cost = \"one\"\nmargins = 5");
    assert_eq!(withheld(&only, &[]), (vec!["Total".to_owned()], 5.0));
}

#[test]
fn cells_that_were_withheld_before_are_kept_preferred_or_forbidden() {
    let before = |cells: &str, region: &str| {
        let previous = format!("previous = {{ pattern = \"last.csv\", cells = \"{cells}\" }}");
        let desk = row("zuss", &previous);
        desk.write("last.csv", format!("region,status\nNord,p\n{region},s\n"));
        withheld(&desk, &[]).0
    };
    assert_eq!(before("keep", "Sud"), ["Sud"]);
    assert_eq!(before("prefer", "Sud"), ["Sud"]);
    assert_eq!(before("forbid", "Est"), ["Sud"]);
}

#[test]
fn a_cost_that_is_no_number_is_refused_with_its_line() {
    let desk = row("zuss", "cost_file = \"costs.csv\"");
    desk.write("costs.csv", "region,cost\nEst,50\nSud,cheap\n");
    let output = desk.run(&["protect", "job.toml"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{messages}");
    assert!(messages.contains("costs.csv:3: the cost is not a number"), "{messages}");
}

#[test]
fn frozen_cells_in_the_way_are_named_and_the_least_costly_is_released_on_request() {
    let desk = row("zuzz", "");
    let output = desk.run(&["protect", "job.toml"]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{messages}");
    assert!(messages.contains("these 3 cells must be published"), "{messages}");
    assert!(
        messages.contains("`region=Est`") && messages.contains("--release-frozen"),
        "{messages}"
    );
    assert_eq!(withheld(&desk, &["--release-frozen"]).0, ["Est"]);
    let said = desk.expect(0, &["protect", "job.toml", "--out", "release", "--release-frozen"]);
    assert!(said.contains("region=Est, which had to be published"), "{said}");
    let report = fs::read_to_string(desk.path("release/report.html")).unwrap();
    assert!(report.contains("They are withheld: region=Est."));
    desk.expect(0, &["verify", "release"]);
    let by_job = row("zuzz", "release_frozen = true");
    assert_eq!(withheld(&by_job, &[]).0, ["Est"]);
}
