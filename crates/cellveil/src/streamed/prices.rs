//! What it costs to move finest cells at the price of the two tables that should stay published.

use super::published::Part;
use cellveil_core::{CellId, CodeId};
use cellveil_tabulate::Gathered;

/// What is withheld of the two tables.
#[derive(Clone)]
pub(super) struct Prices<'a> {
    gathered: &'a Gathered,
    parts: &'a [Part; 2],
    /// Per table and cell.
    withheld: [Vec<bool>; 2],
}

impl<'a> Prices<'a> {
    /// With their sensitive cells withheld, and these.
    pub(super) fn new(
        gathered: &'a Gathered,
        parts: &'a [Part; 2],
        inside: &[Box<[CodeId]>],
    ) -> Self {
        let withheld = parts.each_ref().map(|part| {
            let mut withheld = vec![false; part.problem.len()];
            let sensitive = part.problem.needs().iter().map(|need| need.cell);
            let moved = inside.iter().filter(|codes| part.has(codes));
            for cell in sensitive.chain(moved.filter_map(|codes| part.find(codes))) {
                withheld[cell.index()] = true;
            }
            withheld
        });
        Self { gathered, parts, withheld }
    }

    /// What must be withheld in addition if two leaves move against each other: all above the one and not above the other.
    pub(super) fn of(&self, leaves: [u32; 2]) -> f64 {
        let mut cost = 0.0;
        self.each(leaves, &mut |part, cell| {
            if !self.withheld[part][cell.index()] {
                cost += self.parts[part].problem.cost(cell);
            }
        });
        cost
    }

    /// Notes that two leaves move against each other.
    pub(super) fn pay(&mut self, leaves: [u32; 2]) {
        let mut moved: [Vec<CellId>; 2] = [Vec::new(), Vec::new()];
        self.each(leaves, &mut |part, cell| moved[part].push(cell));
        for (withheld, moved) in self.withheld.iter_mut().zip(moved) {
            for cell in moved {
                withheld[cell.index()] = true;
            }
        }
    }

    /// Visits the cells of the two tables that move.
    fn each(&self, [one, other]: [u32; 2], visit: &mut dyn FnMut(usize, CellId)) {
        for (table, part) in self.parts.iter().enumerate() {
            for (leaf, against) in [(one, other), (other, one)] {
                let mut above = Above { prices: self, part, leaf, against };
                above.visit(0, 0, true, &mut |cell| {
                    // What both tables have is counted in the first.
                    let is_own = table == 0 || !self.parts[0].has_all(part, cell);
                    if is_own {
                        visit(table, cell);
                    }
                });
            }
        }
    }
}

/// The cells of a table above a leaf, but not above another.
struct Above<'p, 'a> {
    prices: &'p Prices<'a>,
    part: &'p Part,
    leaf: u32,
    against: u32,
}

impl Above<'_, '_> {
    fn visit(&mut self, at: usize, key: u128, is_shared: bool, found: &mut dyn FnMut(CellId)) {
        let Some(&dimension) = self.part.variables.get(at) else {
            if !is_shared && let Some(cell) = self.part.at(key) {
                found(cell);
            }
            return;
        };
        let gathered = self.prices.gathered;
        let code = |leaf: u32| gathered.code(leaf as usize, dimension);
        let hierarchy = &gathered.frame().dimensions()[dimension].hierarchy;
        let theirs = hierarchy.ancestors(code(self.against));
        for &above in hierarchy.ancestors(code(self.leaf)) {
            let place = self.part.layout.place(at, above);
            self.visit(at + 1, key + place, is_shared && theirs.contains(&above), found);
        }
    }
}
