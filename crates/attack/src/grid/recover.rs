//! Dimensions from relations alone.
//!
//! Two relations that cross a third are parallel if yet another one crosses both: opposite sides of a rectangle. Parallel relations say
//! the same of the codes of a dimension for different codes of the others, so each class of them is one sum of a dimension. Sums that
//! share cells without ever completing a rectangle, such as a code with its siblings and with its parts, belong to one dimension. And cells that
//! relations of the other dimensions connect have the same code in this one.

use super::{Grid, Line};
use cellveil_core::{CellId, Incidence, Problem, Relations};
use std::collections::{BTreeMap, BTreeSet};

/// Cells of a relation that are looked at to find rectangles: more than one, because cells may be missing.
const LOOKED_AT: usize = 3;

/// No table has more dimensions.
const MOST_DIMENSIONS: usize = 16;

pub(super) fn grid(problem: &Problem, incidence: &Incidence) -> Option<Grid> {
    let relations = problem.relations();
    let is_plain = |r: usize| relations.row(r).all(|(_, c)| c.abs() == 1);
    if relations.is_empty() || !(0..relations.len()).all(is_plain) {
        return None;
    }
    let mut rectangles = Rectangles { relations, incidence, class: Sets::new(relations.len()) };
    let dimension = rectangles.dimensions();
    let width = dimension.iter().max().map_or(0, |&d| d as usize + 1);
    if width > MOST_DIMENSIONS {
        return None;
    }
    let places = places(problem, &dimension, width);
    let lines = lines(relations, &mut rectangles.class, &dimension, &places, width);
    Grid::new(places, lines)
}

/// Sets of numbers that grow together (union–find).
struct Sets(Vec<u32>);

impl Sets {
    fn new(size: usize) -> Self {
        Self((0..size as u32).collect())
    }

    fn of(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            self.0[at as usize] = self.0[self.0[at as usize] as usize];
            at = self.0[at as usize];
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

struct Rectangles<'a> {
    relations: &'a Relations,
    incidence: &'a Incidence,
    /// Relations that are parallel.
    class: Sets,
}

impl Rectangles<'_> {
    /// The dimension of every relation.
    fn dimensions(&mut self) -> Vec<u8> {
        let mut crossing: Vec<(u32, u32)> = Vec::new();
        let mut touching: Vec<(u32, u32)> = Vec::new();
        for relation in 0..self.relations.len() as u32 {
            for cell in self.sample(relation, None).take(2).collect::<Vec<_>>() {
                for &(other, _) in self.incidence.of(cell).iter().filter(|e| e.0 != relation) {
                    let ends: Vec<CellId> = self.sample(other, Some(cell)).take(2).collect();
                    let parallel =
                        ends.into_iter().find_map(|end| self.parallel(relation, cell, other, end));
                    touching.push((relation, other));
                    if let Some(parallel) = parallel {
                        self.class.join(relation, parallel);
                        crossing.push((relation, other));
                    }
                }
            }
        }
        let mut pairs = |pairs: Vec<(u32, u32)>| -> BTreeSet<(u32, u32)> {
            let classes = pairs.into_iter().map(|(a, b)| (self.class.of(a), self.class.of(b)));
            classes.map(|(a, b)| (a.min(b), a.max(b))).collect()
        };
        let (crossing, touching) = (pairs(crossing), pairs(touching));
        let mut dimension = Sets::new(self.relations.len());
        for &(a, b) in touching.difference(&crossing) {
            dimension.join(a, b);
        }
        let mut numbers: BTreeMap<u32, u8> = BTreeMap::new();
        let number = |relation: u32| {
            let dimension = dimension.of(self.class.of(relation));
            let next = numbers.len().min(usize::from(u8::MAX)) as u8;
            *numbers.entry(dimension).or_insert(next)
        };
        (0..self.relations.len() as u32).map(number).collect()
    }

    /// A few cells of a relation other than a given one: its total first, so that all that is parallel is joined at the margins.
    fn sample(&self, relation: u32, but: Option<CellId>) -> impl Iterator<Item = CellId> + use<'_> {
        let total = self.relations.total(relation as usize);
        let row = self.relations.row(relation as usize);
        let step = (row.len() / LOOKED_AT).max(1);
        let parts = row.map(|(cell, _)| cell).step_by(step).filter(move |&c| Some(c) != total);
        total.into_iter().chain(parts).filter(move |&c| Some(c) != but).take(LOOKED_AT)
    }

    /// The relation at the other end of `along` that is parallel to `relation`; the two cross in `corner`.
    fn parallel(&self, relation: u32, corner: CellId, along: u32, end: CellId) -> Option<u32> {
        let ends = self.incidence.of(end);
        self.sample(relation, Some(corner)).find_map(|next| {
            let across = self.incidence.of(next).iter().filter(|entry| entry.0 != relation);
            across.clone().find_map(|&(across, _)| {
                if across == along {
                    return None;
                }
                let mut row = self.relations.row(across as usize).map(|(cell, _)| cell);
                row.find_map(|fourth| {
                    if fourth == next || fourth == end || fourth == corner {
                        return None;
                    }
                    let closing = |&&(side, _): &&(u32, i32)| {
                        side != across
                            && side != along
                            && self.incidence.of(fourth).iter().any(|&(other, _)| other == side)
                    };
                    ends.iter().find(closing).map(|&(side, _)| side)
                })
            })
        })
    }
}

/// The code of every cell in every dimension: the same for cells that relations of other dimensions connect.
fn places(problem: &Problem, dimension: &[u8], width: usize) -> Vec<u32> {
    let mut places = vec![0; problem.len() * width];
    for d in 0..width {
        let mut codes = Sets::new(problem.len());
        for (relation, &own) in dimension.iter().enumerate() {
            if own as usize == d {
                continue;
            }
            let mut row = problem.relations().row(relation);
            let Some((first, _)) = row.next() else { continue };
            for (cell, _) in row {
                codes.join(first.0, cell.0);
            }
        }
        let mut next = 0;
        let mut number = vec![u32::MAX; problem.len()];
        for cell in 0..problem.len() {
            let code = &mut number[codes.of(cell as u32) as usize];
            if *code == u32::MAX {
                *code = next;
                next += 1;
            }
            places[cell * width + d] = *code;
        }
    }
    places
}

/// The sums of every dimension: what parallel relations say together.
fn lines(
    relations: &Relations,
    class: &mut Sets,
    dimension: &[u8],
    places: &[u32],
    width: usize,
) -> Vec<Vec<Line>> {
    let mut sums: BTreeMap<u32, BTreeMap<u32, i8>> = BTreeMap::new();
    for (relation, &d) in dimension.iter().enumerate() {
        let sum = sums.entry(class.of(relation as u32)).or_default();
        let code = |cell: CellId| places[cell.index() * width + d as usize];
        // Some files write a total with −1 and some with 1.
        let turned = relations
            .row(relation)
            .find_map(|(cell, c)| sum.get(&code(cell)).map(|&known| i32::from(known) * c))
            .unwrap_or(1);
        for (cell, c) in relations.row(relation) {
            sum.entry(code(cell)).or_insert((c * turned) as i8);
        }
    }
    let mut lines = vec![Vec::new(); width];
    for (class, sum) in sums {
        lines[dimension[class as usize] as usize].push(sum.into_iter().collect());
    }
    lines
}
