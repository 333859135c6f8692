//! What to say when no pattern exists.

use super::protect::Workshop;
use crate::method::SuppressError;
use cellveil_core::{CellId, Status};

impl Workshop<'_> {
    pub(super) fn no_pattern(&self, cell: CellId) -> SuppressError {
        let names = self.problem.names();
        let frozen = self.frozen_near(cell);
        let why = if frozen.is_empty() {
            "\n  the bounds that the intruder is said to know are tighter than its protection level"
                .to_owned()
        } else {
            let list: Vec<String> =
                frozen.iter().take(5).map(|&c| format!("`{}`", names.describe(c))).collect();
            format!(
                "\n  {} cells that share a sum with it must be published, among them {}",
                frozen.len(),
                list.join(", ")
            )
        };
        let hint = if frozen.is_empty() {
            "lower the level, or assume an intruder who knows less"
        } else {
            "free one of them, or publish the table at a coarser level"
        };
        SuppressError::NoPattern {
            cell: names.describe(cell).to_string(),
            why,
            hint: hint.to_owned(),
            frozen: Vec::new(),
        }
    }

    pub(super) fn no_pattern_against(&self, cell: CellId, singleton: CellId) -> SuppressError {
        let names = self.problem.names();
        SuppressError::NoPattern {
            cell: names.describe(cell).to_string(),
            why: format!("\n  against the only contributor of `{}`, who knows that cell", names.describe(singleton)),
            hint: "publish the table at a coarser level, or leave the singleton intruder out of the job".to_owned(),
            frozen: Vec::new(),
        }
    }

    fn frozen_near(&self, cell: CellId) -> Vec<CellId> {
        let rows = self
            .incidence
            .of(cell)
            .iter()
            .flat_map(|&(r, _)| self.problem.relations().row(r as usize));
        let mut frozen: Vec<CellId> = rows
            .map(|(other, _)| other)
            .filter(|&other| self.problem.status(other) == Status::Frozen)
            .collect();
        frozen.sort_unstable();
        frozen.dedup();
        frozen
    }
}
