//! Sorted rows, each key once, and how records become such a run: by sorting buffers and merging.
//!
//! Every thread gathers for itself (the partial aggregation), and what they have is merged in the end (the final one). Sums of whole
//! numbers and largest contributions do not depend on the order, so neither does the result.

use crate::layout::Key;
use crate::measure::Measure;
use crate::{Record, TabulateError};
use rayon::prelude::*;

/// Rows by ascending key, each key once.
#[derive(Clone, Debug)]
pub struct Run<K> {
    pub(crate) keys: Vec<K>,
    /// Row-major, as wide as the measure says.
    pub(crate) words: Vec<i64>,
}

impl<K> Default for Run<K> {
    fn default() -> Self {
        Self { keys: Vec::new(), words: Vec::new() }
    }
}

impl<K: Key> Run<K> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Sorts rows and joins those of the same key.
    pub(crate) fn sorted(keys: &[K], words: &[i64], measure: Measure) -> Self {
        let mut order: Vec<(K, u32)> = keys.iter().zip(0..).map(|(&key, at)| (key, at)).collect();
        order.sort_unstable();
        let mut run = Self::default();
        let width = measure.width();
        for (key, at) in order {
            run.push(key, &words[at as usize * width..(at as usize + 1) * width], measure);
        }
        run.shrink();
        run
    }

    /// Appends a row whose key is not below the last.
    pub(crate) fn push(&mut self, key: K, row: &[i64], measure: Measure) {
        if self.keys.last() == Some(&key) {
            let from = self.words.len() - row.len();
            measure.merge(&mut self.words[from..], row);
        } else {
            self.keys.push(key);
            self.words.extend_from_slice(row);
        }
    }

    fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.words.shrink_to_fit();
    }

    fn from(&self, key: K) -> usize {
        self.keys.partition_point(|&known| known < key)
    }

    fn append(&mut self, other: &Self) {
        self.keys.extend_from_slice(&other.keys);
        self.words.extend_from_slice(&other.words);
    }
}

/// Some rows of a run.
#[derive(Clone, Copy)]
struct Part<'a, K> {
    keys: &'a [K],
    words: &'a [i64],
}

impl<'a, K: Key> Part<'a, K> {
    fn of(run: &'a Run<K>, from: usize, to: usize, width: usize) -> Self {
        Self { keys: &run.keys[from..to], words: &run.words[from * width..to * width] }
    }

    /// The rows from one border on to the next.
    fn between(run: &'a Run<K>, from: Option<&K>, to: Option<&K>, width: usize) -> Self {
        let from = from.map_or(0, |&key| run.from(key));
        Self::of(run, from, to.map_or(run.len(), |&key| run.from(key)), width)
    }

    fn row(self, at: usize, width: usize) -> &'a [i64] {
        &self.words[at * width..(at + 1) * width]
    }
}

/// Merges two lists of rows.
fn merged<K: Key>(a: Part<'_, K>, b: Part<'_, K>, measure: Measure) -> Run<K> {
    let width = measure.width();
    let mut run = Run::default();
    run.keys.reserve(a.keys.len().max(b.keys.len()));
    run.words.reserve(a.words.len().max(b.words.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.keys.len() && j < b.keys.len() {
        if a.keys[i] <= b.keys[j] {
            run.push(a.keys[i], a.row(i, width), measure);
            i += 1;
        } else {
            run.push(b.keys[j], b.row(j, width), measure);
            j += 1;
        }
    }
    for (part, from) in [(a, i), (b, j)] {
        for at in from..part.keys.len() {
            run.push(part.keys[at], part.row(at, width), measure);
        }
    }
    run
}

/// Merges any number of runs, on all threads of the pool.
pub(crate) fn merge_all<K: Key>(mut runs: Vec<Run<K>>, measure: Measure) -> Run<K> {
    const PIECES: usize = 32;
    runs.retain(|run| !run.is_empty());
    let Some(largest) = runs.iter().max_by_key(|run| run.len()) else { return Run::default() };
    if runs.len() == 1 {
        return runs.pop().unwrap_or_default();
    }
    let borders: Vec<K> =
        (1..PIECES).map(|piece| largest.keys[piece * largest.len() / PIECES]).collect();
    let width = measure.width();
    let piece = |piece: usize| {
        let from = piece.checked_sub(1).and_then(|before| borders.get(before));
        let mut whole: Run<K> = Run::default();
        for run in &runs {
            let so_far = Part::of(&whole, 0, whole.len(), width);
            let part = Part::between(run, from, borders.get(piece), width);
            whole = merged(so_far, part, measure);
        }
        whole
    };
    let pieces: Vec<Run<K>> = (0..PIECES).into_par_iter().map(piece).collect();
    drop(runs);
    let mut whole = Run::default();
    whole.keys.reserve_exact(pieces.iter().map(Run::len).sum());
    whole.words.reserve_exact(pieces.iter().map(|piece| piece.words.len()).sum());
    for piece in pieces {
        whole.append(&piece);
    }
    whole
}

/// Gathers the records that one thread reads.
#[derive(Debug)]
pub struct Collector<K> {
    measure: Measure,
    /// How many records are sorted at a time.
    room: usize,
    /// How many bytes all runs may take.
    most: u64,
    keys: Vec<K>,
    words: Vec<i64>,
    /// Each at least twice as long as the next.
    runs: Vec<Run<K>>,
}

impl<K: Key> Collector<K> {
    /// With so many bytes of memory.
    pub fn new(measure: Measure, memory: u64) -> Self {
        const MOST: usize = 1 << 21;
        const LEAST: usize = 1 << 12;
        let each = size_of::<K>() + 8 * measure.width();
        let room = (memory / 8 / (each as u64 + 16)).clamp(LEAST as u64, MOST as u64) as usize;
        Self { measure, room, most: memory, keys: Vec::new(), words: Vec::new(), runs: Vec::new() }
    }

    /// Adds a record; `None` if one of its numbers does not fit.
    ///
    /// # Errors
    /// [`TabulateError::Memory`] if the cells take more memory than there is.
    pub fn push(&mut self, key: K, record: Record) -> Result<Option<()>, TabulateError> {
        self.keys.push(key);
        let pushed = self.measure.push(record, &mut self.words);
        if self.keys.len() >= self.room {
            self.close()?;
        }
        Ok(pushed)
    }

    fn bytes(&self, run: &Run<K>) -> u64 {
        (run.len() * (size_of::<K>() + 8 * self.measure.width())) as u64
    }

    /// Sorts what is buffered. Runs that are not much longer are merged with it, so that there are few.
    fn close(&mut self) -> Result<(), TabulateError> {
        let mut run = Run::sorted(&self.keys, &self.words, self.measure);
        self.keys.clear();
        self.words.clear();
        let width = self.measure.width();
        while let Some(last) = self.runs.pop_if(|last| last.len() < 2 * run.len()) {
            let (a, b) =
                (Part::of(&last, 0, last.len(), width), Part::of(&run, 0, run.len(), width));
            run = merged(a, b, self.measure);
        }
        self.runs.push(run);
        let bytes: u64 = self.runs.iter().map(|run| self.bytes(run)).sum();
        if bytes > self.most {
            let rows = self.runs.iter().map(Run::len).sum();
            return Err(TabulateError::Memory { what: "finest cells", rows, bytes: self.most });
        }
        Ok(())
    }

    /// The runs of this thread.
    ///
    /// # Errors
    /// [`TabulateError::Memory`] if the cells take more memory than there is.
    pub fn finish(mut self) -> Result<Vec<Run<K>>, TabulateError> {
        if !self.keys.is_empty() {
            self.close()?;
        }
        Ok(self.runs)
    }
}
