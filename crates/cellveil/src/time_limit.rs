//! Lengths of time as people write them: `60s`, `5m`, `1h`, `500ms`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// How long the work may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit(pub Duration);

/// A text that is no length of time.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a length of time; write a number and `ms`, `s`, `m` or `h`, such as `60s`")]
pub struct NotATime(String);

impl FromStr for TimeLimit {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let wrong = || NotATime(text.to_owned());
        let digits = text.trim().find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, unit) = text.trim().split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let milliseconds = match unit.trim() {
            "ms" => Some(number),
            "s" => number.checked_mul(1000),
            "m" | "min" => number.checked_mul(60_000),
            "h" => number.checked_mul(3_600_000),
            _ => None,
        };
        milliseconds.map(Duration::from_millis).map(Self).ok_or_else(wrong)
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.0.as_millis();
        if milliseconds.is_multiple_of(1000) {
            write!(f, "{}s", milliseconds / 1000)
        } else {
            write!(f, "{milliseconds}ms")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_unit() {
        let read = |text: &str| text.parse::<TimeLimit>().map(|limit| limit.0.as_millis());
        assert_eq!(read("60s"), Ok(60_000));
        assert_eq!(read("2 m"), Ok(120_000));
        assert_eq!(read("1h"), Ok(3_600_000));
        assert_eq!(read("500ms"), Ok(500));
        for text in ["60", "", "s", "-1s", "1.5h", "1d", "99999999999999999999s"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
