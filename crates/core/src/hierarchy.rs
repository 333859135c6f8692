//! The codes of one variable and which code is the sum of which.
//!
//! A hierarchy is a directed graph without cycles: several trees over the same leaves share their codes, so a code may lie
//! in two aggregates. Every code appears once; every way of adding up to an aggregate is a [`Sum`].

use thiserror::Error;

/// A code of one variable, counted from 0 in display order; 0 is the total.
pub type CodeId = u32;

/// One way of adding up to an aggregate: `total = Σ parts`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The aggregate.
    pub total: CodeId,
    /// The codes that add up to it.
    pub parts: Vec<CodeId>,
}

/// The codes of one variable and their sums.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    names: Vec<String>,
    depths: Vec<u8>,
    sums: Vec<Sum>,
    /// For each code, itself and all aggregates it counts towards, ascending.
    ancestors: Vec<Vec<CodeId>>,
    /// Codes that are no aggregate: those that records carry.
    is_leaf: Vec<bool>,
}

/// Why codes do not make a hierarchy.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum HierarchyError {
    /// A code is its own ancestor.
    #[error("code `{0}` is part of itself")]
    Cycle(String),
    /// A code stands twice among the parts of one aggregate.
    #[error("code `{code}` is listed twice under `{total}`")]
    Twice {
        /// The repeated code.
        code: String,
        /// The aggregate.
        total: String,
    },
    /// A leaf reaches an aggregate on two ways that are both counted, so that it would be added twice.
    #[error("code `{code}` would count twice in `{total}`")]
    Counted {
        /// The code.
        code: String,
        /// The aggregate.
        total: String,
    },
    /// Two ways of adding up to one aggregate do not cover the same leaves.
    #[error("two ways of adding up to `{total}` differ in `{code}`")]
    Uneven {
        /// A leaf that only one of the two covers.
        code: String,
        /// The aggregate.
        total: String,
    },
    /// There are too many codes or levels.
    #[error("more than {0}")]
    TooLarge(&'static str),
}

/// Collects codes and sums, then checks them. Codes get their final order on [`HierarchyBuilder::build`].
#[derive(Clone, Debug)]
pub struct HierarchyBuilder {
    names: Vec<String>,
    sums: Vec<Sum>,
}

impl HierarchyBuilder {
    /// Starts with the total alone.
    pub fn new(total: impl Into<String>) -> Self {
        Self { names: vec![total.into()], sums: Vec::new() }
    }

    /// Adds a code; names need not be unique, because level columns may repeat a name on another level.
    pub fn code(&mut self, name: impl Into<String>) -> CodeId {
        self.names.push(name.into());
        self.names.len() as CodeId - 1
    }

    /// States that `total` is the sum of `parts`.
    pub fn sum(&mut self, total: CodeId, parts: Vec<CodeId>) {
        self.sums.push(Sum { total, parts });
    }

    /// Checks the sums and puts the codes into display order: depth first from the total, parts in the order given, then
    /// aggregates outside the total's own sums. Returns also where each code of the builder went.
    ///
    /// # Errors
    /// [`HierarchyError`] if a code would contain itself or count twice.
    pub fn build(self) -> Result<(Hierarchy, Vec<CodeId>), HierarchyError> {
        let count = self.names.len();
        if count >= u32::MAX as usize {
            return Err(HierarchyError::TooLarge("4 billion codes"));
        }
        let mut own_sums = vec![Vec::new(); count];
        for (s, sum) in self.sums.iter().enumerate() {
            own_sums[sum.total as usize].push(s);
        }
        self.check_parts()?;
        let order = self.display_order(&own_sums)?;
        let leaves = self.leaves_below(&order, &own_sums)?;
        let mut moved = vec![0; count];
        for (new, &old) in order.iter().enumerate() {
            moved[old as usize] = new as CodeId;
        }
        let mut ancestors = vec![Vec::new(); count];
        for (old, below) in leaves.iter().enumerate() {
            for &leaf in below {
                ancestors[moved[leaf as usize] as usize].push(moved[old]);
            }
        }
        let mut is_leaf = vec![false; count];
        for (new, above) in ancestors.iter_mut().enumerate() {
            above.sort_unstable();
            is_leaf[new] = own_sums[order[new] as usize].is_empty();
        }
        let sums = Self::moved_sums(&self.sums, &moved);
        let depths = depths(count, &sums)?;
        let names = order.iter().map(|&old| self.names[old as usize].clone()).collect();
        Ok((Hierarchy { names, depths, sums, ancestors, is_leaf }, moved))
    }

    fn check_parts(&self) -> Result<(), HierarchyError> {
        for sum in &self.sums {
            let mut parts = sum.parts.clone();
            parts.sort_unstable();
            if let Some(pair) = parts.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(HierarchyError::Twice {
                    code: self.name(pair[0]),
                    total: self.name(sum.total),
                });
            }
        }
        Ok(())
    }

    fn moved_sums(sums: &[Sum], moved: &[CodeId]) -> Vec<Sum> {
        let mut sums: Vec<Sum> = sums
            .iter()
            .map(|sum| {
                let mut parts: Vec<CodeId> = sum.parts.iter().map(|&p| moved[p as usize]).collect();
                parts.sort_unstable();
                Sum { total: moved[sum.total as usize], parts }
            })
            .collect();
        sums.sort_by(|a, b| (a.total, &a.parts).cmp(&(b.total, &b.parts)));
        sums.dedup();
        sums
    }

    fn name(&self, code: CodeId) -> String {
        self.names[code as usize].clone()
    }

    /// Depth-first order over all codes, the total first; refuses cycles.
    fn display_order(&self, own_sums: &[Vec<usize>]) -> Result<Vec<CodeId>, HierarchyError> {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let count = self.names.len();
        let mut is_part = vec![false; count];
        for sum in &self.sums {
            for &part in &sum.parts {
                is_part[part as usize] = true;
            }
        }
        // Aggregates that nothing contains come before what is left, which then can only be a cycle.
        let roots = (0..count as CodeId)
            .filter(|&c| c == 0 || !is_part[c as usize])
            .chain(0..count as CodeId);
        let mut state = vec![NEW; count];
        let mut order = Vec::with_capacity(count);
        for root in roots {
            let mut stack = vec![(root, false)];
            while let Some((code, leaving)) = stack.pop() {
                if leaving {
                    state[code as usize] = DONE;
                    continue;
                }
                match state[code as usize] {
                    DONE => continue,
                    OPEN => return Err(HierarchyError::Cycle(self.name(code))),
                    _ => {}
                }
                state[code as usize] = OPEN;
                order.push(code);
                stack.push((code, true));
                for &s in own_sums[code as usize].iter().rev() {
                    for &part in self.sums[s].parts.iter().rev() {
                        match state[part as usize] {
                            OPEN => return Err(HierarchyError::Cycle(self.name(part))),
                            NEW => stack.push((part, false)),
                            _ => {}
                        }
                    }
                }
            }
        }
        Ok(order)
    }

    /// The leaves of every code, ascending; every way of adding up must cover the same leaves, each once.
    fn leaves_below(
        &self,
        order: &[CodeId],
        own_sums: &[Vec<usize>],
    ) -> Result<Vec<Vec<CodeId>>, HierarchyError> {
        let mut leaves: Vec<Vec<CodeId>> = vec![Vec::new(); self.names.len()];
        for &code in &self.bottom_up(order) {
            let sums = &own_sums[code as usize];
            if sums.is_empty() {
                leaves[code as usize].push(code);
                continue;
            }
            for (nth, &s) in sums.iter().enumerate() {
                let mut below: Vec<CodeId> = self.sums[s]
                    .parts
                    .iter()
                    .flat_map(|&p| leaves[p as usize].iter().copied())
                    .collect();
                below.sort_unstable();
                if let Some(pair) = below.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(HierarchyError::Counted {
                        code: self.name(pair[0]),
                        total: self.name(code),
                    });
                }
                if nth == 0 {
                    leaves[code as usize] = below;
                } else if leaves[code as usize] != below {
                    let first = &leaves[code as usize];
                    let odd = below
                        .iter()
                        .find(|c| !first.contains(c))
                        .or_else(|| first.iter().find(|c| !below.contains(c)));
                    let odd = odd.map_or_else(String::new, |&c| self.name(c));
                    return Err(HierarchyError::Uneven { code: odd, total: self.name(code) });
                }
            }
        }
        Ok(leaves)
    }

    /// Parts before totals: repeated passes are avoided by a topological order on the sums.
    fn bottom_up(&self, order: &[CodeId]) -> Vec<CodeId> {
        let count = self.names.len();
        let mut waiting = vec![0_usize; count];
        let mut contained_in = vec![Vec::new(); count];
        for sum in &self.sums {
            for &part in &sum.parts {
                waiting[sum.total as usize] += 1;
                contained_in[part as usize].push(sum.total);
            }
        }
        let mut ready: Vec<CodeId> =
            order.iter().copied().filter(|&c| waiting[c as usize] == 0).collect();
        let mut next = 0;
        while next < ready.len() {
            for &total in &contained_in[ready[next] as usize] {
                waiting[total as usize] -= 1;
                if waiting[total as usize] == 0 {
                    ready.push(total);
                }
            }
            next += 1;
        }
        ready
    }
}

/// The shortest way down from a code that nothing contains.
fn depths(count: usize, sums: &[Sum]) -> Result<Vec<u8>, HierarchyError> {
    let mut depths = vec![u8::MAX; count];
    let mut is_part = vec![false; count];
    for part in sums.iter().flat_map(|sum| &sum.parts) {
        is_part[*part as usize] = true;
    }
    let mut level: Vec<CodeId> = (0..count as CodeId).filter(|&c| !is_part[c as usize]).collect();
    let mut below = vec![Vec::new(); count];
    for sum in sums {
        below[sum.total as usize].extend_from_slice(&sum.parts);
    }
    let mut depth = 0_u8;
    while !level.is_empty() {
        let mut next = Vec::new();
        for code in level {
            if depths[code as usize] == u8::MAX {
                depths[code as usize] = depth;
                next.extend_from_slice(&below[code as usize]);
            }
        }
        depth = depth
            .checked_add(1)
            .filter(|&d| d < u8::MAX)
            .ok_or(HierarchyError::TooLarge("250 levels"))?;
        level = next;
    }
    Ok(depths)
}

impl Hierarchy {
    /// A total and its leaves, nothing between; a variable with no code at all has its total alone.
    ///
    /// # Errors
    /// [`HierarchyError::Twice`] if a code is given twice.
    pub fn flat<S: Into<String>>(
        total: &str,
        codes: impl IntoIterator<Item = S>,
    ) -> Result<Self, HierarchyError> {
        let mut builder = HierarchyBuilder::new(total);
        let mut seen = std::collections::BTreeSet::new();
        let mut parts = Vec::new();
        for code in codes {
            let code = code.into();
            if !seen.insert(code.clone()) {
                return Err(HierarchyError::Twice { code, total: total.to_owned() });
            }
            parts.push(builder.code(code));
        }
        if !parts.is_empty() {
            builder.sum(0, parts);
        }
        builder.build().map(|(hierarchy, _)| hierarchy)
    }

    /// The number of codes, the total included.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never true: there is always a total.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// What people call a code.
    pub fn name(&self, code: CodeId) -> &str {
        &self.names[code as usize]
    }

    /// How far below the top a code lies; 0 is the total.
    pub fn depth(&self, code: CodeId) -> u8 {
        self.depths[code as usize]
    }

    /// All ways of adding up, ordered by aggregate.
    pub fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// The ways of adding up to one aggregate; none for a leaf.
    pub fn sums_of(&self, total: CodeId) -> &[Sum] {
        let from = self.sums.partition_point(|sum| sum.total < total);
        let to = self.sums.partition_point(|sum| sum.total <= total);
        &self.sums[from..to]
    }

    /// For a leaf: itself and every aggregate that contains it, ascending. Empty for an aggregate.
    pub fn ancestors(&self, leaf: CodeId) -> &[CodeId] {
        &self.ancestors[leaf as usize]
    }

    /// Whether records may carry this code.
    pub fn is_leaf(&self, code: CodeId) -> bool {
        self.is_leaf[code as usize]
    }

    /// The first code of that name, leaves before aggregates.
    pub fn find(&self, name: &str) -> Option<CodeId> {
        let mut hits = (0..self.len() as CodeId).filter(|&c| self.name(c) == name);
        let first = hits.next()?;
        Some(if self.is_leaf(first) {
            first
        } else {
            hits.find(|&c| self.is_leaf(c)).unwrap_or(first)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_may_lie_in_two_aggregates() -> Result<(), HierarchyError> {
        let mut b = HierarchyBuilder::new("Total");
        let (a, c, d) = (b.code("a"), b.code("c"), b.code("d"));
        let (north, offshore) = (b.code("north"), b.code("offshore"));
        b.sum(north, vec![a, c]);
        b.sum(offshore, vec![c, d]);
        b.sum(0, vec![north, d]);
        let (h, moved) = b.build()?;
        let names =
            |codes: &[CodeId]| codes.iter().map(|&x| h.name(x).to_owned()).collect::<Vec<_>>();
        assert_eq!(names(h.ancestors(moved[c as usize])), ["Total", "north", "c", "offshore"]);
        assert_eq!(names(h.ancestors(moved[a as usize])), ["Total", "north", "a"]);
        assert_eq!(h.depth(moved[offshore as usize]), 0);
        Ok(())
    }

    #[test]
    fn a_cycle_is_refused() {
        let mut b = HierarchyBuilder::new("Total");
        let (a, c) = (b.code("a"), b.code("c"));
        b.sum(a, vec![c]);
        b.sum(c, vec![a]);
        assert!(matches!(b.build(), Err(HierarchyError::Cycle(_))));
    }

    #[test]
    fn a_leaf_that_would_count_twice_is_refused() {
        let mut b = HierarchyBuilder::new("Total");
        let (a, x, y) = (b.code("a"), b.code("x"), b.code("y"));
        b.sum(x, vec![a]);
        b.sum(y, vec![a]);
        b.sum(0, vec![x, y]);
        assert!(matches!(b.build(), Err(HierarchyError::Counted { .. })));
    }

    #[test]
    fn two_trees_over_the_same_leaves_must_cover_the_same_leaves() {
        let mut b = HierarchyBuilder::new("Total");
        let (a, c) = (b.code("a"), b.code("c"));
        b.sum(0, vec![a, c]);
        b.sum(0, vec![a]);
        assert!(matches!(b.build(), Err(HierarchyError::Uneven { .. })));
    }
}
