//! Cells of the finest level that move together so that few totals do.
//!
//! A cell of the finest level that moves takes all totals above it along, and whatever keeps every sum is made of such steps. So a step of the
//! wanted cell is followed by steps of others the other way, each chosen to save most of what the cells that move now cost: it takes a dear
//! total out, and cheaper cells in. That finds what no product has, such as two cells deep in different branches whose
//! totals are withheld anyway. All move by the same amount.

use super::Step;
use super::circuit::{Wanted, towards};
use crate::cube::Map;
use crate::grid::Grid;
use cellveil_core::CellId;

/// How many steps are taken at most, and how many dear totals are tried before giving up.
const STEPS: usize = 16;
const TRIED: usize = 3;

/// A step must save more than this.
const SAVED: f64 = 1e-9;

/// How many cells are looked at below one total.
const LOOKED_AT: u64 = 30_000;

/// Cells that move: how many times the amount, and what they cost; the signs are relative to the wanted cell.
pub(super) struct Pursuit<'p, S> {
    grid: &'p Grid,
    wanted: Wanted,
    step: &'p S,
    moved: Map<u32, i32>,
    cost: f64,
}

impl<'p, S: Step> Pursuit<'p, S> {
    /// The moves found, each times `wanted.least`; `None` if the cell cannot move with any totals.
    pub(super) fn run(grid: &'p Grid, wanted: Wanted, step: &'p S) -> Option<Vec<(CellId, i32)>> {
        if !grid.is_tree() {
            return None;
        }
        let mut pursuit = Self { grid, wanted, step, moved: Map::default(), cost: 0.0 };
        let (cost, moved) = pursuit.best_below(wanted.cell, 1, f64::INFINITY)?;
        pursuit.take(cost, moved);
        for _ in 0..STEPS {
            if !pursuit.improve() {
                break;
            }
        }
        let mut moves: Vec<(CellId, i32)> =
            pursuit.moved.into_iter().map(|(cell, times)| (CellId(cell), times)).collect();
        moves.sort_unstable();
        Some(moves)
    }

    fn take(&mut self, cost: f64, moved: Vec<(u32, i32)>) {
        self.cost += cost;
        for (cell, times) in moved {
            if times == 0 {
                self.moved.remove(&cell);
            } else {
                self.moved.insert(cell, times);
            }
        }
    }

    /// Takes the step that saves most of one of the dearest cells; false if none saves anything.
    fn improve(&mut self) -> bool {
        let priced = self.moved.iter().filter_map(|(&cell, &times)| {
            let (cost, _) =
                (self.step)(CellId(cell), towards(self.wanted.side, times.signum() as i8))?;
            (cost > 0.0).then_some((cost, cell, times))
        });
        let mut dear: Vec<(f64, u32, i32)> = priced.collect();
        dear.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for &(_, cell, times) in dear.iter().take(TRIED) {
            if let Some((cost, moved)) = self.best_below(CellId(cell), -times.signum(), -SAVED) {
                self.take(cost, moved);
                return true;
            }
        }
        false
    }

    /// The cheapest step of a cell of the finest level below a total, if it costs less than this.
    fn best_below(&self, total: CellId, sign: i32, less: f64) -> Option<(f64, Vec<(u32, i32)>)> {
        let place = self.grid.place(total);
        let axes = self.grid.axes();
        let leaves: Vec<&[u32]> =
            place.iter().zip(axes).map(|(&code, axis)| axis.leaves_below(code)).collect();
        let count = leaves.iter().map(|leaves| leaves.len() as u64).product::<u64>();
        let stride = count.div_ceil(LOOKED_AT) | 1;
        let mut best: Option<(f64, Vec<(u32, i32)>)> = None;
        let mut codes = vec![0; leaves.len()];
        for number in (0..count).step_by(stride as usize) {
            let mut rest = number;
            let mut key = 0;
            for ((code, leaves), axis) in codes.iter_mut().zip(&leaves).zip(axes) {
                *code = leaves[(rest % leaves.len() as u64) as usize];
                rest /= leaves.len() as u64;
                key += u64::from(*code) * axis.stride;
            }
            // Most cannot move that far, and that is seen from the cell alone.
            let Some(cell) = self.grid.at(key) else { continue };
            if !self.can_move(cell, sign) {
                continue;
            }
            let Some((cost, moved)) = self.changed(&codes, sign) else { continue };
            if cost < best.as_ref().map_or(less, |best| best.0) {
                best = Some((cost, moved));
            }
        }
        best
    }

    fn can_move(&self, cell: CellId, sign: i32) -> bool {
        let times = self.moved.get(&cell.0).copied().unwrap_or(0) + sign;
        self.charge(cell, times).is_some()
    }

    /// What a cell costs that moves so many times the amount; `None` if it cannot.
    fn charge(&self, cell: CellId, times: i32) -> Option<f64> {
        if cell == self.wanted.cell && times < 1 {
            return None;
        }
        if times == 0 {
            return Some(0.0);
        }
        let (cost, room) = (self.step)(cell, towards(self.wanted.side, times.signum() as i8))?;
        (room / i64::from(times.unsigned_abs()) >= self.wanted.least).then_some(cost)
    }

    /// What it costs more to let a cell of the finest level take a step, and how its totals move then.
    fn changed(&self, codes: &[u32], sign: i32) -> Option<(f64, Vec<(u32, i32)>)> {
        let keys = self.grid.with_totals(codes);
        let mut cost = 0.0;
        let mut moved = Vec::with_capacity(keys.len());
        for key in keys {
            let cell = self.grid.at(key)?;
            let before = self.moved.get(&cell.0).copied().unwrap_or(0);
            let times = before + sign;
            cost += self.charge(cell, times)?;
            if before != 0 {
                cost -= self.charge(cell, before).unwrap_or(0.0);
            }
            moved.push((cell.0, times));
        }
        Some((cost, moved))
    }
}
