//! Tables that meet many needs at once.

use crate::component::Component;
use crate::dimension::Dimensions;
use crate::group::{Wanted, lot, meet_many};
use crate::lattice::Lattice;
use crate::ledger::Ledger;
use crate::local::Around;
use crate::propagate::{NO_LIMIT, Room, slot};
use crate::shortage::is_priced_out;
use crate::slab::Slabs;
use crate::spread::{Goal, Spread};
use cellveil_core::{CellId, Incidence, Problem, Side, Witness};
use cellveil_lp::EngineError;
use rayon::prelude::*;

/// Programs for many needs at once are worth it from this many on, and this often.
const GROUP: usize = 8;
const GROUP_ROUNDS: u32 = 4;

/// Rounds of tables in which all cells move, and the work for all of them: cells times tables.
const SPREADS: u32 = 20;
const WORK: usize = 14_000_000;

/// The same in other than three dimensions: there nothing shows that a cell is out of reach, and every table takes longer.
const WORK_IN_ANY: usize = 100_000;

/// …and where there are fewer ways to move than this, most goals contradict each other.
const WAYS: usize = 30;

/// Rounds that may meet nothing, one after the other.
const IDLE: u32 = 3;

/// One need in so many is left for other means.
const FEW: usize = 250;

/// Needs are divided into this many groups at most.
const PARTS: usize = 64;

/// Tables in which all cells move, as long as they meet needs; where there are no insiders, each of whom wants tables of its own.
///
/// The fewer needs at once, the further each of them gets: groups become smaller when few needs are met. Gives back the cells that are
/// shown not to get far enough.
pub(crate) fn by_spreading(
    problem: &Problem,
    incidence: &Incidence,
    component: &Component,
    ledger: &mut Ledger<'_>,
    needs: &[usize],
) -> Vec<CellId> {
    let mut open = wanted(problem, component, ledger, needs);
    let mut short: Vec<u32> = Vec::new();
    if open.is_empty() || !problem.insiders().is_empty() {
        return Vec::new();
    }
    let dimensions = Dimensions::of(problem, incidence, component);
    if dimensions.is_none() && problem.len() > ANY {
        return Vec::new();
    }
    let Some(table) = Spreading::new(component, dimensions.as_ref()) else { return Vec::new() };
    open.retain(|need| table.spread().moves(need.at));
    let all = open.len();
    let (mut parts, mut work, mut idle) = (1, 0, 0);
    for round in 0..SPREADS {
        let groups = drawn(&open, round, parts);
        work += groups.len() * component.cells.len();
        if open.is_empty() || work > table.most_work() {
            break;
        }
        let found: Vec<(Option<Witness>, bool)> =
            groups.par_iter().map(|goals| table.towards(problem, component, goals)).collect();
        for (goals, (witness, falls_short)) in groups.iter().zip(found) {
            short.extend(goals.iter().map(|goal| goal.0).filter(|_| falls_short));
            witness.map(|witness| ledger.add(witness));
        }
        let before = open.len();
        open = wanted(problem, component, ledger, needs);
        open.retain(|need| table.spread().moves(need.at) && !short.contains(&need.at));
        idle = if open.len() == before { idle + 1 } else { 0 };
        // Once every need has tables of its own, they are the same in every round.
        let patience = if parts >= open.len() { 1 } else { IDLE };
        if idle == patience || open.len() * FEW < all {
            break;
        }
        if open.len() * 3 > before * 2 {
            parts = (parts * 2).min(PARTS);
        }
    }
    short.into_iter().map(|at| component.cells[at as usize]).collect()
}

/// How a component is spread over, and what makes tables exact.
enum Spreading<'a> {
    /// Three dimensions: trees of slabs.
    Three { spread: Spread, dimensions: &'a Dimensions, slabs: Slabs<'a> },
    /// Any other: relations solved in whole numbers.
    Any { spread: Spread, lattice: Lattice },
}

impl<'a> Spreading<'a> {
    /// `None` if relations are too many to be solved, or leave few ways to move.
    fn new(component: &'a Component, dimensions: Option<&'a Dimensions>) -> Option<Self> {
        if let Some(dimensions) = dimensions {
            let slabs = Slabs::new(component, dimensions)?;
            let spread = Spread::in_three(component, dimensions, |at| slabs.is_stuck(at));
            return Some(Self::Three { spread, dimensions, slabs });
        }
        let spread = Spread::in_any(component);
        let movable = |row: &Vec<(u32, i32)>| -> Vec<(u32, i32)> {
            row.iter().filter(|(at, _)| spread.moves(*at)).copied().collect()
        };
        let rows: Vec<Vec<(u32, i32)>> = component.rows.iter().map(movable).collect();
        let rank = |at: u32| {
            let [down, up] = component.rooms[at as usize];
            u8::from(down.min(up) < ROOMY)
        };
        let lattice = Lattice::new(rows.iter().map(Vec::as_slice), component.cells.len(), rank)?;
        let moving = (0..component.cells.len() as u32).filter(|&at| spread.moves(at)).count();
        (moving >= lattice.rank() + WAYS).then_some(Self::Any { spread, lattice })
    }

    fn spread(&self) -> &Spread {
        match self {
            Self::Three { spread, .. } | Self::Any { spread, .. } => spread,
        }
    }

    fn most_work(&self) -> usize {
        match self {
            Self::Three { .. } => WORK,
            Self::Any { .. } => WORK_IN_ANY,
        }
    }

    /// A table that leads towards some goals, and whether they are shown to be out of reach.
    fn towards(
        &self,
        problem: &Problem,
        component: &Component,
        goals: &[Goal],
    ) -> (Option<Witness>, bool) {
        let (moves, prices) = self.spread().towards(goals);
        match self {
            Self::Three { slabs, dimensions, .. } => {
                // Less than a width asks of one side may do if the other goes further: only levels are final.
                let is_level = |&(at, side, level): &Goal| {
                    let need = problem.needs().of(component.cells[at as usize]);
                    need.is_some_and(|need| level <= need.on(side))
                };
                let falls_short = |goal: &Goal| {
                    is_level(goal) && is_priced_out(component, dimensions, &prices, *goal)
                };
                let alone = goals.len() == 1;
                (slabs.exact(problem, &moves), alone && goals.iter().all(falls_short))
            }
            Self::Any { lattice, .. } => (exact(problem, component, lattice, &moves), false),
        }
    }
}

/// The nearest table in whole units, or in parts of them, that keeps all bounds.
fn exact(
    problem: &Problem,
    component: &Component,
    lattice: &Lattice,
    moves: &[f64],
) -> Option<Witness> {
    let grids = if problem.is_whole() { &GRIDS[..1] } else { &GRIDS };
    grids.iter().find_map(|&grid| {
        let steps = lattice.near(moves.iter().map(|by| by * f64::from(grid)).collect())?;
        let fits = |(&step, &[down, up]): (&i64, &Room)| {
            let room = if step < 0 { down } else { up };
            room == NO_LIMIT || i128::from(step).abs() <= i128::from(room) * i128::from(grid)
        };
        let all_fit = steps.iter().zip(&component.rooms).all(fits);
        let moved = component.cells.iter().copied().zip(steps);
        let moves = moved.filter(|&(_, step)| step != 0).collect();
        all_fit.then_some(Witness { denominator: grid, moves })
    })
}

/// The steps into which a unit is divided where relations are solved in whole numbers, in turn.
const GRIDS: [u32; 2] = [1, 1 << 20];

/// Cells that can move so far, in units, are solved for first.
const ROOMY: i64 = 100;

/// Tables with more cells are not solved in whole numbers: it takes long, and they have quicker means.
const ANY: usize = 20_000;

/// Groups of goals: every need with a side drawn by lot in one group, and with the other side in another.
fn drawn(wanted: &[Wanted], round: u32, parts: usize) -> Vec<Vec<Goal>> {
    let mut groups = vec![Vec::new(); 2 * parts];
    for (number, need) in wanted.iter().enumerate() {
        let turned = usize::from(lot(need.at, round));
        for side in Side::BOTH {
            if let Some(level) = need.levels[slot(side)] {
                groups[2 * (number % parts) + (slot(side) ^ turned)].push((need.at, side, level));
            }
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Programs for many needs at once, as long as they meet a good part of them.
pub(crate) fn in_groups(
    around: &Around<'_>,
    ledger: &mut Ledger<'_>,
    needs: &[usize],
) -> Result<(), EngineError> {
    let Around { problem, incidence, component, engine, .. } = *around;
    for round in 0..GROUP_ROUNDS {
        let wanted = wanted(problem, component, ledger, needs);
        if wanted.len() < GROUP {
            return Ok(());
        }
        let found = meet_many(problem, incidence, component, engine, &wanted, round)?;
        let mut useful = false;
        for witness in found {
            useful |= ledger.add(witness);
        }
        if !useful {
            return Ok(());
        }
    }
    Ok(())
}

/// What is open, as far as there is room for it.
fn wanted(
    problem: &Problem,
    component: &Component,
    ledger: &Ledger<'_>,
    needs: &[usize],
) -> Vec<Wanted> {
    let open = needs.iter().filter_map(|&need| {
        let at = component.position(problem.needs()[need].cell)?;
        let levels = Side::BOTH.map(|side| {
            ledger
                .wanted(need, side, None)
                .filter(|&level| component.room(at, side).is_none_or(|room| room >= level))
        });
        (levels != [None, None]).then_some(Wanted { at, levels })
    });
    open.collect()
}
