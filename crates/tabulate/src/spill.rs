//! Sorted rows that wait on the disk until they are merged.
//!
//! A file without a name, in the folder for temporary files: it is gone when nobody holds it any more, whatever happens.

use crate::TabulateError;
use crate::layout::Key;
use crate::measure::Measure;
use crate::run::Run;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// How much of a file is read or written at a time.
const BUFFER: usize = 1 << 16;

/// So many files are open at once before they are merged to one.
pub(crate) const MOST_FILES: usize = 64;

/// Rows by ascending key, each key once, on the disk.
#[derive(Debug)]
pub(crate) struct Spilled {
    file: File,
    rows: usize,
}

impl Spilled {
    /// Writes the merged rows of some sources.
    pub(crate) fn merged<K: Key>(
        sources: Vec<Source<'_, K>>,
        measure: Measure,
    ) -> Result<Self, TabulateError> {
        let write = || -> io::Result<Self> {
            let file = tempfile::tempfile()?;
            let mut out = BufWriter::with_capacity(BUFFER, file);
            let mut rows = 0;
            merge(sources, measure, |key: K, row| {
                rows += 1;
                write_row(&mut out, key, row)
            })?;
            let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            Ok(Self { file, rows })
        };
        write().map_err(|why| failed(&why))
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }
}

/// What an error of the disk means.
pub(crate) fn failed(why: &io::Error) -> TabulateError {
    TabulateError::Disk { folder: std::env::temp_dir(), why: why.to_string() }
}

fn write_row<K: Key>(out: &mut impl Write, key: K, row: &[i64]) -> io::Result<()> {
    let bytes = key.bits().to_le_bytes();
    out.write_all(&bytes[..K::BITS as usize / 8])?;
    row.iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))
}

/// Rows by ascending key, one after the other.
pub(crate) enum Source<'a, K> {
    /// In memory; the position of the next.
    Held(&'a Run<K>, usize),
    /// On the disk; how many are left.
    Spilled(BufReader<File>, usize),
}

impl<'a, K: Key> Source<'a, K> {
    pub(crate) fn held(run: &'a Run<K>) -> Self {
        Self::Held(run, 0)
    }

    pub(crate) fn spilled(spilled: Spilled) -> Self {
        Self::Spilled(BufReader::with_capacity(BUFFER, spilled.file), spilled.rows)
    }

    /// The next key, its row in `row`; nothing after the last.
    fn next(&mut self, row: &mut [i64]) -> io::Result<Option<K>> {
        match self {
            Self::Held(run, at) => {
                let Some(&key) = run.keys.get(*at) else { return Ok(None) };
                row.copy_from_slice(&run.words[*at * row.len()..(*at + 1) * row.len()]);
                *at += 1;
                Ok(Some(key))
            }
            Self::Spilled(_, 0) => Ok(None),
            Self::Spilled(file, left) => {
                *left -= 1;
                let mut bytes = [0; 16];
                file.read_exact(&mut bytes[..K::BITS as usize / 8])?;
                for word in row {
                    let mut bytes = [0; 8];
                    file.read_exact(&mut bytes)?;
                    *word = i64::from_le_bytes(bytes);
                }
                Ok(Some(K::pack(u128::from_le_bytes(bytes))))
            }
        }
    }
}

/// Hands the rows of all sources over by ascending key, those of one key joined.
pub(crate) fn merge<K: Key>(
    mut sources: Vec<Source<'_, K>>,
    measure: Measure,
    mut take: impl FnMut(K, &[i64]) -> io::Result<()>,
) -> io::Result<()> {
    let width = measure.width();
    let mut rows = vec![0_i64; sources.len() * width];
    let mut first = BinaryHeap::new();
    for (at, (source, row)) in sources.iter_mut().zip(rows.chunks_exact_mut(width)).enumerate() {
        first.extend(source.next(row)?.map(|key| Reverse((key, at))));
    }
    let mut current: Option<K> = None;
    let mut sum = vec![0_i64; width];
    while let Some(Reverse((key, at))) = first.pop() {
        let row = &mut rows[at * width..(at + 1) * width];
        match current {
            Some(before) if before == key => measure.merge(&mut sum, row),
            before => {
                before.map_or(Ok(()), |before| take(before, &sum))?;
                current = Some(key);
                sum.copy_from_slice(row);
            }
        }
        first.extend(sources[at].next(row)?.map(|key| Reverse((key, at))));
    }
    current.map_or(Ok(()), |last| take(last, &sum))
}
