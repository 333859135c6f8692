//! From records to the additive table: what table to make ([`TableSpec`]), how codes add up, and the roll-up of the finest
//! cells to every margin and level.
//!
//! Nothing here reads records. An engine does, behind the trait [`Tabulate`]: it hands over the finest cells ([`Groups`]),
//! and a [`Plan`] makes the table of them. All amounts are whole numbers of a unit chosen once ([`Extent`]), so every sum
//! is exact and the order of records, files and threads cannot change a result.

mod amount;
mod assembly;
mod engine;
mod error;
mod extent;
mod finished;
mod groups;
mod hierarchy;
mod hrc;
mod parent_child;
mod plan;
mod roll_up;
mod spec;
mod tally;
#[cfg(test)]
mod tests;
pub mod text;
mod tree;

pub use amount::{
    AMOUNT_DECIMALS, AmountFault, amount_of_decimal, amount_of_float, amount_of_text,
    units_of_amount,
};
pub use engine::{Finished, Locate, Progress, Tabulate};
pub use error::{Place, TabulateError};
pub use extent::{Extent, Units};
pub use finished::FinishedRow;
pub use groups::{Finest, Groups};
pub use hrc::read as read_hrc;
pub use plan::{FinishedPlan, Plan};
pub use roll_up::Space;
pub use spec::{DimensionSpec, FinishedSpec, HierarchySpec, RequestSpec, Source, TableSpec};
pub use tally::{Record, Tally};
pub use tree::{Node, Tree};
