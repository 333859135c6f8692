//! From records to the additive table: what table to make ([`TableSpec`]), how codes add up, and the roll-up of the finest
//! cells to every margin and level.
//!
//! Nothing here reads records. An engine does, behind the trait [`Tabulate`]: it looks at all records once to find the codes
//! ([`Seen`]) and the size of the amounts ([`Extent`]), and once more to gather the finest cells ([`Gathered`]), of several tables at
//! once if need be. Those are rolled up cell by cell, in the order of their packed keys ([`Layout`]), into a table or any other
//! [`Sink`]. All amounts are whole numbers of a unit chosen once, so every sum is exact and the order of records, files and
//! threads cannot change a result.

mod amount;
mod assembly;
mod cube;
mod engine;
mod error;
mod extent;
mod finished;
mod gathered;
mod hierarchy;
mod holding;
mod hrc;
mod layout;
mod leaves;
mod measure;
mod parent_child;
mod plan;
mod roll_up;
mod run;
mod saved;
mod seen;
mod spec;
mod spill;
mod table_sink;
mod tally;
#[cfg(test)]
mod tests;
pub mod text;
mod tree;

pub use amount::{
    AMOUNT_DECIMALS, AmountFault, amount_of_decimal, amount_of_float, amount_of_text,
    units_of_amount,
};
pub use cube::{Cells, Sink, Until, WAVE};
pub use engine::{Finished, Limits, Locate, Progress, Step, Tabulate};
pub use error::{Place, TabulateError};
pub use extent::{Extent, Units};
pub use finished::FinishedRow;
pub use gathered::{Finest, Frame, Gathered, Gatherer};
pub use holding::Holdings;
pub use hrc::read as read_hrc;
pub use layout::{Key, Layout};
pub use leaves::LeafMoves;
pub use measure::Measure;
pub use plan::{FinishedPlan, Plan};
pub use roll_up::Space;
pub use run::{Collector, Run};
pub use seen::Seen;
pub use spec::{DimensionSpec, FinishedSpec, HierarchySpec, RequestSpec, Source, TableSpec};
pub use tally::{Record, Tally};
pub use tree::{Node, Tree};
