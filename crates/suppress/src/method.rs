//! The methods by name, and what each of them gives back.

use cellveil_attack::AttackError;
use cellveil_core::{Bound, CellId, Pattern, Problem, Witness};
use cellveil_lp::{Engine, EngineError};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// How to choose the cells to withhold beyond the sensitive ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// A safe pattern first, then a better one: the optimum where capacity cuts are in reach, ruin and recreate elsewhere; always with a bound.
    #[default]
    Auto,
    /// The cheapest further cells for one need after the other, by linear programming.
    Incremental,
    /// The cheapest pattern there is, by capacity cuts and branch and bound; with a time limit, a good one and how far it may be
    /// from the cheapest.
    Optimal,
    /// Every withheld cell a corner of a hypercube of withheld cells, sub-table by sub-table.
    Hypercube,
    /// Sub-table by sub-table from the top, with the margins as the sub-tables above left them.
    Modular,
    /// Shortest paths; for tables of two dimensions, also with one hierarchy in one of them.
    Network,
    /// Groups of needs in the best order that a genetic algorithm finds.
    Genetic,
    /// From pattern to pattern by exchanging cells, judged by witnesses in store.
    Tabu,
}

impl Method {
    /// All methods there are.
    pub const ALL: [Self; 8] = [
        Self::Auto,
        Self::Incremental,
        Self::Optimal,
        Self::Hypercube,
        Self::Modular,
        Self::Network,
        Self::Genetic,
        Self::Tabu,
    ];

    /// The name used in job files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Incremental => "incremental",
            Self::Optimal => "optimal",
            Self::Hypercube => "hypercube",
            Self::Modular => "modular",
            Self::Network => "network",
            Self::Genetic => "genetic",
            Self::Tabu => "tabu",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no method of that name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no method `{0}`; there are: {known}", known = Method::ALL.map(Method::name).join(", "))]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Self::ALL
            .into_iter()
            .find(|method| method.name() == name)
            .ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

/// What a method works with besides the problem.
pub struct Context<'a> {
    /// Solves linear programs.
    pub engine: &'a dyn Engine,
    /// Told how far along the work is.
    pub progress: &'a dyn Progress,
    /// How many seconds are left; `None` if there is no limit, and then only counted work ends a search, the same everywhere.
    pub seconds_left: &'a (dyn Fn() -> Option<f64> + Sync),
    /// A pattern whose gap is at most this is good enough.
    pub gap: f64,
    /// What everything random derives from.
    pub seed: u64,
}

impl Context<'_> {
    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        (self.seconds_left)().is_some_and(|left| left <= 0.0)
    }

    /// Does something that must be over when half of the time is used: the other half is for what comes after it.
    pub(crate) fn in_half_the_time<T>(&self, work: impl FnOnce(&Context<'_>) -> T) -> T {
        let all = (self.seconds_left)();
        let left = || (self.seconds_left)().zip(all).map(|(left, all)| left - all / 2.0);
        work(&Context { seconds_left: &left, ..*self })
    }
}

/// Somebody who wants to know how far along the work is.
pub trait Progress: Sync {
    /// `done` of `total` steps of a stage are done, and the pattern costs `cost` so far.
    fn step(&self, stage: &'static str, done: usize, total: usize, cost: f64);

    /// There is a safe pattern of this cost, and none costs less than the bound.
    fn improved(&self, cost: f64, bound: f64) {
        let _ = (cost, bound);
    }
}

/// Nobody wants to know.
impl Progress for () {
    fn step(&self, _: &'static str, _: usize, _: usize, _: f64) {}
}

/// A pattern that meets every need, as far as its method knows.
#[derive(Clone, Debug)]
pub struct Protected {
    /// The withheld cells.
    pub pattern: Pattern,
    /// Tables that show it; the attack starts from them.
    pub witnesses: Vec<Witness>,
    /// No safe pattern is cheaper than this.
    pub bound: Bound,
    /// The method that was used.
    pub method: Method,
}

/// Why there is no pattern.
#[derive(Clone, Debug, Error)]
pub enum SuppressError {
    /// Even with every cell withheld that may be, a need is not met.
    #[error("no pattern protects `{cell}`{why}\nhint: {hint}")]
    NoPattern {
        /// The sensitive cell.
        cell: String,
        /// What stands in the way.
        why: String,
        /// What to do about it.
        hint: String,
        /// Cells that must be published and block it together, ascending; empty if it is not known which do.
        frozen: Vec<CellId>,
    },
    /// The table is none for the network method.
    #[error(
        "the table is no network: {relation} crosses more than one other direction\nhint: use the method `auto`, or another that works for all tables"
    )]
    NoNetwork {
        /// The relation in the way, by its total.
        relation: String,
    },
    /// The time was up before every need was met.
    #[error(
        "the time limit was reached before a safe pattern was found; {open} needs are still open\nhint: allow more time"
    )]
    OutOfTime {
        /// How many needs were not met.
        open: usize,
    },
    /// A need was not met by quick means, and the table is too large for a program on all its cells.
    #[error(
        "no way was found to protect `{cell}` in a table of this size\nhint: publish the table at a coarser level"
    )]
    TooLarge {
        /// The sensitive cell.
        cell: String,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The attack failed.
    #[error(transparent)]
    Attack(#[from] AttackError),
}

/// Chooses which further cells to withhold so that every need is met.
///
/// # Guarantee
/// If `protect` returns a pattern, every sensitive cell is withheld and no frozen one is. Whether the needs are met is for the
/// attack and `verify` to say: methods claim, certificates prove.
pub trait Protect {
    /// Chooses the cells.
    ///
    /// # Errors
    /// [`SuppressError`] if no pattern is found.
    fn protect(&self, problem: &Problem, context: &Context<'_>)
    -> Result<Protected, SuppressError>;
}
