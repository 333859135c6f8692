//! Every kind of bad input: an error that says where and what to do, exit status 2, and nothing written.

use crate::support::{Desk, steady};
use insta::assert_snapshot;

/// The message about a desk with one piece of one file replaced.
fn refused(name: &str, from: &str, to: &str) -> String {
    let desk = Desk::new();
    desk.edit(name, from, to);
    desk.refusal()
}

#[test]
fn an_unknown_column() {
    assert_snapshot!(refused("job.toml", "response = \"turnover\"", "response = \"turnovr\""));
    assert_snapshot!(refused(
        "job.toml",
        "dimensions = [\"region\", ",
        "dimensions = [\"regoin\", "
    ));
}

#[test]
fn an_unknown_code_in_a_hierarchy() {
    assert_snapshot!(refused("records.csv", "Aulne,crops,20", "Aulna,crops,20"));
}

#[test]
fn a_cycle() {
    assert_snapshot!(refused("activity.csv", "All,food", "All,food\ncrops,All"));
}

#[test]
fn a_code_listed_twice_in_one_tree() {
    assert_snapshot!(refused("region.hrc", "@Garde", "@Garde\n@Aulne"));
    assert_snapshot!(refused("activity.csv", "All,food", "All,food\nSome,food"));
}

#[test]
fn a_code_in_two_trees_is_fine() {
    let desk = Desk::new();
    desk.write("coast.csv", "parent,child\nCoast,Aulne\nCoast,Garde\nInland,Brisé\n");
    desk.edit("job.toml", "\"region.hrc\"", "[\"region.hrc\", \"coast.csv\"]");
    desk.expect(0, &["protect", "job.toml"]);
}

#[test]
fn text_in_a_numeric_column() {
    assert_snapshot!(refused("records.csv", "Aulne,food,70", "Aulne,food,seventy"));
    let written = refused("records.csv", "Aulne,food,70", "Aulne,food,\"70,50\"");
    assert!(!written.contains("70"), "an amount is shown: {written}");
    assert_snapshot!(written);
}

#[test]
fn negative_values_under_a_rule_that_assumes_none() {
    assert_snapshot!(refused("records.csv", "Aulne,food,70", "Aulne,food,-70"));
}

#[test]
fn nan_and_infinite_values() {
    assert_snapshot!(refused("records.csv", "Aulne,food,70", "Aulne,food,NaN"));
    assert_snapshot!(refused("records.csv", "Aulne,food,70", "Aulne,food,inf"));
}

#[test]
fn a_total_that_is_not_the_sum_of_its_parts() {
    let desk = Desk::new();
    desk.write("table.csv", "region,value,n\nTotal,100,9\nNord,60,5\nSud,41,4\n");
    desk.write(
        "job.toml",
        "[finished]\nfile = \"table.csv\"\nvalue = \"value\"\nrespondents = \"n\"\n\
        [table]\ndimensions = [\"region\"]\n[rules]\nfrequency = { below = 3 }\n",
    );
    assert_snapshot!(desk.refusal());
    desk.edit("table.csv", "Sud,41", "Sud,40");
    desk.expect(0, &["protect", "job.toml"]);
}

#[test]
fn an_empty_file() {
    let desk = Desk::new();
    desk.write("records.csv", "");
    assert_snapshot!(desk.refusal());
    desk.write("records.csv", "region,activity,turnover,holding\n");
    assert_snapshot!(desk.refusal());
    desk.write("job.toml", "");
    assert_snapshot!(desk.refusal());
}

#[test]
fn a_truncated_parquet_file() {
    let desk = Desk::new();
    desk.expect(0, &["generate", "salaries", "--rows", "500", "--out", "salaries"]);
    let whole = std::fs::read(desk.path("salaries/part-00000.parquet")).unwrap();
    desk.write("cut.parquet", &whole[..whole.len() / 2]);
    desk.write(
        "job.toml",
        "[records]\nfile = \"cut.parquet\"\n[table]\ndimensions = [\"cs\"]\n\
        [rules]\nfrequency = { below = 3 }\n",
    );
    let _steady = steady();
    assert_snapshot!(desk.refusal());
}

#[test]
fn a_missing_file() {
    assert_snapshot!(refused("job.toml", "records.csv", "recods.csv"));
    assert_snapshot!(refused("job.toml", "region.hrc", "regions.hrc"));
    let desk = Desk::new();
    std::fs::remove_file(desk.path("job.toml")).unwrap();
    assert_snapshot!(desk.refusal());
}

#[test]
fn a_job_file_with_an_unknown_key() {
    assert_snapshot!(refused("job.toml", "response", "respons"));
    assert_snapshot!(refused("job.toml", "p_percent", "p_precent"));
}

#[test]
fn a_job_without_rules() {
    let desk = Desk::new();
    let text = std::fs::read_to_string(desk.path("job.toml")).unwrap();
    desk.write("job.toml", text.split("[rules]").next().unwrap());
    assert_snapshot!(desk.refusal());
}

#[test]
fn a_rule_that_does_not_fit_the_table() {
    assert_snapshot!(refused("job.toml", "{ p = 10 }", "{ p = 10, by = \"holding\" }"));
}

#[test]
fn a_method_that_is_not_there_yet() {
    assert_snapshot!(refused("job.toml", "\"suppress\"", "\"cta\""));
}
