//! Contributors that are alone in a cell, and all they know by it.

use crate::{CellId, Relations};

/// The single contributors and their cells.
///
/// Who is alone in a total is also whoever is alone in one of its parts: one contributor, who knows both cells and has nothing to
/// learn about either. So is a holding whose parts are alone in several cells, where that is known. Everybody else is taken for
/// a different contributor.
#[derive(Clone, Debug, Default)]
pub struct Insiders {
    /// The singletons, ascending, with the contributor of each.
    known: Vec<(CellId, u32)>,
    /// The cells of each contributor, ascending; contributors in the order of their first cell.
    cells: Vec<Vec<CellId>>,
    /// Whether a holding stands behind each contributor, as far as that is known.
    holding: Vec<bool>,
}

impl Insiders {
    /// Joins the singletons that relations show to have the same contributor, and those of one holding.
    pub(crate) fn new(
        singletons: &[CellId],
        relations: &Relations,
        coalitions: &[Vec<CellId>],
    ) -> Self {
        let mut leader: Vec<usize> = (0..singletons.len()).collect();
        let position = |cell: CellId| singletons.binary_search(&cell).ok();
        let sums = if singletons.is_empty() { 0 } else { relations.len() };
        for relation in (0..sums).filter(|&relation| relations.is_sum(relation)) {
            let Some(total) = relations.total(relation).and_then(position) else { continue };
            for part in relations.row(relation).filter_map(|(cell, _)| position(cell)) {
                let (a, b) = (root(&mut leader, total), root(&mut leader, part));
                leader[a.max(b)] = a.min(b);
            }
        }
        for group in coalitions {
            let mut members = group.iter().filter_map(|&cell| position(cell));
            let Some(first) = members.next() else { continue };
            for other in members {
                let (a, b) = (root(&mut leader, first), root(&mut leader, other));
                leader[a.max(b)] = a.min(b);
            }
        }
        let mut insiders = Self::default();
        let mut number = vec![0; singletons.len()];
        for (at, &cell) in singletons.iter().enumerate() {
            let first = root(&mut leader, at);
            if first == at {
                number[at] = insiders.cells.len() as u32;
                insiders.cells.push(Vec::new());
            }
            insiders.known.push((cell, number[first]));
            insiders.cells[number[first] as usize].push(cell);
        }
        insiders.holding = vec![false; insiders.cells.len()];
        for &cell in coalitions.iter().flatten() {
            if let Some(insider) = insiders.of(cell) {
                insiders.holding[insider as usize] = true;
            }
        }
        insiders
    }

    /// The contributor that is alone in a cell, if one is.
    pub fn of(&self, cell: CellId) -> Option<u32> {
        self.known.binary_search_by_key(&cell, |&(known, _)| known).ok().map(|at| self.known[at].1)
    }

    /// The cells a contributor is alone in, ascending.
    pub fn cells(&self, insider: u32) -> &[CellId] {
        &self.cells[insider as usize]
    }

    /// Whether a contributor is a holding that is known to be alone in several cells.
    pub(crate) fn is_holding(&self, insider: u32) -> bool {
        self.holding[insider as usize]
    }

    /// How many single contributors there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is none, or none is considered.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
}

fn root(leader: &mut [usize], mut at: usize) -> usize {
    while leader[at] != at {
        leader[at] = leader[leader[at]];
        at = leader[at];
    }
    at
}
