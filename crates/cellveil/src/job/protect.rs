//! How to protect the table and what to write: `[protect]` and `[output]`.

use super::error::{JobError, Text};
use super::sections::{OutputSection, PreviousSection, ProtectSection};
use super::{Previous, Protection};
use crate::nearest::nearest;
use crate::settings::Settings;
use cellveil_core::{Cost, Knowledge};
use cellveil_publish::Formats;
use cellveil_suppress::Method;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Ways to protect a table that job files may name; only the first is there yet.
const METHODS: [&str; 5] = ["suppress", "cta", "rounding", "cell-key", "small-counts"];
/// Intruders that job files may name.
const INTRUDERS: [&str; 5] = ["external", "singleton", "coalition", "integer", "earlier-releases"];

pub(super) fn protection(
    place: &Text<'_>,
    section: &ProtectSection,
) -> Result<Protection, JobError> {
    if let Some(method) = &section.method {
        available(place, "method", method, &METHODS, 1)?;
    }
    let (mut singletons, mut coalitions, mut whole) = (false, false, false);
    for intruder in &section.intruder {
        available(place, "intruder", intruder, &INTRUDERS, INTRUDERS.len())?;
        if intruder.get_ref() == "earlier-releases" && section.earlier.is_empty() {
            return Err(place
                .at(intruder.span(), "nothing says what was released earlier")
                .hint("name the files under `[protect]`: `earlier = [\"pattern.csv\"]`"));
        }
        coalitions |= intruder.get_ref() == "coalition";
        singletons |= ["singleton", "coalition"].contains(&&intruder.get_ref()[..]);
        whole |= intruder.get_ref() == "integer";
    }
    let base = place.path.parent().unwrap_or(Path::new(""));
    Ok(Protection {
        earlier: section.earlier.iter().map(|name| base.join(name)).collect(),
        method: suppression(place, section.suppression.as_ref())?,
        singletons,
        coalitions,
        whole,
        cost: cost(place, section.cost.as_ref())?,
        lambda: lambda(place, section.lambda.as_ref())?,
        margins: margins(place, section.margins.as_ref())?,
        cost_file: section.cost_file.as_ref().map(|name| beside(place, name)),
        previous: section
            .previous
            .as_ref()
            .map(|previous| self::previous(place, previous))
            .transpose()?,
        knowledge: knowledge(place, section.known_percent.as_ref())?,
    })
}

/// Refuses a name that is unknown or that names something to come; the first `there` of the names are there.
fn available(
    place: &Text<'_>,
    key: &str,
    written: &Spanned<String>,
    names: &[&str],
    there: usize,
) -> Result<(), JobError> {
    let name = written.get_ref().as_str();
    let there_are = || format!("there are: {}", names[..there].join(", "));
    match names.iter().position(|known| *known == name) {
        Some(at) if at < there => Ok(()),
        Some(_) => Err(place
            .at(written.span(), format!("{key} `{name}` is not available yet"))
            .hint(there_are())),
        None => Err(unknown(place, key, written, &names[..there])),
    }
}

/// No such name, and which one may have been meant.
fn unknown(place: &Text<'_>, key: &str, written: &Spanned<String>, names: &[&str]) -> JobError {
    let hint = match nearest(written.get_ref(), names.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("there are: {}", names.join(", ")),
    };
    place.at(written.span(), format!("unknown {key} `{}`", written.get_ref())).hint(hint)
}

fn suppression(place: &Text<'_>, written: Option<&Spanned<String>>) -> Result<Method, JobError> {
    let Some(written) = written else { return Ok(Method::default()) };
    let names = Method::ALL.map(Method::name);
    written.get_ref().parse().map_err(|_| unknown(place, "suppression", written, &names))
}

fn cost(place: &Text<'_>, written: Option<&Spanned<String>>) -> Result<Cost, JobError> {
    let Some(written) = written else { return Ok(Cost::Value) };
    match written.get_ref().as_str() {
        "value" => Ok(Cost::Value),
        "respondents" => Ok(Cost::Respondents),
        "one" => Ok(Cost::Unit),
        _ => Err(unknown(place, "cost", written, &["value", "respondents", "one"])),
    }
}

fn lambda(place: &Text<'_>, written: Option<&Spanned<f64>>) -> Result<Option<f64>, JobError> {
    match written {
        None => Ok(None),
        Some(lambda) if (0.0..=1.0).contains(lambda.get_ref()) => Ok(Some(*lambda.get_ref())),
        Some(lambda) => Err(place
            .at(lambda.span(), "`lambda` must be from 0 to 1")
            .hint("costs are raised to this power; 0 takes their logarithm")),
    }
}

fn margins(place: &Text<'_>, written: Option<&Spanned<f64>>) -> Result<f64, JobError> {
    match written {
        None => Ok(1.0),
        Some(factor) if factor.get_ref().is_finite() && *factor.get_ref() >= 1.0 => {
            Ok(*factor.get_ref())
        }
        Some(factor) => Err(place
            .at(factor.span(), "`margins` must be at least 1")
            .hint("totals cost this many times as much as they would")),
    }
}

/// A file that the job names, from where the job stands.
fn beside(place: &Text<'_>, name: &str) -> PathBuf {
    place.path.parent().unwrap_or(Path::new("")).join(name)
}

fn previous(place: &Text<'_>, section: &PreviousSection) -> Result<(PathBuf, Previous), JobError> {
    let previous = match section.cells.get_ref().as_str() {
        "keep" => Previous::Keep,
        "prefer" => Previous::Prefer,
        "forbid" => Previous::Forbid,
        _ => return Err(unknown(place, "cells", &section.cells, &["keep", "prefer", "forbid"])),
    };
    Ok((beside(place, &section.pattern), previous))
}

/// The files that protection reads, as the job names them and where they are.
pub(super) fn files(place: &Text<'_>, section: &ProtectSection) -> Vec<(String, PathBuf)> {
    let previous = section.previous.as_ref().map(|previous| &previous.pattern);
    let names = section.cost_file.iter().chain(previous);
    names.map(|name| (name.clone(), beside(place, name))).collect()
}

fn knowledge(place: &Text<'_>, written: Option<&Spanned<f64>>) -> Result<Knowledge, JobError> {
    match written.map(|written| (*written.get_ref(), written.span())) {
        None => Ok(Knowledge::default()),
        Some((percent, _)) if percent.is_finite() && percent > 0.0 => {
            Ok(Knowledge { percent: Some(percent) })
        }
        Some((_, span)) => Err(place
            .at(span, "`known_percent` must be above 0")
            .hint("intruders know each value up to this many per cent of itself")),
    }
}

pub(super) fn settings(place: &Text<'_>, section: &ProtectSection) -> Result<Settings, JobError> {
    let time_limit = match &section.time_limit {
        None => None,
        Some(written) => Some(
            written
                .get_ref()
                .parse()
                .map_err(|error| place.at(written.span(), format!("{error}")))?,
        ),
    };
    let gap = match &section.gap {
        None => None,
        Some(gap) if (0.0..=1.0).contains(gap.get_ref()) => Some(*gap.get_ref()),
        Some(gap) => {
            return Err(place
                .at(gap.span(), "`gap` must be from 0 to 1")
                .hint("0.01 means: at most one per cent dearer than the best"));
        }
    };
    let release_frozen = section.release_frozen;
    Ok(Settings {
        time_limit,
        gap,
        seed: section.seed,
        threads: None,
        memory: None,
        release_frozen,
    })
}

pub(super) fn formats(place: &Text<'_>, section: &OutputSection) -> Result<Formats, JobError> {
    let Some(names) = &section.formats else { return Ok(Formats::default()) };
    let mut formats = Formats { csv: false, parquet: false, xlsx: false, asked: true };
    for name in names {
        match name.get_ref().as_str() {
            "csv" => formats.csv = true,
            "parquet" => formats.parquet = true,
            "xlsx" => formats.xlsx = true,
            _ => return Err(unknown(place, "format", name, &["csv", "parquet", "xlsx"])),
        }
    }
    Ok(formats)
}
