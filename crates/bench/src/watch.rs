//! Shows costs and bounds while a method works.
#![expect(clippy::print_stderr, reason = "the table goes to the standard output")]

use cellveil_suppress::Progress;
use std::time::Instant;

/// Prints every improvement with the seconds since the start, and those that processors worked.
pub(crate) struct Watch(pub(crate) Option<Instant>);

impl Progress for Watch {
    fn step(&self, _: &'static str, _: usize, _: usize, _: f64) {}

    fn improved(&self, cost: f64, bound: f64) {
        if let Some(start) = self.0 {
            let seconds = start.elapsed().as_secs_f64();
            let worked = worked().map_or_else(String::new, |worked| format!("{worked:>9.2} CPU s"));
            eprintln!("{seconds:>8.2} s{worked}  cost {cost:.0}  bound {bound:.0}");
        }
    }
}

/// How many seconds processors have worked for this program, where the system tells.
fn worked() -> Option<f64> {
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may have blanks in it; the two times are the twelfth and thirteenth field after it.
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(2);
    Some(times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS)
}
