//! Branch and bound on the cuts, until the cheapest pattern that satisfies them is safe.
//!
//! The cheapest whole pattern under the cuts found so far is a lower bound, and usually not safe. What it misses becomes cuts, and
//! what it lacks is added to it, which gives a safe pattern; so the bound rises and the best pattern gets cheaper until they meet.

use super::cuts::Cut;
use super::level::Level;
use super::recombine::SMALL;
use super::rounds::{Round, Rounds};
use super::step;
use super::whole::Table;
use crate::method::{Context, SuppressError};
use cellveil_attack::{Intervals, Options, attack};
use cellveil_core::{CellId, Pattern, Problem, Status, Why, Witness};
use cellveil_lp::{Limits, Model, Outcome};

/// The best pattern so far, of the whole table.
pub(crate) struct Best {
    pub(crate) pattern: Pattern,
    pub(crate) witnesses: Vec<Witness>,
}

/// The search in one component.
pub(super) struct Search<'a> {
    pub(super) problem: &'a Problem,
    pub(super) context: &'a Context<'a>,
    pub(super) rounds: Rounds<'a>,
    /// Patterns whose costs differ, differ by more than this; 0 if nothing is known.
    pub(super) step: f64,
    /// The seconds of the longest step so far that no limit ends.
    pub(super) longest: f64,
    /// How many parts of the table were chosen so far.
    pub(super) parts: u64,
    /// Cuts that serve only these.
    pub(super) nearby: Vec<Cut>,
}

/// What may be spent on a component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Programs times terms of their relations in rounds of cuts.
    pub(crate) work: usize,
    /// Nodes of one search for a whole pattern.
    pub(crate) nodes: u32,
    /// Searches for whole patterns.
    pub(crate) searches: usize,
    /// Nodes of all searches times the terms of their cuts: where cuts are many, a node takes long.
    pub(crate) node_terms: u64,
}

/// Rounds end when several of them together raise the bound by less than this share.
const WORTHWHILE: f64 = 2e-3;
const SEVERAL: usize = 6;

/// The share of the time that goes into rounds of patches at most, and how often they get more patient there.
const PATCHING: f64 = 0.7;
const PATIENCE: u32 = 3;

/// Costs closer than this share are equal.
pub(super) const EQUAL: f64 = 1e-8;

/// The share of the time that is left that goes into rounds of cuts before whole patterns are searched for.
const CUTTING: f64 = 0.5;

/// The share of the time that is left after them that goes into parts near the best pattern, and how often in a row they may have nothing.
const NEARBY: f64 = 0.1;
const IN_VAIN: usize = 3;

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a Problem, context: &'a Context<'a>, rounds: Rounds<'a>) -> Self {
        let (step, longest, parts, nearby) = (step(problem), 0.0, 0, Vec::new());
        Self { problem, context, rounds, step, longest, parts, nearby }
    }
}

impl Search<'_> {
    /// Raises the bound and looks for better patterns, in the order that suits the table. What stands when the engine fails, stands.
    pub(super) fn search(
        &mut self,
        best: &mut Best,
        budget: Budget,
        small_levels: bool,
    ) -> Result<(), SuppressError> {
        // Where levels are small, flats are better patterns than fractional ones give, and the time is for cuts.
        if self.problem.len() <= SMALL && !small_levels {
            self.look_between_rounds(best)?;
        }
        self.cut_by_patches(Some(&best.pattern))?;
        let seconds = (self.context.seconds_left)().map(|left| left * CUTTING);
        if self.cut(Some(&best.pattern), budget.work, seconds)? {
            let until = (self.context.seconds_left)().map(|left| left * (1.0 - NEARBY));
            self.look_aside(best, until, IN_VAIN)?;
            self.run(best, budget)?;
        }
        Ok(())
    }

    /// Rounds of cuts until they gain little, or the gap of a known pattern is small. Says whether some pattern may be safe.
    pub(super) fn cut(
        &mut self,
        known: Option<&Pattern>,
        work: usize,
        seconds: Option<f64>,
    ) -> Result<bool, SuppressError> {
        let stop_at = seconds.and_then(|s| Some((self.context.seconds_left)()? - s));
        let end = self.rounds.work + work;
        let cost = known.map_or(f64::INFINITY, |pattern| self.problem.cost_of(pattern));
        let own_cost = known.map_or(f64::INFINITY, |pattern| self.cost(pattern));
        let mut bounds: Vec<f64> = Vec::new();
        let mut in_vain = 0;
        loop {
            let left = (self.context.seconds_left)();
            match self.rounds.round()? {
                Round::Infeasible => return Ok(false),
                Round::Added(0) => in_vain += 1,
                Round::Added(_) => in_vain = 0,
            }
            let pass = self.rounds.per_pass();
            if in_vain == pass {
                if !self.rounds.wake() {
                    return Ok(true);
                }
                in_vain = 0;
            }
            let bound = self.rounds.bound;
            self.context.progress.improved(cost, bound);
            bounds.push(bound);
            let before = bounds.len().checked_sub(SEVERAL * pass + 1).map(|at| bounds[at]);
            self.note(left);
            let late = self.is_late(stop_at.unwrap_or(0.0));
            if before.is_some_and(|before| bound - before < WORTHWHILE * bound)
                || self.is_proven(own_cost)
                || self.rounds.work > end
                || late
                || self.context.is_over()
            {
                return Ok(true);
            }
        }
    }

    /// Rounds at what patches say, with more and more patience, until a share of the time is used up, or the gap of a known pattern is small.
    pub(super) fn cut_by_patches(&mut self, known: Option<&Pattern>) -> Result<(), SuppressError> {
        let cost = known.map_or(f64::INFINITY, |pattern| self.problem.cost_of(pattern));
        let own_cost = known.map_or(f64::INFINITY, |pattern| self.cost(pattern));
        let stop_at = (self.context.seconds_left)().map(|left| left * (1.0 - PATCHING));
        let mut patience = if stop_at.is_some() { PATIENCE } else { 0 };
        let mut bounds: Vec<f64> = Vec::new();
        loop {
            let left = (self.context.seconds_left)();
            let added = self.rounds.round_of_patches()?;
            let bound = self.rounds.bound;
            self.context.progress.improved(cost, bound);
            self.note(left);
            bounds.push(bound);
            let before = bounds.len().checked_sub(SEVERAL + 1).map(|at| bounds[at]);
            let gains_little = before.is_some_and(|before| bound - before < WORTHWHILE * bound);
            if bound <= 0.0
                || self.is_proven(own_cost)
                || self.is_late(stop_at.unwrap_or(0.0))
                || self.context.is_over()
            {
                return Ok(());
            }
            if added == 0 || gains_little {
                if patience == 0 {
                    return Ok(());
                }
                patience -= 1;
                bounds.clear();
                self.rounds.be_patient();
            }
        }
    }

    /// Notes how long a step took that began with so many seconds left.
    fn note(&mut self, left: Option<f64>) {
        let took = left.zip((self.context.seconds_left)()).map_or(0.0, |(then, now)| then - now);
        self.longest = self.longest.max(took);
    }

    /// Whether so little time is left, or so little that another step would end too late.
    fn is_late(&self, least: f64) -> bool {
        (self.context.seconds_left)().is_some_and(|left| left < self.longest.max(least))
    }

    /// What the secondaries of a pattern cost in this component.
    pub(super) fn cost(&self, pattern: &Pattern) -> f64 {
        let system = self.rounds.system;
        let withheld = |cell: &&CellId| pattern.is_withheld(**cell);
        let of_class = |(cells, _): (&Vec<CellId>, &bool)| -> f64 {
            cells.iter().filter(withheld).map(|&cell| self.problem.cost(cell)).sum()
        };
        system.members.iter().zip(&system.free).filter(|(_, free)| **free).map(of_class).sum()
    }

    pub(super) fn is_proven(&self, cost: f64) -> bool {
        self.rounds.bound >= cost * (1.0 - EQUAL.max(self.context.gap))
    }

    /// Searches for the cheapest safe pattern. Leaves the best one found in `best` and the bound in the rounds.
    pub(super) fn run(&mut self, best: &mut Best, mut budget: Budget) -> Result<(), SuppressError> {
        let most_nodes = budget.nodes;
        let mut reach = Reach::All;
        let mut has_branched = false;
        for search in 0..budget.searches {
            let cost = self.cost(&best.pattern);
            self.context.progress.improved(self.problem.cost_of(&best.pattern), self.rounds.bound);
            if self.is_proven(cost) || self.is_late(0.0) || self.context.is_over() {
                break;
            }
            // Where that does not end in so many nodes, the engine goes on with its cuts.
            if !has_branched && self.rounds.bound > (1.0 - CLOSE) * cost {
                has_branched = true;
                self.branch(best, u64::from(most_nodes / ENGINE_NODES))?;
                continue;
            }
            // No search takes more than half of what is left.
            let terms = self.rounds.master.terms().max(1);
            let nodes = (budget.node_terms / 2 / terms).saturating_sub(ROOT);
            if nodes == 0 {
                break;
            }
            budget.nodes = most_nodes.min(nodes.try_into().unwrap_or(u32::MAX));
            budget.node_terms -= (u64::from(budget.nodes) + ROOT) * terms;
            let before = self.rounds.bound;
            let Some((withheld, ended)) = self.cheapest(best, cost, budget, reach)? else { break };
            if self.is_proven(cost) {
                break;
            }
            // The engine keeps its share of the time; what follows takes as long as it takes.
            let left = (self.context.seconds_left)();
            let mut grown = withheld.clone();
            let pattern = self.pattern(best, &withheld);
            let known = self.tables(&best.witnesses, &pattern);
            let added = self.rounds.cut_off(&mut grown, &known)?;
            let mut learnt = added > 0;
            if added > 0 {
                let grown = (grown != withheld).then(|| self.pattern(best, &grown));
                let patterns: Vec<&Pattern> = grown.iter().chain([&pattern]).collect();
                self.improve(best, &patterns)?;
            } else {
                match self.judge(&pattern)? {
                    Verdict::Safe(witnesses) => {
                        learnt = self.cost(&pattern) < cost * (1.0 - EQUAL);
                        if learnt {
                            *best = Best { pattern, witnesses };
                        }
                    }
                    Verdict::Exposed { news } => learnt = news,
                }
            }
            reach = match (reach, ended) {
                (Reach::All, Ended::Finished) if !learnt => break,
                (Reach::All, Ended::Finished | Ended::Nearly) => {
                    if !learnt && self.rounds.bound <= before {
                        break;
                    }
                    Reach::All
                }
                (Reach::All, Ended::Stopped) => Reach::Near(NEAR),
                (Reach::Near(distance), _) if learnt => Reach::Near(distance),
                (Reach::Near(distance), _) if distance < FURTHEST => Reach::Near(distance * 2),
                (Reach::Near(_), _) => Reach::All,
            };
            if reach != Reach::All && search % SEARCHES_PER_ROUND == 0 {
                self.rounds.round()?;
            }
            self.note(left);
        }
        Ok(())
    }

    /// The cheapest whole pattern under the cuts within reach, and how the search ended; `None` if none was found.
    fn cheapest(
        &mut self,
        best: &Best,
        cost: f64,
        budget: Budget,
        reach: Reach,
    ) -> Result<Option<(Vec<bool>, Ended)>, SuppressError> {
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
        let start: Vec<f64> =
            master.positions().iter().map(|at| f64::from(u8::from(known(at)))).collect();
        if let Reach::Near(distance) = reach {
            ball(&mut model, &start, distance);
        }
        let mut session = self.context.engine.open(&model)?;
        let within =
            start.iter().zip(&model.columns).map(|(value, column)| value.min(column.upper));
        session.start(&within.collect::<Vec<f64>>())?;
        let share = if reach == Reach::All { SEARCHING } else { SEARCHING_NEAR };
        let seconds = (self.context.seconds_left)().map(|left| (left * share).max(0.1));
        // While much is open, a pattern that is nearly the cheapest gives cuts as good and takes less.
        let open = 1.0 - self.rounds.bound / cost;
        let gap = if open < TIGHT { 0.0 } else { EARLY * open };
        let limits = Limits { nodes: Some(budget.nodes), seconds, gap, ..Limits::default() };
        let (solution, bound, ended) = match session.solve(&limits)? {
            Outcome::Optimal(solution) => {
                let bound = solution.objective * (1.0 - gap);
                (solution, bound, if gap > 0.0 { Ended::Nearly } else { Ended::Finished })
            }
            Outcome::Incumbent(solution, bound) => (solution, bound, Ended::Stopped),
            Outcome::Infeasible if reach == Reach::All => {
                self.rounds.bound = self.rounds.bound.max(cost);
                return Ok(None);
            }
            Outcome::Infeasible | Outcome::Unbounded | Outcome::Stopped => return Ok(None),
        };
        if reach == Reach::All {
            let bound = (bound * self.rounds.master.scale * (1.0 - SEARCHED)).min(cost);
            self.rounds.bound = self.rounds.bound.max(bound);
        }
        let mut withheld: Vec<bool> = system.free.iter().map(|free| !free).collect();
        for (&at, value) in self.rounds.master.positions().iter().zip(&solution.columns) {
            withheld[at as usize] |= *value > 0.5;
        }
        Ok(Some((withheld, ended)))
    }

    /// The best pattern with the cells of this component as given.
    pub(super) fn pattern(&self, best: &Best, withheld: &[bool]) -> Pattern {
        let mut pattern = best.pattern.clone();
        for (cells, withheld) in self.rounds.system.members.iter().zip(withheld) {
            for &cell in cells.iter().filter(|&&cell| self.problem.status(cell) == Status::Free) {
                if *withheld {
                    pattern.withhold(cell, Why::Secondary);
                } else {
                    pattern.give_back(cell);
                }
            }
        }
        pattern
    }

    /// The witnesses that hold for a pattern too, as moves of cells of this component.
    pub(super) fn tables(&self, witnesses: &[Witness], pattern: &Pattern) -> Vec<Table> {
        let system = self.rounds.system;
        let holds =
            |witness: &&Witness| witness.moves.iter().all(|&(cell, _)| pattern.is_withheld(cell));
        let moves = |witness: &Witness| {
            let unit = f64::from(witness.denominator);
            let moves = witness.moves.iter();
            let mut moves: Table = moves
                .filter_map(|&(cell, step)| Some((system.position(cell)?, step as f64 / unit)))
                .collect();
            moves.sort_unstable_by_key(|&(at, _)| at);
            moves.dedup_by_key(|&mut (at, _)| at);
            moves
        };
        witnesses.iter().filter(holds).map(moves).collect()
    }

    /// Attacks a pattern that reaches all levels so far. What it exposes becomes levels and cuts.
    pub(super) fn judge(&mut self, pattern: &Pattern) -> Result<Verdict, SuppressError> {
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
            self.rounds.cut_off(&mut withheld, &[])?;
        }
        Ok(Verdict::Exposed { news })
    }
}

/// Allows only patterns that differ from a given one in at most `distance` cells (*local branching*).
fn ball(model: &mut Model, centre: &[f64], distance: u32) {
    let terms = (0..).zip(centre).map(|(column, &x)| (column, 1.0 - 2.0 * x)).collect();
    let ones = centre.iter().sum::<f64>();
    model.row(terms, f64::NEG_INFINITY, f64::from(distance) - ones);
}

/// Among which patterns to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    All,
    /// Those that differ from the best one in at most so many cells.
    Near(u32),
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// With the cheapest pattern under the cuts.
    Finished,
    /// With one that is nearly the cheapest, as asked for.
    Nearly,
    /// Because the time or the work was used up.
    Stopped,
}

/// In how many cells patterns may differ from the best one at first, and at most.
const NEAR: u32 = 24;
const FURTHEST: u32 = 200;

/// What the engine does before its first branch is worth so many nodes.
const ROOT: u64 = 100;

/// Searches near the best pattern for each round of cuts.
const SEARCHES_PER_ROUND: usize = 4;

/// The share of the time that is left that one search may take, among all patterns or near the best one.
const SEARCHING: f64 = 0.3;
const SEARCHING_NEAR: f64 = 0.1;

/// Which part of the gap a search may leave open, and the gap from which on it may leave none.
const EARLY: f64 = 0.2;
const TIGHT: f64 = 2e-3;

/// From this gap on branch and cut closes the rest: the engine would begin anew after every pattern it finds.
const CLOSE: f64 = 0.04;

/// A node of branch and cut, with its cuts, is worth this many of the engine.
const ENGINE_NODES: u32 = 4;

/// What the engine's bound of a search for whole patterns may be off by, as a share.
const SEARCHED: f64 = 1e-9;

pub(super) enum Verdict {
    Safe(Vec<Witness>),
    /// Whether levels are missed that nobody knew of.
    Exposed {
        news: bool,
    },
}
