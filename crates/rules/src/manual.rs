//! Manual statuses: cells that somebody declares sensitive, or wants published whatever the rules say.

use crate::error::nearest;
use crate::{Amount, Cell, Level, Percent, Rule, RuleError};
use cellveil_core::{CellId, CodeId, Reason, Table};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Cells with a status by hand.
///
/// ```
/// use cellveil_rules::{Record, RuleSet, one_cell};
/// let rules: RuleSet = toml::from_str(r#"manual = { cells = [{ cell = "Total", status = "unsafe" }] }"#)?;
/// let table = one_cell(&[Record::of(50)], 0, 0)?;
/// assert_eq!(rules.judge(&table)?.needs[0].up, 10); // 20 % unless told otherwise
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manual {
    /// The protection level of sensitive cells without one of their own, in per cent of the value; 20 unless given.
    #[serde(default = "twenty")]
    pub margin: Percent,
    /// The cells.
    pub cells: Vec<ManualCell>,
}

/// One cell with a status by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManualCell {
    /// What it shall be.
    pub status: ManualStatus,
    /// The protection level below, as an amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<Amount>,
    /// The protection level above, as an amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<Amount>,
    /// The code in each dimension; the total in dimensions that are left out.
    #[serde(flatten, deserialize_with = "codes")]
    pub codes: BTreeMap<String, String>,
}

/// What somebody says about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ManualStatus {
    /// It must be protected.
    Unsafe,
    /// It must be published, whatever the rules say.
    Publish,
}

fn twenty() -> Percent {
    Percent::whole(20)
}

/// Codes may be written as text or as whole numbers.
fn codes<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a code must be text or a whole number")]
    enum Code {
        Text(String),
        Number(i64),
    }
    let codes = BTreeMap::<String, Code>::deserialize(from)?;
    let text = |code| match code {
        Code::Text(text) => text,
        Code::Number(number) => number.to_string(),
    };
    Ok(codes.into_iter().map(|(dimension, code)| (dimension, text(code))).collect())
}

impl Manual {
    pub(crate) fn check(&self) -> Result<(), RuleError> {
        let name = Reason::Manual.name();
        RuleError::unless(self.margin.is_share(), name, "margin", "in 0..100")?;
        for cell in &self.cells {
            for (parameter, amount) in [("down", cell.down), ("up", cell.up)] {
                RuleError::unless(
                    amount.is_none_or(|amount| !amount.is_negative()),
                    name,
                    parameter,
                    "at least 0",
                )?;
            }
        }
        Ok(())
    }

    /// Finds the cells in a table. An empty cell that shall be published needs nothing; one that shall be protected is a
    /// mistake, because everybody will see that it is empty.
    pub(crate) fn on(&self, table: &Table) -> Result<ManualOn, RuleError> {
        let finder = Finder::of(table);
        let mut on =
            ManualOn { margin: self.margin, sensitive: BTreeMap::new(), publish: BTreeSet::new() };
        for statement in &self.cells {
            let key = finder.key(&statement.codes)?;
            let Some(cell) = table.find(&key) else {
                match statement.status {
                    ManualStatus::Publish => continue,
                    ManualStatus::Unsafe => {
                        return Err(RuleError::NoSuchCell { cell: finder.describe(&key) });
                    }
                }
            };
            let new = match statement.status {
                ManualStatus::Unsafe => {
                    on.sensitive.insert(cell, (statement.down, statement.up)).is_none()
                }
                ManualStatus::Publish => on.publish.insert(cell),
            };
            if !new || on.sensitive.contains_key(&cell) && on.publish.contains(&cell) {
                return Err(RuleError::Twice { cell: finder.describe(&key) });
            }
        }
        Ok(on)
    }
}

/// Statuses by hand, found in a table.
pub(crate) struct ManualOn {
    margin: Percent,
    sensitive: BTreeMap<CellId, (Option<Amount>, Option<Amount>)>,
    /// Cells that must be published.
    pub(crate) publish: BTreeSet<CellId>,
}

impl Rule for ManualOn {
    fn reason(&self) -> Reason {
        Reason::Manual
    }

    fn judge(&self, cell: &Cell<'_>) -> Option<Level> {
        let &(down, up) = self.sensitive.get(&cell.id())?;
        let margin = cell.range(self.margin);
        let units =
            |amount: Option<Amount>| amount.map(|amount| amount.units(cell.table().decimals()));
        Some(Level { down: units(down).unwrap_or(margin.down), up: units(up).unwrap_or(margin.up) })
    }
}

/// Codes of every dimension by name, so that long lists are read fast.
struct Finder<'a> {
    table: &'a Table,
    codes: Vec<BTreeMap<&'a str, CodeId>>,
}

impl<'a> Finder<'a> {
    fn of(table: &'a Table) -> Self {
        let codes = table.dimensions().iter().map(|dimension| {
            let hierarchy = &dimension.hierarchy;
            let all = 0..hierarchy.len() as CodeId;
            // Where a name stands for an aggregate and a leaf, the leaf is meant, and the first of several.
            let (leaves, aggregates): (Vec<_>, Vec<_>) =
                all.partition(|&code| hierarchy.is_leaf(code));
            let order = aggregates.into_iter().rev().chain(leaves.into_iter().rev());
            order.map(|code| (hierarchy.name(code), code)).collect()
        });
        Self { table, codes: codes.collect() }
    }

    fn key(&self, codes: &BTreeMap<String, String>) -> Result<Vec<CodeId>, RuleError> {
        let rule = Reason::Manual.name();
        let mut key = vec![0; self.codes.len()];
        let dimensions = self.table.dimensions();
        for (name, code) in codes {
            let Some(at) = dimensions.iter().position(|dimension| dimension.name == *name) else {
                let names = dimensions.iter().map(|dimension| dimension.name.as_str());
                return Err(RuleError::UnknownDimension {
                    rule,
                    name: name.clone(),
                    hint: nearest(name, names),
                });
            };
            key[at] = *self.codes[at].get(code.as_str()).ok_or_else(|| RuleError::UnknownCode {
                rule,
                dimension: name.clone(),
                code: code.clone(),
                hint: nearest(code, self.codes[at].keys().copied()),
            })?;
        }
        Ok(key)
    }

    fn describe(&self, key: &[CodeId]) -> String {
        let dimensions = self.table.dimensions();
        let codes = dimensions
            .iter()
            .zip(key)
            .map(|(d, &code)| format!("{}={}", d.name, d.hierarchy.name(code)));
        codes.collect::<Vec<_>>().join(", ")
    }
}
