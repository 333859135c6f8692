//! The best hypercube with a given cell as a corner, in one sub-table.

use super::{Levels, may_be_corner, room};
use crate::subtable::SubTable;
use cellveil_core::{CellId, Pattern, Problem, Side, Witness};

/// Cells that move together, by alternating signs.
pub(super) struct Cube {
    /// The corners, with 1 where they move with the first and −1 where against it.
    pub(super) corners: Vec<(CellId, i32)>,
    /// How far the first corner can move down and up, as far as that was asked.
    pub(super) levels: Levels,
    /// Where the corner opposite to the first lies along each direction.
    pub(super) opposite: Vec<usize>,
}

impl Cube {
    /// The cube moved up and down as far as any of its corners wants, if it can be.
    pub(super) fn witnesses(&self, problem: &Problem) -> impl Iterator<Item = Witness> {
        Side::BOTH.into_iter().filter_map(|side| {
            let of = |sign: i32| if sign > 0 { side } else { other(side) };
            let corners = self.corners.iter();
            let capacity =
                corners.clone().map(|&(cell, sign)| room(problem, cell, of(sign))).min()?;
            let wanted = corners
                .clone()
                .filter_map(|&(cell, sign)| problem.needs().of(cell).map(|need| need.on(of(sign))));
            let asked = self.levels[usize::from(side == Side::Up)];
            let amount = wanted.max().unwrap_or(0).max(asked).min(capacity);
            let step =
                |&(cell, sign): &(CellId, i32)| (cell, i64::from(sign) * side.sign() * amount);
            let mut moves: Vec<(CellId, i64)> = corners.map(step).collect();
            moves.sort_unstable();
            (amount > 0).then_some(Witness { denominator: 1, moves })
        })
    }
}

fn other(side: Side) -> Side {
    match side {
        Side::Down => Side::Up,
        Side::Up => Side::Down,
    }
}

/// A search for the best cube of a cell.
pub(super) struct Search<'s> {
    pub(super) problem: &'s Problem,
    pub(super) pattern: &'s Pattern,
    pub(super) table: &'s SubTable,
    /// How far the cell must be able to move.
    pub(super) levels: Levels,
}

/// No more corners are looked at for one cell; the most promising come first.
const WORK: usize = 40_000;

/// Cubes of more directions have too many corners to be of use.
const DIRECTIONS: usize = 7;

/// Margins are this much dearer than the largest value.
const MARGIN: f64 = 1000.0;

/// How good a cube is: how many new cells it takes, and the sum of the logarithms of their values.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Price(u32, f64);

/// A walk through the boxes at a cell.
struct Walk<'w> {
    strides: &'w [usize],
    /// Per direction the other places of the cell's line, the most promising first, each with its sign.
    lines: Vec<Vec<(usize, i32)>>,
    place: &'w [usize],
    corners: Vec<(usize, i32)>,
    chosen: Vec<usize>,
    best: Option<Found>,
    work: usize,
}

/// A cube at positions of the sub-table.
struct Found {
    price: Price,
    corners: Vec<(usize, i32)>,
    opposite: Vec<usize>,
}

impl Search<'_> {
    /// The best cube of the cell at a position; `avoided` are places along the directions not to be taken again.
    pub(super) fn best(&self, at: usize, avoided: &[usize]) -> Option<Cube> {
        let directions = self.table.coefficients.len();
        if directions > DIRECTIONS || self.price(at, 1).is_none() {
            return None;
        }
        let strides = self.table.strides();
        let place = self.table.place(at, &strides);
        let lines = (0..directions).map(|d| self.line(at, d, &place, strides[d], avoided.get(d)));
        let lines: Vec<_> = lines.collect();
        let mut walk = Walk {
            strides: &strides,
            lines,
            place: &place,
            corners: vec![(at, 1)],
            chosen: Vec::new(),
            best: None,
            work: WORK,
        };
        self.grow(&mut walk, Price(0, 0.0));
        let Found { corners, opposite, .. } = walk.best?;
        let corner = |(at, sign): (usize, i32)| self.table.cells[at].map(|cell| (cell, sign));
        let corners: Option<Vec<(CellId, i32)>> = corners.into_iter().map(corner).collect();
        Some(Cube { corners: corners?, levels: self.levels, opposite })
    }

    /// The places to which a cell can be carried along a direction: withheld ones first, then small values.
    fn line(
        &self,
        at: usize,
        direction: usize,
        place: &[usize],
        stride: usize,
        avoided: Option<&usize>,
    ) -> Vec<(usize, i32)> {
        let coefficients = &self.table.coefficients[direction];
        let (own, start) = (coefficients[place[direction]], at - place[direction] * stride);
        let mut line: Vec<(Price, usize, i32)> = Vec::new();
        for (to, &coefficient) in coefficients.iter().enumerate() {
            let sign = if coefficient == own { -1 } else { 1 };
            if to == place[direction] || coefficient.abs() != own.abs() || avoided == Some(&to) {
                continue;
            }
            if let Some(price) = self.price(start + to * stride, sign) {
                line.push((price, to, sign));
            }
        }
        line.sort_by(|a, b| a.0.0.cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)).then(a.1.cmp(&b.1)));
        line.into_iter().map(|(_, to, sign)| (to, sign)).collect()
    }

    /// Carries all corners so far along the next direction, in every way that can still be the best.
    fn grow(&self, walk: &mut Walk<'_>, so_far: Price) {
        let direction = walk.chosen.len();
        if direction == walk.lines.len() {
            let (corners, opposite) = (walk.corners.clone(), walk.chosen.clone());
            walk.best = Some(Found { price: so_far, corners, opposite });
            return;
        }
        let size = walk.corners.len();
        for i in 0..walk.lines[direction].len() {
            let (to, turn) = walk.lines[direction][i];
            let mut price = so_far;
            for index in 0..size {
                let (at, sign) = walk.corners[index];
                let at = at - walk.place[direction] * walk.strides[direction]
                    + to * walk.strides[direction];
                if walk.work == 0 {
                    walk.corners.truncate(size);
                    return;
                }
                walk.work -= 1;
                let Some(Price(new, logs)) = self.price(at, sign * turn) else { break };
                price = Price(price.0 + new, price.1 + logs);
                if walk.best.as_ref().is_some_and(|best| price >= best.price) {
                    break;
                }
                walk.corners.push((at, sign * turn));
            }
            if walk.corners.len() == 2 * size {
                walk.chosen.push(to);
                self.grow(walk, price);
                walk.chosen.pop();
            }
            walk.corners.truncate(size);
        }
    }

    /// What a corner costs; `None` if there is no cell, it may not be one, or it cannot move far enough.
    fn price(&self, at: usize, sign: i32) -> Option<Price> {
        let cell = self.table.cells[at]?;
        let [down, up] = if sign > 0 { self.levels } else { [self.levels[1], self.levels[0]] };
        let fits = room(self.problem, cell, Side::Down) >= down
            && room(self.problem, cell, Side::Up) >= up
            && may_be_corner(self.problem, self.pattern, cell);
        if !fits {
            return None;
        }
        if self.pattern.is_withheld(cell) {
            return Some(Price(0, 0.0));
        }
        let value = self.problem.value(cell).unsigned_abs() as f64;
        Some(Price(1, value.ln_1p() + if self.is_margin(at) { MARGIN } else { 0.0 }))
    }

    fn is_margin(&self, at: usize) -> bool {
        let mut rest = at;
        self.table.coefficients.iter().rev().any(|coefficients| {
            let place = rest % coefficients.len();
            rest /= coefficients.len();
            coefficients[place] < 0
        })
    }
}
