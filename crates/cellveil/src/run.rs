//! One run: its threads, its clock, and who is told how far it is.

use crate::{Error, Settings, memory};
use cellveil_publish::Summary;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Somebody who wants to know how far along a run is.
pub trait Progress: Sync {
    /// A stage begins.
    fn stage(&self, name: &'static str);
    /// `done` of `total` steps of the stage are done; `total` is 0 where nobody knows.
    fn step(&self, done: u64, total: u64);
    /// From here on, until the stage ends, steps are records.
    fn rows(&self, _what: &'static str) {}
    /// There is a safe result of this cost, and none costs less than the bound; 0 if nothing is known.
    fn found(&self, _cost: f64, _bound: f64) {}
}

/// Nobody wants to know.
impl Progress for () {
    fn stage(&self, _name: &'static str) {}
    fn step(&self, _done: u64, _total: u64) {}
}

/// A run. The clock can end work early, but it never takes part in a decision: without a time limit, the same input gives the same
/// bytes.
pub struct Run<'a> {
    /// Limits, threads and seed.
    pub settings: Settings,
    progress: &'a dyn Progress,
    started: Instant,
    noted: Mutex<Noted>,
}

/// What the stages have taken so far.
#[derive(Default)]
struct Noted {
    seconds: BTreeMap<String, f64>,
    /// The most memory held in each stage.
    memory: BTreeMap<String, u64>,
    /// The stage that is being worked on, and the step of it.
    stage: String,
    step: Option<(String, Instant)>,
    /// Until when the part of the run may work that is being done, counted from the start.
    share: Option<Duration>,
}

impl Noted {
    /// Ends the step of a stage.
    fn end_step(&mut self) {
        if let Some((name, started)) = self.step.take() {
            *self.seconds.entry(name).or_default() += started.elapsed().as_secs_f64();
        }
    }
}

impl<'a> Run<'a> {
    /// Starts the clock.
    pub fn new(settings: Settings, progress: &'a dyn Progress) -> Self {
        Self { settings, progress, started: Instant::now(), noted: Mutex::default() }
    }

    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        self.seconds_left().is_some_and(|left| left <= 0.0)
    }

    /// How many seconds are left, if there is a limit.
    pub fn seconds_left(&self) -> Option<f64> {
        let limit = self.settings.time_limit?.0;
        let limit = self.noted().share.unwrap_or(limit);
        Some(limit.saturating_sub(self.started.elapsed()).as_secs_f64())
    }

    /// Whether the time is up by more than so much of it.
    pub(crate) fn is_past(&self, grace: f64) -> bool {
        let Some(limit) = self.settings.time_limit else { return false };
        let limit = self.noted().share.unwrap_or(limit.0);
        self.started.elapsed().as_secs_f64() > limit.as_secs_f64() * (1.0 + grace)
    }

    /// From here on, one of so many parts of the work is done that share the time that is left.
    pub(crate) fn take_share(&self, parts: usize) {
        let Some(limit) = self.settings.time_limit else { return };
        let done = self.started.elapsed();
        let each = limit.0.saturating_sub(done) / u32::try_from(parts.max(1)).unwrap_or(u32::MAX);
        self.noted().share = Some(done + each);
    }

    /// Does the work of a stage and notes how long it took, and how much memory.
    pub fn stage<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        tracing::info!(stage = name, "begins");
        self.progress.stage(name);
        let watch = memory::Watch::start();
        name.clone_into(&mut self.noted().stage);
        let started = Instant::now();
        let result = work();
        let seconds = started.elapsed().as_secs_f64();
        let peak = watch.stop();
        tracing::info!(stage = name, seconds, peak_memory_bytes = peak, "ends");
        let mut noted = self.noted();
        noted.end_step();
        *noted.seconds.entry(name.to_owned()).or_default() += seconds;
        if let Some(peak) = peak {
            let most = noted.memory.entry(name.to_owned()).or_default();
            *most = peak.max(*most);
        }
        result
    }

    /// Does work on the threads of this run.
    ///
    /// # Errors
    /// [`Error::Threads`] if they cannot be started.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let threads = self.settings.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::Threads { threads, why: error.to_string() })?;
        Ok(pool.install(work))
    }

    /// Adds to a summary what only the run knows: seed, times and memory.
    pub fn complete(&self, mut summary: Summary) -> Summary {
        summary.seed = Some(self.settings.seed());
        let noted = self.noted();
        summary.seconds = noted.seconds.clone();
        summary.seconds.insert("total".to_owned(), self.started.elapsed().as_secs_f64());
        summary.memory_bytes = noted.memory.clone();
        summary.peak_memory_bytes = memory::peak();
        summary
    }

    fn noted(&self) -> std::sync::MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl cellveil_suppress::Progress for Run<'_> {
    fn step(&self, _stage: &'static str, done: usize, total: usize, _cost: f64) {
        self.progress.step(done as u64, total as u64);
    }

    fn improved(&self, cost: f64, bound: f64) {
        let seconds = self.started.elapsed().as_secs_f64();
        tracing::debug!(cost, bound, seconds, "a better pattern");
        self.progress.found(cost, bound);
    }
}

impl cellveil_adjust::Progress for Run<'_> {
    fn step(&self, cost: f64, bound: f64) {
        self.progress.found(cost, bound);
        tracing::debug!(
            cost,
            bound,
            seconds = self.started.elapsed().as_secs_f64(),
            "a better table"
        );
    }
}

impl cellveil_tabulate::Progress for Run<'_> {
    fn begin(&self, step: cellveil_tabulate::Step) {
        let mut noted = self.noted();
        noted.end_step();
        let name = format!("{}: {}", noted.stage, step.name());
        noted.step = Some((name, Instant::now()));
        self.progress.rows(step.name());
    }

    fn rows(&self, done: u64, all: u64) {
        self.progress.step(done, all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeLimit;

    #[test]
    fn a_run_is_over_when_its_time_is_up_and_never_without_a_limit() {
        let run = |limit| Run::new(Settings { time_limit: limit, ..Settings::default() }, &());
        assert!(run(Some(TimeLimit(Duration::ZERO))).is_over());
        assert!(!run(Some(TimeLimit(Duration::from_hours(1)))).is_over());
        assert!(!run(None).is_over());
    }

    #[test]
    fn stages_add_up_in_the_summary() {
        let run = Run::new(Settings::default(), &());
        assert_eq!(run.stage("attack", || 7), 7);
        let summary = run.complete(Summary::default());
        assert_eq!(summary.seconds.keys().collect::<Vec<_>>(), ["attack", "total"]);
        assert_eq!(summary.seed, Some(1));
    }
}
