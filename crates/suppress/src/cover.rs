//! A pattern in the making: every need relies on witnesses, and what those move is withheld.
//!
//! A witness brings its own proof: whatever else is withheld or given back, it holds as long as its own cells are withheld. So a safe
//! pattern is nothing but a choice of witnesses for every need, and it costs what the cells they move cost together. To change
//! it is to let some needs rely on other witnesses; a cell on which nobody relies is published.

use cellveil_core::{CellId, Certificate, Need, Pattern, Problem, Side, Status, Why, Witness};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Witnesses that are remembered per need besides those it relies on.
const REMEMBERED: usize = 8;

/// Which witnesses the needs rely on.
#[derive(Clone)]
pub(crate) struct Cover<'a> {
    problem: &'a Problem,
    /// Per need, the ties to what it relies on.
    relied: Vec<Vec<u32>>,
    /// Witnesses on which somebody relies, which of them a witness is, and those that are free to be used anew.
    ties: Vec<Tie>,
    tie_of: HashMap<usize, u32>,
    free: Vec<u32>,
    /// Per need, what it could rely on too, oldest first.
    remembered: Vec<Vec<Arc<Witness>>>,
    /// Per need and side, the witness that moves its cell furthest of all seen.
    leads: Vec<[Option<Arc<Witness>>; 2]>,
    /// Per cell that could be published, the ties of the witnesses that move it.
    users: Vec<Vec<u32>>,
    /// Cells that cost nothing as long as nobody says that they should.
    held: Vec<bool>,
    /// Per cell, what it costs to move it now: searches ask this far more often than it changes.
    prices: Vec<f64>,
    /// No published cell is cheaper than this, so that none is withheld for nothing.
    least: f64,
    cost: f64,
    /// What was changed, to be taken back.
    log: Vec<Change>,
}

/// To move a cell that is better left alone costs so many times what publishing it would save. (Fewer, and tables for the next insiders move as many cells of the
/// others; more, and they withhold too much: h3d50k against singletons costs 125, 120 and 124 million at 5, 10 and 20.)
const SHUNNED: f64 = 10.0;

/// A published cell costs at least this part of the average.
const LEAST_COST: f64 = 1e-4;

/// What no published cell of a table is cheaper than.
fn least(problem: &Problem) -> f64 {
    let average = problem.parts().costs.iter().sum::<f64>() / problem.len().max(1) as f64;
    if average > 0.0 { average * LEAST_COST } else { 1.0 }
}

/// A witness and the needs that rely on it. A witness that serves thousands of needs is counted once for every cell it moves.
#[derive(Clone)]
struct Tie {
    witness: Arc<Witness>,
    needs: Vec<u32>,
}

/// A change that can be taken back.
#[derive(Clone)]
enum Change {
    Relied(usize),
    Dropped(usize, usize, Arc<Witness>),
}

impl<'a> Cover<'a> {
    /// No need relies on anything yet; `pattern` costs nothing until it is [let go](Self::let_go).
    pub(crate) fn new(problem: &'a Problem, pattern: &Pattern) -> Self {
        let needs = problem.needs().len();
        let mut cover = Self {
            problem,
            relied: vec![Vec::new(); needs],
            ties: Vec::new(),
            tie_of: HashMap::new(),
            free: Vec::new(),
            remembered: vec![Vec::new(); needs],
            leads: vec![[None, None]; needs],
            users: vec![Vec::new(); problem.len()],
            held: problem.cells().map(|cell| pattern.is_withheld(cell)).collect(),
            prices: vec![0.0; problem.len()],
            least: least(problem),
            cost: 0.0,
            log: Vec::new(),
        };
        cover.price_all();
        cover
    }

    /// What the secondaries cost.
    pub(crate) fn cost(&self) -> f64 {
        self.cost
    }

    /// Whether a cell is withheld anyway.
    pub(crate) fn is_withheld(&self, cell: CellId) -> bool {
        self.held[cell.index()] || !self.users[cell.index()].is_empty() || self.must_be(cell)
    }

    /// What it costs to move a cell: nothing if it is withheld anyway, and without end if it must not be or cannot move.
    #[inline]
    pub(crate) fn price(&self, cell: CellId) -> f64 {
        self.prices[cell.index()]
    }

    fn price_all(&mut self) {
        for cell in self.problem.cells() {
            self.price_anew(cell);
        }
    }

    fn price_anew(&mut self, cell: CellId) {
        let problem = self.problem;
        let price = if Side::BOTH.iter().all(|&side| problem.room(cell, side) == Some(0)) {
            f64::INFINITY
        } else if self.is_withheld(cell) {
            0.0
        } else if problem.status(cell) == Status::Free {
            problem.cost(cell).max(self.least)
        } else {
            f64::INFINITY
        };
        self.prices[cell.index()] = price;
    }

    fn must_be(&self, cell: CellId) -> bool {
        matches!(self.problem.status(cell), Status::Sensitive | Status::Withheld)
    }

    /// Cells on which nobody relies are published from now on, whatever pattern this began with.
    pub(crate) fn let_go(&mut self) {
        self.held.fill(false);
        self.price_all();
    }

    /// Keeps the cells on which some needs rely, but for one, withheld at no cost. Returns those that were not before.
    pub(crate) fn hold_all_but(&mut self, cell: CellId, needs: &[usize]) -> Vec<CellId> {
        let mut held = Vec::new();
        for &tie in needs.iter().flat_map(|&need| &self.relied[need]) {
            for &(moved, _) in &self.ties[tie as usize].witness.moves {
                if moved != cell && !self.held[moved.index()] {
                    self.held[moved.index()] = true;
                    held.push(moved);
                }
            }
        }
        for &cell in &held {
            self.price_anew(cell);
        }
        held
    }

    /// Cells cost again what they cost.
    pub(crate) fn release(&mut self, held: &[CellId]) {
        for cell in held {
            self.held[cell.index()] = false;
            self.price_anew(*cell);
        }
    }

    /// Moving these cells is dear, even if they are withheld, until they are [priced again](Self::price_again).
    pub(crate) fn shun(&mut self, cells: &[CellId]) {
        for &cell in cells {
            let price = &mut self.prices[cell.index()];
            *price = price.max(SHUNNED * self.problem.cost(cell).max(self.least));
        }
    }

    pub(crate) fn price_again(&mut self, cells: &[CellId]) {
        for &cell in cells {
            self.price_anew(cell);
        }
    }

    /// The needs that rely on a cell, ascending.
    pub(crate) fn users(&self, cell: CellId) -> Vec<usize> {
        self.few_users(cell, usize::MAX).unwrap_or_default()
    }

    /// The needs that rely on a cell, ascending, if they rely on it no more often than this.
    pub(crate) fn few_users(&self, cell: CellId, most: usize) -> Option<Vec<usize>> {
        let mut users: Vec<usize> = Vec::new();
        for &tie in &self.users[cell.index()] {
            let needs = &self.ties[tie as usize].needs;
            if users.len() + needs.len() > most {
                return None;
            }
            users.extend(needs.iter().map(|&need| need as usize));
        }
        users.sort_unstable();
        users.dedup();
        Some(users)
    }

    /// What a need relies on.
    pub(crate) fn relied(&self, need: usize) -> impl Iterator<Item = &Arc<Witness>> {
        self.relied[need].iter().map(|&tie| &self.ties[tie as usize].witness)
    }

    /// The withheld cells that nobody but the needs asks for, ascending.
    pub(crate) fn secondaries(&self) -> Vec<CellId> {
        self.problem.cells().filter(|&cell| self.is_secondary(cell)).collect()
    }

    /// Whether a cell is withheld because some need relies on it.
    pub(crate) fn is_secondary(&self, cell: CellId) -> bool {
        !self.users[cell.index()].is_empty()
    }

    /// What the cells of a witness cost beyond those withheld.
    pub(crate) fn charge(&self, witness: &Witness) -> f64 {
        let new = witness.moves.iter().filter(|&&(cell, _)| !self.is_withheld(cell));
        new.map(|&(cell, _)| self.problem.cost(cell)).sum()
    }

    /// Offers a witness to every need it moves.
    pub(crate) fn remember(&mut self, witness: &Arc<Witness>) {
        for &(cell, step) in &witness.moves {
            let Some(need) = self.problem.needs().position(cell) else { continue };
            let side = if step < 0 { Side::Down } else { Side::Up };
            let lead = &mut self.leads[need][usize::from(step > 0)];
            let far = |witness: &Witness| {
                witness.move_of(cell).unsigned_abs() as f64 / f64::from(witness.denominator)
            };
            if lead.as_ref().is_none_or(|lead| far(lead) < far(witness)) {
                *lead = Some(Arc::clone(witness));
            }
            if !witness.reaches(cell, side, self.problem.needs()[need].on(side).max(1)) {
                continue;
            }
            let remembered = &mut self.remembered[need];
            if remembered.len() == REMEMBERED {
                remembered.remove(0);
            }
            remembered.push(Arc::clone(witness));
        }
    }

    /// A witness that moves a cell, to that side if there is one.
    pub(crate) fn lead(&self, cell: CellId, side: Side) -> Option<Arc<Witness>> {
        let [down, up] = &self.leads[self.problem.needs().position(cell)?];
        match side {
            Side::Down => down.clone().or_else(|| up.clone()),
            Side::Up => up.clone().or_else(|| down.clone()),
        }
    }

    /// The cheapest of the witnesses remembered that takes a need's cell as far as is wanted, with what it would cost.
    pub(crate) fn cheapest_remembered(
        &self,
        need: usize,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Option<(f64, Arc<Witness>)> {
        let cell = self.problem.needs()[need].cell;
        let fits = |witness: &&Arc<Witness>| {
            witness.reaches(cell, side, target)
                && unmoved.iter().all(|&cell| witness.move_of(cell) == 0)
        };
        let priced = self.remembered[need]
            .iter()
            .filter(fits)
            .map(|witness| (self.charge(witness), Arc::clone(witness)));
        priced.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// A witness remembered that takes a need's cell as far as is wanted without withholding more.
    pub(crate) fn free_remembered(
        &self,
        need: usize,
        side: Side,
        target: i64,
        unmoved: &[CellId],
    ) -> Option<Arc<Witness>> {
        let cell = self.problem.needs()[need].cell;
        let fits = |witness: &&Arc<Witness>| {
            witness.reaches(cell, side, target)
                && unmoved.iter().all(|&cell| witness.move_of(cell) == 0)
                && witness.moves.iter().all(|&(cell, _)| self.is_withheld(cell))
        };
        self.remembered[need].iter().find(fits).map(Arc::clone)
    }

    /// Lets a need rely on a witness, and withholds what it moves.
    pub(crate) fn rely(&mut self, need: usize, witness: &Arc<Witness>) {
        let tie = self.tie(need, witness);
        self.relied[need].push(tie);
        self.log.push(Change::Relied(need));
    }

    /// Lets the needs rely on what a certificate claims for them.
    pub(crate) fn rely_on(&mut self, certificate: Certificate) {
        let witnesses: Vec<Arc<Witness>> =
            certificate.witnesses.into_iter().map(Arc::new).collect();
        for claim in certificate.claims {
            if let Some(need) = self.problem.needs().position(claim.cell) {
                self.rely(need, &witnesses[claim.witness as usize]);
            }
        }
    }

    /// Lets needs that are not met rely on what they do in another cover.
    pub(crate) fn complete_from(&mut self, other: &Cover<'_>) {
        for need in 0..self.relied.len() {
            if !self.is_proven(need) {
                other.relied(need).for_each(|witness| self.rely(need, witness));
                self.drop_needless(need);
            }
        }
    }

    /// Lets a need rely on nothing any more.
    pub(crate) fn drop(&mut self, need: usize) {
        for at in (0..self.relied[need].len()).rev() {
            self.drop_one(need, at);
        }
    }

    fn drop_one(&mut self, need: usize, at: usize) {
        let tie = self.relied[need].remove(at);
        let witness = self.untie(need, tie);
        self.log.push(Change::Dropped(need, at, witness));
    }

    /// Drops what a need does not need.
    pub(crate) fn drop_needless(&mut self, need: usize) {
        for at in (0..self.relied[need].len()).rev() {
            let witness = self.relied[need].remove(at);
            let needless = self.is_proven(need);
            self.relied[need].insert(at, witness);
            if needless {
                self.drop_one(need, at);
            }
        }
    }

    /// Counts a need among those that rely on a witness.
    fn tie(&mut self, need: usize, witness: &Arc<Witness>) -> u32 {
        if let Some(&tie) = self.tie_of.get(&Arc::as_ptr(witness).addr()) {
            self.ties[tie as usize].needs.push(need as u32);
            return tie;
        }
        let new = Tie { witness: Arc::clone(witness), needs: vec![need as u32] };
        let tie = if let Some(tie) = self.free.pop() {
            self.ties[tie as usize] = new;
            tie
        } else {
            self.ties.push(new);
            (self.ties.len() - 1) as u32
        };
        self.tie_of.insert(Arc::as_ptr(witness).addr(), tie);
        for &(cell, _) in &witness.moves {
            if !self.must_be(cell) {
                let users = &mut self.users[cell.index()];
                users.push(tie);
                if users.len() == 1 {
                    self.cost += self.problem.cost(cell);
                    self.price_anew(cell);
                }
            }
        }
        tie
    }

    /// A need does not rely on a witness any more; when it was the last, nobody needs what that moves.
    fn untie(&mut self, need: usize, tie: u32) -> Arc<Witness> {
        let Tie { witness, needs } = &mut self.ties[tie as usize];
        let witness = Arc::clone(witness);
        if let Some(at) = needs.iter().rposition(|&user| user as usize == need) {
            needs.swap_remove(at);
        }
        if needs.is_empty() {
            self.tie_of.remove(&Arc::as_ptr(&witness).addr());
            self.free.push(tie);
            for &(cell, _) in &witness.moves {
                if !self.must_be(cell) {
                    let users = &mut self.users[cell.index()];
                    if let Some(at) = users.iter().rposition(|&user| user == tie) {
                        users.swap_remove(at);
                    }
                    if users.is_empty() {
                        self.cost -= self.problem.cost(cell);
                        self.price_anew(cell);
                    }
                }
            }
        }
        witness
    }

    /// Everything so far is for good.
    pub(crate) fn settle(&mut self) {
        self.log.clear();
    }

    /// Takes back everything since it was last settled.
    pub(crate) fn take_back(&mut self) {
        while let Some(change) = self.log.pop() {
            match change {
                Change::Relied(need) => {
                    if let Some(tie) = self.relied[need].pop() {
                        self.untie(need, tie);
                    }
                }
                Change::Dropped(need, at, witness) => {
                    let tie = self.tie(need, &witness);
                    self.relied[need].insert(at, tie);
                }
            }
        }
    }

    /// How far a side of a need is shown to go, in units, rounded down, by witnesses that leave an insider's cells alone.
    fn shown(&self, need: usize, side: Side, insider: Option<u32>) -> i64 {
        let cell = self.problem.needs()[need].cell;
        let known = insider.map_or(&[][..], |insider| self.problem.insiders().cells(insider));
        let usable = |w: &&Arc<Witness>| known.iter().all(|&cell| w.move_of(cell) == 0);
        let far =
            |w: &Arc<Witness>| (w.move_of(cell) * side.sign()).div_euclid(i64::from(w.denominator));
        self.relied(need).filter(usable).map(far).max().unwrap_or(0).max(0)
    }

    /// How far a side must still be shown to go, given what is shown for the other; `None` if it is met.
    pub(crate) fn wanted(&self, need: usize, side: Side, insider: Option<u32>) -> Option<i64> {
        let n: &Need = &self.problem.needs()[need];
        let other = match side {
            Side::Down => self.shown(need, Side::Up, insider).max(n.up),
            Side::Up => self.shown(need, Side::Down, insider).max(n.down),
        };
        let wanted = n.on(side).max(n.sliding.saturating_sub(other));
        (self.shown(need, side, insider) < wanted).then_some(wanted)
    }

    /// Whether a need is met on both sides: for everybody without further knowledge, or for an insider.
    pub(crate) fn is_met(&self, need: usize, insider: Option<u32>) -> bool {
        Side::BOTH.iter().all(|&side| self.wanted(need, side, insider).is_none())
    }

    /// The first insider who comes too close, because a witness moves a cell of theirs.
    pub(crate) fn blocking(&self, need: usize) -> Option<u32> {
        self.all_blocking(need).next()
    }

    /// All of them, ascending.
    pub(crate) fn all_blocking(&self, need: usize) -> impl Iterator<Item = u32> + '_ {
        let insiders = self.problem.insiders();
        let own = insiders.of(self.problem.needs()[need].cell);
        let moved = self.relied(need).flat_map(|witness| &witness.moves);
        let known: BTreeSet<u32> = if insiders.is_empty() {
            BTreeSet::new()
        } else {
            moved.filter_map(|&(cell, _)| insiders.of(cell)).collect()
        };
        let is_blocking = move |&i: &u32| Some(i) != own && !self.is_met(need, Some(i));
        known.into_iter().filter(is_blocking)
    }

    /// Whether a need is met for everybody, insiders included.
    pub(crate) fn is_proven(&self, need: usize) -> bool {
        self.is_met(need, None) && self.blocking(need).is_none()
    }

    /// The pattern, and the witnesses on which the needs rely.
    pub(crate) fn into_parts(self) -> (Pattern, Vec<Witness>) {
        let mut pattern = self.problem.start();
        for cell in self.secondaries() {
            pattern.withhold(cell, Why::Secondary);
        }
        let mut seen = vec![false; self.ties.len()];
        let first_use = |tie: &&u32| !std::mem::replace(&mut seen[**tie as usize], true);
        let order: Vec<u32> = self.relied.iter().flatten().filter(first_use).copied().collect();
        drop((self.remembered, self.leads, self.log, self.users));
        let mut ties: Vec<Option<Arc<Witness>>> =
            self.ties.into_iter().map(|tie| Some(tie.witness)).collect();
        let witnesses =
            order.into_iter().filter_map(|tie| ties[tie as usize].take()).map(Arc::unwrap_or_clone);
        let witnesses = witnesses.collect();
        (pattern, witnesses)
    }
}

#[cfg(test)]
mod tests {
    use super::Cover;
    use cellveil_core::{Problem, Side, Status, Witness};
    use cellveil_testkit::tables::random_problem;
    use std::sync::Arc;

    /// A witness that moves some of the cells; whether it adds up is nothing to a cover.
    fn some_witness(problem: &Problem, seed: usize) -> Arc<Witness> {
        let moves = problem.cells().filter(|cell| (cell.index() + seed).is_multiple_of(5));
        Arc::new(Witness { denominator: 1, moves: moves.map(|cell| (cell, 1)).collect() })
    }

    fn has_right_prices(problem: &Problem, cover: &Cover<'_>) -> bool {
        problem.cells().all(|cell| {
            let can_move = Side::BOTH.iter().any(|&side| problem.room(cell, side) != Some(0));
            let price = cover.price(cell);
            match (can_move, cover.is_withheld(cell), problem.status(cell)) {
                (true, true, _) => price == 0.0,
                (true, false, Status::Free) => price > 0.0 && price >= problem.cost(cell),
                _ => price.is_infinite(),
            }
        })
    }

    #[test]
    fn prices_follow_what_is_withheld() {
        for seed in 1..6 {
            let problem = random_problem(seed, &[4, 3, 3]);
            let mut cover = Cover::new(&problem, &problem.start());
            for need in 0..problem.needs().len() {
                cover.rely(need, &some_witness(&problem, need));
            }
            assert!(has_right_prices(&problem, &cover));
            cover.settle();
            let (withheld, cost) = (cover.secondaries(), cover.cost());
            let held = cover.hold_all_but(withheld[0], &[0, 1]);
            cover.drop(0);
            cover.drop(1);
            assert!(has_right_prices(&problem, &cover));
            cover.release(&held);
            assert!(has_right_prices(&problem, &cover));
            cover.take_back();
            assert!(has_right_prices(&problem, &cover) && cover.secondaries() == withheld);
            assert!((cover.cost() - cost).abs() < 1e-6);
        }
    }

    #[test]
    fn cells_that_are_shunned_are_dear_until_they_are_priced_again() {
        let problem = random_problem(1, &[4, 3, 3]);
        let mut cover = Cover::new(&problem, &problem.start());
        cover.rely(0, &some_witness(&problem, 0));
        let cost = cover.cost();
        let cells: Vec<_> = problem.cells().filter(|&cell| cover.price(cell) <= 0.0).collect();
        cover.shun(&cells);
        assert!(!cells.is_empty() && cells.iter().all(|&cell| cover.price(cell) > 0.0));
        assert!((cover.cost() - cost).abs() < 1e-9, "nothing was withheld or published");
        cover.price_again(&cells);
        assert!(has_right_prices(&problem, &cover));
    }

    #[test]
    fn a_pattern_that_is_let_go_costs_again() {
        let problem = random_problem(1, &[4, 3, 3]);
        let mut pattern = problem.start();
        for cell in problem.cells().filter(|&cell| problem.status(cell) == Status::Free) {
            pattern.withhold(cell, cellveil_core::Why::Secondary);
        }
        let mut cover = Cover::new(&problem, &pattern);
        assert!(
            problem.cells().all(|cell| cover.price(cell) <= 0.0 || cover.price(cell).is_infinite())
        );
        cover.let_go();
        assert!(has_right_prices(&problem, &cover));
    }
}
