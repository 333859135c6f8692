//! Releases of tables too large to be held: their cells are made again from the finest ones whenever they are looked at.
//!
//! | file | content | public |
//! |---|---|---|
//! | `table.parquet` | as in any release | yes |
//! | `finest.cells` | the finest cells with all that the rules look at, and the hierarchies | no |
//! | `rules.json` | the rules, and which numbers the finest cells hold | no |
//! | `witnesses.parquet` | the proof: `witness,leaf,units`, by how much each witness moves which finest cells | no |
//!
//! Claims are not needed: every need is compared with every witness. [`StreamedRelease::new`] is the only way to what can be written, as it is for smaller tables.

mod note;
mod proof;
mod replay;
mod table;
mod write;

pub use proof::{StreamedRelease, Unproven};
pub(crate) use replay::{KIND, NEEDED, replay};
pub use write::stage_streamed;
