//! Which further cells to withhold: one folder per method, all on the same `Problem`.

mod auto;
mod chance;
mod cover;
mod improve;
mod incremental;
mod method;
mod optimal;

pub use auto::Auto;
pub use incremental::Incremental;
pub use method::{Context, Method, Progress, Protect, Protected, SuppressError, UnknownMethod};
pub use optimal::{Optimal, lower_bound};

use cellveil_core::Problem;

/// Runs a method.
///
/// # Errors
/// [`SuppressError`] if no pattern is found.
pub fn suppress(
    problem: &Problem,
    method: Method,
    context: &Context<'_>,
) -> Result<Protected, SuppressError> {
    match method {
        Method::Auto => Auto.protect(problem, context),
        Method::Incremental => Incremental.protect(problem, context),
        Method::Optimal => Optimal.protect(problem, context),
    }
}
