//! The largest flow from one end of a cell's arc back to the other.
//!
//! Shortest ways first (Dinic). Two things make most questions local: the first ways tried have at most three arcs and are found
//! from the two ends alone, and a flow that fills all arcs around one of the ends is known to be largest without a
//! search.

use super::graph::{ENDLESS, Graph, LARGEST, half};
use super::network::Network;
use crate::component::Component;
use crate::reached::Reached;
use cellveil_core::{CellId, Problem, Side, Witness};
use std::sync::Arc;

/// How far the cells of a network can be moved, one question after the other.
pub struct Flow<'a> {
    component: &'a Component,
    network: &'a Network,
    graph: Arc<Graph>,
    /// Per half what is left of its room.
    left: Vec<i64>,
    /// Per arc how far its cell is moved.
    moved: Vec<i64>,
    /// Arcs that the last question used or held.
    touched: Vec<u32>,
    /// Per node a number that falls along every way to the end.
    label: Vec<u32>,
    labelled: Vec<u32>,
    /// Per node how many of its halves lead nowhere any more.
    spent: Vec<u32>,
}

/// The label of a node from which no way to the end is known.
const NOWHERE: u32 = u32::MAX;

/// Some way has no limit.
struct Unlimited;

impl<'a> Flow<'a> {
    /// Prepares a component that is a network.
    pub fn new(problem: &Problem, component: &'a Component, network: &'a Network) -> Self {
        Self::on(component, network, Arc::new(Graph::new(problem, component, network)))
    }

    pub(super) fn on(component: &'a Component, network: &'a Network, graph: Arc<Graph>) -> Self {
        Self {
            component,
            network,
            left: graph.room.clone(),
            moved: vec![0; graph.arcs()],
            touched: Vec::new(),
            label: vec![NOWHERE; graph.nodes()],
            labelled: Vec::new(),
            spent: vec![0; graph.nodes()],
            graph,
        }
    }

    /// The largest move of a cell to a side, in units; `None` if there is no limit.
    pub fn extreme(&mut self, cell: CellId, side: Side) -> Option<i64> {
        self.restore();
        let Some(arc) = self.arc(cell) else { return Some(0) };
        self.largest(arc, side, ENDLESS).ok()
    }

    /// Looks for a table with `cell` moved `target` units to `side` and the cells `unmoved` left alone.
    pub fn reach(&mut self, cell: CellId, side: Side, target: i64, unmoved: &[CellId]) -> Reached {
        self.restore();
        let short = Reached::Short { distance: 0.0, witness: None };
        let Some(arc) = self.arc(cell).filter(|_| !unmoved.contains(&cell)) else { return short };
        for held in unmoved.iter().filter_map(|&cell| self.arc(cell)).collect::<Vec<_>>() {
            self.hold(held);
        }
        match self.largest(arc, side, target.min(LARGEST)) {
            Ok(distance) if distance == target => Reached::Target(self.witness()),
            Ok(distance) if distance > 0 => {
                Reached::Short { distance: distance as f64, witness: Some(self.witness()) }
            }
            Ok(_) | Err(Unlimited) => short,
        }
    }

    /// The halves that the last flow used up: there the cell is at its bound.
    pub(super) fn full(&self) -> impl Iterator<Item = u32> + '_ {
        let halves = self.touched.iter().flat_map(|&arc| [2 * arc, 2 * arc + 1]);
        halves.filter(|&half| self.left[half as usize] == 0)
    }

    /// The table of the last flow.
    fn witness(&self) -> Witness {
        let mut arcs = self.touched.clone();
        arcs.sort_unstable();
        arcs.dedup();
        arcs.retain(|&arc| self.moved[arc as usize] != 0);
        let step = |arc: u32| (self.component.cells[arc as usize], self.moved[arc as usize]);
        Witness { denominator: 1, moves: arcs.into_iter().map(step).collect() }
    }

    fn arc(&self, cell: CellId) -> Option<u32> {
        self.component.cells.binary_search(&cell).ok().map(|at| at as u32)
    }

    /// Takes all room from an arc until the next question.
    fn hold(&mut self, arc: u32) {
        self.left[2 * arc as usize..2 * arc as usize + 2].fill(0);
        self.touched.push(arc);
    }

    /// Forgets the last flow.
    fn restore(&mut self) {
        for at in 0..self.touched.len() {
            self.free(self.touched[at]);
        }
        self.touched.clear();
    }

    fn free(&mut self, arc: u32) {
        let halves = 2 * arc as usize..2 * arc as usize + 2;
        self.left[halves.clone()].copy_from_slice(&self.graph.room[halves]);
        self.moved[arc as usize] = 0;
    }

    /// Moves a cell as far as it goes, but not beyond `target`.
    fn largest(&mut self, arc: u32, side: Side, target: i64) -> Result<i64, Unlimited> {
        let Some((tail, head)) = self.network.arcs[arc as usize] else { return Ok(0) };
        let (from, to) = if side == Side::Up { (head, tail) } else { (tail, head) };
        let own = half(arc, side);
        self.hold(arc);
        let limit = target.min(self.graph.room[own as usize]);
        let total = match limit {
            ENDLESS if from == to => Err(Unlimited),
            limit if from == to => Ok(limit),
            limit => self.push(from, to, limit.min(self.around(from, to))),
        };
        self.free(arc);
        if let Ok(total) = total {
            self.advance(own, total);
        }
        total
    }

    /// How much the arcs around the ends let through.
    fn around(&self, from: u32, to: u32) -> i64 {
        let left = |half: u32| self.left[half as usize];
        let out = self.graph.from(from).iter().map(|&(_, half)| left(half));
        let back = self.graph.from(to).iter().map(|&(_, half)| left(half ^ 1));
        out.fold(0, i64::saturating_add).min(back.fold(0, i64::saturating_add))
    }

    /// Sends as much as possible from one node to another, but not more than `limit`.
    fn push(&mut self, from: u32, to: u32, limit: i64) -> Result<i64, Unlimited> {
        let mut total = 0;
        self.label_ends(from, to);
        loop {
            total += self.push_downhill(from, to, limit, total)?;
            if total == limit.min(LARGEST) || !self.label_all(from, to) {
                self.forget_labels();
                return Ok(total);
            }
        }
    }

    /// Labels the nodes on ways of at most three arcs, from the two ends.
    fn label_ends(&mut self, from: u32, to: u32) {
        self.forget_labels();
        let graph = Arc::clone(&self.graph);
        self.set_label(to, 0);
        for &(node, half) in graph.from(to) {
            if self.left[half as usize ^ 1] > 0 {
                self.set_label(node, 1);
            }
        }
        for &(node, half) in graph.from(from) {
            if self.left[half as usize] > 0 && self.label[node as usize] == NOWHERE {
                self.set_label(node, 2);
            }
        }
        self.set_label(from, 3);
    }

    /// Labels nodes with their distance to the end, outward until the start is found; false if it is not.
    fn label_all(&mut self, from: u32, to: u32) -> bool {
        self.forget_labels();
        let graph = Arc::clone(&self.graph);
        self.set_label(to, 0);
        let mut at = 0;
        while let Some(&near) = self.labelled.get(at) {
            at += 1;
            for &(node, half) in graph.from(near) {
                if self.left[half as usize ^ 1] > 0 && self.label[node as usize] == NOWHERE {
                    self.set_label(node, self.label[near as usize] + 1);
                    if node == from {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn set_label(&mut self, node: u32, label: u32) {
        self.label[node as usize] = label;
        self.spent[node as usize] = 0;
        self.labelled.push(node);
    }

    fn forget_labels(&mut self) {
        for node in self.labelled.drain(..) {
            self.label[node as usize] = NOWHERE;
        }
    }

    /// Sends along ways of falling labels until there is none left, or `limit` is reached.
    fn push_downhill(
        &mut self,
        from: u32,
        to: u32,
        limit: i64,
        before: i64,
    ) -> Result<i64, Unlimited> {
        let graph = Arc::clone(&self.graph);
        let mut sent = 0;
        // The nodes passed, each with the half by which it was left.
        let mut way: Vec<(u32, u32)> = Vec::new();
        let mut node = from;
        while before + sent < limit.min(LARGEST) {
            if node == to {
                let rest = limit.min(LARGEST) - before - sent;
                let least = way.iter().map(|&(_, half)| self.left[half as usize]).min();
                let least = least.unwrap_or(0);
                if least == ENDLESS && limit == ENDLESS {
                    return Err(Unlimited);
                }
                let amount = least.min(rest);
                for &(_, half) in &way {
                    self.touched.push(half / 2);
                    self.advance(half, amount);
                }
                sent += amount;
                // Back to where the way is full now.
                let full = way.iter().position(|&(_, half)| self.left[half as usize] == 0);
                way.truncate(full.map_or(0, |at| at + 1));
                node = way.pop().map_or(from, |(node, _)| node);
                continue;
            }
            let halves = graph.from(node);
            let passable = |&(other, half): &(u32, u32)| {
                self.left[half as usize] > 0
                    && self.label[other as usize] < self.label[node as usize]
            };
            let first = self.spent[node as usize] as usize;
            if let Some(skipped) = halves[first..].iter().position(passable) {
                self.spent[node as usize] = (first + skipped) as u32;
                let (other, half) = halves[first + skipped];
                way.push((node, half));
                node = other;
            } else {
                self.label[node as usize] = NOWHERE;
                let Some((before, _)) = way.pop() else { break };
                node = before;
            }
        }
        Ok(sent)
    }

    /// Sends an amount along one half.
    fn advance(&mut self, half: u32, amount: i64) {
        let (there, back) = (half as usize, half as usize ^ 1);
        if self.left[there] != ENDLESS {
            self.left[there] -= amount;
        }
        if self.left[back] != ENDLESS {
            self.left[back] += amount;
        }
        self.moved[half as usize / 2] += if half.is_multiple_of(2) { amount } else { -amount };
    }
}
