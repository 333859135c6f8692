//! The default: a first safe pattern as soon as possible, then better ones until the work or the time is used up.

use crate::improve::{shake, sweep};
use crate::incremental::{Workshop, first, prune};
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use cellveil_core::{Bound, Problem};

/// See the module's documentation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Auto;

/// Improving takes this many times the work of the first pattern, unless a time limit says how long.
const IMPROVE: u64 = 4;

impl Protect for Auto {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let workshop = Workshop::new(problem, context);
        let mut cover = first(&workshop, &problem.start(), &[])?;
        context.progress.improved(cover.cost(), 0.0);
        let work = match (context.seconds_left)() {
            Some(_) => u64::MAX / 2,
            None => IMPROVE * workshop.work(),
        };
        sweep(&workshop, &mut cover, work / 2)?;
        prune(&workshop, &mut cover)?;
        context.progress.improved(cover.cost(), 0.0);
        shake(&workshop, &mut cover, work / 2)?;
        prune(&workshop, &mut cover)?;
        context.progress.improved(cover.cost(), 0.0);
        let (pattern, witnesses) = cover.into_parts();
        Ok(Protected { pattern, witnesses, bound: Bound { cost: 0.0 }, method: Method::Auto })
    }
}
