//! What is asked of an adjustment.

use crate::Method;
use cellveil_core::{CellId, Problem, units};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A name that stands for nothing.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no {what} `{name}`; there are: {known}")]
pub struct UnknownName {
    /// What was to be named.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The names there are.
    pub known: String,
}

/// Gives an enumeration its names.
macro_rules! named {
    ($type:ident, $what:literal, $($variant:ident => $name:literal),+) => {
        impl $type {
            /// The name used on the command line and in files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                match name {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(UnknownName { what: $what, name: name.to_owned(), known: [$($name),+].join(", ") }),
                }
            }
        }
    };
}

/// How far two tables are from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// The weighted sum of the absolute moves.
    #[default]
    L1,
    /// The weighted sum of the squared moves.
    L2,
}
named!(Norm, "norm", L1 => "l1", L2 => "l2");

/// What moving a cell by 1 costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// The cost that the instance gives the cell.
    #[default]
    Given,
    /// 1 for every cell.
    One,
    /// 1 over the value, values below 1 counted as 1: relative moves.
    Inverse,
    /// 1 over the root of the value, values below 1 counted as 1.
    InverseRoot,
}
named!(Weights, "weights", Given => "given", One => "one", Inverse => "inverse", InverseRoot => "inverse-sqrt");

impl Weights {
    /// What moving a cell by 1 (not by one unit) costs.
    pub fn of(self, problem: &Problem, cell: CellId) -> f64 {
        let size = units::to_f64(problem.value(cell), problem.decimals()).abs().max(1.0);
        match self {
            Self::Given => problem.cost(cell),
            Self::One => 1.0,
            Self::Inverse => 1.0 / size,
            Self::InverseRoot => 1.0 / size.sqrt(),
        }
    }
}

/// How to look for the senses in which sensitive cells move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// A quick start, then descent, then the search for the optimum, as long as there is time.
    #[default]
    Auto,
    /// The search for the optimum alone.
    Exact,
    /// The start alone.
    Start,
    /// The start, then descent by random blocks.
    Blocks,
    /// The start, then descent by the blocks that cost most.
    Dynamic,
    /// The start, then descent by sub-tables.
    Subtables,
    /// Cluster by cluster: decided, then fixed; the later ones relaxed.
    FixAndRelax,
    /// The start, then one sense after the other turned round, priced by duals.
    Flips,
}
named!(Search, "search", Auto => "auto", Exact => "exact", Start => "start", Blocks => "blocks",
    Dynamic => "dynamic", Subtables => "subtables", FixAndRelax => "fix-and-relax", Flips => "flips");

named!(Method, "method", Cta => "cta", Ecta => "ecta", Rounding => "rounding", Online => "online");
