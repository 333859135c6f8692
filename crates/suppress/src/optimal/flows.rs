//! A bound of networks without a program: every level needs a flow from one end of its cell to the other, and pays for the cheapest.
//!
//! First as much as possible is sent along cells that cost nothing. The `s` units that are missing then must go through the network that is left; they
//! may go without circles, so no cell carries more than `u_i = min(s, room)` of them, and each costs at least `c_i / u_i` for every unit. The cheapest flow within these
//! limits, found by cheapest ways one after the other, is a bound of the level alone. With its prices `π` of nodes the cells pay `min(c_i, τ_i u_i)`, where `τ_i` is how
//! much `π` grows along the cell: at these costs the flow would cost the same. What cells have left pays for the next level (dual ascent, as in `ascent.rs`).

use super::ascent::ROUNDING;
use super::level::{Goal, Level, System};
use super::mincut::ends;
use super::pipes::Pipes;
use super::ways::{Arcs, Away, Sorted};
use crate::method::Context;
use crate::random::Random;
use cellveil_attack::Network;
use cellveil_core::{Side, Witness};

/// The most arcs that are looked at where no time limit is set.
const WORK: u64 = 2_000_000_000;

/// No pattern that reaches all levels costs less in this component, which is a network; and tables that reach levels at nearly that cost.
pub(super) fn by_flows(
    system: &System<'_>,
    network: &Network,
    levels: &[Level],
    context: &Context<'_>,
) -> (f64, Vec<Witness>) {
    let arcs = Arcs::new(network);
    let free = system.free.iter().zip(&system.costs);
    let left: Vec<f64> = free.map(|(&free, &cost)| if free { cost } else { 0.0 }).collect();
    let flows = || Flows { system, network, context, arcs: &arcs, left: left.clone(), work: 0 };
    let (mut paying, mut serving) = (flows(), flows());
    let (mut bound, mut best): (f64, Option<(f64, Vec<Witness>)>) = (0.0, None);
    for number in 0..ORDERS {
        let order = order(levels, context.seed, number);
        let (paid, served) = rayon::join(|| paying.pay_all(&order), || serving.serve_all(&order));
        bound = bound.max(paid);
        let cost = cost_of(system, &served);
        let is_complete = serving.has_time();
        if is_complete && best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, served));
        }
        let is_close = best.as_ref().is_some_and(|(cost, _)| bound >= CLOSE * cost);
        if is_close || !paying.has_time() || !serving.has_time() {
            break;
        }
        paying.left.clone_from(&left);
        serving.left.clone_from(&left);
    }
    (bound * (1.0 - ROUNDING), best.map_or_else(Vec::new, |(_, witnesses)| witnesses))
}

/// Tables that reach levels at little cost, where every cell costs a share of what it does.
pub(super) fn reach_all(
    system: &System<'_>,
    network: &Network,
    levels: &[Level],
    context: &Context<'_>,
    share: impl Fn(u32) -> f64,
) -> Vec<Witness> {
    let arcs = Arcs::new(network);
    let cost = |at: usize| if system.free[at] { system.costs[at] * share(at as u32) } else { 0.0 };
    let left = (0..system.len()).map(cost).collect();
    let mut flows = Flows { system, network, context, arcs: &arcs, left, work: 0 };
    flows.serve_all(&order(levels, context.seed, 0))
}

/// What the cells cost that move in some tables.
pub(super) fn cost_of(system: &System<'_>, tables: &[Witness]) -> f64 {
    let moves = tables.iter().flat_map(|table| &table.moves);
    let mut moved: Vec<u32> =
        moves.filter_map(|&(cell, _)| system.component.position(cell)).collect();
    moved.sort_unstable();
    moved.dedup();
    let paid = moved.into_iter().filter(|&at| system.free[at as usize]);
    paid.map(|at| system.costs[at as usize]).sum()
}

/// How many orders of levels are tried, unless one of them gives a pattern that costs little more than the bound.
const ORDERS: u64 = 6;
const CLOSE: f64 = 0.998;

/// Large levels first; then last; then by chance.
fn order(levels: &[Level], seed: u64, number: u64) -> Vec<&Level> {
    let mut order: Vec<&Level> = levels.iter().collect();
    order.sort_by(|a, b| b.target.cmp(&a.target).then_with(|| a.cmp(b)));
    match number {
        0 => {}
        1 => order.reverse(),
        _ => Random::new(seed, number).shuffle(&mut order),
    }
    order
}

struct Flows<'p> {
    system: &'p System<'p>,
    network: &'p Network,
    context: &'p Context<'p>,
    arcs: &'p Arcs<'p>,
    /// Per cell what it costs, without what it paid already, or nothing once it is chosen.
    left: Vec<f64>,
    /// How many arcs were looked at.
    work: u64,
}

/// Ways that a level may need at most; with more it pays nothing.
const WAYS: usize = 20_000;

/// How many flows are tried for a level.
const SCALED: usize = 6;

/// How many cells that carry little are looked at for a level.
const DETOURS: usize = 100;

/// What is sent for a level so far.
#[derive(Clone)]
struct Flow<'f> {
    level: &'f Level,
    /// Per arc, up if positive: what was sent along cells that cost nothing before anything was paid for, and what is sent beyond it.
    for_nothing: Vec<i64>,
    sent: Vec<i64>,
    /// What was missing when nothing more could be sent for nothing.
    short: i64,
    /// Per node.
    prices: Vec<f64>,
    /// Per node, the arcs along which something was sent at some time.
    carrying: Vec<Vec<u32>>,
    /// Per arc what every unit costs if that is known better than from the room; 0 if not. Empty if it never is.
    slopes: Vec<f64>,
}

impl Flows<'_> {
    fn has_time(&self) -> bool {
        let limited = (self.context.seconds_left)();
        limited.map_or(self.work < WORK, |left| left > 0.0)
    }

    /// What cells pay for all levels.
    fn pay_all(&mut self, order: &[&Level]) -> f64 {
        let paid = |level: &&Level| self.has_time().then(|| self.pay(level).unwrap_or(0.0));
        order.iter().map_while(paid).sum()
    }

    /// Tables that reach levels, as far as they can be, in the time there is.
    fn serve_all(&mut self, order: &[&Level]) -> Vec<Witness> {
        let served = |level: &&Level| self.has_time().then(|| self.serve(level));
        order.iter().map_while(served).flatten().collect()
    }

    /// The cheapest flow that reaches a level, and to which side.
    fn flow<'l>(&mut self, level: &'l Level, slopes: &[f64]) -> Option<(Flow<'l>, Side)> {
        let Goal::Side(side) = level.goal else { return None };
        let (from, to) = ends(self.network, level)?;
        Some((self.cheapest(from, to, level, slopes)?, side))
    }

    /// What cells pay for a level.
    fn pay(&mut self, level: &Level) -> Option<f64> {
        let (flow, _) = self.flow(level, &[])?;
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

    /// The table that reaches a level at the least cost; the cells that move in it cost nothing from now on. A cell costs the same whatever it carries, so what
    /// every unit cost in one flow is what the next one reckons with (dynamic slope scaling, Kim and Pardalos 1999).
    fn serve(&mut self, level: &Level) -> Option<Witness> {
        let mut slopes = Vec::new();
        let mut best: Option<(f64, Flow<'_>, Side)> = None;
        for _ in 0..SCALED {
            let Some((mut flow, side)) = self.flow(level, &slopes) else { break };
            self.thin(&mut flow);
            slopes.resize(self.left.len(), 0.0);
            let mut cost = 0.0;
            for (arc, sent) in flow.sent.iter().enumerate().filter(|(_, sent)| **sent != 0) {
                cost += self.left[arc];
                slopes[arc] = self.left[arc] / sent.abs() as f64;
            }
            if best.as_ref().is_some_and(|(least, ..)| cost >= *least) {
                break;
            }
            best = Some((cost, flow, side));
            if cost == 0.0 {
                break;
            }
        }
        let (_, flow, side) = best?;
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
        let known = flow.slopes.get(arc as usize).copied().filter(|&slope| slope > 0.0);
        let most = self.most(arc, side, flow);
        most.map_or(f64::INFINITY, |most| known.unwrap_or(left / most as f64))
    }

    /// The cheapest flow of a level; `None` if there is none, or it takes too many ways.
    fn cheapest<'l>(
        &mut self,
        from: u32,
        to: u32,
        level: &'l Level,
        slopes: &[f64],
    ) -> Option<Flow<'l>> {
        let arcs = self.network.arcs.len();
        let mut flow = Flow {
            level,
            for_nothing: vec![0; arcs],
            sent: vec![0; arcs],
            short: level.target,
            prices: vec![0.0; self.network.nodes],
            carrying: vec![Vec::new(); self.network.nodes],
            slopes: slopes.to_vec(),
        };
        let pipes = Pipes::new(self.network, |arc, side| {
            let is_free = self.left[arc as usize] == 0.0;
            if is_free { self.system.room(arc, side).unwrap_or(i64::MAX / 4) } else { 0 }
        });
        let mut closed = level.held.clone();
        closed.push(level.at);
        let sent = pipes.send((from, to), level.target, &closed);
        let missing = level.target - sent.amount;
        for (arc, step) in pipes.moved(&sent) {
            flow.for_nothing[arc as usize] = step;
        }
        self.work += self.network.arcs.len() as u64;
        flow.short = missing;
        if missing > 0 && self.send(from, to, missing, &mut flow)? > 0 {
            return None;
        }
        Some(flow)
    }

    /// Sends what is missing along cheapest ways, one after the other, and says what could not be; `None` if it takes too many.
    fn send(&mut self, from: u32, to: u32, mut missing: i64, flow: &mut Flow<'_>) -> Option<i64> {
        let limits: Flow<'_> = Flow { carrying: Vec::new(), sent: Vec::new(), ..flow.clone() };
        let mut work = 0;
        let mut result = None;
        let sorted = Sorted::new(self.arcs, |arc, side| {
            let cost = self.slope(arc, side, &limits);
            (arc != limits.level.at && cost.is_finite()).then_some(cost)
        });
        for _ in 0..WAYS {
            if self.context.is_over() {
                break;
            }
            let may = |away: &Away| {
                let sent = flow.sent[away.arc as usize] * away.side.sign();
                sent >= 0 && self.most(away.arc, away.side, flow).is_some_and(|most| most > sent)
            };
            let back = |node: u32| self.back(node, flow);
            let (ways, looked) = sorted.ways((from, to), f64::INFINITY, &flow.prices, may, back);
            work += looked;
            let Some((far, _)) = ways[to as usize] else {
                result = Some(missing);
                break;
            };
            let mut amount = missing;
            let mut way = Vec::new();
            let mut node = to;
            while let Some((arc, side, before)) = ways[node as usize].and_then(|(_, last)| last) {
                let sent = flow.sent[arc as usize] * side.sign();
                let most = self.most(arc, side, flow).unwrap_or(0);
                amount = amount.min(if sent < 0 { -sent } else { most - sent });
                way.push((arc, side, before, node));
                node = before;
            }
            for (arc, side, before, node) in way {
                if flow.sent[arc as usize] == 0 {
                    flow.carrying[before as usize].push(arc);
                    flow.carrying[node as usize].push(arc);
                }
                flow.sent[arc as usize] += amount * side.sign();
            }
            for (price, way) in flow.prices.iter_mut().zip(&ways) {
                *price += way.map_or(far, |(distance, _)| distance.min(far));
            }
            missing -= amount;
            if missing == 0 {
                result = Some(0);
                break;
            }
        }
        self.work += work;
        result
    }

    /// The arcs at a node along which something was sent towards it: taking it back gives back what it costs.
    fn back(&self, node: u32, flow: &Flow<'_>) -> Vec<Away> {
        let carrying = flow.carrying[node as usize].iter();
        carrying
            .filter_map(|&arc| {
                let (side, next) = self.arcs.away(node, arc)?;
                let other = if side == Side::Up { Side::Down } else { Side::Up };
                let sent = flow.sent[arc as usize] * side.sign();
                (sent < 0).then(|| Away { cost: -self.slope(arc, other, flow), arc, side, next })
            })
            .collect()
    }

    /// Leaves out cells that carry little, where what they carry can go along cells that move anyway, or that cost less.
    fn thin(&mut self, flow: &mut Flow<'_>) {
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
        let level = flow.level;
        let sorted =
            Sorted::new(self.arcs, |arc, _| (arc != level.at).then(|| self.left[arc as usize]));
        let nothing = vec![0.0; self.network.nodes];
        let mut work = 0;
        for arc in partly.into_iter().take(DETOURS) {
            let sent = flow.sent[arc as usize];
            let Some((tail, head)) = self.network.arcs[arc as usize].filter(|_| sent != 0) else {
                continue;
            };
            let (from, to) = if sent > 0 { (tail, head) } else { (head, tail) };
            let fits = |away: &Away| {
                let there = flow.sent[away.arc as usize] * away.side.sign();
                let most = self.most(away.arc, away.side, flow).map_or(0, |most| most - there);
                let most = if there < 0 { -there } else { most };
                away.arc != arc && most >= sent.abs()
            };
            // What moves already costs nothing more.
            let moving = |node: u32| {
                let carrying = flow.carrying[node as usize].iter().filter_map(|&arc| {
                    let (side, next) = self.arcs.away(node, arc)?;
                    Some(Away { cost: 0.0, arc, side, next })
                });
                let moves = |away: &Away| flow.sent[away.arc as usize] != 0 && away.arc != level.at;
                carrying.filter(|away| moves(away) && fits(away)).collect()
            };
            let limit = self.left[arc as usize];
            let (ways, looked) = sorted.ways((from, to), limit, &nothing, fits, moving);
            work += looked;
            let Some((_, mut last)) = ways[to as usize] else { continue };
            flow.sent[arc as usize] = 0;
            let mut node = to;
            while let Some((at, side, before)) = last {
                if flow.sent[at as usize] == 0 {
                    flow.carrying[before as usize].push(at);
                    flow.carrying[node as usize].push(at);
                }
                flow.sent[at as usize] += sent.abs() * side.sign();
                node = before;
                last = ways[node as usize].and_then(|(_, last)| last);
            }
        }
        self.work += work;
    }
}
