//! Cells that always move together, as one.

use super::super::level::System;
use super::tableau::Tableau;
use cellveil_attack::{Small, Solutions};
use cellveil_core::Side;
use std::collections::BTreeMap;

/// Cells of a component whose coordinates differ by a factor: none can be published without all others being known.
#[derive(Clone)]
pub(super) struct Classes {
    /// The class of every position; `None` of a cell that cannot move.
    pub(super) of: Vec<Option<u32>>,
    /// What withholding each class costs.
    pub(super) costs: Vec<f64>,
    /// Whether some cell of a class must not be determined.
    pub(super) sensitive: Vec<bool>,
    /// The largest level that some cell of a class asks for.
    pub(super) levels: Vec<i64>,
    /// How far every cell of a class can move, whatever the side.
    pub(super) rooms: Vec<i64>,
    coordinates: Vec<Vec<u32>>,
}

impl Classes {
    pub(super) fn new(system: &System<'_>, solutions: Solutions, levels: &[(u32, i64)]) -> Self {
        let mut classes = Self {
            of: Vec::with_capacity(system.len()),
            costs: Vec::new(),
            sensitive: Vec::new(),
            levels: Vec::new(),
            rooms: Vec::new(),
            coordinates: Vec::new(),
        };
        let mut numbers: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for (at, row) in solutions.rows.into_iter().enumerate() {
            let Some(&first) = row.iter().find(|value| **value != 0) else {
                classes.of.push(None);
                continue;
            };
            let share = Small::inverse(u64::from(first));
            let shared = |value| Small::times(u64::from(value), share) as u32;
            let row: Vec<u32> = row.into_iter().map(shared).collect();
            let next = classes.costs.len() as u32;
            let number = *numbers.entry(row).or_insert_with_key(|row| {
                classes.coordinates.push(row.clone());
                classes.costs.push(0.0);
                classes.sensitive.push(false);
                classes.levels.push(0);
                classes.rooms.push(i64::MAX);
                next
            });
            classes.of.push(Some(number));
            for room in Side::BOTH.iter().filter_map(|&side| system.room(at as u32, side)) {
                classes.rooms[number as usize] = classes.rooms[number as usize].min(room);
            }
            if system.free[at] {
                classes.costs[number as usize] += system.costs[at];
            }
        }
        for &(at, level) in levels {
            if let Some(class) = classes.of[at as usize] {
                let known = &mut classes.levels[class as usize];
                *known = level.max(*known);
                classes.sensitive[class as usize] = true;
            }
        }
        classes
    }

    pub(super) fn len(&self) -> usize {
        self.costs.len()
    }

    /// What withholding some classes costs.
    pub(super) fn cost_of(&self, withheld: &[bool]) -> f64 {
        let paid = self.costs.iter().zip(withheld).filter(|(_, withheld)| **withheld);
        paid.map(|(cost, _)| cost).sum()
    }

    /// The same cells where some are withheld whatever happens.
    pub(super) fn given(&self, withheld: &[bool]) -> Self {
        let mut classes = self.clone();
        for (cost, _) in classes.costs.iter_mut().zip(withheld).filter(|(_, is_free)| **is_free) {
            *cost = 0.0;
        }
        classes
    }

    /// The largest level of those that must not be determined.
    pub(super) fn asked(&self) -> i64 {
        let levels = self.levels.iter().zip(&self.sensitive);
        levels.filter(|(_, sensitive)| **sensitive).map(|(level, _)| *level).max().unwrap_or(0)
    }

    /// The same cells where some of the sensitive ones may be determined.
    pub(super) fn without(&self, is_left_out: impl Fn(usize) -> bool) -> Self {
        let mut classes = self.clone();
        for (class, sensitive) in classes.sensitive.iter_mut().enumerate() {
            *sensitive &= !is_left_out(class);
        }
        classes
    }

    /// The tableau in which nothing is published.
    pub(super) fn tableau(&self) -> Tableau {
        let dimension = self.coordinates.first().map_or(0, Vec::len);
        let column = |way| self.coordinates.iter().map(|row| row[way]).collect();
        Tableau::new((0..dimension).map(column).collect())
    }
}
