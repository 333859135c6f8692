//! Cheapest paths through a network, one after the other, until enough has been sent.

use cellveil_attack::{Component, Network};
use cellveil_core::{CellId, Pattern, Problem, Side, Witness};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A network and what has been sent along its arcs for the present question.
pub(super) struct Paths<'p> {
    problem: &'p Problem,
    component: &'p Component,
    network: &'p Network,
    /// Per node the arcs at it.
    arcs_at: Vec<Vec<u32>>,
    /// Per arc how far its cell is moved.
    moved: Vec<i64>,
    touched: Vec<u32>,
}

/// The cost of a way so far, as bits that are ordered like the number, and how long it is.
type Price = (u64, u32);

/// A question: what may be used, and how much is still to be sent.
#[derive(Clone, Copy)]
struct Question<'q> {
    pattern: &'q Pattern,
    unmoved: &'q [CellId],
    own: u32,
    missing: i64,
}

/// A published cell costs at least this, so that none is withheld for nothing.
const LEAST_COST: f64 = 1e-9;

/// Arcs with too little room make a way this many arcs longer, so that of equally cheap ways the wide one is taken.
const NARROW: u32 = 1;

impl<'p> Paths<'p> {
    pub(super) fn new(
        problem: &'p Problem,
        component: &'p Component,
        network: &'p Network,
    ) -> Self {
        let mut arcs_at = vec![Vec::new(); network.nodes];
        for (arc, ends) in network.arcs.iter().enumerate() {
            if let Some((tail, head)) = ends.filter(|(tail, head)| tail != head) {
                arcs_at[tail as usize].push(arc as u32);
                arcs_at[head as usize].push(arc as u32);
            }
        }
        let (moved, touched) = (vec![0; network.arcs.len()], Vec::new());
        Self { problem, component, network, arcs_at, moved, touched }
    }

    /// The table in which a cell is moved as far towards `target` as can be, along cheapest paths; `None` if it cannot move.
    pub(super) fn lead(
        &mut self,
        cell: CellId,
        side: Side,
        target: i64,
        unmoved: &[CellId],
        pattern: &Pattern,
    ) -> Option<Witness> {
        for arc in self.touched.drain(..) {
            self.moved[arc as usize] = 0;
        }
        let own = self.component.position(cell)?;
        let (tail, head) = self.network.arcs[own as usize]?;
        let limit = self.problem.room(cell, side).unwrap_or(i64::MAX).min(target);
        let (from, to) = if side == Side::Up { (head, tail) } else { (tail, head) };
        let mut missing = if from == to { 0 } else { limit };
        while missing > 0 {
            let question = Question { pattern, unmoved, own, missing };
            let Some(way) = self.cheapest(from, to, question) else { break };
            let narrowest = way.iter().map(|&(arc, side)| self.left(arc, side)).min()?;
            let amount = narrowest.min(missing);
            for &(arc, side) in &way {
                self.moved[arc as usize] += amount * side.sign();
                self.touched.push(arc);
            }
            missing -= amount;
        }
        self.moved[own as usize] = (limit - missing) * side.sign();
        self.touched.push(own);
        self.witness()
    }

    fn witness(&self) -> Option<Witness> {
        let mut arcs = self.touched.clone();
        arcs.sort_unstable();
        arcs.dedup();
        arcs.retain(|&arc| self.moved[arc as usize] != 0);
        let step = |arc: u32| (self.component.cells[arc as usize], self.moved[arc as usize]);
        let moves: Vec<(CellId, i64)> = arcs.into_iter().map(step).collect();
        (!moves.is_empty()).then_some(Witness { denominator: 1, moves })
    }

    /// How far a cell can still be moved to a side.
    fn left(&self, arc: u32, side: Side) -> i64 {
        let room = self.problem.room(self.component.cells[arc as usize], side);
        room.map_or(i64::MAX, |room| room.saturating_sub(self.moved[arc as usize] * side.sign()))
    }

    /// The cheapest way from a node to another (Dijkstra), as arcs and the sides to which their cells move.
    fn cheapest(&self, from: u32, to: u32, question: Question<'_>) -> Option<Vec<(u32, Side)>> {
        let mut best: Vec<Option<(Price, u32, Side)>> = vec![None; self.network.nodes];
        let mut done = vec![false; self.network.nodes];
        let mut open = BinaryHeap::from([Reverse(((0_u64, 0_u32), from))]);
        while let Some(Reverse((price, node))) = open.pop() {
            if std::mem::replace(&mut done[node as usize], true) {
                continue;
            }
            if node == to {
                return Some(self.way_back(from, to, &best));
            }
            for &arc in &self.arcs_at[node as usize] {
                let Some((next, side)) = self.along(arc, node) else { continue };
                let Some(price) = self.price(price, arc, side, question) else { continue };
                if best[next as usize].is_none_or(|(before, ..)| price < before) && next != from {
                    best[next as usize] = Some((price, arc, side));
                    open.push(Reverse((price, next)));
                }
            }
        }
        None
    }

    /// Where an arc leads from a node, and to which side its cell moves then.
    fn along(&self, arc: u32, node: u32) -> Option<(u32, Side)> {
        let (tail, head) = self.network.arcs[arc as usize]?;
        Some(if tail == node { (head, Side::Up) } else { (tail, Side::Down) })
    }

    fn way_back(
        &self,
        from: u32,
        to: u32,
        best: &[Option<(Price, u32, Side)>],
    ) -> Vec<(u32, Side)> {
        let (mut way, mut node) = (Vec::new(), to);
        while node != from {
            let Some((_, arc, side)) = best[node as usize] else { break };
            way.push((arc, side));
            let Some((tail, head)) = self.network.arcs[arc as usize] else { break };
            node = if side == Side::Up { tail } else { head };
        }
        way
    }

    /// The price of a way that goes on along an arc; `None` if it cannot.
    ///
    /// Withheld cells are free. Others cost what withholding them does, and in proportion more where several would be needed
    /// because one has too little room.
    fn price(
        &self,
        (so_far, length): Price,
        arc: u32,
        side: Side,
        question: Question<'_>,
    ) -> Option<Price> {
        let cell = self.component.cells[arc as usize];
        let left = self.left(arc, side);
        if left <= 0 || arc == question.own || question.unmoved.contains(&cell) {
            return None;
        }
        let narrow = u32::from(left < question.missing) * NARROW;
        let is_free = question.pattern.is_withheld(cell) || self.moved[arc as usize] != 0;
        let cost = if is_free {
            0.0
        } else {
            let times = (question.missing as f64 / left as f64).max(1.0);
            self.problem.cost(cell).max(LEAST_COST) * times
        };
        Some(((f64::from_bits(so_far) + cost).to_bits(), length + 1 + narrow))
    }
}
