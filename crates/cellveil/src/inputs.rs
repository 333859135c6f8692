//! The files that a job reads, recorded so that anybody can see whether they are still the same.

use crate::Error;
use cellveil_publish::Input;
use std::path::{Path, PathBuf};

/// Records every file under the name the job gives it; a folder file by file.
pub(crate) fn inputs(files: &[(String, PathBuf)]) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    for (name, path) in files {
        if path.is_dir() {
            for file in files_of(path)? {
                let within = file.file_name().unwrap_or_default().to_string_lossy();
                inputs.push(Input::of(format!("{name}/{within}"), &file)?);
            }
        } else {
            inputs.push(Input::of(name.as_str(), path)?);
        }
    }
    Ok(inputs)
}

/// The files of a folder, by name.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |source| Error::Unreadable { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
