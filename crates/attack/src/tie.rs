//! Cells that tie relations to trees, put in order along spanning trees of these ties (see `slab.rs`).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A cell that ties a relation set aside to a small tree, named by its root.
#[derive(Clone, Copy)]
pub(crate) struct Tie {
    pub(crate) cell: u32,
    pub(crate) aside: u32,
    pub(crate) tree: u32,
    /// 1 if the cell's relation in the tree is of the first dimension that is kept, −1 if of the second.
    pub(crate) sign: i8,
    /// Which of the two the cell puts in order; `None` if neither.
    pub(crate) outer: Option<u32>,
}

impl Tie {
    /// How far a node of the tie is upset by a step of the cell.
    fn upsets(self, node: u32) -> i128 {
        if node == self.aside { 1 } else { i128::from(self.sign) }
    }
}

/// Ties along spanning trees, leaves first, each with the node it puts in order; then the others. Cells with most room are nearest to
/// the roots.
pub(crate) fn ordered(mut ties: Vec<Tie>, room: &dyn Fn(u32) -> i64) -> Vec<Tie> {
    let mut of_node: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, tie) in ties.iter().enumerate() {
        of_node.entry(tie.aside).or_default().push(number);
        of_node.entry(tie.tree).or_default().push(number);
    }
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut taken: Vec<usize> = Vec::new();
    for &root in of_node.keys() {
        let mut waiting = BinaryHeap::from([(i64::MAX, Reverse(usize::MAX), root)]);
        while let Some((_, Reverse(by), node)) = waiting.pop() {
            if !seen.insert(node) {
                continue;
            }
            if let Some(tie) = ties.get_mut(by) {
                tie.outer = Some(node);
                taken.push(by);
            }
            for &next in &of_node[&node] {
                let Tie { cell, aside, tree, .. } = ties[next];
                let other = if aside == node { tree } else { aside };
                waiting.push((room(cell), Reverse(next), other));
            }
        }
    }
    let leaves_first = taken.into_iter().rev();
    let rest = (0..ties.len()).filter(|&number| ties[number].outer.is_none());
    leaves_first.chain(rest).map(|number| ties[number]).collect()
}

/// Changes the steps of the cells so that relations and trees are in order; `None` if a step does not fit.
pub(crate) fn settle(ties: &[Tie], steps: &mut [i128]) -> Option<()> {
    let mut upset: BTreeMap<u32, i128> = BTreeMap::new();
    for &tie in ties {
        for node in [tie.aside, tie.tree] {
            *upset.entry(node).or_default() += tie.upsets(node) * steps[tie.cell as usize];
        }
    }
    for &tie in ties {
        let Some(outer) = tie.outer else { continue };
        let change = -tie.upsets(outer).checked_mul(upset[&outer])?;
        steps[tie.cell as usize] = steps[tie.cell as usize].checked_add(change)?;
        for node in [tie.aside, tie.tree] {
            *upset.entry(node).or_default() += tie.upsets(node) * change;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{Tie, ordered, settle};

    #[test]
    fn a_plane_of_totals_is_put_in_order() {
        // Relations 0, 1, 2 and trees 10, 11, tied by five cells: a network in which every node must add up to nothing.
        let ends = [(0, 10), (1, 10), (1, 11), (2, 11), (0, 11)];
        let tie = |(cell, (aside, tree))| Tie { cell, aside, tree, sign: -1, outer: None };
        let ties = ordered((0..).zip(ends).map(tie).collect(), &|cell| i64::from(cell) + 1);
        assert_eq!(ties.iter().filter(|tie| tie.outer.is_some()).count(), 4);
        let mut steps = vec![7, -3, 5, 0, -11];
        assert_eq!(settle(&ties, &mut steps), Some(()));
        for node in [0, 1, 2, 10, 11] {
            let at_node = ends
                .iter()
                .zip(&steps)
                .filter(|((aside, tree), _)| [*aside, *tree].contains(&node));
            assert_eq!(at_node.map(|(_, step)| step).sum::<i128>(), 0, "node {node}");
        }
    }
}
