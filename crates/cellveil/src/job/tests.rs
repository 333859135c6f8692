//! Job files, right and wrong.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use super::{Data, Job};
use cellveil_core::Cost;
use cellveil_tabulate::HierarchySpec;
use std::path::{Path, PathBuf};

const WHOLE: &str = r#"
[records]
file = "data/records.csv"
delimiter = ";"

[table]
dimensions = ["region", "activity", "size"]
response = "wage"
weight = "w"
holding = "enterprise"
request = { column = "asked", codes = ["1"] }

[dimension.region]
hierarchy = ["region.hrc", "zones.csv"]
lead = "@"

[dimension.activity]
digits = [2, 1]
total = "All"
missing = "?"

[dimension.size]
levels = ["size", "class"]

[rules]
frequency = { below = 3, range = 10 }
dominance = { n = 1, k = 85 }
p_percent = { p = 10 }

[protect]
method = "suppress"
suppression = "incremental"
intruder = ["singleton"]
time_limit = "60s"
cost = "respondents"
lambda = 0.5
margins = 3
cost_file = "costs.csv"
previous = { pattern = "last/pattern.csv", cells = "prefer" }
release_frozen = true
known_percent = 50
seed = 7
gap = 0.01

[output]
formats = ["csv", "parquet"]
"#;

fn parse(text: &str) -> Result<Job, String> {
    Job::parse(Path::new("jobs/job.toml"), text).map_err(|error| error.to_string())
}

/// The error of the whole job with one line replaced.
fn error_with(line: &str, instead: &str) -> String {
    assert!(WHOLE.contains(line), "{line}");
    parse(&WHOLE.replacen(line, instead, 1)).unwrap_err()
}

#[test]
fn a_whole_job_is_read() {
    let job = parse(WHOLE).unwrap();
    let Data::Records(source, spec) = &job.data else { unreachable!("records are given") };
    assert_eq!(source.path, PathBuf::from("jobs/data/records.csv"));
    assert_eq!(source.delimiter, Some(b';'));
    assert_eq!(spec.top, 2);
    let hierarchies: Vec<&HierarchySpec> =
        spec.dimensions.iter().flat_map(|d| &d.hierarchies).collect();
    assert!(matches!(hierarchies[0], HierarchySpec::Hrc(path, Some(lead))
        if path == Path::new("jobs/region.hrc") && lead == "@"));
    assert!(matches!(hierarchies[1], HierarchySpec::ParentChild(_)));
    assert!(matches!(hierarchies[2], HierarchySpec::Digits(_)));
    assert!(matches!(hierarchies[3], HierarchySpec::Levels(_)));
    assert_eq!((job.settings.seed(), job.settings.gap), (7, Some(0.01)));
    assert!(job.protection.singletons && job.protection.cost == Cost::Respondents);
    assert!(job.formats.csv && !job.formats.xlsx);
    assert_eq!(job.rules.missing["activity"], ["?"]);
    assert_eq!(job.title, "wage by region, activity, size");
    let files: Vec<&str> = job.files.iter().map(|(name, _)| name.as_str()).collect();
    let expected = ["region.hrc", "zones.csv", "data/records.csv", "costs.csv", "last/pattern.csv"];
    assert_eq!(files, expected);
    assert_eq!((job.protection.lambda, job.protection.margins), (Some(0.5), 3.0));
    assert_eq!(job.protection.cost_file, Some(PathBuf::from("jobs/costs.csv")));
    let previous = (PathBuf::from("jobs/last/pattern.csv"), crate::Previous::Prefer);
    assert_eq!(job.protection.previous, Some(previous));
    assert!(job.settings.release_frozen);
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_nearest_one() {
    let errors = [
        error_with("response = ", "respons = "),
        error_with("[rules]", "[rule]"),
        error_with("frequency = {", "frequancy = {"),
        error_with("range = 10", "rnge = 10"),
        error_with("known_percent", "known_percentage"),
        error_with("digits = [2, 1]", "digit = [2, 1]"),
        error_with("formats = ", "fruit = "),
        error_with("column = ", "colum = "),
    ];
    insta::assert_snapshot!(errors.join("\n\n"));
}

#[test]
fn what_makes_no_sense_is_refused_with_its_line() {
    let errors = [
        error_with("delimiter = \";\"", "delimiter = \"<>\""),
        error_with("\"size\"]\nresponse", "\"region\"]\nresponse"),
        error_with("dimensions = [\"region\", \"activity\", \"size\"]", "dimensions = []"),
        error_with("[dimension.size]", "[dimension.sise]"),
        error_with("\"zones.csv\"", "\"zones.xml\""),
        error_with("digits = [2, 1]", "digits = [2, 0]"),
        error_with("k = 85", "k = 185"),
        error_with("method = \"suppress\"", "method = \"cta\""),
        error_with("method = \"suppress\"", "method = \"supress\""),
        error_with("suppression = \"incremental\"", "suppression = \"modlar\""),
        error_with(
            "intruder = [\"singleton\"]",
            "intruder = [\"singleton\", \"earlier-releases\"]",
        ),
        error_with("time_limit = \"60s\"", "time_limit = \"60\""),
        error_with("cost = \"respondents\"", "cost = \"respondent\""),
        error_with("lambda = 0.5", "lambda = 1.5"),
        error_with("margins = 3", "margins = 0"),
        error_with("cells = \"prefer\"", "cells = \"keeps\""),
        error_with("known_percent = 50", "known_percent = 0"),
        error_with("gap = 0.01", "gap = 2"),
        error_with("\"csv\", ", "\"pdf\", "),
        error_with("codes = [\"1\"]", "codes = []"),
        error_with("response = \"wage\"", "response = wage"),
        error_with("below = 3", "below = \"three\""),
        error_with("[records]\nfile = \"data/records.csv\"\ndelimiter = \";\"", ""),
        error_with("[table]", "[finished]\nfile = \"t.csv\"\nvalue = \"v\"\n[table]"),
        parse("[records]\nfile = \"a.csv\"\n").unwrap_err(),
        parse("").unwrap_err(),
    ];
    insta::assert_snapshot!(errors.join("\n\n"));
}

#[test]
fn earlier_releases_are_files_beside_the_job() {
    let named = "intruder = [\"earlier-releases\"]\nearlier = [\"2024/pattern.csv\"]";
    let job = parse(&WHOLE.replacen("intruder = [\"singleton\"]", named, 1)).unwrap();
    assert_eq!(job.protection.earlier, [PathBuf::from("jobs/2024/pattern.csv")]);
    assert!(job.files.iter().any(|(name, _)| name == "2024/pattern.csv"));
}

#[test]
fn a_finished_table_needs_no_records() {
    let text = "[finished]\nfile = \"t.csv\"\nvalue = \"v\"\nstatus = \"st\"\n[table]\ndimensions = [\"a\"]\n";
    let Data::Finished(source, spec) = parse(text).unwrap().data else {
        unreachable!("a finished table is given")
    };
    assert_eq!(source.path, PathBuf::from("jobs/t.csv"));
    assert_eq!(spec.status.as_deref(), Some("st"));
    let weighted = parse(&format!("{text}weight = \"w\"\n")).unwrap_err();
    assert!(weighted.starts_with("jobs/job.toml:7: `weight` is a column of records"), "{weighted}");
}
