//! Linear models and the engines that solve them.
//!
//! Only the vocabulary: no engine lives here. A [`Model`] is what to solve, an [`Engine`] opens a [`Session`] on it, and a
//! session is solved again and again with other costs and bounds, starting from where it stopped. That a model is
//! infeasible is an answer, not an error.

mod engine;
mod model;

pub use engine::{Engine, EngineError, Limits, Outcome, Session, Solution};
pub use model::{Changes, Column, Model, Row};
