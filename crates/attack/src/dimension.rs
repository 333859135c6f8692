//! Which relations of a table run in the same dimension.
//!
//! Nobody says so: there are only relations. But where every cell stands in three of them, two relations that cross a third are parallel
//! if yet another one crosses both. So dimensions spread from one cell over the whole table, published cells included.

use crate::component::Component;
use crate::propagate::Rows;
use cellveil_core::{CellId, Incidence, Problem};
use std::collections::VecDeque;

const UNKNOWN: u8 = u8::MAX;

/// How many ways round are tried to see that two relations are parallel.
const WAYS: usize = 8;

/// The relations of a component by dimension.
pub(crate) struct Dimensions {
    /// Per cell its relation in each dimension.
    pub(crate) rows: Vec<[u32; 3]>,
    /// Per cell a sign, such that with it (and a sign for every relation) all coefficients are +1.
    pub(crate) signs: Vec<i8>,
}

impl Dimensions {
    /// `None` if the component is no part of a plain table of three dimensions.
    pub(crate) fn of(
        problem: &Problem,
        incidence: &Incidence,
        component: &Component,
    ) -> Option<Self> {
        let rows_of = component.rows_of();
        let three = |at: usize| rows_of.of(at).len() == 3;
        if !(0..component.cells.len()).all(three) {
            return None;
        }
        let signs = signs(component, &rows_of)?;
        let dimension = Grid { problem, incidence }.dimensions(component.cells[0])?;
        let of_row = |row: &Vec<(u32, i32)>| {
            let [a, b] = [row.first()?, row.get(1)?].map(|&(at, _)| component.cells[at as usize]);
            let common = |&(relation, _): &(u32, i32)| {
                incidence.of(b).iter().any(|&(other, _)| other == relation)
            };
            let &(relation, _) = incidence.of(a).iter().find(|entry| common(entry))?;
            Some(dimension[relation as usize]).filter(|&dimension| dimension != UNKNOWN)
        };
        let of_rows: Option<Vec<u8>> = component.rows.iter().map(of_row).collect();
        let of_rows = of_rows?;
        let rows = (0..component.cells.len()).map(|at| {
            let mut rows = [u32::MAX; 3];
            for &(row, _) in rows_of.of(at) {
                rows[of_rows[row as usize] as usize] = row;
            }
            (!rows.contains(&u32::MAX)).then_some(rows)
        });
        let rows: Option<Vec<[u32; 3]>> = rows.collect();
        Some(Self { rows: rows?, signs })
    }
}

/// Signs of cells that, with signs of relations, make every coefficient +1.
fn signs(component: &Component, rows_of: &Rows) -> Option<Vec<i8>> {
    let mut of_cells = vec![0_i8; component.cells.len()];
    let mut of_rows = vec![0_i8; component.rows.len()];
    of_cells[0] = 1;
    let mut waiting = VecDeque::from([0_u32]);
    while let Some(at) = waiting.pop_front() {
        for &(row, c) in rows_of.of(at as usize) {
            let sign = i8::try_from(c).ok().filter(|c| c.abs() == 1)? * of_cells[at as usize];
            if of_rows[row as usize] != 0 {
                continue;
            }
            of_rows[row as usize] = sign;
            for &(other, c) in &component.rows[row as usize] {
                let sign = i8::try_from(c).ok().filter(|c| c.abs() == 1)? * sign;
                if of_cells[other as usize] == 0 {
                    of_cells[other as usize] = sign;
                    waiting.push_back(other);
                }
            }
        }
    }
    let holds = component.rows.iter().zip(&of_rows).all(|(row, &sign)| {
        row.iter().all(|&(at, c)| i32::from(of_cells[at as usize] * sign) * c == 1)
    });
    holds.then_some(of_cells)
}

/// The whole table.
struct Grid<'a> {
    problem: &'a Problem,
    incidence: &'a Incidence,
}

impl Grid<'_> {
    /// The dimension of every relation that can be told from those of one cell.
    fn dimensions(&self, start: CellId) -> Option<Vec<u8>> {
        let mut dimension = vec![UNKNOWN; self.problem.relations().len()];
        let mut waiting: VecDeque<(u32, CellId)> = VecDeque::new();
        let [a, b, c] = self.relations(start)?;
        for (known, relation) in [a, b, c].into_iter().enumerate() {
            dimension[relation as usize] = known as u8;
            waiting.push_back((relation, start));
        }
        while let Some((relation, from)) = waiting.pop_front() {
            for (cell, _) in self.problem.relations().row(relation as usize) {
                let Some(own) = self.relations(cell) else { continue };
                if own.iter().all(|&other| dimension[other as usize] != UNKNOWN) {
                    continue;
                }
                let Some((parallel, to)) = self.parallel(from, relation, cell) else { continue };
                dimension[to as usize] = dimension[parallel as usize];
                let taken = dimension[relation as usize] + dimension[parallel as usize];
                for &other in own.iter().filter(|&&other| other != relation) {
                    if other != to {
                        dimension[other as usize] = 3 - taken;
                    }
                    waiting.push_back((other, cell));
                }
            }
        }
        Some(dimension)
    }

    fn relations(&self, cell: CellId) -> Option<[u32; 3]> {
        match self.incidence.of(cell) {
            &[(a, _), (b, _), (c, _)] => Some([a, b, c]),
            _ => None,
        }
    }

    /// A relation of one cell and the one of another cell, both on `along`, that is parallel to it.
    fn parallel(&self, from: CellId, along: u32, to: CellId) -> Option<(u32, u32)> {
        let ends = self.relations(to)?;
        for side in self.relations(from)?.into_iter().filter(|&side| side != along) {
            let row = self.problem.relations().row(side as usize);
            for (next, _) in row.filter(|&(next, _)| next != from).take(WAYS) {
                let Some(across) = self.relations(next) else { continue };
                for across in across.into_iter().filter(|&across| across != side) {
                    let meets = |end: &u32| {
                        *end != along
                            && self.problem.relations().row(across as usize).any(|(cell, _)| {
                                self.incidence.of(cell).iter().any(|&(other, _)| other == *end)
                            })
                    };
                    if let Some(end) = ends.into_iter().find(meets) {
                        return Some((side, end));
                    }
                }
            }
        }
        None
    }
}
