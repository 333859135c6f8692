//! A network with the room of its cells.

use super::bridges::bridges;
use super::network::Network;
use crate::component::Component;
use cellveil_core::{Problem, Side};

/// The room of a cell without a bound.
pub(super) const ENDLESS: i64 = i64::MAX;

/// No flow is larger: sums of two such amounts fit. Amounts this large are taken for this one, which is the cautious side.
pub(super) const LARGEST: i64 = i64::MAX / 4;

/// The arcs along which something can flow, by node. Arc `a` has two halves: `2a` from its tail to its head, a move up, and
/// `2a + 1` back, a move down.
pub(super) struct Graph {
    starts: Vec<usize>,
    /// Per node the node at the other end and the half of the arc that leads there.
    halves: Vec<(u32, u32)>,
    /// Per half its capacity.
    pub(super) room: Vec<i64>,
}

/// The half of an arc on which a cell moves to a side.
pub(super) fn half(arc: u32, side: Side) -> u32 {
    2 * arc + u32::from(side == Side::Down)
}

impl Graph {
    pub(super) fn new(problem: &Problem, component: &Component, network: &Network) -> Self {
        let room = component.cells.iter().flat_map(|&cell| {
            [Side::Up, Side::Down]
                .map(|side| problem.room(cell, side).map_or(ENDLESS, |room| room.min(LARGEST)))
        });
        let mut graph = Self { starts: Vec::new(), halves: Vec::new(), room: room.collect() };
        graph.join(network);
        let bridge = bridges(&graph);
        for (arc, _) in bridge.iter().enumerate().filter(|(_, bridge)| **bridge) {
            graph.room[2 * arc..2 * arc + 2].fill(0);
        }
        for (arc, _) in network.arcs.iter().enumerate().filter(|(_, ends)| ends.is_none()) {
            graph.room[2 * arc..2 * arc + 2].fill(0);
        }
        graph.join(network);
        graph
    }

    /// Lists by node the arcs that have any room.
    fn join(&mut self, network: &Network) {
        let movable = |arc: &usize| self.room[2 * arc] > 0 || self.room[2 * arc + 1] > 0;
        let ends = |arc: usize| network.arcs[arc].map(|ends| (arc as u32, ends));
        let arcs = (0..network.arcs.len()).filter(movable).filter_map(ends);
        let mut starts = vec![0; network.nodes + 1];
        for (_, (tail, head)) in arcs.clone() {
            starts[tail as usize + 1] += 1;
            starts[head as usize + 1] += 1;
        }
        for node in 0..network.nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut halves = vec![(0, 0); starts[network.nodes]];
        for (arc, (tail, head)) in arcs {
            for (from, to, side) in [(tail, head, Side::Up), (head, tail, Side::Down)] {
                halves[next[from as usize]] = (to, half(arc, side));
                next[from as usize] += 1;
            }
        }
        self.starts = starts;
        self.halves = halves;
    }

    pub(super) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn arcs(&self) -> usize {
        self.room.len() / 2
    }

    /// The halves that leave a node.
    pub(super) fn from(&self, node: u32) -> &[(u32, u32)] {
        &self.halves[self.starts[node as usize]..self.starts[node as usize + 1]]
    }
}
