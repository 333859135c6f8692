//! Runs the literate cases of `cases/rules`: prose is free, the fences are the test.
//!
//! `rule` holds a `[rules]` section. `records` holds one contribution a line: `value`, `value weight`, `value holding` or
//! `value asks` (`asks2` for the second kind); or `counts` holds the inner cells of a table of counts, one `row` a line, one
//! `column` a number, codes counted from 1. `expect` is `safe` or `sensitive: <reason>, down X, up Y`; for counts it lists
//! the sensitive cells, `row=R, column=C: <reason>, down X, up Y`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use cellveil_core::units::{Decimal, display};
use cellveil_core::{Contributors, Dimension, Hierarchy, Need, Table, TableParts};
use cellveil_rules::{Record, RuleSet, one_cell};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

#[test]
fn every_literate_case_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/rules");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases = 0;
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "md")) {
        let name = file.file_name().unwrap().to_string_lossy();
        for section in std::fs::read_to_string(file).unwrap().split("\n## ").skip(1) {
            let title = section.lines().next().unwrap();
            run(&fences(section), &format!("{name}: {title}"));
            cases += 1;
        }
    }
    assert!(cases >= 12, "only {cases} cases found");
}

fn fences(section: &str) -> BTreeMap<&str, &str> {
    let blocks = section.split("```").skip(1).step_by(2);
    blocks
        .filter_map(|block| block.split_once('\n'))
        .map(|(name, body)| (name.trim(), body.trim()))
        .collect()
}

fn run(fences: &BTreeMap<&str, &str>, case: &str) {
    let part = |name| *fences.get(name).unwrap_or_else(|| panic!("{case}: no `{name}`"));
    let rules: RuleSet =
        toml::from_str(part("rule")).unwrap_or_else(|error| panic!("{case}: {error}"));
    let table = fences.get("counts").map_or_else(|| cell_of(part("records")), |grid| counts(grid));
    let needs = rules.judge(&table).unwrap_or_else(|error| panic!("{case}: {error}")).needs;
    let level = |need: &Need| {
        let shown = |units| display(units, table.decimals());
        let width = if need.sliding > 0 {
            format!(", width {}", shown(need.sliding))
        } else {
            String::new()
        };
        format!("{}, down {}, up {}{width}", need.reason.name(), shown(need.down), shown(need.up))
    };
    let found: Vec<String> = needs
        .iter()
        .map(|need| match table.response() {
            Some(_) => format!("sensitive: {}", level(need)),
            None => format!("{}: {}", table.names().describe(need.cell), level(need)),
        })
        .collect();
    let found = if found.is_empty() { "safe".to_owned() } else { found.join("\n") };
    assert_eq!(found, part("expect"), "{case}");
}

/// A number of the case in units of its most precise neighbour.
fn units(text: &str, decimals: u8) -> i64 {
    Decimal::parse(text).and_then(|number| number.units(decimals)).unwrap()
}

fn decimals<'a>(numbers: impl Iterator<Item = &'a str>) -> u8 {
    numbers
        .map(|text| text.split_once('.').map_or(0, |(_, fraction)| fraction.len() as u8))
        .max()
        .unwrap_or(0)
}

fn cell_of(lines: &str) -> Table {
    let fields: Vec<(&str, &str)> = lines
        .lines()
        .map(|line| line.trim().split_once(' ').unwrap_or((line.trim(), "")))
        .collect();
    let is_weight = |text: &&str| Decimal::parse(text).is_some();
    let value_decimals = decimals(fields.iter().map(|&(value, _)| value));
    let weight_decimals = decimals(fields.iter().map(|&(_, more)| more).filter(is_weight));
    let records = fields.iter().map(|&(value, more)| {
        let record = Record::of(units(value, value_decimals));
        match more.trim() {
            "" => record,
            "asks" => Record { request: Some(0), ..record },
            "asks2" => Record { request: Some(1), ..record },
            weight if is_weight(&weight) => {
                Record { weight: Some(units(weight, weight_decimals)), ..record }
            }
            holding => Record { holding: Some(holding.to_owned()), ..record },
        }
    });
    one_cell(&records.collect::<Vec<_>>(), value_decimals, weight_decimals).unwrap()
}

fn counts(grid: &str) -> Table {
    let inner: Vec<Vec<i64>> = grid
        .lines()
        .map(|line| line.split_whitespace().map(|count| units(count, 0)).collect())
        .collect();
    let (rows, columns) = (inner.len(), inner[0].len());
    let mut values = vec![0; (rows + 1) * (columns + 1)];
    for (r, c) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
        for (row, column) in [(r + 1, c + 1), (r + 1, 0), (0, c + 1), (0, 0)] {
            values[row * (columns + 1) + column] += inner[r][c];
        }
    }
    let dimension = |name: &str, codes: usize| {
        let hierarchy = Hierarchy::flat("Total", (1..=codes).map(|code| code.to_string())).unwrap();
        Dimension { name: name.into(), levels: Vec::new(), hierarchy: Arc::new(hierarchy) }
    };
    let respondents = values.iter().map(|&count| u64::try_from(count).unwrap()).collect();
    Table::new(TableParts {
        dimensions: vec![dimension("row", rows), dimension("column", columns)],
        keys: (0..=rows as u32)
            .flat_map(|r| (0..=columns as u32).flat_map(move |c| [r, c]))
            .collect(),
        response: None,
        decimals: 0,
        values,
        contribution_decimals: 0,
        respondents: Contributors::new(respondents, 0, Vec::new()),
        holdings: None,
        weighted: None,
        requests: None,
        negative: None,
        tolerance: 0,
    })
    .unwrap()
}
