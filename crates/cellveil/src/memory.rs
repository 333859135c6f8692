//! Amounts of memory as people write them: `8GiB`, `512MiB`; and what the system says about this process.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// How much memory the work may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(pub u64);

/// A text that is no amount of memory.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not an amount of memory; write a number and `MiB`, `GiB`, `MB` or `GB`, such as `8GiB`")]
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

/// The most memory this process has held, where the system tells; since the last [`forget_peak`], where it allows for that.
pub(crate) fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Starts to measure the peak anew.
pub(crate) fn forget_peak() {
    // Where the system refuses, peaks only ever grow, and are still true of the run so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;

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
