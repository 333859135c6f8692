//! Needs that a pattern leaves open, met one after the other at the least cost.

use super::near::Near;
use super::price::{Prices, Program, Wish, least};
use crate::cover::Cover;
use crate::method::{Context, SuppressError};
use cellveil_attack::{Component, Probe, Products, Reached, reduce};
use cellveil_core::{CellId, Incidence, Problem, Side, Status, Why, Witness};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// How a need is met.
#[derive(Clone, Copy)]
pub(crate) enum Manner {
    /// By products of circuits; by programs only where there are none.
    Quick,
    /// By whichever is cheaper, at prices changed by chance unless this is 0.
    Careful(u64),
}

/// What every step of a search shares.
pub(crate) struct Workshop<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) context: &'a Context<'a>,
    pub(crate) incidence: Arc<Incidence>,
    least: f64,
    /// The cells of all programs so far: what a search is limited by, the same everywhere.
    work: AtomicU64,
    /// The system with every cell withheld that may be.
    everything: OnceLock<Vec<Component>>,
    products: OnceLock<Option<Products<'a>>>,
}

impl<'a> Workshop<'a> {
    pub(crate) fn new(problem: &'a Problem, context: &'a Context<'a>) -> Self {
        let incidence = Arc::new(problem.relations().incidence(problem.len()));
        Self {
            problem,
            context,
            incidence,
            least: least(problem),
            work: AtomicU64::new(0),
            everything: OnceLock::new(),
            products: OnceLock::new(),
        }
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
    pub(crate) fn products(&self) -> Option<&Products<'a>> {
        self.products
            .get_or_init(|| Products::new(self.problem, Arc::clone(&self.incidence)))
            .as_ref()
    }

    fn everything(&self) -> &[Component] {
        self.everything.get_or_init(|| {
            let mut all = self.problem.start();
            for cell in self.problem.cells() {
                if self.problem.status(cell) == Status::Free {
                    all.withhold(cell, Why::Secondary);
                }
            }
            reduce(self.problem, &all).components
        })
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

    fn size(&self, need: usize) -> i64 {
        let need = &self.problem.needs()[need];
        need.down.max(need.up).max(need.sliding)
    }

    /// What withholding more costs now.
    pub(crate) fn prices<'c>(&self, cover: &'c Cover<'c>) -> Prices<'c> {
        Prices::new(cover, self.least)
    }

    /// Meets needs in the given order.
    pub(crate) fn protect(
        &self,
        cover: &mut Cover<'_>,
        needs: &[usize],
        manner: Manner,
    ) -> Result<(), SuppressError> {
        let mut near = Near::new(self.problem, &self.incidence);
        for (done, &need) in needs.iter().enumerate() {
            if self.context.is_over() {
                let open = needs.iter().filter(|&&need| !cover.is_proven(need)).count();
                return Err(SuppressError::OutOfTime { open });
            }
            self.context.progress.step("protect", done, needs.len(), cover.cost());
            let before = cover.cost();
            self.meet(cover, need, &mut near, manner)?;
            if std::env::var("TRACE").is_ok() && done < 60 {
                let n = &self.problem.needs()[need];
                let r: Vec<usize> = cover.relied(need).iter().map(|w| w.moves.len()).collect();
                eprintln!(
                    "{done} need {} value {} levels {} {} cost {} now {} moves {r:?}",
                    n.cell.0,
                    self.problem.value(n.cell),
                    n.down,
                    n.up,
                    cover.cost() - before,
                    cover.cost()
                );
            }
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
        let cell = self.problem.needs()[need].cell;
        self.approach(cover, need, None, near, manner)?;
        if !cover.is_met(need, None) {
            return Err(self.no_pattern(cell));
        }
        while let Some(insider) = cover.blocking(need) {
            self.approach(cover, need, Some(insider), near, manner)?;
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
                cover.rely(need, witness);
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
                cover.rely(need, witness);
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
        let noise = if let Manner::Careful(noise) = manner { noise } else { 0 };
        let prices = self.prices(cover).with_noise(noise);
        let product = self.product(&prices, wish);
        let product = match product {
            Some(p) if cover.charge(&p) <= 1e-3 * cover.cost() => Some(p),
            other => {
                let t = std::time::Instant::now();
                let price = |cell: CellId| {
                    if wish.unmoved.contains(&cell) { None } else { prices.charge(cell) }
                };
                let pursued = self.products().and_then(|products| {
                    products.pursue(wish.cell, wish.side, wish.target, &price)
                });
                if std::env::var("TRACE").is_ok() {
                    eprintln!(
                        "pursuit {:.4}s {:?} product {:?}",
                        t.elapsed().as_secs_f64(),
                        pursued.as_ref().map(|w| (w.moves.len(), cover.charge(w))),
                        other.as_ref().map(|w| (w.moves.len(), cover.charge(w)))
                    );
                }
                let cheaper =
                    |a: &Witness, b: &Witness| cover.charge(a).total_cmp(&cover.charge(b));
                [pursued, other].into_iter().flatten().min_by(cheaper)
            }
        };
        let share: f64 = std::env::var("IMP").ok().and_then(|v| v.parse().ok()).unwrap_or(0.02);
        if let (Manner::Quick, Some(found)) = (manner, &product)
            && (share > 1.0 || cover.charge(found) <= share * cover.cost())
        {
            return Ok(product);
        }
        let t = std::time::Instant::now();
        let found = self
            .program(&prices, wish)
            .cheapest_near(near, cover.lead(wish.cell, wish.side).as_deref())?;
        if std::env::var("TRACE").is_ok() {
            eprintln!(
                "program {:.2}s {:?} product {:?}",
                t.elapsed().as_secs_f64(),
                found.as_ref().map(|w| (w.moves.len(), cover.charge(w))),
                product.as_ref().map(|w| (w.moves.len(), cover.charge(w)))
            );
        }
        let found = [product, self.whole(found)].into_iter().flatten();
        let cheaper = |a: &Witness, b: &Witness| cover.charge(a).total_cmp(&cover.charge(b));
        if let Some(witness) = found.min_by(cheaper) {
            return Ok(Some(witness));
        }
        let Some(component) = self.component(wish.cell) else { return Ok(None) };
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

    /// A sum of products that grants a wish.
    pub(crate) fn product(&self, prices: &Prices<'_>, wish: Wish<'_>) -> Option<Witness> {
        let price = |cell: CellId| {
            if wish.unmoved.contains(&cell) { None } else { prices.charge(cell) }
        };
        self.products()?.reach(wish.cell, wish.side, wish.target, &price)
    }

    fn program<'w>(&'w self, prices: &Prices<'w>, wish: Wish<'w>) -> Program<'w> {
        Program {
            problem: self.problem,
            incidence: &self.incidence,
            engine: self.context.engine,
            prices: *prices,
            wish,
            work: &self.work,
        }
    }

    /// Where cells are whole numbers, a table must be of whole numbers too.
    fn whole(&self, found: Option<Witness>) -> Option<Witness> {
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

    /// A witness for a wish that moves withheld cells only, if one is found nearby.
    pub(crate) fn without_more(
        &self,
        near: &mut Near<'_>,
        cover: &Cover<'_>,
        wish: Wish<'_>,
    ) -> Result<Option<Witness>, SuppressError> {
        let prices = self.prices(cover).of_withheld_only();
        let lead = cover.lead(wish.cell, wish.side);
        Ok(self.whole(self.program(&prices, wish).cheapest_near(near, lead.as_deref())?))
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
