//! The folder of reference data beside the project.

use std::path::{Path, PathBuf};

/// The folder `shared` beside the project, if it is there. Tests that need it return early without it.
///
/// # Panics
/// If it is absent where `CI` is set: there, nothing may be skipped in silence.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if folder.join("data").is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "`../shared` is absent and CI is set");
    eprintln!("skipped: `../shared` is absent");
    None
}

/// The instances of `shared/data/csplib`, by name without ending; empty without the folder.
///
/// # Panics
/// As [`shared`], and if an instance named here is missing from the folder.
pub fn csplib(names: &[&str]) -> Vec<PathBuf> {
    let Some(folder) = shared() else { return Vec::new() };
    let files = names.iter().map(|name| folder.join("data/csplib").join(name).with_extension("jj"));
    files.inspect(|file| assert!(file.is_file(), "`{}` is missing", file.display())).collect()
}
