//! What the other cells of a relation must take up.
//!
//! In a relation, let the sensitive cells leave `D(y)` once each of them stands at a level. All else in the relation, and what sensitive cells
//! move beyond their levels, adds up to `−D(y)`, so what of it is negative is at least `D(y)` and at least 0. The relaxation does not see this: with
//! all swings half way, `D` is 0. The largest convex function below `max(D, 0)` at the whole points is linear for one sensitive cell and has two
//! pieces for two of them; relations with more are left alone. (Measured on hierarchical tables of 2000 cells: the
//! relaxation goes from half of the optimum to nine tenths of it.)

use super::{Place, Program, positions};

impl Program<'_> {
    /// Adds the rows.
    pub(super) fn tighten(&mut self) {
        let relations = &self.task.relations;
        let positions = positions(self.task);
        for relation in 0..relations.len() {
            let mut rest = -self.task.missing[relation] / self.scale;
            let mut swings: Vec<Swing> = Vec::new();
            let mut terms: Vec<(u32, f64)> = Vec::new();
            let mut plain = true;
            for (cell, c) in relations.row(relation) {
                let c = f64::from(c);
                // Of two columns, the one that makes the sum smaller.
                let falling = |down: u32, up: u32| (if c > 0.0 { down } else { up }, c.abs());
                match self.places[cell.index()] {
                    Place::Fixed => {}
                    Place::Single(_) | Place::Aside(_) => plain = false,
                    Place::Split(down) => terms.push(falling(down, down + 1)),
                    Place::Sensitive(column) => {
                        let (down, up) = self.levels(positions[cell.index()] as usize);
                        terms.push(falling(column + 2, column + 1));
                        rest -= c * down;
                        swings.push(Swing { column, by: c * (down + up), width: down + up });
                    }
                }
            }
            if plain {
                for (slopes, constant) in minorants(rest, &swings) {
                    let sloped = swings.iter().zip(slopes);
                    let sloped = sloped.map(|(swing, slope)| (swing.column, -slope / swing.width));
                    let row = terms.iter().copied().chain(sloped).collect();
                    self.model.row(row, constant, f64::INFINITY);
                }
            }
        }
    }
}

/// A sensitive cell in a relation: the column of its swing, what a full swing adds to the sum, and its width in steps.
struct Swing {
    column: u32,
    by: f64,
    width: f64,
}

/// The linear functions of whole swings whose largest is the convex envelope of `max(rest + Σ by · y, 0)`: slopes and constant of each.
fn minorants(rest: f64, swings: &[Swing]) -> Vec<(Vec<f64>, f64)> {
    let at = |sum: f64| sum.max(0.0);
    match swings {
        [one] if one.width > 0.0 => {
            let (low, high) = (at(rest), at(rest + one.by));
            vec![(vec![high - low], low)]
        }
        [a, b] if a.width > 0.0 && b.width > 0.0 => {
            let [none, first, second, both] =
                [rest, rest + a.by, rest + b.by, rest + a.by + b.by].map(at);
            if none + both <= first + second {
                // The diagonal from none to both lies lower.
                vec![
                    (vec![first - none, both - first], none),
                    (vec![both - second, second - none], none),
                ]
            } else {
                vec![
                    (vec![first - none, second - none], none),
                    (vec![both - second, both - first], first + second - both),
                ]
            }
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Swing, minorants};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn minorants_touch_the_function_at_every_whole_point(rest in -9..9_i32, a in -9..9_i32, b in -9..9_i32, count in 1..3_usize) {
            let swing = |by: i32| Swing { column: 0, by: f64::from(by), width: 1.0 };
            let swings: Vec<Swing> = [a, b].into_iter().take(count).map(swing).collect();
            let lines = minorants(f64::from(rest), &swings);
            prop_assert_eq!(lines.len(), count);
            for point in 0..1_u32 << count {
                let y = |at: usize| f64::from(point >> at & 1);
                let sum: f64 = swings.iter().enumerate().map(|(at, swing)| swing.by * y(at)).sum();
                let value = (f64::from(rest) + sum).max(0.0);
                let line = |(slopes, constant): &(Vec<f64>, f64)| {
                    constant + slopes.iter().enumerate().map(|(at, slope)| slope * y(at)).sum::<f64>()
                };
                let highest = lines.iter().map(line).fold(f64::NEG_INFINITY, f64::max);
                prop_assert!((highest - value).abs() < 1e-9, "{highest} and {value}");
            }
        }
    }
}
