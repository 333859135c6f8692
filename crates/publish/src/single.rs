//! One file that appears whole or not at all.

use crate::sink::Sink;
use crate::{PublishError, atomic};
use std::io;
use std::path::{Path, PathBuf};

/// Writes beside the path and renames at the end; an earlier file is replaced.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut Sink) -> io::Result<()>,
) -> Result<Vec<PathBuf>, PublishError> {
    let failed = || PublishError::io("write", path);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let partial = path.with_file_name(format!(".{name}.partial"));
    let mut sink = Sink::create(&partial, None).map_err(failed())?;
    let filled = fill(&mut sink);
    let written = sink.finish(filled).and_then(|_| std::fs::rename(&partial, path));
    if let Err(error) = written {
        // Nothing is left to do if this fails too: the first error is the one to report.
        let _ = std::fs::remove_file(&partial);
        return Err(failed()(error));
    }
    path.parent().into_iter().for_each(atomic::sync_folder);
    Ok(vec![path.to_owned()])
}

/// Writes some bytes as a file that appears whole or not at all.
///
/// # Errors
/// [`PublishError`] if it cannot be written.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), PublishError> {
    write_file(path, |sink| io::Write::write_all(sink, bytes)).map(|_| ())
}
