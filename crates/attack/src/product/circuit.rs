//! Circuits: moves of the codes of one dimension that keep all its sums.
//!
//! A code that moves upsets every sum it takes part in, and in each of them another code makes up for it: a sibling moves against it, its
//! total or its part with it. Those upset sums of their own, until a leaf or the top of a hierarchy ends it.

use super::queue::Queue;
use super::{Charge, Step};
use crate::grid::{Grid, Groups};
use cellveil_core::{CellId, Side};

/// The moves of one dimension around a cell.
pub(super) struct Circuit {
    /// The other codes that move: how far away their cells are by key, and whether with the cell (1) or against it (−1).
    pub(super) others: Vec<(i64, i8)>,
    /// What the cells beside the cell cost, and how far all of them can go.
    pub(super) charge: Charge,
}

/// What is asked of a circuit or product.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) cell: CellId,
    pub(super) side: Side,
    /// Nothing is of use that lets the cell move less than this, in units.
    pub(super) least: i64,
    /// Nothing is worth more that lets it move further.
    pub(super) most: i64,
}

/// How many codes may be looked at, and how many circuits are kept.
const WORK: usize = 600;
const KEPT: usize = 24;

/// A circuit in the making.
struct Partial {
    charge: Charge,
    /// Codes other than the cell's own, with their signs.
    codes: Vec<(u32, i8)>,
    /// Sums that are upset: by which code, its sign, and the sum.
    upset: Vec<(u32, i8, u32)>,
}

/// The cheapest circuits of one dimension through a cell, cheapest first.
pub(super) fn circuits(
    grid: &Grid,
    along: usize,
    wanted: Wanted,
    step: &impl Step,
) -> Vec<Circuit> {
    let axis = &grid.axes()[along];
    if let Some(groups) = &axis.groups {
        return transfers(grid, along, groups, wanted, step);
    }
    let (own, key) = (grid.place(wanted.cell)[along], grid.key(wanted.cell));
    let away = |code: u32| (i64::from(code) - i64::from(own)) * axis.stride as i64;
    let upset = axis.lines_of(own).iter().map(|&(line, _)| (own, 1, line)).collect();
    let charge = Charge { cost: 0.0, room: i64::MAX, corners: 0 };
    let mut queue = Queue::default();
    queue.push(0.0, 0, Partial { charge, codes: Vec::new(), upset });
    let (mut found, mut work) = (Vec::new(), WORK);
    while let Some(mut partial) = queue.pop() {
        let Some((code, sign, line)) = partial.upset.pop() else {
            let others = partial.codes.iter().map(|&(code, sign)| (away(code), sign)).collect();
            found.push(Circuit { others, charge: partial.charge });
            if found.len() == KEPT {
                break;
            }
            continue;
        };
        let sum = &axis.lines[line as usize];
        if work == 0 {
            break;
        }
        work = work.saturating_sub(sum.len());
        let own_coefficient = axis.lines_of(code).iter().find(|entry| entry.0 == line);
        let Some(&(_, own_coefficient)) = own_coefficient else { continue };
        for &(other, coefficient) in sum {
            if other == code || other == own || partial.codes.iter().any(|c| c.0 == other) {
                continue;
            }
            let sign = if coefficient == own_coefficient { -sign } else { sign };
            let Some(cell) = grid.at(key.wrapping_add_signed(away(other))) else { continue };
            let Some(charge) = partial.charge.with(step(cell, towards(wanted.side, sign))) else {
                continue;
            };
            if charge.room < wanted.least {
                continue;
            }
            let mut codes = partial.codes.clone();
            codes.push((other, sign));
            let mut upset = partial.upset.clone();
            let next = axis.lines_of(other).iter().filter(|&&(next, _)| next != line);
            upset.extend(next.map(|&(next, _)| (other, sign, next)));
            queue.push(charge.rank(wanted.most), 0, Partial { charge, codes, upset });
        }
    }
    found
}

/// The same where codes are grouped in several ways: a code of the finest level below the cell's own moves with all its groups, and another one against it
/// with all of its own; groups of both stay as they are.
fn transfers(
    grid: &Grid,
    along: usize,
    groups: &Groups,
    wanted: Wanted,
    step: &impl Step,
) -> Vec<Circuit> {
    let axis = &grid.axes()[along];
    let (own, key) = (grid.place(wanted.cell)[along], grid.key(wanted.cell));
    let away = |code: u32| (i64::from(code) - i64::from(own)) * axis.stride as i64;
    let beside: Vec<[Option<(f64, i64)>; 2]> = axis
        .codes()
        .map(|code| {
            let cell =
                (code != own).then(|| grid.at(key.wrapping_add_signed(away(code)))).flatten();
            [1, -1].map(|sign| step(cell?, towards(wanted.side, sign)))
        })
        .collect();
    let is_finest = |code: &u32| groups.below.of(*code) == [*code];
    let against: Vec<Option<u32>> = axis
        .codes()
        .filter(|code| is_finest(code) && groups.below.of(own).binary_search(code).is_err())
        .map(Some)
        .chain([None])
        .collect();
    let mut found: Vec<Circuit> = Vec::new();
    for &with in groups.below.of(own) {
        let up = groups.above.of(with);
        for other in &against {
            let down = other.map_or(&[][..], |other| groups.above.of(other));
            let alone = |code: &&u32, others: &[u32]| others.binary_search(code).is_err();
            let ups = up.iter().filter(|code| **code != own && alone(code, down)).map(|&c| (c, 1));
            let downs = down.iter().filter(|code| alone(code, up)).map(|&c| (c, -1));
            let others: Vec<(u32, i8)> = ups.chain(downs).collect();
            let charge = Charge { cost: 0.0, room: i64::MAX, corners: 0 };
            let charge = others.iter().try_fold(charge, |charge, &(code, sign)| {
                charge.with(beside[code as usize][usize::from(sign < 0)])
            });
            let Some(charge) = charge.filter(|charge| charge.room >= wanted.least) else {
                continue;
            };
            let others = others.into_iter().map(|(code, sign)| (away(code), sign)).collect();
            found.push(Circuit { others, charge });
        }
    }
    let rank = |circuit: &Circuit| circuit.charge.rank(wanted.most);
    found.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    found.truncate(KEPT);
    found
}

/// The side to which a cell moves that moves with (1) or against (−1) one that moves to `side`.
pub(super) fn towards(side: Side, sign: i8) -> Side {
    match (side, sign > 0) {
        (Side::Down, true) | (Side::Up, false) => Side::Down,
        (Side::Up, true) | (Side::Down, false) => Side::Up,
    }
}
