//! Block coordinate descent: the senses of one block are searched, all others stay; all moves are free.

use super::Descent;
use crate::AdjustError;
use crate::program::{Sense, positions};
use std::collections::VecDeque;

/// How a block is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// At random.
    Random,
    /// Those whose moves cost most, each with a chance of one half.
    Dynamic,
    /// Those in relations around one of them.
    Subtable,
}

/// The first block, and how many nodes its search may take.
const FIRST: usize = 24;
const NODES: u32 = 120;
/// How many blocks in a row may fail before descent ends.
const FAILURES: usize = 24;
/// The most blocks without a time limit.
const BLOCKS: usize = 60;

impl Descent<'_> {
    /// Descends by blocks of the given kinds in turn; ends when blocks fail, or when no more than `reserve` seconds are left.
    pub(super) fn blocks(
        &mut self,
        kinds: &[Kind],
        reserve: Option<f64>,
    ) -> Result<(), AdjustError> {
        let mut size = FIRST;
        let (mut failures, mut count) = (0, 0);
        let limited = self.context.left().is_some();
        while failures < FAILURES && (limited || count < BLOCKS) && !self.is_done() {
            if self.context.left().zip(reserve).is_some_and(|(left, reserve)| left <= reserve) {
                return Ok(());
            }
            let Some(best) = &self.best else { return Ok(()) };
            let cost = best.point.cost;
            let mut senses: Vec<Sense> = best.senses.iter().copied().map(Some).collect();
            for at in self.block(kinds[count % kinds.len()], size) {
                senses[at] = None;
            }
            count += 1;
            let ended = self.search(&senses, Some(NODES))?;
            let better =
                self.best.as_ref().is_some_and(|best| best.point.cost < cost * (1.0 - 1e-9));
            failures = if better { 0 } else { failures + 1 };
            // A block that is searched to its end may be larger, one that is not should be smaller.
            size = if ended { size + size / 4 + 1 } else { size - size / 5 };
            size = size.clamp(8, self.task.sensitive.len().max(8));
        }
        Ok(())
    }

    fn block(&mut self, kind: Kind, size: usize) -> Vec<usize> {
        let count = self.task.sensitive.len();
        let mut order: Vec<usize> = match kind {
            Kind::Random => {
                let mut order: Vec<usize> = (0..count).collect();
                self.random.shuffle(&mut order);
                order
            }
            Kind::Dynamic => {
                let mut order: Vec<(f64, usize)> = self.burden().into_iter().zip(0..).collect();
                order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                let random = &mut self.random;
                let (first, second): (Vec<usize>, Vec<usize>) =
                    order.into_iter().map(|(_, at)| at).partition(|_| random.share() < 0.5);
                first.into_iter().chain(second).collect()
            }
            Kind::Subtable => {
                let start = self.random.below(count.max(1));
                self.around(start)
            }
        };
        order.truncate(size);
        order
    }

    /// Per sensitive cell what it and its neighbours in the relations cost now.
    fn burden(&self) -> Vec<f64> {
        let Some(best) = &self.best else { return Vec::new() };
        let relations = &self.task.relations;
        let cost = |cell: usize| self.task.weights[cell] * best.point.moves[cell].abs();
        let mut burden: Vec<f64> =
            self.task.sensitive.iter().map(|s| cost(s.cell.index())).collect();
        let positions = positions(self.task);
        for relation in 0..relations.len() {
            let row = relations.row(relation);
            let sum: f64 = row.clone().map(|(cell, _)| cost(cell.index())).sum();
            let among = row
                .filter_map(|(cell, _)| Some(positions[cell.index()]).filter(|&at| at != u32::MAX));
            for at in among {
                burden[at as usize] += sum / relations.row(relation).len() as f64;
            }
        }
        burden
    }

    /// The sensitive cells in the order in which relations lead to them from one of them.
    fn around(&self, start: usize) -> Vec<usize> {
        let relations = &self.task.relations;
        let incidence = relations.incidence(self.task.weights.len());
        let positions = positions(self.task);
        let (mut seen_row, mut seen_cell) =
            (vec![false; relations.len()], vec![false; positions.len()]);
        let mut order = Vec::new();
        let count = self.task.sensitive.len();
        for start in (start..count).chain(0..start) {
            let mut queue = VecDeque::from([self.task.sensitive[start].cell]);
            while let Some(cell) = queue.pop_front() {
                if std::mem::replace(&mut seen_cell[cell.index()], true) {
                    continue;
                }
                if positions[cell.index()] != u32::MAX {
                    order.push(positions[cell.index()] as usize);
                }
                for &(row, _) in incidence.of(cell) {
                    if !std::mem::replace(&mut seen_row[row as usize], true) {
                        queue.extend(relations.row(row as usize).map(|(cell, _)| cell));
                    }
                }
            }
        }
        order
    }

    /// The sensitive cells, neighbours next to each other.
    pub(super) fn neighbours_first(&self) -> Vec<usize> {
        self.around(0)
    }
}
