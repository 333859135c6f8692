//! Witnesses without a solver in tables with hierarchies and any number of dimensions, also from cells that are not withheld yet.
//!
//! Moves along one dimension that keep its sums are a [circuit](circuit); the product of one circuit per dimension keeps every
//! sum of the table. Without hierarchies that is a hypercube. Where one product does not go far enough, several add up. What withholding
//! a cell costs is up to the caller, who may also forbid it.

mod circuit;
mod coarse;
mod exchange;
mod graph;
mod leaves;
mod pursuit;
mod queue;
mod search;
mod split;
mod transfer;

use crate::cube::Map;
use crate::grid::Grid;
use cellveil_core::{CellId, Incidence, Problem, Side, Witness};
use circuit::{Wanted, towards};
use exchange::Exchange;
pub use graph::{Graph, Steps};
use pursuit::Pursuit;
use search::{Product, cheapest_of};
use std::sync::{Arc, OnceLock};

/// What it costs that a cell moves to a side, and how far it can go, in units; `None` if it must not.
trait Step: Fn(CellId, Side) -> Option<(f64, i64)> {}
impl<S: Fn(CellId, Side) -> Option<(f64, i64)>> Step for S {}

/// What withholding a cell costs; `None` if it must not move.
pub type Price<'p> = dyn Fn(CellId) -> Option<f64> + 'p;

/// A unit of cost that every cell has: of two products that cost nothing, the smaller is better.
const BESIDES: f64 = 1e-6;

/// What some cells cost together.
#[derive(Clone, Copy)]
struct Charge {
    cost: f64,
    /// How far all of them can go.
    room: i64,
    corners: u32,
}

impl Charge {
    /// With one more cell; `None` if that must not move.
    fn with(self, step: Option<(f64, i64)>) -> Option<Self> {
        let (cost, room) = step?;
        let room = room.min(self.room);
        Some(Self { cost: self.cost + cost, room, corners: self.corners + 1 })
    }

    fn joined(self, other: Self) -> Self {
        Self {
            cost: self.cost + other.cost,
            room: self.room.min(other.room),
            corners: self.corners + other.corners,
        }
    }

    /// The cost per unit of what is wanted.
    fn rank(self, most: i64) -> f64 {
        self.cost + BESIDES * f64::from(self.corners) / self.room.min(most) as f64
    }
}

/// How many products may add up to one witness.
const SUMMANDS: usize = 64;

/// Which part of what is missing each must bring, one part in so many: few large products first.
const SHARES: [i64; 3] = [1, 4, 16];

/// How many products a search brings of which several may be taken, if they cost at most so many times what the first does.
const AT_ONCE: usize = 8;
const SLACK: f64 = 1.2;

/// One part in `share`, rounded up.
fn part_of(missing: i64, share: i64) -> i64 {
    (missing as u64).div_ceil(share as u64) as i64
}

/// What the cells of a witness cost.
fn paid(witness: &Witness, price: &Price<'_>) -> f64 {
    witness.moves.iter().filter_map(|&(cell, _)| price(cell)).sum()
}

/// Finds products in a table.
pub struct Products<'a> {
    problem: &'a Problem,
    incidence: Arc<Incidence>,
    grid: Grid,
    rooms: Rooms,
    exchange: OnceLock<Option<Exchange>>,
}

/// How far every cell can go down and up, in units: searches ask this more often than anything else.
struct Rooms(Vec<[i64; 2]>);

impl Rooms {
    fn of(problem: &Problem) -> Self {
        let rooms = |cell| Side::BOTH.map(|side| problem.room(cell, side).unwrap_or(i64::MAX / 4));
        Self(problem.cells().map(rooms).collect())
    }

    #[inline]
    fn to(&self, cell: CellId, side: Side) -> i64 {
        self.0[cell.index()][usize::from(side == Side::Up)]
    }
}

impl<'a> Products<'a> {
    /// `None` if the relations of the problem do not stand in a grid.
    pub fn new(problem: &'a Problem, incidence: Arc<Incidence>) -> Option<Self> {
        let grid = Grid::of(problem, &incidence)?;
        let rooms = Rooms::of(problem);
        Some(Self { problem, incidence, grid, rooms, exchange: OnceLock::new() })
    }

    /// A table with `cell` moved `target` units or more to `side`, cheap if not the cheapest: many small products, or a few large ones.
    pub fn reach(
        &self,
        cell: CellId,
        side: Side,
        target: i64,
        price: &Price<'_>,
    ) -> Option<Witness> {
        let target = target.max(1);
        let mut best: Option<(f64, Witness)> = None;
        for share in SHARES {
            let less = best.as_ref().map_or(f64::INFINITY, |(least, _)| *least);
            let found = self.sum(cell, side, target, share, price, less);
            let Some(found) = found else { continue };
            let cost = paid(&found, price);
            if cost < less {
                best = Some((cost, found));
            }
            if cost == 0.0 {
                break;
            }
        }
        best.map(|(_, witness)| witness)
    }

    /// The same by cells of the finest level that follow it, where that is one of them (see `pursuit.rs`).
    pub fn pursue(
        &self,
        cell: CellId,
        side: Side,
        target: i64,
        price: &Price<'_>,
    ) -> Option<Witness> {
        let target = target.max(1);
        let mut sum = Sum { rooms: &self.rooms, moved: Map::default() };
        let step = |cell: CellId, side: Side| sum.step(cell, side, target, price);
        let wanted = Wanted { cell, side, least: target, most: target };
        for (cell, times) in Pursuit::run(&self.grid, wanted, &step)? {
            sum.push(cell, side.sign() * i64::from(times) * target);
        }
        self.witness(sum)
    }

    /// Products that add up, each of which brings at least one part in `share` of what is missing; given up when they cost no `less`.
    fn sum(
        &self,
        cell: CellId,
        side: Side,
        target: i64,
        share: i64,
        price: &Price<'_>,
        less: f64,
    ) -> Option<Witness> {
        let mut sum = Sum { rooms: &self.rooms, moved: Map::default() };
        let mut missing = target;
        for _ in 0..SUMMANDS {
            let least = part_of(missing, share);
            let wanted = Wanted { cell, side, least, most: missing };
            let step = |cell, side| {
                let (cost, room) = sum.step(cell, side, least, price)?;
                Some((cost / room.min(missing) as f64, room))
            };
            let mut products = cheapest_of(&self.grid, split::ALL, wanted, &step, AT_ONCE);
            if products.is_empty() {
                return None;
            }
            let first = products.remove(0);
            let amount = if missing == target {
                self.amount(&first, side, missing)
            } else {
                first.charge.room.min(missing)
            };
            let rank = first.charge.rank(missing);
            sum.add(&first, side, amount);
            missing -= amount;
            // Those that come next are as good as what another search would find.
            while missing > 0 {
                let least = part_of(missing, share);
                let charge = |product: &Product| sum.charge(product, side, least, missing, price);
                let ranked = products.iter().enumerate().filter_map(|(at, product)| {
                    let charge = charge(product)?;
                    Some((charge.rank(missing), at, charge.room))
                });
                let next = ranked.min_by(|a, b| a.0.total_cmp(&b.0));
                let Some((_, at, room)) = next.filter(|next| next.0 <= SLACK * rank) else { break };
                let amount = room.min(missing);
                sum.add(&products.swap_remove(at), side, amount);
                missing -= amount;
            }
            if missing <= 0 {
                return self.witness(sum);
            }
            if sum.paid(price) >= less {
                return None;
            }
        }
        None
    }

    /// How far a product should move: as far as is missing if it can, further if that meets the needs of its other corners.
    fn amount(&self, product: &Product, side: Side, missing: i64) -> i64 {
        let asked = product.corners.iter().filter_map(|&(cell, sign)| {
            Some(self.problem.needs().of(cell)?.on(towards(side, sign)))
        });
        asked.max().unwrap_or(0).max(missing).min(product.charge.room)
    }

    /// The witness that a sum of products is, if it keeps every relation: dimensions were guessed from relations.
    fn witness(&self, sum: Sum<'_>) -> Option<Witness> {
        let mut moves: Vec<(CellId, i64)> = sum
            .moved
            .into_iter()
            .filter(|&(_, step)| step != 0)
            .map(|(c, s)| (CellId(c), s))
            .collect();
        moves.sort_unstable();
        self.kept(moves)
    }

    /// The witness that some moves are, ascending, if they keep every relation.
    fn kept(&self, moves: Vec<(CellId, i64)>) -> Option<Witness> {
        let mut sums: Vec<(u32, i64)> = moves
            .iter()
            .flat_map(|&(cell, step)| {
                self.incidence.of(cell).iter().map(move |&(r, c)| (r, i64::from(c) * step))
            })
            .collect();
        sums.sort_unstable();
        let is_kept =
            |sum: &[(u32, i64)]| sum.iter().map(|&(_, step)| i128::from(step)).sum::<i128>() == 0;
        let kept = sums.chunk_by(|a, b| a.0 == b.0).all(is_kept);
        kept.then_some(Witness { denominator: 1, moves })
    }
}

/// Products that add up.
struct Sum<'a> {
    rooms: &'a Rooms,
    moved: Map<u32, i64>,
}

impl Sum<'_> {
    /// What a step of at least so many units costs. What moves already costs nothing more, and can go back further than it could from where it was.
    #[inline]
    fn step(&self, cell: CellId, side: Side, least: i64, price: &Price<'_>) -> Option<(f64, i64)> {
        let moved = if self.moved.is_empty() { None } else { self.moved.get(&cell.0).copied() };
        let room = self.rooms.to(cell, side) - side.sign() * moved.unwrap_or(0);
        if room < least {
            return None;
        }
        let cost = if moved.is_some() { 0.0 } else { price(cell)? };
        Some((cost, room))
    }

    /// What its cells cost.
    fn paid(&self, price: &Price<'_>) -> f64 {
        let moved = self.moved.iter().filter(|&(_, &step)| step != 0);
        moved.filter_map(|(&cell, _)| price(CellId(cell))).sum()
    }

    /// What a product costs now, per unit, and how far it can go; `None` if not that far.
    fn charge(
        &self,
        product: &Product,
        side: Side,
        least: i64,
        missing: i64,
        price: &Price<'_>,
    ) -> Option<Charge> {
        let nothing = Charge { cost: 0.0, room: i64::MAX, corners: 0 };
        product.corners.iter().try_fold(nothing, |charge, &(cell, sign)| {
            let (cost, room) = self.step(cell, towards(side, sign), least, price)?;
            charge.with(Some((cost / room.min(missing) as f64, room)))
        })
    }

    fn add(&mut self, product: &Product, side: Side, amount: i64) {
        for &(cell, sign) in &product.corners {
            self.push(cell, side.sign() * i64::from(sign) * amount);
        }
    }

    fn push(&mut self, cell: CellId, by: i64) {
        *self.moved.entry(cell.0).or_default() += by;
    }
}
