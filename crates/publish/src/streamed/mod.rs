//! Releases of tables too large to be held: their cells are made again from the finest ones whenever they are looked at.
//!
//! | file | content | public |
//! |---|---|---|
//! | `table.parquet` | as in any release | yes |
//! | `table.csv`, `pattern.csv` | as in any release; of more than twenty million cells only where `csv` is asked for | yes |
//! | `finest.cells` | the finest cells with all that the rules look at, and the hierarchies | no |
//! | `rules.json` | the rules, and which numbers the finest cells hold | no |
//! | `witnesses.parquet` | the proof: `witness,leaf,units`, by how much each witness moves which finest cells | no |
//! | `report.html` | what the cells come to, and those of the upper levels | no |
//!
//! Claims are not needed: every need is compared with every witness. [`StreamedRelease::new`] is the only way to what can be written, as it is for smaller tables.

mod files;
mod lists;
mod note;
mod proof;
mod replay;
mod table;
mod walk;
mod write;

pub use files::left_out;
pub(crate) use files::{KIND, NEEDED};
pub use proof::{StreamedRelease, Unproven};
pub(crate) use replay::replay;
pub use write::stage_streamed;
