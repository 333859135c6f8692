//! Synthetic data of any size, the same for the same seed: tables to measure methods on, records to try the program with.
//!
//! Three families: [`Ons`] (magnitude tables from random contributors), [`Castro`] (two dimensions, one of them
//! hierarchical) and [`Salaries`] (records of wages). Each is a plain structure of parameters with defaults.

mod castro;
mod error;
mod instance;
mod ons;
mod random;
mod records;
mod salaries;
mod shape;
mod tree;
mod vocabulary;

pub use castro::Castro;
pub use error::GenerateError;
pub use ons::Ons;
pub use salaries::Salaries;
pub use shape::{Axis, Shape};
