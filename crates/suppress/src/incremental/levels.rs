//! The program for one need in a large table with hierarchies, from coarse to fine.
//!
//! A program on all cells of a large table takes long, and most of them stay where they are. So the table is first seen at the uppermost levels of its
//! hierarchies only, where the total above the need's cell moves instead of it. Then one dimension after the other is seen one level
//! deeper, and at the finest level only parts of those cells may move that did before, all totals above them, and the sub-table of the
//! cell itself. Needs of totals of the cell that ask for about as much are met by the same program: one large contribution makes all of
//! them sensitive, and moves them together (grouping, Serpell et al. (17)–(19)). What the parts of a cell will cost that falls is estimated: on every level below as much as the cells there cost per unit they can fall.
//!
//! Charges are per cell, so slopes are scaled over what each cell carried, as in [`super::price`], but with every cell still there to be
//! chosen: a vertex has hardly any freedom left among the cells that move in it. What did not move costs its charge per a
//! small amount that shrinks from round to round.

use super::price::{Answer, NOISE, Program, Wish};
use super::protect::Workshop;
use crate::cover::Cover;
use crate::method::SuppressError;
use cellveil_attack::Products;
use cellveil_core::{CellId, Side, Witness};
use cellveil_lp::EngineError;
use std::collections::BTreeMap;

/// Rounds of scaling at most, at the finest level and above it.
const ROUNDS: usize = 3;
const COARSE_ROUNDS: usize = 2;

/// What is added to how far a cell moved before its charge is spread over it, as a share of the target, and how it shrinks.
const SMOOTH: f64 = 0.05;
const SHRINKING: f64 = 0.4;

/// An answer of the first, second and third round that costs at most this part of what is withheld gets no further one: the time is better spent on the
/// next need.
const SMALL: [f64; ROUNDS] = [0.01, 0.2, f64::INFINITY];

/// No charge is spread over fewer steps than this.
const LEAST_CARRIED: f64 = 1e-3;

/// Programs on more cells than this take long.
const MANY: usize = 12_000;

/// A table is not worth being seen coarsely if that leaves more than one cell in so many of it.
const COARSER: usize = 4;

/// A table seen down to some levels.
struct View<'v> {
    products: &'v Products<'v>,
    /// The levels of every dimension, and how many of them are seen.
    all: &'v [usize],
    seen: &'v [usize],
}

impl View<'_> {
    fn shows(&self, cell: CellId) -> bool {
        self.products.levels_of(cell).zip(self.seen).all(|(level, &seen)| level <= seen)
    }

    fn is_finest(&self) -> bool {
        self.seen == self.all
    }

    /// On how many combinations of levels a cell has parts that are not seen.
    fn hidden(&self, cell: CellId) -> f64 {
        let down_to = |deepest: &[usize]| {
            let levels = self.products.levels_of(cell).zip(deepest);
            levels.map(|(level, deepest)| deepest - level + 1).product::<usize>()
        };
        (down_to(self.all) - down_to(self.seen)) as f64
    }

    /// The levels seen next: one more of a dimension of which the fewest are; `None` at the finest.
    fn deeper(&self) -> Option<Vec<usize>> {
        let open = (0..self.all.len()).filter(|&d| self.seen[d] < self.all[d]);
        let next = open.min_by_key(|&d| self.seen[d])?;
        let mut seen = self.seen.to_vec();
        seen[next] += 1;
        Some(seen)
    }
}

/// How far cells moved when fewer levels were seen, in steps.
struct Coarse {
    levels: Vec<usize>,
    moved: Vec<f64>,
}

/// Needs that ask for more than one part in so many of what a wish does are met with it.
const KIN: i64 = 2;

impl Workshop<'_> {
    /// The cheapest table found from coarse to fine for a wish and its kin; for the wish alone if that is dearer than a known table.
    pub(super) fn by_levels(
        &self,
        cover: &Cover<'_>,
        alone: Program<'_>,
        known: &Witness,
    ) -> Result<Option<Witness>, SuppressError> {
        let Some(products) = self.products() else { return Ok(None) };
        let kin = self.kin(cover, products, alone.wish);
        if !kin.is_empty() {
            let together = Program { kin: &kin, ..alone }.cheapest_by_levels(products)?;
            let together = self.whole(together);
            if together.as_ref().is_some_and(|found| cover.charge(found) < cover.charge(known)) {
                return Ok(together);
            }
        }
        Ok(self.whole(alone.cheapest_by_levels(products)?))
    }

    /// The cells above or below the cell of a wish whose open needs ask for nearly as much, and how far they must move.
    pub(super) fn kin(
        &self,
        cover: &Cover<'_>,
        products: &Products<'_>,
        wish: Wish<'_>,
    ) -> Vec<(CellId, i64)> {
        let insider = wish.unmoved.first().and_then(|&cell| self.problem.insiders().of(cell));
        let kin = |need: usize| {
            let cell = self.problem.needs()[need].cell;
            let far = cover.wanted(need, wish.side, insider)?;
            let is_near = far > wish.target / KIN && far <= wish.target && cell != wish.cell;
            let is_kin =
                || products.is_above(cell, wish.cell) || products.is_above(wish.cell, cell);
            (is_near && !wish.unmoved.contains(&cell) && is_kin()).then_some((cell, far))
        };
        (0..self.problem.needs().len()).filter_map(kin).collect()
    }
}

impl Program<'_> {
    /// The cheapest table found from coarse to fine; `None` if there is none, or the table has no hierarchies.
    pub(crate) fn cheapest_by_levels(
        &self,
        products: &Products<'_>,
    ) -> Result<Option<Witness>, EngineError> {
        let Some(all) = products.levels() else { return Ok(None) };
        let mut seen: Vec<usize> = all.iter().map(|&levels| levels.min(1)).collect();
        let mut before: Option<Coarse> = None;
        loop {
            let view = View { products, all: &all, seen: &seen };
            let Some(cell) = products.seen_at(self.wish.cell, &seen) else { return Ok(None) };
            let shows = |cell: CellId| view.shows(cell);
            let wish = Wish { cell, ..self.wish };
            let Some(kin) = self.kin_seen(products, &seen, cell) else { return Ok(None) };
            let program = Program { wish, kin: &kin, seen: Some(&shows), ..*self };
            let cells = program.moving(&view, before.as_ref());
            if before.is_none() && cells.len() > self.problem.len() / COARSER {
                return Ok(None);
            }
            let answers = program.scaled(&view, &cells)?;
            let Some(answer) = answers.first() else { return Ok(None) };
            let Some(deeper) = view.deeper() else {
                return Ok(answers.iter().find_map(|answer| self.witness(answer)));
            };
            let moved = self.problem.cells().map(|cell| answer.moved(cell)).collect();
            before = Some(Coarse { levels: seen, moved });
            seen = deeper;
        }
    }

    /// The other cells that must move, as they are seen, and how far; `None` if one is not.
    fn kin_seen(
        &self,
        products: &Products<'_>,
        seen: &[usize],
        wished: CellId,
    ) -> Option<Vec<(CellId, i64)>> {
        let mut kin: BTreeMap<CellId, i64> = BTreeMap::new();
        for &(cell, far) in self.kin {
            let furthest = kin.entry(products.seen_at(cell, seen)?).or_default();
            *furthest = far.max(*furthest);
        }
        kin.remove(&wished);
        Some(kin.into_iter().collect())
    }

    /// The answers of some rounds of scaled slopes, cheapest first; none if some relation stays upset. The cheapest may not be a table that can
    /// be written down exactly.
    fn scaled(&self, view: &View<'_>, cells: &[CellId]) -> Result<Vec<Answer>, EngineError> {
        let (scale, target) = self.scale();
        let per_unit = self.cost_per_unit() * scale;
        let below: Vec<f64> = cells.iter().map(|&cell| per_unit * view.hidden(cell)).collect();
        let charges = self.charges(cells);
        let mut smooth = SMOOTH * target;
        let mut carried = vec![f64::INFINITY; cells.len()];
        let mut answers: Vec<(f64, Answer)> = Vec::new();
        let rounds = if view.is_finest() { ROUNDS } else { COARSE_ROUNDS };
        for (round, small) in SMALL.into_iter().enumerate().take(rounds) {
            let slope = |at: usize, side: Side, room: f64, target: f64| {
                let spread = carried[at].min(room).min(target).max(LEAST_CARRIED);
                charges[at] / spread + if side == Side::Down { below[at] } else { 0.0 }
            };
            let Some(answer) = self.ask(cells, &charges, &slope, round == 0)? else { break };
            if answer.upset > NOISE {
                return Ok(Vec::new());
            }
            carried = answer.moves.iter().map(|step| step.abs() + smooth).collect();
            smooth *= SHRINKING;
            let charge = answer.charge();
            let falls = answer.moves.iter().zip(&below).map(|(step, below)| -step.min(0.0) * below);
            answers.push((charge + falls.sum::<f64>(), answer));
            if charge <= small * self.prices.withheld() {
                break;
            }
        }
        answers.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }

    /// The cells that may move, ascending: all that are seen as long as these are not many. Else, and at the finest level, only parts of those
    /// that moved before, and of these of the ones that moved furthest, those beside the wish's cell, and the totals above them.
    fn moving(&self, view: &View<'_>, before: Option<&Coarse>) -> Vec<CellId> {
        let shown = |&cell: &CellId| view.shows(cell) && self.prices.charge(cell).is_some();
        let is_kin = |cell: CellId| self.kin.iter().any(|(kin, _)| *kin == cell);
        let is_asked = |cell: CellId| cell == self.wish.cell || is_kin(cell);
        let all: Vec<CellId> =
            self.problem.cells().filter(|cell| is_asked(*cell) || shown(cell)).collect();
        let Some(before) = before.filter(|_| view.is_finest() || all.len() > MANY) else {
            return all;
        };
        let moved = |cell: CellId| {
            let seen = view.products.seen_at(cell, &before.levels);
            seen.map_or(0.0, |seen| before.moved[seen.index()])
        };
        let mut parts: Vec<f64> = all.iter().map(|&cell| moved(cell)).collect();
        parts.sort_by(|a, b| b.total_cmp(a));
        let least = parts.get(MANY).map_or(NOISE, |least| least.max(NOISE));
        let may_move = |&cell: &CellId| {
            moved(cell) > least || is_asked(cell) || view.products.is_beside(cell, self.wish.cell)
        };
        let mut cells: Vec<CellId> = all.into_iter().filter(may_move).collect();
        self.add_totals(&mut cells);
        cells
    }

    /// Adds the totals above some cells that may move.
    fn add_totals(&self, cells: &mut Vec<CellId>) {
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::super::price::{Prices, Program, Wish};
    use super::Workshop;
    use crate::cover::Cover;
    use crate::method::Context;
    use cellveil_core::{CellId, Problem, Side, Witness};
    use cellveil_highs::Highs;
    use cellveil_testkit::{Sketch, Trait};

    /// A table of three dimensions, two of them with groups, and one value that makes up most of its totals. One cell in five is sensitive, and may have a
    /// contributor of its own.
    fn problem(singletons: bool) -> Problem {
        let small = [13, 5, 27, 8, 61, 2, 19];
        let values = (0..189).map(|at| if at == 50 { 10_000 } else { small[at % small.len()] });
        let lots = (0..5_u16).map(|at| Trait {
            lot: if at == 4 { 0 } else { 99 },
            levels: [30, 20, 0],
            cost: 5 + 7 * at,
        });
        Sketch {
            axes: vec![vec![3, 3, 3], vec![2, 3, 2], vec![3]],
            linked: 0,
            values: values.collect(),
            traits: lots.collect(),
            shares: [10, 0],
            bounded: false,
            decimals: 0,
            singletons,
        }
        .problem()
    }

    /// Whether a table adds up, and no cell moves further than it can.
    fn is_table(problem: &Problem, witness: &Witness) -> bool {
        let unit = i64::from(witness.denominator);
        let relations = problem.relations();
        let adds_up = |row: usize| {
            relations.row(row).map(|(cell, c)| i64::from(c) * witness.move_of(cell)).sum::<i64>()
                == 0
        };
        let is_possible = |&(cell, step): &(CellId, i64)| {
            let side = if step > 0 { Side::Up } else { Side::Down };
            problem.room(cell, side).is_none_or(|room| step.abs() <= room * unit)
        };
        (0..relations.len()).all(adds_up) && witness.moves.iter().all(is_possible)
    }

    #[test]
    fn a_wish_and_its_kin_move_in_one_table() {
        for singletons in [false, true] {
            every_table_moves_kin(&problem(singletons));
        }
    }

    fn every_table_moves_kin(problem: &Problem) {
        let insiders = problem.insiders();
        let unmoved = if insiders.is_empty() { &[][..] } else { insiders.cells(0) };
        let context =
            Context { engine: &Highs, progress: &(), seconds_left: &|| None, gap: 0.0, seed: 1 };
        let workshop = Workshop::new(problem, &context);
        let products = workshop.products().unwrap();
        let cover = Cover::new(problem, &problem.start());
        let prices = Prices::new(&cover);
        let (mut found, mut with_kin) = (0, 0);
        for (need, side) in (0..problem.needs().len()).flat_map(|n| Side::BOTH.map(|s| (n, s))) {
            let Some(target) = cover.wanted(need, side, None) else { continue };
            let cell = problem.needs()[need].cell;
            if unmoved.contains(&cell) {
                continue;
            }
            let wish = Wish { cell, side, target, unmoved };
            let kin = workshop.kin(&cover, products, wish);
            let program = Program { kin: &kin, ..workshop.program(&prices, wish) };
            let Some(witness) = program.cheapest_by_levels(products).unwrap() else { continue };
            assert!(is_table(problem, &witness), "need {need} {side:?}");
            assert!(unmoved.iter().all(|&cell| witness.move_of(cell) == 0), "need {need} {side:?}");
            assert!(witness.reaches(wish.cell, side, target), "need {need} {side:?}");
            for &(cell, far) in &kin {
                assert!(witness.reaches(cell, side, far), "kin {cell:?} of need {need} {side:?}");
            }
            found += 1;
            with_kin += usize::from(!kin.is_empty());
        }
        assert!(found > 20 && with_kin > 0, "{found} tables, {with_kin} with kin");
    }
}
