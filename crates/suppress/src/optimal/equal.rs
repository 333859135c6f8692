//! Cells that are equal in every table, as one.
//!
//! A total with a single part that may move is that part. If one of the two is published, both are known: so a pattern that is worth
//! looking at withholds all of them or none, and what one program says about one of them need not be found out again about the others.

use cellveil_attack::Component;
use cellveil_core::{CellId, Problem, Status};

/// A component in which equal cells are one.
pub(super) struct Equal {
    /// The first cell of each class stands for all.
    pub(super) component: Component,
    /// The cells of every class.
    pub(super) members: Vec<Vec<CellId>>,
}

impl Equal {
    pub(super) fn new(problem: &Problem, component: &Component) -> Self {
        let cells = &component.cells;
        let is_mergeable: Vec<bool> =
            cells.iter().map(|&cell| is_mergeable(problem, cell)).collect();
        let mut first: Vec<u32> = (0..cells.len() as u32).collect();
        let mut rows = component.rows.clone();
        loop {
            let mut merged = false;
            for row in &rows {
                let &[(a, c), (b, d)] = &row[..] else { continue };
                let [a, b] = [a, b].map(|at| root(&first, at));
                if c == -d && a != b && is_mergeable[a as usize] && is_mergeable[b as usize] {
                    first[a.max(b) as usize] = a.min(b);
                    merged = true;
                }
            }
            if !merged {
                break;
            }
            rows =
                rows.iter().map(|row| summed(row, &first)).filter(|row| !row.is_empty()).collect();
            rows.sort_unstable();
            rows.dedup();
        }
        Self::numbered(component, &first, &rows)
    }

    fn numbered(component: &Component, first: &[u32], rows: &[Vec<(u32, i32)>]) -> Self {
        let mut number = vec![0; first.len()];
        let mut merged = Component { cells: Vec::new(), rows: Vec::new(), rooms: Vec::new() };
        let mut members: Vec<Vec<CellId>> = Vec::new();
        for (at, &cell) in component.cells.iter().enumerate() {
            let root = root(first, at as u32) as usize;
            if root == at {
                number[at] = members.len() as u32;
                merged.cells.push(cell);
                merged.rooms.push(component.rooms[at]);
                members.push(vec![cell]);
            } else {
                let class = number[root] as usize;
                members[class].push(cell);
                for (room, other) in merged.rooms[class].iter_mut().zip(component.rooms[at]) {
                    *room = (*room).min(other);
                }
            }
        }
        let renumber = |&(at, c): &(u32, i32)| (number[at as usize], c);
        merged.rows = rows.iter().map(|row| row.iter().map(renumber).collect()).collect();
        Self { component: merged, members }
    }
}

/// Whether nothing is lost when a cell is withheld with all cells that equal it, and published with them: not so where it is withheld whatever
/// happens although nothing is asked of it.
fn is_mergeable(problem: &Problem, cell: CellId) -> bool {
    let need = problem.needs().of(cell);
    problem.status(cell) == Status::Free
        || need.is_some_and(|need| need.down > 0 || need.up > 0 || need.sliding > 0)
}

fn root(first: &[u32], mut at: u32) -> u32 {
    while first[at as usize] != at {
        at = first[at as usize];
    }
    at
}

/// A relation among the first cells of classes.
fn summed(row: &[(u32, i32)], first: &[u32]) -> Vec<(u32, i32)> {
    let mut terms: Vec<(u32, i32)> = row.iter().map(|&(at, c)| (root(first, at), c)).collect();
    terms.sort_unstable();
    let classes = terms.chunk_by(|a, b| a.0 == b.0);
    let sums = classes.map(|of| (of[0].0, of.iter().map(|&(_, c)| c).sum::<i32>()));
    sums.filter(|&(_, c)| c != 0).collect()
}
