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
mod groups;
mod method;
mod online;
mod options;
mod pivots;
mod program;
mod quadratic;
mod random;
mod rounding;
mod sense_key;
mod sparse;
mod task;
mod together;

pub use context::{Context, Progress};
pub use error::AdjustError;
pub use method::{Adjusted, Method, Options, adjust};
pub use online::{OnlineAnswer, Relaxed, adjust_online};
pub use options::{Norm, Search, UnknownName, Weights};
pub use sense_key::{Key, contributors_sense, keyed_sense};
