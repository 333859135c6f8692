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
    cheapest_of(grid, variables, wanted, step, 1).pop()
}

/// The cheapest products found, so many of them, cheapest first.
pub(super) fn cheapest_of(
    grid: &Grid,
    variables: Variables,
    wanted: Wanted,
    step: &impl Step,
    most: usize,
) -> Vec<Product> {
    let mut products = Vec::new();
    let charge = Charge { cost: 0.0, room: i64::MAX, corners: 0 };
    let Some(charge) = charge.with(step(wanted.cell, wanted.side)) else { return products };
    if charge.room < wanted.least {
        return products;
    }
    let mut sides: Vec<Vec<Circuit>> = Vec::new();
    for along in 0..grid.axes().len() {
        let is_part = variables >> along & 1 == 1;
        if !is_part || grid.axes()[along].lines_of(grid.place(wanted.cell)[along]).is_empty() {
            continue;
        }
        let found = circuits(grid, along, wanted, step);
        if found.is_empty() {
            return products;
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
    // The ranks of the cheapest complete ones so far, ascending: what ranks behind all of them is not waited for.
    let (mut work, mut ends) = (work, vec![f64::INFINITY; most]);
    while let Some(partial) = queue.pop() {
        if partial.chosen == sides.len() {
            let cell = |&(key, sign): &(u64, i8)| Some((grid.at(key)?, sign));
            let corners: Option<Vec<(CellId, i8)>> = partial.corners.iter().map(cell).collect();
            products.extend(corners.map(|corners| Product { corners, charge: partial.charge }));
            if products.len() == most {
                break;
            }
            continue;
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
            if rank >= ends[most - 1] {
                continue;
            }
            if chosen == sides.len() {
                let at = ends.partition_point(|end| *end <= rank);
                ends.insert(at, rank);
                ends.truncate(most);
            }
            queue.push(rank, chosen, Partial { charge, chosen, corners });
        }
    }
    products
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

#[cfg(test)]
mod tests {
    use super::super::circuit::Wanted;
    use super::super::split;
    use super::{cheapest, cheapest_of};
    use crate::grid::Grid;
    use cellveil_core::{CellId, Side};
    use cellveil_testkit::tables::random_problem;

    #[test]
    fn several_products_are_different_and_come_cheapest_first() {
        for seed in 1..5 {
            let problem = random_problem(seed, &[4, 4, 3]);
            let incidence = problem.relations().incidence(problem.len());
            let grid = Grid::of(&problem, &incidence).unwrap_or_else(|| unreachable!("a grid"));
            let step = |cell: CellId, side| {
                let room = problem.room(cell, side).unwrap_or(1000);
                (room > 0).then(|| (1.0 + f64::from(cell.0 % 7), room))
            };
            let mut found = 0;
            for cell in problem.cells() {
                let wanted = Wanted { cell, side: Side::Up, least: 1, most: 1 };
                let products = cheapest_of(&grid, split::ALL, wanted, &step, 6);
                let rank = |at: usize| products[at].charge.rank(1);
                for at in 1..products.len() {
                    assert!(rank(at - 1) <= rank(at));
                    assert!(products[..at].iter().all(|p| p.corners != products[at].corners));
                }
                let first = cheapest(&grid, split::ALL, wanted, &step);
                assert_eq!(first.map(|p| p.corners), products.first().map(|p| p.corners.clone()));
                found += usize::from(products.len() > 1);
            }
            assert!(found > 10, "{found} cells have several");
        }
    }
}
