//! Senses that cannot go together, relation by relation, as clauses for a SAT solver.
//!
//! In a relation, senses are bad when the least that all its cells can add up to lies above zero, or the most below. Each
//! minimal bad set becomes a clause. A model of all clauses is a good start: usually, though not always, some table has these senses.

use crate::program::positions;
use crate::task::{Senses, Task};
use batsat::{BasicSolver, Lit, SolverInterface, lbool};
use cellveil_core::Side;

/// The most clauses taken from one relation and side, and the most sets looked at for them.
const CLAUSES: usize = 200;
const LOOKED_AT: usize = 20_000;
/// A sum so far from zero, as a share of what it is made of, is no rounding.
const NOISE: f64 = 1e-9;

/// A sensitive cell moved to a side.
type Literal = (u32, Side);

/// Senses that satisfy every clause, near the wished ones; `None` if there are none, so that no table exists at all.
pub(crate) fn consistent_senses(
    task: &Task<'_>,
    clauses: &[Vec<Literal>],
    wishes: &[Side],
) -> Option<Senses> {
    let mut solver = BasicSolver::default();
    let polarity = |wish: Side| if wish == Side::Up { lbool::TRUE } else { lbool::FALSE };
    let variables: Vec<_> =
        wishes.iter().map(|&wish| solver.new_var(polarity(wish), true)).collect();
    for (at, sensitive) in task.sensitive.iter().enumerate() {
        if let Some(side) = sensitive.forced() {
            solver.add_clause_reuse(&mut vec![Lit::new(variables[at], side == Side::Up)]);
        }
    }
    for clause in clauses {
        let mut literals: Vec<Lit> = clause
            .iter()
            .map(|&(at, side)| Lit::new(variables[at as usize], side != Side::Up))
            .collect();
        solver.add_clause_reuse(&mut literals);
    }
    (solver.solve_limited(&[]) == lbool::TRUE).then(|| {
        let sense = |v: &_| if solver.value_var(*v) == lbool::TRUE { Side::Up } else { Side::Down };
        variables.iter().map(sense).collect()
    })
}

/// The minimal bad combinations of senses: each clause lists literals that must not hold all at once.
pub(crate) fn bad_combinations(task: &Task<'_>) -> Vec<Vec<Literal>> {
    let relations = &task.relations;
    let positions = positions(task);
    let mut clauses = Vec::new();
    for relation in 0..relations.len() {
        // The least sum, and for each literal by how much it raises it; then the same from above, mirrored.
        for mirror in [1.0, -1.0] {
            let mut least = -mirror * task.missing[relation];
            let mut size = least.abs();
            let mut raises: Vec<(f64, Literal)> = Vec::new();
            for (cell, c) in relations.row(relation) {
                let (i, c) = (cell.index(), mirror * f64::from(c));
                let lowest = |(lower, upper): (f64, f64)| (c * lower).min(c * upper);
                let own = lowest((task.lower[i], task.upper[i]));
                least += own;
                size += own.abs();
                if let Some(at) = Some(positions[i]).filter(|&at| at != u32::MAX) {
                    for side in Side::BOTH {
                        let raised = lowest(task.range(at as usize, side)) - own;
                        let open = task.sensitive[at as usize].level(side).is_some();
                        if open && raised > 0.0 && raised.is_finite() {
                            raises.push((raised, (at, side)));
                        }
                    }
                }
            }
            if least.is_finite() {
                raises.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                covers(&raises, least, NOISE * size, &mut clauses);
            }
        }
    }
    clauses
}

/// Every minimal set of literals that raises a sum above zero, smaller sets first among those that start alike.
fn covers(raises: &[(f64, Literal)], least: f64, noise: f64, clauses: &mut Vec<Vec<Literal>>) {
    let mut rest: Vec<f64> = raises.iter().map(|(raise, _)| *raise).collect();
    for at in (0..rest.len().saturating_sub(1)).rev() {
        rest[at] += rest[at + 1];
    }
    let (mut found, mut looked_at) = (0, 0);
    let mut stack: Vec<(usize, f64, Vec<Literal>)> = vec![(0, least, Vec::new())];
    while let Some((at, sum, chosen)) = stack.pop() {
        looked_at += 1;
        if found >= CLAUSES || looked_at >= LOOKED_AT {
            return;
        }
        if sum > noise {
            clauses.push(chosen);
            found += 1;
            continue;
        }
        let Some(&(raise, literal)) = raises.get(at).filter(|_| sum + rest[at] > noise) else {
            continue;
        };
        stack.push((at + 1, sum, chosen.clone()));
        if chosen.iter().all(|&(other, _)| other != literal.0) {
            let mut with = chosen;
            with.push(literal);
            stack.push((at + 1, sum + raise, with));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::consistent_senses;
    use crate::Weights;
    use crate::task::Task;
    use cellveil_core::Side;
    use cellveil_testkit::tables::Tables;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wishes_come_true_where_nothing_forbids_them(problem in Tables::tiny().problems(), ups in any::<u64>()) {
            let Ok(task) = Task::new(&problem, Weights::One, false) else { return Ok(()) };
            let wish = |at: usize| if ups >> (at % 64) & 1 == 0 { Side::Down } else { Side::Up };
            let wishes: Vec<Side> = (0..task.sensitive.len())
                .map(|at| task.sensitive[at].forced().unwrap_or_else(|| wish(at)))
                .collect();
            prop_assert_eq!(consistent_senses(&task, &[], &wishes), Some(wishes));
        }
    }
}
