//! The largest flow from one node of a network to another, through arcs of given capacities (Dinic).

use cellveil_attack::Network;
use cellveil_core::Side;

/// Arcs that let something through. Arc `a` of these has two halves: `2a` from its tail to its head, and `2a + 1` back.
pub(super) struct Pipes {
    /// Which arc of the network each is.
    arcs: Vec<u32>,
    /// Per arc of the network which of these it is.
    place: Vec<u32>,
    starts: Vec<usize>,
    /// Per node the node at the other end and the half that leads there.
    halves: Vec<(u32, u32)>,
    /// Per half its capacity.
    capacity: Vec<i64>,
}

/// What is left of capacities after something was sent.
pub(super) struct Sent {
    left: Vec<i64>,
    before: Vec<i64>,
    pub(super) amount: i64,
}

const NONE: u32 = u32::MAX;

impl Pipes {
    pub(super) fn new(network: &Network, capacity: impl Fn(u32, Side) -> i64) -> Self {
        let mut pipes = Self {
            arcs: Vec::new(),
            place: vec![NONE; network.arcs.len()],
            starts: vec![0; network.nodes + 1],
            halves: Vec::new(),
            capacity: Vec::new(),
        };
        let mut ends_of = Vec::new();
        for (arc, ends) in (0_u32..).zip(&network.arcs) {
            let Some((tail, head)) = ends.filter(|(tail, head)| tail != head) else { continue };
            let both = [Side::Up, Side::Down].map(|side| capacity(arc, side));
            if both != [0, 0] {
                pipes.place[arc as usize] = pipes.arcs.len() as u32;
                pipes.arcs.push(arc);
                pipes.capacity.extend(both);
                ends_of.push((tail, head));
                pipes.starts[tail as usize + 1] += 1;
                pipes.starts[head as usize + 1] += 1;
            }
        }
        for node in 0..network.nodes {
            pipes.starts[node + 1] += pipes.starts[node];
        }
        let mut next = pipes.starts.clone();
        pipes.halves = vec![(0, 0); 2 * pipes.arcs.len()];
        for (at, (tail, head)) in (0_u32..).zip(ends_of) {
            for (from, to, half) in [(tail, head, 2 * at), (head, tail, 2 * at + 1)] {
                pipes.halves[next[from as usize]] = (to, half);
                next[from as usize] += 1;
            }
        }
        pipes
    }

    fn from(&self, node: u32) -> &[(u32, u32)] {
        &self.halves[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// Sends as much as possible from one node to another, but not more than `most`, and nothing along arcs that are closed.
    pub(super) fn send(&self, (from, to): (u32, u32), most: i64, closed: &[u32]) -> Sent {
        let mut left: Vec<i64> = self.capacity.iter().map(|&room| room.min(most)).collect();
        for &arc in closed {
            if let Some(half) = self.half(arc, Side::Up) {
                left[half..half + 2].fill(0);
            }
        }
        let mut sent = Sent { before: left.clone(), left, amount: 0 };
        while sent.amount < most {
            let Some(far) = self.distances(&sent, from, to) else { break };
            self.send_along(&mut sent, &far, (from, to), most);
        }
        sent
    }

    fn half(&self, arc: u32, side: Side) -> Option<usize> {
        let place = self.place[arc as usize];
        (place != NONE).then(|| 2 * place as usize + usize::from(side == Side::Down))
    }

    /// How far every node is from the start; `None` if the end is not reached.
    fn distances(&self, sent: &Sent, from: u32, to: u32) -> Option<Vec<u32>> {
        let mut far = vec![NONE; self.starts.len() - 1];
        far[from as usize] = 0;
        let mut reached = vec![from];
        let mut at = 0;
        while let Some(&node) = reached.get(at) {
            at += 1;
            for &(next, half) in self.from(node) {
                if sent.left[half as usize] > 0 && far[next as usize] == NONE {
                    far[next as usize] = far[node as usize] + 1;
                    if next == to {
                        return Some(far);
                    }
                    reached.push(next);
                }
            }
        }
        None
    }

    /// Sends along shortest ways until there is none left.
    fn send_along(&self, sent: &mut Sent, far: &[u32], (from, to): (u32, u32), most: i64) {
        let mut next: Vec<usize> = self.starts.clone();
        let mut way: Vec<u32> = Vec::new();
        let mut nodes = vec![from];
        while let Some(&node) = nodes.last() {
            if node == to {
                let least = way.iter().map(|&half| sent.left[half as usize]).min().unwrap_or(0);
                let amount = least.min(most - sent.amount);
                for &half in &way {
                    sent.left[half as usize] -= amount;
                    sent.left[half as usize ^ 1] += amount;
                }
                sent.amount += amount;
                if sent.amount == most {
                    return;
                }
                let full = way.iter().position(|&half| sent.left[half as usize] == 0);
                way.truncate(full.unwrap_or(0));
                nodes.truncate(way.len() + 1);
                continue;
            }
            let end = self.starts[node as usize + 1];
            let on = (next[node as usize]..end).find(|&at| {
                let (other, half) = self.halves[at];
                sent.left[half as usize] > 0
                    && far[other as usize] != NONE
                    && far[other as usize] == far[node as usize] + 1
            });
            if let Some(at) = on {
                next[node as usize] = at;
                let (other, half) = self.halves[at];
                way.push(half);
                nodes.push(other);
            } else {
                next[node as usize] = end;
                nodes.pop();
                if let Some(&before) = nodes.last() {
                    way.pop();
                    next[before as usize] += 1;
                }
            }
        }
    }

    /// Whether more can be sent along an arc.
    pub(super) fn has_left(&self, sent: &Sent, arc: u32, side: Side) -> bool {
        self.half(arc, side).is_some_and(|half| sent.left[half] > 0)
    }

    /// Whether an arc lets anything through at all.
    pub(super) fn is_open(&self, arc: u32) -> bool {
        self.place[arc as usize] != NONE
    }

    /// The arcs along which something was sent, up if positive.
    pub(super) fn moved<'s>(&'s self, sent: &'s Sent) -> impl Iterator<Item = (u32, i64)> + 's {
        let moved = self.arcs.iter().enumerate();
        moved
            .map(|(at, &arc)| (arc, sent.before[2 * at] - sent.left[2 * at]))
            .filter(|(_, step)| *step != 0)
    }
}
