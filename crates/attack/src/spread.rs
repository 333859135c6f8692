//! Tables in which very many cells move a little: what large components need where no cube and no layer carries enough.
//!
//! A barrier method keeps every cell away from its bounds while many needs at once are pulled towards their levels. Each step is one
//! system of linear equations, as many as there are relations, solved by conjugate gradients: memory is proportional to the
//! component, and so is the work of an iteration. Nothing is exact here; see [`crate::slab`].

use crate::component::Component;
use crate::dimension::Dimensions;
use crate::propagate::{NO_LIMIT, Rows};
use cellveil_core::Side;

/// A position, the side to which it is to move, and how far, in units.
pub(crate) type Goal = (u32, Side, i64);

/// How far beyond its level a cell is pulled, in parts of it: what rounding may cost.
const BEYOND: f64 = 1.05;

/// The weight of the barrier at first, how it shrinks after steps that went far enough, and the most steps.
const BARRIER: f64 = 0.3;
const LESS: f64 = 0.35;
const FAR_ENOUGH: f64 = 0.25;
const STEPS: usize = 30;

/// Steps that may pass with hardly a new goal reached, once one is.
const PATIENCE: usize = 4;

/// The share of the way to the nearest bound that one step may go.
const STOP_SHORT: f64 = 0.9;

/// When equations are solved well enough on the way and at the end, and the most iterations.
const PRECISE: f64 = 1e-4;
const SETTLED: f64 = 1e-9;
const ITERATIONS: usize = 500;

/// The room of a cell that nothing limits.
const ENDLESS: f64 = 1e18;

/// A component, ready to be spread over.
pub(crate) struct Spread {
    rows: usize,
    lines: Lines,
    /// How far cells may go down and up, in their own signs; both 0 for cells that stay.
    rooms: Vec<[f64; 2]>,
}

/// The relations of every cell.
enum Lines {
    /// In three dimensions, that which a cell shares most often with the next one first. Cells count with their sign, so that every coefficient is +1.
    Three { rows: Vec<[u32; 3]>, signs: Vec<i8> },
    /// Any others, with their coefficients.
    Any(Rows),
}

/// What pulls every cell, and how easily it moves.
struct Forces {
    force: Vec<f64>,
    ease: Vec<f64>,
}

impl Lines {
    fn sign(&self, at: usize) -> f64 {
        match self {
            Self::Three { signs, .. } => f64::from(signs[at]),
            Self::Any(_) => 1.0,
        }
    }

    fn of(&self, at: usize) -> Vec<u32> {
        match self {
            Self::Three { rows, .. } => rows[at].to_vec(),
            Self::Any(rows) => rows.of(at).iter().map(|&(row, _)| row).collect(),
        }
    }
}

impl Spread {
    /// A component of three dimensions. Cells of which `stays` says so, and those with no room on one side, are left alone.
    pub(crate) fn in_three(
        component: &Component,
        dimensions: &Dimensions,
        stays: impl Fn(u32) -> bool,
    ) -> Self {
        let signs = dimensions.signs.clone();
        Self::new(component, Lines::Three { rows: in_turn(&dimensions.rows), signs }, stays)
    }

    /// Any component.
    pub(crate) fn in_any(component: &Component) -> Self {
        Self::new(component, Lines::Any(component.rows_of()), |_| false)
    }

    fn new(component: &Component, lines: Lines, stays: impl Fn(u32) -> bool) -> Self {
        let far = |room: i64| if room == NO_LIMIT { ENDLESS } else { room as f64 };
        let rooms = component.rooms.iter().enumerate().map(|(at, &[down, up])| {
            let room = if lines.sign(at) > 0.0 { [down, up] } else { [up, down] };
            if room.contains(&0) || stays(at as u32) { [0.0; 2] } else { room.map(far) }
        });
        let rooms = rooms.collect();
        let mut spread = Self { rows: component.rows.len(), lines, rooms };
        spread.hold(component);
        spread
    }

    /// Holds cells that are alone in a relation, until there is none.
    fn hold(&mut self, component: &Component) {
        let mut waiting: Vec<u32> = (0..self.rows as u32).collect();
        while let Some(row) = waiting.pop() {
            let cells = component.rows[row as usize].iter().map(|&(at, _)| at);
            let mut free = cells.filter(|&at| self.moves(at));
            if let (Some(at), None) = (free.next(), free.next()) {
                self.rooms[at as usize] = [0.0; 2];
                waiting.extend(self.lines.of(at as usize));
            }
        }
    }

    /// Whether a cell may move.
    pub(crate) fn moves(&self, at: u32) -> bool {
        self.rooms[at as usize][0] > 0.0
    }

    /// Moves, in units, that keep every relation nearly and lead towards as many goals as possible; and prices of the relations, which
    /// say what keeps them from going further.
    pub(crate) fn towards(&self, goals: &[Goal]) -> (Vec<f64>, Vec<f64>) {
        let mut pull = vec![0.0; self.rooms.len()];
        for &(at, side, level) in goals.iter().filter(|(at, ..)| self.moves(*at)) {
            let sign = side.sign() as f64 * self.lines.sign(at as usize);
            pull[at as usize] = sign / level.max(1) as f64;
        }
        let mut levels: Vec<i64> = goals.iter().map(|goal| goal.2).collect();
        levels.sort_unstable();
        let typical = levels.get(levels.len() / 2).map_or(1.0, |&level| level.max(1) as f64);
        let mut moved = vec![0.0; self.rooms.len()];
        let mut prices = vec![0.0; self.rows];
        let (mut barrier, mut most, mut since) = (BARRIER, 0, 0);
        for _ in 0..STEPS {
            if self.step(&mut moved, &mut prices, &pull, (barrier, typical)) > FAR_ENOUGH {
                barrier *= LESS;
            }
            let is_there = |goal: &&Goal| {
                moved[goal.0 as usize] * pull[goal.0 as usize] >= f64::midpoint(1.0, BEYOND)
            };
            let met = goals.iter().filter(is_there).count();
            since = if met > most + most / 64 { 0 } else { since + 1 };
            most = most.max(met);
            if met == goals.len() || (since >= PATIENCE && met > 0) {
                break;
            }
        }
        self.settle(&mut moved, typical);
        for (at, by) in moved.iter_mut().enumerate() {
            *by *= self.lines.sign(at);
        }
        (moved, prices)
    }

    /// One step; returns the share of it that the bounds allow.
    fn step(
        &self,
        moved: &mut [f64],
        prices: &mut [f64],
        pull: &[f64],
        (barrier, typical): (f64, f64),
    ) -> f64 {
        let Forces { force, ease } = self.forces(moved, pull, barrier, typical);
        let eased: Vec<f64> = (0..moved.len()).map(|at| ease[at] * force[at] + moved[at]).collect();
        self.solve(&ease, &self.sums(&eased), prices, PRECISE);
        let change: Vec<f64> =
            (0..moved.len()).map(|at| ease[at] * (force[at] - self.price(at, prices))).collect();
        let share = self.share(moved, &change);
        for (moved, change) in moved.iter_mut().zip(&change) {
            *moved += share * change;
        }
        share
    }

    /// Takes what relations still miss from the cells that have most room.
    fn settle(&self, moved: &mut [f64], typical: f64) {
        let Forces { ease, .. } = self.forces(moved, &vec![0.0; moved.len()], 1.0, typical);
        let mut prices = vec![0.0; self.rows];
        self.solve(&ease, &self.sums(moved), &mut prices, SETTLED);
        for (at, moved) in moved.iter_mut().enumerate() {
            *moved -= ease[at] * self.price(at, &prices);
        }
    }

    /// Cells with more room than `typical` move no more easily than with that: equations of amounts too far apart are slow to solve.
    fn forces(&self, moved: &[f64], pull: &[f64], barrier: f64, typical: f64) -> Forces {
        let mut forces = Forces { force: vec![0.0; moved.len()], ease: vec![0.0; moved.len()] };
        for at in (0..moved.len()).filter(|&at| self.moves(at as u32)) {
            let [down, up] = self.rooms[at];
            let (below, above) = (1.0 / (moved[at] + down), 1.0 / (up - moved[at]));
            let mut force = barrier * (below - above);
            let near = (below * below + above * above).max(1.0 / (typical * typical));
            let mut stiff = barrier * near;
            let short = BEYOND - moved[at] * pull[at];
            if pull[at] != 0.0 && short > 0.0 {
                force += short * pull[at];
                stiff += pull[at] * pull[at];
            }
            forces.force[at] = force;
            forces.ease[at] = 1.0 / stiff;
        }
        forces
    }

    fn price(&self, at: usize, prices: &[f64]) -> f64 {
        match &self.lines {
            Lines::Three { rows, .. } => rows[at].iter().map(|&row| prices[row as usize]).sum(),
            Lines::Any(rows) => {
                rows.of(at).iter().map(|&(row, c)| f64::from(c) * prices[row as usize]).sum()
            }
        }
    }

    /// Per relation the sum of its cells.
    fn sums(&self, moved: &[f64]) -> Vec<f64> {
        self.weighed(moved, f64::from)
    }

    /// Per relation the sum of its cells, each times what a function makes of its coefficient.
    fn weighed(&self, moved: &[f64], weight: impl Fn(i32) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.rows];
        match &self.lines {
            Lines::Three { rows, .. } => {
                for (rows, by) in rows.iter().zip(moved) {
                    for &row in rows {
                        sums[row as usize] += by;
                    }
                }
            }
            Lines::Any(rows) => {
                for (at, by) in moved.iter().enumerate() {
                    for &(row, c) in rows.of(at) {
                        sums[row as usize] += weight(c) * by;
                    }
                }
            }
        }
        sums
    }

    /// How much of a change keeps all cells within their rooms.
    fn share(&self, moved: &[f64], change: &[f64]) -> f64 {
        let mut share = 1.0_f64;
        for (at, &[down, up]) in self.rooms.iter().enumerate() {
            let left = if change[at] < 0.0 { down + moved[at] } else { up - moved[at] };
            if change[at] != 0.0 && change[at].abs() * share > STOP_SHORT * left {
                share = STOP_SHORT * left / change[at].abs();
            }
        }
        share
    }

    /// Prices of relations by conjugate gradients, starting from those given.
    fn solve(&self, ease: &[f64], wanted: &[f64], prices: &mut [f64], precise: f64) {
        let diagonal = self.weighed(ease, |c| f64::from(c) * f64::from(c));
        let inverse: Vec<f64> =
            diagonal.iter().map(|&sum| if sum > 0.0 { 1.0 / sum } else { 0.0 }).collect();
        let scaled = |by: &[f64]| -> Vec<f64> {
            by.iter().zip(&inverse).map(|(by, inverse)| by * inverse).collect()
        };
        let applied = self.apply(ease, prices);
        let mut residual: Vec<f64> = wanted.iter().zip(&applied).map(|(w, a)| w - a).collect();
        let mut step = scaled(&residual);
        let mut size = dot(&residual, &step);
        let enough = precise * precise * dot(wanted, &scaled(wanted));
        for _ in 0..ITERATIONS {
            if size <= enough {
                return;
            }
            let applied = self.apply(ease, &step);
            let length = size / dot(&step, &applied);
            for row in 0..prices.len() {
                prices[row] += length * step[row];
                residual[row] -= length * applied[row];
            }
            let next = scaled(&residual);
            let before = std::mem::replace(&mut size, dot(&residual, &next));
            for (step, next) in step.iter_mut().zip(&next) {
                *step = next + size / before * *step;
            }
        }
    }

    /// What the cells of every relation give together at these prices. Nearly all of the time is spent here: the sum of the relation
    /// that cells share with the next one is kept at hand.
    fn apply(&self, ease: &[f64], prices: &[f64]) -> Vec<f64> {
        let Lines::Three { rows: lines, .. } = &self.lines else {
            let given: Vec<f64> =
                ease.iter().enumerate().map(|(at, ease)| ease * self.price(at, prices)).collect();
            return self.sums(&given);
        };
        let mut sums = vec![0.0; self.rows];
        let (mut row, mut price, mut sum) = (0, prices[0], 0.0);
        for (&[a, b, c], ease) in lines.iter().zip(ease) {
            if a != row {
                sums[row as usize] += sum;
                (row, price, sum) = (a, prices[a as usize], 0.0);
            }
            let by = ease * (price + prices[b as usize] + prices[c as usize]);
            sum += by;
            sums[b as usize] += by;
            sums[c as usize] += by;
        }
        sums[row as usize] += sum;
        sums
    }
}

/// The relations of cells, with the dimension first in which neighbours share most.
fn in_turn(rows: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let shared =
        |class: usize| rows.windows(2).filter(|two| two[0][class] == two[1][class]).count();
    let first = (0..3).max_by_key(|&class| shared(class)).unwrap_or(0);
    rows.iter().map(|rows| [0, 1, 2].map(|turn| rows[(first + turn) % 3])).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
