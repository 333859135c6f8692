//! What an intruder can infer from a table with withheld cells.
//!
//! [`attack`] takes anybody's pattern. For every need and side it looks for a witness, another table that fits everything
//! published, and it finds the tightest interval of every withheld cell. What it claims is proven elsewhere: the certificate goes
//! to `verify`, which shares no code with this crate.

mod attack;
mod certify;
mod component;
mod cube;
mod dimension;
mod disclosure;
mod elimination;
mod exact;
mod explain;
mod field;
mod finest;
mod flow;
mod grid;
mod group;
mod intervals;
mod lattice;
mod layer;
mod ledger;
mod local;
mod product;
mod propagate;
mod quick;
mod rational;
mod reach;
mod reached;
mod shortage;
mod slab;
mod solutions;
mod sparse;
mod spread;
mod tie;
mod together;
mod view;
mod whole;

pub use attack::{
    AFFORDABLE, Attack, AttackError, Intervals, Options, attack, prove, quick_certificate,
};
pub use component::{Component, Reduced, reduce};
pub use cube::Crossings;
pub use disclosure::disclosed;
pub use exact::{exact_both_ways, exact_one_way, exact_witness};
pub use explain::{Explanation, explain};
pub use field::Field;
pub use finest::Finest;
pub use flow::{Flow, Network};
pub use ledger::Ledger;
pub use product::{Graph as LeafGraph, Price, Products, Steps as LeafSteps};
pub use propagate::Room;
pub use quick::Quick;
pub use reach::Probe;
pub use reached::{Reach, Reached};
pub use solutions::{Small, Solutions};
