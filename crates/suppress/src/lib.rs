//! Which further cells to withhold: one folder per method, all on the same `Problem`.

mod auto;
mod chance;
mod conflict;
mod cover;
mod genetic;
mod hypercube;
mod improve;
mod incremental;
mod method;
mod modular;
mod network;
mod optimal;
mod random;
mod subtable;
mod tabu;

pub use auto::Auto;
pub use genetic::Genetic;
pub use hypercube::Hypercube;
pub use incremental::Incremental;
pub use method::{Context, Method, Progress, Protect, Protected, SuppressError, UnknownMethod};
pub use modular::Modular;
pub use network::Network;
pub use optimal::{Optimal, lower_bound};
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
    let found = match method {
        Method::Auto => Auto.protect(problem, context),
        Method::Incremental => Incremental.protect(problem, context),
        Method::Optimal => Optimal.protect(problem, context),
        Method::Hypercube => Hypercube.protect(problem, context),
        Method::Modular => Modular.protect(problem, context),
        Method::Network => Network.protect(problem, context),
        Method::Genetic => Genetic.protect(problem, context),
        Method::Tabu => Tabu.protect(problem, context),
    };
    found.map_err(|error| conflict::explained(problem, context, error))
}
