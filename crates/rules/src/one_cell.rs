//! A table of a single cell, to try a rule on a handful of contributions.

use cellveil_core::{
    Contribution, Contributors, Dimension, Hierarchy, Table, TableError, TableParts, Weighted,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One contribution to the cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The response, in units.
    pub value: i64,
    /// The weight, in units; one where none is given. Give it to all records or to none.
    pub weight: Option<i64>,
    /// The holding the respondent belongs to; a holding of its own where none is given.
    pub holding: Option<String>,
    /// Which kind of protection the respondent asked for: 0 or 1.
    pub request: Option<usize>,
}

impl Record {
    /// A response and nothing else.
    pub fn of(value: i64) -> Self {
        Self { value, ..Self::default() }
    }
}

/// The table whose only cell holds the records. All contributions are kept; weights have `weight_decimals`.
///
/// # Errors
/// [`TableError`] never in practice: one cell cannot miss its total.
///
/// ```
/// use cellveil_rules::{Record, one_cell};
/// let table = one_cell(&[Record::of(90), Record::of(10)], 0, 0)?;
/// assert_eq!(table.values(), [100]);
/// # Ok::<(), cellveil_core::TableError>(())
/// ```
pub fn one_cell(
    records: &[Record],
    decimals: u8,
    weight_decimals: u8,
) -> Result<Table, TableError> {
    let has_weights = records.iter().any(|record| record.weight.is_some());
    let has_holdings = records.iter().any(|record| record.holding.is_some());
    let weight = |record: &Record| record.weight.unwrap_or(1);
    let mut requests = [None; 2];
    let mut holdings: BTreeMap<String, (i64, [bool; 2])> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        if let Some(largest) = record.request.and_then(|kind| requests.get_mut(kind)) {
            *largest = (*largest).max(Some(record.value.abs()));
        }
        let holding = record.holding.clone().unwrap_or_else(|| format!("\u{0}{at}"));
        let (sum, asked) = holdings.entry(holding).or_default();
        *sum += record.value;
        if let Some(asked) = record.request.and_then(|kind| asked.get_mut(kind)) {
            *asked = true;
        }
    }
    let largest = |kind: usize| {
        holdings.values().filter(|(_, asked)| asked[kind]).map(|(sum, _)| sum.abs()).max()
    };
    let holding_requests = [largest(0), largest(1)];
    let respondents =
        records.iter().map(|r| Contribution { value: r.value.abs(), weight: weight(r) }).collect();
    let holdings =
        holdings.values().map(|(sum, _)| Contribution { value: sum.abs(), weight: 1 }).collect();
    let hierarchy =
        Hierarchy::flat("Total", Vec::<String>::new()).map_err(|_| TableError::Columns)?;
    Table::new(TableParts {
        dimensions: vec![Dimension {
            name: "cell".into(),
            levels: Vec::new(),
            hierarchy: Arc::new(hierarchy),
        }],
        keys: vec![0],
        response: Some("value".into()),
        decimals: if has_weights { decimals + weight_decimals } else { decimals },
        values: vec![records.iter().map(|record| record.value * weight(record)).sum()],
        contribution_decimals: decimals,
        respondents: contributors(respondents),
        holdings: has_holdings
            .then(|| contributors(holdings).with_requests(vec![holding_requests])),
        weighted: has_weights.then(|| Weighted {
            decimals: weight_decimals,
            counts: vec![records.iter().map(weight).sum()],
        }),
        requests: requests.iter().any(Option::is_some).then(|| vec![requests]),
        negative: records.iter().any(|record| record.value < 0).then(Default::default),
        tolerance: 0,
    })
}

fn contributors(mut all: Vec<Contribution>) -> Contributors {
    all.sort_unstable_by(|a, b| b.cmp(a));
    Contributors::new(vec![all.len() as u64], all.len(), all)
}
