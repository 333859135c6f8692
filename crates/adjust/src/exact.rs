//! From moves in floating point to a table that adds up exactly.
//!
//! Moves are rounded to a grid within their ranges. A vertex of a two-dimensional table is whole already; otherwise what the
//! relations miss is repaired, on a grid so fine that it costs next to nothing. Totals that have room are added up again from their
//! parts. Where totals have none, a linear program spreads the few missing steps over cells with room.

use crate::context::Context;
use crate::pivots::Pivots;
use crate::task::Task;
use cellveil_core::{Adjustment, CellId, Problem, Relations, units};
use cellveil_lp::{Changes, EngineError, Limits, Model, Outcome};

/// How many decimals beyond the table's are tried in turn.
const DECIMALS: [u8; 4] = [0, 1, 2, 4];
/// Moves so near to a step of the grid are on it.
const NOISE: f64 = 1e-5;
/// How often the linear program may try on one grid.
const REPAIRS: usize = 4;
/// The most cells for which the linear program is tried.
const LARGE: usize = 300_000;
/// How many seconds it may take beyond the time limit.
const MOMENT: f64 = 1.0;

/// The moves a cell may make, in units.
pub(crate) struct Ranges<'a> {
    pub(crate) lower: &'a [f64],
    pub(crate) upper: &'a [f64],
    /// Per relation what the moves add up to.
    pub(crate) missing: &'a [f64],
}

/// An exact table near the given moves with every move in its range; `None` if rounding cannot be repaired.
pub(crate) fn exact(
    problem: &Problem,
    moves: &[f64],
    ranges: &Ranges<'_>,
    whole: bool,
    context: &Context<'_>,
) -> Result<Option<Adjustment>, EngineError> {
    let decimals = if whole { &DECIMALS[..1] } else { &DECIMALS[..] };
    let grids: Vec<Grid<'_>> =
        decimals.iter().map_while(|&extra| Grid::new(problem, ranges, extra)).collect();
    // A vertex is on a coarse grid already; whatever is not is repaired on the finest, where that costs least.
    for grid in &grids {
        let rounded: Vec<i64> = (0..moves.len()).map(|i| grid.nearest(i, moves[i])).collect();
        let far = |i: usize| {
            (rounded[i] as f64 / grid.per_unit - moves[i]).abs() > NOISE * moves[i].abs().max(1.0)
        };
        if grid.holds(&rounded) && (whole || !(0..moves.len()).any(far)) {
            return Ok(grid.adjustment(&rounded));
        }
    }
    let order = order_of_totals(problem.relations(), problem.len());
    for grid in grids.iter().rev() {
        let rounded: Vec<i64> = (0..moves.len()).map(|i| grid.nearest(i, moves[i])).collect();
        if grid.holds(&rounded) {
            return Ok(grid.adjustment(&rounded));
        }
        let mut added = rounded.clone();
        grid.add_up(&order, &mut added);
        if grid.holds(&added) && grid.inside(&added) {
            return Ok(grid.adjustment(&added));
        }
        if !whole && let Some(solved) = grid.solved(&rounded) {
            return Ok(grid.adjustment(&solved));
        }
        if problem.len() <= LARGE
            && let Some(repaired) = grid.repair(rounded, context)?
        {
            return Ok(grid.adjustment(&repaired));
        }
    }
    Ok(None)
}

/// Moves in steps of a fraction of a unit.
struct Grid<'a> {
    problem: &'a Problem,
    extra: u8,
    per_unit: f64,
    lower: Vec<i64>,
    upper: Vec<i64>,
    /// Per relation what the steps must add up to.
    sums: Vec<i128>,
}

/// Steps beyond this do not fit the sums of a large table.
const MOST_STEPS: f64 = 4e17;

impl<'a> Grid<'a> {
    fn new(problem: &'a Problem, ranges: &Ranges<'_>, extra: u8) -> Option<Self> {
        let decimals = problem.decimals() + extra;
        let per_unit = units::pow10(extra) as f64;
        let most =
            problem.cells().map(|cell| problem.value(cell).unsigned_abs()).max().unwrap_or(0);
        if decimals > units::MAX_DECIMALS || most as f64 * per_unit > MOST_STEPS / 4.0 {
            return None;
        }
        let steps = |bound: f64| (bound * per_unit).clamp(-MOST_STEPS, MOST_STEPS);
        Some(Self {
            problem,
            extra,
            per_unit,
            lower: ranges.lower.iter().map(|&bound| steps(bound).ceil() as i64).collect(),
            upper: ranges.upper.iter().map(|&bound| steps(bound).floor() as i64).collect(),
            sums: ranges.missing.iter().map(|sum| (sum * per_unit).round() as i128).collect(),
        })
    }

    fn nearest(&self, cell: usize, moved: f64) -> i64 {
        ((moved * self.per_unit).round() as i64).max(self.lower[cell]).min(self.upper[cell])
    }

    /// By how many steps a relation is too large.
    fn surplus(&self, relation: usize, steps: &[i64]) -> i128 {
        let relations = self.problem.relations();
        let sum: i128 = relations
            .row(relation)
            .map(|(cell, c)| i128::from(c) * i128::from(steps[cell.index()]))
            .sum();
        sum - self.sums[relation]
    }

    fn holds(&self, steps: &[i64]) -> bool {
        (0..self.problem.relations().len()).all(|relation| self.surplus(relation, steps) == 0)
    }

    fn inside(&self, steps: &[i64]) -> bool {
        (0..steps.len()).all(|i| (self.lower[i]..=self.upper[i]).contains(&steps[i]))
    }

    fn add_up(&self, order: &[(usize, CellId)], steps: &mut [i64]) {
        for &(relation, total) in order {
            steps[total.index()] = 0;
            let sum = self.surplus(relation, steps);
            steps[total.index()] = i64::try_from(sum).unwrap_or(i64::MAX);
        }
    }

    /// Lets some cells follow the others, each in its range; `None` if that cannot be.
    fn solved(&self, steps: &[i64]) -> Option<Vec<i64>> {
        let room = |i: usize| (steps[i] - self.lower[i]).min(self.upper[i] - steps[i]);
        let room: Vec<i64> = (0..steps.len()).map(room).collect();
        let pivots = Pivots::new(self.problem.relations(), &self.sums, &room)?;
        let solved = pivots.near(steps.to_vec(), &self.lower, &self.upper)?;
        (self.holds(&solved) && self.inside(&solved)).then_some(solved)
    }

    /// Spreads what the relations miss over cells with room, as few steps as possible.
    fn repair(
        &self,
        mut steps: Vec<i64>,
        context: &Context<'_>,
    ) -> Result<Option<Vec<i64>>, EngineError> {
        let relations = self.problem.relations();
        for _ in 0..REPAIRS {
            if self.holds(&steps) {
                return Ok(Some(steps).filter(|steps| self.inside(steps)));
            }
            let mut model = Model { changes: Changes::Many, ..Model::default() };
            for (i, &step) in steps.iter().enumerate() {
                model.column(1.0, 0.0, ((step - self.lower[i]) as f64).min(1e6));
                model.column(1.0, 0.0, ((self.upper[i] - step) as f64).min(1e6));
            }
            for relation in 0..relations.len() {
                let terms = relations.row(relation).flat_map(|(cell, c)| {
                    [(2 * cell.0, -f64::from(c)), (2 * cell.0 + 1, f64::from(c))]
                });
                let missing = -(self.surplus(relation, &steps) as f64);
                model.row(terms.collect(), missing, missing);
            }
            // What was found is brought home even when the time is up.
            let seconds = context.left().map(|left| left.max(MOMENT));
            let limits = Limits { seconds, ..Limits::default() };
            let outcome = context.engine.open(&model)?.solve(&limits)?;
            let Outcome::Optimal(solution) = outcome else { return Ok(None) };
            for (i, step) in steps.iter_mut().enumerate() {
                let by = (solution.columns[2 * i + 1] - solution.columns[2 * i]).round() as i64;
                *step = (*step + by).max(self.lower[i]).min(self.upper[i]);
            }
        }
        Ok(None)
    }

    fn adjustment(&self, steps: &[i64]) -> Option<Adjustment> {
        let factor = i64::try_from(units::pow10(self.extra)).ok()?;
        let value = |cell: CellId| {
            self.problem.value(cell).checked_mul(factor)?.checked_add(steps[cell.index()])
        };
        let values: Option<Vec<i64>> = self.problem.cells().map(value).collect();
        Some(Adjustment::new(self.problem.decimals() + self.extra, values?))
    }
}

/// Every cell as near to its place as its range allows and totals added up from their parts; `None` if that is no table.
pub(crate) fn added_up(task: &Task<'_>, lower: &[f64], upper: &[f64]) -> Option<Vec<f64>> {
    let relations = &task.relations;
    let mut moves: Vec<f64> = lower.iter().zip(upper).map(|(l, u)| l.max(u.min(0.0))).collect();
    let surplus = |relation: usize, moves: &[f64]| {
        let terms = relations.row(relation).map(|(cell, c)| f64::from(c) * moves[cell.index()]);
        terms.sum::<f64>() - task.missing[relation]
    };
    for (relation, total) in order_of_totals(relations, moves.len()) {
        moves[total.index()] = 0.0;
        moves[total.index()] = surplus(relation, &moves);
    }
    let inside = (0..moves.len()).all(|i| lower[i] <= moves[i] && moves[i] <= upper[i]);
    let largest = moves.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
    let holds = |relation| surplus(relation, &moves).abs() <= 1e-9 * largest;
    (inside && (0..relations.len()).all(holds)).then_some(moves)
}

/// One relation per total, such that every total comes after those of its parts that are totals themselves.
fn order_of_totals(relations: &Relations, cells: usize) -> Vec<(usize, CellId)> {
    let mut relation_of: Vec<Option<usize>> = vec![None; cells];
    for relation in 0..relations.len() {
        if let Some(total) = relations.total(relation).filter(|_| relations.is_sum(relation)) {
            relation_of[total.index()].get_or_insert(relation);
        }
    }
    let mut order = Vec::new();
    // 0: not seen, 1: its parts are being ordered, 2: in order.
    let mut state = vec![0_u8; cells];
    for start in 0..cells {
        let mut stack = vec![start];
        while let Some(&cell) = stack.last() {
            let Some(relation) = relation_of[cell].filter(|_| state[cell] < 2) else {
                state[cell] = 2;
                stack.pop();
                continue;
            };
            if state[cell] == 1 {
                state[cell] = 2;
                order.push((relation, CellId::at(cell)));
                stack.pop();
                continue;
            }
            state[cell] = 1;
            let parts = relations.row(relation).filter(|&(_, c)| c > 0);
            stack.extend(parts.map(|(part, _)| part.index()).filter(|&part| state[part] == 0));
        }
    }
    order
}
