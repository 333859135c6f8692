//! Row and column shares in three dimensions and under hierarchies.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use cellveil_core::{
    CodeId, Contributors, Dimension, Hierarchy, HierarchyBuilder, Table, TableParts,
};
use cellveil_rules::RuleSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The table of counts with all margins of the given leaf cells.
fn counts(dimensions: Vec<(&str, Hierarchy)>, leaves: &[(&[&str], i64)]) -> Table {
    let mut cells: BTreeMap<Vec<CodeId>, i64> = BTreeMap::new();
    for (codes, count) in leaves {
        let mut keys: Vec<Vec<CodeId>> = vec![Vec::new()];
        for ((_, hierarchy), code) in dimensions.iter().zip(*codes) {
            let above = hierarchy.ancestors(hierarchy.find(code).unwrap());
            keys = keys
                .iter()
                .flat_map(|key| above.iter().map(|&code| [&key[..], &[code]].concat()))
                .collect();
        }
        for key in keys {
            *cells.entry(key).or_default() += count;
        }
    }
    let dimension = |(name, hierarchy): (&str, Hierarchy)| Dimension {
        name: name.into(),
        levels: Vec::new(),
        hierarchy: Arc::new(hierarchy),
    };
    Table::new(TableParts {
        dimensions: dimensions.into_iter().map(dimension).collect(),
        keys: cells.keys().flatten().copied().collect(),
        response: None,
        decimals: 0,
        values: cells.values().copied().collect(),
        contribution_decimals: 0,
        respondents: Contributors::new(
            cells.values().map(|&count| count as u64).collect(),
            0,
            Vec::new(),
        ),
        holdings: None,
        weighted: None,
        requests: None,
        negative: None,
        tolerance: 0,
    })
    .unwrap()
}

fn sensitive(rules: &str, table: &Table) -> Vec<String> {
    let rules: RuleSet = toml::from_str(rules).unwrap();
    rules
        .judge(table)
        .unwrap()
        .needs
        .iter()
        .map(|need| table.names().describe(need.cell).to_string())
        .collect()
}

fn three_dimensions() -> Table {
    let flat = |codes: [&str; 2]| Hierarchy::flat("Total", codes).unwrap();
    let dimensions = vec![
        ("region", flat(["N", "S"])),
        ("sex", flat(["f", "m"])),
        ("status", flat(["ill", "well"])),
    ];
    let leaves: [(&[&str], i64); 8] = [
        (&["N", "f", "ill"], 19),
        (&["N", "f", "well"], 1),
        (&["N", "m", "ill"], 10),
        (&["N", "m", "well"], 30),
        (&["S", "f", "ill"], 10),
        (&["S", "f", "well"], 10),
        (&["S", "m", "ill"], 10),
        (&["S", "m", "well"], 2),
    ];
    counts(dimensions, &leaves)
}

#[test]
fn the_row_total_replaces_the_last_code_by_the_total() {
    assert_eq!(
        sensitive("row_share = { above = 90 }", &three_dimensions()),
        ["region=N, sex=f, status=ill"]
    );
}

#[test]
fn the_column_total_replaces_the_first_code_by_the_total() {
    let found = sensitive("column_share = { above = 90 }", &three_dimensions());
    assert_eq!(found, ["region=N, sex=m, status=well", "region=S, sex=f, status=well"]);
}

#[test]
fn a_named_dimension_takes_their_place() {
    let found = sensitive("row_share = { above = 90, dimension = \"sex\" }", &three_dimensions());
    assert_eq!(found, ["region=N, sex=m, status=well"]);
}

#[test]
fn an_unknown_dimension_is_refused_with_the_nearest_name() {
    let rules: RuleSet =
        toml::from_str("row_share = { above = 90, dimension = \"sexe\" }").unwrap();
    let error = rules.judge(&three_dimensions()).unwrap_err().to_string();
    assert!(error.ends_with("hint: did you mean `sex`?"), "{error}");
}

#[test]
fn an_aggregate_that_covers_everything_is_not_judged_but_others_are() {
    let mut builder = HierarchyBuilder::new("Total");
    let (all, most) = (builder.code("all"), builder.code("most"));
    let (a, b, c) = (builder.code("a"), builder.code("b"), builder.code("c"));
    builder.sum(0, vec![all]);
    builder.sum(all, vec![most, c]);
    builder.sum(most, vec![a, b]);
    let (hierarchy, _) = builder.build().unwrap();
    let flat = Hierarchy::flat("Total", ["x", "y"]).unwrap();
    let leaves: [(&[&str], i64); 4] =
        [(&["x", "a"], 50), (&["x", "b"], 45), (&["x", "c"], 5), (&["y", "c"], 100)];
    let table = counts(vec![("group", flat), ("code", hierarchy)], &leaves);
    // In row y, `c` holds everybody, and so does `all`, which tells nothing.
    assert_eq!(
        sensitive("row_share = { above = 90 }", &table),
        ["group=x, code=most", "group=y, code=c"]
    );
}
