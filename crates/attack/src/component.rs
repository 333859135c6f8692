//! The intruder's system, reduced and split.
//!
//! Published cells are constants, so columns are withheld cells only. A withheld cell that stands alone in a relation is
//! determined; it becomes a constant too, until no more are found. What is left falls apart into connected components that
//! have nothing to do with each other.

use cellveil_core::{CellId, Pattern, Problem};
use std::collections::BTreeMap;

/// Withheld cells that depend on each other, and the relations among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The cells, ascending.
    pub cells: Vec<CellId>,
    /// Distinct relations: positions in `cells` with coefficients.
    pub rows: Vec<Vec<(u32, i32)>>,
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
    let relations = problem.relations();
    let incidence = relations.incidence(problem.len());
    let mut unknown: Vec<bool> = problem.cells().map(|cell| pattern.is_withheld(cell)).collect();
    let mut unknowns_in: Vec<u32> = vec![0; relations.len()];
    for (cell, _) in pattern.withheld() {
        for &(relation, _) in incidence.of(cell) {
            unknowns_in[relation as usize] += 1;
        }
    }
    let mut determined = Vec::new();
    let mut alone: Vec<usize> = (0..relations.len()).filter(|&r| unknowns_in[r] == 1).collect();
    while let Some(relation) = alone.pop() {
        let Some((cell, _)) = relations.row(relation).find(|(cell, _)| unknown[cell.index()])
        else {
            continue;
        };
        unknown[cell.index()] = false;
        determined.push(cell);
        for &(other, _) in incidence.of(cell) {
            unknowns_in[other as usize] -= 1;
            if unknowns_in[other as usize] == 1 {
                alone.push(other as usize);
            }
        }
    }
    determined.sort_unstable();
    Reduced { determined, components: split(problem, &unknown) }
}

fn split(problem: &Problem, unknown: &[bool]) -> Vec<Component> {
    let relations = problem.relations();
    let mut leader: Vec<u32> = (0..unknown.len() as u32).collect();
    for relation in 0..relations.len() {
        let mut members = relations.row(relation).filter(|(cell, _)| unknown[cell.index()]);
        if let Some((first, _)) = members.next() {
            for (cell, _) in members {
                join(&mut leader, first.0, cell.0);
            }
        }
    }
    let mut component_of: BTreeMap<u32, usize> = BTreeMap::new();
    let mut components: Vec<Component> = Vec::new();
    let mut position = vec![0_u32; unknown.len()];
    for cell in problem.cells().filter(|cell| unknown[cell.index()]) {
        let root = find(&mut leader, cell.0);
        let at = *component_of.entry(root).or_insert_with(|| {
            components.push(Component { cells: Vec::new(), rows: Vec::new() });
            components.len() - 1
        });
        position[cell.index()] = components[at].cells.len() as u32;
        components[at].cells.push(cell);
    }
    for relation in 0..relations.len() {
        let members = relations.row(relation).filter(|(cell, _)| unknown[cell.index()]);
        let mut row: Vec<(u32, i32)> =
            members.clone().map(|(cell, c)| (position[cell.index()], c)).collect();
        if let Some((cell, _)) = members.clone().next() {
            row.sort_unstable();
            // One sign for both ways of writing a relation, so that equal ones are seen to be equal.
            if row[0].1 < 0 {
                for term in &mut row {
                    term.1 = -term.1;
                }
            }
            components[component_of[&find(&mut leader, cell.0)]].rows.push(row);
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
