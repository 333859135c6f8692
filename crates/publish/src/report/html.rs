//! Text and numbers as HTML.

use cellveil_core::{Reason, units};
use std::fmt;

/// Text that cannot turn into markup, in content or in a quoted attribute.
pub(crate) fn text(text: &str) -> Escaped<'_> {
    Escaped(text)
}

pub(crate) struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                _ => fmt::Write::write_char(f, character)?,
            }
        }
        Ok(())
    }
}

/// An amount of units with its digits in groups of three.
pub(super) fn amount(amount: i64, decimals: u8) -> String {
    grouped(&units::display(amount, decimals).to_string())
}

/// A count with its digits in groups of three.
pub(crate) fn count(count: usize) -> String {
    grouped(&count.to_string())
}

fn grouped(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').map_or((number, None), |(w, f)| (w, Some(f)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("−", digits));
    let mut out = String::from(sign);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A share of a whole in per cent: `12.5 %`.
pub(crate) fn percent(part: f64, whole: f64) -> String {
    if whole <= 0.0 { "–".to_owned() } else { format!("{:.1}\u{202f}%", 100.0 * part / whole) }
}

/// A horizontal bar of `part` in `whole`, with a class for its colour.
pub(super) fn bar(part: f64, whole: f64, class: &str) -> String {
    let width = if whole > 0.0 { (100.0 * part / whole).clamp(0.0, 100.0) } else { 0.0 };
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"track\" width=\"100\" height=\"8\"/>\
         <rect class=\"{class}\" width=\"{width:.2}\" height=\"8\"/></svg>"
    )
}

/// What a rule found, in words.
pub(super) fn meaning(reason: Reason) -> &'static str {
    match reason {
        Reason::Frequency => "too few respondents",
        Reason::Dominance => "a few respondents hold too much of it",
        Reason::PPercent => "its largest respondent could be estimated too closely",
        Reason::Pq => {
            "its largest respondent could be estimated too closely by those who know something"
        }
        Reason::Request => "a respondent asked for protection",
        Reason::Zero => "a zero that tells something about its respondents",
        Reason::Manual => "marked by hand",
        Reason::RowShare => "it holds too much of its row",
        Reason::ColumnShare => "it holds too much of its column",
        Reason::Given => "the instance says so",
        Reason::Interval => "every withheld cell must have a wide enough interval",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_codes_is_only_text() {
        assert_eq!(text("<b a='\"'>&").to_string(), "&lt;b a=&#39;&quot;&#39;&gt;&amp;");
    }

    #[test]
    fn digits_stand_in_groups_of_three() {
        assert_eq!(amount(-1_234_567, 1), "−123\u{202f}456.7");
        assert_eq!(amount(100, 0), "100");
        assert_eq!(count(1000), "1\u{202f}000");
    }
}
