//! The attack on a whole pattern.

use crate::component::{Component, Reduced, reduce};
use crate::intervals::intervals;
use crate::ledger::Ledger;
use crate::reach::{Probe, Reached};
use cellveil_core::{
    Audit, CellId, Certificate, Exposure, Incidence, Interval, Need, Pattern, Problem, Side,
    Witness,
};
use cellveil_lp::{Engine, EngineError};
use rayon::prelude::*;
use thiserror::Error;

/// For which withheld cells to find intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intervals {
    /// All of them.
    #[default]
    All,
    /// The sensitive ones.
    Needs,
    /// None: whether needs are met is found out all the same.
    None,
}

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
    let incidence = problem.relations().incidence(problem.len());
    let Reduced { determined, components } = reduce(problem, pattern);
    let mut ledger = Ledger::new(problem);
    for witness in
        known.iter().filter(|w| w.moves.iter().all(|&(cell, _)| pattern.is_withheld(cell)))
    {
        ledger.add(witness.clone());
    }
    let shown: Result<Vec<Vec<Witness>>, EngineError> = components
        .par_iter()
        .map(|component| certify(problem, &incidence, component, engine, &ledger))
        .collect();
    for witness in shown?.into_iter().flatten() {
        ledger.add(witness);
    }
    let mut found: Vec<Interval> = Vec::new();
    if options.intervals != Intervals::None {
        let wanted = |cell: &CellId| {
            options.intervals == Intervals::All || problem.needs().of(*cell).is_some()
        };
        let exact = |&cell: &CellId| {
            let value = Some(problem.value(cell) as f64);
            Interval { cell, lower: value, upper: value }
        };
        found.extend(determined.iter().filter(|cell| wanted(cell)).map(exact));
        for component in &components {
            let cells: Vec<CellId> =
                component.cells.iter().copied().filter(|cell| wanted(cell)).collect();
            found.extend(intervals(problem, &incidence, component, &cells, engine)?);
        }
        found.sort_by_key(|interval| interval.cell);
    }
    let audit = Audit { intervals: found, exposed: exposed(problem, pattern, &ledger) };
    Ok(Attack { audit, certificate: ledger.certificate() })
}

/// Finds witnesses for the needs of a component that the ledger leaves open.
fn certify(
    problem: &Problem,
    incidence: &Incidence,
    component: &Component,
    engine: &dyn Engine,
    ledger: &Ledger<'_>,
) -> Result<Vec<Witness>, EngineError> {
    let mut needs: Vec<usize> =
        component.cells.iter().filter_map(|&cell| problem.needs().position(cell)).collect();
    // Large levels first: their witnesses often serve the small ones too.
    let size = |need: &Need| need.down.max(need.up).max(need.sliding);
    needs.sort_by_key(|&need| (std::cmp::Reverse(size(&problem.needs()[need])), need));
    let is_open = |ledger: &Ledger<'_>, need: usize| {
        !ledger.is_met(need)
            || Side::BOTH.iter().any(|&side| !ledger.blocking(need, side).is_empty())
    };
    if !needs.iter().any(|&need| is_open(ledger, need)) {
        return Ok(Vec::new());
    }
    let mut local = ledger.clone();
    let before = local.witnesses().len();
    let mut probe = Probe::new(problem, incidence, component, engine)?;
    for need in needs {
        prove(problem, &mut local, &mut probe, need)?;
    }
    Ok(local.witnesses()[before..].to_vec())
}

/// Looks for what a need still lacks; what cannot be shown stays open.
///
/// # Errors
/// [`EngineError`] if the engine fails.
pub fn prove(
    problem: &Problem,
    ledger: &mut Ledger<'_>,
    probe: &mut Probe<'_>,
    need: usize,
) -> Result<(), EngineError> {
    let cell = problem.needs()[need].cell;
    // Up again at the end: how far up is needed may depend on how far down is possible.
    for side in [Side::Up, Side::Down, Side::Up] {
        if let Some(target) = ledger.wanted(need, side, None) {
            note(ledger, probe.reach(cell, side, target, &[])?);
        }
    }
    if !ledger.is_met(need) {
        return Ok(());
    }
    for side in Side::BOTH {
        let mut tried: Vec<u32> = Vec::new();
        while let Some(insider) =
            ledger.blocking(need, side).into_iter().find(|i| !tried.contains(i))
        {
            let target = ledger.wanted(need, side, Some(insider)).unwrap_or(0);
            let known = problem.insiders().cells(insider);
            note(ledger, probe.reach(cell, side, target, known)?);
            tried.push(insider);
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
        let before = exposed.len();
        for side in Side::BOTH {
            if ledger.shown(at, side, None) < need.on(side) || !pattern.is_withheld(cell) {
                exposed.push(Exposure { cell, side: Some(side), singleton: None });
            }
        }
        if exposed.len() > before {
            continue;
        }
        if !ledger.is_met(at) {
            exposed.push(Exposure { cell, side: None, singleton: None });
            continue;
        }
        for side in Side::BOTH {
            for insider in ledger.blocking(at, side) {
                let singleton = problem.insiders().cells(insider).first().copied();
                exposed.push(Exposure { cell, side: Some(side), singleton });
            }
        }
    }
    exposed
}
