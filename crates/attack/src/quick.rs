//! Witnesses without a solver: one hypercube, or several on top of each other.

use crate::component::Component;
use crate::cube::{Corner, Crossings, Walk};
use crate::propagate::slot;
use cellveil_core::{CellId, Problem, Side, Witness};
use crate::layer::Flow;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// How many crossings are looked up for one cube that does it all.
const WORK_ALONE: usize = 20_000;

/// How many are looked up for cubes that do it together, in each of the rounds.
const WORK_TOGETHER: usize = 10_000;

/// In each round cubes must carry at least this part of what is left.
const PARTS: [i64; 2] = [8, 256];

/// What is asked: a cell moved this far, with some cells left alone.
#[derive(Clone, Copy)]
pub(crate) struct Question<'q> {
    /// The position of the cell in its component.
    pub(crate) at: u32,
    pub(crate) side: Side,
    /// In units.
    pub(crate) target: i64,
    /// Positions, ascending.
    pub(crate) unmoved: &'q [u32],
}

impl Question<'_> {
    fn may_move(&self, at: u32) -> bool {
        self.unmoved.binary_search(&at).is_err()
    }
}

/// The side to which a corner moves when the first corner moves to `side`.
fn towards(side: Side, sign: i32) -> Side {
    match (side, sign > 0) {
        (Side::Down, true) | (Side::Up, false) => Side::Down,
        (Side::Up, true) | (Side::Down, false) => Side::Up,
    }
}

/// One cube that moves the cell as far as asked, and further if that meets the needs of its other corners.
pub(crate) fn one_cube(
    problem: &Problem,
    component: &Component,
    crossings: &Crossings<'_>,
    question: Question<'_>,
) -> Option<Witness> {
    let Question { at, side, target, .. } = question;
    let room = |at: u32, sign: i32| component.rooms[at as usize][slot(towards(side, sign))];
    if room(at, 1) < target {
        return None;
    }
    let mut found = None;
    let mut walk = Walk {
        admit: &mut |at, sign| room(at, sign) >= target && question.may_move(at),
        visit: &mut |corners| {
            found = Some(corners.to_vec());
            ControlFlow::Break(())
        },
        work: std::env::var("RW").map_or(WORK_ALONE, |x| x.parse().unwrap()),
    };
    crossings.cubes(at, &mut walk);
    let corners = found?;
    let capacity = corners.iter().map(|c| room(c.at, c.sign)).min()?;
    let asked = |corner: &Corner| {
        let need = problem.needs().of(component.cells[corner.at as usize]);
        need.map(|need| need.on(towards(side, corner.sign)))
    };
    let amount = corners.iter().filter_map(asked).max().unwrap_or(target).max(target).min(capacity);
    let moves = corners.iter().map(|corner| (corner.at, i64::from(corner.sign) * amount));
    Some(witness(component, side, moves))
}

/// Flows through the layers around the cell.
pub(crate) fn layers(
    component: &Component,
    crossings: &Crossings<'_>,
    question: Question<'_>,
    near: &mut Vec<u32>,
) -> Option<Witness> {
    let Question { at, side, target, .. } = question;
    let left = |at: u32, sign: i32| {
        if question.may_move(at) { component.rooms[at as usize][slot(towards(side, sign))] } else { 0 }
    };
    let mut flow = Flow { missing: target, moved: HashMap::new(), work: std::env::var("TW").map_or(100000, |x| x.parse().unwrap()) };
    crossings.flow(at, &left, &mut flow);
    if flow.missing > 0 && std::env::var("LOC").is_ok() { eprintln!("MISSING {:.3} work {} moved {}", flow.missing as f64 / target as f64, flow.work, flow.moved.len()); }
    near.extend(flow.moved.keys().copied());
    (flow.missing == 0).then(|| witness(component, side, flow.moved))
}

/// Moves at positions, along `side`, as a witness.
fn witness(
    component: &Component,
    side: Side,
    moves: impl IntoIterator<Item = (u32, i64)>,
) -> Witness {
    let moves = moves.into_iter().filter(|&(_, step)| step != 0);
    let mut moves: Vec<(CellId, i64)> =
        moves.map(|(at, step)| (component.cells[at as usize], step * side.sign())).collect();
    moves.sort_unstable();
    Witness { denominator: 1, moves }
}
