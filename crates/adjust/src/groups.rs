//! Witnesses for many needs at once, in tables of which every cell is uncertain but few are by much.
//!
//! One linear program holds every relation and what the intruder knows of each cell. It is asked for a table in which as many open needs as can be are met, each
//! on one side, then again for what is left, with other sides; needs that never come along are asked for one by one. Only costs change
//! from one question to the next. Answers are rounded to a fine grid and repaired, so that they hold exactly.

use crate::AdjustError;
use crate::context::Context;
use crate::exact::{Ranges, exact};
use crate::random::Random;
use cellveil_attack::Ledger;
use cellveil_core::{Adjustment, CellId, Certificate, Problem, Side, Witness};
use cellveil_lp::{Changes, Limits, Model, Outcome, Session};

/// Tables go this much further than they must, so that rounding has room.
const BEYOND: f64 = 1.02;
/// How much of the way counts as all of it, in the solver's arithmetic.
const REACHED: f64 = 1.001;
/// How many questions in vain before needs are asked for one by one, and how many of those may fail: they stand for the rest.
const IN_VAIN: usize = 3;
const SAMPLED: usize = 12;

/// What is left when not every need can be met.
pub(crate) struct Short {
    /// The cell that comes least far.
    pub(crate) cell: CellId,
    /// How far that is, as a share of what it needs.
    pub(crate) share: f64,
    /// What was found for the others.
    pub(crate) witnesses: Vec<Witness>,
}

/// Looks for witnesses for every need, besides those that are known.
pub(crate) fn meet(
    view: &Problem,
    known: Vec<Witness>,
    context: &Context<'_>,
) -> Result<Result<Certificate, Short>, AdjustError> {
    let mut ledger = Ledger::new(view);
    for witness in known {
        ledger.add(witness);
    }
    let mut random = Random::new(context.seed);
    let mut groups = Groups::new(view, context)?;
    let mut in_vain = 0;
    while in_vain < IN_VAIN {
        let before = open(view, &ledger);
        if before.is_empty() {
            return Ok(Ok(ledger.certificate()));
        }
        groups.ask(&one_side_each(&before, &mut random), &mut ledger)?;
        in_vain = if open(view, &ledger).len() < before.len() { 0 } else { in_vain + 1 };
    }
    let mut least: Option<(f64, CellId)> = None;
    let mut failed = 0;
    for wish in open(view, &ledger) {
        let (need, side, _) = wish;
        // Another one's table may have met it meanwhile.
        if failed == SAMPLED {
            break;
        }
        if ledger.wanted(need, side, None).is_none() {
            continue;
        }
        let share = groups.ask(&[wish], &mut ledger)?;
        if ledger.wanted(need, side, None).is_some() {
            let cell = view.needs()[need].cell;
            failed += 1;
            if least.is_none_or(|(least, _)| share < least) {
                least = Some((share, cell));
            }
        }
    }
    Ok(match least {
        None => Ok(ledger.certificate()),
        Some((share, cell)) => Err(Short { cell, share, witnesses: ledger.witnesses().to_vec() }),
    })
}

/// A need, a side and how far it is still wanted there.
type Wish = (usize, Side, i64);

fn open(view: &Problem, ledger: &Ledger<'_>) -> Vec<Wish> {
    let sides = |need| Side::BOTH.into_iter().map(move |side| (need, side));
    (0..view.needs().len())
        .flat_map(sides)
        .filter_map(|(need, side)| Some((need, side, ledger.wanted(need, side, None)?)))
        .collect()
}

fn one_side_each(open: &[Wish], random: &mut Random) -> Vec<Wish> {
    open.chunk_by(|a, b| a.0 == b.0).map(|sides| sides[random.below(sides.len())]).collect()
}

struct Groups<'a> {
    view: &'a Problem,
    context: &'a Context<'a>,
    session: Box<dyn Session>,
    scale: f64,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// The columns that count, of the question before.
    counted: Vec<u32>,
}

impl<'a> Groups<'a> {
    fn new(view: &'a Problem, context: &'a Context<'a>) -> Result<Self, AdjustError> {
        let room = |cell, side| view.room(cell, side).map_or(f64::INFINITY, |room| room as f64);
        let lower: Vec<f64> = view.cells().map(|cell| -room(cell, Side::Down)).collect();
        let upper: Vec<f64> = view.cells().map(|cell| room(cell, Side::Up)).collect();
        let levels = view.needs().iter().map(|need| need.down.max(need.up).max(need.sliding));
        let (sum, count) =
            levels.fold((0.0, 0.0), |(s, n), level| (s + (level as f64).max(1.0).ln(), n + 1.0));
        let scale = f64::exp(sum / f64::max(count, 1.0)).max(1.0);
        let mut model = Model { changes: Changes::Bounds, ..Model::default() };
        for cell in 0..view.len() {
            model.column(0.0, lower[cell] / scale, upper[cell] / scale);
        }
        let relations = view.relations();
        for relation in 0..relations.len() {
            let terms = relations.row(relation).map(|(cell, c)| (cell.0, f64::from(c)));
            model.row(terms.collect(), 0.0, 0.0);
        }
        // For each need and side a column that counts how far it goes, down first.
        for need in view.needs() {
            for side in Side::BOTH {
                let way = model.column(0.0, f64::NEG_INFINITY, 0.0);
                let sign = side.sign() as f64;
                model.row(vec![(need.cell.0, sign), (way, -1.0)], 0.0, f64::INFINITY);
            }
        }
        let session = context.engine.open(&model)?;
        Ok(Self { view, context, session, scale, lower, upper, counted: Vec::new() })
    }

    fn room(&self, need: usize, side: Side) -> Option<i64> {
        self.view.room(self.view.needs()[need].cell, side)
    }

    /// Adds a table that meets as many wishes as it can, if it can be written down exactly. Gives the least share of a wish that it reaches.
    fn ask(&mut self, wishes: &[Wish], ledger: &mut Ledger<'_>) -> Result<f64, AdjustError> {
        if self.context.is_over() {
            return Err(AdjustError::OutOfTime);
        }
        for column in std::mem::take(&mut self.counted) {
            self.session.set_cost(column, 0.0)?;
            self.session.set_bounds(column, f64::NEG_INFINITY, 0.0)?;
        }
        let first = self.view.len();
        for &(need, side, wanted) in wishes {
            let column = (first + 2 * need + usize::from(side == Side::Up)) as u32;
            let most = wanted as f64 * BEYOND / self.scale;
            self.session.set_bounds(column, f64::NEG_INFINITY, most)?;
            self.session.set_cost(column, -1.0 / most)?;
            self.counted.push(column);
        }
        let limits = Limits { seconds: self.context.left(), ..Limits::default() };
        let Outcome::Optimal(solution) = self.session.solve(&limits)? else { return Ok(0.0) };
        let moves: Vec<f64> = solution.columns[..first].iter().map(|z| z * self.scale).collect();
        let (mut lower, mut upper) = (self.lower.clone(), self.upper.clone());
        let (mut met, mut least) = (false, f64::INFINITY);
        for &(need, side, wanted) in wishes {
            let i = self.view.needs()[need].cell.index();
            let distance = moves[i] * side.sign() as f64;
            least = least.min(distance / wanted as f64);
            let most = self.room(need, side).map_or(f64::INFINITY, |room| room as f64);
            if distance >= (wanted as f64 * REACHED).min(most * (1.0 - 1e-9)) {
                met = true;
                match side {
                    Side::Down => upper[i] = -(wanted as f64),
                    Side::Up => lower[i] = wanted as f64,
                }
            }
        }
        let still = vec![0.0; self.view.relations().len()];
        let ranges = Ranges { lower: &lower, upper: &upper, missing: &still };
        if met && let Some(table) = exact(self.view, &moves, &ranges, false, self.context)? {
            witness_of(self.view, &table).map(|witness| ledger.add(witness));
        }
        Ok(least)
    }
}

/// A table beside the true one as the moves that lead there; `None` if they do not fit.
fn witness_of(view: &Problem, table: &Adjustment) -> Option<Witness> {
    let denominator = u32::try_from(table.per_unit(view)?).ok()?;
    let moved = |cell| Some((cell, i64::try_from(table.moved(view, cell)).ok()?));
    let moves: Option<Vec<(CellId, i64)>> = view.cells().map(moved).collect();
    Some(Witness { denominator, moves: moves?.into_iter().filter(|&(_, by)| by != 0).collect() })
}
