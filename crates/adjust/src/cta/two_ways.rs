//! The search for the optimum in two ways at a time, with and without the rows that tighten the relaxation: none is better on all tables.
//! Whichever ends first ends the other. What the two tables and the best one before do not agree on is then searched again.
//! Only under a time limit: which of two equally good tables is found depends on the clock.

use super::{Descent, senses_of};
use crate::AdjustError;
use crate::program::{Answer, Program, Sense};
use crate::task::Senses;
use cellveil_lp::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The share of the time for the two searches; the rest is for what they do not agree on.
const SHARE: f64 = 0.8;

impl Descent<'_> {
    pub(super) fn two_ways(&mut self) -> Result<(), AdjustError> {
        let known: Vec<Senses> = self.best.iter().map(|best| best.senses.clone()).collect();
        let open = vec![None; self.task.sensitive.len()];
        let found = self.both(&open)?;
        let mut tables = known;
        for answer in found {
            let point = match answer {
                Answer::Optimal(point) => {
                    let best = self.best.as_ref().map_or(f64::INFINITY, |best| best.point.cost);
                    self.bound = self.bound.max(point.cost.min(best) * (1.0 - self.context.gap));
                    point
                }
                Answer::Within(point, bound) => {
                    self.bound = self.bound.max(bound);
                    point
                }
                Answer::Infeasible | Answer::Stopped => continue,
            };
            tables.push(senses_of(&point));
            self.try_senses(&senses_of(&point))?;
        }
        if self.is_done() || self.context.is_over() {
            return Ok(());
        }
        self.search(&agreed(&tables, open.len()), None)?;
        self.blocks(&[super::blocks::Kind::Dynamic, super::blocks::Kind::Subtable], Some(0.0))
    }

    /// Both searches, on as many threads as there are; one after the other on a single one.
    fn both(&self, open: &[Sense]) -> Result<Vec<Answer>, AdjustError> {
        let ways = if rayon::current_num_threads() > 1 { 2 } else { 1 };
        let seconds = self.context.left().map(|left| left * SHARE);
        let limits = Limits { seconds, gap: self.context.gap, ..Limits::default() };
        let cutoff = self.best.as_ref().map(|best| best.point.cost);
        let ended = Arc::new(AtomicBool::new(false));
        let search = |program: Program<'_>| {
            let answer = program.search(self.context.engine, open, None, &limits, Some(&ended));
            if matches!(answer, Ok(Answer::Optimal(_) | Answer::Infeasible)) {
                ended.store(true, Ordering::Relaxed);
            }
            answer
        };
        let (plain, tight) = rayon::join(
            || search(Program::new(self.task, cutoff)),
            || (ways > 1).then(|| search(Program::tight(self.task, None))),
        );
        let mut answers = vec![plain?];
        answers.extend(tight.transpose()?);
        Ok(answers)
    }
}

/// Senses on which all tables agree; the others are open.
fn agreed(tables: &[Senses], count: usize) -> Vec<Sense> {
    let same = |at: usize| {
        let first = tables.first().map(|senses| senses[at]);
        first.filter(|sense| tables.iter().all(|senses| senses[at] == *sense))
    };
    (0..count).map(same).collect()
}
