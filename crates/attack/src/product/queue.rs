//! What waits to be completed, cheapest first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Gives the cheapest first; of equals the one that is nearest to completion, then the one that came first.
pub(super) struct Queue<T> {
    heap: BinaryHeap<Waiting<T>>,
    pushed: u32,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), pushed: 0 }
    }
}

impl<T> Queue<T> {
    pub(super) fn push(&mut self, rank: f64, depth: usize, what: T) {
        self.heap.push(Waiting { rank, depth, number: self.pushed, what });
        self.pushed += 1;
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        self.heap.pop().map(|waiting| waiting.what)
    }
}

struct Waiting<T> {
    rank: f64,
    depth: usize,
    number: u32,
    what: T,
}

impl<T> Ord for Waiting<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        // A heap gives its greatest first; the cheapest shall be it.
        let cheapest = other.rank.total_cmp(&self.rank);
        cheapest.then(self.depth.cmp(&other.depth)).then(other.number.cmp(&self.number))
    }
}

impl<T> PartialOrd for Waiting<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Waiting<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Waiting<T> {}
