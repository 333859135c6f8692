//! How needs are met: by what means, and for how long.

use super::protect::Workshop;

/// How a need is met.
#[derive(Clone, Copy)]
pub(crate) enum Manner {
    /// Many at once by programs, then quickly what that leaves open, for insiders too; in tables that are small enough.
    Together,
    /// By products of circuits; by programs only where there are none.
    Swift,
    /// The same, but for needs that make up much of the cost by programs from coarse to fine, or among the largest codes where there are no
    /// hierarchies, as long as so many seconds are left.
    Levels(f64),
    /// By products of circuits; by programs where there are none or they make up much of the cost.
    Quick,
    /// The same as long as so many seconds are left, then swiftly.
    Until(f64),
    /// By whichever is cheaper, at prices changed by chance unless this is 0.
    Careful(u64),
}

impl Workshop<'_> {
    /// Whether more seconds than these are left.
    pub(super) fn has_more_than(&self, reserve: f64) -> bool {
        (self.context.seconds_left)().is_none_or(|left| left > reserve)
    }

    /// What a manner comes to at this time.
    pub(super) fn for_now(&self, manner: Manner) -> Manner {
        match manner {
            Manner::Until(reserve) if self.has_more_than(reserve) => Manner::Quick,
            Manner::Until(_) => Manner::Swift,
            other => other,
        }
    }
}
