//! Finest cells that move together so that few and cheap totals do.
//!
//! A step of a finest cell below the wanted one takes all totals above it along, also some that are dear or cannot move that far. It is followed by steps of
//! others the other way, each chosen to take most of that back, until nothing moves that must not and nothing saves anything. Two cells that move against each
//! other are a vertex of a box along one dimension only; the box in two takes two steps more, of which the first costs. So where no step saves anything, a few are
//! taken in a row (an ejection chain).

use super::Finest;
use crate::product::Price;
use cellveil_core::{CellId, Side, Witness};

/// How many steps or chains may follow the first one, and how many of the dearest cells are tried before giving up.
const STEPS: usize = 64;
const TRIED: usize = 3;

/// How long a chain is, how many begin at one cell, and how many of the dearest cells its next step may take back.
const CHAIN: usize = 6;
const CHAINS: usize = 3;
const NEXT: usize = 2;

/// A wanted cell that falls short counts as so many cells that must not move.
const WANTED: i64 = 1 << 32;

/// A step must save more than this.
const SAVED: f64 = 1e-9;

/// How many cells are looked at for one step: those above the finest cells that are tried.
const LOOKED_AT: usize = 20_000;

/// Cells of at most so many finest cells are near any of them.
const NEAR: usize = 24;

/// Which part of the target moves at once, one part in so many: cells may be too small for all of it.
const SHARES: [i64; 4] = [1, 4, 16, 64];

/// What moves, in units.
pub(super) struct Pursuit<'p> {
    finest: &'p Finest<'p>,
    wanted: CellId,
    side: Side,
    /// How far the wanted cell must have moved at least.
    goal: i64,
    price: &'p Price<'p>,
    /// Prices asked for before.
    prices: Vec<f64>,
    moved: Vec<i64>,
    /// The cells that move, and some that did.
    touched: Vec<u32>,
}

/// What moves cost: how many cells must not move as they do, and what the others cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
struct Toll {
    forbidden: i64,
    cost: f64,
}

impl Toll {
    const NOTHING: Self = Self { forbidden: 0, cost: 0.0 };

    fn is_worth_it(self) -> bool {
        self.forbidden < 0 || (self.forbidden == 0 && self.cost < -SAVED)
    }

    fn and(self, other: Self) -> Self {
        Self { forbidden: self.forbidden + other.forbidden, cost: self.cost + other.cost }
    }
}

impl<'p> Pursuit<'p> {
    pub(super) fn new(
        finest: &'p Finest<'p>,
        wanted: CellId,
        side: Side,
        price: &'p Price<'p>,
    ) -> Self {
        let cells = finest.problem.len();
        let (prices, moved) = (vec![f64::NAN; cells], vec![0; cells]);
        Self { finest, wanted, side, goal: 0, price, prices, moved, touched: Vec::new() }
    }

    /// The table found with the wanted cell moved so far.
    pub(super) fn reach(mut self, target: i64) -> Option<Witness> {
        SHARES.into_iter().find_map(|share| {
            for cell in self.touched.drain(..) {
                self.moved[cell as usize] = 0;
            }
            self.goal = 0;
            let amount = (target as u64).div_ceil(share as u64) as i64;
            while self.goal < target {
                if !self.advance(amount.min(target - self.goal)) {
                    return None;
                }
            }
            Some(self.witness())
        })
    }

    /// Moves the wanted cell so much further; whether nothing moves that must not.
    fn advance(&mut self, amount: i64) -> bool {
        let by = self.side.sign() * amount;
        let first = self.best(self.finest.below.of(self.wanted.0), by, &[]);
        let Some(&(_, leaf)) = first.first() else { return false };
        self.step(leaf, by);
        self.goal += amount;
        for number in 0..STEPS {
            if !self.improve(amount, number) {
                break;
            }
        }
        self.dearest().first().is_none_or(|(toll, ..)| toll.forbidden == 0)
    }

    /// Takes a step back from one of the dearest cells that saves something, or several in a row that do; false if none does.
    fn improve(&mut self, amount: i64, number: usize) -> bool {
        let mut starts: Vec<(u32, i64)> = Vec::new();
        for (_, cell, back) in self.dearest().into_iter().take(TRIED) {
            let back = back * amount;
            let candidates = self.candidates(cell, number);
            let found = self.best(&candidates, back, &[]);
            if let Some(&(toll, leaf)) = found.first()
                && toll.is_worth_it()
            {
                self.step(leaf, back);
                return true;
            }
            starts.extend(found.iter().map(|&(_, leaf)| (leaf, back)));
        }
        starts.into_iter().any(|(leaf, back)| self.chain(leaf, back, number))
    }

    /// Takes steps in a row until they save something together; takes them back if they do not.
    fn chain(&mut self, leaf: u32, by: i64, number: usize) -> bool {
        let mut taken = vec![(leaf, by)];
        let mut all = self.change(leaf, by);
        self.step(leaf, by);
        for _ in 1..CHAIN {
            let mut best: Option<(Toll, u32, i64)> = None;
            for (_, cell, back) in self.dearest().into_iter().take(NEXT) {
                let back = back * by.abs();
                let candidates = self.candidates(cell, number);
                if let Some(&(toll, leaf)) = self.best(&candidates, back, &taken).first()
                    && best.is_none_or(|(least, ..)| toll < least)
                {
                    best = Some((toll, leaf, back));
                }
            }
            let Some((toll, leaf, back)) = best else { break };
            self.step(leaf, back);
            taken.push((leaf, back));
            all = all.and(toll);
            if all.is_worth_it() {
                return true;
            }
        }
        for (leaf, by) in taken {
            self.step(leaf, -by);
        }
        false
    }

    /// The cells that cost something, dearest first, and the side that takes them back.
    fn dearest(&mut self) -> Vec<(Toll, u32, i64)> {
        let moved = &self.moved;
        self.touched.retain(|&cell| moved[cell as usize] != 0);
        self.touched.sort_unstable();
        self.touched.dedup();
        let toll = |&cell: &u32| {
            let by = self.moved[cell as usize];
            (self.toll(cell, by), cell, -by.signum())
        };
        let mut dear: Vec<(Toll, u32, i64)> = self.touched.iter().map(toll).collect();
        dear.retain(|(toll, ..)| *toll > Toll::NOTHING);
        dear.sort_by(|a, b| {
            let by_cost = b.0.cost.total_cmp(&a.0.cost);
            b.0.forbidden.cmp(&a.0.forbidden).then(by_cost).then(a.1.cmp(&b.1))
        });
        dear
    }

    /// Finest cells below a cell that may move back: those near what moves already, and some of all.
    fn candidates(&self, cell: u32, number: usize) -> Vec<u32> {
        let Finest { below, above, .. } = self.finest;
        let all = below.of(cell);
        let most = self.most(all);
        if all.len() <= most {
            return all.to_vec();
        }
        let moved = self.touched.iter().filter(|&&at| below.of(at).len() <= NEAR);
        let mut near: Vec<u32> = moved.flat_map(|&at| below.of(at)).copied().collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&leaf| above.of(leaf).binary_search(&cell).is_ok());
        near.truncate(most);
        let stride = all.len().div_ceil(most);
        near.extend(all.iter().skip(number % stride).step_by(stride));
        near
    }

    /// How many of some finest cells are looked at.
    fn most(&self, leaves: &[u32]) -> usize {
        let each = leaves.first().map_or(1, |&leaf| self.finest.above.of(leaf).len());
        (LOOKED_AT / each.max(1)).max(8)
    }

    /// The cheapest steps of some finest cells but those that were taken, cheapest first.
    fn best(&mut self, leaves: &[u32], by: i64, taken: &[(u32, i64)]) -> Vec<(Toll, u32)> {
        let mut best: Vec<(Toll, u32)> = Vec::with_capacity(CHAINS + 1);
        for &leaf in leaves.iter().filter(|&&leaf| taken.iter().all(|&(other, _)| other != leaf)) {
            let toll = self.change(leaf, by);
            if best.len() < CHAINS || best.last().is_some_and(|(most, _)| toll < *most) {
                let at = best.partition_point(|(known, _)| *known <= toll);
                best.insert(at, (toll, leaf));
                best.truncate(CHAINS);
            }
        }
        best
    }

    /// What a step of a finest cell costs more.
    fn change(&mut self, leaf: u32, by: i64) -> Toll {
        let mut change = Toll::NOTHING;
        let finest = self.finest;
        for &cell in finest.above.of(leaf) {
            if self.prices[cell as usize].is_nan() {
                self.prices[cell as usize] = (self.price)(CellId(cell)).unwrap_or(f64::INFINITY);
            }
            let before = self.moved[cell as usize];
            let (then, now) = (self.toll(cell, before), self.toll(cell, before + by));
            change.forbidden += now.forbidden - then.forbidden;
            change.cost += now.cost - then.cost;
        }
        change
    }

    /// What it costs that a cell moves so far, once its price is known.
    fn toll(&self, cell: u32, by: i64) -> Toll {
        if cell == self.wanted.0 && by * self.side.sign() < self.goal {
            return Toll { forbidden: WANTED, cost: 0.0 };
        }
        let forbidden = Toll { forbidden: 1, cost: 0.0 };
        if by == 0 {
            return Toll::NOTHING;
        }
        let side = if by > 0 { Side::Up } else { Side::Down };
        let room = self.finest.problem.room(CellId(cell), side);
        let cost = self.prices[cell as usize];
        if cost.is_infinite() || room.is_some_and(|room| room < by.abs()) {
            return forbidden;
        }
        Toll { forbidden: 0, cost }
    }

    fn step(&mut self, leaf: u32, by: i64) {
        let finest = self.finest;
        for &cell in finest.above.of(leaf) {
            let moved = &mut self.moved[cell as usize];
            if *moved == 0 {
                self.touched.push(cell);
            }
            *moved += by;
        }
    }

    fn witness(&self) -> Witness {
        let moves = self.touched.iter().map(|&cell| (CellId(cell), self.moved[cell as usize]));
        let mut moves: Vec<(CellId, i64)> = moves.filter(|&(_, by)| by != 0).collect();
        moves.sort_unstable();
        moves.dedup();
        Witness { denominator: 1, moves }
    }
}
