//! Amounts of memory as people write them: `8GiB`, `512MiB`; and what the system says about this process.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;

/// How much memory the work may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(pub u64);

/// A text that is no amount of memory.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "`{0}` is not an amount of memory; write a number and `MiB`, `GiB`, `MB` or `GB`, such as `8GiB`"
)]
pub struct NotMemory(String);

/// Nothing can be done with less.
const LEAST: u64 = 64 << 20;

impl FromStr for Memory {
    type Err = NotMemory;

    fn from_str(text: &str) -> Result<Self, NotMemory> {
        let wrong = || NotMemory(text.to_owned());
        let digits = text.trim().find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, unit) = text.trim().split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let unit = match unit.trim() {
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "MiB" | "M" => 1 << 20,
            "GiB" | "G" => 1 << 30,
            _ => return Err(wrong()),
        };
        number.checked_mul(unit).filter(|&bytes| bytes >= LEAST).map(Self).ok_or_else(wrong)
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&cellveil_tabulate::text::bytes(self.0).replace(' ', ""))
    }
}

/// The most memory this process has ever held, where the system tells.
pub(crate) fn peak() -> Option<u64> {
    of_process("VmHWM:")
}

/// How much of the machine's memory may be used, where the system tells: most of it.
pub(crate) fn of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024 / 5 * 4)
}

fn of_process(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Watches how much memory the process holds, by a look every few milliseconds.
pub(crate) struct Watch {
    before: Option<u64>,
    is_over: Arc<AtomicBool>,
    watcher: Option<JoinHandle<u64>>,
}

impl Watch {
    pub(crate) fn start() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let watch = move || {
            let mut most = 0;
            loop {
                most = of_process("VmRSS:").unwrap_or(0).max(most);
                if over.load(Ordering::Relaxed) {
                    return most;
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
        };
        // Without this thread there is less to tell, but nothing else is lost.
        let watcher = std::thread::Builder::new().name("memory".to_owned()).spawn(watch).ok();
        Self { before: peak(), is_over, watcher }
    }

    /// The most that was held since the start, where the system tells.
    pub(crate) fn stop(self) -> Option<u64> {
        self.is_over.store(true, Ordering::Relaxed);
        let seen = self.watcher.and_then(|watcher| {
            watcher.thread().unpark();
            watcher.join().ok()
        });
        let ever = peak()?;
        // A peak that is higher than ever before fell into this time, however short it was.
        if Some(ever) > self.before { Some(ever) } else { seen.filter(|&seen| seen > 0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_sees_what_is_held_meanwhile() {
        if peak().is_none() {
            return;
        }
        let watch = Watch::start();
        let held = vec![1_u8; 64 << 20];
        assert!(held.iter().map(|&byte| usize::from(byte)).sum::<usize>() > 0);
        drop(held);
        assert!(watch.stop() >= Some(64 << 20));
    }

    #[test]
    fn amounts_are_read_with_their_unit() {
        let read = |text: &str| text.parse::<Memory>().map(|memory| memory.0);
        assert_eq!(read("8GiB"), Ok(8 << 30));
        assert_eq!(read("512 MiB"), Ok(512 << 20));
        assert_eq!(read("16GB"), Ok(16_000_000_000));
        for text in ["8", "", "GiB", "-1GiB", "1.5GiB", "8TiB", "1MiB", "99999999999999GiB"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(Memory(8 << 30).to_string(), "8GiB");
    }
}
