//! What tests of all crates share: random small tables, brute-force answers, the folder of reference data, relabelling.
//!
//! Everything here panics where a test should: nothing of it is part of the program.

pub mod brute;
mod grouped;
pub mod relabel;
mod shared;
mod sketch;
pub mod tables;

pub use grouped::Grouped;
pub use shared::{csplib, shared};
pub use sketch::{Sketch, Trait};
