//! What must hold for every attack, whatever the table and the pattern.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod amounts;
mod disclosure;
mod intervals;
mod large;
mod simplex;
mod support;
mod verdicts;
mod witnesses;
