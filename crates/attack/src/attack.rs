//! The attack on a whole pattern.

use crate::certify::{Certified, Certifier, WHOLE};
use crate::component::{Component, Reduced, reduce};
use crate::disclosure::disclose;
use crate::flow::{self, Network};
use crate::intervals::intervals;
use crate::ledger::Ledger;
use crate::product::Products;
use crate::propagate::Rows;
use crate::reached::{Reach, Reached};
use crate::shortage::falls_short;
use cellveil_core::{
    Audit, CellId, Certificate, Exposure, Incidence, Interval, Need, Pattern, Problem, Side,
    Witness,
};
use cellveil_lp::{Engine, EngineError};
use rayon::prelude::*;
use std::sync::Arc;
use thiserror::Error;

/// For which withheld cells to find intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intervals {
    /// All of them.
    #[default]
    All,
    /// All of them where that is quick: in networks, and in components of at most [`AFFORDABLE`] cells,
    /// but not in tables of millions of cells.
    Affordable,
    /// The sensitive ones.
    Needs,
    /// None: whether needs are met is found out all the same.
    None,
}

/// Every interval is two programs on its whole component; with more cells than this they are found on request only.
pub const AFFORDABLE: usize = 1500;

/// In tables with more cells than this no interval is affordable.
const MANY: usize = 2_000_000;

/// Of how many cells of large components the relations around them are asked whether they are exposed.
const EXAMINED: usize = 2000;

/// What to find out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// For which cells to find intervals.
    pub intervals: Intervals,
}

/// What an intruder finds, and the proof of what it does not.
#[derive(Clone, Debug)]
pub struct Attack {
    /// Intervals and exposed needs.
    pub audit: Audit,
    /// Witnesses for every need that is met.
    pub certificate: Certificate,
}

/// The attack could not be carried out.
#[derive(Clone, Debug, Error)]
#[error(transparent)]
pub struct AttackError(#[from] EngineError);

/// Attacks a pattern. Witnesses that are `known` already are tried first; those that the pattern makes invalid are ignored.
///
/// # Errors
/// [`AttackError`] if the engine fails.
pub fn attack(
    problem: &Problem,
    pattern: &Pattern,
    engine: &dyn Engine,
    options: Options,
    known: &[Witness],
) -> Result<Attack, AttackError> {
    let intervals_wanted = match options.intervals {
        Intervals::None => false,
        Intervals::Affordable => problem.len() <= MANY,
        _ => true,
    };
    if !intervals_wanted && let Some(attack) = known_already(problem, pattern, known) {
        return Ok(attack);
    }
    let certifier = Certifier::new(problem, pattern, engine);
    let Reduced { determined, components } = disclose(reduce(problem, pattern));
    let networks: Vec<Option<Network>> = components.par_iter().map(Network::of).collect();
    let (ledger, short) = shown(&certifier, &components, &networks, known)?;
    let mut found: Vec<Interval> = Vec::new();
    if options.intervals != Intervals::None {
        let wanted = |cell: &CellId| {
            options.intervals != Intervals::Needs || problem.needs().of(*cell).is_some()
        };
        let affordable = |component: &Component, network: &Option<Network>| {
            options.intervals != Intervals::Affordable
                || network.is_some()
                || component.cells.len() <= AFFORDABLE
        };
        let exact = |&cell: &CellId| {
            let value = Some(problem.value(cell) as f64);
            Interval { cell, lower: value, upper: value }
        };
        found.extend(determined.iter().filter(|cell| wanted(cell)).map(exact));
        let pairs = components.iter().zip(&networks);
        for (component, network) in pairs.filter(|(c, network)| affordable(c, network)) {
            let cells: Vec<CellId> =
                component.cells.iter().copied().filter(|cell| wanted(cell)).collect();
            found.extend(match network {
                Some(network) => flow::intervals(problem, network, component, &cells),
                None => intervals(problem, &certifier.incidence, component, &cells, engine)?,
            });
        }
        found.sort_by_key(|interval| interval.cell);
        widen(problem, &mut found, ledger.witnesses());
    }
    let exposed = exposed(problem, pattern, &ledger);
    let mut undecided = undecided(problem, &components, &networks, &exposed, engine)?;
    undecided.retain(|cell| !short.contains(cell));
    let audit = Audit { intervals: found, exposed, undecided };
    Ok(Attack { audit, certificate: ledger.certificate() })
}

/// No interval is narrower than what a witness shows. Witnesses are exact; an engine is not, where amounts of a component differ by many digits.
fn widen(problem: &Problem, intervals: &mut [Interval], witnesses: &[Witness]) {
    for witness in witnesses {
        for &(cell, step) in &witness.moves {
            let found = intervals.binary_search_by_key(&cell, |interval| interval.cell);
            let Ok(interval) = found.map(|at| &mut intervals[at]) else { continue };
            let place = problem.value(cell) as f64 + step as f64 / f64::from(witness.denominator);
            interval.lower = interval.lower.map(|lower| lower.min(place));
            interval.upper = interval.upper.map(|upper| upper.max(place));
        }
    }
}

/// The attack that has nothing left to find: every need is met by what is known, and nothing else is asked. It takes little memory.
fn known_already(problem: &Problem, pattern: &Pattern, known: &[Witness]) -> Option<Attack> {
    if known.is_empty() {
        return None;
    }
    let ledger = of_known(problem, pattern, known);
    let is_met = |need: usize| ledger.is_met(need, None) && ledger.blocking(need).is_empty();
    let sensitive = |need: &Need| pattern.is_withheld(need.cell);
    let all = problem.needs().iter().enumerate().all(|(at, need)| sensitive(need) && is_met(at));
    all.then(|| Attack { audit: Audit::default(), certificate: ledger.certificate() })
}

/// What known witnesses show that move withheld cells only.
fn of_known<'a>(problem: &'a Problem, pattern: &Pattern, known: &[Witness]) -> Ledger<'a> {
    let mut ledger = Ledger::new(problem);
    let is_withheld = |&(cell, _): &(CellId, i64)| pattern.is_withheld(cell);
    for witness in known.iter().filter(|witness| witness.moves.iter().all(is_withheld)) {
        ledger.add(witness.clone());
    }
    ledger
}

/// What can be shown for the needs of a pattern without a single program: every need that the certificate meets is met, of the others
/// nothing is known. The products are those of the problem, if it has any.
///
/// # Errors
/// [`AttackError`] as [`attack`].
pub fn quick_certificate<'a>(
    problem: &'a Problem,
    pattern: &'a Pattern,
    incidence: Arc<Incidence>,
    products: Option<Arc<Products<'a>>>,
    known: &[Witness],
) -> Result<Certificate, AttackError> {
    let certifier = Certifier::without_programs(problem, pattern, incidence, products);
    let components = disclose(reduce(problem, pattern)).components;
    let networks: Vec<Option<Network>> = components.par_iter().map(Network::of).collect();
    let (ledger, _) = shown(&certifier, &components, &networks, known)?;
    Ok(ledger.certificate())
}

/// Everything that is known and found to be shown, and cells that are shown to be exposed.
fn shown<'a>(
    certifier: &Certifier<'a>,
    components: &[Component],
    networks: &[Option<Network>],
    known: &[Witness],
) -> Result<(Ledger<'a>, Vec<CellId>), EngineError> {
    let mut ledger = of_known(certifier.problem, certifier.pattern, known);
    let found: Result<Vec<Certified>, EngineError> = components
        .par_iter()
        .zip(networks)
        .map(|(component, network)| certifier.certify(component, network.as_ref(), &ledger))
        .collect();
    let mut short = Vec::new();
    for found in found? {
        short.extend(found.short);
        for witness in found.witnesses {
            ledger.add(witness);
        }
    }
    Ok((ledger, short))
}

/// Looks for what a need still lacks; what cannot be shown stays open.
///
/// # Errors
/// [`EngineError`] if the engine fails.
pub fn prove(
    problem: &Problem,
    component: &Component,
    ledger: &mut Ledger<'_>,
    probe: &mut dyn Reach,
    need: usize,
) -> Result<(), EngineError> {
    approach(problem, component, ledger, probe, need, None)?;
    if !ledger.is_met(need, None) {
        return Ok(());
    }
    let mut tried: Vec<u32> = Vec::new();
    while let Some(insider) = ledger.blocking(need).into_iter().find(|i| !tried.contains(i)) {
        approach(problem, component, ledger, probe, need, Some(insider))?;
        tried.push(insider);
    }
    Ok(())
}

/// Goes as far on both sides as a need wants, with an insider's cells left alone.
fn approach(
    problem: &Problem,
    component: &Component,
    ledger: &mut Ledger<'_>,
    probe: &mut dyn Reach,
    need: usize,
    insider: Option<u32>,
) -> Result<(), EngineError> {
    let cell = problem.needs()[need].cell;
    let known = insider.map_or(&[][..], |insider| problem.insiders().cells(insider));
    // Up again at the end: how far up is needed may depend on how far down is possible.
    for side in [Side::Up, Side::Down, Side::Up] {
        let Some(wanted) = ledger.wanted(need, side, insider) else { continue };
        // Nobody gets beyond the room that propagation leaves; what is there may still be of use for the width.
        let room = component.position(cell).and_then(|at| component.room(at, side));
        let target = room.map_or(wanted, |room| wanted.min(room));
        if target == wanted || (problem.needs()[need].sliding > 0 && target > 0) {
            note(ledger, probe.reach(cell, side, target, known)?);
        }
        // What the width asks for may be out of reach where the level of the side is not.
        let level = problem.needs()[need].on(side);
        if level < target && ledger.shown(need, side, insider) < level {
            note(ledger, probe.reach(cell, side, level, known)?);
        }
    }
    Ok(())
}

fn note(ledger: &mut Ledger<'_>, reached: Reached) {
    if let Reached::Target(witness) | Reached::Short { witness: Some(witness), .. } = reached {
        ledger.add(witness);
    }
}

/// What is not shown counts as exposed: the attack fails closed.
fn exposed(problem: &Problem, pattern: &Pattern, ledger: &Ledger<'_>) -> Vec<Exposure> {
    let mut exposed = Vec::new();
    for (at, need) in problem.needs().iter().enumerate() {
        let cell = need.cell;
        let exposure = |side, singleton| Exposure { cell, side, singleton };
        if !pattern.is_withheld(cell) {
            exposed.extend(Side::BOTH.map(|side| exposure(Some(side), None)));
        } else if !ledger.is_met(at, None) {
            exposed.extend(lacking(need, at, ledger, None).map(|side| exposure(side, None)));
        } else {
            for insider in ledger.blocking(at) {
                let singleton = problem.insiders().cells(insider).first().copied();
                let sides = lacking(need, at, ledger, Some(insider));
                exposed.extend(sides.map(|side| exposure(side, singleton)));
            }
        }
    }
    exposed
}

/// The exposed cells for which neither a program on their whole component, nor their room, nor the relations around them say that
/// they are.
fn undecided(
    problem: &Problem,
    components: &[Component],
    networks: &[Option<Network>],
    exposed: &[Exposure],
    engine: &dyn Engine,
) -> Result<Vec<CellId>, EngineError> {
    let is_large = |(component, network): &(&Component, &Option<Network>)| {
        network.is_none() && component.cells.len() > WHOLE
    };
    let large: Vec<(&Component, Rows)> = components
        .iter()
        .zip(networks)
        .filter(is_large)
        .map(|(component, _)| (component, component.rows_of()))
        .collect();
    let level = |cell, side| problem.needs().of(cell).map_or(0, |need| need.on(side));
    let place = |cell: CellId| {
        large
            .iter()
            .find_map(|(component, rows)| Some((*component, rows, component.position(cell)?)))
    };
    let has_room = |exposure: &Exposure| {
        place(exposure.cell).is_some_and(|(component, _, at)| {
            let fits = |side| {
                component.room(at, side).is_none_or(|room| room >= level(exposure.cell, side))
            };
            exposure.side.is_none_or(fits)
        })
    };
    let open: Vec<&[Exposure]> = exposed
        .chunk_by(|a, b| a.cell == b.cell)
        .filter(|of_cell| of_cell.iter().all(has_room))
        .collect();
    let falls_short = |exposure: &Exposure| match (exposure.side, place(exposure.cell)) {
        (Some(side), Some((component, rows, at))) if exposure.singleton.is_none() => {
            falls_short(component, rows, engine, (at, side, level(exposure.cell, side)))
        }
        _ => Ok(false),
    };
    let shown: Result<Vec<bool>, EngineError> = open
        .par_iter()
        .take(EXAMINED)
        .map(|of_cell| of_cell.iter().try_fold(false, |shown, e| Ok(shown || falls_short(e)?)))
        .collect();
    let mut shown = shown?;
    shown.resize(open.len(), false);
    Ok(open.iter().zip(shown).filter(|(_, shown)| !shown).map(|(cell, _)| cell[0].cell).collect())
}

/// The sides on which a need that is not met falls short; `None` if only the width does.
fn lacking(
    need: &Need,
    at: usize,
    ledger: &Ledger<'_>,
    insider: Option<u32>,
) -> impl Iterator<Item = Option<Side>> {
    let short = |side: &Side| ledger.shown(at, *side, insider) < need.on(*side);
    let sides: Vec<Option<Side>> = Side::BOTH.into_iter().filter(short).map(Some).collect();
    if sides.is_empty() { vec![None] } else { sides }.into_iter()
}
