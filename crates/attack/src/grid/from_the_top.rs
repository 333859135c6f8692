//! Dimensions from the grand total down, where codes are grouped in several ways.
//!
//! Two groupings of one variable look like two dimensions from below: their groups cross too. From the top they do not: what two parts of the grand total have in
//! common is a cell wherever the parts are of different dimensions, and hardly ever where they are of the same one. The margins of a dimension are its codes, and
//! every relation below divides a cell as one sum of the margins does.

use super::{Grid, Line};
use crate::cube::Map;
use crate::finest::{Lists, Sum, below, lot, sums};
use cellveil_core::Problem;
use std::collections::BTreeSet;

/// Parts of two relations of the grand total are of different dimensions where this share of their pairs has a cell in common; cells may be missing.
const CROSSING: f64 = 0.75;

/// No table has more dimensions.
const MOST_DIMENSIONS: usize = 16;

pub(super) fn grid(problem: &Problem) -> Option<Grid> {
    let sums = sums(problem)?;
    let below = below(problem.len(), &sums)?;
    let all = (0..problem.len() as u32).filter(|&cell| below.of(cell) == [cell]).count();
    let top = (0..problem.len() as u32).find(|&cell| below.of(cell).len() == all)?;
    let mut sums_of: Vec<Vec<u32>> = vec![Vec::new(); problem.len()];
    for (number, (total, _)) in sums.iter().enumerate() {
        sums_of[*total as usize].push(number as u32);
    }
    let tops = from_the_top(&sums, &sums_of[top as usize], &below);
    if tops.len() > MOST_DIMENSIONS {
        return None;
    }
    let above = below.turned();
    let table = Table { sums: &sums, sums_of: &sums_of, below: &below, above: &above, top };
    let margins: Vec<Margins> = (0..tops.len()).map(|own| table.margins(&tops, own)).collect();
    let places = table.places(&margins)?;
    Grid::new(places, margins.iter().map(Margins::lines).collect())
}

/// The relations of the grand total by dimension.
fn from_the_top(sums: &[Sum], of_top: &[u32], below: &Lists) -> Vec<Vec<u32>> {
    let lots: BTreeSet<u64> = (0..below.len() as u32).map(|cell| below.lot(cell)).collect();
    let crosses = |a: u32, b: u32| {
        let (a, b) = (&sums[a as usize].1, &sums[b as usize].1);
        let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b)));
        // One of the parts themselves says nothing: a group of one code is part of another.
        let common = |&(a, b): &(u32, u32)| {
            let both = lot_of_both(below.of(a), below.of(b));
            both != below.lot(a) && both != below.lot(b) && lots.contains(&both)
        };
        pairs.filter(common).count() as f64 >= CROSSING * (a.len() * b.len()) as f64
    };
    let mut dimensions: Vec<Vec<u32>> = Vec::new();
    for &sum in of_top {
        let (own, mut others): (Vec<_>, Vec<_>) = dimensions
            .into_iter()
            .partition(|known| known.iter().any(|&other| !crosses(sum, other)));
        others.push(own.into_iter().flatten().chain([sum]).collect());
        dimensions = others;
    }
    dimensions
}

/// What tells the numbers that two lists have in common from others.
fn lot_of_both(a: &[u32], b: &[u32]) -> u64 {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let both = few.iter().filter(|at| many.binary_search(at).is_ok());
    both.map(|&at| lot(at)).fold(0, u64::wrapping_add)
}

struct Table<'t> {
    sums: &'t [Sum],
    /// The sums that every cell is the total of.
    sums_of: &'t [Vec<u32>],
    below: &'t Lists,
    above: &'t Lists,
    top: u32,
}

/// The codes of one dimension: the cells that are totals of all others.
struct Margins {
    codes: Vec<u32>,
    sums: Vec<Sum>,
}

impl Margins {
    fn lines(&self) -> Vec<Line> {
        let line = |(total, parts): &Sum| {
            parts.iter().map(|&part| (part, 1)).chain([(*total, -1)]).collect()
        };
        self.sums.iter().map(line).collect()
    }
}

impl Table<'_> {
    /// Whether all that is below one cell is below another.
    fn is_within(&self, part: u32, whole: u32) -> bool {
        self.below.of(part).iter().all(|&leaf| self.above.of(leaf).binary_search(&whole).is_ok())
    }

    /// The codes of one dimension, the grand total first, and their sums.
    fn margins(&self, tops: &[Vec<u32>], own: usize) -> Margins {
        let parts = |&sum: &u32| self.sums[sum as usize].1.iter().copied();
        let others: Vec<u32> = (0..tops.len())
            .filter(|&other| other != own)
            .flat_map(|other| tops[other].iter().filter(|sum| parts(sum).len() > 1).flat_map(parts))
            .collect();
        let mut codes = vec![self.top];
        let mut numbers: Map<u32, u32> = Map::from_iter([(self.top, 0)]);
        let mut sums: Vec<Sum> = Vec::new();
        let mut next = 0;
        while let Some(&cell) = codes.get(next) {
            for &sum in &self.sums_of[cell as usize] {
                let parts = &self.sums[sum as usize].1;
                let is_own = if cell == self.top {
                    tops[own].contains(&sum)
                } else {
                    !others.iter().any(|&other| self.is_within(parts[0], other))
                };
                if !is_own {
                    continue;
                }
                let number = |&part: &u32| {
                    *numbers.entry(part).or_insert_with(|| {
                        codes.push(part);
                        codes.len() as u32 - 1
                    })
                };
                let parts = parts.iter().map(number).collect();
                sums.push((next as u32, parts));
            }
            next += 1;
        }
        Margins { codes, sums }
    }

    /// The codes of every cell; `None` if one has none. Where cells are missing, a relation may divide a cell along one dimension or another; such relations are
    /// asked last, because the cells in them mostly stand in others too.
    fn places(&self, margins: &[Margins]) -> Option<Vec<u32>> {
        let width = margins.len();
        let cells = self.below.len();
        let mut places = vec![u32::MAX; cells * width];
        let at = |cell: u32| cell as usize * width..(cell as usize + 1) * width;
        places[at(self.top)].fill(0);
        let mut placed = vec![self.top];
        for is_last in [false, true] {
            let mut next = 0;
            while let Some(&cell) = placed.get(next) {
                next += 1;
                let place = places[at(cell)].to_vec();
                for &sum in &self.sums_of[cell as usize] {
                    let parts = &self.sums[sum as usize].1;
                    if parts.iter().all(|&part| places[at(part)][0] != u32::MAX) {
                        continue;
                    }
                    let ways = self.divided(margins, &place, parts);
                    let Some((_, along, codes)) =
                        ways.first().filter(|_| is_last || ways.len() == 1)
                    else {
                        continue;
                    };
                    for (&part, &code) in parts.iter().zip(codes) {
                        if places[at(part)][0] == u32::MAX {
                            places[at(part)].copy_from_slice(&place);
                            places[at(part)][*along] = code;
                            placed.push(part);
                        }
                    }
                }
            }
        }
        (placed.len() == cells).then_some(places)
    }

    /// The dimensions along which a cell may be divided into parts, with their codes; that whose sum has fewest codes besides comes first.
    fn divided(
        &self,
        margins: &[Margins],
        place: &[u32],
        parts: &[u32],
    ) -> Vec<(usize, usize, Vec<u32>)> {
        let mut ways: Vec<(usize, usize, Vec<u32>)> = Vec::new();
        for (along, (margins, &own)) in margins.iter().zip(place).enumerate() {
            for (_, sum) in margins.sums.iter().filter(|(total, _)| *total == own) {
                let code = |&part: &u32| {
                    let is_of = |&&code: &&u32| self.is_within(part, margins.codes[code as usize]);
                    sum.iter().find(is_of).copied()
                };
                let codes: Option<Vec<u32>> = parts.iter().map(code).collect();
                let Some(codes) = codes else { continue };
                let different: BTreeSet<u32> = codes.iter().copied().collect();
                if different.len() == codes.len() {
                    ways.push((sum.len() - codes.len(), along, codes));
                }
            }
        }
        ways.sort();
        ways
    }
}
