//! Random trees of codes.

use crate::random::Random;
use crate::{Axis, GenerateError};

/// The codes of one dimension in depth-first order: 0 is the total, parts come after what they add up to.
pub(crate) struct Tree {
    /// For each code the codes that add up to it; empty for a leaf.
    pub(crate) parts: Vec<Vec<u32>>,
    /// What the codes are called: the positions on the way down, each with a fixed number of digits.
    pub(crate) names: Vec<String>,
    /// The digits of each level, coarsest first.
    pub(crate) digits: Vec<usize>,
}

impl Tree {
    /// A random tree with all leaves at the same depth and at least two parts under every aggregate.
    pub(crate) fn new(axis: Axis, random: &mut Random) -> Result<Self, GenerateError> {
        let levels = level_sizes(axis)?;
        let mut children: Vec<Vec<u32>> = Vec::new();
        let mut above = 1;
        for &size in &levels {
            children.push(shared_out(size, above, random));
            above = size;
        }
        let digits: Vec<usize> = children
            .iter()
            .map(|counts| counts.iter().max().map_or(1, |most| most.to_string().len()))
            .collect();
        let mut tree = Self { parts: vec![Vec::new()], names: vec!["Total".to_owned()], digits };
        let mut next_in_level = vec![0; levels.len()];
        tree.grow(0, 0, &children, &mut next_in_level);
        Ok(tree)
    }

    /// Adds the parts of a code and all that lies below them.
    fn grow(
        &mut self,
        code: u32,
        level: usize,
        children: &[Vec<u32>],
        next_in_level: &mut [usize],
    ) {
        let Some(counts) = children.get(level) else { return };
        let count = counts[next_in_level[level]];
        next_in_level[level] += 1;
        let prefix = if level == 0 { String::new() } else { self.names[code as usize].clone() };
        for position in 1..=count {
            let part = self.parts.len() as u32;
            self.parts.push(Vec::new());
            self.names.push(format!("{prefix}{position:0width$}", width = self.digits[level]));
            self.parts[code as usize].push(part);
            self.grow(part, level + 1, children, next_in_level);
        }
    }

    /// The number of codes.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The codes that are no aggregates, ascending.
    pub(crate) fn leaves(&self) -> Vec<u32> {
        (0..self.len() as u32).filter(|&code| self.parts[code as usize].is_empty()).collect()
    }
}

/// How many codes lie on each level below the total, so that every level is about as many times larger than the one above.
fn level_sizes(axis: Axis) -> Result<Vec<u32>, GenerateError> {
    let depth = i32::from(axis.depth);
    let needed = (1_u64 << (axis.depth + 1)) - 1;
    if u64::from(axis.size) < needed {
        return Err(GenerateError::TooSmall { size: axis.size, depth: axis.depth, needed });
    }
    let below = axis.size - 1;
    let codes = |growth: f64| (1..=depth).map(|level| growth.powi(level)).sum::<f64>();
    let (mut low, mut high) = (2.0, f64::from(below).max(2.0));
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if codes(middle) <= f64::from(below) { low = middle } else { high = middle }
    }
    let mut sizes: Vec<u32> = (1..depth).map(|level| low.powi(level) as u32).collect();
    sizes.push(below - sizes.iter().sum::<u32>());
    Ok(sizes)
}

/// Gives `count` children to `parents`, two to each and the rest at random.
fn shared_out(count: u32, parents: u32, random: &mut Random) -> Vec<u32> {
    let mut counts = vec![2; parents as usize];
    for _ in 2 * parents..count {
        counts[random.below(parents) as usize] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_the_size_and_depth_asked_for_and_no_single_child() -> Result<(), GenerateError> {
        for (size, depth) in
            [(3, 1), (100, 1), (7, 2), (8, 2), (100, 3), (333, 4), (15, 3), (16, 3)]
        {
            let tree = Tree::new(Axis { size, depth }, &mut Random::new(1, 0))?;
            assert_eq!(tree.len(), size as usize);
            assert!(tree.parts.iter().all(|parts| parts.len() != 1));
            let long = tree.digits.iter().sum::<usize>();
            assert!(tree.leaves().iter().all(|&leaf| tree.names[leaf as usize].len() == long));
            assert_eq!(tree.digits.len(), usize::from(depth));
            let mut names = tree.names.clone();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), size as usize, "names are unique");
        }
        Ok(())
    }

    #[test]
    fn a_dimension_too_small_for_its_depth_is_refused() {
        let tree = Tree::new(Axis { size: 14, depth: 3 }, &mut Random::new(1, 0));
        assert!(matches!(tree, Err(GenerateError::TooSmall { needed: 15, .. })));
    }
}
