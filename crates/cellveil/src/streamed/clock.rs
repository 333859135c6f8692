//! The time that is left, and what must still be done in it.

use crate::Run;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// By how much of the limit the work may be late once there is a pattern.
const GRACE: f64 = 0.02;

/// What proving takes for each round of witnesses, and what writing takes, in passes over all cells; as measured.
const PROVING: f64 = 1.3;
const WRITING: f64 = 3.5;

/// A time limit, seen from a table that is not held. Without a limit nothing is ever over.
pub(crate) struct Clock<'a> {
    run: &'a Run<'a>,
    /// The seconds of a pass over all cells, as bits; infinite until there was one.
    pass: AtomicU64,
    /// How many witnesses are to be proven.
    witnesses: AtomicU64,
    was_over: AtomicBool,
    /// How many witnesses a round of the proof has.
    round: usize,
}

impl<'a> Clock<'a> {
    pub(super) fn new(run: &'a Run<'a>) -> Self {
        let (witnesses, was_over) = (AtomicU64::new(0), AtomicBool::new(false));
        let pass = AtomicU64::new(f64::INFINITY.to_bits());
        Self { run, pass, witnesses, was_over, round: 1 }
    }

    /// So many witnesses will be proven at a time.
    pub(super) fn prove_at_a_time(&mut self, round: usize) {
        self.round = round;
    }

    /// Does a pass over all cells and notes how long it takes; the quickest counts.
    pub(super) fn passing<T>(&self, pass: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = pass();
        self.note_pass(started.elapsed().as_secs_f64());
        result
    }

    fn note_pass(&self, seconds: f64) {
        let least = f64::from_bits(self.pass.load(Ordering::Relaxed)).min(seconds);
        self.pass.store(least.to_bits(), Ordering::Relaxed);
    }

    /// The seconds of so many passes; none as long as nothing is known.
    fn passes(&self, count: f64) -> f64 {
        let pass = f64::from_bits(self.pass.load(Ordering::Relaxed));
        if pass.is_finite() { pass * count } else { 0.0 }
    }

    /// So many witnesses will have to be proven.
    pub(super) fn expect(&self, witnesses: usize) {
        self.witnesses.store(witnesses as u64, Ordering::Relaxed);
    }

    /// How many seconds are left for making a pattern: proving and writing it takes some, too.
    fn left(&self) -> Option<f64> {
        let rounds = (self.witnesses.load(Ordering::Relaxed) as usize).div_ceil(self.round).max(1);
        let after = self.passes(PROVING * rounds as f64 + WRITING);
        self.run.seconds_left().map(|left| left - after)
    }

    fn noted(&self, is_over: bool) -> bool {
        if is_over {
            self.was_over.store(true, Ordering::Relaxed);
        }
        is_over
    }

    /// Whether there is no time left for making a pattern.
    pub(super) fn is_over(&self) -> bool {
        self.noted(self.left().is_some_and(|left| left <= 0.0))
    }

    /// Whether so many passes over all cells are all that is left.
    pub(super) fn is_short(&self, passes: f64) -> bool {
        self.left().is_some_and(|left| left <= self.passes(passes))
    }

    /// Whether a share of the time that is left now is over.
    pub(super) fn share(&self, share: f64) -> impl Fn() -> bool + Sync + '_ {
        let end = self.left().map(|left| left * (1.0 - share));
        move || self.left().zip(end).is_some_and(|(left, end)| left <= end)
    }

    /// Whether the limit is passed by more than may be, for the work that ends with the release.
    pub(super) fn is_past(&self) -> bool {
        self.noted(self.run.is_past(GRACE))
    }

    /// Whether anything was given up because of the time.
    pub(super) fn was_over(&self) -> bool {
        self.was_over.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, TimeLimit};
    use std::time::Duration;

    #[test]
    fn what_comes_after_is_kept_free() {
        let limit = |seconds: u64| {
            let time_limit = Some(TimeLimit(Duration::from_secs(seconds)));
            Run::new(Settings { time_limit, ..Settings::default() }, &())
        };
        let run = limit(1000);
        let mut clock = Clock::new(&run);
        clock.prove_at_a_time(16);
        assert!(!clock.is_short(9.0));
        clock.note_pass(100.0);
        clock.note_pass(200.0);
        assert!(!clock.is_over() && clock.is_short(6.0) && !clock.is_short(5.0));
        let half = clock.share(0.5);
        clock.expect(49);
        assert!(half() && !clock.is_over());
        clock.expect(65);
        assert!(clock.is_over() && clock.was_over() && !clock.is_past());
        let run = limit(0);
        assert!(Clock::new(&run).is_past());
        let run = Run::new(Settings::default(), &());
        let clock = Clock::new(&run);
        clock.note_pass(1e9);
        assert!(
            !clock.is_over() && !clock.share(0.1)() && !clock.is_short(9.0) && !clock.is_past()
        );
    }
}
