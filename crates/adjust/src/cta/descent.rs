//! Senses turned round one by one, and clusters decided on their own.

use super::start::other;
use super::{Descent, senses_of};
use crate::AdjustError;
use crate::program::{Answer, Sense};
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

    /// The best senses of a cluster, with those given kept and all others relaxed; `None` if there are none.
    pub(super) fn decide(
        &mut self,
        senses: &[Sense],
        cluster: &[usize],
        nodes: u32,
    ) -> Result<Option<Senses>, AdjustError> {
        let answer =
            self.program.decide(self.context.engine, senses, cluster, &self.limits(Some(nodes)))?;
        match answer {
            Answer::Optimal(point) | Answer::Within(point, _) => Ok(Some(senses_of(&point))),
            Answer::Infeasible | Answer::Stopped => Ok(None),
        }
    }
}
