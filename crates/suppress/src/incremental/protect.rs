//! Needs that a pattern leaves open, met one after the other at the least cost.

use super::ahead::Ahead;
use super::manner::Manner;
use super::near::Near;
use super::price::{Prices, Program, Wish};
use crate::cover::Cover;
use crate::everything::everything;
use crate::method::{Context, SuppressError};
use cellveil_attack::{Component, Finest, Probe, Products, Reached};
use cellveil_core::{CellId, Incidence, Problem, Side, Witness};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Tables with more cells than this get no programs where products do.
pub(super) const PROGRAMS: usize = 20_000;

/// Tables with more cells than this and hierarchies are seen from coarse to fine.
const LEVELS: usize = 5_000;

/// In tables with more cells than this a program on the whole table takes seconds.
const SLOW: usize = 5_000;

/// In tables of at most this many cells, important needs get programs on the whole table.
const ANYWHERE: usize = 12_000;

/// Components with more cells than this get no program on all of them: it would take more memory than there is.
const WHOLE: usize = 1_000_000;

/// A need that costs more than this part of all that is withheld is worth a program.
const IMPORTANT: f64 = 0.02;

/// What costs less than this part of it is not worth anything better.
const NEGLIGIBLE: f64 = 2e-3;

/// How often many needs are met at once, as long as each time meets this share of all.
const PASSES: usize = 8;
const WORTH_A_PASS: f64 = 0.01;

/// What finding products and pursuing cells counts as work, in cells of programs.
const PRODUCT: u64 = 20;
const PURSUIT: u64 = 500;

/// What every step of a search shares.
pub(crate) struct Workshop<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) context: &'a Context<'a>,
    pub(crate) incidence: Arc<Incidence>,
    /// The cells of all programs so far: what a search is limited by, the same everywhere.
    pub(super) work: AtomicU64,
    /// After so much of it no further need is met.
    most: u64,
    /// The system with every cell withheld that may be.
    everything: OnceLock<Vec<Component>>,
    products: OnceLock<Option<Arc<Products<'a>>>>,
    finest: OnceLock<Option<Arc<Finest<'a>>>>,
    pub(super) ahead: Ahead,
}

impl<'a> Workshop<'a> {
    pub(crate) fn new(problem: &'a Problem, context: &'a Context<'a>) -> Self {
        let incidence = Arc::new(problem.relations().incidence(problem.len()));
        Self {
            problem,
            context,
            incidence,
            work: AtomicU64::new(0),
            most: u64::MAX,
            everything: OnceLock::new(),
            products: OnceLock::new(),
            finest: OnceLock::new(),
            ahead: Ahead::default(),
        }
    }

    /// The same table in another context, with the work done so far.
    pub(crate) fn within<'b>(&self, context: &'b Context<'b>) -> Workshop<'b>
    where
        'a: 'b,
    {
        Workshop {
            most: self.most,
            problem: self.problem,
            context,
            incidence: Arc::clone(&self.incidence),
            work: AtomicU64::new(self.work()),
            everything: OnceLock::new(),
            products: OnceLock::from(self.products().cloned()),
            finest: self.finest.get().map_or_else(OnceLock::new, |known| known.clone().into()),
            ahead: Ahead::default(),
        }
    }

    /// The same for so much more work.
    pub(crate) fn for_work(&self, work: u64) -> Workshop<'_> {
        Workshop { most: self.work().saturating_add(work), ..self.within(self.context) }
    }

    /// How much work was done: the cells of all programs.
    pub(crate) fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// Counts work that is no program.
    pub(crate) fn spend(&self, work: u64) {
        self.work.fetch_add(work, Ordering::Relaxed);
    }

    /// Products of circuits, where the table stands in a grid.
    pub(super) fn products(&self) -> Option<&Arc<Products<'a>>> {
        self.products
            .get_or_init(|| Products::new(self.problem, Arc::clone(&self.incidence)).map(Arc::new))
            .as_ref()
    }

    /// The finest cells of every cell.
    fn finest(&self) -> Option<&Arc<Finest<'a>>> {
        let finest = || Finest::new(self.problem).map(Arc::new);
        self.finest.get_or_init(finest).as_ref()
    }

    /// Whether products or finest cells meet most needs, so that programs are a choice.
    pub(crate) fn does_without_programs(&self) -> bool {
        self.products().is_some() || self.finest().is_some()
    }

    /// Whether the table is large, and so sparse that only leaves that exchange amounts help.
    pub(crate) fn is_sparse(&self) -> bool {
        self.problem.len() > PROGRAMS
            && self.products().is_some_and(|products| products.is_sparse())
    }

    /// Whether the table is worth being seen from coarse to fine: it is large and has hierarchies.
    pub(crate) fn has_levels(&self) -> bool {
        let levels = self.products().and_then(|products| products.levels());
        self.problem.len() > LEVELS
            && !self.is_sparse()
            && levels.is_some_and(|levels| levels.iter().any(|&levels| levels > 1))
    }

    /// The table with every cell withheld that may be.
    pub(crate) fn everything(&self) -> &[Component] {
        self.everything.get_or_init(|| everything(self.problem))
    }

    /// The component of a cell when all is withheld that may be; `None` if it is determined even then.
    fn component(&self, cell: CellId) -> Option<&Component> {
        self.everything().iter().find(|component| component.position(cell).is_some())
    }

    /// The needs that are still open, largest first.
    pub(crate) fn open(&self, cover: &Cover<'_>) -> Vec<usize> {
        let mut open: Vec<usize> =
            (0..self.problem.needs().len()).filter(|&need| !cover.is_proven(need)).collect();
        open.sort_by_key(|&need| (std::cmp::Reverse(self.size(need)), need));
        open
    }

    pub(super) fn size(&self, need: usize) -> i64 {
        let need = &self.problem.needs()[need];
        need.down.max(need.up).max(need.sliding)
    }

    /// In a large and sparse table, meets most needs by a few tables in which many cells move at once.
    pub(super) fn protect_many(&self, cover: &mut Cover<'_>) {
        if !self.problem.insiders().is_empty() {
            return;
        }
        let Some(products) = self.products().filter(|_| self.is_sparse()) else { return };
        for _ in 0..PASSES {
            let open = self.open(cover);
            let cells: Vec<CellId> =
                open.iter().map(|&need| self.problem.needs()[need].cell).collect();
            let prices = Prices::new(cover);
            let is_over = || self.context.is_over();
            let price = |cell| prices.charge(cell);
            let Some(witness) = products.exchange_many(&cells, &price, &is_over) else { return };
            self.offer(cover, &open, witness);
            let met = open.iter().filter(|&&need| cover.is_proven(need)).count();
            if (met as f64) < WORTH_A_PASS * self.problem.needs().len() as f64 {
                return;
            }
        }
    }

    /// Lets needs rely on a table that moves many cells, and on the same turned round, where that helps them.
    pub(super) fn offer(&self, cover: &mut Cover<'_>, needs: &[usize], witness: Witness) {
        let both = [mirrored(self.problem, &witness), Some(witness)];
        for witness in both.into_iter().flatten() {
            let witness = Arc::new(witness);
            for &need in needs {
                let cell = self.problem.needs()[need].cell;
                let helps = |&side: &Side| {
                    let wanted = cover.wanted(need, side, None);
                    wanted.is_some_and(|far| witness.reaches(cell, side, far))
                };
                if Side::BOTH.iter().any(helps) {
                    cover.rely(need, &witness);
                }
            }
        }
    }

    /// Meets needs in the given order. In tables where programs take long, all of them are met for everybody first, since what that withholds is free for
    /// tables that leave an insider's cells alone.
    pub(crate) fn protect(
        &self,
        cover: &mut Cover<'_>,
        needs: &[usize],
        manner: Manner,
    ) -> Result<(), SuppressError> {
        let mut near = Near::new(self.problem, &self.incidence);
        let passes = if self.problem.insiders().is_empty() || !self.is_slow() { 1 } else { 2 };
        for (done, &need) in (0..passes).flat_map(|_| needs).enumerate() {
            self.may_go_on(cover)?;
            self.context.progress.step("protect", done, passes * needs.len(), cover.cost());
            self.meet_for_everybody(cover, need, &mut near, manner)?;
            if done >= (passes - 1) * needs.len() {
                self.meet_for_insiders(cover, need, &mut near, manner)?;
            }
        }
        Ok(())
    }

    /// Whether a program on the whole table takes seconds.
    fn is_slow(&self) -> bool {
        self.problem.len() > SLOW
    }

    /// An error when the time is up or more work was done than may be.
    fn may_go_on(&self, cover: &Cover<'_>) -> Result<(), SuppressError> {
        if self.context.is_over() || self.work() > self.most {
            return Err(SuppressError::OutOfTime { open: self.open(cover).len() });
        }
        Ok(())
    }

    /// Meets one need at the least cost that is found.
    pub(crate) fn meet(
        &self,
        cover: &mut Cover<'_>,
        need: usize,
        near: &mut Near<'_>,
        manner: Manner,
    ) -> Result<(), SuppressError> {
        self.meet_for_everybody(cover, need, near, manner)?;
        self.meet_for_insiders(cover, need, near, manner)
    }

    fn meet_for_everybody(
        &self,
        cover: &mut Cover<'_>,
        need: usize,
        near: &mut Near<'_>,
        manner: Manner,
    ) -> Result<(), SuppressError> {
        self.approach(cover, need, None, near, manner)?;
        let cell = self.problem.needs()[need].cell;
        if cover.is_met(need, None) { Ok(()) } else { Err(self.no_pattern(cell)) }
    }

    fn meet_for_insiders(
        &self,
        cover: &mut Cover<'_>,
        need: usize,
        near: &mut Near<'_>,
        manner: Manner,
    ) -> Result<(), SuppressError> {
        let cell = self.problem.needs()[need].cell;
        while let Some(insider) = cover.blocking(need) {
            // A table that leaves the others alone, too, serves against all of them. Where programs are quick, one at a time withholds less.
            let insiders = self.problem.insiders();
            let others = cover.all_blocking(need).skip(1).filter(|_| self.is_slow());
            let shunned: Vec<CellId> =
                others.flat_map(|other| insiders.cells(other)).copied().collect();
            cover.shun(&shunned);
            let approached = self.approach(cover, need, Some(insider), near, manner);
            cover.price_again(&shunned);
            approached?;
            self.may_go_on(cover)?;
            if !cover.is_met(need, Some(insider)) {
                let singleton = self.problem.insiders().cells(insider)[0];
                return Err(self.no_pattern_against(cell, singleton));
            }
        }
        Ok(())
    }

    /// Withholds what lets a cell move as far as its need wants, with an insider's cells left alone.
    fn approach(
        &self,
        cover: &mut Cover<'_>,
        need: usize,
        insider: Option<u32>,
        near: &mut Near<'_>,
        manner: Manner,
    ) -> Result<(), SuppressError> {
        let cell = self.problem.needs()[need].cell;
        let unmoved = insider.map_or(&[][..], |insider| self.problem.insiders().cells(insider));
        // Up again at the end: how far up is needed may depend on how far down is possible.
        for side in [Side::Up, Side::Down, Side::Up] {
            let Some(target) = cover.wanted(need, side, insider) else { continue };
            let remembered = cover.cheapest_remembered(need, side, target, unmoved);
            if let Some((0.0, witness)) = remembered {
                cover.rely(need, &witness);
                continue;
            }
            let wish = Wish { cell, side, target, unmoved };
            let found = self.grant(near, cover, wish, manner)?.map(Arc::new);
            if let Some(witness) = &found {
                cover.remember(witness);
                if let Some(mirrored) = mirrored(self.problem, witness) {
                    cover.remember(&Arc::new(mirrored));
                }
            }
            let found = found.map(|witness| (cover.charge(&witness), witness));
            let cheapest =
                [found, remembered].into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, witness)) = cheapest {
                cover.rely(need, &witness);
            }
        }
        Ok(())
    }

    /// The cheapest table found that grants a wish. Neighbourhoods grow until one has an answer that is not worth improving;
    /// where none has, the whole system says how far one gets.
    fn grant(
        &self,
        near: &mut Near<'_>,
        cover: &Cover<'_>,
        wish: Wish<'_>,
        manner: Manner,
    ) -> Result<Option<Witness>, SuppressError> {
        let manner = self.for_now(manner);
        let noise = if let Manner::Careful(noise) = manner { noise } else { 0 };
        let prices = Prices::new(cover).with_noise(noise);
        let cheaper = |a: &Witness, b: &Witness| cover.charge(a).total_cmp(&cover.charge(b));
        let by_finest = || self.by_finest(&prices, wish);
        let without = match self.without_programs(cover, &prices, wish).or_else(by_finest) {
            None if self.is_slow() && self.problem.len() <= PROGRAMS => {
                self.with_few_moves(wish)?
            }
            found => found,
        };
        let share = |witness: &Witness| cover.charge(witness) / cover.cost();
        if let (Manner::Levels(reserve), Some(found)) = (manner, &without) {
            let by_program = self.by_program(cover, wish, found, reserve)?;
            return Ok([without, by_program].into_iter().flatten().min_by(cheaper));
        }
        let enough = match (manner, &without) {
            (Manner::Swift, Some(_)) => true,
            (Manner::Quick, Some(found)) => {
                self.problem.len() > PROGRAMS || share(found) <= IMPORTANT
            }
            (_, Some(found)) => cover.charge(found) == 0.0,
            (_, None) => false,
        };
        if enough || (without.is_none() && self.is_beyond_its_parts(wish)) {
            return Ok(without);
        }
        let program = self.program(&prices, wish);
        let found = if matches!(manner, Manner::Quick) && self.problem.len() <= ANYWHERE {
            let found = program.cheapest_of_withheld_and(without.as_ref())?;
            if found.as_ref().is_some_and(|found| share(found) <= IMPORTANT) {
                found
            } else {
                program.cheapest_anywhere()?
            }
        } else {
            let lead = cover.lead(wish.cell, wish.side);
            program.cheapest_near(near, without.as_ref().or(lead.as_deref()))?
        };
        if let Some(witness) = [without, self.whole(found)].into_iter().flatten().min_by(cheaper) {
            return Ok(Some(witness));
        }
        let Some(component) = self.component(wish.cell) else { return Ok(None) };
        if component.cells.len() > WHOLE {
            return Err(SuppressError::TooLarge {
                cell: self.problem.names().describe(wish.cell).to_string(),
            });
        }
        if let Some(witness) = self.among(&prices, &component.cells, wish)? {
            return Ok(Some(witness));
        }
        let mut probe = Probe::new(self.problem, &self.incidence, component, self.context.engine)?;
        match probe.reach(wish.cell, wish.side, wish.target, wish.unmoved)? {
            Reached::Target(witness) => Ok(Some(witness)),
            Reached::Short { witness: None, .. } => Ok(None),
            Reached::Short { witness: Some(furthest), .. } => {
                let target = furthest.move_of(wish.cell).abs() / i64::from(furthest.denominator);
                let cheapest = self.among(&prices, &component.cells, Wish { target, ..wish })?;
                Ok(cheapest.or(Some(furthest)))
            }
        }
    }

    /// A table with few and small moves that grants a wish, at whatever cost: a program that gets there in a few steps.
    fn with_few_moves(&self, wish: Wish<'_>) -> Result<Option<Witness>, SuppressError> {
        let Some(component) = self.component(wish.cell) else { return Ok(None) };
        self.spend(component.cells.len() as u64);
        let mut probe = Probe::new(self.problem, &self.incidence, component, self.context.engine)?;
        probe.hurry();
        match probe.reach(wish.cell, wish.side, wish.target, wish.unmoved)? {
            Reached::Target(witness) => Ok(Some(witness)),
            Reached::Short { .. } => Ok(None),
        }
    }

    /// Whether the parts of a cell, all together, cannot go as far as its level asks: the others must not move. What a width asks of a
    /// side is another matter: the other side may go further.
    fn is_beyond_its_parts(&self, wish: Wish<'_>) -> bool {
        let level = self.problem.needs().of(wish.cell).map_or(0, |need| need.on(wish.side));
        if wish.target > level {
            return false;
        }
        let is_total = |&&(_, coefficient): &&(u32, i32)| coefficient < 0;
        self.incidence.of(wish.cell).iter().filter(is_total).any(|&(row, _)| {
            let parts = self.problem.relations().row(row as usize);
            let moving =
                parts.filter(|(part, _)| *part != wish.cell && !wish.unmoved.contains(part));
            let mut rooms = moving.map(|(part, _)| self.problem.room(part, wish.side));
            let reach = rooms.try_fold(0_i64, |sum, room| Some(sum.saturating_add(room?)));
            self.problem.relations().is_sum(row as usize)
                && reach.is_some_and(|reach| reach < wish.target)
        })
    }

    /// The cheapest table found by products of circuits, and by cells of the finest level where those cost much.
    pub(super) fn without_programs(
        &self,
        cover: &Cover<'_>,
        prices: &Prices<'_>,
        wish: Wish<'_>,
    ) -> Option<Witness> {
        let price = |cell: CellId| wish.price(prices, cell);
        let products = self.products();
        self.spend(PRODUCT);
        if self.is_sparse() {
            return products?.exchange(wish.cell, wish.side, wish.target, &price);
        }
        let product = products.and_then(|p| p.reach(wish.cell, wish.side, wish.target, &price));
        if product.as_ref().is_some_and(|p| cover.charge(p) <= NEGLIGIBLE * cover.cost()) {
            return product;
        }
        self.spend(PURSUIT);
        let pursued = products.and_then(|p| p.pursue(wish.cell, wish.side, wish.target, &price));
        let cheaper = |a: &Witness, b: &Witness| cover.charge(a).total_cmp(&cover.charge(b));
        [product, pursued].into_iter().flatten().min_by(cheaper)
    }

    /// A table found by finest cells that follow each other, whatever it costs. Among withheld cells alone it would hardly ever find one, and take long.
    fn by_finest(&self, prices: &Prices<'_>, wish: Wish<'_>) -> Option<Witness> {
        if self.is_sparse() {
            return None;
        }
        self.spend(PURSUIT);
        let price = |cell: CellId| wish.price(prices, cell);
        self.finest()?.pursue(wish.cell, wish.side, wish.target, &price)
    }

    pub(super) fn program<'w>(&'w self, prices: &Prices<'w>, wish: Wish<'w>) -> Program<'w> {
        Program {
            problem: self.problem,
            incidence: &self.incidence,
            engine: self.context.engine,
            prices: *prices,
            wish,
            kin: &[],
            seen: None,
            work: &self.work,
            seconds_left: self.context.seconds_left,
        }
    }

    /// Where cells are whole numbers, a table must be of whole numbers too.
    pub(super) fn whole(&self, found: Option<Witness>) -> Option<Witness> {
        found.filter(|witness| !self.problem.is_whole() || witness.denominator == 1)
    }

    /// The cheapest table that grants a wish by moving some cells.
    fn among(
        &self,
        prices: &Prices<'_>,
        cells: &[CellId],
        wish: Wish<'_>,
    ) -> Result<Option<Witness>, SuppressError> {
        Ok(self.whole(self.program(prices, wish).cheapest(cells)?))
    }

    /// A witness for a wish that moves withheld cells only, if one is found without a program.
    pub(crate) fn without_more(&self, cover: &Cover<'_>, wish: Wish<'_>) -> Option<Witness> {
        self.without_programs(cover, &Prices::new(cover).of_withheld_only(), wish)
    }
}

/// The same moves the other way round, if the intruder's bounds allow it.
fn mirrored(problem: &Problem, witness: &Witness) -> Option<Witness> {
    let denominator = i64::from(witness.denominator);
    let moves: Option<Vec<(CellId, i64)>> = witness
        .moves
        .iter()
        .map(|&(cell, step)| {
            let side = if step > 0 { Side::Down } else { Side::Up };
            let room = problem.room(cell, side).map(|room| room.saturating_mul(denominator));
            room.is_none_or(|room| room >= step.abs()).then_some((cell, -step))
        })
        .collect();
    Some(Witness { denominator: witness.denominator, moves: moves? })
}
