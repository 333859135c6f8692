//! Instances of the cell suppression problem, from wherever they come.

use crate::pipeline::{Engines, Origin, pose};
use crate::{Error, Job, Run};
use cellveil_argus::jj::{self, JjError};
use cellveil_core::Problem;
use cellveil_publish::{Formats, Input, Manifest};
use std::path::{Path, PathBuf};

/// Loads an instance: a `.jj` file, a job file (`.toml`) or the folder of a release.
///
/// # Errors
/// [`Error`] if there is no such instance or it does not hold together.
pub fn load(path: &Path, engines: &Engines<'_>, run: &Run<'_>) -> Result<(Problem, Origin), Error> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_lowercase).as_deref() {
        Some("toml") => pose(&Job::read(path)?, engines, run),
        Some("jj") => given(path, 0),
        _ if path.join("manifest.json").is_file() => {
            let note = Manifest::read(path).and_then(|manifest| manifest.instance);
            let note = note.ok_or_else(|| Error::NoInstance(path.to_owned()))?;
            given(&path.join("instance.jj"), note.tolerance)
        }
        _ => Err(Error::NoInstance(path.to_owned())),
    }
}

/// As [`load`], for adjustment: a `.jj` file need not add up, and one of the two levels of a cell may be below zero.
///
/// # Errors
/// [`Error`] if there is no such instance or it does not hold together.
pub fn load_to_adjust(
    path: &Path,
    engines: &Engines<'_>,
    run: &Run<'_>,
) -> Result<(Problem, Origin), Error> {
    let is_jj = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jj"));
    if !is_jj {
        return load(path, engines, run);
    }
    let text = text_of(path)?;
    let read = jj::read_to_adjust(&text);
    let problem = read.map_err(|source| Error::Jj { path: path.to_owned(), source })?;
    Ok((problem, origin(path)?))
}

/// An instance that came as it is.
fn given(path: &Path, tolerance: i64) -> Result<(Problem, Origin), Error> {
    Ok((read_jj(path, tolerance)?, origin(path)?))
}

fn origin(path: &Path) -> Result<Origin, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let title = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let inputs = vec![Input::of(name, path)?];
    Ok(Origin {
        inputs,
        job: None,
        title,
        formats: Formats::default(),
        tables: Vec::new(),
        way: None,
    })
}

fn text_of(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path)
        .map_err(|source| Error::Unreadable { path: path.to_owned(), source })
}

/// Reads a JJ file.
///
/// # Errors
/// [`Error`] names the file and the line.
pub fn read_jj(path: &Path, tolerance: i64) -> Result<Problem, Error> {
    jj::read_file(path, tolerance).map_err(|error| match error {
        JjError::Unreadable(source) => Error::Unreadable { path: path.to_owned(), source },
        source => Error::Jj { path: path.to_owned(), source },
    })
}

/// An instance after earlier releases of the same table, or of one with fewer dimensions: `pattern.csv` or `table.csv` files say what was
/// withheld then, and all else is known for good.
///
/// # Errors
/// [`Error`] if a file cannot be read or names other cells.
pub fn after(mut problem: Problem, earlier: &[PathBuf]) -> Result<Problem, Error> {
    for path in earlier {
        let published = cellveil_publish::read_earlier(path, &problem)?;
        problem = problem.after_earlier_releases(published);
    }
    Ok(problem)
}
