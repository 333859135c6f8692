//! Controlled tabular adjustment: the nearest additive table in which every sensitive cell is far enough from the truth.

mod blocks;
mod branch;
mod descent;
mod settle;
mod squares;
mod start;
mod subtables;
mod two_ways;
mod whole;

pub(crate) use settle::settle_for_less;
pub(crate) use squares::find_squares;
pub(crate) use start::other;
pub(crate) use whole::find_whole;

use crate::context::Context;
use crate::program::{Answer, Point, Program, Sense};
use crate::random::Random;
use crate::task::{Senses, Task};
use crate::{AdjustError, Search};
use cellveil_core::Side;
use cellveil_lp::Limits;

/// The best table so far.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    pub(crate) senses: Senses,
    pub(crate) point: Point,
}

/// A search for senses in the norm of absolute values.
pub(crate) struct Descent<'a> {
    task: &'a Task<'a>,
    context: &'a Context<'a>,
    /// For chosen senses.
    program: Program<'a>,
    /// For open senses.
    tight: Program<'a>,
    random: Random,
    best: Option<Best>,
    /// No table costs less.
    bound: f64,
    /// The prices of the relations in the relaxation.
    prices: Vec<f64>,
}

/// The share of the time that a search leaves, so that what it finds can still be brought home.
const LEFT_OVER: f64 = 0.03;
/// The most nodes of the search for the optimum when there is neither a time limit nor an order to go to the end.
const NODES: u32 = 2_000;
/// Up to so many sensitive cells, the search for the optimum is quicker than descent (measured on hierarchical tables of 2000
/// cells).
const FEW: usize = 400;
/// The most tables that turning senses round one by one or two by two may take, and its share of the time.
const TURNS: usize = 2_000;
const POLISH_SHARE: f64 = 0.1;
/// The share of the time that goes to descent before the search for the optimum.
const DESCENT_SHARE: f64 = 0.5;

/// Finds senses and moves, and a bound below which no cost lies.
///
/// # Errors
/// [`AdjustError`] if there is no table, or none was found in time.
pub(crate) fn find(
    task: &Task<'_>,
    search: Search,
    context: &Context<'_>,
) -> Result<(Best, f64), AdjustError> {
    if task.weights.contains(&0.0)
        && search != Search::Exact
        && let Some(free) = for_nothing(task, context)?
    {
        return Ok((free, 0.0));
    }
    if task.origin.is_none()
        && task.weights.len() >= subtables::LARGE
        && search == Search::Auto
        && let Some(found) = subtables::find_by_subtables(task, context)?
    {
        return Ok(found);
    }
    let mut descent = Descent::new(task, context);
    descent.run(search)?;
    let bound = descent.bound;
    descent.best.map(|best| (best, bound)).ok_or(AdjustError::OutOfTime)
}

/// A table in which only cells move that may move for nothing: the optimum, if there is one.
fn for_nothing(task: &Task<'_>, context: &Context<'_>) -> Result<Option<Best>, AdjustError> {
    let still = task.without_cost();
    let Some(still) = still else { return Ok(None) };
    let mut descent = Descent::new(&still, context);
    match descent.run(Search::Start) {
        Ok(()) => Ok(descent.best),
        Err(AdjustError::Infeasible { .. } | AdjustError::OutOfTime) => Ok(None),
        Err(error) => Err(error),
    }
}

impl<'a> Descent<'a> {
    fn new(task: &'a Task<'a>, context: &'a Context<'a>) -> Self {
        Self {
            task,
            context,
            program: Program::new(task, None),
            tight: Program::tight(task, None),
            random: Random::new(context.seed),
            best: None,
            bound: 0.0,
            prices: Vec::new(),
        }
    }
}

impl Descent<'_> {
    fn run(&mut self, search: Search) -> Result<(), AdjustError> {
        match search {
            Search::Exact => return self.exact(None),
            Search::FixAndRelax => {
                self.relax()?;
                self.fix_and_relax()?;
            }
            _ => self.start()?,
        }
        if self.best.is_none() {
            // Neither the start nor its repair found a table: only the whole search can tell whether there is one.
            return self.exact(None);
        }
        let whole = self.context.left();
        match search {
            Search::Auto => {
                self.flips()?;
                let reserve = whole.map_or(0.0, |seconds| seconds * (1.0 - POLISH_SHARE));
                self.polish(TURNS, reserve)?;
                if self.task.sensitive.len() <= FEW && whole.is_some() && !self.is_done() {
                    return self.two_ways();
                }
                if self.task.sensitive.len() > FEW {
                    let kinds =
                        [blocks::Kind::Dynamic, blocks::Kind::Subtable, blocks::Kind::Random];
                    self.blocks(&kinds, whole.map(|seconds| seconds * (1.0 - DESCENT_SHARE)))?;
                }
                self.exact(Some(NODES).filter(|_| whole.is_none()))
            }
            Search::Blocks => self.blocks(&[blocks::Kind::Random], Some(0.0)),
            Search::Dynamic => self.blocks(&[blocks::Kind::Dynamic], Some(0.0)),
            Search::Subtables => self.blocks(&[blocks::Kind::Subtable], Some(0.0)),
            Search::Flips => {
                self.flips()?;
                self.polish(TURNS, 0.0)
            }
            Search::Exact | Search::Start | Search::FixAndRelax => Ok(()),
        }
    }

    /// Whether the best table is as good as was asked for.
    fn is_done(&self) -> bool {
        let gap = self.context.gap.max(1e-9);
        let near =
            |best: &Best| best.point.cost - self.bound <= gap * best.point.cost.abs() + 1e-12;
        self.best.as_ref().is_some_and(near)
    }

    fn limits(&self, nodes: Option<u32>) -> Limits {
        let seconds = self.context.left().map(|left| left * (1.0 - LEFT_OVER));
        Limits { nodes, seconds, gap: self.context.gap, ..Limits::default() }
    }

    /// Limits of one linear program.
    fn moment(&self) -> Limits {
        Limits { seconds: self.context.left(), ..Limits::default() }
    }

    /// The relaxation, which is a bound.
    fn relax(&mut self) -> Result<Point, AdjustError> {
        let open = vec![None; self.task.sensitive.len()];
        match self.tight.relax(self.context.engine, &open, &self.moment())? {
            Answer::Optimal(point) | Answer::Within(point, _) => {
                self.bound = self.bound.max(point.cost);
                self.prices.clone_from(&point.prices);
                Ok(point)
            }
            Answer::Infeasible => Err(crate::conflict::explain(self.task, self.context.engine)?),
            Answer::Stopped => Err(AdjustError::OutOfTime),
        }
    }

    /// Solves for given senses; keeps the table if it is the best. One that is worse need not be solved to the end.
    fn try_senses(&mut self, senses: &Senses) -> Result<Option<Point>, AdjustError> {
        let chosen: Vec<Sense> = senses.iter().copied().map(Some).collect();
        let cutoff = self.best.as_ref().map(|best| best.point.cost);
        let limits = Limits { cutoff, ..self.moment() };
        let Answer::Optimal(point) = self.program.relax(self.context.engine, &chosen, &limits)?
        else {
            return Ok(None);
        };
        if self
            .best
            .as_ref()
            .is_none_or(|best| point.cost < best.point.cost - 1e-12 * best.point.cost)
        {
            self.context.progress.step(point.cost, self.bound);
            self.best = Some(Best { senses: senses.clone(), point: point.clone() });
        }
        Ok(Some(point))
    }

    /// Searches the open senses from the best table on. Says whether the search came to its end.
    fn search(&mut self, senses: &[Sense], nodes: Option<u32>) -> Result<bool, AdjustError> {
        let best = self.best.clone();
        let cutoff = best.as_ref().map(|best| best.point.cost);
        let program = Program::new(self.task, cutoff);
        let whole = senses.iter().all(Option::is_none);
        // With few sensitive cells the engine finds better tables when it is not told of one (measured on tables of 2000 cells); what it
        // does not find is not lost.
        let told = best.as_ref().filter(|_| !whole || senses.len() > FEW);
        let start = told.map(|best| (&best.senses, best.point.moves.as_slice()));
        let answer =
            program.search(self.context.engine, senses, start, &self.limits(nodes), None)?;
        let (point, ended) = match answer {
            Answer::Optimal(point) => {
                if whole {
                    let best = self.best.as_ref().map_or(f64::INFINITY, |best| best.point.cost);
                    self.bound = self.bound.max(point.cost.min(best) * (1.0 - self.context.gap));
                }
                (point, true)
            }
            Answer::Within(point, bound) => {
                if whole {
                    self.bound = self.bound.max(bound);
                }
                (point, false)
            }
            Answer::Infeasible => return Ok(true),
            Answer::Stopped => return Ok(false),
        };
        let senses = senses_of(&point);
        self.try_senses(&senses)?;
        Ok(ended)
    }

    /// The search for the optimum.
    fn exact(&mut self, nodes: Option<u32>) -> Result<(), AdjustError> {
        if self.is_done() || self.context.is_over() {
            return Ok(());
        }
        let open = vec![None; self.task.sensitive.len()];
        let ended = self.search(&open, nodes)?;
        if ended && self.best.is_none() {
            return Err(crate::conflict::explain(self.task, self.context.engine)?);
        }
        Ok(())
    }
}

/// The senses of a point: the nearer level.
pub(crate) fn senses_of(point: &Point) -> Senses {
    point.swings.iter().map(|&swing| if swing >= 0.5 { Side::Up } else { Side::Down }).collect()
}
