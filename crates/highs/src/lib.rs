//! The HiGHS engine: [`cellveil_lp::Engine`] on the HiGHS C library, one thread per session.

use cellveil_lp::{
    Changes, Column, Engine, EngineError, Limits, Model, Outcome, Row, Session, Solution,
};
use highs_sys::{
    Highs_addCol, Highs_addRow, Highs_changeColCost, Highs_changeColsBoundsBySet,
    Highs_clearSolver, Highs_create, Highs_destroy, Highs_getDoubleInfoValue,
    Highs_getIntInfoValue, Highs_getModelStatus, Highs_getObjectiveValue, Highs_getSolution,
    Highs_passMip, Highs_run, Highs_setBoolOptionValue, Highs_setCallback,
    Highs_setDoubleOptionValue, Highs_setIntOptionValue, Highs_setSparseSolution,
    Highs_setStringOptionValue, Highs_startCallback, HighsCallbackDataIn, HighsCallbackDataOut,
    HighsInt, kHighsCallbackMipInterrupt, kHighsModelStatusInfeasible as INFEASIBLE,
    kHighsModelStatusInterrupt as INTERRUPT, kHighsModelStatusIterationLimit as STEP_LIMIT,
    kHighsModelStatusModelEmpty as EMPTY, kHighsModelStatusObjectiveBound as CUTOFF,
    kHighsModelStatusOptimal as OPTIMAL, kHighsModelStatusSolutionLimit as NODE_LIMIT,
    kHighsModelStatusTimeLimit as TIME_LIMIT, kHighsModelStatusUnbounded as UNBOUNDED,
    kHighsModelStatusUnboundedOrInfeasible as UNBOUNDED_OR_INFEASIBLE,
    kHighsModelStatusUnknown as UNKNOWN,
};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far from a whole number a column may be; small, because it is multiplied by the room of a sensitive cell.
const WHOLE_TOLERANCE: f64 = 1e-9;

/// Objectives closer than this share are equal.
const EQUAL: f64 = 1e-9;

/// What share of the usual perturbation of costs is left where few columns will move.
const HARDLY: f64 = 0.1;

/// Models with no more columns that want whole numbers are searched sooner than simplified.
const FEW: usize = 100;

/// Opens sessions on HiGHS.
#[derive(Clone, Copy, Debug, Default)]
pub struct Highs;

impl Engine for Highs {
    fn name(&self) -> &'static str {
        "HiGHS"
    }

    fn open(&self, model: &Model) -> Result<Box<dyn Session>, EngineError> {
        let mut session = HighsSession::new()?;
        session.pass(model)?;
        Ok(Box::new(session))
    }
}

/// One HiGHS instance with a model in it.
struct HighsSession {
    highs: *mut c_void,
    columns: usize,
    rows: usize,
    /// Whether every solve starts from scratch.
    cold: bool,
    /// Whether some column must be a whole number.
    whole: bool,
    /// Whether the model is simplified before it is solved.
    simplified: bool,
    /// Bounds of columns that HiGHS has not been told yet: one by one that takes as long as a small program.
    bounds: BTreeMap<HighsInt, [f64; 2]>,
    /// Set when a search is to end; HiGHS holds a pointer to it.
    stop: Option<Arc<AtomicBool>>,
}

// SAFETY: the instance belongs to this session alone, and HiGHS keeps nothing of it in the thread that made it.
unsafe impl Send for HighsSession {}

impl Drop for HighsSession {
    fn drop(&mut self) {
        // SAFETY: `highs` came from `Highs_create` and is destroyed once, here.
        unsafe { Highs_destroy(self.highs) }
    }
}

/// HiGHS reports errors as −1; 0 is fine and 1 a warning.
fn check(status: HighsInt, what: &str) -> Result<(), EngineError> {
    if status < 0 { Err(failed(what)) } else { Ok(()) }
}

fn failed(what: &str) -> EngineError {
    EngineError { engine: "HiGHS", what: what.to_owned() }
}

fn size(number: usize) -> Result<HighsInt, EngineError> {
    HighsInt::try_from(number).map_err(|_| failed("the model is too large"))
}

impl HighsSession {
    fn new() -> Result<Self, EngineError> {
        // SAFETY: creates an instance that only this session holds.
        let highs = unsafe { Highs_create() };
        if highs.is_null() {
            return Err(failed("out of memory"));
        }
        let session = Self {
            highs,
            columns: 0,
            rows: 0,
            cold: false,
            whole: false,
            simplified: false,
            bounds: BTreeMap::new(),
            stop: None,
        };
        session.bool_option(c"output_flag", false)?;
        session.int_option(c"threads", 1)?;
        session.string_option(c"parallel", c"off")?;
        Ok(session)
    }

    fn bool_option(&self, name: &CStr, value: bool) -> Result<(), EngineError> {
        let value = HighsInt::from(value);
        // SAFETY: a live instance and a string that ends in NUL.
        check(unsafe { Highs_setBoolOptionValue(self.highs, name.as_ptr(), value) }, "an option")
    }

    fn int_option(&self, name: &CStr, value: HighsInt) -> Result<(), EngineError> {
        // SAFETY: a live instance and a string that ends in NUL.
        check(unsafe { Highs_setIntOptionValue(self.highs, name.as_ptr(), value) }, "an option")
    }

    fn double_option(&self, name: &CStr, value: f64) -> Result<(), EngineError> {
        // SAFETY: a live instance and a string that ends in NUL.
        check(unsafe { Highs_setDoubleOptionValue(self.highs, name.as_ptr(), value) }, "an option")
    }

    /// How the search for whole numbers ended: whether it holds a point, and the bound.
    fn search(&self) -> Result<(bool, f64), EngineError> {
        const FEASIBLE: HighsInt = 2;
        let (mut point, mut bound) = (0, 0.0);
        // SAFETY: a live instance, strings that end in NUL and places for the answers.
        let status = unsafe {
            Highs_getIntInfoValue(self.highs, c"primal_solution_status".as_ptr(), &raw mut point)
                .min(Highs_getDoubleInfoValue(
                    self.highs,
                    c"mip_dual_bound".as_ptr(),
                    &raw mut bound,
                ))
        };
        check(status, "reading the bound")?;
        Ok((point == FEASIBLE, bound))
    }

    fn limit(&self, limits: &Limits) -> Result<(), EngineError> {
        let count = |limit: Option<u32>| {
            limit.map_or(HighsInt::MAX, |n| HighsInt::try_from(n).unwrap_or(HighsInt::MAX))
        };
        self.int_option(c"simplex_iteration_limit", count(limits.steps))?;
        self.int_option(c"mip_max_nodes", count(limits.nodes))?;
        // Jumping to any point there is, is of no use where only cheap ones are.
        self.bool_option(c"mip_heuristic_run_feasibility_jump", limits.cutoff.is_none())?;
        let cutoff = limits.cutoff.unwrap_or(f64::INFINITY);
        self.double_option(c"objective_bound", cutoff)?;
        self.double_option(c"time_limit", limits.seconds.unwrap_or(f64::INFINITY))?;
        self.double_option(c"mip_rel_gap", limits.gap)?;
        self.double_option(c"mip_abs_gap", 0.0)
    }

    fn string_option(&self, name: &CStr, value: &CStr) -> Result<(), EngineError> {
        // SAFETY: a live instance and strings that end in NUL.
        check(
            unsafe { Highs_setStringOptionValue(self.highs, name.as_ptr(), value.as_ptr()) },
            "an option",
        )
    }

    fn pass(&mut self, model: &Model) -> Result<(), EngineError> {
        const ROWWISE: HighsInt = 2;
        const MINIMISE: HighsInt = 1;
        let column = |field: fn(&cellveil_lp::Column) -> f64| {
            model.columns.iter().map(field).collect::<Vec<f64>>()
        };
        let (costs, lower, upper) = (column(|c| c.cost), column(|c| c.lower), column(|c| c.upper));
        let (row_lower, row_upper): (Vec<f64>, Vec<f64>) =
            model.rows.iter().map(|row| (row.lower, row.upper)).unzip();
        let mut starts = Vec::with_capacity(model.rows.len() + 1);
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for row in &model.rows {
            starts.push(size(indices.len())?);
            for &(index, value) in &row.terms {
                indices.push(index as HighsInt);
                values.push(value);
            }
        }
        starts.push(size(indices.len())?);
        let integrality: Vec<HighsInt> =
            model.columns.iter().map(|c| HighsInt::from(c.integer)).collect();
        let (columns, rows, terms) =
            (size(costs.len())?, size(model.rows.len())?, size(indices.len())?);
        let is_whole = model.columns.iter().any(|c| c.integer);
        // SAFETY: every pointer is to a live vector of the length that the call expects; HiGHS takes no pointer to whole
        // numbers for "none is whole".
        let status = unsafe {
            Highs_passMip(
                self.highs,
                columns,
                rows,
                terms,
                ROWWISE,
                MINIMISE,
                0.0,
                costs.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
                row_lower.as_ptr(),
                row_upper.as_ptr(),
                starts.as_ptr(),
                indices.as_ptr(),
                values.as_ptr(),
                if is_whole { integrality.as_ptr() } else { std::ptr::null() },
            )
        };
        // HiGHS's numbers for the dual and the primal simplex method. Presolve throws the basis away, and with it the warm
        // start, so it is on only where there is none.
        let (strategy, presolve) = match model.changes {
            Changes::Bounds | Changes::Fresh | Changes::Few => (1, c"off"),
            Changes::Costs => (4, c"off"),
            Changes::Many | Changes::Interior | Changes::Corner => (1, c"on"),
        };
        self.int_option(c"simplex_strategy", strategy)?;
        self.string_option(c"presolve", presolve)?;
        self.simplified = presolve == c"on";
        if model.changes == Changes::Few {
            self.double_option(c"dual_simplex_cost_perturbation_multiplier", HARDLY)?;
        }
        if matches!(model.changes, Changes::Interior | Changes::Corner) {
            let crossover = if model.changes == Changes::Corner { c"on" } else { c"off" };
            self.string_option(c"solver", c"ipm")?;
            self.string_option(c"run_crossover", crossover)?;
        }
        // A search for whole numbers simplifies the model first, and a point to start from must outlive that.
        self.cold = !is_whole && !matches!(model.changes, Changes::Costs | Changes::Bounds);
        self.whole = is_whole;
        if is_whole {
            let is_small = model.columns.len() <= FEW;
            self.string_option(c"presolve", if is_small { c"off" } else { c"on" })?;
            self.double_option(c"mip_feasibility_tolerance", WHOLE_TOLERANCE)?;
        }
        self.columns = model.columns.len();
        self.rows = model.rows.len();
        check(status, "it refused the model")
    }

    fn pass_bounds(&mut self) -> Result<(), EngineError> {
        if self.bounds.is_empty() {
            return Ok(());
        }
        let bounds = std::mem::take(&mut self.bounds);
        let columns: Vec<HighsInt> = bounds.keys().copied().collect();
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            bounds.into_values().map(|[lower, upper]| (lower, upper)).unzip();
        let count = size(columns.len())?;
        // SAFETY: a live instance and three live vectors of `count` entries, the columns ascending; HiGHS checks them.
        let status = unsafe {
            Highs_changeColsBoundsBySet(
                self.highs,
                count,
                columns.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
            )
        };
        check(status, "a change of bounds")
    }

    fn run(&mut self) -> Result<HighsInt, EngineError> {
        // SAFETY: a live instance with a model.
        check(unsafe { Highs_run(self.highs) }, "the solve")?;
        // SAFETY: a live instance.
        Ok(unsafe { Highs_getModelStatus(self.highs) })
    }

    /// From scratch, when a warm start led nowhere.
    fn run_cold(&mut self) -> Result<HighsInt, EngineError> {
        // SAFETY: a live instance.
        check(unsafe { Highs_clearSolver(self.highs) }, "forgetting the basis")?;
        self.run()
    }

    /// From scratch, simplified if that was not tried, and else as it is: for models on which the solver gave up.
    fn run_otherwise(&mut self) -> Result<HighsInt, EngineError> {
        let [other, usual] = if self.simplified { [c"off", c"on"] } else { [c"on", c"off"] };
        self.string_option(c"presolve", other)?;
        let status = self.run_cold();
        self.string_option(c"presolve", usual)?;
        status
    }

    fn solution(&self) -> Result<Solution, EngineError> {
        let mut solution = Solution {
            objective: 0.0,
            columns: vec![0.0; self.columns],
            reduced: vec![0.0; self.columns],
            duals: vec![0.0; self.rows],
        };
        let mut activity = vec![0.0; self.rows];
        // SAFETY: the vectors have the lengths of the model.
        let status = unsafe {
            Highs_getSolution(
                self.highs,
                solution.columns.as_mut_ptr(),
                solution.reduced.as_mut_ptr(),
                activity.as_mut_ptr(),
                solution.duals.as_mut_ptr(),
            )
        };
        check(status, "reading the solution")?;
        // SAFETY: a live instance.
        solution.objective = unsafe { Highs_getObjectiveValue(self.highs) };
        Ok(solution)
    }
}

/// Asked by HiGHS now and then during a search.
unsafe extern "C" fn interrupt(
    _: c_int,
    _: *const c_char,
    _: *const HighsCallbackDataOut,
    answer: *mut HighsCallbackDataIn,
    flag: *mut c_void,
) {
    // SAFETY: HiGHS passes the pointer it was given, to a flag that its session keeps alive, and a place for the answer.
    unsafe {
        if !answer.is_null() && (*flag.cast::<AtomicBool>()).load(Ordering::Relaxed) {
            (*answer).user_interrupt = 1;
        }
    }
}

impl Session for HighsSession {
    fn set_cost(&mut self, column: u32, cost: f64) -> Result<(), EngineError> {
        // SAFETY: a live instance; HiGHS checks the index.
        check(
            unsafe { Highs_changeColCost(self.highs, column as HighsInt, cost) },
            "a change of cost",
        )
    }

    fn set_bounds(&mut self, column: u32, lower: f64, upper: f64) -> Result<(), EngineError> {
        self.bounds.insert(column as HighsInt, [lower, upper]);
        Ok(())
    }

    fn add_column(&mut self, column: &Column, terms: &[(u32, f64)]) -> Result<(), EngineError> {
        if column.integer {
            return Err(failed("columns in whole numbers cannot be added"));
        }
        let (indices, values): (Vec<HighsInt>, Vec<f64>) =
            terms.iter().map(|&(row, value)| (row as HighsInt, value)).unzip();
        let count = size(indices.len())?;
        let &Column { cost, lower, upper, .. } = column;
        // SAFETY: both vectors live and have `count` entries; HiGHS checks the indices.
        let status = unsafe {
            Highs_addCol(self.highs, cost, lower, upper, count, indices.as_ptr(), values.as_ptr())
        };
        self.columns += 1;
        check(status, "a new column")
    }

    fn add_row(&mut self, row: &Row) -> Result<(), EngineError> {
        let indices: Vec<HighsInt> =
            row.terms.iter().map(|&(index, _)| index as HighsInt).collect();
        let values: Vec<f64> = row.terms.iter().map(|&(_, value)| value).collect();
        let terms = size(indices.len())?;
        // SAFETY: both vectors live and have `terms` entries.
        let status = unsafe {
            Highs_addRow(self.highs, row.lower, row.upper, terms, indices.as_ptr(), values.as_ptr())
        };
        self.rows += 1;
        check(status, "a new row")
    }

    fn start(&mut self, columns: &[f64]) -> Result<(), EngineError> {
        let known = columns.iter().enumerate().filter(|(_, value)| !value.is_nan());
        let (indices, values): (Vec<HighsInt>, Vec<f64>) =
            known.map(|(at, &value)| (at as HighsInt, value)).unzip();
        let count = size(values.len())?;
        // SAFETY: both vectors live and have `count` entries; HiGHS checks the indices.
        let status = unsafe {
            Highs_setSparseSolution(self.highs, count, indices.as_ptr(), values.as_ptr())
        };
        check(status, "a point to start from")
    }

    fn stop_at(&mut self, flag: Arc<AtomicBool>) -> Result<(), EngineError> {
        let pointer = Arc::as_ptr(&flag).cast_mut().cast::<c_void>();
        // SAFETY: a live instance; the flag lives as long as this session, which outlives every call of the callback.
        let status = unsafe {
            Highs_setCallback(self.highs, Some(interrupt), pointer)
                .min(Highs_startCallback(self.highs, kHighsCallbackMipInterrupt))
        };
        self.stop = Some(flag);
        check(status, "a flag to stop at")
    }

    fn solve(&mut self, limits: &Limits) -> Result<Outcome, EngineError> {
        self.pass_bounds()?;
        self.limit(limits)?;
        // HiGHS counts the seconds of all solves of an instance together, so each is told from when.
        if limits.seconds.is_some() {
            // SAFETY: a live instance.
            check(unsafe { highs_sys::Highs_zeroAllClocks(self.highs) }, "resetting the clock")?;
        }
        let known = [
            OPTIMAL, EMPTY, INFEASIBLE, UNBOUNDED, CUTOFF, STEP_LIMIT, NODE_LIMIT, TIME_LIMIT,
            INTERRUPT,
        ];
        let mut status = if self.cold { self.run_cold()? } else { self.run()? };
        if !known.contains(&status) {
            status = self.run_cold()?;
        }
        if !known.contains(&status) && !self.whole {
            status = self.run_otherwise()?;
        }
        // A search may end with the best point there is although it is of no use.
        let is_of_use = |solution: &Solution| {
            let cutoff = limits.cutoff.filter(|_| self.whole).unwrap_or(f64::INFINITY);
            solution.objective <= cutoff + EQUAL * cutoff.abs().max(1.0)
        };
        match status {
            OPTIMAL | EMPTY => {
                let solution = self.solution()?;
                let is_of_use = is_of_use(&solution);
                Ok(if is_of_use { Outcome::Optimal(solution) } else { Outcome::Infeasible })
            }
            INFEASIBLE => Ok(Outcome::Infeasible),
            CUTOFF if self.whole => Ok(Outcome::Infeasible),
            UNBOUNDED | UNBOUNDED_OR_INFEASIBLE => Ok(Outcome::Unbounded),
            STEP_LIMIT | NODE_LIMIT | TIME_LIMIT | INTERRUPT if self.whole => {
                match self.search()? {
                    (true, bound) => {
                        let solution = self.solution()?;
                        let is_of_use = is_of_use(&solution);
                        let incumbent = Outcome::Incumbent(solution, bound);
                        Ok(if is_of_use { incumbent } else { Outcome::Stopped })
                    }
                    (false, _) => Ok(Outcome::Stopped),
                }
            }
            // Gave up in the middle of badly scaled numbers: no answer, as with a limit.
            CUTOFF | STEP_LIMIT | TIME_LIMIT | INTERRUPT | UNKNOWN => Ok(Outcome::Stopped),
            other => Err(failed(&format!("it ended with status {other}"))),
        }
    }
}
