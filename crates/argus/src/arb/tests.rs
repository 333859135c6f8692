//! Commands as they stand in batch files.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use super::*;

fn one(text: &str) -> Command {
    read(Path::new("b.arb"), text).unwrap().remove(0).command
}

fn said(text: &str) -> String {
    read(Path::new("b.arb"), text).unwrap_err().to_string()
}

#[test]
fn lambda_stands_after_a_comma_or_after_a_pipe() {
    for text in [
        "<SPECIFYTABLE> \"a\"\"b\"|\"x\"|\"y\"|\"z\",0.5",
        "<specifytable> \"a\" \"b\" | \"x\" | \"y\" | \"z\" | 0.5",
    ] {
        let Command::SpecifyTable(table) = one(text) else { unreachable!() };
        assert_eq!(table.explanatory, ["a", "b"]);
        assert_eq!(table.shadow.as_deref(), Some("y"));
        assert_eq!(table.cost, CostSpec::Variable("z".to_owned()));
        assert!((table.lambda - 0.5).abs() < 1e-12);
    }
}

#[test]
fn the_cost_may_be_a_number_that_stands_for_a_function() {
    for (text, cost) in [
        ("\"a\"|\"<freq>\"||", CostSpec::Default),
        ("\"a\"|\"<FREQ>\"|\"\"|\"-1\"", CostSpec::Frequency),
        ("\"a\"|\"x\"|\"\"|-2", CostSpec::Unity),
        ("\"a\"|\"x\"|\"\"|\"-3\"", CostSpec::Distance),
    ] {
        let Command::SpecifyTable(table) = one(&format!("<SPECIFYTABLE> {text}")) else {
            unreachable!()
        };
        assert_eq!(table.cost, cost, "{text}");
        assert_eq!(table.response.is_none(), text.to_lowercase().contains("freq"));
    }
}

#[test]
fn slots_three_and_four_are_for_holdings() {
    let Command::SafetyRule(rules) = one(
        "<SAFETYRULE> P(15,1)|P(0,0)|P(20,100,2)|FREQ(3,30)|FREQ(2,20)|NK(1,85)|ZERO(2.5)|MIS(1)|",
    ) else {
        unreachable!()
    };
    let p = |p, n| Concentration::PriorPosterior { p, q: 100, n };
    assert_eq!(rules.concentration[0], [p(15, 1), Concentration::Dominance { n: 1, k: 85 }]);
    assert_eq!(rules.concentration[1], [p(20, 2)]);
    assert_eq!(rules.frequency.map(|rule| rule.map(|rule| rule.below)), [Some(3), Some(2)]);
    assert!(rules.by_holding() && rules.missing_safe && !rules.given);
    assert_eq!(rules.top(), 3);
    assert_eq!(one("<SAFETYRULE>"), Command::SafetyRule(Rules::default()));
    let Command::SafetyRule(rules) = one("<SAFETYRULE> MAN(30)") else { unreachable!() };
    assert!(rules.given && rules.manual == 30);
}

#[test]
fn old_digits_and_new_letters_say_how_to_write() {
    let options = |text: &str| match one(&format!("<WRITETABLE> {text}")) {
        Command::WriteTable { options, .. } => options,
        _ => unreachable!(),
    };
    assert_eq!(options("(1,5,1,\"f\")").status_only, Some(false));
    assert_eq!(options("(1,5,0,\"f\")").status_only, Some(true));
    assert_eq!(options("(1, 3, AS+SE-FL+, \"f\")").status, Some(true));
    assert_eq!(options("(1, 3, AS+SE-FL+, \"f\")").skip_empty, Some(false));
    assert_eq!(options("(1,2,,\"f\")"), SaveOptions::default());
    assert_eq!(options("(1,3,1,\"f\")").status, Some(true));
}

#[test]
fn both_spellings_of_a_priori_are_known() {
    let expected = Command::Apriori {
        file: "a b.hst".to_owned(),
        table: 2,
        separator: ',',
        ignore_errors: false,
        expand: true,
    };
    assert_eq!(one("<APRIORI> \"a b.hst\",2,\",\",0,1"), expected);
    assert_eq!(one("<APRIORY> \"a b.hst\", 2, \",\" ,0, 1"), expected);
}

#[test]
fn ways_to_read_a_table() {
    for (text, mode) in [
        ("", Additivity::Required),
        ("0", Additivity::Required),
        ("1", Additivity::Recompute { keep: false }),
        ("1T", Additivity::Recompute { keep: true }),
        ("1 F", Additivity::Recompute { keep: false }),
        ("2", Additivity::Accepted),
    ] {
        assert_eq!(one(&format!("<READTABLE> {text}")), Command::ReadTable(mode), "{text}");
    }
}

#[test]
fn mistakes_are_named_with_line_and_way_out() {
    insta::assert_snapshot!(
        [
            "// x\n<OPENMICRODTA> \"f\"",
            "<OPENMICRODATA>",
            "<SAFETYRULE> Q(3)",
            "<SAFETYRULE> FREQ(3)",
            "<SAFETYRULE> P(15,1",
            "<SAFETYRULE> P(150)",
            "<SAFETYRULE> WGT(1)|FREQ(3,10)|FREQ(2,10)",
            "<SPECIFYTABLE> \"a\"",
            "<SPECIFYTABLE> \"a\"\"A\"|\"x\"",
            "<SPECIFYTABLE> \"a\"|\"x\"|||2",
            "<READTABLE> 3",
            "<SUPPRESS> XYZ(1)",
            "<SUPPRESS> MOD",
            "<SUPPRESS> OPT(0)",
            "<WRITETABLE> (1,9,,\"f\")",
            "<WRITETABLE> (1,3,XX+,\"f\")",
            "<APRIORI> \"f\",1,;",
            "<SOLVER> GUROBI",
            "<JJ> 1",
            "hello",
        ]
        .map(said)
        .join("\n\n")
    );
}
