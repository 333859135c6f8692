//! The cells around a need that are worth a look.
//!
//! A cell that moves upsets every relation it stands in, and each must be balanced by another cell of it. So a neighbourhood grows
//! from the need's cell relation by relation: the best partners of its own relations first, then, for the relations those upset,
//! the cells in which they cross. In a table of d dimensions this gives the box that the partners span. Which way a partner has
//! to move is known from the cell that upset the relation, and partners are ranked by what they cost for what they can carry that
//! way: a small cell can rise by much, but not fall. Later the prices of a program say which cells are missing.

use super::price::{Prices, Wish};
use cellveil_core::{CellId, Incidence, Problem, Side, Witness};

/// How a neighbourhood begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Partners per relation at most, as long as they are needed.
    pub(crate) width: usize,
    /// Cells, after which a relation gets only one partner, if it has none.
    pub(crate) cells: usize,
    /// Partners of a relation can together carry this many times what it may have to carry.
    pub(crate) spare: f64,
}

/// Relations without a partner get this many.
const FEW: usize = 2;

/// Grows neighbourhoods; holds the marks that would otherwise be made anew each time.
pub(crate) struct Near<'a> {
    problem: &'a Problem,
    incidence: &'a Incidence,
    /// The round in which a cell was last included or looked at, and a relation last upset.
    included: Vec<u32>,
    seen: Vec<u32>,
    upset: Vec<u32>,
    /// How many cells of a relation are included, if it is upset, and which way the first of them tips it.
    members: Vec<u32>,
    tipped: Vec<i8>,
    /// The price of a relation in the last program.
    duals: Vec<f64>,
    round: u32,
    look: u32,
    cells: Vec<CellId>,
    /// The upset relations, and how many of them have their partners.
    rows: Vec<u32>,
    served: usize,
}

/// A cell that could balance a relation.
struct Partner {
    cell: CellId,
    /// Which way it would have to move, and how far it can.
    side: Side,
    carries: f64,
    /// How many more relations it would upset.
    untouched: usize,
    /// What it would cost to let it carry all; lower is better.
    score: f64,
}

impl<'a> Near<'a> {
    pub(crate) fn new(problem: &'a Problem, incidence: &'a Incidence) -> Self {
        let (cells, rows) = (problem.len(), problem.relations().len());
        Self {
            problem,
            incidence,
            included: vec![0; cells],
            seen: vec![0; cells],
            upset: vec![0; rows],
            members: vec![0; rows],
            tipped: vec![0; rows],
            duals: vec![0.0; rows],
            round: 0,
            look: 0,
            cells: Vec::new(),
            rows: Vec::new(),
            served: 0,
        }
    }

    /// Begins anew around the wish's cell, with the cells that a witness moves that moves it.
    pub(crate) fn start(
        &mut self,
        prices: &Prices<'_>,
        wish: &Wish<'_>,
        reach: Reach,
        lead: Option<&Witness>,
    ) {
        self.round += 1;
        self.cells.clear();
        self.rows.clear();
        self.served = 0;
        self.include(wish.cell, wish.side);
        if let Some(lead) = lead {
            let along = lead.move_of(wish.cell) * wish.side.sign() > 0;
            for &(cell, step) in &lead.moves {
                let side = if (step > 0) == along { Side::Up } else { Side::Down };
                if self.candidate(cell, side, prices, wish).is_some() {
                    self.include(cell, side);
                }
            }
        }
        self.include_totals(prices, wish);
        self.serve(prices, wish, reach);
    }

    /// Includes every total that the wish's cell is part of, and those that they are part of: where none of them is frozen, they
    /// can all move with it.
    fn include_totals(&mut self, prices: &Prices<'_>, wish: &Wish<'_>) {
        let mut next = vec![wish.cell];
        while let Some(cell) = next.pop() {
            for &(row, coefficient) in self.incidence.of(cell) {
                let total =
                    self.problem.relations().total(row as usize).filter(|_| coefficient > 0);
                if let Some(total) = total
                    && self.candidate(total, wish.side, prices, wish).is_some()
                {
                    self.include(total, wish.side);
                    next.push(total);
                }
            }
        }
    }

    /// The cells so far, ascending.
    pub(crate) fn cells(&self) -> Vec<CellId> {
        let mut cells = self.cells.clone();
        cells.sort_unstable();
        cells
    }

    /// Gives every upset relation the partners it lacks, and those that these upset, and so on.
    fn serve(&mut self, prices: &Prices<'_>, wish: &Wish<'_>, reach: Reach) {
        let mut typical = 0.0;
        while let Some(&row) = self.rows.get(self.served) {
            self.served += 1;
            let mut partners = self.partners(row, prices, wish, typical);
            let others = self.members[row as usize] as usize - 1;
            let crowded = self.cells.len() >= reach.cells;
            let wanted = if crowded { 1_usize.saturating_sub(others) } else { FEW };
            let enough = if crowded { 0.0 } else { reach.spare * wish.target as f64 };
            let wide = if crowded { 1 } else { reach.width };
            partners.truncate(how_many(&partners, enough, wanted, wide));
            if typical == 0.0 && !partners.is_empty() {
                let sum: f64 = partners.iter().map(|partner| partner.score).sum();
                typical = sum / partners.len() as f64;
            }
            for partner in partners {
                self.include(partner.cell, partner.side);
            }
        }
    }

    fn include(&mut self, cell: CellId, side: Side) {
        self.included[cell.index()] = self.round;
        self.cells.push(cell);
        for &(row, coefficient) in self.incidence.of(cell) {
            let at = row as usize;
            if self.upset[at] != self.round {
                self.upset[at] = self.round;
                self.members[at] = 0;
                self.tipped[at] = (side.sign() * i64::from(coefficient.signum())) as i8;
                self.rows.push(row);
            }
            self.members[at] += 1;
        }
    }

    /// The cells of a relation that could balance it, best first.
    fn partners(
        &self,
        row: u32,
        prices: &Prices<'_>,
        wish: &Wish<'_>,
        typical: f64,
    ) -> Vec<Partner> {
        let mut partners: Vec<Partner> = Vec::new();
        for (cell, coefficient) in self.problem.relations().row(row as usize) {
            let falls = i32::from(self.tipped[row as usize]) * coefficient > 0;
            let side = if falls { Side::Down } else { Side::Up };
            if let Some((charge, carries)) = self.candidate(cell, side, prices, wish) {
                let untouched = self.quiet(cell).count();
                let score = charge * wish.target as f64 / carries;
                partners.push(Partner { cell, side, carries, untouched, score });
            }
        }
        let cheapest = partners.iter().map(|partner| partner.score).filter(|score| *score > 0.0);
        let typical = if typical > 0.0 { typical } else { cheapest.fold(f64::INFINITY, f64::min) };
        let typical = if typical.is_finite() { typical } else { 1.0 };
        for partner in &mut partners {
            let share = wish.target as f64 / partner.carries;
            partner.score += typical * partner.untouched as f64 * share;
        }
        partners.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.cell.cmp(&b.cell)));
        partners
    }

    /// What a cell that is not included would cost, and how far it could move; `None` if it cannot.
    fn candidate(
        &self,
        cell: CellId,
        side: Side,
        prices: &Prices<'_>,
        wish: &Wish<'_>,
    ) -> Option<(f64, f64)> {
        if self.included[cell.index()] == self.round || wish.unmoved.contains(&cell) {
            return None;
        }
        let room = self.problem.room(cell, side).unwrap_or(i64::MAX);
        let carries = room.min(wish.target) as f64;
        if room == 0 { None } else { prices.charge(cell).map(|charge| (charge, carries)) }
    }

    /// The relations of a cell that are not upset.
    fn quiet(&self, cell: CellId) -> impl Iterator<Item = (u32, i32)> + '_ {
        let rows = self.incidence.of(cell).iter().copied();
        rows.filter(|&(row, _)| self.upset[row as usize] != self.round)
    }

    /// Includes the cells that the prices of a program say are missing, up to a number. `duals` are the prices of relations, in cost
    /// per unit. Returns whether there are any.
    pub(crate) fn attract(
        &mut self,
        prices: &Prices<'_>,
        wish: &Wish<'_>,
        duals: &[(u32, f64)],
        reach: Reach,
        most: usize,
    ) -> bool {
        for &(row, dual) in duals {
            self.duals[row as usize] = dual;
        }
        self.look += 1;
        let mut missing: Vec<(f64, CellId, Side)> = Vec::new();
        for &(row, _) in duals {
            for (cell, _) in self.problem.relations().row(row as usize) {
                if std::mem::replace(&mut self.seen[cell.index()], self.look) == self.look {
                    continue;
                }
                for side in Side::BOTH {
                    if let Some(gain) = self.gain(cell, side, prices, wish) {
                        missing.push((gain, cell, side));
                    }
                }
            }
        }
        missing.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        missing.truncate(most);
        for &(_, cell, side) in &missing {
            if self.included[cell.index()] != self.round {
                self.include(cell, side);
            }
        }
        self.serve(prices, wish, reach);
        !missing.is_empty()
    }

    /// How much the program could gain by a cell: its negative reduced cost times what it can carry. Relations that are not upset
    /// yet are taken to cost what their cheapest other cell does.
    fn gain(&self, cell: CellId, side: Side, prices: &Prices<'_>, wish: &Wish<'_>) -> Option<f64> {
        let (charge, carries) = self.candidate(cell, side, prices, wish)?;
        let sign = side.sign() as f64;
        let paid = self.incidence.of(cell).iter().filter_map(|&(row, coefficient)| {
            let is_upset = self.upset[row as usize] == self.round;
            is_upset.then(|| sign * f64::from(coefficient) * self.duals[row as usize])
        });
        let mut gain = paid.sum::<f64>() - charge / carries;
        if gain <= 0.0 {
            return None;
        }
        for (row, coefficient) in self.quiet(cell) {
            let tips = sign * f64::from(coefficient);
            let others = self.problem.relations().row(row as usize).filter(|&(c, _)| c != cell);
            let cheapest = others
                .filter_map(|(other, c)| {
                    let side = if tips * f64::from(c) > 0.0 { Side::Down } else { Side::Up };
                    self.candidate(other, side, prices, wish)
                        .map(|(charge, carries)| charge / carries)
                })
                .fold(f64::INFINITY, f64::min);
            gain -= cheapest;
        }
        (gain > 0.0).then_some(gain * carries)
    }
}

/// How many of the best partners a relation gets: as many as can carry what it may have to carry, within limits.
fn how_many(partners: &[Partner], enough: f64, least: usize, most: usize) -> usize {
    let mut carried = 0.0;
    let short = |partner: &&Partner| {
        let before = carried;
        carried += partner.carries;
        before < enough
    };
    partners.iter().take_while(short).count().min(most).max(least).min(partners.len())
}
