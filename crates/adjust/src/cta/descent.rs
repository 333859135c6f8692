//! Senses turned round one by one, and clusters decided on their own.

use super::start::other;
use super::{Descent, senses_of};
use crate::AdjustError;
use crate::program::{Answer, Sense, positions};
use crate::task::Senses;

/// How often senses are turned round without success before it is given up.
const FAILURES: usize = 12;

impl Descent<'_> {
    /// Turns round the senses that, by their prices, save most; fewer at a time as long as that fails.
    pub(super) fn flips(&mut self) -> Result<(), AdjustError> {
        let mut batch = (self.task.sensitive.len() / 10).max(1);
        let mut failures = 0;
        while failures < FAILURES && !self.context.is_over() && !self.is_done() {
            let Some(best) = &self.best else { return Ok(()) };
            let (mut senses, cost) = (best.senses.clone(), best.point.cost);
            let savings = &best.point.savings;
            let mut order: Vec<usize> = (0..savings.len())
                .filter(|&at| savings[at] > 0.0 && self.task.sensitive[at].forced().is_none())
                .collect();
            order.sort_by(|&a, &b| savings[b].total_cmp(&savings[a]).then(a.cmp(&b)));
            if order.is_empty() {
                return Ok(());
            }
            // After failures at a single turn, the next best is tried.
            let skip = if batch == 1 { failures % order.len() } else { 0 };
            for &at in order.iter().skip(skip).take(batch) {
                senses[at] = other(senses[at]);
            }
            self.try_senses(&senses)?;
            if self.best.as_ref().is_some_and(|best| best.point.cost < cost) {
                failures = 0;
            } else if batch > 1 {
                batch /= 2;
            } else {
                failures += 1;
            }
        }
        Ok(())
    }

    /// Turns round single senses, then two in the same relation, as long as that helps; every table is solved from the last
    /// one on. Ends when nothing helps, after so many tables, or when no more than `reserve` seconds are left.
    pub(super) fn polish(&mut self, tables: usize, reserve: f64) -> Result<(), AdjustError> {
        let mut left = tables;
        let pairs = self.pairs();
        loop {
            let Some(best) = &self.best else { return Ok(()) };
            let (savings, before) = (best.point.savings.clone(), best.point.cost);
            let mut singles: Vec<usize> = (0..savings.len()).collect();
            singles.sort_by(|&a, &b| savings[b].total_cmp(&savings[a]).then(a.cmp(&b)));
            let singles = singles.into_iter().map(|at| vec![at]);
            for turned in singles.chain(pairs.iter().map(|pair| pair.to_vec())) {
                let Some(best) = &self.best else { return Ok(()) };
                let over = self.context.left().is_some_and(|seconds| seconds <= reserve);
                if left == 0 || over || self.is_done() {
                    return Ok(());
                }
                // Pairs are dear: singles are worth another look first.
                if turned.len() > 1 && best.point.cost < before {
                    break;
                }
                if turned.iter().any(|&at| self.task.sensitive[at].forced().is_some()) {
                    continue;
                }
                let mut senses = best.senses.clone();
                for &at in &turned {
                    senses[at] = other(senses[at]);
                }
                self.try_senses(&senses)?;
                left -= 1;
            }
            if self.best.as_ref().is_none_or(|best| best.point.cost >= before) {
                return Ok(());
            }
        }
    }

    /// Two sensitive cells in one relation, those in short relations first.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let relations = &self.task.relations;
        let positions = positions(self.task);
        let mut pairs = Vec::new();
        for relation in 0..relations.len() {
            let row = relations.row(relation);
            let length = row.len();
            let inside: Vec<usize> = row
                .map(|(cell, _)| positions[cell.index()])
                .filter(|&at| at != u32::MAX)
                .map(|at| at as usize)
                .collect();
            for (i, &a) in inside.iter().enumerate() {
                pairs.extend(inside[i + 1..].iter().map(|&b| (length, [a.min(b), a.max(b)])));
            }
        }
        pairs.sort_unstable();
        let mut seen = std::collections::BTreeSet::new();
        pairs.into_iter().map(|(_, pair)| pair).filter(|&pair| seen.insert(pair)).collect()
    }

    /// The best senses of a cluster, with those given kept and all others relaxed; `None` if there are none.
    pub(super) fn decide(
        &mut self,
        senses: &[Sense],
        cluster: &[usize],
        nodes: u32,
    ) -> Result<Option<Senses>, AdjustError> {
        let answer =
            self.tight.decide(self.context.engine, senses, cluster, &self.limits(Some(nodes)))?;
        match answer {
            Answer::Optimal(point) | Answer::Within(point, _) => Ok(Some(senses_of(&point))),
            Answer::Infeasible | Answer::Stopped => Ok(None),
        }
    }
}
