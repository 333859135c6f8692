//! The program for one need in a table with hierarchies, from coarse to fine.
//!
//! A program on all cells of a large table takes long, and most of them stay where they are. So the table is first seen at the uppermost levels of its
//! hierarchies only, where the total above the need's cell moves instead of it. Then one dimension after the other is seen one level
//! deeper, and at last only the parts of those cells may move that did before, with the sub-table of the cell itself. What the parts of a cell
//! will cost that falls is estimated: on every level below as much as the cells there cost per unit they can fall.
//!
//! On every level slopes are scaled over what each cell carried (Kim and Pardalos 1999), with all cells still there to be chosen, and what
//! one level finds is where the next begins.

use super::price::{Answer, NOISE, Program, Wish};
use cellveil_attack::Products;
use cellveil_core::{CellId, Side, Witness};
use cellveil_lp::{Changes, EngineError};

fn env(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |v| v.parse().unwrap())
}

fn envf(name: &str, default: f64) -> f64 {
    std::env::var(name).map_or(default, |v| v.parse().unwrap())
}

/// A table seen down to some levels.
struct View<'v> {
    products: &'v Products<'v>,
    all: &'v [usize],
    seen: &'v [usize],
}

impl View<'_> {
    fn shows(&self, cell: CellId) -> bool {
        self.products.levels_of(cell).zip(self.seen).all(|(level, &seen)| level <= seen)
    }

    /// On how many combinations of levels there are parts of a cell that are not seen.
    fn hidden(&self, cell: CellId) -> f64 {
        let down_to = |deepest: &[usize]| {
            let levels = self.products.levels_of(cell).zip(deepest);
            levels.map(|(level, deepest)| deepest - level + 1).product::<usize>()
        };
        (down_to(self.all) - down_to(self.seen)) as f64
    }
}

impl Program<'_> {
    /// The cheapest table found from coarse to fine; `None` if there is none.
    pub(crate) fn cheapest_by_levels(
        &self,
        products: &Products<'_>,
    ) -> Result<Option<Witness>, EngineError> {
        let Some(all) = products.levels() else { return Ok(None) };
        let mut seen: Vec<usize> = all.iter().map(|&levels| levels.min(1)).collect();
        let mut before: Option<(Vec<usize>, Vec<f64>)> = None;
        loop {
            let view = View { products, all: &all, seen: &seen };
            let Some(coarse) = products.seen_at(self.wish.cell, &seen) else { return Ok(None) };
            let shown = |cell: CellId| view.shows(cell);
            let wish = Wish { cell: coarse, ..self.wish };
            let program = Program { wish, seen: Some(&shown), ..*self };
            let cells = program.cells_to_move(&view, before.as_ref());
            let Some((answer, furthest)) =
                program.scaled(&view, cells, before.as_ref())?
            else {
                return Ok(None);
            };
            let shallow = (0..all.len()).filter(|&d| seen[d] < all[d]).min_by_key(|&d| seen[d]);
            let Some(deeper) = shallow else { return if env("RED", 0) == 1 { self.reduced(answer) } else { Ok(self.witness(&answer)) } };
            before = Some((seen.clone(), furthest));
            seen[deeper] += 1;
        }
    }

    /// Rounds of scaled slopes; the best answer, and how far each cell moved at most.
    fn scaled(
        &self,
        view: &View<'_>,
        mut cells: Vec<CellId>,
        before: Option<&(Vec<usize>, Vec<f64>)>,
    ) -> Result<Option<(Answer, Vec<f64>)>, EngineError> {
        let (scale, steps) = self.scale();
        let per_unit = self.cost_per_unit() * scale;
        let started = std::time::Instant::now();
        let last = view.seen == view.all;
        let rounds = if last { env("LAST", 8) } else { env("ROUNDS", 1) };
        // Over how much the charge is spread.
        let known = |cell: CellId| before.filter(|(levels, _)| env("CARRY", 0) == 1 && view.products.seen_at(cell, levels) == Some(cell)).map(|(_, carried)| carried[cell.index()]);
        let mut smooth = steps * envf("SMOOTH", 0.5);
        let mut carried: Vec<f64> = cells.iter().map(|&cell| known(cell).map_or(f64::INFINITY, |far| far + smooth)).collect();
        let mut best: Option<(f64, Answer)> = None;
        let mut first: Option<Answer> = None;
        for round in 0..rounds {
            let charges: Vec<f64> =
                cells.iter().map(|&cell| self.prices.charge(cell).unwrap_or(f64::INFINITY)).collect();
            let below: Vec<f64> = cells.iter().map(|&cell| per_unit * view.hidden(cell)).collect();
            let slope = |at: usize, side: Side, room: f64, target: f64| {
                let own = charges[at] / carried[at].min(room).min(target).max(1e-3);
                own + if side == Side::Down { below[at] } else { 0.0 }
            };
            let answer = self.ask(cells.clone(), charges.clone(), &slope, Changes::Fresh, round == 0)?;
            let Some(answer) = answer else { break };
            if answer.upset > NOISE {
                eprintln!("  levels {:?} columns {} upset", view.seen, cells.len());
                return Ok(None);
            }
            let mut cost = answer.charge();
            let own = cost;
            for (at, &step) in answer.moves.iter().enumerate() {
                cost -= below[at] * step.min(0.0);
            }
            eprintln!(
                "  levels {:?} columns {} objective {:.0} charge {:.0} cost {:.0} moved {} {:.2}s",
                view.seen, cells.len(), answer.objective, own, cost,
                answer.moves.iter().filter(|c| c.abs() > NOISE).count(), started.elapsed().as_secs_f64()
            );
            let kept: Vec<usize> = (0..cells.len()).filter(|&at| (env("KEEP", 1) == 1) || charges[at] == 0.0 || answer.moves[at].abs() > NOISE || cells[at] == self.wish.cell).collect();
            cells = kept.iter().map(|&at| cells[at]).collect();
            carried = kept.iter().map(|&at| answer.moves[at].abs() + smooth).collect();
            smooth *= envf("SHRINK", 0.5);
            if round == 0 && env("WIDE", 1) == 1 { first = Some(answer.clone()); }
            let better = best.as_ref().is_none_or(|(least, _)| cost < *least);
            if better {
                best = Some((cost, answer));
            }
            if own <= 1e-5 * self.prices.withheld() || (round + 1 >= env("LEAST", 2) && own <= envf("TINY", 0.01) * self.prices.withheld()) { break; }
        }
        Ok(best.map(|(_, answer)| {
            let wide = first.as_ref().unwrap_or(&answer);
            let mut furthest = vec![0.0; self.problem.len()];
            for (&cell, s) in wide.cells.iter().zip(&wide.moves) { if s.abs() > NOISE { furthest[cell.index()] = s.abs(); } }
            (answer, furthest)
        }))
    }

    /// The cells that may move: in the last view parts of those that did, and all before.
    fn cells_to_move(&self, view: &View<'_>, before: Option<&(Vec<usize>, Vec<f64>)>) -> Vec<CellId> {
        let last = view.seen == view.all;
        let moved = |cell: CellId| {
            before.is_none_or(|(levels, carried)| {
                let seen = view.products.seen_at(cell, levels);
                seen.is_some_and(|seen| carried[seen.index()] > 0.0)
            })
        };
        let may_move = |&cell: &CellId| {
            cell == self.wish.cell
                || (view.shows(cell)
                    && (!last || moved(cell) || view.products.is_beside(cell, self.wish.cell))
                    && self.prices.charge(cell).is_some())
        };
        let mut cells: Vec<CellId> = self.problem.cells().filter(may_move).collect();
        self.with_totals(&mut cells);
        cells
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
