//! Tables as one instance of the cell suppression problem.
//!
//! Several tables become one system: cells with the same codes in the same variables are one cell, a variable that a table does
//! not have is at its total there. Whoever protects the system protects all tables against everything they say together.

use crate::virtual_cells::{self, VirtualCell};
use crate::{ArgusTable, CellStatus};
use cellveil_core::units::pow10;
use cellveil_core::{
    CellId, CellNames, NO_LOWER, NO_UPPER, Need, Needs, Problem, ProblemError, ProblemParts,
    Reason, Relations, Status, units,
};
use std::collections::{BTreeSet, HashMap};
use thiserror::Error;

/// Against whom single contributors are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Singletons {
    /// Further cells for sums of sensitive ones: of two singletons, of a singleton and another, of too few altogether.
    Virtual([bool; 3]),
    /// Whoever is alone in a cell is an intruder of its own.
    Intruders,
}

/// How costs are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Costs {
    /// As they are.
    Plain,
    /// As the whole numbers of a JJ file.
    Scaled,
}

/// An instance, and where each table's cells went.
#[derive(Debug)]
pub struct Instance {
    /// The instance.
    pub problem: Problem,
    /// For each table the cells of the instance, in the order of its own.
    pub cells: Vec<Vec<CellId>>,
    /// How many virtual cells were added.
    pub virtual_cells: usize,
}

/// Why tables make no instance together.
#[derive(Debug, Error)]
pub enum InstanceError {
    /// Cells that differ between tables.
    #[error(
        "cell `{cell}` has another {what} in table {table} than in one before\nhint: make the tables from the same records, with the same rules"
    )]
    Differs {
        /// The cell.
        cell: String,
        /// Value or status.
        what: &'static str,
        /// The table, counted from 1.
        table: usize,
    },
    /// Tables of different responses.
    #[error("the linked tables have different responses\nhint: link tables of one response only")]
    Responses,
    /// A value too large.
    #[error("an amount is too large\nhint: give the response in larger units, such as thousands")]
    TooLarge,
    /// The parts do not fit.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl Instance {
    /// The intruder knows every value to within so many per cent beforehand, but nothing as narrowly as its protection levels.
    ///
    /// # Errors
    /// [`InstanceError`] if that contradicts something.
    pub fn known_within(self, percent: f64) -> Result<Self, InstanceError> {
        let mut parts = self.problem.parts().clone();
        for at in 0..parts.values.len() - self.virtual_cells {
            let value = parts.values[at];
            let known = units::ceil_units(value.unsigned_abs() as f64 * percent / 100.0);
            let need = parts.needs.of(CellId::at(at));
            let (down, up) = need.map_or((0, 0), |need| (need.down, need.up));
            parts.lower[at] = parts.lower[at].max(value - known.max(down));
            parts.upper[at] = parts.upper[at].min(value + known.max(up));
        }
        // What the sums missed before, they miss now.
        let problem = Problem::new(parts, i64::MAX)?;
        Ok(Self { problem, ..self })
    }
}

/// Decimals beyond those of the values, so that levels are hardly rounded.
const FINER: u8 = 3;

/// Joins tables into one instance.
///
/// # Errors
/// [`InstanceError`] if tables contradict each other.
pub fn instance(
    tables: &[&ArgusTable],
    singletons: Singletons,
    costs: Costs,
) -> Result<Instance, InstanceError> {
    joined(tables, singletons, costs, FINER)
}

/// One table as an instance whose values are to be changed: in its own unit, for that is what is published.
///
/// # Errors
/// [`InstanceError`] if amounts are too large.
pub fn to_adjust(table: &ArgusTable, costs: Costs) -> Result<Instance, InstanceError> {
    joined(&[table], Singletons::Virtual([false; 3]), costs, 0)
}

fn joined(
    tables: &[&ArgusTable],
    singletons: Singletons,
    costs: Costs,
    finer: u8,
) -> Result<Instance, InstanceError> {
    let mut system = System::new(tables, finer)?;
    for (at, table) in tables.iter().enumerate() {
        system.add(at, table, costs)?;
    }
    system.finish(tables, singletons)
}

/// A system of cells while tables are added to it.
#[derive(Default)]
pub(crate) struct System {
    pub(crate) decimals: u8,
    index: HashMap<Vec<(usize, String)>, CellId>,
    pub(crate) labels: Vec<String>,
    pub(crate) values: Vec<i64>,
    costs: Vec<f64>,
    pub(crate) status: Vec<Status>,
    pub(crate) frequencies: Vec<u64>,
    singletons: BTreeSet<CellId>,
    needs: Vec<Need>,
    pub(crate) relations: Relations,
    known: BTreeSet<Vec<CellId>>,
    cells: Vec<Vec<CellId>>,
    variables: Vec<String>,
}

impl System {
    fn new(tables: &[&ArgusTable], finer: u8) -> Result<Self, InstanceError> {
        let response =
            |table: &ArgusTable| table.specify.response.clone().map(|r| r.to_lowercase());
        if tables.windows(2).any(|pair| response(pair[0]) != response(pair[1])) {
            return Err(InstanceError::Responses);
        }
        let values = |table: &&ArgusTable| {
            let scale = pow10(table.response.decimals());
            table.response.values().iter().map(move |v| i128::from(v.unsigned_abs()) / scale).max()
        };
        let largest = tables.iter().filter_map(values).max().unwrap_or(0) + 1;
        let finest = tables.iter().map(|table| table.response.decimals()).max().unwrap_or(0);
        let fits =
            |&decimals: &u8| largest.checked_mul(pow10(decimals)).is_some_and(|n| n < 1 << 58);
        let decimals = (finest..=finest + finer).rev().find(fits).ok_or(InstanceError::TooLarge)?;
        Ok(Self { decimals, ..Self::default() })
    }

    fn add(&mut self, at: usize, table: &ArgusTable, costs: Costs) -> Result<(), InstanceError> {
        let scale = i64::try_from(pow10(self.decimals - table.response.decimals()))
            .map_err(|_| InstanceError::TooLarge)?;
        let variables: Vec<usize> =
            table.codes.iter().map(|codes| self.variable(&codes.dimension.name)).collect();
        let largest = table.largest_cost();
        let mut placed = Vec::with_capacity(table.len());
        for cell in (0..table.len()).map(CellId::at) {
            let value = table.response.values()[cell.index()] * scale;
            let joint = self.cell(at, table, cell, &variables, value)?;
            let cost = match costs {
                Costs::Plain => table.cost(cell),
                Costs::Scaled => table.scaled_cost(cell, largest),
            };
            self.costs[joint.index()] = self.costs[joint.index()].max(cost);
            self.judge(at, table, cell, joint)?;
            placed.push(joint);
        }
        let relations = table.response.relations();
        for relation in 0..relations.len() {
            let row: Vec<CellId> =
                relations.row(relation).map(|(cell, _)| placed[cell.index()]).collect();
            let mut sorted = row.clone();
            sorted[1..].sort_unstable();
            if self.known.insert(sorted) {
                self.relations.push_sum(row[0], row[1..].iter().copied());
            }
        }
        self.cells.push(placed);
        Ok(())
    }

    fn variable(&mut self, name: &str) -> usize {
        let lower = name.to_lowercase();
        self.variables.iter().position(|known| *known == lower).unwrap_or_else(|| {
            self.variables.push(lower);
            self.variables.len() - 1
        })
    }

    /// The cell of the system with the same codes, made if there is none.
    fn cell(
        &mut self,
        at: usize,
        table: &ArgusTable,
        cell: CellId,
        variables: &[usize],
        value: i64,
    ) -> Result<CellId, InstanceError> {
        let codes = table.response.key(cell).iter().zip(&table.codes).zip(variables);
        let mut key: Vec<(usize, String)> = codes
            .filter(|((code, _), _)| **code != 0)
            .map(|((&code, codes), &variable)| {
                (variable, codes.dimension.hierarchy.name(code).trim().to_owned())
            })
            .collect();
        key.sort_unstable();
        let label = || table.response.names().describe(cell).to_string();
        let next = CellId::at(self.labels.len());
        let joint = *self.index.entry(key).or_insert(next);
        if joint == next {
            self.labels.push(label());
            self.values.push(value);
            self.costs.push(0.0);
            self.status.push(Status::Free);
            self.frequencies.push(0);
        } else if self.values[joint.index()] != value {
            return Err(InstanceError::Differs { cell: label(), what: "value", table: at + 1 });
        }
        Ok(joint)
    }

    fn judge(
        &mut self,
        at: usize,
        table: &ArgusTable,
        cell: CellId,
        joint: CellId,
    ) -> Result<(), InstanceError> {
        let state = table.states[cell.index()];
        let status = match state.status {
            CellStatus::Safe | CellStatus::SafeManual => Status::Free,
            CellStatus::Protected | CellStatus::Empty | CellStatus::EmptyNonStructural => {
                Status::Frozen
            }
            CellStatus::Secondary | CellStatus::SecondaryManual => Status::Withheld,
            _ => Status::Sensitive,
        };
        let before = self.status[joint.index()];
        self.status[joint.index()] = match (before, status) {
            (Status::Sensitive, Status::Frozen) | (Status::Frozen, Status::Sensitive) => {
                let cell = self.labels[joint.index()].clone();
                return Err(InstanceError::Differs { cell, what: "status", table: at + 1 });
            }
            (Status::Sensitive, _) | (_, Status::Sensitive) => Status::Sensitive,
            (Status::Frozen, _) | (_, Status::Frozen) => Status::Frozen,
            (Status::Withheld, _) | (_, Status::Withheld) => Status::Withheld,
            (Status::Free, Status::Free) => Status::Free,
        };
        let frequency = &mut self.frequencies[joint.index()];
        *frequency = (*frequency).max(table.contributors(cell));
        if table.counted && table.contributors(cell) == 1 {
            self.singletons.insert(joint);
        }
        if status == Status::Sensitive {
            let scale = 10_f64.powi(i32::from(self.decimals));
            let level = |amount: f64| units::ceil_units(amount * scale).max(0);
            let reason = match state.status {
                CellStatus::UnsafeRequest => Reason::Request,
                CellStatus::UnsafeFrequency => Reason::Frequency,
                CellStatus::UnsafeZero => Reason::Zero,
                CellStatus::UnsafeManual => Reason::Manual,
                _ => Reason::Dominance,
            };
            let (down, up) = (level(state.lower), level(state.upper).max(1));
            self.needs.push(Need { cell: joint, down, up, sliding: 0, reason });
        }
        Ok(())
    }

    fn finish(
        mut self,
        tables: &[&ArgusTable],
        singletons: Singletons,
    ) -> Result<Instance, InstanceError> {
        let needs = Needs::new(std::mem::take(&mut self.needs));
        let least = self.values.iter().copied().min().unwrap_or(0).min(0);
        let most = self.values.iter().copied().max().unwrap_or(0).max(0);
        let (least, most) = (least + least / 2, most + most / 2);
        let (mut lower, mut upper) =
            (vec![least; self.values.len()], vec![most; self.values.len()]);
        let mut capped = needs.to_vec();
        for need in &mut capped {
            let at = need.cell.index();
            // Nothing lies below the bound everybody knows; above, the bound gives way to the level.
            need.down = need.down.min(self.values[at] - least);
            upper[at] = upper[at].max(self.values[at] + need.up);
        }
        let mut virtual_cells = 0;
        if let Singletons::Virtual(devices) = singletons {
            for VirtualCell { members, value, up, label } in
                virtual_cells::of(&self, tables, devices)
            {
                let cell = CellId::at(self.values.len());
                self.labels.push(label);
                capped.push(Need { cell, down: 0, up, sliding: 0, reason: Reason::Given });
                self.values.push(value);
                self.costs.push(1.0);
                self.status.push(Status::Sensitive);
                lower.push(NO_LOWER);
                upper.push(NO_UPPER);
                self.relations.push_sum(cell, members);
                virtual_cells += 1;
            }
        }
        let intruders = singletons == Singletons::Intruders;
        let tolerance = (0..self.relations.len())
            .map(|relation| self.relations.residual(relation, &self.values).unsigned_abs())
            .max()
            .unwrap_or(0);
        let parts = ProblemParts {
            decimals: self.decimals,
            values: self.values,
            costs: self.costs,
            lower,
            upper,
            status: self.status,
            needs: Needs::new(capped),
            relations: self.relations,
            names: CellNames::Labels(self.labels),
            singletons: if intruders { self.singletons.into_iter().collect() } else { Vec::new() },
            width: 0,
        };
        let tolerance = i64::try_from(tolerance).map_err(|_| InstanceError::TooLarge)?;
        let problem = Problem::new(parts, tolerance)?;
        Ok(Instance { problem, cells: self.cells, virtual_cells })
    }
}
