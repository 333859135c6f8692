//! `<SUPPRESS> RND(…)` and `CTA(…)`: values are changed instead of withheld.

use super::BatchError;
use super::loaded::Protection;
use super::machine::Machine;
use crate::adjustment::secure_adjusted;
use crate::{Run, Settings, TimeLimit};
use cellveil_adjust::{Method, Options, Search, Weights};
use cellveil_argus::arb::{Suppress, Technique};
use cellveil_argus::{
    Adjusted, Adjusting, ArgusTable, CellState, CellStatus, Costs, Fault, Instance, to_adjust,
};
use cellveil_core::units::{ceil_units, pow10};
use cellveil_core::{AdjustedRelease, CellId};
use std::time::Duration;

/// How far from the best an adjusted table may be, as in τ-ARGUS.
const CTA_GAP: f64 = 0.05;

/// How long a method may search where the batch does not say, as in τ-ARGUS.
const MINUTES: f64 = 10.0;

impl Machine<'_> {
    pub(super) fn adjust(&mut self, suppress: &Suppress) -> Result<(), BatchError> {
        let at = self.number("<SUPPRESS>", suppress.table)?;
        self.tables[at].protection = None;
        self.tables[at].table_mut().unprotect();
        let table = self.tables[at].table();
        // τ-ARGUS rounds at no weight unless told otherwise, and moves cells at the costs of a JJ file.
        let unit_cost = suppress.parameter(5).is_none_or(|flag| flag != 0.0);
        let (method, weights, costs) = match suppress.technique {
            Technique::Rounding if unit_cost => (Method::Rounding, Weights::One, Costs::Plain),
            Technique::Rounding => (Method::Rounding, Weights::Given, Costs::Plain),
            _ => (Method::Cta, Weights::Given, Costs::Scaled),
        };
        let Instance { problem, cells, .. } = to_adjust(table, costs)
            .map_err(|source| BatchError::Instance { place: self.place(), source })?;
        let mut options = Options { weights, whole: true, ..Options::default() };
        if method == Method::Rounding {
            self.rounding(table, problem.decimals(), suppress, &mut options)?;
        }
        let minutes = suppress.minutes().unwrap_or(MINUTES).max(0.0);
        let limit = Some(TimeLimit(Duration::from_secs_f64(60.0 * minutes)));
        let gap = (method == Method::Cta).then_some(CTA_GAP);
        let settings = self.settings.or(Settings { time_limit: limit, gap, ..Settings::default() });
        let run = Run::new(settings, self.progress);
        let (release, _, _) = secure_adjusted(problem, (method, &options), self.engine, &run)
            .map_err(|source| self.work(source))?;
        let changed = self.change(at, &cells[0], &release, method);
        let method = method.name().to_owned();
        self.log.say(format!(
            "Table {} has been protected by the method {method}\n{changed} cells have been changed",
            at + 1
        ));
        self.tables[at].protection = Some(Protection { method, intervals: None });
        Ok(())
    }

    /// Reads the parameters of rounding and checks its base.
    fn rounding(
        &self,
        table: &ArgusTable,
        decimals: u8,
        suppress: &Suppress,
        options: &mut Options,
    ) -> Result<(), Fault> {
        let scale = pow10(decimals) as f64;
        let base = suppress.parameter(0).map(|base| base * scale);
        let base = base.filter(|base| *base >= 1.0 && base.fract() == 0.0).ok_or_else(|| {
            self.fault("rounding needs a base, at least one unit of the table")
                .hint("write it after the table, as in `RND(1,5)`")
        })?;
        let (least, why) = smallest_base(table);
        if base < least * scale {
            return Err(self
                .fault(format!("the base is too small: {why}"))
                .hint("take a larger base, or `CTA`"));
        }
        options.base = ceil_units(base);
        options.steps = suppress.parameter(1).map_or(0, |steps| steps.clamp(0.0, 99.0) as u32);
        if suppress.parameter(4) == Some(1.0) {
            options.search = Search::Start;
        }
        Ok(())
    }

    /// Notes what is to be published in a table; says how many cells differ from the truth.
    fn change(
        &mut self,
        at: usize,
        cells: &[CellId],
        release: &AdjustedRelease,
        method: Method,
    ) -> usize {
        let (problem, adjustment) = (release.problem(), release.adjustment());
        let how = if method == Method::Rounding { Adjusting::Rounded } else { Adjusting::Moved };
        let table = self.tables[at].table_mut();
        let values = cells.iter().map(|cell| adjustment.values()[cell.index()]).collect();
        table.adjusted = Some(Adjusted { how, decimals: adjustment.decimals(), values });
        let mut changed = 0;
        for (state, &cell) in table.states.iter_mut().zip(cells) {
            if adjustment.moved(problem, cell) == 0 {
                continue;
            }
            changed += 1;
            if how == Adjusting::Moved && !state.status.is_withheld() && !state.status.is_empty() {
                *state = CellState::safe(CellStatus::Secondary);
            }
        }
        changed
    }
}

/// The smallest base that can protect a table, and why; amounts are not named.
fn smallest_base(table: &ArgusTable) -> (f64, String) {
    if table.specify.response.is_none() {
        let least = table.rules.frequency.iter().flatten().map(|rule| rule.below).max();
        let least = least.unwrap_or(1).max(1);
        return (least as f64, format!("fewer than {least} contributors are too few to be shown"));
    }
    let mut widest = (1.0, "it must be at least 1".to_owned());
    for (at, state) in table.states.iter().enumerate().filter(|(_, s)| s.status.is_unsafe()) {
        if state.lower + state.upper > widest.0 {
            let cell = table.response.names().describe(CellId::at(at)).to_string();
            let why = format!("it is below the protection interval of `{cell}`");
            widest = (state.lower + state.upper, why);
        }
    }
    widest
}
