//! Which further cells to withhold: one folder per method, all on the same `Problem`.

mod auto;
mod chance;
mod conflict;
mod cover;
mod everything;
mod genetic;
mod hypercube;
mod improve;
mod in_time;
mod incremental;
mod method;
mod modular;
mod network;
mod optimal;
mod random;
mod small_levels;
pub mod streamed;
mod subtable;
mod tabu;

pub use auto::Auto;
pub use genetic::Genetic;
pub use hypercube::Hypercube;
pub use incremental::Incremental;
pub use method::{Context, Method, Progress, Protect, Protected, SuppressError, UnknownMethod};
pub use modular::{Modular, Part, PartCell, Plan};
pub use network::Network;
pub use optimal::{Optimal, linear_bound, lower_bound};
pub use tabu::Tabu;

use cellveil_core::Problem;

/// Runs a method. If there is no pattern, the error names the frozen cells that stand in the way, as few as can be.
///
/// # Errors
/// [`SuppressError`] if no pattern is found.
pub fn suppress(
    problem: &Problem,
    method: Method,
    context: &Context<'_>,
) -> Result<Protected, SuppressError> {
    let protect: &dyn Protect = match method {
        Method::Auto => &Auto,
        Method::Incremental => &Incremental,
        Method::Optimal => &Optimal,
        Method::Hypercube => &Hypercube,
        Method::Modular => &Modular,
        Method::Network => &Network,
        Method::Genetic => &Genetic,
        Method::Tabu => &Tabu,
    };
    suppress_by(problem, protect, context)
}

/// The same with a method that has no name, such as a [`Plan`].
///
/// # Errors
/// [`SuppressError`] if no pattern is found.
pub fn suppress_by(
    problem: &Problem,
    protect: &dyn Protect,
    context: &Context<'_>,
) -> Result<Protected, SuppressError> {
    protect.protect(problem, context).map_err(|error| conflict::explained(problem, context, error))
}
