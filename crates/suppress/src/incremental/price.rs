//! The program that prices further cells: the least that must be withheld for one need.
//!
//! Withholding a cell costs the same however far it moves, which no linear program knows. So its charge is first spread over what
//! the cell could carry, `c_i = w_i / min(room_i, target)`, and after each answer over what it did carry: slopes are scaled (Kim and
//! Pardalos 1999). From the second round on only cells that moved may be withheld, so that every round leaves some of them out: those
//! that carried little for what they cost.
//!
//! The first round is on a neighbourhood that grows by what its own prices say is missing (column generation), with every relation
//! allowed to stay upset at a price beyond all others as long as that is so.

use super::near::{Near, Reach};
use crate::cover::Cover;
use cellveil_attack::exact_witness;
use cellveil_core::{CellId, Incidence, Problem, Side, Witness};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome};
use std::sync::atomic::{AtomicU64, Ordering};

/// What is asked for: a cell moved this far, with some cells left alone.
#[derive(Clone, Copy)]
pub(crate) struct Wish<'w> {
    pub(crate) cell: CellId,
    pub(crate) side: Side,
    /// In units.
    pub(crate) target: i64,
    pub(crate) unmoved: &'w [CellId],
}

impl Wish<'_> {
    /// What withholding a cell costs now; `None` if it must not move.
    pub(super) fn price(&self, prices: &Prices<'_>, cell: CellId) -> Option<f64> {
        if self.unmoved.contains(&cell) { None } else { prices.charge(cell) }
    }
}

/// What withholding cells costs beyond those that are.
#[derive(Clone, Copy)]
pub(crate) struct Prices<'a> {
    cover: &'a Cover<'a>,
    /// Prices differ from costs by chance where this is not 0, each time by another.
    noise: u64,
    /// Whether nothing more may be withheld.
    closed: bool,
}

impl<'a> Prices<'a> {
    pub(crate) fn new(cover: &'a Cover<'a>) -> Self {
        Self { cover, noise: 0, closed: false }
    }

    /// The same where nothing more may be withheld.
    pub(crate) fn of_withheld_only(self) -> Self {
        Self { closed: true, ..self }
    }

    /// What is withheld costs this.
    pub(super) fn withheld(&self) -> f64 {
        self.cover.cost()
    }

    /// What withholding a cell costs now; `None` if it may not be or cannot move.
    #[inline]
    pub(crate) fn charge(&self, cell: CellId) -> Option<f64> {
        let price = self.cover.price(cell);
        if price <= 0.0 {
            return Some(0.0);
        }
        (!self.closed && price < f64::INFINITY).then(|| price * self.chance(cell))
    }

    /// The same prices, each changed by chance.
    pub(crate) fn with_noise(self, noise: u64) -> Self {
        Self { noise, ..self }
    }

    /// From 1/2 to 3/2, and 1 without noise.
    fn chance(&self, cell: CellId) -> f64 {
        if self.noise == 0 {
            return 1.0;
        }
        0.5 + crate::chance::share(self.noise, u64::from(cell.0))
    }
}

/// Rounds of scaling at most, and the share of all that is withheld that a round must leave for another.
const ROUNDS: usize = 12;
const GAIN: f64 = 0.995;

/// How a neighbourhood begins.
const START: Reach = Reach { width: 4, cells: 300, spare: 1.5 };

/// How often a neighbourhood grows at most, by at least how many cells, until a round gains less than the rest of this share.
const GENERATIONS: usize = 20;
const MISSING: usize = 64;
const STALLED: f64 = 0.95;

/// Fewer cells more than one in this many are not worth another program.
const FEW_MORE: usize = 5;

/// An answer that costs at most one part in this many of what is withheld is not worth improving.
const SMALL: f64 = 50.0;

/// Neighbourhoods with more cells than this grow only as long as there is no answer.
const LARGE: f64 = 1_000.0;

/// …but up to this many times as large the more the answer costs of all that is withheld.
const IMPORTANT: f64 = 10.0;

/// Programs with more cells than this are solved by an interior point method. (9 261 cells: 1 s, the dual simplex method 3 s.)
const INTERIOR: usize = 3_000;

/// A program that takes more steps than this is given up.
const STEPS_AT_LEAST: u32 = 2_000;
const STEPS_PER_CELL: u32 = 4;

/// Neighbourhoods with more cells than this are given up.
const MOST: usize = 30_000;

/// A relation that stays upset costs this many times what the dearest cell does.
const UPSET_COST: f64 = 10.0;

/// A program is asked in steps such that its target is about this many of them.
const STEPS: f64 = 1000.0;

/// Bounds further away than this many steps are drawn in, as in the attack.
const FAR: f64 = 1e6;

/// Bounds nearer than this many steps are nothing, as in the attack.
const NEGLIGIBLE: f64 = 1e-3;

/// What is withheld already costs next to nothing: just enough that no more cells move than must. Witnesses of few cells die
/// seldom when cells are given back.
const WITHHELD_COST: f64 = 1e-5;

/// How many times as far as asked other cells must move, so that rounding does not take it back.
const BEYOND: f64 = 1.001;

/// Moves of fewer steps than this are the solver's noise.
pub(super) const NOISE: f64 = 1e-6;

/// A program on some cells, all others left alone.
#[derive(Clone, Copy)]
pub(crate) struct Program<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) incidence: &'a Incidence,
    pub(crate) engine: &'a dyn Engine,
    pub(crate) prices: Prices<'a>,
    pub(crate) wish: Wish<'a>,
    /// Other cells that must move to the same side, at least so far.
    pub(crate) kin: &'a [(CellId, i64)],
    /// Which cells there are, where the table is not seen to its finest level; sums of others do not count.
    pub(crate) seen: Option<&'a dyn Fn(CellId) -> bool>,
    /// Counts the cells of all programs.
    pub(crate) work: &'a AtomicU64,
    /// How long there is; `None` without a time limit.
    pub(crate) seconds_left: &'a dyn Fn() -> Option<f64>,
}

/// Cells, ascending, with what they cost if they move, and how far they did, in steps.
pub(super) struct Answer {
    cells: Vec<CellId>,
    charges: Vec<f64>,
    pub(super) moves: Vec<f64>,
    /// What the program says it costs.
    objective: f64,
    /// By how much relations are still upset.
    pub(super) upset: f64,
    /// The prices of the relations, in cost per unit.
    duals: Vec<(u32, f64)>,
}

impl Answer {
    /// How far a cell moved, to whatever side.
    pub(super) fn moved(&self, cell: CellId) -> f64 {
        self.cells.binary_search(&cell).map_or(0.0, |at| self.moves[at].abs())
    }

    pub(super) fn charge(&self) -> f64 {
        let moved = self.charges.iter().zip(&self.moves).filter(|(_, step)| step.abs() > NOISE);
        moved.map(|(charge, _)| charge).sum()
    }
}

/// What the cell at a position costs per step it moves to a side, given how many it can and the target in steps.
type Slope<'s> = dyn Fn(usize, Side, f64, f64) -> f64 + 's;

impl Program<'_> {
    /// The cheapest table found in a neighbourhood that grows as long as that pays; `None` if there is none, or it cannot be
    /// written down exactly.
    ///
    /// The neighbourhood begins with the cells that `lead` moves, a witness that moves the cell if not far enough.
    pub(crate) fn cheapest_near(
        &self,
        near: &mut Near<'_>,
        lead: Option<&Witness>,
    ) -> Result<Option<Witness>, EngineError> {
        if self.is_hopeless() {
            return Ok(None);
        }
        near.start(&self.prices, &self.wish, START, lead);
        let mut least = f64::INFINITY;
        let mut found = None;
        for _ in 0..GENERATIONS {
            let cells = near.cells();
            if cells.len() > MOST {
                break;
            }
            let Some(answer) = self.solve(&self.all(&cells))? else { break };
            let is_table = answer.upset < NOISE;
            let stalled = is_table && answer.objective > least * STALLED;
            if is_table {
                least = answer.objective;
            }
            let more = MISSING.max(cells.len() / 2);
            let enough = is_table && (stalled || self.is_good_enough(answer.charge(), cells.len()));
            let done = enough
                || !near.attract(&self.prices, &self.wish, &answer.duals, START, more)
                || (is_table && near.cells().len() - cells.len() < cells.len() / FEW_MORE);
            if is_table {
                found = Some(answer);
            }
            if done {
                break;
            }
        }
        found.map_or(Ok(None), |answer| self.reduced(answer))
    }

    /// Whether an answer is not worth a larger neighbourhood: it costs little of all that is withheld, or the neighbourhood is large
    /// for what it costs.
    fn is_good_enough(&self, charge: f64, cells: usize) -> bool {
        let share = charge / (self.prices.withheld() + charge).max(f64::MIN_POSITIVE);
        share * SMALL <= 1.0 || cells as f64 > LARGE * (1.0 + IMPORTANT * share)
    }

    /// The cheapest table found that moves cells that are withheld, and those that a witness moves.
    pub(crate) fn cheapest_of_withheld_and(
        &self,
        other: Option<&Witness>,
    ) -> Result<Option<Witness>, EngineError> {
        let Wish { cell, .. } = self.wish;
        let moved = |at: CellId| other.is_some_and(|witness| witness.move_of(at) != 0);
        let may_move =
            |&at: &CellId| at == cell || moved(at) || self.prices.charge(at) == Some(0.0);
        let cells: Vec<CellId> = self.problem.cells().filter(may_move).collect();
        self.cheapest(&cells)
    }

    /// The cheapest table found that moves any cells, in a table that is small enough for that.
    pub(crate) fn cheapest_anywhere(&self) -> Result<Option<Witness>, EngineError> {
        let Wish { cell, .. } = self.wish;
        let may_move = |&at: &CellId| at == cell || self.prices.charge(at).is_some();
        let cells: Vec<CellId> = self.problem.cells().filter(may_move).collect();
        self.cheapest(&cells)
    }

    /// The cheapest table found that moves only some cells, which are ascending.
    pub(crate) fn cheapest(&self, cells: &[CellId]) -> Result<Option<Witness>, EngineError> {
        if cells.binary_search(&self.wish.cell).is_err() || self.is_hopeless() {
            return Ok(None);
        }
        let first = self.solve(&self.all(cells))?.filter(|answer| answer.upset < NOISE);
        first.map_or(Ok(None), |answer| self.reduced(answer))
    }

    fn is_hopeless(&self) -> bool {
        let Wish { cell, side, target, .. } = self.wish;
        self.problem.room(cell, side).is_some_and(|room| room < target)
    }

    /// What cells cost if they move, without end for those that must not.
    pub(super) fn charges(&self, cells: &[CellId]) -> Vec<f64> {
        cells.iter().map(|&cell| self.prices.charge(cell).unwrap_or(f64::INFINITY)).collect()
    }

    /// Nothing has moved yet.
    fn all(&self, cells: &[CellId]) -> Answer {
        Answer {
            cells: cells.to_vec(),
            charges: self.charges(cells),
            moves: vec![0.0; cells.len()],
            objective: 0.0,
            upset: 0.0,
            duals: Vec::new(),
        }
    }

    /// Rounds that leave cells out as long as that is cheaper. A later round's vertex has less freedom, and may not be a table that can be
    /// written down exactly: then the one before it is.
    fn reduced(&self, first: Answer) -> Result<Option<Witness>, EngineError> {
        let mut least = first.charge();
        let mut answers = vec![first];
        while let Some(best) = answers.last()
            && least > 0.0
            && answers.len() < ROUNDS
        {
            let Some(next) = self.solve(best)?.filter(|next| next.upset < NOISE) else { break };
            let charge = next.charge();
            if charge >= least {
                break;
            }
            let slow = least - charge < (1.0 - GAIN) * (self.prices.withheld() + least);
            least = charge;
            answers.push(next);
            if slow {
                break;
            }
        }
        Ok(answers.iter().rev().find_map(|answer| self.witness(answer)))
    }

    /// One round: without an answer before, every cell may move; else those that did, and those that cost nothing.
    fn solve(&self, before: &Answer) -> Result<Option<Answer>, EngineError> {
        let first = before.moves.iter().all(|step| *step == 0.0);
        let kept: Vec<usize> = (0..before.cells.len())
            .filter(|&at| first || before.charges[at] == 0.0 || before.moves[at].abs() > NOISE)
            .collect();
        let cells: Vec<CellId> = kept.iter().map(|&at| before.cells[at]).collect();
        let charges: Vec<f64> = kept.iter().map(|&at| before.charges[at]).collect();
        let slope = |at: usize, side: Side, room: f64, target: f64| {
            let moved = before.moves[kept[at]] * side.sign() as f64;
            let carried = if moved > NOISE { moved } else { room.min(target) };
            charges[at] / carried.max(NEGLIGIBLE)
        };
        self.ask(&cells, &charges, &slope, first)
    }

    /// The cheapest table in which only some cells move, at given slopes; `None` if there is none, or it takes too long. In the first of
    /// several rounds relations may stay upset.
    pub(super) fn ask(
        &self,
        cells: &[CellId],
        charges: &[f64],
        slope: &Slope<'_>,
        first: bool,
    ) -> Result<Option<Answer>, EngineError> {
        let (scale, steps) = self.scale();
        let priced = charges.iter().filter(|charge| **charge > 0.0 && charge.is_finite());
        let (sum, count) = priced.fold((0.0, 0), |(sum, count), charge| (sum + charge, count + 1));
        let average = if sum > 0.0 { sum / f64::from(count) } else { 1.0 };
        let many = first && self.seen.is_none() && cells.len() > INTERIOR;
        let changes = match (many, self.seen) {
            (true, _) => Changes::Interior,
            (false, Some(_)) => Changes::Few,
            (false, None) => Changes::Fresh,
        };
        let mut model = Model { changes, ..Model::default() };
        let mut dearest: f64 = 1.0 / steps;
        for (at, &cell) in cells.iter().enumerate() {
            let held = charges[at].is_infinite() || self.wish.unmoved.contains(&cell);
            let kin = self.kin.iter().find(|(kin, _)| *kin == cell);
            for side in Side::BOTH {
                let room = if held { 0.0 } else { steps_to(self.problem, cell, side, scale) };
                let is_along = side == self.wish.side;
                if cell == self.wish.cell {
                    let forced = if is_along { steps } else { 0.0 };
                    model.column(0.0, forced, forced);
                } else if let Some((_, far)) = kin {
                    let far = (BEYOND * *far as f64 / scale).min(room);
                    let (least, most) = if is_along { (far, room) } else { (0.0, 0.0) };
                    model.column(0.0, least, most);
                } else {
                    let slope = if held { 0.0 } else { slope(at, side, room, steps) / average };
                    if room > 0.0 {
                        dearest = dearest.max(slope);
                    }
                    model.column(WITHHELD_COST + slope, 0.0, room);
                }
            }
        }
        let mut rows = rows(self.incidence, cells);
        if let Some(seen) = self.seen {
            let relations = self.problem.relations();
            rows.retain(|(row, _)| relations.row(*row as usize).all(|(cell, _)| seen(cell)));
        }
        for (_, terms) in &rows {
            let mut terms: Vec<(u32, f64)> = terms
                .iter()
                .flat_map(|&(at, c)| [(2 * at, -f64::from(c)), (2 * at + 1, f64::from(c))])
                .collect();
            if first {
                for sign in [-1.0, 1.0] {
                    terms.push((model.column(UPSET_COST * dearest, 0.0, f64::INFINITY), sign));
                }
            }
            model.row(terms, 0.0, 0.0);
        }
        let steps = Some(STEPS_AT_LEAST + STEPS_PER_CELL * cells.len() as u32);
        self.work.fetch_add(cells.len() as u64, Ordering::Relaxed);
        let seconds = (self.seconds_left)().map(|left| left.max(0.01));
        let limits = Limits { steps, seconds, ..Limits::default() };
        let outcome = self.engine.open(&model)?.solve(&limits)?;
        let Outcome::Optimal(solution) = outcome else { return Ok(None) };
        let (columns, slacks) = solution.columns.split_at(2 * cells.len());
        let moves = columns.chunks(2).map(|sides| sides[1] - sides[0]).collect();
        let upset = slacks.iter().sum();
        let per_unit = |dual: f64| dual * average / scale;
        let duals =
            rows.iter().zip(&solution.duals).map(|((row, _), &dual)| (*row, per_unit(dual)));
        let (objective, duals) = (solution.objective * average, duals.collect());
        let (cells, charges) = (cells.to_vec(), charges.to_vec());
        Ok(Some(Answer { cells, charges, moves, objective, upset, duals }))
    }

    /// Units per step of a column, so that the solver sees moderate numbers, and the target in steps.
    pub(super) fn scale(&self) -> (f64, f64) {
        let scale = (self.wish.target as f64 / STEPS).round().max(1.0);
        (scale, self.wish.target as f64 / scale)
    }

    pub(super) fn witness(&self, answer: &Answer) -> Option<Witness> {
        let Wish { cell, side, target, .. } = self.wish;
        let (scale, _) = self.scale();
        let moved = answer.cells.iter().zip(&answer.moves).filter(|(_, step)| step.abs() > NOISE);
        let moves = moved.map(|(&cell, step)| (cell, step * scale));
        exact_witness(self.problem, self.incidence, moves, cell, target * side.sign())
    }
}

/// The relations of some cells, restricted to them, as positions and coefficients.
fn rows(incidence: &Incidence, cells: &[CellId]) -> Vec<(u32, Vec<(u32, i32)>)> {
    let mut terms: Vec<(u32, u32, i32)> = Vec::new();
    for (at, &cell) in cells.iter().enumerate() {
        terms.extend(incidence.of(cell).iter().map(|&(row, c)| (row, at as u32, c)));
    }
    terms.sort_unstable();
    terms
        .chunk_by(|a, b| a.0 == b.0)
        .map(|row| (row[0].0, row.iter().map(|&(_, at, c)| (at, c)).collect()))
        .collect()
}

/// How far a cell can move to a side, in steps of `scale` units, without what is too far or too near for the solver.
pub(super) fn steps_to(problem: &Problem, cell: CellId, side: Side, scale: f64) -> f64 {
    let steps = problem.room(cell, side).map_or(f64::INFINITY, |units| units as f64 / scale);
    match steps {
        steps if steps < NEGLIGIBLE => 0.0,
        steps if steps.is_finite() => steps.min(FAR),
        endless => endless,
    }
}
