//! The program for one need in a table with hierarchies, from coarse to fine.
//!
//! A program on all cells of a large table takes long, and most of them stay where they are. So the table is first seen at the uppermost levels of its
//! hierarchies only, where the total above the need's cell moves instead of it. Then one dimension after the other is seen one level
//! deeper, with the parts of those cells only that moved before, and the sub-table of the cell itself. What the parts of a cell
//! will cost that falls is estimated: on every level below as much as the cells there cost per unit they can fall.

use super::price::{Answer, NOISE, Program, Wish};
use cellveil_attack::Products;
use cellveil_core::{CellId, Side, Witness};
use cellveil_lp::EngineError;

impl Program<'_> {
    /// The cheapest table found from coarse to fine; `None` if there is none.
    pub(crate) fn cheapest_by_levels(
        &self,
        products: &Products<'_>,
    ) -> Result<Option<Witness>, EngineError> {
        let Some(all) = products.levels() else { return Ok(None) };
        let per_unit = self.cost_per_unit();
        let mut seen: Vec<usize> = all.iter().map(|&levels| levels.min(1)).collect();
        let mut before: Option<(Vec<usize>, Answer)> = None;
        loop {
            let Some(coarse) = products.seen_at(self.wish.cell, &seen) else { return Ok(None) };
            let moved = |cell: CellId| {
                before.as_ref().is_none_or(|(levels, answer)| {
                    products.seen_at(cell, levels).is_some_and(|seen| answer.moves(seen))
                })
            };
            let is_seen = |cell: CellId| {
                products.levels_of(cell).zip(&seen).all(|(level, &seen)| level <= seen)
            };
            let wish = Wish { cell: coarse, ..self.wish };
            let program = Program { wish, seen: Some(&is_seen), ..*self };
            let may_move = |&cell: &CellId| {
                cell == coarse
                    || (self.prices.charge(cell).is_some()
                        && is_seen(cell)
                        && (moved(cell) || products.is_beside(cell, coarse)))
            };
            let mut cells: Vec<CellId> = self.problem.cells().filter(may_move).collect();
            self.with_totals(&mut cells);
            let below = cells.iter().map(|&cell| {
                let levels = products.levels_of(cell).zip(&all);
                let below = levels.map(|(level, all)| all - level + 1).product::<usize>() - 1;
                per_unit * below as f64
            });
            let mut start = program.all(&cells);
            start.below = below.collect();
            let started = std::time::Instant::now();
            let Some(answer) = program.solve(&start)? else { return Ok(None) };
            eprintln!(
                "  levels {seen:?} columns {} objective {:.0} charge {:.0} moved {} upset {} {:.2}s",
                cells.len(), answer.objective, answer.charge(),
                answer.cells.iter().filter(|c| answer.moves(**c)).count(), answer.upset, started.elapsed().as_secs_f64()
            );
            if answer.upset > NOISE {
                return Ok(None);
            }
            let shallow = (0..all.len()).filter(|&d| seen[d] < all[d]).min_by_key(|&d| seen[d]);
            let Some(deeper) = shallow else { return self.reduced(answer) };
            before = Some((seen.clone(), answer));
            seen[deeper] += 1;
        }
    }

    /// Adds the totals above some cells, ascending.
    fn with_totals(&self, cells: &mut Vec<CellId>) {
        let mut is_in = vec![false; self.problem.len()];
        for cell in &*cells {
            is_in[cell.index()] = true;
        }
        let mut at = 0;
        while let Some(&cell) = cells.get(at) {
            at += 1;
            for &(row, coefficient) in self.incidence.of(cell) {
                let total = self.problem.relations().total(row as usize);
                if let Some(total) = total.filter(|_| coefficient > 0)
                    && self.prices.charge(total).is_some()
                    && !std::mem::replace(&mut is_in[total.index()], true)
                {
                    cells.push(total);
                }
            }
        }
        cells.sort_unstable();
    }

    /// What cells cost per unit they can fall, on the whole.
    fn cost_per_unit(&self) -> f64 {
        let falls = self.problem.cells().filter_map(|cell| {
            Some((self.problem.cost(cell), self.problem.room(cell, Side::Down)? as f64))
        });
        let (costs, rooms) = falls.fold((0.0, 0.0), |(c, r), (cost, room)| (c + cost, r + room));
        if rooms > 0.0 { costs / rooms } else { 0.0 }
    }
}
