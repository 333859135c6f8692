//! Witnesses for the needs of one component, by the cheapest means first.
//!
//! Networks need flows only. Elsewhere hypercubes, products of circuits and flows between layers come first: microseconds each, on all
//! cores. Programs are for what they leave open: some for many needs at once, small ones around a cell, then one for each need on the
//! whole component.

use crate::attack::prove;
use crate::component::Component;
use crate::flow::{Flow, Network};
use crate::ledger::Ledger;
use crate::local::Around;
use crate::product::Products;
use crate::quick::{Question, Quick};
use crate::reach::Probe;
use crate::together::{by_spreading, in_groups};
use cellveil_core::{CellId, Incidence, Need, Pattern, Problem, Side, Witness};
use cellveil_lp::{Engine, EngineError};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Needs per task, and tasks per round after which everybody learns what was found. Fixed, so that the answer does not depend
/// on the number of threads.
const TASK: usize = 64;
const ROUND: usize = 16 * TASK;

/// How often the needs that insiders leave open are gone through: each new witness may move the cells of yet another insider.
const INSIDER_ROUNDS: usize = 6;

/// A component with more cells than this is not solved as a whole: one program takes the simplex method a minute and more.
pub(crate) const WHOLE: usize = 6000;

/// Small programs go on as long as one in this many needs is met by them.
const WORTHWHILE: usize = 16;

/// In so many rounds all insiders who come too close to a need are asked about together: one witness that leaves the cells of all of them alone
/// serves against each. Those for whom there is none are asked about one by one after that.
const TOGETHER_ROUNDS: usize = 2;

/// So many of them for a need in a round: what serves against these mostly serves against others too.
const ONE_BY_ONE: usize = 8;

/// Which insiders a need is asked about.
#[derive(Clone, Copy)]
enum Against {
    AllTogether,
    /// So many at most, each on its own.
    Single(usize),
}

/// One question about a need: which side, how far, and the insiders whose cells stay put.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Asked {
    need: usize,
    side: Side,
    target: i64,
    insiders: Vec<u32>,
}

/// What was found out about a component.
#[derive(Default)]
pub(crate) struct Certified {
    pub(crate) witnesses: Vec<Witness>,
    /// Cells that are shown to be exposed.
    pub(crate) short: Vec<CellId>,
}

/// Finds witnesses, component by component.
pub(crate) struct Certifier<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) pattern: &'a Pattern,
    pub(crate) incidence: Arc<Incidence>,
    /// Without one there are no programs.
    pub(crate) engine: Option<&'a dyn Engine>,
    products: OnceLock<Option<Arc<Products<'a>>>>,
}

impl<'a> Certifier<'a> {
    pub(crate) fn new(problem: &'a Problem, pattern: &'a Pattern, engine: &'a dyn Engine) -> Self {
        let incidence = Arc::new(problem.relations().incidence(problem.len()));
        Self { problem, pattern, incidence, engine: Some(engine), products: OnceLock::new() }
    }

    pub(crate) fn without_programs(
        problem: &'a Problem,
        pattern: &'a Pattern,
        incidence: Arc<Incidence>,
        products: Option<Arc<Products<'a>>>,
    ) -> Self {
        Self { problem, pattern, incidence, engine: None, products: OnceLock::from(products) }
    }

    /// Witnesses for the needs of a component that the ledger leaves open.
    pub(crate) fn certify(
        &self,
        component: &Component,
        network: Option<&Network>,
        ledger: &Ledger<'_>,
    ) -> Result<Certified, EngineError> {
        let problem = self.problem;
        let mut needs: Vec<usize> =
            component.cells.iter().filter_map(|&cell| problem.needs().position(cell)).collect();
        // Large levels first: their witnesses often serve the small ones too.
        let size = |need: &Need| need.down.max(need.up).max(need.sliding);
        needs.sort_by_key(|&need| (std::cmp::Reverse(size(&problem.needs()[need])), need));
        needs.retain(|&need| !ledger.is_proven(need));
        if needs.is_empty() {
            return Ok(Certified::default());
        }
        let mut short = Vec::new();
        let mut local = ledger.clone();
        let before = local.witnesses().len();
        if let Some(network) = network {
            let mut flow = Flow::new(problem, component, network);
            for need in needs {
                prove(problem, component, &mut local, &mut flow, need)?;
            }
        } else {
            let quick = Quick::new(problem, component);
            without_programs(problem, component, &mut local, &needs, &|asked| quick.cube(asked));
            needs.retain(|&need| !local.is_proven(need));
            short.extend(by_spreading(problem, &self.incidence, component, &mut local, &needs));
            needs.retain(|&need| !local.is_proven(need));
            // Tables of many moves come close to hundreds of insiders each: for somebody in a hurry that is too much.
            let is_hurried = self.engine.is_none() && component.cells.len() > WHOLE;
            if !is_hurried || problem.insiders().is_empty() {
                without_programs(problem, component, &mut local, &needs, &|asked| {
                    self.product(component, asked).or_else(|| quick.answer(asked))
                });
                needs.retain(|&need| !local.is_proven(need));
                let incidence = &self.incidence;
                short.extend(by_spreading(problem, incidence, component, &mut local, &needs));
                needs.retain(|&need| !local.is_proven(need));
            }
            if let Some(engine) = self.engine {
                let incidence = &self.incidence;
                with_programs(problem, incidence, component, engine, &mut local, &needs)?;
            }
        }
        Ok(Certified { witnesses: local.witnesses()[before..].to_vec(), short })
    }

    /// A sum of products of circuits of withheld cells.
    fn product(&self, component: &Component, asked: Question<'_>) -> Option<Witness> {
        let products = self
            .products
            .get_or_init(|| Products::new(self.problem, Arc::clone(&self.incidence)).map(Arc::new))
            .as_ref()?;
        let may_move = |cell: CellId| {
            let at = component.position(cell)?;
            asked.unmoved.binary_search(&at).is_err().then_some(0.0)
        };
        products.reach(component.cells[asked.at as usize], asked.side, asked.target, &may_move)
    }
}

fn without_programs(
    problem: &Problem,
    component: &Component,
    ledger: &mut Ledger<'_>,
    needs: &[usize],
    find: &(dyn Fn(Question<'_>) -> Option<Witness> + Sync),
) {
    // The same question has the same answer.
    let mut in_vain: BTreeSet<Asked> = BTreeSet::new();
    for round in 0..=INSIDER_ROUNDS {
        let mut found_any = false;
        let is_early = round < TOGETHER_ROUNDS;
        let against = if is_early { Against::AllTogether } else { Against::Single(ONE_BY_ONE) };
        for needs in needs.chunks(ROUND) {
            let answers: Vec<Vec<(Asked, Option<Witness>)>> = needs
                .par_chunks(TASK)
                .map(|needs| {
                    let asked = needs
                        .iter()
                        .flat_map(|&n| questions(problem, component, ledger, n, against))
                        .filter(|asked| !in_vain.contains(asked));
                    let answered = asked.map(|asked| {
                        let found = quickly(problem, component, &asked, find);
                        (asked, found)
                    });
                    answered.collect()
                })
                .collect();
            for (asked, witness) in answers.into_iter().flatten() {
                if let Some(witness) = witness {
                    found_any |= ledger.add(witness);
                } else {
                    in_vain.insert(asked);
                }
            }
        }
        if problem.insiders().is_empty() || (!found_any && !is_early) {
            return;
        }
    }
}

/// What is still to be shown for a need, as far as there is room for it.
fn questions(
    problem: &Problem,
    component: &Component,
    ledger: &Ledger<'_>,
    need: usize,
    against: Against,
) -> Vec<Asked> {
    let Some(at) = component.position(problem.needs()[need].cell) else { return Vec::new() };
    let groups: Vec<Vec<u32>> = if ledger.is_met(need, None) {
        let blocking = ledger.blocking(need);
        match against {
            Against::AllTogether => vec![blocking],
            Against::Single(most) => blocking.into_iter().take(most).map(|i| vec![i]).collect(),
        }
    } else {
        vec![Vec::new()]
    };
    let mut asked = Vec::new();
    for insiders in groups {
        for side in Side::BOTH {
            let Some(target) = wanted(ledger, need, side, &insiders) else { continue };
            if component.room(at, side).is_none_or(|room| room >= target) {
                asked.push(Asked { need, side, target, insiders: insiders.clone() });
            }
        }
    }
    asked
}

/// How far a side must still be shown to go against each of some insiders, or for everybody where there are none.
fn wanted(ledger: &Ledger<'_>, need: usize, side: Side, insiders: &[u32]) -> Option<i64> {
    if insiders.is_empty() {
        return ledger.wanted(need, side, None);
    }
    insiders.iter().filter_map(|&insider| ledger.wanted(need, side, Some(insider))).max()
}

fn quickly(
    problem: &Problem,
    component: &Component,
    asked: &Asked,
    find: &dyn Fn(Question<'_>) -> Option<Witness>,
) -> Option<Witness> {
    let unmoved = unmoved(problem, component, &asked.insiders);
    let at = component.position(problem.needs()[asked.need].cell)?;
    find(Question { at, side: asked.side, target: asked.target, unmoved: &unmoved })
}

/// The positions of the cells of some insiders, ascending.
fn unmoved(problem: &Problem, component: &Component, insiders: &[u32]) -> Vec<u32> {
    let cells = insiders.iter().flat_map(|&insider| problem.insiders().cells(insider));
    let mut positions: Vec<u32> = cells.filter_map(|&cell| component.position(cell)).collect();
    positions.sort_unstable();
    positions
}

fn with_programs(
    problem: &Problem,
    incidence: &Incidence,
    component: &Component,
    engine: &dyn Engine,
    ledger: &mut Ledger<'_>,
    needs: &[usize],
) -> Result<(), EngineError> {
    if needs.is_empty() {
        return Ok(());
    }
    let rows_of = component.rows_of();
    let around = Around { problem, incidence, component, rows_of: &rows_of, engine };
    if component.cells.len() <= WHOLE {
        in_groups(&around, ledger, needs)?;
    }
    around_cells(&around, ledger, needs)?;
    if component.cells.len() > WHOLE {
        return Ok(());
    }
    let mut probe = Probe::new(problem, incidence, component, engine)?;
    for &need in needs {
        prove(problem, component, ledger, &mut probe, need)?;
    }
    Ok(())
}

/// Small programs around each cell, on all cores.
fn around_cells(
    around: &Around<'_>,
    ledger: &mut Ledger<'_>,
    needs: &[usize],
) -> Result<(), EngineError> {
    let Around { problem, component, .. } = *around;
    for needs in needs.chunks(2 * TASK) {
        let is_open = |need: &&usize| !ledger.is_proven(**need);
        let open = needs.iter().filter(is_open).count();
        let found: Result<Vec<Vec<Option<Witness>>>, EngineError> = needs
            .par_chunks(TASK / 4)
            .map(|needs| {
                let each = Against::Single(usize::MAX);
                let asked =
                    needs.iter().flat_map(|&n| questions(problem, component, ledger, n, each));
                asked
                    .map(|asked| {
                        let unmoved = unmoved(problem, component, &asked.insiders);
                        let cell = problem.needs()[asked.need].cell;
                        let Some(at) = component.position(cell) else { return Ok(None) };
                        let (side, target) = (asked.side, asked.target);
                        around.grow(Question { at, side, target, unmoved: &unmoved })
                    })
                    .collect()
            })
            .collect();
        for witness in found?.into_iter().flatten().flatten() {
            ledger.add(witness);
        }
        let is_open = |need: &&usize| !ledger.is_proven(**need);
        let closed = open - needs.iter().filter(is_open).count();
        // In large tables what flows leave open takes thousands of cells, and no neighbourhood is large enough.
        if closed * WORTHWHILE < open {
            return Ok(());
        }
    }
    Ok(())
}
