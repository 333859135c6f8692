//! Relations that follow from others, left out until every cell lies in two.
//!
//! In a table with one hierarchy the cell of an intermediate code lies in three relations: as a part, as a total, and in the sum
//! over the other dimension. The last follows from those of the codes below. To see it without knowing the table: relations joined
//! by cells that lie in two relations make a group, and within a group there is one combination in which all those cells
//! cancel. What is left of it, the border of the group, is again a relation. One that is a sum of borders follows from
//! the groups and is left out; so its cells lie in one relation less, groups grow, and the next level up can be seen.

use super::signs::Signs;
use crate::component::Component;
use std::collections::BTreeMap;

/// In how many relations a cell of a network can lie before those that follow from others are left out.
const MOST: usize = 3;

/// How often groups are looked at anew: more often than hierarchies are deep.
const PASSES: usize = 64;

/// The relations of a component by row and by column, with those left out and the cells found to be held in place.
pub(super) struct System<'a> {
    rows: &'a [Vec<(u32, i32)>],
    /// Per cell its relations and coefficients, as far as they are kept.
    columns: Vec<Vec<(u32, i8)>>,
    kept: Vec<bool>,
}

/// What the groups of relations leave.
struct Groups {
    /// Per group (by its leader) the border: cells with their coefficients.
    borders: Vec<Vec<(u32, i8)>>,
    /// Per relation whether it belongs to a group: whether one of its cells lies in fewer than three.
    grouped: Vec<bool>,
}

impl<'a> System<'a> {
    /// `None` if a coefficient is not ±1 or a cell lies in too many relations.
    pub(super) fn new(component: &'a Component) -> Option<Self> {
        let mut columns: Vec<Vec<(u32, i8)>> = vec![Vec::new(); component.cells.len()];
        for (row, terms) in component.rows.iter().enumerate() {
            for &(column, coefficient) in terms {
                let entries = &mut columns[column as usize];
                if coefficient.abs() != 1 || entries.len() == MOST {
                    return None;
                }
                entries.push((row as u32, coefficient as i8));
            }
        }
        Some(Self { rows: &component.rows, columns, kept: vec![true; component.rows.len()] })
    }

    /// The first relation with a coefficient other than ±1, or with a cell that lies in too many.
    pub(super) fn too_much(component: &Component) -> Option<usize> {
        let mut count = vec![0; component.cells.len()];
        component.rows.iter().position(|terms| {
            terms.iter().any(|&(column, coefficient)| {
                count[column as usize] += 1;
                coefficient.abs() != 1 || count[column as usize] > MOST
            })
        })
    }

    /// The last relation of a cell that lies in more than two, when no further one can be left out.
    pub(super) fn left_over(&self) -> Option<usize> {
        let entries = self.columns.iter().find(|entries| entries.len() == MOST)?;
        entries.last().map(|&(row, _)| row as usize)
    }

    pub(super) fn is_kept(&self, row: u32) -> bool {
        self.kept[row as usize]
    }

    /// The relations of a cell that are kept; none for a cell held in place.
    pub(super) fn entries(&self, column: u32) -> impl Iterator<Item = (u32, i8)> + '_ {
        self.columns[column as usize].iter().copied()
    }

    /// Leaves out relations until every cell lies in two of them at most; `None` if that cannot be done.
    pub(super) fn reduce(&mut self) -> Option<()> {
        for _ in 0..PASSES {
            if self.columns.iter().all(|entries| entries.len() < MOST) {
                return Some(());
            }
            let groups = self.groups()?;
            if self.hold(&groups) {
                continue;
            }
            let implied = self.implied(&groups);
            if implied.is_empty() {
                return None;
            }
            for row in implied {
                self.leave_out(row);
            }
        }
        None
    }

    /// Signs with which every cell of two relations leaves one and enters the other; `None` if there are none.
    pub(super) fn signs(&self) -> Option<Signs> {
        let mut signs = Signs::new(self.rows.len());
        for entries in &self.columns {
            if let [(a, c), (b, d)] = entries[..]
                && !signs.join(a, b, -c * d)
            {
                return None;
            }
        }
        Some(signs)
    }

    fn groups(&self) -> Option<Groups> {
        let mut signs = self.signs()?;
        let mut grouped = vec![false; self.rows.len()];
        for entries in self.columns.iter().filter(|entries| entries.len() < MOST) {
            for &(row, _) in entries {
                grouped[row as usize] = true;
            }
        }
        let mut borders: Vec<Vec<(u32, i8)>> = vec![Vec::new(); self.rows.len()];
        for (column, entries) in self.columns.iter().enumerate().filter(|(_, e)| e.len() != 2) {
            for &(row, coefficient) in entries.iter().filter(|(row, _)| grouped[*row as usize]) {
                let (leader, sign) = signs.find(row);
                add(&mut borders[leader as usize], column as u32, sign * coefficient);
            }
        }
        for border in &mut borders {
            border.retain(|&(_, coefficient)| coefficient != 0);
        }
        Some(Groups { borders, grouped })
    }

    /// Holds cells in place that are a group's border, or a relation, alone. Returns whether there was one.
    fn hold(&mut self, groups: &Groups) -> bool {
        let lone = groups.borders.iter().filter(|border| border.len() == 1);
        let mut held: Vec<u32> = lone.map(|border| border[0].0).collect();
        for (row, terms) in self.rows.iter().enumerate().filter(|(row, _)| self.kept[*row]) {
            let mut free = terms.iter().filter(|(column, _)| self.lies_in(*column, row as u32));
            if let (Some(&(column, _)), None) = (free.next(), free.next()) {
                held.push(column);
            }
        }
        for &column in &held {
            self.columns[column as usize].clear();
        }
        !held.is_empty()
    }

    fn lies_in(&self, column: u32, row: u32) -> bool {
        self.columns[column as usize].iter().any(|&(other, _)| other == row)
    }

    /// The relations outside all groups that are sums of borders.
    fn implied(&self, groups: &Groups) -> Vec<u32> {
        let mut serving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (group, border) in groups.borders.iter().enumerate() {
            let Some(&(first, _)) = border.first() else { continue };
            for (row, _) in self.entries(first).filter(|(row, _)| !groups.grouped[*row as usize]) {
                if self.is_part(border, row) {
                    serving.entry(row).or_default().push(group as u32);
                }
            }
        }
        let implied =
            |(row, serving): (u32, Vec<u32>)| self.is_sum(row, &serving, groups).then_some(row);
        serving.into_iter().filter_map(implied).collect()
    }

    /// Whether a border is a part of a relation, up to its sign.
    fn is_part(&self, border: &[(u32, i8)], row: u32) -> bool {
        let ratio = |&(column, coefficient): &(u32, i8)| {
            let own = self.entries(column).find(|&(other, _)| other == row);
            own.map_or(0, |(_, own)| own * coefficient)
        };
        let first = border.first().map_or(0, ratio);
        first.abs() == 1 && border.iter().all(|entry| ratio(entry) == first)
    }

    /// Whether a relation is a combination of borders that are parts of it: their weights must add up to 1 at every cell.
    ///
    /// A cell has at most two such borders. Where there is one, its weight is 1 and that of its neighbours 0, and so
    /// on; where nothing is decided that way, all weights are a half.
    fn is_sum(&self, row: u32, serving: &[u32], groups: &Groups) -> bool {
        let mut at: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &group in serving {
            for &(column, _) in &groups.borders[group as usize] {
                at.entry(column).or_default().push(group);
            }
        }
        let mut weights: BTreeMap<u32, bool> = BTreeMap::new();
        let mut open: Vec<(u32, bool)> = Vec::new();
        for &(column, _) in &self.rows[row as usize] {
            match at.get(&column).map(Vec::as_slice) {
                // Cells held in place have left all relations.
                None if self.columns[column as usize].is_empty() => {}
                None => return false,
                Some(&[only]) => open.push((only, true)),
                Some(_) => {}
            }
        }
        while let Some((group, weight)) = open.pop() {
            match weights.insert(group, weight) {
                Some(before) if before != weight => return false,
                Some(_) => continue,
                None => {}
            }
            for (column, _) in &groups.borders[group as usize] {
                match at[column][..] {
                    [_] if !weight => return false,
                    [a, b] => open.push((if a == group { b } else { a }, !weight)),
                    _ => {}
                }
            }
        }
        true
    }

    fn leave_out(&mut self, row: u32) {
        self.kept[row as usize] = false;
        for (column, _) in &self.rows[row as usize] {
            self.columns[*column as usize].retain(|&(other, _)| other != row);
        }
    }
}

/// Adds to the last entry of a border if it is for the same cell.
fn add(border: &mut Vec<(u32, i8)>, column: u32, coefficient: i8) {
    match border.last_mut() {
        Some((last, sum)) if *last == column => *sum += coefficient,
        _ => border.push((column, coefficient)),
    }
}
