//! Flows between parallel layers.
//!
//! A cube needs all of its corners withheld, which is rare where few cells are or where much has to be moved. Take a cube in all of
//! a cell's relations but two, the base. Copies of the base, carried along those two, are the arcs of a network whose nodes are
//! relations, exactly as single cells are in a table of two dimensions: whatever flows from one relation of the
//! cell round to the other is a witness. The network is laid out only as far as the search for a path goes.

use crate::cube::{Corner, Crossings, Map};
use std::ops::ControlFlow;

/// No longer search is made in one layer.
const NODES: usize = 300;

/// No more paths are pushed through one layer.
const PATHS: usize = 64;

/// A copy of the base between two relations.
struct Arc {
    cells: Vec<u32>,
    /// The relations at both ends of the first corner.
    ends: [u32; 2],
    /// How far the first corner may move down and up, in all.
    room: [i64; 2],
    /// How far it moves.
    moved: i64,
}

/// A relation of first corners.
#[derive(Default)]
struct Node {
    /// The parallel relations, one per corner; only the first's for the relation where the search starts.
    rows: Vec<u32>,
    /// Empty until the search comes here.
    arcs: Vec<u32>,
    /// The last search that came here.
    seen: u32,
}

/// The network of one base.
struct Layer<'a> {
    crossings: &'a Crossings<'a>,
    base: &'a [Corner],
    arcs: Vec<Arc>,
    /// The relations that the search came to.
    nodes: Map<u32, Node>,
    /// How many searches there were.
    search: u32,
    /// The arc with a first corner.
    arc_of: Map<u32, u32>,
}

/// What is pushed through layers.
pub(crate) struct Pushed {
    /// What is missing.
    pub(crate) missing: i64,
    /// Moves of cells, towards the side that was asked for.
    pub(crate) moved: Map<u32, i64>,
    /// How many crossings may still be looked up.
    pub(crate) work: usize,
}

impl Crossings<'_> {
    /// Pushes what is missing through the layers of a cell, one base after the other.
    pub(crate) fn flow(&self, at: u32, left: &dyn Fn(u32, i32) -> i64, flow: &mut Pushed) {
        let degree = self.rows_of.of(at as usize).len();
        for p in 0..degree {
            for q in p + 1..degree {
                let mut base = vec![Corner::first(at)];
                if self.bases(&mut base, 0, (p, q), left, flow).is_break() {
                    return;
                }
            }
        }
    }

    /// Cubes in all relations of the first corner but two, each the base of a layer.
    fn bases(
        &self,
        base: &mut Vec<Corner>,
        done: usize,
        (p, q): (usize, usize),
        left: &dyn Fn(u32, i32) -> i64,
        flow: &mut Pushed,
    ) -> ControlFlow<()> {
        let rows = self.rows_of.of(base[0].at as usize);
        if done == p || done == q {
            return self.bases(base, done + 1, (p, q), left, flow);
        }
        let Some(&(row, own)) = rows.get(done) else {
            let mut layer = Layer::new(self, base);
            layer.push(rows[p], rows[q], left, flow);
            let done = flow.missing == 0 || flow.work == 0;
            return if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        };
        let size = base.len();
        for (other, sign) in self.partners(row, base[0].at, own) {
            let may_move = |at: u32, sign: i32| remaining(left, flow, at, sign) > 0;
            if may_move(other, sign) {
                let mut work = flow.work;
                if self.carry(base, other, sign, &mut |at, sign| may_move(at, sign), &mut work) {
                    flow.work = work;
                    self.bases(base, done + 1, (p, q), left, flow)?;
                }
            }
            base.truncate(size);
        }
        ControlFlow::Continue(())
    }
}

impl Pushed {
    /// Whether the moves keep every relation: where relations cross in more than one way, copies may not be parallel.
    #[expect(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
    pub(crate) fn is_balanced(&self, crossings: &Crossings<'_>) -> bool {
        let mut sums: Map<u32, i128> = Map::default();
        for (&at, &moved) in &self.moved {
            for &(row, coefficient) in crossings.rows_of.of(at as usize) {
                *sums.entry(row).or_default() += i128::from(moved) * i128::from(coefficient);
            }
        }
        sums.values().all(|&sum| sum == 0)
    }
}

/// What is left of a cell's room.
fn remaining(left: &dyn Fn(u32, i32) -> i64, flow: &Pushed, at: u32, sign: i32) -> i64 {
    let moved = flow.moved.get(&at).copied().unwrap_or(0);
    left(at, sign).saturating_sub(moved * i64::from(sign))
}

impl<'a> Layer<'a> {
    fn new(crossings: &'a Crossings<'a>, base: &'a [Corner]) -> Self {
        Self {
            crossings,
            base,
            arcs: Vec::new(),
            search: 0,
            nodes: Map::default(),
            arc_of: Map::default(),
        }
    }

    /// Pushes along shortest paths from one relation of the first corner to another.
    fn push(
        &mut self,
        (out, out_coefficient): (u32, i32),
        (back, back_coefficient): (u32, i32),
        left: &dyn Fn(u32, i32) -> i64,
        flow: &mut Pushed,
    ) {
        let room = self.base.iter().map(|corner| remaining(left, flow, corner.at, corner.sign));
        let mut room = room.min().unwrap_or(0);
        self.node(out).rows = vec![out];
        let mut pushed = 0;
        for _ in 0..PATHS {
            if flow.missing == 0 || room == 0 {
                break;
            }
            let Some(path) = self.path(out, out_coefficient, back, -back_coefficient, left, flow)
            else {
                break;
            };
            let narrowest =
                path.iter().map(|&(arc, sign)| self.arcs[arc as usize].left(sign)).min();
            let amount = narrowest.unwrap_or(0).min(room).min(flow.missing);
            for (arc, sign) in path {
                self.arcs[arc as usize].moved += amount * i64::from(sign);
            }
            room -= amount;
            pushed += amount;
            flow.missing -= amount;
        }
        if pushed == 0 {
            return;
        }
        for corner in self.base {
            *flow.moved.entry(corner.at).or_default() += pushed * i64::from(corner.sign);
        }
        for arc in self.arcs.iter().filter(|arc| arc.moved != 0) {
            for (&at, corner) in arc.cells.iter().zip(self.base) {
                *flow.moved.entry(at).or_default() += arc.moved * i64::from(corner.sign);
            }
        }
    }

    /// A shortest path of arcs with room, each with the sign by which it moves. `surplus` is what the first corner leaves in
    /// `out`; in `back` it needs `wanted`.
    fn path(
        &mut self,
        out: u32,
        surplus: i32,
        back: u32,
        wanted: i32,
        left: &dyn Fn(u32, i32) -> i64,
        flow: &mut Pushed,
    ) -> Option<Vec<(u32, i32)>> {
        // How each relation was come to: by which arc with which sign, from which step; and the surplus it is left with.
        let mut steps: Vec<(u32, i32, u32, i32, usize)> = vec![(0, 0, out, surplus, 0)];
        self.search += 1;
        let search = self.search;
        self.node(out).seen = search;
        let mut next = 0;
        while next < steps.len() && next < NODES {
            let (_, _, row, surplus, _) = steps[next];
            self.lay_out(row, left, flow)?;
            for index in 0..self.nodes[&row].arcs.len() {
                let number = self.nodes[&row].arcs[index];
                let arc = &self.arcs[number as usize];
                let own = self.crossings.coefficient(row, arc.cells[0]);
                if own.abs() != surplus.abs() {
                    continue;
                }
                let sign = -surplus.signum() * own.signum();
                if arc.left(sign) == 0 {
                    continue;
                }
                let end = if arc.ends[0] == row { arc.ends[1] } else { arc.ends[0] };
                let carried = self.crossings.coefficient(end, arc.cells[0]) * sign;
                if end == back {
                    if carried == wanted {
                        let mut path = vec![(number, sign)];
                        let mut at = next;
                        while at != 0 {
                            let (arc, sign, _, _, from) = steps[at];
                            path.push((arc, sign));
                            at = from;
                        }
                        return Some(path);
                    }
                } else if std::mem::replace(&mut self.node(end).seen, search) != search {
                    steps.push((number, sign, end, carried, next));
                }
            }
            next += 1;
        }
        None
    }

    /// Finds the arcs at a relation, unless they are known; `None` if there is no work left for it.
    fn lay_out(
        &mut self,
        row: u32,
        left: &dyn Fn(u32, i32) -> i64,
        flow: &mut Pushed,
    ) -> Option<()> {
        if !self.nodes[&row].arcs.is_empty() {
            return Some(());
        }
        for &(first, _) in self.crossings.row(row) {
            flow.work = flow.work.checked_sub(1)?;
            if let Some(&arc) = self.arc_of.get(&first) {
                self.node(row).arcs.push(arc);
                continue;
            }
            let Some(cells) = self.copy(first, row, flow) else { continue };
            let Some(ends) = self.other_ends(&cells, row).filter(|_| self.is_even(&cells)) else {
                continue;
            };
            let room = [-1, 1].map(|sign: i32| {
                let rooms = cells.iter().zip(self.base);
                let rooms =
                    rooms.map(|(&at, corner)| remaining(left, flow, at, sign * corner.sign));
                rooms.min().unwrap_or(0)
            });
            if room != [0, 0] {
                let number = self.arcs.len() as u32;
                self.arcs.push(Arc { cells, ends: [row, ends[0]], room, moved: 0 });
                self.arc_of.insert(first, number);
                self.node(row).arcs.push(number);
                let node = self.node(ends[0]);
                if node.rows.is_empty() {
                    node.rows = ends;
                }
            }
        }
        Some(())
    }

    fn node(&mut self, row: u32) -> &mut Node {
        self.nodes.entry(row).or_default()
    }

    /// The copy of the base with its first corner elsewhere in a relation.
    fn copy(&mut self, first: u32, row: u32, flow: &mut Pushed) -> Option<Vec<u32>> {
        let mut cells = vec![first];
        for (index, corner) in self.base.iter().enumerate().skip(1) {
            let carried = cells[corner.parent()];
            let rows = &self.nodes[&row].rows;
            let at = match rows.get(index) {
                Some(&parallel) => self.crossings.meeting_row(parallel, carried, &mut flow.work)?,
                // At the first relation it shows which one is parallel to it.
                None => self.crossings.rows_of.of(corner.at as usize).iter().find_map(
                    |&(parallel, _)| {
                        self.crossings
                            .meeting_row(parallel, carried, &mut flow.work)
                            .filter(|&at| at != corner.at)
                    },
                )?,
            };
            cells.push(at);
        }
        let is_base = |at: &u32| self.base.iter().any(|corner| corner.at == *at);
        (!cells.iter().any(is_base)).then_some(cells)
    }

    /// Whether a copy keeps the relations in which several of its corners stand.
    fn is_even(&self, cells: &[u32]) -> bool {
        let rows = |at: u32| self.crossings.rows_of.of(at as usize);
        cells.iter().flat_map(|&at| rows(at)).all(|&(row, _)| {
            let terms = cells.iter().zip(self.base);
            let terms = terms.map(|(&at, c)| self.crossings.coefficient(row, at) * c.sign);
            terms.clone().filter(|&term| term != 0).count() < 2 || terms.sum::<i32>() == 0
        })
    }

    /// For each corner of a copy the only relation in which no other one stands, but for the one in which the arc starts.
    fn other_ends(&self, cells: &[u32], row: u32) -> Option<Vec<u32>> {
        let rows = &self.nodes[&row].rows;
        let stands = |row: u32, at: u32| self.crossings.coefficient(row, at) != 0;
        let mut ends = Vec::with_capacity(cells.len());
        for (index, &at) in cells.iter().enumerate() {
            let before = match rows.get(index) {
                Some(&before) => before,
                None => self
                    .crossings
                    .rows_of
                    .of(at as usize)
                    .iter()
                    .map(|&(row, _)| row)
                    .find(|&row| stands(row, self.base[index].at))?,
            };
            let alone = |row: u32| cells.iter().all(|&other| other == at || !stands(row, other));
            let rows = self.crossings.rows_of.of(at as usize).iter().map(|&(row, _)| row);
            let mut open = rows.filter(|&row| row != before && alone(row));
            ends.push(open.next()?);
            if open.next().is_some() {
                return None;
            }
        }
        Some(ends)
    }
}

impl Arc {
    fn left(&self, sign: i32) -> i64 {
        self.room[usize::from(sign > 0)].saturating_sub(self.moved * i64::from(sign))
    }
}
