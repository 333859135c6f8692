//! What can be wrong with a job file, and on which line.

use crate::nearest::nearest;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a job file cannot be followed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{}: {what}{}", path.display(), Line(*line), Hint(hint.as_deref()))]
pub struct JobError {
    /// The job file.
    pub path: PathBuf,
    /// The line at fault, counted from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
}

struct Line(Option<usize>);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

struct Hint<'a>(Option<&'a str>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

/// The text of a job file, which knows the line of everything in it.
pub(super) struct Text<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl Text<'_> {
    /// An error at a place of the text.
    pub(super) fn at(&self, span: Range<usize>, what: impl Into<String>) -> JobError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        JobError { line: Some(line), ..self.whole(what) }
    }

    /// An error of the file as a whole.
    pub(super) fn whole(&self, what: impl Into<String>) -> JobError {
        JobError { path: self.path.to_owned(), line: None, what: what.into(), hint: None }
    }

    /// What the TOML reader says, in our words where it is about a key.
    pub(super) fn toml(&self, error: &toml::de::Error) -> JobError {
        let message = error.message();
        let span = error.span().unwrap_or(0..0);
        match Unknown::of(message) {
            Some(Unknown { kind, name, known }) => {
                let hint = match nearest(&name, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are: {}", known.join(", ")),
                };
                let span = self.key(&span, &name);
                self.at(span, format!("unknown {kind} `{name}`")).hint(hint)
            }
            None => self.at(span, message.lines().collect::<Vec<_>>().join(", ")),
        }
    }

    /// The place of a key within a part of the text, such as a whole section; the part itself if it is not found.
    pub(super) fn key(&self, span: &Range<usize>, name: &str) -> Range<usize> {
        let part = self.text.get(span.clone()).unwrap_or("");
        let is_key = |at: &usize| {
            let before = part[..*at].chars().next_back();
            let after = part[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
            before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
                && (after.starts_with(['=', '.', ']']) || after.is_empty())
        };
        let found = part.match_indices(name).map(|(at, _)| at).find(is_key);
        found.map_or_else(|| span.clone(), |at| span.start + at..span.start + at + name.len())
    }
}

impl JobError {
    /// Adds what to do.
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// A name that the reader does not know, out of a message such as ``unknown field `a`, expected one of `b`, `c` ``.
struct Unknown {
    kind: &'static str,
    name: String,
    known: Vec<String>,
}

impl Unknown {
    fn of(message: &str) -> Option<Self> {
        let (kind, rest) = match message.strip_prefix("unknown field ") {
            Some(rest) => ("key", rest),
            None => ("value", message.strip_prefix("unknown variant ")?),
        };
        let mut quoted = rest.split('`').skip(1).step_by(2).map(str::to_owned);
        Some(Self { kind, name: quoted.next()?, known: quoted.collect() })
    }
}
