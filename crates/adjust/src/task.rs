//! An instance as the methods of adjustment see it: moves instead of values, in floating point.

use crate::{AdjustError, Weights};
use cellveil_core::{CellId, Problem, Relations, Side, Status, levels, units};

/// A sensitive cell: how far it must move, to either side it can move to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sensitive {
    pub(crate) cell: CellId,
    /// Units to move down at least; `None` if that side is closed.
    pub(crate) down: Option<f64>,
    /// Units to move up at least; `None` if that side is closed.
    pub(crate) up: Option<f64>,
}

impl Sensitive {
    /// The level of a side, if it is open.
    pub(crate) fn level(&self, side: Side) -> Option<f64> {
        match side {
            Side::Down => self.down,
            Side::Up => self.up,
        }
    }

    /// Whether the interval to avoid does not contain the value: one of the levels is below zero.
    pub(crate) fn is_aside(&self) -> bool {
        self.down.is_some_and(|level| level < 0.0) || self.up.is_some_and(|level| level < 0.0)
    }

    /// The only open side, if there is just one.
    pub(crate) fn forced(&self) -> Option<Side> {
        match (self.down, self.up) {
            (Some(_), None) => Some(Side::Down),
            (None, Some(_)) => Some(Side::Up),
            _ => None,
        }
    }
}

/// Up to so many cells, a linear program makes a table exact.
const LARGE: usize = 2_500;
/// How much further sensitive totals of a large table go than they must: in units, and as a share of their level.
const ROOM: (f64, f64) = (0.02, 1e-4);

/// Which way each sensitive cell moves, in the order of the task's sensitive cells.
pub(crate) type Senses = Vec<Side>;

/// The moves that are allowed and what they cost.
#[derive(Clone)]
pub(crate) struct Task<'a> {
    pub(crate) problem: &'a Problem,
    /// The relations that the moves keep.
    pub(crate) relations: Relations,
    /// Per cell the furthest move down, in units; not positive.
    pub(crate) lower: Vec<f64>,
    /// Per cell the furthest move up, in units; not negative.
    pub(crate) upper: Vec<f64>,
    /// Per cell what a move by one unit costs (L1), or by one unit squared (L2).
    pub(crate) weights: Vec<f64>,
    /// Ascending by cell.
    pub(crate) sensitive: Vec<Sensitive>,
    /// Per relation what the moves must add up to, in units: what the true table misses, and 0 where it adds up.
    pub(crate) missing: Vec<f64>,
    /// The task whose cells were merged into these; `None` if these are the cells of the problem.
    pub(crate) origin: Option<&'a Task<'a>>,
}

/// What the moves of each relation must add up to, in units, so that the adjusted table adds up.
fn missing(problem: &Problem) -> Vec<f64> {
    let (relations, values) = (problem.relations(), &problem.parts().values);
    (0..relations.len()).map(|relation| -relations.residual(relation, values) as f64).collect()
}

impl<'a> Task<'a> {
    /// # Errors
    /// [`AdjustError::Stuck`] if a sensitive cell has no room to move far enough to either side.
    pub(crate) fn new(
        problem: &'a Problem,
        weights: Weights,
        square: bool,
    ) -> Result<Self, AdjustError> {
        let task = Self::even_if_stuck(problem, weights, square);
        match task.stuck() {
            None => Ok(task),
            Some(cell) => {
                Err(AdjustError::Stuck { cell: problem.names().describe(cell).to_string() })
            }
        }
    }

    /// As [`Task::new`]; a sensitive cell without room has both sides closed.
    pub(crate) fn even_if_stuck(problem: &'a Problem, weights: Weights, square: bool) -> Self {
        let unit = units::to_f64(1, problem.decimals());
        let per_move = if square { unit * unit } else { unit };
        let frozen = |cell| problem.status(cell) == Status::Frozen;
        let room = |cell: CellId, side: Side| match (frozen(cell), problem.room(cell, side)) {
            (true, _) => 0.0,
            (false, Some(room)) => room as f64,
            // Without a bound, a published value below zero would still look odd in a table that has none.
            (false, None) if side == Side::Down => problem.value(cell).max(0) as f64,
            (false, None) => f64::INFINITY,
        };
        let lower: Vec<f64> = problem.cells().map(|cell| -room(cell, Side::Down)).collect();
        let upper: Vec<f64> = problem.cells().map(|cell| room(cell, Side::Up)).collect();
        let mut sensitive = Vec::new();
        for need in problem.needs() {
            let [down, up] = levels(need);
            let i = need.cell.index();
            if down.is_none() && up.is_none() {
                continue;
            }
            let down = down.map(|level| level as f64).filter(|&level| level <= -lower[i]);
            let up = up.map(|level| level as f64).filter(|&level| level <= upper[i]);
            sensitive.push(Sensitive { cell: need.cell, down, up });
        }
        let weights = problem.cells().map(|cell| weights.of(problem, cell) * per_move).collect();
        Self {
            problem,
            relations: problem.relations().clone(),
            lower,
            upper,
            weights,
            sensitive,
            missing: missing(problem),
            origin: None,
        }
    }

    /// A sensitive cell without room on either side, if there is one.
    pub(crate) fn stuck(&self) -> Option<CellId> {
        self.sensitive.iter().find(|s| s.down.is_none() && s.up.is_none()).map(|s| s.cell)
    }

    /// Whether the true table adds up.
    pub(crate) fn is_additive(&self) -> bool {
        self.missing.iter().all(|&missing| missing == 0.0)
    }

    /// The same task with every cell kept where it is that does not move for nothing; `None` if a sensitive cell is among them.
    pub(crate) fn without_cost(&self) -> Option<Self> {
        let keep = |bounds: &[f64]| {
            bounds
                .iter()
                .zip(&self.weights)
                .map(|(&bound, &w)| if w > 0.0 { 0.0 } else { bound })
                .collect()
        };
        self.sensitive.iter().all(|s| self.weights[s.cell.index()] == 0.0).then(|| Self {
            lower: keep(&self.lower),
            upper: keep(&self.upper),
            ..self.clone()
        })
    }

    /// The same task of squares in the norm of absolute values.
    pub(crate) fn linear(&self) -> Self {
        let unit = units::to_f64(1, self.problem.decimals());
        let weights = self.weights.iter().map(|weight| weight / unit).collect();
        Self { weights, ..self.clone() }
    }

    /// The moves that a cell is allowed once its sense is chosen.
    pub(crate) fn range(&self, at: usize, sense: Side) -> (f64, f64) {
        let sensitive = &self.sensitive[at];
        let i = sensitive.cell.index();
        match sense {
            Side::Down => (self.lower[i], (-sensitive.down.unwrap_or(0.0)).min(self.upper[i])),
            Side::Up => (sensitive.up.unwrap_or(0.0).max(self.lower[i]), self.upper[i]),
        }
    }

    /// The ranges of all cells once all senses are chosen.
    pub(crate) fn ranges(&self, senses: &[Side]) -> (Vec<f64>, Vec<f64>) {
        let (mut lower, mut upper) = (self.lower.clone(), self.upper.clone());
        for (at, &sense) in senses.iter().enumerate() {
            let i = self.sensitive[at].cell.index();
            (lower[i], upper[i]) = self.range(at, sense);
        }
        (lower, upper)
    }

    /// What moves cost in the norm of squares.
    pub(crate) fn squares(&self, moves: &[f64]) -> f64 {
        moves.iter().zip(&self.weights).map(|(z, w)| w * z * z).sum()
    }

    /// In a large table totals are added up again from rounded parts, so sensitive ones go a hair further than they must.
    pub(crate) fn leave_room(&self, lower: &mut [f64], upper: &mut [f64]) {
        if self.weights.len() <= LARGE {
            return;
        }
        let mut is_total = vec![false; self.weights.len()];
        let relations = &self.relations;
        let totals = (0..relations.len()).filter_map(|relation| relations.total(relation));
        totals.for_each(|total| is_total[total.index()] = true);
        for i in self.sensitive.iter().map(|s| s.cell.index()).filter(|&i| is_total[i]) {
            let room = |level: f64| ROOM.0.max(ROOM.1 * level.abs());
            if lower[i] > 0.0 && lower[i] + room(lower[i]) <= upper[i] {
                lower[i] += room(lower[i]);
            } else if upper[i] < 0.0 && upper[i] - room(upper[i]) >= lower[i] {
                upper[i] -= room(upper[i]);
            }
        }
    }

    /// A typical level: what the solver counts in.
    pub(crate) fn scale(&self) -> f64 {
        let levels = self.sensitive.iter().flat_map(|s| [s.down, s.up]).flatten();
        let sizes = levels.map(f64::abs).filter(|&level| level > 0.0);
        let (sum, count) = sizes.fold((0.0, 0), |(sum, n), level| (sum + level.ln(), n + 1));
        if count == 0 { 1.0 } else { f64::exp(sum / f64::from(count)).max(1e-3) }
    }
}
