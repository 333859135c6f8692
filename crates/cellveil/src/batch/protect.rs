//! `<SUPPRESS>`: one table, or all tables as one system.

use super::loaded::Protection;
use super::machine::Machine;
use super::{BatchError, methods};
use crate::secure::secure_by;
use crate::{Error, Exposed, Run, Settings, TimeLimit, audit};
use cellveil_argus::arb::{CostSpec, Suppress, Technique};
use cellveil_argus::{CellState, CellStatus, Costs, Instance, Singletons, instance};
use cellveil_attack::Intervals;
use cellveil_core::{Audit, CellId, Interval, Problem, Release, Why};
use cellveil_suppress::{Context, Method, Plan, suppress_by};
use std::time::Duration;

impl Machine<'_> {
    pub(super) fn suppress(&mut self, suppress: &Suppress) -> Result<(), BatchError> {
        let adjusts = matches!(suppress.technique, Technique::Rounding | Technique::Adjustment);
        if adjusts && self.options.method.is_none() {
            return self.adjust(suppress);
        }
        let tables: Vec<usize> = match suppress.table {
            0 => (0..self.tables.len()).collect(),
            number => vec![self.number("<SUPPRESS>", number)?],
        };
        let method = match self.options.method {
            Some(method) => method,
            None => methods::method_of(suppress.technique)
                .map_err(|(what, hint)| self.fault(what).hint(hint))?,
        };
        for &at in &tables {
            self.tables[at].protection = None;
            self.tables[at].table_mut().unprotect();
            let by_distance = self.tables[at].table().specify.cost == CostSpec::Distance;
            if by_distance && !self.has_plan(suppress) {
                let hint = "use `MOD` without `--strict` and `--method`, or another cost: the value, the frequency, one per cell or a variable";
                return Err(self.fault("only `MOD` knows costs by distance").hint(hint).into());
            }
        }
        let costs = if self.options.method.is_some() {
            Costs::Plain
        } else {
            methods::costs_of(suppress.technique)
        };
        let posed = self.instance(&tables, suppress, costs)?;
        let settings = self.limited(suppress, method);
        let run = Run::new(settings, self.progress);
        let intervals = if self.audited { Intervals::All } else { Intervals::None };
        let plan = self.plan(&tables, suppress, &posed);
        let Instance { problem, cells, virtual_cells } = posed;
        let choose = |problem: &Problem, context: &Context<'_>| match &plan {
            Some(plan) => suppress_by(problem, plan, context),
            None => cellveil_suppress::suppress(problem, method, context),
        };
        let secured = secure_by(problem, &choose, intervals, self.engine, &run)
            .map_err(|source| self.work(source))?;
        let linked = if tables.len() > 1 { ", linked" } else { "" };
        let name = secured.summary.method.clone().unwrap_or_else(|| method.name().to_owned());
        for (&at, cells) in tables.iter().zip(&cells) {
            let count = self.withhold(at, cells, &secured.release);
            let intervals = self.audited.then(|| of_table(&secured.audit, cells, &secured.release));
            let method = format!("{name}{linked}");
            self.tables[at].protection = Some(Protection { method, intervals });
            self.log.say(format!(
                "Table {} has been protected by the method {name}{linked}\n{count} cells have been suppressed",
                at + 1
            ));
        }
        if self.options.strict {
            self.log.say("whoever is alone in a cell was taken for an intruder of its own");
        } else if virtual_cells > 0 {
            self.log.say(format!(
                "{virtual_cells} virtual cells protect sums that a single contributor could use"
            ));
        }
        Ok(())
    }

    /// The sub-tables of MOD, unless another method or intruder is asked for.
    fn plan(&self, tables: &[usize], suppress: &Suppress, posed: &Instance) -> Option<Plan> {
        let tables: Vec<_> = tables.iter().map(|&at| self.tables[at].table()).collect();
        self.has_plan(suppress).then(|| super::plan::plan(&tables, posed, suppress))
    }

    fn has_plan(&self, suppress: &Suppress) -> bool {
        let is_modular = suppress.technique == Technique::Modular && self.options.method.is_none();
        is_modular && !self.options.strict
    }

    /// The instance of some tables.
    fn instance(
        &mut self,
        tables: &[usize],
        suppress: &Suppress,
        costs: Costs,
    ) -> Result<Instance, BatchError> {
        let uncounted = tables.iter().any(|&at| !self.tables[at].table().counted);
        if self.options.strict && uncounted {
            self.log
                .say("nobody counted the contributors, so it is not known who is alone in a cell");
        }
        let singletons = if self.options.strict {
            Singletons::Intruders
        } else {
            Singletons::Virtual(suppress.singletons())
        };
        let chosen: Vec<_> = tables.iter().map(|&at| self.tables[at].table()).collect();
        let posed = instance(&chosen, singletons, costs);
        // The hypercube method is told how well values are known beforehand.
        let known = suppress.parameter(0).filter(|percent| (0.0..100.0).contains(percent));
        let posed = match known.filter(|_| suppress.technique == Technique::Hypercube) {
            Some(percent) => posed.and_then(|posed| posed.known_within(percent)),
            None => posed,
        };
        posed.map_err(|source| BatchError::Instance { place: self.place(), source })
    }

    pub(super) fn work(&self, source: Error) -> BatchError {
        BatchError::Work { place: self.place(), source: Box::new(source) }
    }

    /// The minutes of the batch bind the exact method only: those of MOD are for each of its subtables.
    fn limited(&self, suppress: &Suppress, method: Method) -> Settings {
        let minutes = suppress.minutes().filter(|_| {
            suppress.technique == Technique::Optimal && method.name() == Technique::Optimal.name()
        });
        let limit =
            minutes.map(|minutes| TimeLimit(Duration::from_secs_f64(60.0 * minutes.max(0.0))));
        self.settings.or(Settings { time_limit: limit, ..Settings::default() })
    }

    /// Marks the secondaries of a release in a table; says how many there are.
    fn withhold(&mut self, at: usize, cells: &[CellId], release: &Release) -> usize {
        let table = self.tables[at].table_mut();
        for (state, &cell) in table.states.iter_mut().zip(cells) {
            let secondary = release.pattern().why(cell) == Some(Why::Secondary);
            if secondary && !state.status.is_withheld() {
                *state = CellState::safe(CellStatus::Secondary);
            } else if release.pattern().why(cell) == Some(Why::Primary) && !state.status.is_unsafe()
            {
                // Sensitive in another of the linked tables.
                *state = CellState::safe(CellStatus::Secondary);
            }
        }
        table.count(CellStatus::is_secondary)
    }

    /// Whether a table may be shown to the public: protected, or nothing in it to be found out.
    pub(super) fn check_public(&mut self, at: usize) -> Result<(), BatchError> {
        if self.tables[at].protection.is_some() {
            return Ok(());
        }
        let off = Singletons::Virtual([false; 3]);
        let Instance { problem, .. } = instance(&[self.tables[at].table()], off, Costs::Plain)
            .map_err(|source| BatchError::Instance { place: self.place(), source })?;
        let run = Run::new(self.settings, self.progress);
        let pattern = problem.start();
        let audited = audit(&problem, &pattern, Intervals::None, self.engine, &run)
            .map_err(|source| self.work(source))?;
        if let Some(exposed) = Exposed::of(&problem, &audited.audit) {
            return Err(BatchError::Unprotected { place: self.place(), exposed });
        }
        // That nothing is exposed is only the attack's word until its proof is verified.
        match Release::new(problem, pattern, audited.certificate) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.work(error.into())),
        }
    }
}

/// The intervals of a table's cells, as amounts.
fn of_table(audit: &Audit, cells: &[CellId], release: &Release) -> Vec<Option<Interval>> {
    let scale = 10_f64.powi(i32::from(release.problem().decimals()));
    let amounts = |interval: &Interval| Interval {
        cell: interval.cell,
        lower: interval.lower.map(|units| units / scale),
        upper: interval.upper.map(|units| units / scale),
    };
    cells.iter().map(|&cell| audit.interval(cell).map(amounts)).collect()
}
