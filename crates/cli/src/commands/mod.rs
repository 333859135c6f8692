//! One file per verb.

pub(crate) mod adjust;
pub(crate) mod argus;
pub(crate) mod audit;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod generate;
pub(crate) mod protect;
pub(crate) mod suppress;
pub(crate) mod tabulate;
pub(crate) mod verify;
