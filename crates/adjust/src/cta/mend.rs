//! Senses that some table has, found without a linear program.
//!
//! While levels are soft there always is a nearest table. Cells that stay far below their levels in it stand in each other's way; some of
//! them are turned round, never many of one relation at once, and the table is found again from the last prices on.

use super::start::other;
use crate::context::Context;
use crate::quadratic::{Answer, Quadratic, Ranges};
use crate::task::{Senses, Task};

/// How often cells are turned round.
const ROUNDS: usize = 60;
/// The share of a level that counts as reached while levels are soft.
const REACHED: f64 = 0.9;
/// The share of the cells of a relation in each other's way that is turned round at once, but always one.
const AT_ONCE: f64 = 0.25;
/// Only the senses are wanted, so that sums may miss this share of the largest move.
const MISS: f64 = 1e-7;

/// Turns senses round until no cell is far from its level. Gives the last prices; `None` if there are none in time.
pub(super) fn mend(
    task: &Task<'_>,
    quadratic: &Quadratic<'_>,
    senses: &mut Senses,
    context: &Context<'_>,
) -> Option<Vec<f64>> {
    let incidence = task.problem.relations().incidence(task.problem.len());
    let rows = |at: usize| incidence.of(task.sensitive[at].cell);
    let mut soft = vec![0.0; task.weights.len()];
    let mut turns = vec![0_u32; senses.len()];
    let mut prices: Option<Vec<f64>> = None;
    for _ in 0..ROUNDS {
        for (s, &sense) in task.sensitive.iter().zip(senses.iter()) {
            soft[s.cell.index()] = s.level(sense).unwrap_or(0.0) * sense.sign() as f64;
        }
        let (lower, upper) = (&task.lower, &task.upper);
        let ranges = Ranges { lower, upper, soft: Some(&soft), miss: MISS };
        let is_over = || context.is_over();
        let Answer::Nearest(priced) = quadratic.solve(&ranges, prices.as_deref(), &is_over) else {
            return prices;
        };
        prices = Some(priced.prices);
        let mut short = short_of_levels(task, &soft, &priced.moves);
        if short.is_empty() {
            break;
        }
        // Those that were turned round before come last.
        let patience = |&(reached, at): &(f64, usize)| reached + f64::from(turns[at]);
        short.sort_by(|a, b| patience(a).total_cmp(&patience(b)).then(a.1.cmp(&b.1)));
        let mut allowed = vec![0.0; task.missing.len()];
        for &(_, at) in &short {
            rows(at).iter().for_each(|&(row, _)| allowed[row as usize] += AT_ONCE);
        }
        allowed.iter_mut().for_each(|count| *count = f64::max(*count, 1.0));
        for (_, at) in short {
            let free = rows(at).iter().all(|&(row, _)| allowed[row as usize] >= 1.0);
            if free && task.sensitive[at].forced().is_none() {
                rows(at).iter().for_each(|&(row, _)| allowed[row as usize] -= 1.0);
                senses[at] = other(senses[at]);
                turns[at] += 1;
            }
        }
    }
    prices
}

/// The sensitive cells that reach too little of their soft level, with what they reach of it.
fn short_of_levels(task: &Task<'_>, soft: &[f64], moves: &[f64]) -> Vec<(f64, usize)> {
    let reached = |cell: usize| if soft[cell] == 0.0 { 1.0 } else { moves[cell] / soft[cell] };
    let all = task.sensitive.iter().enumerate().map(|(at, s)| (reached(s.cell.index()), at));
    all.filter(|&(reached, _)| reached < REACHED).collect()
}
