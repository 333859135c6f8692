//! Laws of the core: tables are additive or refused, and nothing passes the verifier but a proof.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod certificates;
mod faults;
mod grid;
mod tables;
