//! Putting finished files in their place, as nearly at once as the operating system allows.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Lets `stage` take the place of `target`. An earlier folder steps aside first and comes back if that fails.
pub(crate) fn replace_folder(stage: &Path, target: &Path) -> io::Result<()> {
    if target.exists() {
        let aside = unused_beside(stage);
        fs::rename(target, &aside)?;
        if let Err(error) = fs::rename(stage, target) {
            fs::rename(&aside, target)?;
            return Err(error);
        }
        fs::remove_dir_all(&aside)?;
    } else {
        fs::rename(stage, target)?;
    }
    target.parent().into_iter().for_each(sync_folder);
    Ok(())
}

/// A name of its own for the folder that steps aside.
fn unused_beside(stage: &Path) -> PathBuf {
    let numbered = |number: u32| {
        let mut name = stage.as_os_str().to_owned();
        name.push(format!("-old-{number}"));
        PathBuf::from(name)
    };
    (0..u32::MAX).map(numbered).find(|path| !path.exists()).unwrap_or_else(|| numbered(u32::MAX))
}

/// Moves the named files of `stage` into the folder around it, over those of an earlier release, and removes what is left
/// of that. For a mount point, which cannot be renamed; the manifest comes last.
pub(crate) fn move_files_up(stage: &Path, target: &Path, names: &[String]) -> io::Result<()> {
    for name in names {
        fs::rename(stage.join(name), target.join(name))?;
    }
    for entry in fs::read_dir(target)? {
        let entry = entry?;
        let kept = names.iter().any(|name| entry.file_name() == name.as_str());
        if !kept && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir(stage)?;
    sync_folder(target);
    Ok(())
}

/// Asks for the names in a folder to be on the disk. Some file systems cannot, which is no reason to fail.
pub(crate) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Whether a folder lies on another file system than the folder around it.
#[cfg(unix)]
pub(crate) fn is_mount_point(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    match (device(folder), folder.parent().and_then(device)) {
        (Some(here), Some(around)) => here != around,
        _ => false,
    }
}

/// Whether a folder lies on another file system than the folder around it.
#[cfg(not(unix))]
pub(crate) fn is_mount_point(_folder: &Path) -> bool {
    false
}
