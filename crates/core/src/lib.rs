//! The vocabulary of cellveil: one type per stage of the way from a table to its release, and the one judge, [`verify()`].
//!
//! Nothing here reads a file, calls a solver or waits. Amounts are whole numbers of a table's smallest unit (see
//! [`units`]), so every sum and every check in this crate is exact.

mod additions;
mod adjusted_release;
mod adjustment;
mod audit;
mod bound;
mod cell;
mod choices;
mod contributors;
mod hierarchy;
mod insider;
mod knowledge;
mod linked;
mod margins;
mod need;
mod pattern;
mod policy;
mod problem;
mod reasons;
mod relation;
mod release;
mod replay;
mod table;
pub mod units;
pub mod verify;
mod witness;

pub use additions::{Additions, Balance};
pub use adjusted_release::{AdjustedRelease, NotProtected, all_withheld, intruder_view};
pub use adjustment::{Adjustment, AdjustmentFault, Promise, check_adjustment, levels};
pub use audit::{Audit, Exposure, Interval};
pub use bound::Bound;
pub use cell::{CellId, CellNames, Dimension};
pub use contributors::{Contribution, Contributors};
pub use hierarchy::{CodeId, Hierarchy, HierarchyBuilder, HierarchyError, Sum};
pub use insider::Insiders;
pub use linked::Linked;
pub use need::{Need, Needs, Reason, Side};
pub use pattern::{Pattern, Why};
pub use policy::{Cost, Knowledge, Policy};
pub use problem::{NO_LOWER, NO_UPPER, Problem, ProblemError, ProblemParts, Status};
pub use reasons::Reasons;
pub use relation::{Incidence, Relations};
pub use release::{NotSafe, Release};
pub use replay::{Faults, Replay, Stretch, stays_above_zero};
pub use table::{Table, TableError, TableParts, Weighted};
pub use verify::{Fault, Verifier, verify};
pub use witness::{Certificate, Claim, Intruder, Witness};
