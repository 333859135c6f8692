//! Witnesses without a solver: one hypercube, or flows through the layers around a cell.

use crate::component::Component;
use crate::cube::{Corner, Crossings, Map, Walk};
use crate::layer::Pushed;
use crate::propagate::slot;
use cellveil_core::{CellId, Problem, Side, Witness};
use std::ops::ControlFlow;

/// How many crossings are looked up for one cube that does it all, and for flows through layers.
const CUBE_WORK: usize = 5_000;
const LAYER_WORK: usize = 50_000;

/// How often the cells beside a cell are relieved, and with how much work each.
const RELIEFS: usize = 3;
const RELIEF_WORK: usize = 10_000;

/// Looks for witnesses within a component without a solver, microseconds to milliseconds each.
///
/// What it finds holds exactly and moves withheld cells of the component only; that it finds nothing says nothing. The answer
/// depends on the question alone, so that one `Quick` can be asked from many threads.
pub struct Quick<'a> {
    problem: &'a Problem,
    component: &'a Component,
    crossings: Crossings<'a>,
}

impl<'a> Quick<'a> {
    /// Indexes where the relations of a component cross.
    pub fn new(problem: &'a Problem, component: &'a Component) -> Self {
        Self { problem, component, crossings: Crossings::new(component) }
    }

    /// A table with `cell` moved `target` units or more to `side` and the cells `unmoved` left alone.
    pub fn reach(
        &self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Option<Witness> {
        let at = self.component.position(cell)?;
        let mut unmoved: Vec<u32> =
            unmoved.iter().filter_map(|&cell| self.component.position(cell)).collect();
        unmoved.sort_unstable();
        self.answer(Question { at, side, target, unmoved: &unmoved })
    }

    pub(crate) fn answer(&self, question: Question<'_>) -> Option<Witness> {
        self.cube(question).or_else(|| layers(self.component, &self.crossings, question))
    }

    /// One cube only.
    pub(crate) fn cube(&self, question: Question<'_>) -> Option<Witness> {
        one_cube(self.problem, self.component, &self.crossings, question)
    }
}

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
fn one_cube(
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
        work: CUBE_WORK,
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
fn layers(
    component: &Component,
    crossings: &Crossings<'_>,
    question: Question<'_>,
) -> Option<Witness> {
    let Question { at, side, target, .. } = question;
    let left = |at: u32, sign: i32| {
        if question.may_move(at) {
            component.rooms[at as usize][slot(towards(side, sign))]
        } else {
            0
        }
    };
    let mut flow = Pushed { missing: target, moved: Map::default(), work: LAYER_WORK };
    crossings.flow(at, &left, &mut flow);
    for _ in 0..RELIEFS {
        if flow.missing == 0 || flow.missing == target {
            break;
        }
        let before = flow.missing;
        relieve(crossings, at, &left, &mut flow);
        flow.work = LAYER_WORK;
        crossings.flow(at, &left, &mut flow);
        if flow.missing > before - before / 16 {
            break;
        }
    }
    let done = flow.missing == 0 && flow.is_balanced(crossings);
    done.then(|| witness(component, side, flow.moved))
}

/// Moves the cells beside a cell that are used up back, by flows that leave the cell itself alone: others of the same relation
/// take over.
fn relieve(crossings: &Crossings<'_>, at: u32, left: &dyn Fn(u32, i32) -> i64, flow: &mut Pushed) {
    let rows: Vec<(u32, i32)> = crossings.rows_of.of(at as usize).to_vec();
    for (row, own) in rows {
        for (other, sign) in crossings.partners(row, at, own) {
            let used = flow.moved.get(&other).copied().unwrap_or(0) * i64::from(sign);
            if used <= 0 || left(other, sign) > used + flow.missing / 4 {
                continue;
            }
            // The flow of the other cell is seen from that cell, which moves against its sign.
            let turn = -sign;
            let turned = |moved: &Map<u32, i64>| {
                moved.iter().map(|(&at, &by)| (at, by * i64::from(turn))).collect::<Map<_, _>>()
            };
            let missing = used.min(flow.missing);
            let mut back = Pushed { missing, moved: turned(&flow.moved), work: RELIEF_WORK };
            let stays = flow.moved.get(&at).copied().unwrap_or(0) * i64::from(turn);
            let seen = |cell: u32, sign: i32| {
                if cell == at { stays * i64::from(sign) } else { left(cell, sign * turn) }
            };
            crossings.flow(other, &seen, &mut back);
            flow.moved = turned(&back.moved);
        }
    }
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
