//! Many needs met at once: those that ask for far more than the others, by tables in which all of them move.

use super::common::{Common, Goal};
use super::price::Prices;
use super::protect::Workshop;
use crate::chance::scattered;
use crate::cover::Cover;
use crate::method::SuppressError;
use crate::small_levels::has_small_levels;
use cellveil_attack::{Component, quick_certificate};
use cellveil_core::Side;
use std::cell::Cell;
use std::sync::Arc;

/// Needs that ask for more than so many times as much as the middle one stand out.
const OUTSTANDING: i64 = 20;

/// Fewer needs than this are met one by one; for more there are so many tables at most, each in this share of the time left.
const MANY: usize = 3;
const TABLES: u64 = 4;
const TABLE: f64 = 0.5;

/// The share of the time for the first answer of all.
const FIRST: f64 = 0.75;

impl Workshop<'_> {
    /// The open needs that ask for far more than most, if there are some: the others hide behind them. Else all that are open.
    pub(super) fn outstanding(&self, cover: &Cover<'_>) -> Vec<usize> {
        let open = self.open(cover);
        let middle = open.get(open.len() / 2).map_or(0, |&need| self.size(need));
        let is_outstanding = |&&need: &&usize| self.size(need) / OUTSTANDING > middle;
        let outstanding: Vec<usize> = open.iter().filter(is_outstanding).copied().collect();
        if outstanding.is_empty() { open } else { outstanding }
    }

    /// Meets most needs by a few tables in which many cells move at once.
    pub(super) fn protect_together(
        &self,
        cover: &mut Cover<'_>,
        needs: &[usize],
    ) -> Result<(), SuppressError> {
        let longest = [(); 2].map(|()| Cell::new(0.0));
        if !has_small_levels(self.problem) {
            for (round, side) in (0..).zip([Side::Up, Side::Down]) {
                self.table_for(cover, needs, (round, Some(side), true), &longest[0])?;
            }
            return Ok(());
        }
        for round in 0..TABLES {
            let open = needs.iter().filter(|&&need| !cover.is_proven(need)).count();
            // What one table leaves open, another can often meet with the same cells.
            let with_more = round % 2 == 0;
            if open == 0 || (with_more && open < MANY) {
                return Ok(());
            }
            let asked = (round, None, with_more);
            self.table_for(cover, needs, asked, &longest[usize::from(with_more)])?;
        }
        Ok(())
    }

    /// Lets needs rely on a table in which as many of them as possible move far enough, to one side or each to its own, with more cells or those that are withheld only.
    fn table_for(
        &self,
        cover: &mut Cover<'_>,
        needs: &[usize],
        (round, side, with_more): (u64, Option<Side>, bool),
        longest: &Cell<f64>,
    ) -> Result<(), SuppressError> {
        let prices = Prices::new(cover);
        let prices = if with_more { prices } else { prices.of_withheld_only() };
        let left = (self.context.seconds_left)();
        let within = |share: f64| Some((self.context.seconds_left)()? - left? * (1.0 - share));
        let seconds_left = || within(TABLE);
        let patience = || within(if round == 0 { FIRST } else { TABLE });
        let mut tables = Vec::new();
        for component in self.everything() {
            let goals = self.goals(cover, component, needs, side);
            if !goals.iter().any(|goal| goal.is_open) {
                continue;
            }
            let common = Common {
                problem: self.problem,
                incidence: &self.incidence,
                engine: self.context.engine,
                component,
                prices,
                goals: &goals,
                side,
                seed: scattered(self.context.seed, round),
                work: &self.work,
                seconds_left: &seconds_left,
                patience: &patience,
                longest,
            };
            tables.extend(common.table()?);
        }
        for table in tables {
            self.offer(cover, needs, table);
        }
        Ok(())
    }

    /// Lets needs rely on what withheld cells show without programs: those that ask for little often hide behind those that ask for much.
    pub(super) fn look_again(&self, cover: &mut Cover<'_>) -> Result<(), SuppressError> {
        let (pattern, known) = cover.clone().into_parts();
        let (incidence, products) = (Arc::clone(&self.incidence), self.products().cloned());
        let shown = quick_certificate(self.problem, &pattern, incidence, products, &known)?;
        cover.rely_on(shown);
        Ok(())
    }

    /// What the needs of a component ask for, on one side or on any.
    fn goals(
        &self,
        cover: &Cover<'_>,
        component: &Component,
        needs: &[usize],
        side: Option<Side>,
    ) -> Vec<Goal> {
        let goal = |&need: &usize| {
            let at = component.position(self.problem.needs()[need].cell)?;
            let Some(side) = side else {
                return Some(Goal { at, level: self.size(need), is_open: !cover.is_proven(need) });
            };
            Some(Goal { at, level: cover.wanted(need, side, None)?, is_open: true })
        };
        needs.iter().filter_map(goal).collect()
    }
}
