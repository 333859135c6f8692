//! Branch and bound on the cuts, until the cheapest pattern that satisfies them is safe.
//!
//! The cheapest whole pattern under the cuts found so far is a lower bound, and usually not safe. What it misses becomes cuts, and
//! what it lacks is added to it, which gives a safe pattern; so the bound rises and the best pattern gets cheaper until they meet.

use super::level::Level;
use super::rounds::{Round, Rounds};
use crate::incremental::complete;
use crate::method::{Context, SuppressError};
use cellveil_attack::{Intervals, Options, attack};
use cellveil_core::{CellId, Pattern, Problem, Why, Witness};
use cellveil_lp::{Limits, Outcome};

/// The best pattern so far, of the whole table.
pub(super) struct Best {
    pub(super) pattern: Pattern,
    pub(super) witnesses: Vec<Witness>,
}

/// The search in one component.
pub(super) struct Search<'a> {
    pub(super) problem: &'a Problem,
    pub(super) context: &'a Context<'a>,
    pub(super) rounds: Rounds<'a>,
}

/// What may be spent on a component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Programs times their relations in rounds of cuts.
    pub(super) work: usize,
    /// Nodes of one search for a whole pattern.
    pub(super) nodes: u32,
    /// Searches for whole patterns.
    pub(super) searches: usize,
}

/// Rounds end when several of them together raise the bound by less than this share.
const WORTHWHILE: f64 = 2e-3;
const SEVERAL: usize = 6;

/// Costs closer than this share are equal.
const EQUAL: f64 = 1e-8;

impl Search<'_> {
    /// Rounds of cuts until they gain little, for a table whose best pattern costs `cost`. Says whether some pattern may be safe.
    pub(super) fn cut(
        &mut self,
        cost: f64,
        work: usize,
        seconds: Option<f64>,
    ) -> Result<bool, SuppressError> {
        let stop_at = seconds.and_then(|s| Some((self.context.seconds_left)()? - s));
        let end = self.rounds.work + work;
        let mut bounds: Vec<f64> = Vec::new();
        loop {
            match self.rounds.round()? {
                Round::Infeasible => return Ok(false),
                Round::Added(0) => return Ok(true),
                Round::Added(_) => {}
            }
            let bound = self.rounds.bound;
            self.context.progress.improved(cost, bound);
            bounds.push(bound);
            let before = bounds.len().checked_sub(SEVERAL + 1).map(|at| bounds[at]);
            let late =
                stop_at.is_some_and(|at| (self.context.seconds_left)().is_some_and(|l| l < at));
            if before.is_some_and(|before| bound - before < WORTHWHILE * bound)
                || self.rounds.work > end
                || late
                || self.context.is_over()
            {
                return Ok(true);
            }
        }
    }

    /// What the secondaries of a pattern cost in this component.
    fn cost(&self, pattern: &Pattern) -> f64 {
        let system = self.rounds.system;
        let cells = system.component.cells.iter().zip(&system.free).zip(&system.costs);
        cells
            .filter(|((cell, free), _)| **free && pattern.is_withheld(**cell))
            .map(|(_, cost)| cost)
            .sum()
    }

    fn is_proven(&self, cost: f64) -> bool {
        self.rounds.bound >= cost * (1.0 - EQUAL.max(self.context.gap))
    }

    /// Searches for the cheapest safe pattern. Leaves the best one found in `best` and the bound in the rounds.
    pub(super) fn run(&mut self, best: &mut Best, budget: Budget) -> Result<(), SuppressError> {
        for _ in 0..budget.searches {
            let cost = self.cost(&best.pattern);
            self.context.progress.improved(self.problem.cost_of(&best.pattern), self.rounds.bound);
            if self.is_proven(cost) || self.context.is_over() {
                break;
            }
            let before = self.rounds.bound;
            let Some((withheld, finished)) = self.cheapest(best, cost, budget)? else { break };
            if self.is_proven(cost) {
                break;
            }
            let mut grown = withheld.clone();
            let added = self.rounds.cut_off(&mut grown)?;
            let pattern = self.pattern(best, &withheld);
            if added > 0 {
                self.improve(best, self.pattern(best, &grown))?;
                self.improve(best, pattern)?;
                continue;
            }
            match self.judge(&pattern)? {
                Verdict::Safe(witnesses) => {
                    if self.cost(&pattern) < cost {
                        *best = Best { pattern, witnesses };
                    }
                    if finished || self.rounds.bound <= before {
                        break;
                    }
                }
                Verdict::Exposed { news: true } => {}
                Verdict::Exposed { news: false } => break,
            }
        }
        Ok(())
    }

    /// The cheapest whole pattern under the cuts, and whether nothing cheaper is left; `None` if none was found.
    fn cheapest(
        &mut self,
        best: &Best,
        cost: f64,
        budget: Budget,
    ) -> Result<Option<(Vec<bool>, bool)>, SuppressError> {
        let system = self.rounds.system;
        let master = &self.rounds.master;
        let mut model = master.model(true);
        // What would make the pattern dearer than the best one known is not withheld.
        if let Some(relaxed) = &self.rounds.relaxed {
            for (column, &at) in model.columns.iter_mut().zip(master.positions()) {
                if relaxed.bound + relaxed.reduced[at as usize] > cost * (1.0 + 1e-6) {
                    column.upper = 0.0;
                }
            }
        }
        let known = |&at: &u32| best.pattern.is_withheld(system.component.cells[at as usize]);
        let mut start: Vec<f64> =
            master.positions().iter().map(|at| f64::from(u8::from(known(at)))).collect();
        for (value, column) in start.iter_mut().zip(&model.columns) {
            *value = value.min(column.upper);
        }
        let mut session = self.context.engine.open(&model)?;
        session.start(&start)?;
        let seconds = (self.context.seconds_left)().map(|left| left.max(0.1));
        // While much is open, a pattern that is nearly the cheapest gives cuts as good and takes less.
        let open = 1.0 - self.rounds.bound / cost;
        let gap = if open < SMALL { 0.0 } else { EARLY * open };
        let limits = Limits { nodes: Some(budget.nodes), seconds, gap, ..Limits::default() };
        let (solution, bound, finished) = match session.solve(&limits)? {
            Outcome::Optimal(solution) => {
                let bound = solution.objective * (1.0 - gap);
                (solution, bound, gap == 0.0)
            }
            Outcome::Incumbent(solution, bound) => (solution, bound, false),
            Outcome::Infeasible => {
                self.rounds.bound = self.rounds.bound.max(cost);
                return Ok(None);
            }
            Outcome::Unbounded | Outcome::Stopped => return Ok(None),
        };
        let bound = (bound * self.rounds.master.scale * (1.0 - SEARCHED)).min(cost);
        self.rounds.bound = self.rounds.bound.max(bound);
        let mut withheld: Vec<bool> = system.free.iter().map(|free| !free).collect();
        for (&at, value) in self.rounds.master.positions().iter().zip(&solution.columns) {
            withheld[at as usize] |= *value > 0.5;
        }
        Ok(Some((withheld, finished)))
    }

    /// The best pattern with the cells of this component as given.
    fn pattern(&self, best: &Best, withheld: &[bool]) -> Pattern {
        let mut pattern = best.pattern.clone();
        let cells = &self.rounds.system.component.cells;
        for (&cell, _) in cells.iter().zip(&self.rounds.system.free).filter(|(_, free)| **free) {
            pattern.give_back(cell);
        }
        for (&cell, _) in cells.iter().zip(withheld).filter(|(_, withheld)| **withheld) {
            pattern.withhold(cell, Why::Secondary);
        }
        pattern
    }

    /// Adds what a pattern lacks, and keeps the result if it is cheaper than the best.
    fn improve(&self, best: &mut Best, pattern: Pattern) -> Result<(), SuppressError> {
        let moves_withheld =
            |witness: &&Witness| witness.moves.iter().all(|&(cell, _)| pattern.is_withheld(cell));
        let known = best.witnesses.iter().filter(moves_withheld).cloned().collect();
        match complete(self.problem, self.context, pattern, known) {
            Ok((pattern, witnesses)) => {
                if self.problem.cost_of(&pattern) < self.problem.cost_of(&best.pattern) {
                    *best = Best { pattern, witnesses };
                }
                Ok(())
            }
            Err(SuppressError::OutOfTime { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Attacks a pattern that reaches all levels so far. What it exposes becomes levels and cuts.
    fn judge(&mut self, pattern: &Pattern) -> Result<Verdict, SuppressError> {
        let options = Options { intervals: Intervals::None };
        let found = attack(self.problem, pattern, self.context.engine, options, &[])?;
        if found.audit.exposed.is_empty() {
            return Ok(Verdict::Safe(found.certificate.witnesses));
        }
        let system = self.rounds.system;
        let mut news = false;
        for exposure in &found.audit.exposed {
            if let Some(level) = Level::new(self.problem, system, exposure) {
                news |= self.rounds.watch(level)?;
            }
        }
        if news {
            let is_withheld = |&cell: &CellId| pattern.is_withheld(cell);
            let mut withheld: Vec<bool> = system.component.cells.iter().map(is_withheld).collect();
            self.rounds.cut_off(&mut withheld)?;
        }
        Ok(Verdict::Exposed { news })
    }
}

/// Which part of the gap a search may leave open, and the gap from which on it may leave none.
const EARLY: f64 = 0.2;
const SMALL: f64 = 2e-3;

/// What the engine's bound of a search for whole patterns may be off by, as a share.
const SEARCHED: f64 = 1e-9;

enum Verdict {
    Safe(Vec<Witness>),
    /// Whether levels are missed that nobody knew of.
    Exposed {
        news: bool,
    },
}
