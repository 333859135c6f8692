//! Why there is no adjusted table.

use cellveil_core::AdjustmentFault;
use cellveil_lp::EngineError;
use thiserror::Error;

/// Why there is no adjusted table. Messages name cells, never amounts.
#[derive(Clone, Debug, Error)]
pub enum AdjustError {
    /// A sensitive cell without room.
    #[error(
        "`{cell}` cannot move as far as its protection level to either side\nhint: widen its bounds, lower its level, or do not freeze it"
    )]
    Stuck {
        /// The sensitive cell.
        cell: String,
    },
    /// No table keeps every relation, bound and level.
    #[error("no table keeps every relation, bound and protection level: {conflict}\nhint: {hint}")]
    Infeasible {
        /// What contradicts itself, by name.
        conflict: String,
        /// The cheapest way out.
        hint: String,
    },
    /// The time was up before a table was found.
    #[error("the time limit was reached before a safe table was found\nhint: allow more time")]
    OutOfTime,
    /// A table was found, but not in amounts that add up exactly.
    #[error(
        "internal: the adjusted table could not be made exact: {0}; please report this with the instance"
    )]
    Inexact(AdjustmentFault),
    /// No way was found to round a solution so that every sum holds.
    #[error(
        "the adjusted table could not be rounded so that every sum holds exactly\nhint: free some of the frozen cells, or widen bounds"
    )]
    NotExact,
    /// Tables exist, but none of whole units.
    #[error(
        "no table of whole units keeps every relation, bound and protection level\nhint: leave out `--whole`, or widen bounds"
    )]
    NotWhole,
    /// An on-line answer that is no release.
    #[error(
        "with the senses of this key the answer would relax {what}\nhint: method `cta` chooses the senses itself; or lower these levels, or widen bounds"
    )]
    Relaxed {
        /// What, by name and by how much.
        what: String,
    },
    /// No rounding within the steps allowed.
    #[error(
        "no table of multiples of the base adds up within {steps} steps\nhint: allow more steps, or take another base"
    )]
    NoRounding {
        /// How many were allowed.
        steps: u32,
    },
    /// An argument out of range.
    #[error("{0}")]
    Argument(String),
    /// No published table with a radius leaves every need open.
    #[error(
        "no choice of moved cells protects every sensitive cell; still exposed: {cell}\nhint: try another seed, or method `cta`"
    )]
    Unprotected {
        /// One of them.
        cell: String,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The attack failed.
    #[error(transparent)]
    Attack(#[from] cellveil_attack::AttackError),
}
