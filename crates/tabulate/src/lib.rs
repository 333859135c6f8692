//! From records to the additive table. (Being built: see `spec`.)

mod spec;

pub use spec::{DimensionSpec, FinishedSpec, HierarchySpec, RequestSpec, Source, TableSpec};
