//! The program as its users see it: what it prints, what it writes and how it ends.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

mod adjust;
mod argus;
mod bad_input;
mod choices;
mod disks;
mod examples;
mod help;
mod instances;
mod linked;
mod proof;
mod streamed;
mod support;
mod threads;
mod trivial;
mod verbs;
