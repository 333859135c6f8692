//! Text as it comes: encodings, delimiters, missing values, names that are nearly right.

use encoding_rs::{UTF_8, WINDOWS_1252};
use std::cmp::Ordering;

/// The characters that may stand between the fields of a CSV file when nobody says which.
pub const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The text of a file: UTF-8, with or without its mark, or else Windows-1252.
pub fn decode(bytes: &[u8]) -> String {
    let (text, _, malformed) = UTF_8.decode(bytes);
    if malformed { WINDOWS_1252.decode(bytes).0.into_owned() } else { text.into_owned() }
}

/// The delimiter that a header line uses most outside of quotes; a comma if it uses none.
pub fn delimiter(header: &str) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for byte in header.bytes() {
        if byte == b'"' {
            quoted = !quoted;
        } else if let Some(at) = DELIMITERS.iter().position(|&d| d == byte && !quoted) {
            counts[at] += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.iter().position(|&count| count == most).map_or(b',', |at| DELIMITERS[at])
}

/// A code as records carry it: blanks at its end do not count, and nothing but blanks is a missing value.
pub fn code(text: &str) -> Option<&str> {
    let text = text.trim_end();
    (!text.is_empty()).then_some(text)
}

/// The name most like `wanted`, if any is at all like it.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = wanted.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for name in known {
        let likeness = strsim::normalized_damerau_levenshtein(&lower, &name.to_lowercase());
        if best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, name));
        }
    }
    best.filter(|&(likeness, _)| likeness >= 0.4).map(|(_, name)| name)
}

/// A text short enough to quote.
pub fn shorten(text: &str) -> String {
    const MOST: usize = 20;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}

/// A number of bytes for people: `512 MiB`, `7.5 GiB`.
pub fn bytes(count: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let (mut amount, mut unit) = (count as f64, 0);
    while amount >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    let text = format!("{amount:.1}");
    format!("{} {}", text.strip_suffix(".0").unwrap_or(&text), units[unit])
}

/// The order of codes that come without one: whole numbers by size, then everything else by its bytes.
pub fn order(a: &str, b: &str) -> Ordering {
    let rank = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (!digits, if digits { text.trim_start_matches('0').len() } else { 0 })
    };
    let digits =
        |text: &str| if rank(text).0 { "" } else { text }.trim_start_matches('0').to_owned();
    rank(a).cmp(&rank(b)).then_with(|| digits(a).cmp(&digits(b))).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_encodings_are_understood() {
        assert_eq!(decode(b"\xef\xbb\xbfr\xc3\xa9gion"), "région");
        assert_eq!(decode(b"r\xe9gion \x80"), "région €");
    }

    #[test]
    fn the_delimiter_is_the_one_used_most_outside_of_quotes() {
        assert_eq!(delimiter("a;b;c"), b';');
        assert_eq!(delimiter("\"a,b,c\"|d"), b'|');
        assert_eq!(delimiter("a\tb"), b'\t');
        assert_eq!(delimiter("a"), b',');
    }

    #[test]
    fn numbers_sort_by_size_and_before_words() {
        let mut codes = ["b", "10", "9", "a", "2", "09", "10a"];
        codes.sort_by(|a, b| order(a, b));
        assert_eq!(codes, ["2", "09", "9", "10", "10a", "a", "b"]);
    }

    #[test]
    fn bytes_are_counted_in_the_largest_unit_that_fits() {
        assert_eq!(bytes(17), "17 bytes");
        assert_eq!(bytes(8 << 30), "8 GiB");
        assert_eq!(bytes(1536 << 20), "1.5 GiB");
    }

    #[test]
    fn only_a_similar_name_is_suggested() {
        assert_eq!(nearest("regoin", ["activity", "region"]), Some("region"));
        assert_eq!(nearest("xyz", ["activity", "region"]), None);
    }
}
