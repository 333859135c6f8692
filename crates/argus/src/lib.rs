//! Files of the τ-ARGUS family.
//!
//! So far JJ instances ([`jj`]), the common language of cell-suppression programs.

mod extras;
pub mod jj;
