//! Bounds from patches of the table: a few cells with the relations among them.
//!
//! On a patch a cheapest pattern has one of a few shapes (`shapes.rs`). Where codes are grouped in several ways, relations of one line have calculations in common that none of
//! them has alone, so shapes say more than relations one by one. The costs of cells are split among the patches that they belong to, and every patch takes the cheapest of its shapes:
//! what that costs together is a lower bound for any split. Cuts of which some cell must be withheld, whatever the pattern, take part as covers. The best split is found without a program (`split.rs`).

mod cover;
mod patch;
mod shapes;
mod split;

use super::cuts::Cut;
use super::level::System;
use crate::method::Context;
use cover::Cover;
use patch::Patch;
use rayon::prelude::*;
use shapes::shapes;
use std::collections::{BTreeMap, BTreeSet};

/// So many cells make a patch at most. Relations whose shapes are too many together make smaller ones, at last one each.
const CELLS: [usize; 4] = [16, 13, 10, 0];

/// A relation of more cells than this makes no patch alone: nearly everything is a shape of it.
const ALONE: usize = 10;

/// Components with more cells have no patches: the best split would take minutes.
const LARGE: usize = 20_000;

/// Patches of a component have so many shapes in all at most.
const SHAPES: usize = 2_000_000;

/// The patches of a component, and covers.
pub(super) struct Patches {
    parts: Vec<Part>,
    /// The parts of every position, and its number in each.
    of: Vec<Vec<(u32, u32)>>,
    costs: Vec<f64>,
    free: Vec<bool>,
    covers: BTreeSet<Vec<u32>>,
    /// Whether costs were split before.
    is_split: bool,
    /// The degree of patience with which they are split.
    patience: u32,
}

/// Some cells that share costs with others.
enum Part {
    Patch(Patch),
    Cover(Cover),
}

/// Relations of a patch, ascending.
type Rows = Vec<u32>;

/// What the shapes of a patch depend on: how many cells it has, its relations among them, and which of them must not be computed, as bits.
type Key = (usize, Vec<Vec<(u32, i32)>>, u32);

impl Patches {
    /// Finds them, as long as there is time. Cells that are `hidden` are withheld and must not be computed.
    pub(super) fn new(system: &System<'_>, hidden: &[bool], context: &Context<'_>) -> Self {
        let cost = |(&cost, &free): (&f64, &bool)| if free { cost } else { 0.0 };
        let mut patches = Self {
            parts: Vec::new(),
            of: vec![Vec::new(); system.len()],
            costs: system.costs.iter().zip(&system.free).map(cost).collect(),
            free: system.free.clone(),
            covers: BTreeSet::new(),
            is_split: false,
            patience: 0,
        };
        if system.len() > LARGE {
            return patches;
        }
        let mut left: Vec<u32> = (0..system.component.rows.len() as u32).collect();
        let mut count = 0;
        for most in CELLS {
            let groups = groups(system, &left, most);
            let listed = list(system, hidden, &groups, context);
            let mut is_done = vec![false; system.component.rows.len()];
            for rows in groups {
                let shapes = listed.get(&key(system, hidden, &rows));
                let Some(shapes) = shapes.and_then(Option::as_ref) else { continue };
                count += shapes.len();
                if count > SHAPES {
                    return patches;
                }
                patches.add(system, &rows, shapes);
                for row in rows {
                    is_done[row as usize] = true;
                }
            }
            left.retain(|&row| !is_done[row as usize]);
        }
        patches
    }

    /// Adds the patch of some relations, unless its shapes say nothing. What is withheld anyway costs nothing, whatever becomes of it.
    fn add(&mut self, system: &System<'_>, rows: &[u32], shapes: &[u32]) {
        let cells = cells_of(system, rows);
        let free = bits(&cells, &system.free);
        let of_free: BTreeSet<u32> = shapes.iter().map(|shape| shape & free).collect();
        if of_free.is_empty() || of_free.len() == 1 << free.count_ones() {
            return;
        }
        let positions =
            (0..).zip(&cells).filter(|(bit, _)| free >> bit & 1 == 1).map(|(_, &at)| at);
        let packed = of_free.into_iter().map(|shape| pack(shape, free));
        self.push(Part::Patch(Patch::new(positions.collect(), packed.collect())));
    }

    /// Lets the next split begin anew from where it is, with more patience.
    pub(super) fn be_patient(&mut self) {
        self.is_split = false;
        self.patience += 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Takes in that some cell of a cut is withheld.
    pub(super) fn cover(&mut self, cut: &Cut) {
        let cells: Vec<u32> = cut.terms.iter().map(|&(at, _)| at).collect();
        if cut.is_for_all && !cells.is_empty() && self.covers.insert(cells.clone()) {
            self.push(Part::Cover(Cover::new(cells)));
        }
    }

    /// Whether what is withheld has a shape of every patch.
    #[cfg(test)]
    pub(super) fn allow(&self, withheld: &[bool]) -> bool {
        self.parts.iter().all(|part| match part {
            Part::Patch(patch) => patch.shapes.contains(&bits(&patch.cells, withheld)),
            Part::Cover(cover) => cover.cells.iter().any(|&at| withheld[at as usize]),
        })
    }

    fn push(&mut self, part: Part) {
        let cells = match &part {
            Part::Patch(patch) => &patch.cells,
            Part::Cover(cover) => &cover.cells,
        };
        for (number, &at) in (0..).zip(cells) {
            self.of[at as usize].push((self.parts.len() as u32, number));
        }
        self.parts.push(part);
    }
}

/// The shapes of all patches, as far as there is time.
fn list(
    system: &System<'_>,
    hidden: &[bool],
    groups: &[Rows],
    context: &Context<'_>,
) -> BTreeMap<Key, Option<Vec<u32>>> {
    let small = groups.iter().filter(|rows| {
        let [row] = rows[..] else { return true };
        system.component.rows[row as usize].len() <= ALONE
    });
    let keys: BTreeSet<Key> = small.map(|rows| key(system, hidden, rows)).collect();
    let keys: Vec<Key> = keys.into_iter().collect();
    let list = |key: Key| {
        let listed = if context.is_over() { None } else { shapes(key.0, &key.1, key.2) };
        (key, listed)
    };
    keys.into_par_iter().map(list).collect()
}

fn key(system: &System<'_>, hidden: &[bool], rows: &[u32]) -> Key {
    let cells = cells_of(system, rows);
    let number = |at: u32| cells.binary_search(&at).unwrap_or_default() as u32;
    let local = |&row: &u32| {
        let terms = system.component.rows[row as usize].iter();
        terms.map(|&(at, c)| (number(at), c)).collect::<Vec<_>>()
    };
    let mut relations: Vec<_> = rows.iter().map(local).collect();
    relations.sort_unstable();
    (cells.len(), relations, bits(&cells, hidden))
}

/// The cells for which something holds, as bits.
fn bits(cells: &[u32], holds: &[bool]) -> u32 {
    let those = (0..).zip(cells).filter(|(_, at)| holds[**at as usize]);
    those.fold(0, |set, (bit, _): (u32, _)| set | 1 << bit)
}

/// The bits of a set that stand in a mask, side by side.
fn pack(set: u32, mask: u32) -> u32 {
    let bits = (0..32).filter(|bit| mask >> bit & 1 == 1);
    bits.enumerate().fold(0, |packed, (to, from)| packed | (set >> from & 1) << to)
}

/// The cells of some relations, ascending.
fn cells_of(system: &System<'_>, rows: &[u32]) -> Vec<u32> {
    let terms = rows.iter().flat_map(|&row| &system.component.rows[row as usize]);
    let cells: BTreeSet<u32> = terms.map(|&(at, _)| at).collect();
    cells.into_iter().collect()
}

/// Groups of relations that belong together around some of them, none within another, of at most so many cells.
fn groups(system: &System<'_>, around: &[u32], most: usize) -> Vec<Rows> {
    let small = around.iter().filter(|&&row| system.component.rows[row as usize].len() <= CELLS[0]);
    let groups: BTreeSet<Rows> = small.map(|&row| grown(system, row, most)).collect();
    let groups: Vec<Rows> = groups.into_iter().collect();
    let mut of_row: Vec<Vec<u32>> = vec![Vec::new(); system.component.rows.len()];
    for (number, group) in (0..).zip(&groups) {
        for &row in group {
            of_row[row as usize].push(number);
        }
    }
    let is_within = |part: &Rows| {
        of_row[part[0] as usize].iter().any(|&other| {
            let whole = &groups[other as usize];
            whole.len() > part.len() && part.iter().all(|row| whole.binary_search(row).is_ok())
        })
    };
    groups.iter().filter(|group| !is_within(group)).cloned().collect()
}

/// A relation with others that have calculations in common with it: those with two cells of the group, and pairs that meet outside of it and each
/// have one cell of one of its relations. Relations of different dimensions never make such a triangle.
fn grown(system: &System<'_>, row: u32, most: usize) -> Rows {
    let terms = |row: u32| system.component.rows[row as usize].iter().map(|&(at, _)| at);
    let mut rows = BTreeSet::from([row]);
    let mut cells: BTreeSet<u32> = terms(row).collect();
    loop {
        let mut touching: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &at in &cells {
            for (row, _) in
                system.rows_of[at as usize].iter().filter(|(row, _)| !rows.contains(row))
            {
                touching.entry(*row).or_default().push(at);
            }
        }
        let outside = |rows: &[u32]| {
            let all = rows.iter().flat_map(|&row| terms(row)).filter(|at| !cells.contains(at));
            all.collect::<BTreeSet<u32>>().len()
        };
        let is_closed = |(_, common): &(&u32, &Vec<u32>)| common.len() > 1;
        let mut next: Vec<(usize, Rows)> = touching
            .iter()
            .filter(is_closed)
            .map(|(&row, _)| (outside(&[row]), vec![row]))
            .collect();
        if next.is_empty() {
            let share_a_row = |a: u32, b: u32| {
                a != b
                    && rows.iter().any(|&row| [a, b].iter().all(|&at| terms(row).any(|t| t == at)))
            };
            let mut meeting: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
            for (&row, common) in &touching {
                for at in terms(row).filter(|at| !cells.contains(at)) {
                    meeting.entry(at).or_default().push((row, common[0]));
                }
            }
            for meet in meeting.values() {
                for (number, &(a, at)) in meet.iter().enumerate() {
                    let others = meet[..number].iter().filter(|(_, other)| share_a_row(at, *other));
                    next.extend(others.map(|&(b, _)| (outside(&[b, a]), vec![b, a])));
                }
            }
        }
        let within = next.into_iter().filter(|(more, _)| cells.len() + more <= most);
        let Some((_, added)) = within.min() else { return rows.into_iter().collect() };
        for row in added {
            rows.insert(row);
            cells.extend(terms(row));
        }
    }
}
