//! Hypercubes of withheld cells: alternating moves at the corners of a box keep every sum.
//!
//! Nothing is known of dimensions here, only relations. A cube grows from one cell: for each of its relations another cell is
//! chosen, and all corners so far are carried along, each to the cell where one of its own relations crosses one of its carried
//! neighbour's. Corners at an odd distance move against the first cell; where a total stands among its parts, with
//! it. A set of corners that leaves a relation unbalanced is no cube and is dropped.

use crate::component::Component;
use crate::propagate::Rows;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::ControlFlow;

/// The relations of a component, ready to find where two of them cross. Cells go by their position in the component.
pub struct Crossings<'a> {
    component: &'a Component,
    pub(crate) rows_of: Rows,
    /// The cell in which two relations cross, the smaller first.
    at: Map<u64, u32>,
}

/// One corner of a cube.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// Its position in the component.
    pub(crate) at: u32,
    /// 1 if it moves with the first corner, −1 if against it.
    pub(crate) sign: i32,
    /// The corner it was found from.
    parent: u8,
}

impl Corner {
    pub(crate) fn first(at: u32) -> Self {
        Self { at, sign: 1, parent: 0 }
    }

    /// The corner it was found from.
    pub(crate) fn parent(self) -> usize {
        self.parent as usize
    }
}

/// No larger cube is looked for.
const CORNERS: usize = 128;

/// A walk over the cubes that have one cell as a corner.
pub(crate) struct Walk<'w> {
    /// Whether a cell may move by a sign.
    pub(crate) admit: &'w mut dyn FnMut(u32, i32) -> bool,
    /// Gets every cube, and says whether to go on.
    pub(crate) visit: &'w mut dyn FnMut(&[Corner]) -> ControlFlow<()>,
    /// How many crossings may still be looked up.
    pub(crate) work: usize,
}

impl<'a> Crossings<'a> {
    /// Looks every pair of relations up that cross in a cell.
    pub fn new(component: &'a Component) -> Self {
        let rows_of = component.rows_of();
        let mut at = Map::default();
        for column in 0..component.cells.len() {
            let rows = rows_of.of(column);
            for (i, &(a, _)) in rows.iter().enumerate() {
                for &(b, _) in &rows[i + 1..] {
                    at.entry(key(a, b)).or_insert(column as u32);
                }
            }
        }
        Self { component, rows_of, at }
    }

    /// The relations of a cell, with its coefficient in each.
    pub fn relations_of(&self, at: u32) -> &[(u32, i32)] {
        self.rows_of.of(at as usize)
    }

    /// The cell that completes a rectangle: it stands in a relation with both of two cells, and is not the corner `between` them.
    pub fn fourth(&self, a: u32, b: u32, between: u32) -> Option<u32> {
        self.relations_of(a).iter().find_map(|&(p, _)| {
            let rows = self.relations_of(b).iter().filter(|&&(q, _)| p != q);
            rows.filter_map(|&(q, _)| self.at(p, q)).find(|at| ![a, b, between].contains(at))
        })
    }

    /// Walks over the cubes with a corner at a position, until the visitor stops it or the work is used up.
    pub(crate) fn cubes(&self, at: u32, walk: &mut Walk<'_>) {
        let mut corners = vec![Corner::first(at)];
        let _ = self.grow(&mut corners, 0, walk);
    }

    fn grow(&self, corners: &mut Vec<Corner>, done: usize, walk: &mut Walk<'_>) -> ControlFlow<()> {
        let first = corners[0];
        let rows = self.rows_of.of(first.at as usize);
        let Some(&(row, own)) = rows.get(done) else {
            return if self.is_balanced(corners) {
                (walk.visit)(corners)
            } else {
                ControlFlow::Continue(())
            };
        };
        let size = corners.len();
        if size > 1 && self.sum(row, corners) == 0 {
            return self.grow(corners, done + 1, walk);
        }
        if size * 2 > CORNERS {
            return ControlFlow::Continue(());
        }
        for (other, sign) in self.partners(row, first.at, own) {
            if walk.work == 0 {
                return ControlFlow::Break(());
            }
            walk.work -= 1;
            if (walk.admit)(other, sign)
                && self.carry(corners, other, sign, walk.admit, &mut walk.work)
            {
                self.grow(corners, done + 1, walk)?;
            }
            corners.truncate(size);
        }
        ControlFlow::Continue(())
    }

    /// The other cells of a relation, with the sign by which each makes up for a cell with coefficient `own`.
    pub(crate) fn partners(
        &self,
        row: u32,
        of: u32,
        own: i32,
    ) -> impl Iterator<Item = (u32, i32)> + use<'_> {
        let terms = self.component.rows[row as usize].iter();
        terms
            .filter(move |&&(other, c)| other != of && c.abs() == own.abs())
            .map(move |&(other, c)| (other, if c == own { -1 } else { 1 }))
    }

    /// Appends the image of every corner when the first one is carried to `to`; false if one has none that may move.
    pub(crate) fn carry(
        &self,
        corners: &mut Vec<Corner>,
        to: u32,
        sign: i32,
        admit: &mut dyn FnMut(u32, i32) -> bool,
        work: &mut usize,
    ) -> bool {
        let size = corners.len();
        let turn = sign * corners[0].sign;
        corners.push(Corner { at: to, sign, parent: 0 });
        for index in 1..size {
            let corner = corners[index];
            let carried = corners[size + corner.parent as usize];
            let Some(at) = self.meeting(carried.at, corner.at, corners, work) else { return false };
            // Between a corner and its image lies the same kind of relation as between the first and its own.
            let sign = corner.sign * turn;
            if !admit(at, sign) {
                return false;
            }
            corners.push(Corner { at, sign, parent: (size + corner.parent as usize) as u8 });
        }
        true
    }

    /// The cell in which two relations cross.
    pub(crate) fn at(&self, a: u32, b: u32) -> Option<u32> {
        self.at.get(&key(a, b)).copied()
    }

    /// The cells of a relation with their coefficients.
    pub fn row(&self, row: u32) -> &[(u32, i32)] {
        &self.component.rows[row as usize]
    }

    /// The cell, other than `of`, in which a relation crosses one of another cell's.
    pub(crate) fn meeting_row(&self, row: u32, of: u32, work: &mut usize) -> Option<u32> {
        self.rows_of.of(of as usize).iter().find_map(|&(other, _)| {
            *work = work.saturating_sub(1);
            self.at(row, other).filter(|&at| at != of && other != row)
        })
    }

    /// A cell, not yet a corner, that stands in a relation with both of two cells.
    fn meeting(&self, a: u32, b: u32, corners: &[Corner], work: &mut usize) -> Option<u32> {
        for &(p, _) in self.rows_of.of(a as usize) {
            for &(q, _) in self.rows_of.of(b as usize) {
                *work = work.saturating_sub(1);
                let found = self.at(p, q).filter(|_| p != q);
                if found.is_some_and(|found| corners.iter().all(|corner| corner.at != found)) {
                    return found;
                }
            }
        }
        None
    }

    /// The coefficient of a cell in a relation.
    pub(crate) fn coefficient(&self, row: u32, at: u32) -> i32 {
        self.rows_of.of(at as usize).iter().find(|&&(r, _)| r == row).map_or(0, |&(_, c)| c)
    }

    fn sum(&self, row: u32, corners: &[Corner]) -> i32 {
        corners.iter().map(|corner| self.coefficient(row, corner.at) * corner.sign).sum()
    }

    /// Whether the corners keep every relation that any of them stands in.
    pub(crate) fn is_balanced(&self, corners: &[Corner]) -> bool {
        self.keeps_every_sum(corners.iter().map(|corner| (corner.at, corner.sign)))
    }

    /// Whether cells that move by these signs keep every relation that any of them stands in.
    pub fn keeps_every_sum(&self, signs: impl Iterator<Item = (u32, i32)>) -> bool {
        let mut sums: Vec<(u32, i32)> = signs
            .flat_map(|(at, sign)| {
                self.relations_of(at).iter().map(move |&(row, c)| (row, c * sign))
            })
            .collect();
        sums.sort_unstable();
        sums.chunk_by(|a, b| a.0 == b.0).all(|row| row.iter().map(|&(_, c)| c).sum::<i32>() == 0)
    }
}

fn key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// A map from relations or positions.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// Spreads numbers of relations over a map; nobody chooses them to make them collide.
#[derive(Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
