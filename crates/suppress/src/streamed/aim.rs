//! A circle through one leaf, for a cell that tables of many circles did not move far enough.

use super::{Draft, Exchange};
use cellveil_attack::LeafSteps;
use std::ops::ControlFlow;

/// A leaf that shall move.
#[derive(Clone, Copy, Debug)]
pub struct Aim<'a> {
    /// The leaf.
    pub leaf: u32,
    /// By how much, at least.
    pub level: i64,
    /// Leaves of the same cell, which shall stay as they are.
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
                && !aim.others.contains(&leaf)
        };
        let mut found: Option<LeafSteps> = None;
        self.graph.circles(aim.leaf, &usable, &mut |steps| {
            found = Some(steps.to_vec());
            ControlFlow::Break(())
        });
        let Some(steps) = found else { return false };
        let rooms = steps.iter().map(|&(leaf, _)| self.values[leaf as usize]);
        let amount = rooms.min().unwrap_or(aim.level);
        for (leaf, sign) in steps {
            draft.by[leaf as usize] = i64::from(sign) * amount;
        }
        for &other in aim.others {
            draft.pinned[other as usize] = true;
        }
        true
    }
}
