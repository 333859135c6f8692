//! Exposure shown by multipliers of relations, where the component is too large to be solved as a whole.
//!
//! Any multipliers of relations bound how far a cell gets, and the bound they give is worked out in whole numbers, so that whoever
//! found them need not be trusted. A small program finds good ones for the relations around a cell: whoever knows fewer relations can think of
//! more tables, so if a cell cannot get far enough by those, it cannot at all. For all relations they are what is left when a table in which
//! all cells move (`spread.rs`) does not get there.

use crate::component::Component;
use crate::dimension::Dimensions;
use crate::propagate::{NO_LIMIT, Rows};
use cellveil_core::Side;
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome};
use std::collections::BTreeMap;

/// More relations are not looked at.
const RELATIONS: usize = 500;

/// Multipliers are whole numbers of this part.
const PARTS: f64 = (1_u32 << 20) as f64;

/// Larger multipliers say nothing.
const LARGEST: f64 = 1e15;

/// Whether the relations around the cell at a position show that it cannot move `target` units to `side`.
pub(crate) fn falls_short(
    component: &Component,
    rows_of: &Rows,
    engine: &dyn Engine,
    (at, side, target): (u32, Side, i64),
) -> Result<bool, EngineError> {
    let rows = around(component, rows_of, at);
    if rows.len() > RELATIONS {
        return Ok(false);
    }
    let mut columns: BTreeMap<u32, u32> = BTreeMap::new();
    for &(cell, _) in rows.iter().flat_map(|&row| &component.rows[row as usize]) {
        let next = columns.len() as u32;
        columns.entry(cell).or_insert(next);
    }
    let mut places: Vec<(u32, u32)> =
        columns.iter().map(|(&cell, &column)| (column, cell)).collect();
    places.sort_unstable();
    let scale = (target as f64 / 1000.0).max(1.0);
    let mut model = Model { changes: Changes::Many, ..Model::default() };
    for (_, cell) in places {
        let room = |side| component.room(cell, side).map_or(f64::INFINITY, |r| r as f64 / scale);
        let cost = if cell == at { -side.sign() as f64 } else { 0.0 };
        model.column(cost, -room(Side::Down), room(Side::Up));
    }
    for &row in &rows {
        let terms =
            component.rows[row as usize].iter().map(|(cell, c)| (columns[cell], f64::from(*c)));
        model.row(terms.collect(), 0.0, 0.0);
    }
    let Outcome::Optimal(solution) = engine.open(&model)?.solve(&Limits::default())? else {
        return Ok(false);
    };
    let multipliers: Vec<i64> =
        solution.duals.iter().map(|price| (price * PARTS).round() as i64).collect();
    let most = furthest(component, &rows, &multipliers, (at, side));
    Ok(most.is_some_and(|most| most < i128::from(target) * PARTS as i128))
}

/// Whether prices of all relations, for cells counted with their sign, show that the cell at a position cannot move `target` units to
/// `side`.
pub(crate) fn is_priced_out(
    component: &Component,
    dimensions: &Dimensions,
    prices: &[f64],
    (at, side, target): (u32, Side, i64),
) -> bool {
    let sign = |at: u32| f64::from(dimensions.signs[at as usize]);
    let price: f64 = dimensions.rows[at as usize].iter().map(|&row| prices[row as usize]).sum();
    let scale = -side.sign() as f64 * PARTS / (price * sign(at));
    let multiplier = |(row, price): (&Vec<(u32, i32)>, &f64)| {
        let (first, coefficient) = row[0];
        let multiplier = price * scale * sign(first) * f64::from(coefficient);
        (multiplier.abs() < LARGEST).then_some(multiplier.round() as i64)
    };
    let multipliers: Option<Vec<i64>> = component.rows.iter().zip(prices).map(multiplier).collect();
    let rows: Vec<u32> = (0..component.rows.len() as u32).collect();
    let most = multipliers.and_then(|all| furthest(component, &rows, &all, (at, side)));
    most.is_some_and(|most| most < i128::from(target) * PARTS as i128)
}

/// The relations of a cell and of all cells in them, ascending.
fn around(component: &Component, rows_of: &Rows, at: u32) -> Vec<u32> {
    let rows = |at: u32| rows_of.of(at as usize).iter().map(|&(row, _)| row);
    let mut near: Vec<u32> = rows(at)
        .flat_map(|row| component.rows[row as usize].iter().flat_map(|&(cell, _)| rows(cell)))
        .collect();
    near.sort_unstable();
    near.dedup();
    near
}

/// How far the cell gets at most by these multipliers, in parts of a unit; `None` if they set no limit.
fn furthest(
    component: &Component,
    rows: &[u32],
    multipliers: &[i64],
    (at, side): (u32, Side),
) -> Option<i128> {
    let mut rest: BTreeMap<u32, i128> =
        BTreeMap::from([(at, i128::from(side.sign()) * PARTS as i128)]);
    for (&row, &multiplier) in rows.iter().zip(multipliers) {
        for &(cell, c) in &component.rows[row as usize] {
            *rest.entry(cell).or_default() += i128::from(c) * i128::from(multiplier);
        }
    }
    let mut most = 0_i128;
    for (cell, rest) in rest.into_iter().filter(|&(_, rest)| rest != 0) {
        let room = component.rooms[cell as usize][usize::from(rest > 0)];
        if room == NO_LIMIT {
            return None;
        }
        most = most.checked_add(rest.abs().checked_mul(i128::from(room))?)?;
    }
    Some(most)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::falls_short;
    use crate::{Intervals, Options, attack, reduce};
    use cellveil_core::{Exposure, Side, Status, Why};
    use cellveil_highs::Highs;
    use cellveil_testkit::tables::{Tables, Values};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_falls_short_by_a_few_relations_is_exposed(
            problem in Tables { values: Values::Small, ..Tables::default() }.problems(),
            every in 2..4_usize,
        ) {
            prop_assume!(problem.len() <= 150);
            let mut pattern = problem.start();
            for cell in problem.cells().filter(|cell| cell.index() % every == 0) {
                if problem.status(cell) == Status::Free {
                    pattern.withhold(cell, Why::Secondary);
                }
            }
            let options = Options { intervals: Intervals::None };
            let exposed = attack(&problem, &pattern, &Highs, options, &[]).unwrap().audit.exposed;
            for component in &reduce(&problem, &pattern).components {
                let rows_of = component.rows_of();
                for need in problem.needs() {
                    let Some(at) = component.position(need.cell) else { continue };
                    for side in Side::BOTH {
                        let asked = (at, side, need.on(side));
                        let short = falls_short(component, &rows_of, &Highs, asked).unwrap();
                        let is_known = |e: &Exposure| e.cell == need.cell && e.side == Some(side);
                        prop_assert!(!short || exposed.iter().any(is_known));
                    }
                }
            }
        }
    }
}
