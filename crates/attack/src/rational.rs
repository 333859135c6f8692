//! How far a cell can be moved, without rounding: the simplex method in whole numbers.
//!
//! Where amounts of a component differ by ten digits and more, a solver's tolerance exceeds the rooms of the small cells, and its answers
//! cannot be written down exactly. Small components are then solved again here, with the whole tableau over one common denominator
//! (fraction-free pivots, after Edmonds). Nothing is moved at the start, so cells that are not in the basis are at 0 or at one of their bounds.

use crate::component::Component;
use crate::exact::gcd;
use crate::propagate::slot;
use cellveil_core::{Side, Witness};

/// A component with more cells is not solved: a pivot touches every number of the tableau.
const CELLS: usize = 250;

/// After so many pivots it is given up.
const PIVOTS: usize = 20_000;

/// The furthest table up to a target.
pub(crate) struct Furthest {
    /// How far the cell is moved, in whole units; what is beyond the last of them does not count.
    pub(crate) distance: i64,
    pub(crate) witness: Witness,
}

/// The table with the cell at position `at` moved furthest to `side`, up to `target` units, and nothing moved that is `held`; `None` if
/// the component is large, or numbers grow too large.
pub(crate) fn furthest(
    component: &Component,
    (at, side, target): (u32, Side, i64),
    is_held: &dyn Fn(u32) -> bool,
) -> Option<Furthest> {
    let cells = component.cells.len();
    if cells > CELLS {
        return None;
    }
    let room = |at: u32, side| if is_held(at) { Some(0) } else { component.room(at, side) };
    let mut rooms: Vec<[Option<i128>; 2]> =
        (0..cells as u32).map(|at| Side::BOTH.map(|side| room(at, side).map(i128::from))).collect();
    let goal = &mut rooms[at as usize][slot(side)];
    *goal = Some(goal.map_or(i128::from(target), |room| room.min(i128::from(target))));
    let mut tableau = Tableau::new(component, rooms)?;
    tableau.push(at as usize, side)?;
    tableau.read(component, at as usize)
}

/// `denominator · x_b + Σ entries · x_j = 0` for every cell `b` of the basis, over the cells `j` outside it.
struct Tableau {
    columns: usize,
    rows: Vec<Vec<i128>>,
    /// The cell of every row.
    basis: Vec<usize>,
    is_basic: Vec<bool>,
    denominator: i128,
    /// Where cells outside the basis are, in units.
    place: Vec<i128>,
    /// How far every cell may be down and up; `None` for any distance.
    rooms: Vec<[Option<i128>; 2]>,
}

fn sign(side: Side) -> i128 {
    i128::from(side.sign())
}

/// A limit to a step: its length as a fraction, and the row of the cell that ends it at a bound, or `None` for the cell that moves.
struct Step {
    length: (i128, i128),
    blocked: Option<(usize, i128)>,
}

impl Tableau {
    /// The relations, solved for as many cells as they determine.
    fn new(component: &Component, rooms: Vec<[Option<i128>; 2]>) -> Option<Self> {
        let columns = component.cells.len();
        let dense = |row: &Vec<(u32, i32)>| {
            let mut dense = vec![0; columns];
            for &(at, c) in row {
                dense[at as usize] += i128::from(c);
            }
            dense
        };
        let mut tableau = Self {
            columns,
            rows: component.rows.iter().map(dense).collect(),
            basis: Vec::new(),
            is_basic: vec![false; columns],
            denominator: 1,
            place: vec![0; columns],
            rooms,
        };
        while tableau.basis.len() < tableau.rows.len() {
            let row = tableau.basis.len();
            let Some(column) = (0..columns).find(|&column| tableau.rows[row][column] != 0) else {
                tableau.rows.swap_remove(row);
                continue;
            };
            tableau.basis.push(column);
            tableau.pivot(row, column)?;
            tableau.is_basic[column] = true;
        }
        Some(tableau)
    }

    /// Solves a row for a column and puts that into all others. Every entry stays a whole number: it is a subdeterminant.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        let own = std::mem::take(&mut self.rows[row]);
        let pivot = own[column];
        for other in self.rows.iter_mut().filter(|other| !other.is_empty()) {
            let factor = other[column];
            for (entry, &of_own) in other.iter_mut().zip(&own) {
                let product = entry.checked_mul(pivot)?.checked_sub(of_own.checked_mul(factor)?)?;
                *entry = product / self.denominator;
            }
        }
        self.rows[row] = own;
        self.denominator = pivot;
        if pivot < 0 {
            self.denominator = -pivot;
            self.rows.iter_mut().flatten().for_each(|entry| *entry = -*entry);
        }
        Some(())
    }

    /// Where the cell of a row is, times the denominator.
    fn of_row(&self, row: usize) -> Option<i128> {
        let terms = self.rows[row].iter().zip(&self.place).enumerate();
        let outside = terms.filter(|&(column, (entry, _))| *entry != 0 && !self.is_basic[column]);
        outside
            .map(|(_, (entry, place))| entry.checked_mul(*place))
            .try_fold(0_i128, |sum, term| sum.checked_sub(term?))
    }

    /// Moves a cell to a side as far as it goes. Cells are chosen by their order (Bland's rule), so that it ends.
    fn push(&mut self, goal: usize, side: Side) -> Option<()> {
        for _ in 0..PIVOTS {
            let Some((column, way)) = self.entering(goal, side) else { return Some(()) };
            let step = self.step(column, way)?;
            match step.blocked {
                None => self.place[column] += sign(way) * step.length.0,
                Some((row, bound)) => {
                    let leaving = self.basis[row];
                    self.pivot(row, column)?;
                    self.basis[row] = column;
                    self.is_basic[leaving] = false;
                    self.is_basic[column] = true;
                    self.place[leaving] = bound;
                    self.place[column] = 0;
                }
            }
        }
        None
    }

    /// The first cell outside the basis that takes the goal further to a side when it moves, and its way.
    fn entering(&self, goal: usize, side: Side) -> Option<(usize, Side)> {
        let row = self.basis.iter().position(|&basic| basic == goal);
        let way = |column: usize| {
            // What moving it up by one does to the goal, times the denominator.
            let gain = row.map_or(i128::from(column == goal), |row| -self.rows[row][column]);
            match gain * sign(side) {
                0 => None,
                gain => Some(if gain > 0 { Side::Up } else { Side::Down }),
            }
        };
        let has_room = |&(column, way): &(usize, Side)| {
            let room = self.rooms[column][slot(way)];
            room.is_none_or(|room| self.place[column] * sign(way) < room)
        };
        let outside = (0..self.columns).filter(|&column| !self.is_basic[column]);
        outside.filter_map(|column| Some((column, way(column)?))).find(has_room)
    }

    /// How far a cell outside the basis can move until it, or a cell of the basis, is at a bound; `None` if nothing limits it.
    fn step(&self, column: usize, way: Side) -> Option<Step> {
        let own = self.rooms[column][slot(way)];
        let length = |room: i128| (room - sign(way) * self.place[column], 1);
        let mut best = own.map(|room| Step { length: length(room), blocked: None });
        for (row, &basic) in self.basis.iter().enumerate() {
            let speed = -sign(way) * self.rows[row][column];
            let ahead = if speed > 0 { Side::Up } else { Side::Down };
            let room = self.rooms[basic][slot(ahead)].filter(|_| speed != 0);
            let Some(room) = room else { continue };
            let bound = room * sign(ahead);
            let left = bound.checked_mul(self.denominator)?.checked_sub(self.of_row(row)?)?;
            let length = (left * sign(ahead), speed.abs());
            let is_shorter = match &best {
                None => true,
                Some(step) => {
                    let ours = length.0.checked_mul(step.length.1)?;
                    let theirs = step.length.0.checked_mul(length.1)?;
                    let is_first = step.blocked.is_some_and(|(row, _)| basic < self.basis[row]);
                    ours < theirs || (ours == theirs && is_first)
                }
            };
            if is_shorter {
                best = Some(Step { length, blocked: Some((row, bound)) });
            }
        }
        best
    }

    /// The table as it stands.
    fn read(&self, component: &Component, goal: usize) -> Option<Furthest> {
        let mut moves = Vec::with_capacity(self.columns);
        for (column, place) in self.place.iter().enumerate() {
            let row = self.basis.iter().position(|&basic| basic == column);
            moves.push(match row {
                Some(row) => self.of_row(row)?,
                None => place.checked_mul(self.denominator)?,
            });
        }
        let common = moves.iter().fold(self.denominator, |common, &step| gcd(common, step));
        let distance = i64::try_from(moves[goal].abs() / self.denominator).ok()?;
        let cells = component.cells.iter().zip(&moves).filter(|&(_, &step)| step != 0);
        let moves: Option<Vec<_>> =
            cells.map(|(&cell, step)| Some((cell, i64::try_from(step / common).ok()?))).collect();
        let denominator = u32::try_from(self.denominator / common).ok()?;
        Some(Furthest { distance, witness: Witness { denominator, moves: moves? } })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

    use super::*;
    use cellveil_core::CellId;
    use cellveil_highs::Highs;
    use cellveil_lp::{Engine, Limits, Model, Outcome};
    use proptest::prelude::*;

    fn components() -> impl Strategy<Value = Component> {
        let room = prop_oneof![0..30_i64, Just(crate::propagate::NO_LIMIT), Just(1_000_000)];
        let rooms = prop::collection::vec([room.clone(), room], 2..9);
        let row = || prop::collection::vec(-1..=1_i32, 8);
        (rooms, prop::collection::vec(row(), 1..5)).prop_map(|(rooms, rows)| {
            let cells = rooms.len();
            let terms = |row: Vec<i32>| {
                (0..).zip(row.into_iter().take(cells)).filter(|&(_, c)| c != 0).collect()
            };
            Component {
                cells: (0..cells).map(CellId::at).collect(),
                rows: rows.into_iter().map(terms).collect(),
                rooms,
            }
        })
    }

    /// The same as the engine sees it.
    fn by_engine(component: &Component, side: Side, target: i64, held: u32) -> f64 {
        let mut model = Model::default();
        for at in 0..component.cells.len() as u32 {
            let room = |side| component.room(at, side).map_or(f64::INFINITY, |room| room as f64);
            let room = |side| if at == held { 0.0 } else { room(side) };
            let room = |side| room(side).min(if at == 0 { target as f64 } else { f64::INFINITY });
            let cost = if at == 0 { -side.sign() as f64 } else { 0.0 };
            model.column(cost, -room(Side::Down), room(Side::Up));
        }
        for row in &component.rows {
            model.row(row.iter().map(|&(at, c)| (at, f64::from(c))).collect(), 0.0, 0.0);
        }
        match Highs.open(&model).unwrap().solve(&Limits::default()).unwrap() {
            Outcome::Optimal(solution) => solution.columns[0].abs(),
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn cells_go_as_far_as_an_engine_says_and_every_relation_holds(
            component in components(),
            side in prop::sample::select(Side::BOTH.to_vec()),
            target in 1..2_000_000_i64,
            held in 1..9_u32,
        ) {
            let found = furthest(&component, (0, side, target), &|at| at == held).unwrap();
            let expected = by_engine(&component, side, target, held);
            let unit = f64::from(found.witness.denominator);
            let moved = found.witness.move_of(CellId(0)) * side.sign();
            prop_assert!((moved as f64 / unit - expected).abs() <= 1e-6 * expected.max(1.0));
            prop_assert_eq!(found.distance, moved / i64::from(found.witness.denominator));
            let step = |at: u32| found.witness.move_of(CellId(at));
            for row in &component.rows {
                prop_assert_eq!(row.iter().map(|&(at, c)| step(at) * i64::from(c)).sum::<i64>(), 0);
            }
            for at in 0..component.cells.len() as u32 {
                let way = if step(at) < 0 { Side::Down } else { Side::Up };
                let room = component.room(at, way).map(|room| room * i64::from(found.witness.denominator));
                prop_assert!(room.is_none_or(|room| step(at).abs() <= room));
                prop_assert!(at != held || step(at) == 0);
            }
        }
    }

    #[test]
    fn small_rooms_count_beside_amounts_ten_digits_larger() {
        // A grain, a mountain, and their sum, which falls by the mountain and a part of the grain only.
        let component = Component {
            cells: vec![CellId(0), CellId(1), CellId(2)],
            rows: vec![vec![(0, -1), (1, 1), (2, 1)]],
            rooms: vec![[900_000_000_007, 0], [3, 0], [900_000_000_000, 0]],
        };
        let found = furthest(&component, (0, Side::Down, i64::MAX), &|_| false).unwrap();
        assert_eq!(found.distance, 900_000_000_003);
        let held = furthest(&component, (0, Side::Down, i64::MAX), &|at| at == 1).unwrap();
        assert_eq!(held.distance, 900_000_000_000);
    }
}
