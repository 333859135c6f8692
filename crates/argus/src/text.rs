//! Lines and words, as all text files of τ-ARGUS share them.

use crate::Fault;
use std::path::Path;

/// The text of a file: UTF-8, or else Windows-1252.
///
/// # Errors
/// [`Fault`] if it cannot be read.
pub fn read(path: &Path) -> Result<String, Fault> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(cellveil_tabulate::text::decode(&bytes)),
        Err(why) => Err(Fault::new(path, format!("cannot be read: {why}"))
            .hint("correct the name, or put the file beside the batch file")),
    }
}

/// Lines that say something, with their numbers: tabulators are blanks, and lines that start with `//` are comments.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (u64, String)> + '_ {
    (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.replace('\t', " ").trim().to_owned()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with("//"))
}

/// The words of a line, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self(line.trim())
    }

    /// What is left.
    pub(crate) fn rest(&self) -> &'a str {
        self.0
    }

    /// The next word: a quoted text, one of `, | ( )`, or everything up to the next blank.
    pub(crate) fn next(&mut self) -> Option<&'a str> {
        let text = self.0;
        let first = text.chars().next()?;
        let (word, rest) = if first == '"' {
            text[1..].split_once('"').unwrap_or((&text[1..], ""))
        } else if is_sign(first) {
            text.split_at(first.len_utf8())
        } else {
            text.split_at(text.find(' ').unwrap_or(text.len()))
        };
        self.0 = rest.trim_start();
        Some(word)
    }
}

fn is_sign(sign: char) -> bool {
    matches!(sign, ',' | '|' | '(' | ')')
}

/// A text without blanks around it and without one pair of quotes.
pub(crate) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// A code on the right of its field.
pub(crate) fn padded(code: &str, width: usize) -> String {
    format!("{code:>width$}")
}

/// A number as tabular data write it: a comma may stand for the point.
pub(crate) fn amount(text: &str) -> Option<i128> {
    cellveil_tabulate::amount_of_text(&text.replace(',', ".")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_count_but_say_nothing() {
        let found: Vec<(u64, String)> = lines("// a\n\n\t<X> \"b\" \r\nc").collect();
        assert_eq!(found, [(3, "<X> \"b\"".to_owned()), (4, "c".to_owned())]);
    }

    #[test]
    fn words_are_texts_signs_or_run_to_the_next_blank() {
        let mut words = Words::new("name 12 \"a b\"|( x");
        let all: Vec<&str> = std::iter::from_fn(|| words.next()).collect();
        assert_eq!(all, ["name", "12", "a b", "|", "(", "x"]);
    }
}
