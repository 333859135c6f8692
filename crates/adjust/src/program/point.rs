//! Between the columns of a program and the moves, senses and prices they stand for.

use super::{Place, Program};
use crate::task::Senses;
use cellveil_core::Side;
use cellveil_lp::{Outcome, Solution};

/// What a solve of the program gives.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The moves, in units.
    pub(crate) moves: Vec<f64>,
    /// The cost.
    pub(crate) cost: f64,
    /// Per sensitive cell how far it has swung, from 0 (down) to 1 (up).
    pub(crate) swings: Vec<f64>,
    /// Per relation its price: what its constant would have to change for.
    pub(crate) prices: Vec<f64>,
    /// Per sensitive cell what turning it round would save, as its prices say.
    pub(crate) savings: Vec<f64>,
}

/// How a solve ended.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Optimal(Point),
    /// The limits were reached; no point costs less than the bound.
    Within(Point, f64),
    Infeasible,
    Stopped,
}

impl Program<'_> {
    /// The columns that stand for senses and moves, but for the binary ones.
    pub(super) fn columns_of(&self, senses: &Senses, moves: &[f64], count: usize) -> Vec<f64> {
        let mut columns = vec![f64::NAN; count];
        let mut put = |column: u32, value: f64| columns[column as usize] = value;
        for (cell, place) in self.places.iter().enumerate() {
            let z = moves[cell] / self.scale;
            match *place {
                Place::Single(column) => put(column, z),
                Place::Split(down) | Place::Aside(down) => {
                    put(down, (-z).max(0.0));
                    put(down + 1, z.max(0.0));
                }
                Place::Fixed | Place::Sensitive(_) => {}
            }
        }
        for (at, sense) in senses.iter().enumerate() {
            let cell = self.task.sensitive[at].cell.index();
            let (Place::Sensitive(swing), (down, up)) = (self.places[cell], self.levels(at)) else {
                continue;
            };
            let z = moves[cell] / self.scale;
            let up_side = *sense == Side::Up;
            put(swing, if up_side { down + up } else { 0.0 });
            put(swing + 1, if up_side { (z - up).max(0.0) } else { 0.0 });
            put(swing + 2, if up_side { 0.0 } else { (-z - down).max(0.0) });
        }
        columns
    }

    pub(super) fn answer(&self, outcome: Outcome) -> Answer {
        match outcome {
            Outcome::Optimal(solution) => Answer::Optimal(self.point(&solution)),
            Outcome::Incumbent(solution, bound) => {
                Answer::Within(self.point(&solution), (bound + self.constant) * self.price)
            }
            // No column is free of charge below zero, so nothing is unbounded but by the solver's noise.
            Outcome::Infeasible | Outcome::Unbounded => Answer::Infeasible,
            Outcome::Stopped => Answer::Stopped,
        }
    }

    fn point(&self, solution: &Solution) -> Point {
        let mut point = Point {
            moves: vec![0.0; self.places.len()],
            cost: (solution.objective + self.constant) * self.price,
            swings: vec![0.0; self.task.sensitive.len()],
            savings: vec![0.0; self.task.sensitive.len()],
            prices: vec![0.0; self.task.relations.len()],
        };
        for (&relation, dual) in self.kept.iter().zip(&solution.duals) {
            point.prices[relation as usize] = dual * self.price / self.scale;
        }
        let column = |at: u32| solution.columns[at as usize];
        for (cell, place) in self.places.iter().enumerate() {
            point.moves[cell] = self.scale
                * match *place {
                    Place::Fixed | Place::Sensitive(_) => 0.0,
                    Place::Single(at) => column(at),
                    Place::Split(down) | Place::Aside(down) => column(down + 1) - column(down),
                };
        }
        for (at, sensitive) in self.task.sensitive.iter().enumerate() {
            let (down, up) = self.levels(at);
            let Place::Sensitive(swing) = self.places[sensitive.cell.index()] else {
                let z = point.moves[sensitive.cell.index()] / self.scale;
                point.swings[at] = match sensitive.forced() {
                    Some(Side::Up) => 1.0,
                    Some(Side::Down) => 0.0,
                    None => ((z + down) / (down + up)).clamp(0.0, 1.0),
                };
                continue;
            };
            let z = column(swing) + column(swing + 1) - column(swing + 2) - down;
            point.moves[sensitive.cell.index()] = self.scale * z;
            point.swings[at] = if down + up > 0.0 { column(swing) / (down + up) } else { 0.5 };
            let reduced = solution.reduced.get(swing as usize).copied().unwrap_or(0.0);
            let direction = if point.swings[at] < 0.5 { 1.0 } else { -1.0 };
            point.savings[at] = -direction * reduced * (down + up) * self.price;
        }
        point
    }
}
