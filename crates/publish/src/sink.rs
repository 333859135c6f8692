//! A file that is hashed while it is written.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file, counts and hashes its bytes, and remembers the first failure: libraries on top of it wrap that in their own words.
pub(crate) struct Sink {
    file: BufWriter<Counted>,
}

struct Counted {
    file: File,
    hash: Sha256,
    bytes: u64,
    /// How many bytes there is room for; only tests set it.
    room: Option<u64>,
    failure: Option<io::Error>,
}

impl Sink {
    pub(crate) fn create(path: &Path, room: Option<u64>) -> io::Result<Self> {
        let file = File::create(path)?;
        let counted = Counted { file, hash: Sha256::new(), bytes: 0, room, failure: None };
        Ok(Self { file: BufWriter::with_capacity(1 << 16, counted) })
    }

    /// Brings everything to the disk and returns the number of bytes and their hash.
    pub(crate) fn finish(mut self, filled: io::Result<()>) -> io::Result<(u64, String)> {
        let flushed = filled.and_then(|()| self.file.flush());
        // The parts are taken apart without a second attempt to write what did not fit.
        let (counted, _) = self.file.into_parts();
        if let Some(failure) = counted.failure {
            return Err(failure);
        }
        flushed?;
        counted.file.sync_all()?;
        Ok((counted.bytes, hex(&counted.hash.finalize())))
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let full = self.room.is_some_and(|room| self.bytes + bytes.len() as u64 > room);
        let written =
            if full { Err(io::ErrorKind::StorageFull.into()) } else { self.file.write(bytes) };
        match written {
            Ok(count) => {
                self.hash.update(&bytes[..count]);
                self.bytes += count as u64;
                Ok(count)
            }
            Err(error) => {
                self.failure.get_or_insert(io::Error::new(error.kind(), error.to_string()));
                Err(error)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .map(char::from)
        .collect()
}
