//! Batches of τ-ARGUS, from their files to ours.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod adjust;
mod apriori;
mod bad_input;
mod known_answers;
mod larger;
mod linked;
mod methods;
mod output;
mod support;
