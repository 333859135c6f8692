//! A folder whose files appear all together or not at all.
//!
//! Files are written into a folder beside the target (inside it when the target is a mount point, which cannot be renamed)
//! and take their place at the end. Whatever happens before leaves the target as it was.

use crate::manifest::{FileEntry, MANIFEST, Manifest};
use crate::sink::Sink;
use crate::{PublishError, atomic};
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) struct Staging {
    target: PathBuf,
    stage: PathBuf,
    /// Folders above the target that were made for it, innermost first.
    parents: Vec<PathBuf>,
    files: Vec<FileEntry>,
    names: Vec<String>,
    /// How many bytes there is room for; only tests set it.
    room: Option<u64>,
    committed: bool,
}

impl Staging {
    /// Prepares to write a folder; refuses to replace anything but an earlier one of ours.
    pub(crate) fn open(target: &Path, room: Option<u64>) -> Result<Self, PublishError> {
        let target = resolved(target)?;
        check_replaceable(&target)?;
        let parents = create_parents(&target)?;
        let mut staging = Self {
            stage: PathBuf::new(),
            target,
            parents,
            files: Vec::new(),
            names: Vec::new(),
            room,
            committed: false,
        };
        staging.stage = staging.create_stage()?;
        Ok(staging)
    }

    fn create_stage(&self) -> Result<PathBuf, PublishError> {
        let name = self.target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = self.target.with_file_name(format!(".{name}.partial"));
        let inside = self.target.join(".partial");
        let created = if atomic::is_mount_point(&self.target) {
            create_numbered(&inside)
        } else {
            match create_numbered(&beside) {
                // The folder around may be closed to us while the folder itself is not.
                Err(_) if self.target.is_dir() => create_numbered(&inside),
                created => created,
            }
        };
        created.map_err(PublishError::io("create", &self.target))
    }

    /// The folder that files are written into for now.
    pub(crate) fn folder(&self) -> &Path {
        &self.stage
    }

    /// Writes one file and records its hash.
    pub(crate) fn write(
        &mut self,
        name: &str,
        public: bool,
        fill: impl FnOnce(&mut Sink) -> io::Result<()>,
    ) -> Result<(), PublishError> {
        let (bytes, sha256) = self.write_unlisted(name, fill)?;
        self.files.push(FileEntry { name: name.to_owned(), bytes, sha256, public });
        Ok(())
    }

    /// Writes one file that the manifest does not list.
    pub(crate) fn write_json(
        &mut self,
        name: &str,
        content: &impl Serialize,
    ) -> Result<(), PublishError> {
        let fill = |sink: &mut Sink| {
            serde_json::to_writer_pretty(&mut *sink, content)?;
            sink.write_all(b"\n")
        };
        self.write_unlisted(name, fill).map(|_| ())
    }

    fn write_unlisted(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut Sink) -> io::Result<()>,
    ) -> Result<(u64, String), PublishError> {
        let shown = self.target.join(name);
        let failed = || PublishError::io("write", &shown);
        let mut sink = Sink::create(&self.stage.join(name), self.room).map_err(failed())?;
        let filled = fill(&mut sink);
        let (bytes, sha256) = sink.finish(filled).map_err(failed())?;
        self.room = self.room.map(|room| room.saturating_sub(bytes));
        self.names.push(name.to_owned());
        Ok((bytes, sha256))
    }

    /// Adds the manifest and lets everything appear. Returns the files, in the order they were written.
    pub(crate) fn commit(mut self, mut manifest: Manifest) -> Result<Vec<PathBuf>, PublishError> {
        manifest.files = std::mem::take(&mut self.files);
        self.write_json(MANIFEST, &manifest)?;
        atomic::sync_folder(&self.stage);
        let failed = PublishError::io("write", &self.target);
        if self.stage.parent() == Some(&self.target) {
            atomic::move_files_up(&self.stage, &self.target, &self.names).map_err(failed)?;
        } else {
            atomic::replace_folder(&self.stage, &self.target).map_err(failed)?;
        }
        self.committed = true;
        Ok(self.names.iter().map(|name| self.target.join(name)).collect())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.committed {
            return;
        }
        // Nothing is left to do if cleaning up fails: the error that led here is the one to report.
        if !self.stage.as_os_str().is_empty() {
            let _ = fs::remove_dir_all(&self.stage);
        }
        for parent in &self.parents {
            let _ = fs::remove_dir(parent);
        }
    }
}

/// Creates a folder under the first free number: an interrupted run may have left one behind.
fn create_numbered(stem: &Path) -> io::Result<PathBuf> {
    let mut number = 0;
    loop {
        let mut name = stem.as_os_str().to_owned();
        name.push(format!("-{number}"));
        match fs::create_dir(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {
                number += 1;
            }
            created => return created.map(|()| name.into()),
        }
    }
}

/// The folder a path really means, whether it exists or not.
fn resolved(target: &Path) -> Result<PathBuf, PublishError> {
    let target = match fs::canonicalize(target) {
        Ok(existing) => existing,
        Err(_) => std::path::absolute(target).map_err(PublishError::io("create", target))?,
    };
    match target.file_name() {
        Some(_) => Ok(target),
        None => Err(PublishError::NotAFolder(target)),
    }
}

fn check_replaceable(target: &Path) -> Result<(), PublishError> {
    if !target.exists() {
        return Ok(());
    }
    if !target.is_dir() {
        return Err(PublishError::NotAFolder(target.to_owned()));
    }
    let earlier = Manifest::read(target);
    let mut foreign = Vec::new();
    for entry in fs::read_dir(target).map_err(PublishError::io("read", target))? {
        let entry = entry.map_err(PublishError::io("read", target))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // A fresh file system comes with this folder.
        let ours = name == "lost+found" || earlier.as_ref().is_some_and(|m| m.owns(&name));
        if !ours {
            foreign.push(name);
        }
    }
    match foreign.into_iter().min() {
        None => Ok(()),
        Some(file) => Err(PublishError::Foreign { dir: target.to_owned(), file }),
    }
}

fn create_parents(target: &Path) -> Result<Vec<PathBuf>, PublishError> {
    let Some(parent) = target.parent() else { return Ok(Vec::new()) };
    let missing: Vec<PathBuf> =
        parent.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    if let Some(file) = parent.ancestors().find(|path| path.is_file()) {
        return Err(PublishError::NotAFolder(file.to_owned()));
    }
    fs::create_dir_all(parent).map_err(PublishError::io("create", parent))?;
    Ok(missing)
}
