//! A bound of networks without a program: every level needs a flow from one end of its cell to the other, and pays for the cheapest.
//!
//! First as much as possible is sent along cells that cost nothing. The `s` units that are missing then must go through the network that is left; they
//! may go without circles, so no cell carries more than `u_i = min(s, room)` of them, and each costs at least `c_i / u_i` for every unit. The cheapest flow within these
//! limits, found by cheapest ways one after the other, is a bound of the level alone. With its prices `π` of nodes the cells pay `min(c_i, τ_i u_i)`, where `τ_i` is how
//! much `π` grows along the cell: at these costs the flow would cost the same. What cells have left pays for the next level (dual ascent, as in `ascent.rs`).

use super::ascent::ROUNDING;
use super::level::{Goal, Level, System};
use crate::method::Context;
use cellveil_attack::Network;
use cellveil_core::{Side, Witness};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Work in arcs times levels that is worth it.
const WORK: usize = 20_000_000;

/// No pattern that reaches all levels costs less in this component, which is a network; and tables that reach levels at nearly that cost.
pub(super) fn by_flows(
    system: &System<'_>,
    network: &Network,
    levels: &[Level],
    context: &Context<'_>,
) -> (f64, Vec<Witness>) {
    let mut arcs_at: Vec<Vec<u32>> = vec![Vec::new(); network.nodes];
    for (arc, ends) in (0_u32..).zip(&network.arcs) {
        if let Some((tail, head)) = ends.filter(|(tail, head)| tail != head) {
            arcs_at[tail as usize].push(arc);
            arcs_at[head as usize].push(arc);
        }
    }
    let free = system.free.iter().zip(&system.costs);
    let left: Vec<f64> = free.map(|(&free, &cost)| if free { cost } else { 0.0 }).collect();
    let mut paying = Flows { system, network, context, arcs_at: &arcs_at, left: left.clone() };
    let mut chosen = Flows { system, network, context, arcs_at: &arcs_at, left };
    let mut order: Vec<&Level> = levels.iter().collect();
    order.sort_by(|a, b| b.target.cmp(&a.target).then_with(|| a.cmp(b)));
    order.truncate(WORK / network.arcs.len().max(1));
    let (mut bound, mut witnesses) = (0.0, Vec::new());
    for level in order {
        if context.is_over() {
            break;
        }
        bound += paying.pay(level).unwrap_or(0.0);
        witnesses.extend(chosen.serve(level));
    }
    (bound * (1.0 - ROUNDING), witnesses)
}

struct Flows<'p> {
    system: &'p System<'p>,
    network: &'p Network,
    context: &'p Context<'p>,
    arcs_at: &'p [Vec<u32>],
    /// Per cell what it costs, without what it paid already, or nothing once it is chosen.
    left: Vec<f64>,
}

/// Ways that a level may need at most; with more it pays nothing.
const WAYS: usize = 2_000;

/// How many cells that carry little are looked at for a level.
const DETOURS: usize = 100;

/// What is sent for a level so far.
struct Flow<'f> {
    level: &'f Level,
    /// Per arc, up if positive: what was sent along cells that cost nothing before anything was paid for, and what is sent beyond it.
    for_nothing: Vec<i64>,
    sent: Vec<i64>,
    /// What was missing when nothing more could be sent for nothing.
    short: i64,
    /// Per node.
    prices: Vec<f64>,
}

impl Flows<'_> {
    /// The cheapest flow that reaches a level, and to which side.
    fn flow<'l>(&self, level: &'l Level) -> Option<(Flow<'l>, Side)> {
        let Goal::Side(side) = level.goal else { return None };
        let (tail, head) = self.network.arcs[level.at as usize]?;
        let (from, to) = if side == Side::Up { (head, tail) } else { (tail, head) };
        Some((self.cheapest(from, to, level)?, side))
    }

    /// What cells pay for a level.
    fn pay(&mut self, level: &Level) -> Option<f64> {
        let (flow, _) = self.flow(level)?;
        let mut cost = 0.0;
        for (arc, ends) in (0_u32..).zip(&self.network.arcs) {
            let Some((tail, head)) = ends.filter(|_| arc != level.at) else { continue };
            if self.left[arc as usize] == 0.0 {
                continue;
            }
            let sent = flow.sent[arc as usize];
            let sent_to = if sent > 0 { Side::Up } else { Side::Down };
            if sent != 0 {
                cost += sent.abs() as f64 * self.slope(arc, sent_to, &flow);
            }
            let rise = flow.prices[head as usize] - flow.prices[tail as usize];
            let side = if rise > 0.0 { Side::Up } else { Side::Down };
            if let Some(most) = self.most(arc, side, &flow) {
                let left = &mut self.left[arc as usize];
                *left = (*left - rise.abs() * most as f64).max(0.0);
            }
        }
        Some(cost)
    }

    /// The table that reaches a level at the least cost; the cells that move in it cost nothing from now on.
    fn serve(&mut self, level: &Level) -> Option<Witness> {
        let (mut flow, side) = self.flow(level)?;
        self.thin(&mut flow);
        let mut moves = Vec::new();
        for (arc, &cell) in self.system.component.cells.iter().enumerate() {
            let is_own = arc == level.at as usize;
            let sent = flow.for_nothing[arc] + flow.sent[arc];
            let step = if is_own { level.target * side.sign() } else { sent };
            if step != 0 {
                self.left[arc] = 0.0;
                moves.push((cell, step));
            }
        }
        Some(Witness { denominator: 1, moves })
    }

    /// How much a cell can carry of what is missing; `None` if nothing.
    fn most(&self, arc: u32, side: Side, flow: &Flow<'_>) -> Option<i64> {
        let room = self.system.room(arc, side).unwrap_or(i64::MAX);
        let room = room.saturating_sub(flow.for_nothing[arc as usize] * side.sign());
        let room = room.min(flow.short);
        (room > 0 && flow.level.held.binary_search(&arc).is_err()).then_some(room)
    }

    /// What a cell costs for every unit.
    fn slope(&self, arc: u32, side: Side, flow: &Flow<'_>) -> f64 {
        let left = self.left[arc as usize];
        if left == 0.0 {
            return 0.0;
        }
        self.most(arc, side, flow).map_or(f64::INFINITY, |most| left / most as f64)
    }

    /// The cheapest flow of a level; `None` if there is none, or it takes too many ways.
    fn cheapest<'l>(&self, from: u32, to: u32, level: &'l Level) -> Option<Flow<'l>> {
        let (nodes, arcs) = (self.network.nodes, self.network.arcs.len());
        let mut flow = Flow {
            level,
            for_nothing: vec![0; arcs],
            sent: vec![0; arcs],
            short: level.target,
            prices: vec![0.0; nodes],
        };
        let mut missing = level.target;
        let mut for_nothing = true;
        for _ in 0..WAYS {
            if self.context.is_over() {
                return None;
            }
            let ways = self.ways(from, to, &|arc, side, node, next| {
                if arc == level.at || (for_nothing && self.left[arc as usize] > 0.0) {
                    return None;
                }
                let (cost, _) = self.step(arc, side, &flow)?;
                Some(cost + flow.prices[node as usize] - flow.prices[next as usize])
            });
            let Some((far, _)) = ways[to as usize] else {
                if !for_nothing {
                    return None;
                }
                for_nothing = false;
                flow.for_nothing = std::mem::replace(&mut flow.sent, vec![0; arcs]);
                flow.short = missing;
                continue;
            };
            let mut amount = missing;
            let mut way = Vec::new();
            let mut node = to;
            while node != from {
                let (arc, side, before) = ways[node as usize]?.1?;
                amount = amount.min(self.step(arc, side, &flow)?.1);
                way.push((arc, side));
                node = before;
            }
            for (arc, side) in way {
                flow.sent[arc as usize] += amount * side.sign();
            }
            for (price, way) in flow.prices.iter_mut().zip(&ways) {
                *price += way.map_or(far, |(distance, _)| distance.min(far));
            }
            missing -= amount;
            if missing == 0 {
                // A level that is met for nothing pays nothing.
                return (!for_nothing).then_some(flow);
            }
        }
        None
    }

    /// What one more unit to a side costs a cell, and how many it can take; what was sent the other way is taken back first.
    fn step(&self, arc: u32, side: Side, flow: &Flow<'_>) -> Option<(f64, i64)> {
        let sent = flow.sent[arc as usize] * side.sign();
        if sent < 0 {
            let other = if side == Side::Up { Side::Down } else { Side::Up };
            return Some((-self.slope(arc, other, flow), -sent));
        }
        let most = self.most(arc, side, flow)? - sent;
        (most > 0).then(|| (self.slope(arc, side, flow), most))
    }

    /// How far every node that is nearer than another is from one, and the last arc of the way (Dijkstra). `cost` says what it costs to go along an arc to a side, from a node to the
    /// next; `None` if that cannot be.
    fn ways(&self, from: u32, to: u32, cost: &Cost<'_>) -> Vec<Option<Way>> {
        let mut ways: Vec<Option<Way>> = vec![None; self.network.nodes];
        ways[from as usize] = Some((0.0, None));
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
            for &arc in &self.arcs_at[node as usize] {
                let Some((tail, head)) = self.network.arcs[arc as usize] else { continue };
                let (next, side) = if tail == node { (head, Side::Up) } else { (tail, Side::Down) };
                let Some(cost) = cost(arc, side, node, next) else { continue };
                let there = here + cost.max(0.0);
                if ways[next as usize].is_none_or(|(far, _)| there < far) {
                    ways[next as usize] = Some((there, Some((arc, side, node))));
                    open.push(Reverse((there.to_bits(), next)));
                }
            }
        }
        ways
    }

    /// Leaves out cells that carry little, where what they carry can go along cells that move anyway, or that cost less.
    fn thin(&self, flow: &mut Flow<'_>) {
        let is_partly_used = |arc: &u32| {
            let sent = flow.sent[*arc as usize];
            let side = if sent > 0 { Side::Up } else { Side::Down };
            let most = self.most(*arc, side, flow).unwrap_or(0);
            sent != 0 && self.left[*arc as usize] > 0.0 && sent.abs() < most
        };
        let mut partly: Vec<u32> = (0..flow.sent.len() as u32).filter(is_partly_used).collect();
        partly.sort_by(|&a, &b| {
            self.left[b as usize].total_cmp(&self.left[a as usize]).then(a.cmp(&b))
        });
        for arc in partly.into_iter().take(DETOURS) {
            let sent = flow.sent[arc as usize];
            let Some((tail, head)) = self.network.arcs[arc as usize].filter(|_| sent != 0) else {
                continue;
            };
            let (from, to) = if sent > 0 { (tail, head) } else { (head, tail) };
            let ways = self.ways(from, to, &|at, side, _, _| {
                let (_, most) =
                    self.step(at, side, flow).filter(|_| at != arc && at != flow.level.at)?;
                let moves = flow.sent[at as usize] != 0;
                (most >= sent.abs()).then_some(if moves { 0.0 } else { self.left[at as usize] })
            });
            let Some((cost, _)) = ways[to as usize] else { continue };
            if cost >= self.left[arc as usize] {
                continue;
            }
            flow.sent[arc as usize] = 0;
            let mut node = to;
            while let Some((_, Some((at, side, before)))) =
                ways[node as usize].filter(|_| node != from)
            {
                flow.sent[at as usize] += sent.abs() * side.sign();
                node = before;
            }
        }
    }
}

/// What it costs to go along an arc.
type Cost<'c> = dyn Fn(u32, Side, u32, u32) -> Option<f64> + 'c;

/// How far a node is, and the arc, side and node before it on the way.
type Way = (f64, Option<(u32, Side, u32)>);
