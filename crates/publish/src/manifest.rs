//! What went into a folder and what came out, so that anybody can make it again and see that nothing changed since.

use crate::PublishError;
use crate::sink::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The name of the manifest in its folder.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The name of the summary, which the manifest does not hash because it holds times.
pub(crate) const SUMMARY: &str = "summary.json";

/// The record of one run, `manifest.json`. Holds nothing that changes from run to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of cellveil that wrote the folder.
    pub cellveil: String,
    /// What the folder is: `release`, `adjustment`, `audit` or `table`.
    pub kind: String,
    /// What the table is called.
    pub title: String,
    /// The files that were read.
    pub inputs: Vec<Input>,
    /// The text of the job file, if there was one.
    pub job: Option<String>,
    /// The method, if one was used.
    pub method: Option<String>,
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// What was allowed: time, gap and the like.
    pub limits: BTreeMap<String, String>,
    /// Whether the table was held in memory, where that was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// The names of the tables, without their extensions, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<String>,
    /// How `instance.jj` is to be read, if there is one.
    pub instance: Option<InstanceNote>,
    /// Every file of the folder but the manifest itself and `summary.json`.
    pub files: Vec<FileEntry>,
}

/// Whether a table was held in memory while it was protected, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// `held` or `streamed`.
    pub table: String,
    /// What holding it would have taken, as far as it was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_bytes: Option<u64>,
    /// What it might take, where somebody said so or where that was too little; the same everywhere otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Who said so: `--memory` or `machine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_from: Option<String>,
    /// The files of other releases that this one goes without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Its name, as the job gives it.
    pub name: String,
    /// The number of its bytes.
    pub bytes: u64,
    /// Their SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name in the folder.
    pub name: String,
    /// The number of its bytes.
    pub bytes: u64,
    /// Their SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// Whether it may leave the house.
    pub public: bool,
}

/// What a JJ file cannot say about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstanceNote {
    /// The number of decimals of the unit that witnesses count in.
    pub decimals: u8,
    /// By how many units a total may miss its parts.
    pub tolerance: i64,
    /// Whether cells are called by the instance's own ids, and not by codes.
    pub own_ids: bool,
}

impl Input {
    /// Reads a file once to record it under the name the job gives it.
    ///
    /// # Errors
    /// [`PublishError::Io`] if it cannot be read.
    pub fn of(name: impl Into<String>, path: &Path) -> Result<Self, PublishError> {
        let (bytes, sha256) = hash_file(path)?;
        Ok(Self { name: name.into(), bytes, sha256 })
    }
}

/// The number of bytes of a file and their SHA-256, in hexadecimal digits.
///
/// # Errors
/// [`PublishError::Io`] if it cannot be read.
pub fn hash_file(path: &Path) -> Result<(u64, String), PublishError> {
    let mut file = File::open(path).map_err(PublishError::io("read", path))?;
    let (mut hash, mut total, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let count = file.read(&mut buffer).map_err(PublishError::io("read", path))?;
        if count == 0 {
            return Ok((total, hex(&hash.finalize())));
        }
        hash.update(&buffer[..count]);
        total += count as u64;
    }
}

impl Manifest {
    /// Reads the manifest of a folder; `None` if there is none of ours.
    pub fn read(dir: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(dir.join(MANIFEST)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The entry of a file.
    pub fn file(&self, name: &str) -> Option<&FileEntry> {
        self.files.iter().find(|file| file.name == name)
    }

    /// Whether a file of that name belongs to the folder.
    pub(crate) fn owns(&self, name: &str) -> bool {
        name == MANIFEST || name == SUMMARY || self.file(name).is_some()
    }
}
