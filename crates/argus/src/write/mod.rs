//! Tables in the formats of `<WRITETABLE>`.

mod code_value;
mod csv;
mod grid;
mod intermediate;
mod jj_file;
mod sbs;

pub use code_value::write as write_code_value;
pub use csv::write as write_csv;
pub use intermediate::{Files, write as write_intermediate};
pub use jj_file::{write as write_jj, write_frequencies};
pub use sbs::write as write_sbs;

pub(crate) use grid::Shown;
