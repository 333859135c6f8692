//! Intervals of many cells of a network.

use super::graph::{Graph, half};
use super::network::Network;
use super::push::Flow;
use crate::component::Component;
use cellveil_core::{CellId, Interval, Problem, Side};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cells per piece of work.
const CHUNK: usize = 512;

/// Intervals of `cells`, which lie in one component that is a network, in their order.
///
/// A cell seen at its own bound in anybody's flow needs no flow of its own. Who saw it first depends on the threads, the
/// answer does not: it is exact either way.
pub(crate) fn intervals(
    problem: &Problem,
    network: &Network,
    component: &Component,
    cells: &[CellId],
) -> Vec<Interval> {
    let graph = Arc::new(Graph::new(problem, component, network));
    let seen: Vec<AtomicBool> = graph.room.iter().map(|_| AtomicBool::new(false)).collect();
    // Up first: what makes one cell large empties those beside it, and few flows down are left to find.
    let [up, down] = [Side::Up, Side::Down].map(|side| {
        let chunks = cells.par_chunks(CHUNK).map(|chunk| {
            let mut flow = Flow::on(component, network, Arc::clone(&graph));
            chunk.iter().map(|&cell| end(&graph, component, &mut flow, &seen, cell, side)).collect()
        });
        chunks.collect::<Vec<Vec<Option<i64>>>>().concat()
    });
    let ends = cells.iter().zip(down.into_iter().zip(up));
    let interval = |(&cell, (down, up)): (&CellId, (Option<i64>, Option<i64>))| {
        let at = |moved: i128| (i128::from(problem.value(cell)) + moved) as f64;
        let lower = down.map(|moved| at(-i128::from(moved)));
        Interval { cell, lower, upper: up.map(|moved| at(moved.into())) }
    };
    ends.map(interval).collect()
}

/// The largest move of a cell to a side.
fn end(
    graph: &Graph,
    component: &Component,
    flow: &mut Flow<'_>,
    seen: &[AtomicBool],
    cell: CellId,
    side: Side,
) -> Option<i64> {
    let Ok(at) = component.cells.binary_search(&cell) else { return Some(0) };
    let own = half(at as u32, side) as usize;
    if graph.room[own] == 0 {
        return Some(0);
    }
    if seen[own].load(Ordering::Relaxed) {
        return Some(graph.room[own]);
    }
    let extreme = flow.extreme(cell, side);
    for half in flow.full() {
        seen[half as usize].store(true, Ordering::Relaxed);
    }
    extreme
}
