//! Senses that nearly add up by themselves: cell after cell goes where its relations are left nearer to zero.

use crate::task::{Senses, Task};
use cellveil_core::Side;

/// How often all sensitive cells are asked again.
const PASSES: usize = 4;

/// Chooses senses without a solver, in time proportional to the table.
pub(crate) fn balanced_senses(task: &Task<'_>) -> Senses {
    let relations = &task.relations;
    let incidence = relations.incidence(task.weights.len());
    let mut sums: Vec<f64> = task.missing.iter().map(|missing| -missing).collect();
    let count = task.sensitive.len();
    let mut senses: Vec<Option<Side>> = vec![None; count];
    let mut order: Vec<usize> = (0..count).collect();
    let size = |at: usize| {
        let s = &task.sensitive[at];
        s.down.unwrap_or(0.0).max(s.up.unwrap_or(0.0))
    };
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
    let level = |at: usize, side: Side| {
        task.sensitive[at].level(side).map(|level| level * side.sign() as f64)
    };
    for _ in 0..PASSES {
        for &at in &order {
            let rows = incidence.of(task.sensitive[at].cell);
            let mut put =
                |by: f64| rows.iter().for_each(|&(row, c)| sums[row as usize] += f64::from(c) * by);
            if let Some(before) = senses[at].and_then(|side| level(at, side)) {
                put(-before);
            }
            let imbalance = |side: Side| {
                let z = level(at, side)?;
                Some(
                    rows.iter()
                        .map(|&(row, c)| (sums[row as usize] + f64::from(c) * z).abs())
                        .sum::<f64>(),
                )
            };
            let side = match (imbalance(Side::Down), imbalance(Side::Up)) {
                (Some(down), Some(up)) if down < up => Side::Down,
                (Some(_), None) => Side::Down,
                _ => Side::Up,
            };
            senses[at] = Some(side);
            let z = level(at, side).unwrap_or(0.0);
            for &(row, c) in rows {
                sums[row as usize] += f64::from(c) * z;
            }
        }
    }
    senses.into_iter().map(|side| side.unwrap_or(Side::Up)).collect()
}
