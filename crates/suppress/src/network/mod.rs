//! The network method: shortest paths, for tables of two dimensions and those with one hierarchy in one of them.
//!
//! Relations are nodes and cells are arcs, so a sensitive cell moves as far as a flow leads from one end of its arc back to the other. For each
//! need and side the cheapest path is found again and again, withheld cells being free to use, and as much is sent along it as it lets through,
//! until the level is met (Castro's heuristic). All amounts are whole and no linear program is solved.

mod paths;

use crate::everything::everything;
use crate::incremental::complete;
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use crate::optimal::{of_network, with_moved};
use cellveil_attack::{Component, Ledger, Network as Graph};
use cellveil_core::{Bound, Need, Pattern, Problem, Side, Why, Witness};
use paths::Paths;
use std::cmp::Reverse;

/// See the module's documentation and `proof.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Network;

impl Protect for Network {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let parts = parts(problem)?;
        let mut best: Option<(f64, Pattern, Vec<Witness>)> = None;
        let (bound, flows) = of_network(problem, context)?.unwrap_or_default();
        let by_flows = (!flows.is_empty()).then(|| (with_moved(problem, &flows), flows));
        let by_paths =
            [true, false].map(|largest_first| by_paths(problem, context, &parts, largest_first));
        for (pattern, witnesses) in by_paths.into_iter().chain(by_flows) {
            let cost = problem.cost_of(&pattern);
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, pattern, witnesses));
            }
        }
        let (pattern, known) = best
            .map_or_else(|| (problem.start(), Vec::new()), |(_, pattern, known)| (pattern, known));
        let (pattern, witnesses) = complete(problem, context, &pattern, &known)?;
        let bound = Bound { cost: bound.min(problem.cost_of(&pattern)) };
        Ok(Protected { pattern, witnesses, bound, method: Method::Network })
    }
}

/// A component of the table with every cell withheld that may be, as a network.
struct Part {
    component: Component,
    graph: Graph,
}

/// The parts of the table that ask for anything.
fn parts(problem: &Problem) -> Result<Vec<Part>, SuppressError> {
    let mut parts = Vec::new();
    for component in everything(problem) {
        if component.cells.iter().all(|&cell| problem.needs().of(cell).is_none()) {
            continue;
        }
        match Graph::of(&component) {
            Some(graph) => parts.push(Part { component, graph }),
            None => return Err(no_network(problem, &component)),
        }
    }
    Ok(parts)
}

/// Names the relation that makes a table no network.
fn no_network(problem: &Problem, component: &Component) -> SuppressError {
    let row = Graph::obstacle(component).map_or(&[][..], |row| &component.rows[row]);
    let name = |at: u32| format!("`{}`", problem.names().describe(component.cells[at as usize]));
    // Of cells that add up, the total is the one with a sign of its own.
    let alone = |sign: i32| {
        let mut of_sign = row.iter().filter(|&&(_, c)| c.signum() == sign);
        of_sign.next().filter(|_| of_sign.next().is_none())
    };
    let relation = match (alone(-1).or(alone(1)), row.first()) {
        (Some(&(total, _)), _) => format!("the sum to {}", name(total)),
        (None, Some(&(first, _))) => format!("the relation that begins with {}", name(first)),
        (None, None) => "one of its relations".to_owned(),
    };
    SuppressError::NoNetwork { relation }
}

/// Protects need after need by paths. What cannot be met this way stays open.
fn by_paths(
    problem: &Problem,
    context: &Context<'_>,
    parts: &[Part],
    largest_first: bool,
) -> (Pattern, Vec<Witness>) {
    let mut pattern = problem.start();
    let mut ledger = Ledger::new(problem);
    let size = |need: &Need| need.down.max(need.up).max(need.sliding);
    for Part { component, graph } in parts {
        let mut needs: Vec<usize> =
            component.cells.iter().filter_map(|&cell| problem.needs().position(cell)).collect();
        needs.sort_by_key(|&need| (Reverse(size(&problem.needs()[need])), need));
        if !largest_first {
            needs.reverse();
        }
        let mut paths = Paths::new(problem, component, graph);
        for (done, &need) in needs.iter().enumerate() {
            if context.is_over() {
                break;
            }
            if done % 64 == 0 {
                context.progress.step("paths", done, needs.len(), problem.cost_of(&pattern));
            }
            protect(problem, need, &mut paths, &mut pattern, &mut ledger);
        }
    }
    (pattern, ledger.witnesses().to_vec())
}

/// Meets a need against everybody, then against every insider who comes too close.
fn protect(
    problem: &Problem,
    need: usize,
    paths: &mut Paths<'_>,
    pattern: &mut Pattern,
    ledger: &mut Ledger<'_>,
) {
    approach(problem, need, None, paths, pattern, ledger);
    let mut tried: Vec<u32> = Vec::new();
    while let Some(insider) = ledger.blocking(need).into_iter().find(|i| !tried.contains(i)) {
        approach(problem, need, Some(insider), paths, pattern, ledger);
        tried.push(insider);
    }
}

fn approach(
    problem: &Problem,
    need: usize,
    insider: Option<u32>,
    paths: &mut Paths<'_>,
    pattern: &mut Pattern,
    ledger: &mut Ledger<'_>,
) {
    let cell = problem.needs()[need].cell;
    let unmoved = insider.map_or(&[][..], |insider| problem.insiders().cells(insider));
    // Up again at the end: how far up is needed may depend on how far down is possible.
    for side in [Side::Up, Side::Down, Side::Up] {
        let Some(target) = ledger.wanted(need, side, insider) else { continue };
        let Some(witness) = paths.lead(cell, side, target, unmoved, pattern) else { continue };
        for &(cell, _) in &witness.moves {
            pattern.withhold(cell, Why::Secondary);
        }
        ledger.add(witness);
    }
}
