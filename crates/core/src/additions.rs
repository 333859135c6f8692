//! Whether the cells of a table add up, told from one look at each of them in any order.
//!
//! Nothing is held but one number per way of adding up. Every cell gets a weight from the codes that it shares with the other cells of a relation; added as a
//! total and taken off as a part, all relations of one kind come to nothing together. A table that does not add up comes to nothing as well only if
//! its errors meet the weights by chance, about once in 2⁶⁴. The finest cells are compared with those that the table was made of in the same way.
//!
//! This shares nothing with how a table is rolled up: no order of cells, no merging of rows.

use crate::{CodeId, Dimension};

/// The ways of adding up, seen from one code.
#[derive(Clone, Debug, Default)]
struct Roles {
    is_total_of: Vec<usize>,
    is_part_of: Vec<usize>,
    is_leaf: bool,
    weight: u64,
}

/// The ways of adding up that a table has.
#[derive(Clone, Debug)]
pub struct Additions {
    /// Per dimension and code.
    roles: Vec<Vec<Roles>>,
    ways: usize,
}

/// What some cells come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    /// Per way of adding up, totals less parts.
    sums: Vec<u64>,
    /// Finest cells, less those the table was made of.
    finest: u64,
}

impl Additions {
    /// Of a table of these dimensions.
    pub fn new(dimensions: &[Dimension]) -> Self {
        let mut ways = 0;
        let mut roles = Vec::with_capacity(dimensions.len());
        for (at, dimension) in dimensions.iter().enumerate() {
            let hierarchy = &dimension.hierarchy;
            let role = |code: CodeId| Roles {
                is_leaf: hierarchy.is_leaf(code),
                weight: mixed((at as u64) << 32 | u64::from(code)),
                ..Roles::default()
            };
            let mut own: Vec<Roles> = (0..hierarchy.len() as CodeId).map(role).collect();
            for sum in hierarchy.sums() {
                own[sum.total as usize].is_total_of.push(ways);
                for &part in &sum.parts {
                    own[part as usize].is_part_of.push(ways);
                }
                ways += 1;
            }
            roles.push(own);
        }
        Self { roles, ways }
    }

    /// Of no cells.
    pub fn balance(&self) -> Balance {
        Balance { sums: vec![0; self.ways], finest: 0 }
    }

    /// Adds a cell with all its numbers that add up.
    pub fn add(&self, balance: &mut Balance, codes: &[CodeId], numbers: impl Iterator<Item = i64>) {
        let amount = folded(numbers);
        let role = |(roles, &code): (&'_ Vec<Roles>, &CodeId)| roles[code as usize].weight;
        let all = self.roles.iter().zip(codes).map(role).fold(0, u64::wrapping_add);
        let mut is_finest = true;
        for (roles, &code) in self.roles.iter().zip(codes) {
            let role = &roles[code as usize];
            is_finest &= role.is_leaf;
            // The same for all cells that differ in this dimension only.
            let share = amount.wrapping_mul(mixed(all.wrapping_sub(role.weight)));
            for &way in &role.is_total_of {
                balance.sums[way] = balance.sums[way].wrapping_add(share);
            }
            for &way in &role.is_part_of {
                balance.sums[way] = balance.sums[way].wrapping_sub(share);
            }
        }
        if is_finest {
            balance.finest = balance.finest.wrapping_add(amount.wrapping_mul(mixed(all)));
        }
    }

    /// Takes off a finest cell that the table was made of.
    pub fn made_of(
        &self,
        balance: &mut Balance,
        codes: impl Iterator<Item = CodeId>,
        numbers: impl Iterator<Item = i64>,
    ) {
        let weights = self.roles.iter().zip(codes).map(|(roles, code)| roles[code as usize].weight);
        let all = weights.fold(0, u64::wrapping_add);
        let share = folded(numbers).wrapping_mul(mixed(all));
        balance.finest = balance.finest.wrapping_sub(share);
    }
}

impl Balance {
    /// Adds other cells.
    pub fn append(&mut self, other: &Self) {
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            *sum = sum.wrapping_add(*more);
        }
        self.finest = self.finest.wrapping_add(other.finest);
    }

    /// Whether all cells add up, and the finest are those the table was made of.
    pub fn is_even(&self) -> bool {
        self.finest == 0 && self.sums.iter().all(|&sum| sum == 0)
    }
}

/// Tells the weights of numbers from those of codes.
const NUMBERS: u64 = 0x5EED << 48;

/// Several numbers as one, which adds up as they do.
fn folded(numbers: impl Iterator<Item = i64>) -> u64 {
    let one = |(at, number): (u64, i64)| number.cast_unsigned().wrapping_mul(mixed(NUMBERS | at));
    (0..).zip(numbers).map(one).fold(0, u64::wrapping_add)
}

/// Spreads a number over all 64 bits.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hierarchy, HierarchyBuilder};
    use std::sync::Arc;

    fn dimensions() -> Vec<Dimension> {
        let mut builder = HierarchyBuilder::new("T");
        let groups: Vec<CodeId> = ["x", "y"]
            .map(|name| {
                let group = builder.code(name);
                let parts = (0..2).map(|at| builder.code(format!("{name}{at}"))).collect();
                builder.sum(group, parts);
                group
            })
            .to_vec();
        builder.sum(0, groups);
        let nested = builder.build().map_or_else(|_| unreachable!(), |(hierarchy, _)| hierarchy);
        let flat = Hierarchy::flat("T", ["a", "b", "c"].map(str::to_owned))
            .unwrap_or_else(|error| unreachable!("{error}"));
        [nested, flat]
            .map(|hierarchy| Dimension {
                name: "d".to_owned(),
                levels: Vec::new(),
                hierarchy: Arc::new(hierarchy),
            })
            .to_vec()
    }

    type Cell = ([CodeId; 2], [i64; 2]);

    /// Some finest cells, and all cells that they make.
    fn table(dimensions: &[Dimension]) -> (Vec<Cell>, Vec<Cell>) {
        let leaves = |at: usize| {
            let hierarchy = &dimensions[at].hierarchy;
            (0..hierarchy.len() as CodeId).filter(|&code| hierarchy.is_leaf(code))
        };
        let number = |a: CodeId, b: CodeId| [i64::from(a * 7 + b), 1 - i64::from(a * b)];
        let finest: Vec<Cell> = leaves(0)
            .flat_map(|a| leaves(1).map(move |b| ([a, b], number(a, b))))
            .filter(|([a, b], _)| (a + b) % 4 != 0)
            .collect();
        let mut all: Vec<Cell> = Vec::new();
        for &([a, b], numbers) in &finest {
            for &a in dimensions[0].hierarchy.ancestors(a) {
                for &b in dimensions[1].hierarchy.ancestors(b) {
                    match all.iter_mut().find(|(codes, _)| *codes == [a, b]) {
                        Some((_, sum)) => (0..2).for_each(|at| sum[at] += numbers[at]),
                        None => all.push(([a, b], numbers)),
                    }
                }
            }
        }
        (finest, all)
    }

    #[test]
    fn any_wrong_number_of_any_cell_is_seen() {
        let dimensions = dimensions();
        let additions = Additions::new(&dimensions);
        let (finest, mut all) = table(&dimensions);
        let is_even = |all: &[Cell]| {
            let mut balance = additions.balance();
            for (codes, numbers) in &finest {
                additions.made_of(&mut balance, codes.iter().copied(), numbers.iter().copied());
            }
            let (one, other) = all.split_at(all.len() / 2);
            for some in [other, one] {
                let mut part = additions.balance();
                for (codes, numbers) in some {
                    additions.add(&mut part, codes, numbers.iter().copied());
                }
                balance.append(&part);
            }
            balance.is_even()
        };
        assert!(is_even(&all));
        for at in 0..all.len() {
            for which in 0..2 {
                for by in [1, -1, 1 << 40] {
                    all[at].1[which] += by;
                    assert!(!is_even(&all));
                    all[at].1[which] -= by;
                }
            }
            let lost = all.remove(at);
            assert!(!is_even(&all) || lost.1 == [0, 0]);
            all.insert(at, lost);
        }
        // What is moved from one finest cell to another, with all sums, is seen by the finest cells.
        let move_by = |all: &mut Vec<Cell>, by: i64| {
            let ([a, b], _) = finest[0];
            for (codes, numbers) in all.iter_mut() {
                let is_above =
                    |d: usize, code| dimensions[d].hierarchy.ancestors(code).contains(&codes[d]);
                if is_above(0, a) && is_above(1, b) {
                    numbers[0] += by;
                }
            }
        };
        move_by(&mut all, 5);
        assert!(!is_even(&all));
        move_by(&mut all, -5);
        assert!(is_even(&all));
    }
}
