//! Rounds of cuts for one component: the cheapest fractional pattern, the levels it misses, cuts against it, again.

use super::cuts::{Capacity, of_lone_cells, of_one_relation, strongest};
use super::level::{Level, System};
use super::master::{Master, Relaxed};
use super::patches::Patches;
use super::separate::{Answer, View, Watched};
use crate::method::Context;
use cellveil_lp::EngineError;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The state of the rounds.
pub(super) struct Rounds<'a> {
    pub(super) system: &'a System<'a>,
    pub(super) context: &'a Context<'a>,
    pub(super) master: Master<'a>,
    pub(super) levels: Vec<Watched>,
    /// No safe pattern costs less in this component.
    pub(super) bound: f64,
    /// The last fractional pattern.
    pub(super) relaxed: Option<Relaxed>,
    /// Programs times the terms of their relations so far.
    pub(super) work: usize,
    /// Where levels are small compared with cells: the patches of the table, whose cuts forbid what cheapest patterns do not do; elsewhere capacity cuts do that and more.
    patches: Option<Patches>,
    round: usize,
    /// The level that the next round begins with.
    next: usize,
}

/// How a round ended.
pub(super) enum Round {
    /// With so many new cuts.
    Added(usize),
    /// No pattern is safe.
    Infeasible,
}

/// Levels that are looked at side by side, after which all learn what the others found. Fixed, so that the cuts do not depend on
/// the number of threads.
pub(super) const TOGETHER: usize = 8;

/// A round looks at so many levels at most, and the next one goes on from there.
const AT_ONCE: usize = 256;

/// Cells that are not withheld at all take part with this share, so that cuts avoid the cheap ones among them.
const TRACE: f64 = 1e-3;

/// What a cell may cost to take part with half of [`TRACE`], in average costs.
pub(super) const CHEAP: f64 = 0.1;

/// Cells dearer than this many times that do not take part.
const NOT_CHEAP: f64 = 5.0;

/// Relations broken by less, as a share of the level, are not worth taking in while the pattern is fractional.
pub(super) const BROKEN: f64 = 20.0 * TRACE;

/// A level that takes relations of more terms to decide is left alone while the pattern is fractional.
pub(super) const TERMS: usize = 4000;

/// With more levels than this their programs are not kept from round to round.
const KEPT: usize = 800;

/// How often levels that all cells without a price reach are tried with all of them again.
const RETRY: usize = 4;

/// Prices below this many average costs are nothing.
const NOTHING: f64 = 1e-9;

impl<'a> Rounds<'a> {
    pub(super) fn new(
        system: &'a System<'a>,
        levels: Vec<Level>,
        patches: Option<Patches>,
        context: &'a Context<'a>,
    ) -> Result<Self, EngineError> {
        let mut rounds = Self {
            patches,
            system,
            context,
            master: Master::new(system, context.engine),
            levels: Vec::new(),
            bound: 0.0,
            relaxed: None,
            work: 0,
            round: 0,
            next: 0,
        };
        let levels: BTreeSet<Level> = levels.into_iter().collect();
        for level in levels {
            rounds.take_in(level)?;
        }
        rounds.sort();
        Ok(rounds)
    }

    /// Lets the next round of patches look longer for the best split.
    pub(super) fn be_patient(&mut self) {
        self.patches.iter_mut().for_each(Patches::be_patient);
    }

    /// One round at what the patches say, where there are any, without the program of all cuts. Says how many cuts that gave.
    pub(super) fn round_of_patches(&mut self) -> Result<usize, EngineError> {
        let patches = self.patches.take_if(|patches| !patches.is_empty());
        let Some(mut patches) = patches else { return Ok(0) };
        for cut in &self.master.cuts {
            patches.cover(cut);
        }
        let split = patches.split(self.context);
        self.patches = Some(patches);
        self.bound = self.bound.max(split.bound);
        if split.point.is_empty() {
            return Ok(0);
        }
        let reduced = vec![0.0; self.system.len()];
        self.separate(&Relaxed { point: split.point, bound: split.bound, reduced })
    }

    /// Takes a level in, with the cuts that single relations give. Says whether it is new.
    pub(super) fn watch(&mut self, level: Level) -> Result<bool, EngineError> {
        if self.levels.iter().any(|watched| watched.level == level) {
            return Ok(false);
        }
        self.take_in(level)?;
        self.sort();
        Ok(true)
    }

    fn take_in(&mut self, level: Level) -> Result<(), EngineError> {
        for cut in of_one_relation(self.system, &level).iter().filter_map(|c| c.cut(|_| false)) {
            self.master.add(cut)?;
        }
        self.levels.push(Watched::new(self.system, level));
        Ok(())
    }

    /// Large levels first.
    fn sort(&mut self) {
        self.levels.sort_by(|a, b| {
            b.level.target.cmp(&a.level.target).then_with(|| a.level.cmp(&b.level))
        });
    }

    /// How many rounds it takes to look at every level.
    pub(super) fn per_pass(&self) -> usize {
        self.levels.len().div_ceil(AT_ONCE).max(1)
    }

    /// Makes the next rounds look at every level; says whether some were left alone.
    pub(super) fn wake(&mut self) -> bool {
        let woken = self.levels.iter_mut().map(Watched::wake).filter(|&woken| woken);
        woken.count() > 0
    }

    /// One round.
    pub(super) fn round(&mut self) -> Result<Round, EngineError> {
        let Some(relaxed) = self.master.solve((self.context.seconds_left)())? else {
            return Ok(Round::Infeasible);
        };
        self.bound = self.bound.max(relaxed.bound);
        let added = self.separate(&relaxed)?;
        self.relaxed = Some(relaxed);
        Ok(Round::Added(added))
    }

    /// Cuts against a fractional pattern; says how many were added.
    pub(super) fn separate(&mut self, relaxed: &Relaxed) -> Result<usize, EngineError> {
        self.round += 1;
        let mut prices = Prices::new(self.system, relaxed, self.master.scale);
        let shares = prices.shares(Some(&relaxed.point));
        let view = View { cap: 1.0, terms: TERMS, broken: BROKEN };
        let (engine, context) = (self.context.engine, self.context);
        let retry = (self.round / self.per_pass()).is_multiple_of(RETRY);
        let mut levels = std::mem::take(&mut self.levels);
        let from = self.next.min(levels.len());
        let to = levels.len().min(from + AT_ONCE);
        self.next = if to == levels.len() { 0 } else { to };
        let keep = levels.len() <= KEPT;
        let mut added = 0;
        if self.patches.is_some() {
            for cut in of_lone_cells(self.system, &relaxed.point) {
                added += usize::from(self.master.add(cut)?);
            }
        }
        let mut awake: Vec<&mut Watched> =
            levels[from..to].iter_mut().filter_map(|w| w.is_awake().then_some(w)).collect();
        for together in awake.chunks_mut(TOGETHER) {
            if self.context.is_over() {
                break;
            }
            let all = prices.shares(None);
            let answers: Result<Vec<(Answer, usize)>, EngineError> = together
                .par_iter_mut()
                .map(|watched| {
                    if context.is_over() {
                        return Ok((Answer::Asleep, 0));
                    }
                    let mut before = 0;
                    if watched.deep || retry {
                        let (answer, work) = watched.separate(self.system, &all, view, engine)?;
                        watched.deep = matches!(answer, Answer::Held(_));
                        if watched.deep || context.is_over() {
                            return Ok((answer, work));
                        }
                        before = work;
                    }
                    let (answer, work) = watched.separate(self.system, &shares, view, engine)?;
                    Ok((answer, before + work))
                })
                .collect();
            for ((answer, work), watched) in answers?.into_iter().zip(together) {
                self.work += work;
                if !keep {
                    watched.unload();
                }
                let before = added;
                if let Answer::Held(capacity) = &answer {
                    if watched.deep {
                        prices.pay(capacity);
                    }
                    for cut in strongest(capacity, &relaxed.point) {
                        added += usize::from(self.master.add(cut)?);
                    }
                }
                if !matches!(answer, Answer::Asleep) {
                    watched.note(added > before);
                }
            }
        }
        self.levels = levels;
        Ok(added)
    }
}

/// The share with which a cell takes part that is not withheld.
pub(super) fn trace(price: f64, cheap: f64) -> f64 {
    if price > NOT_CHEAP * cheap { 0.0 } else { TRACE * cheap / (cheap + price) }
}

/// What cells cost beyond what the cuts found so far make them pay.
struct Prices {
    left: Vec<f64>,
    scale: f64,
}

impl Prices {
    fn new(system: &System<'_>, relaxed: &Relaxed, scale: f64) -> Self {
        let left = (0..system.len()).map(|at| {
            let paid = !system.free[at] || relaxed.point[at] > NOTHING;
            if paid { 0.0 } else { relaxed.reduced[at] }
        });
        let left = left.map(|price| if price < NOTHING * scale { 0.0 } else { price });
        Self { left: left.collect(), scale }
    }

    /// Cells whose price is paid take part fully, or as far as a point withholds them; all others with a trace.
    fn shares(&self, point: Option<&[f64]>) -> Vec<f64> {
        let cheap = CHEAP * self.scale;
        let share = |(at, &price): (usize, &f64)| {
            let trace = trace(price, cheap);
            match point {
                Some(point) => point[at].max(trace),
                None if price <= 0.0 => 1.0,
                None => trace,
            }
        };
        self.left.iter().enumerate().map(share).collect()
    }

    /// Lets the cells of a cut pay for it, until the first has nothing left.
    fn pay(&mut self, capacity: &Capacity) {
        let Some(cut) = capacity.cut(|_| false) else { return };
        let worth = cut.terms.iter().map(|&(at, c)| self.left[at as usize] / c);
        let price = worth.fold(f64::INFINITY, f64::min);
        if price > 0.0 && price.is_finite() {
            for &(at, c) in &cut.terms {
                let left = &mut self.left[at as usize];
                *left -= price * c;
                if *left < NOTHING * self.scale {
                    *left = 0.0;
                }
            }
        }
    }
}
