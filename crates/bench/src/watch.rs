//! Shows costs and bounds while a method works.
#![expect(clippy::print_stderr, reason = "the table goes to the standard output")]

use cellveil_suppress::Progress;
use std::time::Instant;

/// Prints every improvement with the seconds since the start.
pub(crate) struct Watch(pub(crate) Option<Instant>);

impl Progress for Watch {
    fn step(&self, _: &'static str, _: usize, _: usize, _: f64) {}

    fn improved(&self, cost: f64, bound: f64) {
        if let Some(start) = self.0 {
            let seconds = start.elapsed().as_secs_f64();
            eprintln!("{seconds:>8.1} s  cost {cost:.0}  bound {bound:.0}");
        }
    }
}
