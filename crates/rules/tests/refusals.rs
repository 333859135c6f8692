//! What is refused, in which words; and what the rule set asks of a table.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use cellveil_core::{Contribution, Contributors, Dimension, Hierarchy, Reason, Table, TableParts};
use cellveil_rules::{Record, RuleSet, one_cell};
use std::sync::Arc;

fn rules(text: &str) -> RuleSet {
    toml::from_str(text).unwrap()
}

fn refusal(text: &str, table: &Table) -> String {
    rules(text).judge(table).unwrap_err().to_string()
}

fn cell(values: &[i64]) -> Table {
    one_cell(&values.iter().map(|&value| Record::of(value)).collect::<Vec<_>>(), 0, 0).unwrap()
}

/// Wages of two regions, as parts to be changed.
fn regions(response: Option<&str>) -> TableParts {
    let hierarchy = Hierarchy::flat("Total", ["Nord", "Sud", "unknown"]).unwrap();
    let top = [90, 60, 90, 7].map(|value| Contribution { value, weight: 1 });
    TableParts {
        dimensions: vec![Dimension {
            name: "region".into(),
            levels: vec![],
            hierarchy: Arc::new(hierarchy),
        }],
        keys: vec![0, 1, 2, 3],
        response: response.map(str::to_owned),
        decimals: 0,
        values: vec![200, 101, 92, 7],
        contribution_decimals: 0,
        respondents: Contributors::new(vec![6, 2, 3, 1], 1, top.to_vec()),
        holdings: None,
        weighted: None,
        requests: None,
        negative: None,
        tolerance: 0,
    }
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    for (text, expected) in [
        ("dominance = { n = 0, k = 85 }", "`n` of rule `dominance` must be in 1..1000"),
        (
            "dominance = { n = 1, k = 100.5 }",
            "`k` of rule `dominance` must be above 0 and at most 100",
        ),
        ("dominance = { n = 1, k = 0 }", "`k` of rule `dominance` must be above 0 and at most 100"),
        ("p_percent = { p = 0 }", "`p` of rule `p-percent` must be above 0 and at most 100"),
        ("pq = { p = 30, q = 20 }", "`p` of rule `pq` must be at most `q`"),
        ("frequency = { below = 0 }", "`below` of rule `frequency` must be at least 1"),
        ("frequency = { below = 3, range = -1 }", "`range` of rule `frequency` must be in 0..100"),
        ("request = { percent = 101 }", "`percent` of rule `request` must be in 0..100"),
        ("zero = { range = -1 }", "`range` of rule `zero` must be at least 0"),
        ("row_share = { above = 200 }", "`above` of rule `row-share` must be in 0..100"),
        ("interval = { width = -5 }", "`width` of rule `interval` must be at least 0"),
    ] {
        assert_eq!(rules(text).check().unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn a_key_that_no_rule_has_is_refused() {
    for text in [
        "frequenzy = { below = 3 }",
        "frequency = { under = 3 }",
        "dominance = [{ n = 1, k = 85, q = 1 }]",
    ] {
        let error = toml::from_str::<RuleSet>(text).unwrap_err().to_string();
        assert!(error.contains("unknown field"), "{error}");
    }
}

#[test]
fn negative_contributions_are_refused_with_rule_and_cell() {
    let table = cell(&[90, -20, 5]);
    for (rule, text) in [
        ("dominance", "dominance = { n = 1, k = 85 }"),
        ("p-percent", "p_percent = { p = 10 }"),
        ("pq", "pq = { p = 10, q = 50 }"),
    ] {
        let expected = format!(
            "rule `{rule}` assumes that no contribution is negative, but one in cell `cell=Total` is\n\
             hint: leave out the rule, or set `signed = \"absolute\"` under `[rules]` for an indicative verdict"
        );
        assert_eq!(refusal(text, &table), expected);
    }
    assert!(rules("frequency = { below = 3 }").judge(&table).is_ok());
}

#[test]
fn absolute_contributions_are_judged_against_the_absolute_value() {
    let rules = rules("signed = \"absolute\"\ndominance = { n = 1, k = 80 }");
    let need = rules.judge(&cell(&[-90, 10])).unwrap().needs[0];
    // 90 / 0.8 − 80, and nothing keeps a signed cell above zero.
    assert_eq!((need.down, need.up), (33, 33));
}

#[test]
fn rules_for_amounts_are_refused_for_counts() {
    let table = Table::new(regions(None)).unwrap();
    for text in [
        "dominance = { n = 1, k = 85 }",
        "p_percent = { p = 10 }",
        "pq = { p = 10, q = 50 }",
        "request = { percent = 50 }",
        "zero = { range = 5 }",
    ] {
        assert!(
            refusal(text, &table).contains("is for amounts, but the table holds counts\nhint: "),
            "{text}"
        );
    }
}

#[test]
fn shares_are_refused_for_amounts_and_for_one_dimension() {
    let amounts = Table::new(regions(Some("wage"))).unwrap();
    assert!(
        refusal("row_share = { above = 90 }", &amounts)
            .contains("the table holds amounts of `wage`")
    );
    let counts = Table::new(regions(None)).unwrap();
    assert!(
        refusal("column_share = { above = 90 }", &counts)
            .contains("needs a table of two or more dimensions")
    );
}

#[test]
fn what_the_table_lacks_is_named() {
    let table = Table::new(regions(Some("wage"))).unwrap();
    for (text, expected) in [
        ("frequency = { below = 3, by = \"holding\" }", "the table does not know its holdings"),
        ("request = { percent = 50 }", "needs to know who asked for protection"),
        ("frequency = { below = 3, weighted = true }", "counts weights, but the table has none"),
        (
            "p_percent = { p = 10 }",
            "the 2 largest contributions of a cell, but cell `region=Total` comes with 1",
        ),
    ] {
        assert!(refusal(text, &table).contains(expected), "{text}");
    }
    assert!(rules("dominance = { n = 1, k = 85 }").judge(&table).is_ok());
}

#[test]
fn holdings_are_counted_but_not_compared_in_weighted_tables() {
    let record = |value, holding: &str| Record {
        weight: Some(2),
        holding: Some(holding.into()),
        ..Record::of(value)
    };
    let table =
        one_cell(&[record(90, "Alba"), record(5, "Alba"), record(5, "Brio")], 0, 0).unwrap();
    let text = "dominance = { n = 1, k = 85, by = \"holding\" }";
    assert!(refusal(text, &table).contains("a holding has no weight of its own"));
    let counted = rules("frequency = { below = 3, by = \"holding\" }").judge(&table).unwrap();
    assert_eq!(counted.counts, [(Reason::Frequency, 1)]);
}

#[test]
fn manual_cells_with_unknown_names_get_the_nearest_one() {
    let table = Table::new(regions(Some("wage"))).unwrap();
    let manual =
        |codes: &str| format!("manual = {{ cells = [{{ {codes}, status = \"unsafe\" }}] }}");
    assert_eq!(
        refusal(&manual("regoin = \"Nord\""), &table),
        "rule `manual` names `regoin`, which is no dimension of the table\nhint: did you mean `region`?"
    );
    assert_eq!(
        refusal(&manual("region = \"nrod\""), &table),
        "rule `manual` names `nrod`, which is no code of `region`\nhint: did you mean `Nord`?"
    );
}

#[test]
fn a_cell_named_twice_by_hand_is_refused() {
    let table = Table::new(regions(Some("wage"))).unwrap();
    let text = r#"manual = { cells = [{ region = "Sud", status = "unsafe" }, { region = "Sud", status = "publish" }] }"#;
    assert!(refusal(text, &table).contains("names cell `region=Sud` twice"));
}

#[test]
fn a_cell_published_by_hand_is_frozen_and_not_judged() {
    let table = Table::new(regions(Some("wage"))).unwrap();
    let text = "frequency = { below = 3 }\nmanual = { cells = [{ region = \"Nord\", status = \"publish\" }] }";
    let judgement = rules(text).judge(&table).unwrap();
    let names = |cell| table.names().describe(cell).to_string();
    assert_eq!(
        judgement.frozen.iter().map(|&cell| names(cell)).collect::<Vec<_>>(),
        ["region=Nord"]
    );
    assert_eq!(
        judgement.needs.iter().map(|need| names(need.cell)).collect::<Vec<_>>(),
        ["region=unknown"]
    );
}

#[test]
fn cells_are_counted_by_their_first_reason() {
    let table = Table::new(regions(Some("wage"))).unwrap();
    let text = "frequency = { below = 3 }\ndominance = { n = 1, k = 85 }\n\
                manual = { cells = [{ status = \"unsafe\", down = 1.5, up = 3 }] }";
    let judgement = rules(text).judge(&table).unwrap();
    assert_eq!(
        judgement.counts,
        [(Reason::Dominance, 2), (Reason::Frequency, 1), (Reason::Manual, 1)]
    );
    assert_eq!((judgement.needs[0].down, judgement.needs[0].up), (2, 3));
}

#[test]
fn cells_of_missing_values_are_safe_where_wanted() {
    let table = Table::new(regions(Some("wage"))).unwrap();
    let safe = "frequency = { below = 2 }\nmissing_is_safe = true\n";
    assert!(refusal(safe, &table).contains("`missing = { region = [\"unknown\"] }`"));
    assert!(
        refusal(&format!("{safe}missing = {{ regio = [\"unknown\"] }}"), &table)
            .contains("did you mean `region`?")
    );
    let known = rules(&format!("{safe}missing = {{ region = [\"unknown\"] }}"));
    assert!(known.judge(&table).unwrap().needs.is_empty());
    assert_eq!(rules("frequency = { below = 2 }").judge(&table).unwrap().needs.len(), 1);
}

#[test]
fn amounts_too_large_for_exact_comparison_are_refused() {
    let mut parts = regions(Some("wage"));
    parts.contribution_decimals = 30;
    let table = Table::new(parts).unwrap();
    assert!(
        refusal("dominance = { n = 1, k = 85 }", &table)
            .contains("is too large to be judged exactly")
    );
}

#[test]
fn the_rule_set_says_what_the_table_must_keep() {
    let set =
        rules("dominance = { n = 2, k = 85 }\npq = { p = 10, q = 50, n = 3, by = \"holding\" }");
    assert_eq!((set.top_needed(), set.needs_holdings(), set.is_empty()), (4, true, false));
    let none = RuleSet::default();
    assert_eq!((none.top_needed(), none.needs_holdings(), none.is_empty()), (0, false, true));
}

#[test]
fn a_rule_set_is_read_back_as_it_was_written() {
    let text = "p_percent = [{ p = 10 }, { p = 12.5, n = 2, by = \"holding\" }]\nrequest = { percent = 50 }\n\
                zero = { range = 0.5 }\nmanual = { cells = [{ region = 12, status = \"publish\" }] }\n\
                row_share = { above = 90, dimension = \"sex\" }\ninterval = { width = 5 }\nsigned = \"absolute\"";
    let set = rules(text);
    assert_eq!(rules(&toml::to_string(&set).unwrap()), set);
}
