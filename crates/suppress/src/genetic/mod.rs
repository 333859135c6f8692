//! The genetic method: in which order to protect groups of exposed needs (Serpell, Smith, Clark and Staggemeier).
//!
//! Needs that the sensitive cells leave open are put into groups whose members do not get in each other's way. One linear program per
//! group withholds what the whole group needs; what it withholds is free for the groups after it, so the order matters. A genetic algorithm looks for a good
//! one; with three groups or fewer all are tried. While it looks, only the upper levels are protected: that is a surrogate, and only
//! the rank of the orders counts. The best order then protects both sides, and the attack on the whole table and its repair come last.

mod evolve;
mod groups;
mod preselect;
mod program;

use crate::incremental::complete;
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use cellveil_attack::{Reduced, reduce};
use cellveil_core::{Bound, Pattern, Problem, Side, Witness};
use evolve::{Individual, Judge, UNMET, best_orders};
use groups::{Groups, group};
use program::{Program, Sides};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// See the module's documentation and `proof.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Genetic;

/// The most work for looking at orders, in programs times the terms of the relations. Counted and not timed, so that the
/// answer is the same everywhere.
const MOST_WORK: usize = 3_000_000;

/// How many orders are protected in full where needs times terms of relations are at most `SMALL`.
const FINALISTS: usize = 3;
const SMALL: usize = 1_500_000;

impl Protect for Genetic {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let groups = group(problem, &exposed(problem));
        let program = Program::new(problem, preselect::preselect(problem));
        let orders = context.in_half_the_time(|context| {
            let judge = Fitness::new(problem, context, &groups, &program);
            best_orders(groups.len(), context.seed, &judge)
        })?;
        let mut best: Option<(f64, Pattern, Vec<Witness>)> = None;
        for order in orders.iter().take(finalists(problem)) {
            if best.is_some() && context.is_over() {
                break;
            }
            let (pattern, _) = context.in_half_the_time(|context| {
                program.protect(context, &groups, order, Sides::Both)
            })?;
            match complete(problem, context, &pattern, &[]) {
                Ok((pattern, witnesses)) => {
                    let cost = problem.cost_of(&pattern);
                    if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                        context.progress.improved(cost, 0.0);
                        best = Some((cost, pattern, witnesses));
                    }
                }
                // A pattern exists now, so another order that runs out of time is no failure.
                Err(SuppressError::OutOfTime { .. }) if best.is_some() => break,
                Err(error) => return Err(error),
            }
        }
        let (pattern, witnesses) = match best {
            Some((_, pattern, witnesses)) => (pattern, witnesses),
            None => complete(problem, context, &problem.start(), &[])?,
        };
        let bound = Bound { cost: 0.0 };
        Ok(Protected { pattern, witnesses, bound, method: Method::Genetic })
    }
}

/// How many of the best orders are protected in full; the cheapest pattern is kept.
fn finalists(problem: &Problem) -> usize {
    if problem.needs().len() * problem.relations().terms() <= SMALL { FINALISTS } else { 1 }
}

/// The needs that the sensitive cells alone do not meet, as far as propagation sees it.
fn exposed(problem: &Problem) -> Vec<usize> {
    let Reduced { components, .. } = reduce(problem, &problem.start());
    let mut met = vec![false; problem.needs().len()];
    for component in &components {
        for (at, &cell) in component.cells.iter().enumerate() {
            let Some(need) = problem.needs().position(cell) else { continue };
            let room = |side| component.room(at as u32, side).unwrap_or(i64::MAX);
            let [down, up] = Side::BOTH.map(room);
            let asked = &problem.needs()[need];
            met[need] =
                down >= asked.down && up >= asked.up && down.saturating_add(up) >= asked.sliding;
        }
    }
    (0..met.len()).filter(|&need| !met[need]).collect()
}

/// How good orders are.
struct Fitness<'f> {
    problem: &'f Problem,
    context: &'f Context<'f>,
    groups: &'f Groups,
    program: &'f Program<'f>,
    /// How many orders may be looked at.
    orders: usize,
}

impl<'f> Fitness<'f> {
    fn new(
        problem: &'f Problem,
        context: &'f Context<'f>,
        groups: &'f Groups,
        program: &'f Program<'f>,
    ) -> Self {
        let one = groups.len().max(1) * problem.relations().terms().max(1);
        let orders = (MOST_WORK / one).max(1);
        Self { problem, context, groups, program, orders }
    }
}

impl Judge for Fitness<'_> {
    fn orders(&self) -> usize {
        self.orders
    }

    fn is_over(&self) -> bool {
        self.context.is_over()
    }

    /// What each order costs. Known ones are looked up; the others are tried side by side.
    fn judge(
        &self,
        orders: &[Individual],
        known: &mut BTreeMap<Vec<usize>, f64>,
    ) -> Result<(), SuppressError> {
        let mut new: Vec<&Vec<usize>> = orders.iter().map(|one| &one.order).collect();
        new.sort_unstable();
        new.dedup();
        new.retain(|order| !known.contains_key(*order));
        let costs: Result<Vec<f64>, SuppressError> = new
            .par_iter()
            .map(|order| {
                let (pattern, met) =
                    self.program.protect(self.context, self.groups, order, Sides::Up)?;
                // An order that leaves needs to the repair ranks behind all others.
                let unmet = if met { 0.0 } else { UNMET };
                Ok(self.problem.cost_of(&pattern) + unmet)
            })
            .collect();
        let costs = costs?;
        if let Some(least) = costs.iter().copied().min_by(f64::total_cmp) {
            let (done, total) = (known.len() + new.len(), self.orders);
            self.context.progress.step("orders", done.min(total), total, least);
        }
        known.extend(new.into_iter().cloned().zip(costs));
        Ok(())
    }
}
