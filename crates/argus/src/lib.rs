//! Files of the τ-ARGUS family: records and tables with their metadata, hierarchies, recodes, a-priori files, batches, JJ.
//!
//! Everything is read as τ-ARGUS 4.2 reads it, except where that would be wrong; `docs/argus.md` lists the differences.

mod adjusted;
pub mod arb;
mod codes;
mod extras;
mod fault;
pub mod grc;
pub mod hst;
mod instance;
pub mod jj;
mod jj_write;
mod labels;
mod micro;
mod micro_table;
mod primary;
pub mod rda;
mod rda_options;
mod records;
mod status;
mod tab;
mod tab_cell;
mod tab_columns;
mod tab_sums;
mod table;
pub mod text;
mod virtual_cells;
pub mod write;

pub use adjusted::{Adjusted, Adjusting};
pub use codes::Codes;
pub use fault::Fault;
pub use instance::{Costs, Instance, InstanceError, Singletons, instance, to_adjust};
pub use micro::{Micro, Resolve};
pub use micro_table::MicroTable;
pub use records::{Fields, Records};
pub use status::CellStatus;
pub use tab::read_table;
pub use table::{ArgusTable, CellState, Sums};
