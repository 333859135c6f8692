//! Two-dimensional tables with one hierarchical dimension, as used to measure network methods.

use crate::GenerateError;
use crate::error::check;
use crate::instance::instance;
use crate::random::Random;
use cellveil_core::{CellId, Need, Problem, Reason, Relations, Status, units};

/// A table of `rows` by `columns`, margins and aggregates included, whose rows form `subtables` nested subtables.
///
/// With `R` rows, `C` columns and `T` subtables there are `R·C` cells and `R + C·T` relations: every row adds up to its total
/// column, and in every column the rows of each subtable to the row they break down. Inner cells of leaf rows are whole numbers
/// from 1 to `largest`, sensitive by lot; their levels are a percentage of the value drawn from `levels`, each side on its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Castro {
    /// All rows, the total and the aggregates included.
    pub rows: u32,
    /// All columns, the total included; at least 3.
    pub columns: u32,
    /// The rows that others add up to, the total included; at least 1.
    pub subtables: u32,
    /// How many rows of a subtable have subtables of their own, until none is left; at least 1.
    pub branching: u32,
    /// The share of sensitive cells among inner cells of leaf rows; from 0 to 1.
    pub sensitive: f64,
    /// The largest inner value; from 1 to a billion.
    pub largest: u32,
    /// The least and largest protection level, in per cent of the value; from 0 to 100.
    pub levels: (f64, f64),
    /// The same seed gives the same table.
    pub seed: u64,
}

impl Default for Castro {
    fn default() -> Self {
        let (rows, columns, subtables) = (12_178, 41, 209);
        Self {
            rows,
            columns,
            subtables,
            branching: 5,
            sensitive: 0.116,
            largest: 1000,
            levels: (10.0, 15.0),
            seed: 1,
        }
    }
}

impl Castro {
    /// The table as an instance; cells are numbered row by row, the total first.
    ///
    /// # Errors
    /// [`GenerateError`] if a parameter is out of range or there are more subtables than the rows allow.
    pub fn problem(&self) -> Result<Problem, GenerateError> {
        self.check()?;
        let parts = self.row_parts()?;
        let columns = self.columns as usize;
        let mut random = Random::new(self.seed, 0);
        let mut values = vec![0_i64; self.rows as usize * columns];
        let mut status = vec![Status::Free; values.len()];
        let mut needs = Vec::new();
        for row in (0..parts.len()).filter(|&row| parts[row].is_empty()) {
            for cell in row * columns + 1..(row + 1) * columns {
                values[cell] = i64::from(1 + random.below(self.largest));
                if random.chance(self.sensitive) {
                    status[cell] = Status::Sensitive;
                    needs.push(self.need(CellId::at(cell), values[cell], &mut random));
                }
            }
        }
        add_up(&mut values, &parts, columns);
        instance(values, status, needs, relations(&parts, columns))
    }

    fn check(&self) -> Result<(), GenerateError> {
        check(self.columns >= 3, "columns", "at least 3")?;
        check(self.subtables >= 1, "subtables", "at least 1")?;
        check(self.branching >= 1, "branching", "at least 1")?;
        check((0.0..=1.0).contains(&self.sensitive), "sensitive", "from 0 to 1")?;
        check((1..=1_000_000_000).contains(&self.largest), "largest", "from 1 to a billion")?;
        let (least, most) = self.levels;
        check(
            0.0 <= least && least <= most && most <= 100.0,
            "levels",
            "two percentages from 0 to 100, the smaller first",
        )?;
        let cells = u64::from(self.rows) * u64::from(self.columns);
        if cells >= u64::from(u32::MAX) { Err(GenerateError::TooLarge) } else { Ok(()) }
    }

    fn need(&self, cell: CellId, value: i64, random: &mut Random) -> Need {
        let (least, most) = self.levels;
        let mut level = || {
            let percent = least + (most - least) * random.open();
            units::ceil_units(percent / 100.0 * value as f64).clamp(1, value)
        };
        Need { cell, down: level(), up: level(), sliding: 0, reason: Reason::Given }
    }

    /// For each row the rows that add up to it. Parts come after their total.
    fn row_parts(&self) -> Result<Vec<Vec<u32>>, GenerateError> {
        let subtables = self.subtables as usize;
        let sizes = self.subtable_sizes()?;
        let mut parts: Vec<Vec<u32>> = vec![Vec::new()];
        // The row that each subtable breaks down; subtable 0 breaks down the total.
        let mut heads = vec![0_u32];
        for (table, &size) in sizes.iter().enumerate() {
            for position in 0..size {
                let row = parts.len() as u32;
                parts.push(Vec::new());
                parts[heads[table] as usize].push(row);
                if position < self.branching && heads.len() < subtables {
                    heads.push(row);
                }
            }
        }
        Ok(parts)
    }

    /// How many rows each subtable has: as many as it needs for subtables below and at least two; the others at random around
    /// their mean.
    fn subtable_sizes(&self) -> Result<Vec<u32>, GenerateError> {
        let subtables = u64::from(self.subtables);
        let impossible = || GenerateError::Subtables { rows: self.rows, subtables: self.subtables };
        let least = |table: u64| {
            (subtables - 1)
                .saturating_sub(table * u64::from(self.branching))
                .min(u64::from(self.branching))
                .max(2)
        };
        let mut sizes: Vec<u32> = (0..subtables).map(|table| least(table) as u32).collect();
        let taken: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
        let mut left = u64::from(self.rows).checked_sub(1 + taken).ok_or_else(impossible)?;
        let mut random = Random::new(self.seed, 1);
        for (table, size) in sizes.iter_mut().enumerate() {
            let mean = left as f64 / (subtables - table as u64) as f64;
            let last = table as u64 + 1 == subtables;
            let more = if last {
                left
            } else {
                (mean * (0.5 + random.open())).round().min(left as f64) as u64
            };
            *size += more as u32;
            left -= more;
        }
        Ok(sizes)
    }
}

fn add_up(values: &mut [i64], parts: &[Vec<u32>], columns: usize) {
    for row in (0..parts.len()).rev() {
        for column in 1..columns {
            let sum: i64 =
                parts[row].iter().map(|&part| values[part as usize * columns + column]).sum();
            values[row * columns + column] += sum;
        }
        values[row * columns] = values[row * columns + 1..(row + 1) * columns].iter().sum();
    }
}

fn relations(parts: &[Vec<u32>], columns: usize) -> Relations {
    let mut relations = Relations::default();
    let cell = |row: usize, column: usize| CellId::at(row * columns + column);
    for row in 0..parts.len() {
        relations.push_sum(cell(row, 0), (1..columns).map(|column| cell(row, column)));
    }
    for (row, parts) in parts.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
        for column in 0..columns {
            relations
                .push_sum(cell(row, column), parts.iter().map(|&part| cell(part as usize, column)));
        }
    }
    relations
}
