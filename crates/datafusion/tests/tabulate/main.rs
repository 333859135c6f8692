//! From files to tables, through the engine.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod bad_input;
mod finished;
mod formats;
mod hierarchies;
mod large;
mod laws;
mod records;
mod support;
mod teralab;
