//! Tables without holes: values are changed instead of withheld, as little as possible, and every sum still holds.
//!
//! [`adjust`] looks for the table; that it is safe is checked elsewhere, by additions: its answer goes into an
//! `AdjustedRelease`, which shares no code with this crate.

mod balance;
mod clauses;
mod conflict;
mod context;
mod cta;
mod ecta;
mod error;
mod exact;
mod method;
mod online;
mod options;
mod program;
mod quadratic;
mod random;
mod rounding;
mod task;

pub use context::{Context, Progress};
pub use error::AdjustError;
pub use method::{Adjusted, Method, Options, adjust};
pub use online::{OnlineAnswer, adjust_online, keyed_sense};
pub use options::{Norm, Search, UnknownName, Weights};
