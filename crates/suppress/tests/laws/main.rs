//! What must hold for every pattern that a method chooses.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod grouped;
mod known;
mod networks;
mod optimal;
mod patterns;
mod repeatable;
mod support;
mod trivial;
