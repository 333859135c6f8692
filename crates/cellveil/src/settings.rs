//! What may be said about a run besides what it shall do.

use crate::memory::Memory;
use crate::time_limit::TimeLimit;
use std::collections::BTreeMap;

/// The seed of a run that is given none.
const SEED: u64 = 1;

/// Limits, threads and seed of a run; `None` where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// How long to look for a better pattern; without a limit, until the method is done.
    pub time_limit: Option<TimeLimit>,
    /// How far from the best cost is good enough, from 0 to 1.
    pub gap: Option<f64>,
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// How many threads may work; as many as the machine has if not said. Never changes a result.
    pub threads: Option<usize>,
    /// How much memory tables may take; tables that need more are not held, and what needs more all the same is refused.
    pub memory: Option<Memory>,
    /// Whether the least costly of the cells that must be published may be withheld where no pattern exists otherwise.
    pub release_frozen: bool,
}

impl Settings {
    /// These settings, and where they say nothing, those.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            time_limit: self.time_limit.or(other.time_limit),
            gap: self.gap.or(other.gap),
            seed: self.seed.or(other.seed),
            threads: self.threads.or(other.threads),
            memory: self.memory.or(other.memory),
            release_frozen: self.release_frozen || other.release_frozen,
        }
    }

    /// The seed, given or not.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(SEED)
    }

    /// The limits as a manifest lists them; threads change nothing, and memory is told with what it led to.
    pub fn limits(&self) -> BTreeMap<String, String> {
        let mut limits = BTreeMap::new();
        limits.extend(self.time_limit.map(|limit| ("time_limit".to_owned(), limit.to_string())));
        limits
            .extend(self.release_frozen.then(|| ("release_frozen".to_owned(), "true".to_owned())));
        limits.extend(self.gap.map(|gap| ("gap".to_owned(), gap.to_string())));
        limits
    }
}
