//! A circle through one leaf, for a cell that tables of many circles did not move far enough.

use super::{Draft, Exchange};
use cellveil_attack::LeafSteps;
use std::ops::ControlFlow;

/// So many leaves of a cell are looked at.
const BESIDE: usize = 1000;

/// A leaf that shall move.
#[derive(Clone, Copy, Debug)]
pub struct Aim<'a> {
    /// The leaf.
    pub leaf: u32,
    /// By how much, at least.
    pub level: i64,
    /// Leaves of the same cell, ascending, which shall stay as they are.
    pub others: &'a [u32],
}

impl Exchange<'_> {
    /// Whether a draft has nothing against it.
    fn is_open(&self, draft: &Draft, aim: &Aim<'_>) -> bool {
        let is_free = |leaf: u32| draft.by[leaf as usize] == 0 && !draft.pinned[leaf as usize];
        let stays = |&other: &u32| draft.by[other as usize] == 0;
        is_free(aim.leaf)
            && self.values[aim.leaf as usize] >= aim.level
            && aim.others.iter().all(stays)
    }

    /// Moves a leaf of a draft by a circle of leaves that do not move yet; `false` if none is found.
    pub fn through(&self, draft: &mut Draft, aim: &Aim<'_>) -> bool {
        if !self.is_open(draft, aim) {
            return false;
        }
        let usable = |leaf: u32| {
            draft.by[leaf as usize] == 0
                && !draft.pinned[leaf as usize]
                && self.values[leaf as usize] >= aim.level
                && aim.others.binary_search(&leaf).is_err()
        };
        let mut found: Option<LeafSteps> = None;
        self.graph.circles(aim.leaf, &usable, &mut |steps| {
            found = Some(steps.to_vec());
            ControlFlow::Break(())
        });
        let Some(steps) = found else { return false };
        self.follow(draft, &steps, aim);
        true
    }

    /// Whether a leaf of a draft and another one can move against each other.
    pub fn may_go_against(&self, draft: &Draft, aim: &Aim<'_>, partner: u32) -> bool {
        let at = partner as usize;
        let is_free = draft.by[at] == 0 && !draft.pinned[at] && self.values[at] >= aim.level;
        is_free
            && partner != aim.leaf
            && aim.others.binary_search(&partner).is_err()
            && self.is_open(draft, aim)
    }

    /// Moves a leaf of a draft and another one against it, which changes cells of the two tables; `false` if they cannot.
    pub fn against(&self, draft: &mut Draft, aim: &Aim<'_>, partner: u32) -> bool {
        let may_go = self.may_go_against(draft, aim, partner);
        if may_go {
            self.follow(draft, &[(aim.leaf, 1), (partner, -1)], aim);
        }
        may_go
    }

    /// Moves a leaf of a draft together with cells of the two tables, and pins it; `false` if no paths are found.
    pub fn along(&self, draft: &mut Draft, aim: &Aim<'_>, wanted: [&[(u32, i64)]; 2]) -> bool {
        if !self.is_open(draft, aim) {
            return false;
        }
        let pinned = |others: &[u32], draft: &mut Draft| -> Vec<u32> {
            let free = others.iter().copied().filter(|&other| !draft.pinned[other as usize]);
            let free: Vec<u32> = free.collect();
            for &other in &free {
                draft.pinned[other as usize] = true;
            }
            free
        };
        let new = pinned(aim.others, draft);
        if self.lift(draft, wanted, Some((aim.leaf, aim.level))) {
            draft.pinned[aim.leaf as usize] = true;
            return true;
        }
        for other in new {
            draft.pinned[other as usize] = false;
        }
        false
    }

    /// Leaves with which a leaf has its cell of one of the two tables in common, some of them.
    pub fn beside(&self, leaf: u32) -> impl Iterator<Item = u32> + '_ {
        (0..2).flat_map(move |table| {
            // Neighbours in the order of codes have much in common.
            let around = self.graph.leaves_of(table, self.graph.end(table, leaf));
            let own = around.partition_point(|&other| other < leaf);
            let from = own.saturating_sub(BESIDE / 2);
            around[from..].iter().copied().take(BESIDE)
        })
    }

    /// Moves leaves as far as all of them can.
    fn follow(&self, draft: &mut Draft, steps: &[(u32, i8)], aim: &Aim<'_>) {
        let rooms = steps.iter().map(|&(leaf, _)| self.values[leaf as usize]);
        let amount = rooms.min().unwrap_or(aim.level);
        for &(leaf, sign) in steps {
            draft.by[leaf as usize] = i64::from(sign) * amount;
        }
        for &other in aim.others {
            draft.pinned[other as usize] = true;
        }
    }
}
