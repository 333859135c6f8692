//! The optimal method: the cheapest pattern there is, or a good one and how far from the cheapest it may be.
//!
//! Every safe pattern satisfies the capacity cuts of every sensitive cell (Fischetti and Salazar): whatever calculation an intruder
//! makes, the withheld cells in it must leave enough room. The cheapest pattern under some cuts is a lower bound; what it misses
//! gives more cuts (Benders decomposition). Components have nothing to do with each other and are solved one by one.

mod ascent;
mod branch;
mod cuts;
mod equal;
mod flats;
mod flows;
pub(crate) mod heuristic;
mod level;
mod master;
mod mincut;
mod needed;
mod patches;
mod pipes;
mod program;
mod pseudo;
mod recombine;
mod rounds;
mod search;
mod separate;
mod span;
#[cfg(test)]
mod tests;
mod vicinity;
mod ways;
mod whole;

use crate::everything::everything;
use crate::in_time::InTime;
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use crate::small_levels::has_small_levels;
use ascent::ascent;
use cellveil_attack::{Component, Intervals, Network, Options, Reduced, attack, reduce};
use cellveil_core::{Bound, CellId, Exposure, Need, Pattern, Problem, Side, Status, Why, Witness};
use equal::Equal;
use flows::by_flows;
use level::{Level, System};
use mincut::{FEW, by_cuts};
use patches::Patches;
use rounds::Rounds;
use search::Search;
pub(crate) use search::{Best, Budget};

/// See the module's documentation and `proof.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Optimal;

/// What may be spent where no time limit is set.
const BUDGET: Budget =
    Budget { work: 20_000_000, nodes: 2_000, searches: 40, node_terms: 40_000_000 };

impl Protect for Optimal {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let best = heuristic::start(problem, context)?;
        from(problem, context, best, BUDGET)
    }
}

/// The cheapest pattern, or the best that is found from one that is known to be safe within a budget.
///
/// # Errors
/// [`SuppressError`] if the engine fails.
pub(crate) fn from(
    problem: &Problem,
    context: &Context<'_>,
    mut best: Best,
    budget: Budget,
) -> Result<Protected, SuppressError> {
    let exposed = exposed(problem, context)?;
    let engine = InTime(context);
    let context = &Context { engine: &engine, ..*context };
    let mut bound = problem.cost_of(&problem.start());
    for component in &everything(problem) {
        let equal = Equal::new(problem, component);
        let system = System::of_equal(problem, &equal);
        let levels = levels(problem, &system, &exposed);
        if levels.is_empty() {
            continue;
        }
        let ascended = ascent(&system, &levels);
        let small_levels = has_small_levels(problem);
        let patches = small_levels.then(|| patches(problem, &system, context));
        let rounds = Rounds::new(&system, levels, patches, context)?;
        let mut search = Search::new(problem, context, rounds);
        let ended = search.search(&mut best, budget, small_levels);
        unless_over(context, ended)?;
        bound += search.rounds.bound.max(ascended) + system.forced;
    }
    let cost = problem.cost_of(&best.pattern);
    Ok(Protected {
        bound: Bound { cost: whole(problem, bound).min(cost) },
        pattern: best.pattern,
        witnesses: best.witnesses,
        method: Method::Optimal,
    })
}

/// A search that the end of the time cuts short did not fail: what it found before stands.
fn unless_over(
    context: &Context<'_>,
    ended: Result<(), SuppressError>,
) -> Result<(), SuppressError> {
    match ended {
        Err(SuppressError::Engine(_) | SuppressError::Attack(_)) if context.is_over() => Ok(()),
        ended => ended,
    }
}

/// With more levels than this there are no rounds of cuts: their first program would take minutes.
const MANY: usize = 20_000;

/// No safe pattern costs less than this, whatever method it is from. Rounds of cuts end when `work` is used up, in programs times
/// terms of relations, when the time is, or when the gap of a known pattern is small enough: what is known then is a bound.
///
/// # Errors
/// [`SuppressError`] if the engine fails.
pub fn lower_bound(
    problem: &Problem,
    context: &Context<'_>,
    known: Option<&Pattern>,
    work: usize,
) -> Result<Bound, SuppressError> {
    let exposed = exposed(problem, context)?;
    let engine = InTime(context);
    let context = &Context { engine: &engine, ..*context };
    let mut cost = problem.cost_of(&problem.start());
    for component in &everything(problem) {
        let equal = Equal::new(problem, component);
        let system = System::of_equal(problem, &equal);
        let levels = levels(problem, &system, &exposed);
        if levels.is_empty() {
            continue;
        }
        let ascended = ascent(&system, &levels);
        if levels.len() > MANY {
            cost += ascended + system.forced;
            continue;
        }
        let patches = has_small_levels(problem).then(|| patches(problem, &system, context));
        let rounds = Rounds::new(&system, levels, patches, context)?;
        let mut search = Search::new(problem, context, rounds);
        let ended = search.cut_by_patches(known);
        let ended = ended.and_then(|()| search.cut(known, work, (context.seconds_left)()));
        unless_over(context, ended.map(|_| ()))?;
        cost += search.rounds.bound.max(ascended) + system.forced;
    }
    let cost = whole(problem, cost);
    Ok(Bound { cost: known.map_or(cost, |known| cost.min(problem.cost_of(known))) })
}

/// The part of [`lower_bound`] that takes no program and time in proportion to the relations, whatever the size of the table.
pub fn linear_bound(problem: &Problem) -> Bound {
    let exposed = beyond_room(problem, &reduce(problem, &problem.start()));
    let mut cost = problem.cost_of(&problem.start());
    for component in &everything(problem) {
        let system = System::new(problem, component);
        cost += ascent(&system, &levels(problem, &system, &exposed));
    }
    Bound { cost: whole(problem, cost) }
}

/// A bound of a table that is a network, and tables that together reach every level at little more than that; `None` of any other table.
///
/// # Errors
/// [`SuppressError`] if the engine fails.
pub(crate) fn of_network(
    problem: &Problem,
    context: &Context<'_>,
) -> Result<Option<(f64, Vec<Witness>)>, SuppressError> {
    let components = everything(problem);
    let has_needs = |component: &&Component| {
        component.cells.iter().any(|&cell| problem.needs().of(cell).is_some())
    };
    let parts: Option<Vec<(&Component, Network)>> = components
        .iter()
        .filter(has_needs)
        .map(|component| Some((component, Network::of(component)?)))
        .collect();
    let Some(parts) = parts else { return Ok(None) };
    // An attack on a network takes flows, no programs, whatever its size.
    let exposed = attacked(problem, context)?;
    let (mut bound, mut witnesses) = (problem.cost_of(&problem.start()), Vec::new());
    for (component, network) in parts {
        let system = System::new(problem, component);
        let levels = levels(problem, &system, &exposed);
        if levels.is_empty() {
            continue;
        }
        let (paid, found) = if levels.len() <= FEW {
            by_cuts(&system, &network, &levels, context)?
        } else {
            by_flows(&system, &network, &levels, context)
        };
        bound += paid;
        witnesses.extend(found);
    }
    Ok(Some((bound, witnesses)))
}

/// The pattern in which all cells are withheld that some tables move.
pub(crate) fn with_moved(problem: &Problem, witnesses: &[Witness]) -> Pattern {
    let mut pattern = problem.start();
    for &(cell, _) in witnesses.iter().flat_map(|witness| &witness.moves) {
        if problem.status(cell) == Status::Free {
            pattern.withhold(cell, Why::Secondary);
        }
    }
    pattern
}

/// How far apart the costs of patterns are that are not the same, beyond rounding; 0 if that is not known.
fn step(problem: &Problem) -> f64 {
    let is_whole = problem.parts().costs.iter().all(|cost| cost.fract() == 0.0);
    if is_whole { 1.0 - 1e-6 } else { 0.0 }
}

/// Where every cell costs a whole number, so does every pattern.
fn whole(problem: &Problem, bound: f64) -> f64 {
    if step(problem) > 0.0 { bound.ceil() } else { bound }
}

/// Tables with more cells that are no networks are not attacked to find out what the sensitive cells leave exposed: what their room alone
/// shows is most of it, and takes no program.
const LARGE: usize = 20_000;

/// What is exposed when none but the sensitive cells are withheld, or most of it.
fn exposed(problem: &Problem, context: &Context<'_>) -> Result<Vec<Exposure>, SuppressError> {
    let at_least = || beyond_room(problem, &reduce(problem, &problem.start()));
    if problem.len() > LARGE {
        return Ok(at_least());
    }
    context.in_half_the_time(|soon| {
        match attacked(problem, &Context { engine: &InTime(soon), ..*soon }) {
            Err(_) if soon.is_over() => Ok(at_least()),
            found => found,
        }
    })
}

/// All that is exposed then.
fn attacked(problem: &Problem, context: &Context<'_>) -> Result<Vec<Exposure>, SuppressError> {
    let options = Options { intervals: Intervals::None };
    Ok(attack(problem, &problem.start(), context.engine, options, &[])?.audit.exposed)
}

fn levels(problem: &Problem, system: &System<'_>, exposed: &[Exposure]) -> Vec<Level> {
    exposed.iter().filter_map(|exposure| Level::new(problem, system, exposure)).collect()
}

/// The patches of a part of the table, in which no cell that needs protection may be computed.
fn patches(problem: &Problem, system: &System<'_>, context: &Context<'_>) -> Patches {
    let asks = |need: &Need| need.down > 0 || need.up > 0 || need.sliding > 0;
    let needs = |cell: &CellId| problem.needs().of(*cell).is_some_and(asks);
    let hidden: Vec<bool> = system.members.iter().map(|cells| cells.iter().any(needs)).collect();
    Patches::new(system, &hidden, context)
}

/// The needs that ask for more than the room of their cell.
fn beyond_room(problem: &Problem, reduced: &Reduced) -> Vec<Exposure> {
    let mut rooms: Vec<[Option<i64>; 2]> = vec![[Some(0); 2]; problem.len()];
    for component in &reduced.components {
        for (at, cell) in component.cells.iter().enumerate() {
            rooms[cell.index()] = Side::BOTH.map(|side| component.room(at as u32, side));
        }
    }
    let mut exposed = Vec::new();
    for need in problem.needs() {
        let [down, up] = rooms[need.cell.index()];
        let exposure = |side| Exposure { cell: need.cell, side, singleton: None };
        let before = exposed.len();
        if down.is_some_and(|room| room < need.down) {
            exposed.push(exposure(Some(Side::Down)));
        }
        if up.is_some_and(|room| room < need.up) {
            exposed.push(exposure(Some(Side::Up)));
        }
        let width = down.zip(up).map(|(down, up)| down.saturating_add(up));
        if exposed.len() == before && width.is_some_and(|width| width < need.sliding) {
            exposed.push(exposure(None));
        }
    }
    exposed
}
