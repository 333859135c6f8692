//! Cheapest ways through a network of a hundred thousand arcs that look at few of them.
//!
//! Arcs that lead away from a node are sorted by cost when it is first come to. A way that cannot be cheaper than one that is known ends there,
//! and with it all dearer arcs of the node. Nodes have prices, as in every successive search for cheapest ways (Edmonds and Karp 1972): the goal
//! has the highest, so an arc that is too dear without its end's price is too dear with it.

use cellveil_attack::Network;
use cellveil_core::Side;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How far a node is, and the arc, side and node before it on the way.
pub(super) type Way = (f64, Option<(u32, Side, u32)>);

/// An arc that leads away from a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Away {
    pub(super) cost: f64,
    pub(super) arc: u32,
    pub(super) side: Side,
    pub(super) next: u32,
}

/// The arcs of a network, by node.
pub(super) struct Arcs<'n> {
    network: &'n Network,
    at: Vec<Vec<u32>>,
}

impl<'n> Arcs<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        let mut at: Vec<Vec<u32>> = vec![Vec::new(); network.nodes];
        for (arc, ends) in (0_u32..).zip(&network.arcs) {
            if let Some((tail, head)) = ends.filter(|(tail, head)| tail != head) {
                at[tail as usize].push(arc);
                at[head as usize].push(arc);
            }
        }
        Self { network, at }
    }

    /// All arcs at a node, with the side and the node to which each leads.
    pub(super) fn all_away(&self, node: u32) -> impl Iterator<Item = (u32, Side, u32)> + '_ {
        self.at[node as usize].iter().filter_map(move |&arc| {
            let (side, next) = self.away(node, arc)?;
            Some((arc, side, next))
        })
    }

    /// Where an arc at a node leads to, and to which side.
    pub(super) fn away(&self, node: u32, arc: u32) -> Option<(Side, u32)> {
        let (tail, head) = self.network.arcs[arc as usize]?;
        Some(if tail == node { (Side::Up, head) } else { (Side::Down, tail) })
    }
}

/// The arcs away from every node, cheapest first.
pub(super) struct Sorted<'s, Cost> {
    arcs: &'s Arcs<'s>,
    /// What an arc costs to a side; `None` if it cannot be used.
    cost: Cost,
    of: Vec<OnceCell<Vec<Away>>>,
}

impl<'s, Cost: Fn(u32, Side) -> Option<f64>> Sorted<'s, Cost> {
    pub(super) fn new(arcs: &'s Arcs<'s>, cost: Cost) -> Self {
        Self { arcs, cost, of: vec![OnceCell::new(); arcs.at.len()] }
    }

    fn away(&self, node: u32) -> &[Away] {
        self.of[node as usize].get_or_init(|| {
            let mut away: Vec<Away> = self.arcs.at[node as usize]
                .iter()
                .filter_map(|&arc| {
                    let (side, next) = self.arcs.away(node, arc)?;
                    Some(Away { cost: (self.cost)(arc, side)?, arc, side, next })
                })
                .collect();
            away.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.arc.cmp(&b.arc)));
            away
        })
    }

    /// How far every node that is nearer than another is from one, beyond prices of nodes, and the last arc of the way (Dijkstra). `may` says whether an arc can be used now;
    /// `back` lists arcs away from a node that cost less than nothing. Nothing is looked for that is as far as `limit`. Also says how many arcs were looked at.
    pub(super) fn ways(
        &self,
        (from, to): (u32, u32),
        limit: f64,
        prices: &[f64],
        may: impl Fn(&Away) -> bool,
        back: impl Fn(u32) -> Vec<Away>,
    ) -> (Vec<Option<Way>>, u64) {
        let mut ways: Vec<Option<Way>> = vec![None; self.of.len()];
        ways[from as usize] = Some((0.0, None));
        let highest = prices[to as usize];
        let mut looked = 0;
        // Numbers that are not negative are ordered as their bits.
        let mut open = BinaryHeap::from([Reverse((0_u64, from))]);
        while let Some(Reverse((bits, node))) = open.pop() {
            let here = f64::from_bits(bits);
            if ways[node as usize].is_none_or(|(far, _)| here > far) {
                continue;
            }
            if node == to {
                break;
            }
            let price = prices[node as usize];
            let mut go = |away: &Away, ways: &mut Vec<Option<Way>>, may: &dyn Fn(&Away) -> bool| {
                let there = here + (away.cost + price - prices[away.next as usize]).max(0.0);
                let is_nearer = ways[away.next as usize].is_none_or(|(far, _)| there < far);
                if there < limit && is_nearer && may(away) {
                    ways[away.next as usize] = Some((there, Some((away.arc, away.side, node))));
                    open.push(Reverse((there.to_bits(), away.next)));
                }
            };
            for away in back(node) {
                go(&away, &mut ways, &|_| true);
            }
            for away in self.away(node) {
                looked += 1;
                let nearest = ways[to as usize].map_or(limit, |(far, _)| far);
                if here + away.cost + price - highest >= nearest {
                    break;
                }
                go(away, &mut ways, &may);
            }
        }
        (ways, looked)
    }
}
