//! Components that are networks, solved by flows: exactly, in whole numbers, without a linear program.
//!
//! In a two-dimensional table every cell lies in one row and one column, so its move is a flow between two nodes; a hierarchy in one
//! of the dimensions changes nothing but which relations are the nodes. How far a cell can move is then the largest flow from one end of its arc
//! back to the other. Whole capacities have whole largest flows: what the linear intruder finds is also what one finds who
//! knows that amounts are whole.

mod bridges;
mod graph;
mod implied;
mod intervals;
mod network;
mod push;
mod signs;

pub(crate) use intervals::intervals;
pub use network::Network;
pub use push::Flow;
