//! The intruder's system, reduced and split.
//!
//! Published cells are constants, so columns are withheld cells only. Rooms are narrowed relation by relation; a cell without any
//! is determined and becomes a constant too. Equal relations are one. What is left falls apart into connected components
//! that have nothing to do with each other.

use crate::propagate::{NO_LIMIT, Room, Rows, propagate, slot};
use cellveil_core::{CellId, Pattern, Problem, Side};

/// Withheld cells that depend on each other, and the relations among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The cells, ascending.
    pub cells: Vec<CellId>,
    /// Distinct relations: positions in `cells` with coefficients.
    pub rows: Vec<Vec<(u32, i32)>>,
    /// How far each cell can move at most.
    pub rooms: Vec<Room>,
}

impl Component {
    /// All cells of a problem, also those that must be published, and all its distinct relations: positions are cells.
    pub fn whole(problem: &Problem) -> Self {
        let cells: Vec<CellId> = problem.cells().collect();
        let relations = problem.relations();
        let terms = |relation| {
            let mut row: Vec<(u32, i32)> =
                relations.row(relation).map(|(cell, c)| (cell.0, c)).collect();
            row.sort_unstable();
            row
        };
        let mut rows: Vec<Vec<(u32, i32)>> = (0..relations.len()).map(terms).collect();
        rows.sort_unstable();
        rows.dedup();
        let room =
            |&cell: &CellId| Side::BOTH.map(|side| problem.room(cell, side).unwrap_or(NO_LIMIT));
        let rooms = cells.iter().map(room).collect();
        Self { cells, rows, rooms }
    }

    /// Where a cell stands.
    pub fn position(&self, cell: CellId) -> Option<u32> {
        self.cells.binary_search(&cell).ok().map(|at| at as u32)
    }

    /// How far the cell at a position can move to a side at most; `None` if nothing limits it.
    pub fn room(&self, at: u32, side: Side) -> Option<i64> {
        Some(self.rooms[at as usize][slot(side)]).filter(|&room| room != NO_LIMIT)
    }

    /// The part of a component on some of its positions, ascending, with every relation they stand in and all others left alone.
    pub(crate) fn part(&self, positions: &[u32], rows_of: &Rows) -> Self {
        let mut touched: Vec<u32> = positions
            .iter()
            .flat_map(|&at| rows_of.of(at as usize).iter().map(|&(row, _)| row))
            .collect();
        touched.sort_unstable();
        touched.dedup();
        let place = |at: u32| positions.binary_search(&at).ok().map(|place| place as u32);
        let rows = touched.into_iter().map(|row| {
            let terms = self.rows[row as usize].iter();
            terms.filter_map(|&(at, c)| place(at).map(|place| (place, c))).collect()
        });
        Self {
            cells: positions.iter().map(|&at| self.cells[at as usize]).collect(),
            rows: rows.collect(),
            rooms: positions.iter().map(|&at| self.rooms[at as usize]).collect(),
        }
    }

    /// The relations of every position.
    pub(crate) fn rows_of(&self) -> Rows {
        self.flat_rows().transposed(self.cells.len())
    }

    pub(crate) fn flat_rows(&self) -> Rows {
        let mut starts = vec![0];
        let mut terms = Vec::new();
        for row in &self.rows {
            terms.extend_from_slice(row);
            starts.push(terms.len());
        }
        Rows { starts, terms }
    }

    /// The same system with some of its cells known.
    pub(crate) fn knowing(self, known: &[CellId]) -> Reduced {
        let rows = self.flat_rows();
        let mut rooms = self.rooms;
        for cell in known {
            if let Ok(at) = self.cells.binary_search(cell) {
                rooms[at] = [0, 0];
            }
        }
        propagate(&rows, &rows.transposed(self.cells.len()), &mut rooms);
        Reduced::of(&self.cells, &rows, &rooms)
    }
}

/// The whole system after reduction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reduced {
    /// Withheld cells that the published ones determine exactly, ascending.
    pub determined: Vec<CellId>,
    /// The rest, by smallest cell.
    pub components: Vec<Component>,
}

/// Reduces the intruder's system for a pattern.
pub fn reduce(problem: &Problem, pattern: &Pattern) -> Reduced {
    let cells: Vec<CellId> = pattern.withheld().map(|(cell, _)| cell).collect();
    let rows = rows(problem, &cells);
    let rows_of = rows.transposed(cells.len());
    let mut rooms: Vec<Room> = cells
        .iter()
        .map(|&cell| Side::BOTH.map(|side| problem.room(cell, side).unwrap_or(NO_LIMIT)))
        .collect();
    propagate(&rows, &rows_of, &mut rooms);
    Reduced::of(&cells, &rows, &rooms)
}

impl Reduced {
    /// Cells without room are determined; the others fall apart.
    fn of(cells: &[CellId], rows: &Rows, rooms: &[Room]) -> Self {
        let known = cells.iter().zip(rooms).filter(|(_, room)| **room == [0, 0]);
        let determined = known.map(|(&cell, _)| cell).collect();
        Self { determined, components: split(cells, rows, rooms) }
    }
}

/// The relations among withheld cells, which are columns in their order.
fn rows(problem: &Problem, cells: &[CellId]) -> Rows {
    const PUBLISHED: u32 = u32::MAX;
    let mut column = vec![PUBLISHED; problem.len()];
    for (at, cell) in cells.iter().enumerate() {
        column[cell.index()] = at as u32;
    }
    let relations = problem.relations();
    let mut rows = Rows { starts: vec![0], terms: Vec::new() };
    for relation in 0..relations.len() {
        let before = rows.terms.len();
        let unknown = relations.row(relation).map(|(cell, c)| (column[cell.index()], c));
        rows.terms.extend(unknown.filter(|&(column, _)| column != PUBLISHED));
        if rows.terms.len() > before {
            rows.starts.push(rows.terms.len());
        }
    }
    rows
}

fn split(cells: &[CellId], rows: &Rows, rooms: &[Room]) -> Vec<Component> {
    const NOWHERE: u32 = u32::MAX;
    let moves = |&(at, _): &(u32, i32)| rooms[at as usize] != [0, 0];
    let mut leader: Vec<u32> = (0..cells.len() as u32).collect();
    for row in 0..rows.len() {
        let mut members = rows.of(row).iter().filter(|term| moves(term));
        if let Some(&(first, _)) = members.next() {
            for &(other, _) in members {
                join(&mut leader, first, other);
            }
        }
    }
    let mut component_of = vec![NOWHERE; cells.len()];
    let mut place = vec![0_u32; cells.len()];
    let mut components: Vec<Component> = Vec::new();
    for (at, &cell) in cells.iter().enumerate().filter(|&(at, _)| rooms[at] != [0, 0]) {
        let root = find(&mut leader, at as u32) as usize;
        if component_of[root] == NOWHERE {
            component_of[root] = components.len() as u32;
            components.push(Component { cells: Vec::new(), rows: Vec::new(), rooms: Vec::new() });
        }
        let component = &mut components[component_of[root] as usize];
        place[at] = component.cells.len() as u32;
        component.cells.push(cell);
        component.rooms.push(rooms[at]);
    }
    for row in 0..rows.len() {
        let members = rows.of(row).iter().filter(|term| moves(term));
        let mut row: Vec<(u32, i32)> =
            members.clone().map(|&(at, c)| (place[at as usize], c)).collect();
        if let Some(&(at, _)) = members.clone().next() {
            row.sort_unstable();
            // One sign for both ways of writing a relation, so that equal ones are seen to be equal.
            if row[0].1 < 0 {
                for term in &mut row {
                    term.1 = -term.1;
                }
            }
            let root = find(&mut leader, at) as usize;
            components[component_of[root] as usize].rows.push(row);
        }
    }
    for component in &mut components {
        component.rows.sort_unstable();
        component.rows.dedup();
    }
    components
}

fn find(leader: &mut [u32], cell: u32) -> u32 {
    let mut root = cell;
    while leader[root as usize] != root {
        root = leader[root as usize];
    }
    let mut at = cell;
    while leader[at as usize] != root {
        at = std::mem::replace(&mut leader[at as usize], root);
    }
    root
}

fn join(leader: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(leader, a), find(leader, b));
    leader[a.max(b) as usize] = a.min(b);
}
