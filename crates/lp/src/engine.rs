//! Who solves it.

use crate::{Column, Model, Row};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// How much an engine may do for one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The most simplex steps; `None` for no limit. Steps and not seconds, so that the answer is the same everywhere.
    pub steps: Option<u32>,
    /// The most nodes of a search for whole numbers; `None` for no limit.
    pub nodes: Option<u32>,
    /// The most seconds; `None` for no limit. Only for callers whose user set a time limit: the answer then depends on the machine.
    pub seconds: Option<f64>,
    /// Objectives above this are of no use. A linear program that is bound to end there need not be solved to the end; where whole numbers are wanted,
    /// points there count as infeasible. `None` if every point is of use.
    pub cutoff: Option<f64>,
    /// How far a point with whole numbers may be from the best, as a share of its objective, to count as an optimum.
    pub gap: f64,
}

/// A point and its prices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// The value of the objective.
    pub objective: f64,
    /// The value of every column.
    pub columns: Vec<f64>,
    /// The reduced cost of every column.
    pub reduced: Vec<f64>,
    /// The dual value of every row.
    pub duals: Vec<f64>,
}

/// How a solve ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// An optimum.
    Optimal(Solution),
    /// The limits were reached with this point in whole numbers; none has an objective below the bound.
    Incumbent(Solution, f64),
    /// No point satisfies all constraints.
    Infeasible,
    /// The objective has no lower limit.
    Unbounded,
    /// The limits were reached first.
    Stopped,
}

/// The engine failed: not the model's fault.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("internal: the {engine} engine failed: {what}; please report this with the instance")]
pub struct EngineError {
    /// Which engine.
    pub engine: &'static str,
    /// What it could not do.
    pub what: String,
}

/// Solves linear models.
pub trait Engine: Sync {
    /// What people call it.
    fn name(&self) -> &'static str;

    /// Loads a model.
    ///
    /// # Errors
    /// [`EngineError`] if the engine refuses it.
    fn open(&self, model: &Model) -> Result<Box<dyn Session>, EngineError>;
}

/// A loaded model that is changed and solved again, starting from its last basis.
pub trait Session: Send {
    /// Changes the cost of a column.
    ///
    /// # Errors
    /// [`EngineError`] if the engine refuses it.
    fn set_cost(&mut self, column: u32, cost: f64) -> Result<(), EngineError>;

    /// Changes the bounds of a column.
    ///
    /// # Errors
    /// [`EngineError`] if the engine refuses it.
    fn set_bounds(&mut self, column: u32, lower: f64, upper: f64) -> Result<(), EngineError>;

    /// Adds a column; `terms` are its rows with its coefficients, each row at most once.
    ///
    /// # Errors
    /// [`EngineError`] if the engine refuses it.
    fn add_column(&mut self, column: &Column, terms: &[(u32, f64)]) -> Result<(), EngineError>;

    /// Adds a row.
    ///
    /// # Errors
    /// [`EngineError`] if the engine refuses it.
    fn add_row(&mut self, row: &Row) -> Result<(), EngineError>;

    /// Gives the search for whole numbers a point to start from: a value for every column, or NaN where nothing is known.
    ///
    /// # Errors
    /// [`EngineError`] if the engine refuses it.
    fn start(&mut self, columns: &[f64]) -> Result<(), EngineError>;

    /// Ends searches for whole numbers soon after the flag is set, as if a limit had been reached.
    ///
    /// # Errors
    /// [`EngineError`] if the engine refuses it.
    fn stop_at(&mut self, flag: Arc<AtomicBool>) -> Result<(), EngineError>;

    /// Solves the model as it stands.
    ///
    /// # Errors
    /// [`EngineError`] if the engine fails.
    fn solve(&mut self, limits: &Limits) -> Result<Outcome, EngineError>;
}
