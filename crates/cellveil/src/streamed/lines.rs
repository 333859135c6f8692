//! A bound from lines: the cells that differ in one variable only.
//!
//! Where exactly one cell of a line is sensitive, another one of it must be withheld: every code stands in a sum of its variable, and from a sum whose other cells
//! are published the sensitive one follows. Lines along one variable have no cell in common, so what the cheapest other cells of all of
//! them cost is spent in any safe pattern.

use super::clock::Clock;
use super::survey::judged;
use crate::Error;
use cellveil_core::{CellId, CodeId, Policy};
use cellveil_rules::RuleSet;
use cellveil_tabulate::{Cells, Frame, Gathered, Sink, TabulateError, Until};
use rayon::prelude::*;

/// How many variables are tried: those with the shortest lines, in which a sensitive cell is alone most often.
const TRIED: usize = 2;

/// Passes over all cells that looking along one variable takes.
const PASSES: f64 = 2.0;

/// No safe pattern costs less.
pub(super) fn bound(
    gathered: &Gathered,
    rules: &RuleSet,
    policy: &Policy,
    clock: &Clock<'_>,
) -> Result<f64, Error> {
    let codes = |at: &usize| gathered.frame().dimensions()[*at].hierarchy.len();
    let mut variables: Vec<usize> = (0..gathered.frame().dimensions().len()).collect();
    variables.sort_by_key(codes);
    let mut best: f64 = 0.0;
    for at in variables.into_iter().take(TRIED) {
        if !clock.is_short(PASSES) {
            best = best.max(along(gathered, at, (rules, policy), clock)?);
        }
    }
    Ok(best)
}

/// The bound from the lines along one variable. Nothing is known if the time ends.
pub(super) fn along(
    gathered: &Gathered,
    variable: usize,
    (rules, policy): (&RuleSet, &Policy),
    clock: &Clock<'_>,
) -> Result<f64, Error> {
    let others = (0..gathered.frame().dimensions().len()).filter(|&at| at != variable);
    // The cells of a line follow each other if its variable is the last.
    let order: Vec<usize> = others.chain([variable]).collect();
    let (turned, _) = gathered.projected(&order)?;
    let mut sum = Sum { frame: turned.frame(), rules, policy, last: Line::default(), before: 0.0 };
    let is_short = || clock.is_short(0.0);
    match turned.roll_up(&mut Until { sink: &mut sum, is_over: &is_short }) {
        Err(TabulateError::OutOfTime) => Ok(0.0),
        rolled => {
            rolled?;
            Ok(sum.before + sum.last.cost())
        }
    }
}

/// What is known of the cells of a line.
#[derive(Clone, Debug, Default)]
struct Line {
    /// The codes of all other variables.
    codes: Box<[CodeId]>,
    sensitive: usize,
    /// What the cheapest cell costs that is not sensitive.
    cheapest: Option<f64>,
}

impl Line {
    /// What must be spent on it.
    fn cost(&self) -> f64 {
        if self.sensitive == 1 { self.cheapest.unwrap_or(0.0) } else { 0.0 }
    }

    fn append(&mut self, other: &Self) {
        self.sensitive += other.sensitive;
        self.cheapest = match (self.cheapest, other.cheapest) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
    }
}

struct Sum<'a> {
    frame: &'a Frame,
    rules: &'a RuleSet,
    policy: &'a Policy,
    /// The line that may go on with the next cells.
    last: Line,
    /// What all lines before it cost.
    before: f64,
}

impl Sum<'_> {
    /// The lines of some cells, or pieces of them.
    fn lines(&self, cells: Cells) -> Result<Vec<Line>, TabulateError> {
        let table = self.frame.excerpt(cells, 0)?;
        let needs = judged(self.rules, &table)?;
        let mut needs = needs.iter().peekable();
        let mut lines: Vec<Line> = Vec::new();
        for cell in (0..table.len()).map(CellId::at) {
            let codes = table.key(cell);
            let rest = &codes[..codes.len() - 1];
            if lines.last().is_none_or(|line| *line.codes != *rest) {
                lines.push(Line { codes: rest.into(), ..Line::default() });
            }
            let Some(line) = lines.last_mut() else { continue };
            if needs.next_if(|need| need.cell == cell).is_some() {
                line.sensitive += 1;
            } else {
                let cost = self.policy.cost_of(&table, cell);
                line.cheapest = Some(line.cheapest.map_or(cost, |least| least.min(cost)));
            }
        }
        Ok(lines)
    }
}

impl Sink for Sum<'_> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        self.take_all(vec![cells])
    }

    fn take_all(&mut self, lots: Vec<Cells>) -> Result<(), TabulateError> {
        let sum = &*self;
        let lines: Result<Vec<Vec<Line>>, TabulateError> =
            lots.into_par_iter().map(|cells| sum.lines(cells)).collect();
        for line in lines?.into_iter().flatten() {
            if line.codes == self.last.codes {
                self.last.append(&line);
            } else {
                let before = std::mem::replace(&mut self.last, line);
                self.before += before.cost();
            }
        }
        Ok(())
    }
}
