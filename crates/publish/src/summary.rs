//! The figures of a run, `summary.json`.

use cellveil_core::{Audit, Intruder, Pattern, Problem, Why};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Under this name a summary lists cells that had to be published, but are withheld because no pattern exists otherwise.
pub const RELEASED_FROZEN: &str = "released_frozen";

/// The figures of a run. `seconds`, `peak_memory_bytes` and `memory_bytes` are the only ones that differ between two runs on the same input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Cells of the table.
    pub cells: usize,
    /// Sums among them.
    pub relations: usize,
    /// Withheld because they are sensitive.
    pub primary: usize,
    /// Withheld to protect others.
    pub secondary: usize,
    /// The cost of the secondaries.
    pub cost: f64,
    /// No safe pattern costs less, if such a bound is known.
    pub lower_bound: Option<f64>,
    /// `(cost − lower_bound) / cost`, if a bound is known.
    pub gap: Option<f64>,
    /// Sensitive cells with a need that is not met.
    pub exposed: usize,
    /// `safe` or `exposed`.
    pub status: String,
    /// Seconds of each stage, and `total`.
    pub seconds: BTreeMap<String, f64>,
    /// The most memory held at once, if the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// The most memory held at once in each stage, if the system tells.
    #[serde(default)]
    pub memory_bytes: BTreeMap<String, u64>,
    /// The method that chose the secondaries.
    pub method: Option<String>,
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// The version of cellveil.
    pub version: String,
    /// The number of decimals of the table.
    pub decimals: u8,
    /// Against whom the proof holds.
    pub intruders: Vec<String>,
    /// Whatever else a caller wants to record, the same in every run.
    #[serde(flatten)]
    pub extra: BTreeMap<String, serde_json::Value>,
}

impl Summary {
    /// Counts what can be counted; method, seed, bound, times and memory are the caller's to add.
    pub fn of(problem: &Problem, pattern: &Pattern, audit: &Audit) -> Self {
        let count = |why| pattern.withheld().filter(|&(_, w)| w == why).count();
        let exposed = audit.exposed_cells().len();
        let mut intruders = vec![Intruder::External];
        if problem.has_earlier_releases() {
            intruders.push(Intruder::Earlier);
        }
        if problem.is_whole() {
            intruders.push(Intruder::Integer);
        }
        if !problem.singletons().is_empty() {
            intruders.push(Intruder::Singleton);
        }
        if !problem.coalitions().is_empty() {
            intruders.push(Intruder::Coalition);
        }
        Self {
            cells: problem.len(),
            relations: problem.relations().len(),
            primary: count(Why::Primary),
            secondary: count(Why::Secondary),
            cost: problem.cost_of(pattern),
            exposed,
            status: if exposed == 0 { "safe" } else { "exposed" }.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            decimals: problem.decimals(),
            intruders: intruders.into_iter().map(|who| who.name().to_owned()).collect(),
            ..Self::default()
        }
    }
}
