//! Tabulates records with an embedded DataFusion: CSV and Parquet files and folders of them.
//!
//! Records are grouped by their finest codes inside the engine, on all threads; everything that decides about amounts
//! (reading, units, sums, largest contributions) is exact and comes from `cellveil-tabulate`, so the number of threads and
//! the order of records cannot change a table.

mod columns;
mod csv_file;
mod engine;
mod files;
mod hasher;
mod interner;
mod numbers;
mod pass;
mod read;
mod scan;
mod work;

pub use engine::DataFusion;
