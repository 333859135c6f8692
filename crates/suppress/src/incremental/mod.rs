//! The incremental method: the cheapest further cells for one need after the other, then back with what was not needed.
//!
//! For each need and side that the cells withheld so far leave open, a linear program finds the cheapest way to move the
//! sensitive cell far enough: `min Σ c_i (y_i⁺ + y_i⁻)` subject to the relations and the intruder's bounds, with
//! `c_i = 0` for withheld cells (Kelly et al. 1992, model (1)–(8) as used by Serpell et al.). Cells that move are withheld. Each
//! answer is a witness, and is tried on all other needs, so that most needs never get a program of their own.

mod program;
mod prune;

use crate::method::{Context, Method, Protect, Protected, SuppressError};
use cellveil_attack::{Component, Ledger, reduce};
use cellveil_core::{Bound, CellId, Incidence, Need, Pattern, Problem, Side, Status, Why, Witness};
use program::Program;

/// See the module's documentation and `proof.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Incremental;

/// Orders in which the needs are protected. Each gives a pattern; the cheapest is kept.
#[derive(Clone, Copy, Debug)]
enum Order {
    LargestFirst,
    SmallestFirst,
}

/// A second order is tried where needs times terms of relations are at most this: where it takes seconds.
const SMALL: usize = 1_000_000;

impl Protect for Incremental {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let search = Search::new(problem, context);
        let start = || (problem.start(), Vec::new());
        let mut best = search.run(start(), Order::LargestFirst)?;
        if problem.needs().len() * problem.relations().terms() <= SMALL && !context.is_over() {
            // A pattern exists now, so a second order that runs out of time is no failure.
            match search.run(start(), Order::SmallestFirst) {
                Ok(other) if problem.cost_of(&other.0) < problem.cost_of(&best.0) => best = other,
                Ok(_) | Err(SuppressError::OutOfTime { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let (pattern, witnesses) = best;
        Ok(Protected {
            pattern,
            witnesses,
            bound: Bound { cost: 0.0 },
            method: Method::Incremental,
        })
    }
}

/// Protects what a pattern leaves open, with its own cells at no cost, and gives back what turns out not to be needed.
///
/// # Errors
/// [`SuppressError`] if no pattern is found.
pub(crate) fn complete(
    problem: &Problem,
    context: &Context<'_>,
    pattern: Pattern,
    known: Vec<Witness>,
) -> Result<(Pattern, Vec<Witness>), SuppressError> {
    Search::new(problem, context).run((pattern, known), Order::LargestFirst)
}

/// What grows while one component is protected.
struct Work<'w, 'p, 'l> {
    program: &'w mut Program<'p>,
    pattern: &'w mut Pattern,
    ledger: &'w mut Ledger<'l>,
}

impl Work<'_, '_, '_> {
    /// Withholds the cells that move in a table and remembers it.
    fn take(&mut self, witness: Witness) -> Result<(), SuppressError> {
        for &(cell, _) in &witness.moves {
            if !self.pattern.is_withheld(cell) {
                self.pattern.withhold(cell, Why::Secondary);
                self.program.now_free(cell)?;
            }
        }
        self.ledger.add(witness);
        Ok(())
    }
}

/// What every run shares.
struct Search<'a> {
    problem: &'a Problem,
    context: &'a Context<'a>,
    incidence: Incidence,
    /// The system with every cell withheld that may be.
    components: Vec<Component>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, context: &'a Context<'a>) -> Self {
        let mut all = problem.start();
        for cell in problem.cells().filter(|&cell| problem.status(cell) == Status::Free) {
            all.withhold(cell, Why::Secondary);
        }
        let incidence = problem.relations().incidence(problem.len());
        Self { problem, context, incidence, components: reduce(problem, &all).components }
    }

    fn run(
        &self,
        (mut pattern, known): (Pattern, Vec<Witness>),
        order: Order,
    ) -> Result<(Pattern, Vec<Witness>), SuppressError> {
        let mut ledger = Ledger::new(self.problem);
        for witness in known {
            ledger.add(witness);
        }
        if let Some(cell) = self.hopeless() {
            return Err(self.no_pattern(cell));
        }
        for component in &self.components {
            self.protect_component(component, order, &mut pattern, &mut ledger)?;
        }
        prune::prune(self.problem, self.context, &self.incidence, &mut pattern, &mut ledger)?;
        Ok((pattern, ledger.witnesses().to_vec()))
    }

    /// A sensitive cell that is determined by frozen cells, whatever else is withheld.
    fn hopeless(&self) -> Option<CellId> {
        let mut movable = vec![false; self.problem.len()];
        for cell in self.components.iter().flat_map(|component| &component.cells) {
            movable[cell.index()] = true;
        }
        let asks = |need: &&Need| need.down > 0 || need.up > 0 || need.sliding > 0;
        self.problem
            .needs()
            .iter()
            .filter(asks)
            .map(|need| need.cell)
            .find(|cell| !movable[cell.index()])
    }

    fn protect_component(
        &self,
        component: &Component,
        order: Order,
        pattern: &mut Pattern,
        ledger: &mut Ledger<'_>,
    ) -> Result<(), SuppressError> {
        let needs = self.ordered(component, order);
        if needs.is_empty() {
            return Ok(());
        }
        let mut program =
            Program::new(self.problem, &self.incidence, component, pattern, self.context.engine)?;
        for (done, &need) in needs.iter().enumerate() {
            if self.context.is_over() {
                let open = needs.iter().filter(|&&need| !ledger.is_proven(need)).count();
                return Err(SuppressError::OutOfTime { open });
            }
            self.context.progress.step("protect", done, needs.len(), self.problem.cost_of(pattern));
            self.protect_need(need, &mut Work { program: &mut program, pattern, ledger })?;
        }
        Ok(())
    }

    /// The needs of a component in the order in which they are protected.
    fn ordered(&self, component: &Component, order: Order) -> Vec<usize> {
        let mut needs: Vec<usize> = component
            .cells
            .iter()
            .filter_map(|&cell| self.problem.needs().position(cell))
            .collect();
        let size = |need: &usize| {
            let need = &self.problem.needs()[*need];
            need.down.max(need.up).max(need.sliding)
        };
        match order {
            Order::LargestFirst => needs.sort_by_key(|need| (std::cmp::Reverse(size(need)), *need)),
            Order::SmallestFirst => needs.sort_by_key(|need| (size(need), *need)),
        }
        needs
    }

    fn protect_need(&self, need: usize, work: &mut Work<'_, '_, '_>) -> Result<(), SuppressError> {
        let cell = self.problem.needs()[need].cell;
        self.approach(need, None, work)?;
        if !work.ledger.is_met(need, None) {
            return Err(self.no_pattern(cell));
        }
        while let Some(&insider) = work.ledger.blocking(need).first() {
            self.approach(need, Some(insider), work)?;
            if !work.ledger.is_met(need, Some(insider)) {
                return Err(
                    self.no_pattern_against(cell, self.problem.insiders().cells(insider)[0])
                );
            }
        }
        Ok(())
    }

    /// Withholds what lets a cell move as far as its need wants, with an insider's cells left alone.
    fn approach(
        &self,
        need: usize,
        insider: Option<u32>,
        work: &mut Work<'_, '_, '_>,
    ) -> Result<(), SuppressError> {
        let cell = self.problem.needs()[need].cell;
        let known = insider.map_or(&[][..], |insider| self.problem.insiders().cells(insider));
        // Up again at the end: how far up is needed may depend on how far down is possible.
        for side in [Side::Up, Side::Down, Side::Up] {
            if let Some(target) = work.ledger.wanted(need, side, insider)
                && let Some(witness) =
                    work.program.cheapest_or_furthest(cell, side, target, known)?
            {
                work.take(witness)?;
            }
        }
        Ok(())
    }

    fn no_pattern(&self, cell: CellId) -> SuppressError {
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

    fn no_pattern_against(&self, cell: CellId, singleton: CellId) -> SuppressError {
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
