//! The cheapest product of circuits, one per dimension, through a cell.
//!
//! Circuits are chosen dimension by dimension, best first. The cells that some circuits move together are among those that all move, so
//! what a partial product costs per unit only grows, and the first complete one is the cheapest of those that the circuits kept allow.

use super::circuit::{Circuit, Wanted, circuits, towards};
use super::queue::Queue;
use super::split::Variables;
use super::{Charge, Step};
use crate::grid::Grid;
use cellveil_core::CellId;

/// How many cells may be looked at, and in how many products end; where codes are grouped in several ways, every group moves along.
const WORK: usize = 12_000;
const WORK_ON_GROUPS: usize = 100_000;
const MOST_CORNERS: usize = 512;
const MOST_OF_GROUPS: usize = 4096;

/// Cells that move together, all by the same amount.
pub(super) struct Product {
    /// Cells, with 1 if they move with the first and −1 if against it.
    pub(super) corners: Vec<(CellId, i8)>,
    pub(super) charge: Charge,
}

struct Partial {
    charge: Charge,
    /// For how many dimensions a circuit is chosen.
    chosen: usize,
    /// The keys of the cells that move so far, with their signs.
    corners: Vec<(u64, i8)>,
}

/// The cheapest product found of circuits along some dimensions that lets a cell move as wanted.
pub(super) fn cheapest(
    grid: &Grid,
    variables: Variables,
    wanted: Wanted,
    step: &impl Step,
) -> Option<Product> {
    let charge = Charge { cost: 0.0, room: i64::MAX, corners: 0 };
    let charge = charge.with(step(wanted.cell, wanted.side))?;
    if charge.room < wanted.least {
        return None;
    }
    let mut sides: Vec<Vec<Circuit>> = Vec::new();
    for along in 0..grid.axes().len() {
        let is_part = variables >> along & 1 == 1;
        if !is_part || grid.axes()[along].lines_of(grid.place(wanted.cell)[along]).is_empty() {
            continue;
        }
        let found = circuits(grid, along, wanted, step);
        if found.is_empty() {
            return None;
        }
        sides.push(found);
    }
    // The dearest first: it says soonest what is not worth completing.
    let first_cost = |side: &Vec<Circuit>| side[0].charge.cost;
    sides.sort_by(|a, b| first_cost(b).total_cmp(&first_cost(a)));
    let mut to_come = vec![0.0; sides.len() + 1];
    for (at, side) in sides.iter().enumerate().rev() {
        let least = side.iter().map(|circuit| circuit.charge.cost).fold(f64::INFINITY, f64::min);
        to_come[at] = to_come[at + 1] + least;
    }
    let corners = vec![(grid.key(wanted.cell), 1)];
    let mut queue = Queue::default();
    queue.push(0.0, 0, Partial { charge, chosen: 0, corners });
    let (work, most_corners) =
        if grid.has_groups() { (WORK_ON_GROUPS, MOST_OF_GROUPS) } else { (WORK, MOST_CORNERS) };
    let (mut work, mut best) = (work, f64::INFINITY);
    while let Some(partial) = queue.pop() {
        if partial.chosen == sides.len() {
            let cell = |&(key, sign): &(u64, i8)| Some((grid.at(key)?, sign));
            let corners: Option<Vec<(CellId, i8)>> = partial.corners.iter().map(cell).collect();
            return Some(Product { corners: corners?, charge: partial.charge });
        }
        for circuit in &sides[partial.chosen] {
            if work == 0 {
                break;
            }
            let Some((charge, corners)) =
                multiplied(grid, &partial, circuit, wanted, step, most_corners, &mut work)
            else {
                continue;
            };
            let chosen = partial.chosen + 1;
            let expected = Charge { cost: charge.cost + to_come[chosen], ..charge };
            let rank = expected.rank(wanted.most);
            if rank >= best {
                continue;
            }
            if chosen == sides.len() {
                best = rank;
            }
            queue.push(rank, chosen, Partial { charge, chosen, corners });
        }
    }
    None
}

/// The corners so far and their copies at every other code of a circuit.
fn multiplied(
    grid: &Grid,
    partial: &Partial,
    circuit: &Circuit,
    wanted: Wanted,
    step: &impl Step,
    most_corners: usize,
    work: &mut usize,
) -> Option<(Charge, Vec<(u64, i8)>)> {
    let mut charge = partial.charge.joined(circuit.charge);
    let size = partial.corners.len();
    if charge.room < wanted.least || size * (circuit.others.len() + 1) > most_corners {
        return None;
    }
    // Beside the cell itself the circuit was looked at already; most fail at the first other corner, before anything is allocated.
    for &(away, turn) in &circuit.others {
        for &(key, sign) in &partial.corners[1..] {
            *work = work.saturating_sub(1);
            let cell = grid.at(key.wrapping_add_signed(away))?;
            charge = charge.with(step(cell, towards(wanted.side, sign * turn)))?;
            if charge.room < wanted.least {
                return None;
            }
        }
    }
    let mut corners = Vec::with_capacity(size * (circuit.others.len() + 1));
    corners.extend_from_slice(&partial.corners);
    for &(away, turn) in &circuit.others {
        let copies = partial.corners.iter();
        corners.extend(copies.map(|&(key, sign)| (key.wrapping_add_signed(away), sign * turn)));
    }
    Some((charge, corners))
}
