//! One line of a finished table.

use crate::arb::Rules;
use crate::rda::Metadata;
use crate::tab_columns::Columns;
use crate::text::amount;
use crate::{CellState, CellStatus, Codes, Fault, Fields, Records};
use cellveil_core::CodeId;
use cellveil_core::units::pow10;
use cellveil_tabulate::AMOUNT_DECIMALS;
use std::collections::BTreeMap;

/// The status that a file gives a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Given {
    /// None.
    #[default]
    None,
    Empty,
    Safe,
    Unsafe,
    Protected,
    Secondary,
}

/// A cell with its amounts in 10⁻⁹.
#[derive(Clone, Debug)]
pub(crate) struct TabCell {
    pub(crate) response: i128,
    pub(crate) shadow: i128,
    pub(crate) cost: i128,
    pub(crate) frequency: u64,
    pub(crate) top: Vec<i128>,
    pub(crate) given: Given,
    pub(crate) levels: [Option<i128>; 2],
    pub(crate) line: u64,
    /// Whether the file has it.
    pub(crate) listed: bool,
}

impl Default for TabCell {
    fn default() -> Self {
        Self {
            response: 0,
            shadow: 0,
            cost: 0,
            frequency: 0,
            top: Vec::new(),
            given: Given::None,
            levels: [None; 2],
            line: 0,
            listed: true,
        }
    }
}

impl TabCell {
    pub(crate) fn is_empty(&self) -> bool {
        self.frequency == 0
    }

    /// Adds another part of the same total.
    pub(crate) fn join(sum: &mut Self, part: &Self) {
        sum.response += part.response;
        sum.shadow += part.shadow;
        sum.cost += part.cost;
        sum.frequency += part.frequency;
        let depth = sum.top.len().max(part.top.len());
        sum.top.extend(&part.top);
        sum.top.sort_unstable_by(|a, b| b.cmp(a));
        sum.top.truncate(depth);
    }

    /// Status and levels as the file gives them; a level that is not given is the manual margin.
    pub(crate) fn state(&self, value: f64, margin: u32, step: f64) -> CellState {
        if self.is_empty() {
            return CellState::safe(CellStatus::Empty);
        }
        let level = |given: Option<i128>| match given {
            Some(level) => level as f64 / pow10(AMOUNT_DECIMALS) as f64,
            None => (value.abs() * f64::from(margin) / 100.0).max(step),
        };
        match self.given {
            Given::Unsafe => CellState {
                status: CellStatus::UnsafeManual,
                lower: level(self.levels[0]).min(value.abs()),
                upper: level(self.levels[1]).max(step),
            },
            Given::Protected => CellState::safe(CellStatus::Protected),
            Given::Secondary => CellState::safe(CellStatus::SecondaryManual),
            Given::Safe => CellState::safe(CellStatus::SafeManual),
            Given::None | Given::Empty => CellState::safe(CellStatus::Safe),
        }
    }
}

/// What is needed to read lines.
pub(crate) struct Reading<'a> {
    pub(crate) metadata: &'a Metadata,
    pub(crate) columns: &'a Columns,
    pub(crate) codes: &'a [Codes],
    pub(crate) rules: &'a Rules,
    /// Whether the statuses of the file count.
    pub(crate) statuses: bool,
}

impl Reading<'_> {
    pub(crate) fn cells(
        &self,
        records: &Records,
        cells: &mut BTreeMap<Vec<CodeId>, TabCell>,
    ) -> Result<(), Fault> {
        records.each(self.metadata, |fields| {
            let line = fields.line;
            let key = self.key(records, fields)?;
            let cell = self.cell(records, fields)?;
            if let Some(before) = cells.get(&key) {
                let (first, name) = (before.line, self.name(&key));
                return Err(records
                    .fault(line, format!("cell `{name}` is already listed in line {first}"))
                    .number(1022)
                    .hint("list each cell once"));
            }
            cells.insert(key, cell);
            Ok(())
        })
    }

    fn name(&self, key: &[CodeId]) -> String {
        let parts = self.codes.iter().zip(key).map(|(codes, &code)| {
            format!("{}={}", codes.dimension.name, codes.dimension.hierarchy.name(code))
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    fn key(&self, records: &Records, fields: &Fields<'_>) -> Result<Vec<CodeId>, Fault> {
        let of = |(&at, codes): (&usize, &Codes)| {
            let variable = &self.metadata.variables[at];
            let text = fields.code(variable, at);
            codes.of_table(&text).ok_or_else(|| {
                let what = format!("code `{text}` of `{}` is not in its hierarchy", variable.name);
                let fault = records.fault(fields.line, what).number(1017);
                match codes.nearest(&text) {
                    Some(known) => fault.hint(format!(
                        "did you mean `{known}`? otherwise add the code to the hierarchy"
                    )),
                    None => fault.hint("add the code to the hierarchy"),
                }
            })
        };
        self.columns.explanatory.iter().zip(self.codes).map(of).collect()
    }

    fn number(
        &self,
        records: &Records,
        fields: &Fields<'_>,
        at: Option<usize>,
    ) -> Result<Option<i128>, Fault> {
        let Some(at) = at else { return Ok(None) };
        let variable = &self.metadata.variables[at];
        match fields.number(variable, at).trim() {
            // A point alone is how SAS writes what it does not know.
            "" | "-" | "." => Ok(None),
            text => amount(text).map(Some).ok_or_else(|| {
                records
                    .fault(fields.line, format!("`{}` is not a number", variable.name))
                    .hint("write digits with a point or a comma before decimals; leave it empty, or `-`, where there is none")
            }),
        }
    }

    fn cell(&self, records: &Records, fields: &Fields<'_>) -> Result<TabCell, Fault> {
        let columns = self.columns;
        let wrong = |what: &str, hint: &str| records.fault(fields.line, what).hint(hint);
        let number = |at| self.number(records, fields, at);
        let given = self.status(records, fields)?;
        let response = number(Some(columns.response))?;
        let frequency = match columns.frequency {
            Some(at) => number(Some(at))?,
            None => None,
        };
        let one = pow10(AMOUNT_DECIMALS);
        if frequency.is_some_and(|f| f < 0 || f % one != 0) {
            return Err(wrong("the frequency is no whole number", "correct it"));
        }
        let mut cell = TabCell { given, line: fields.line, ..TabCell::default() };
        let has_status = !matches!(given, Given::None | Given::Empty);
        match (response, frequency) {
            (None, None | Some(0)) if !has_status => return Ok(cell),
            (None, None | Some(0)) => {
                return Err(wrong(
                    "an empty cell has a status other than empty",
                    "leave the status out",
                ));
            }
            (None, Some(_)) => {
                return Err(wrong(
                    "there are contributors but no value",
                    "give the value, or no frequency",
                ));
            }
            (Some(0), Some(0)) => return Ok(cell),
            (Some(_), Some(0)) => {
                return Err(wrong(
                    "there is a value but nobody contributes",
                    "correct the frequency",
                ));
            }
            (Some(value), count) => {
                cell.response = value;
                cell.frequency = count.map_or(1, |f| u64::try_from(f / one).unwrap_or(1));
            }
        }
        if given == Given::Empty && columns.status.is_some() && cell.response != 0 {
            return Err(wrong("a cell with a value has the status empty", "correct the status"));
        }
        cell.shadow = number(columns.shadow)?.unwrap_or(cell.response);
        cell.cost = number(columns.cost)?.unwrap_or(cell.response.abs());
        if cell.cost < 0 {
            return Err(wrong("the cost is negative", "costs are zero or more"));
        }
        self.tops(&mut cell, records, fields)?;
        for (level, at) in cell.levels.iter_mut().zip(columns.levels) {
            *level = number(at)?;
            if level.is_some_and(|level| level < 0) {
                return Err(wrong(
                    "a protection level is negative",
                    "give distances from the value",
                ));
            }
        }
        Ok(cell)
    }

    fn tops(
        &self,
        cell: &mut TabCell,
        records: &Records,
        fields: &Fields<'_>,
    ) -> Result<(), Fault> {
        let wrong = |what: &str, hint: &str| records.fault(fields.line, what).hint(hint);
        for &at in &self.columns.top {
            cell.top.push(self.number(records, fields, Some(at))?.unwrap_or(0));
        }
        if cell.top.windows(2).any(|pair| pair[1] > pair[0]) {
            return Err(wrong(
                "the largest contributions do not descend",
                "give the largest first, in the order of the `<MAXSCORE>` columns",
            ));
        }
        if cell.shadow >= 0 && cell.top.iter().sum::<i128>() > cell.shadow + 1 && !self.rules.given
        {
            return Err(wrong(
                "the largest contributions exceed the value",
                "correct them; together they are at most the value",
            ));
        }
        Ok(())
    }

    fn status(&self, records: &Records, fields: &Fields<'_>) -> Result<Given, Fault> {
        let Some(at) = self.columns.status else { return Ok(Given::None) };
        let text = fields.number(&self.metadata.variables[at], at).trim().to_uppercase();
        let [safe, sensitive, protected] = &self.metadata.statuses;
        let given = match text.as_str() {
            text if text == safe => Given::Safe,
            text if text == sensitive => Given::Unsafe,
            text if text == protected => Given::Protected,
            "" | "E" => Given::Empty,
            "M" => Given::Secondary,
            _ if !self.statuses => Given::None,
            other => {
                return Err(records
                    .fault(fields.line, format!("`{other}` is no status"))
                    .hint(format!("use {safe}, {sensitive}, {protected}, M or E, or name others with `<SAFE>`, `<UNSAFE>` and `<PROTECT>` in the metadata")));
            }
        };
        Ok(if self.statuses || given == Given::Empty { given } else { Given::None })
    }
}
