//! Sorted rows, each key once, and how records become such a run: by sorting buffers and merging.
//!
//! Every thread gathers for itself (the partial aggregation), and what they have is merged in the end (the final one). Sums of whole
//! numbers and largest contributions do not depend on the order, so neither does the result. What has no room in memory waits on the disk.

use crate::layout::Key;
use crate::measure::Measure;
use crate::spill::{MOST_FILES, Source, Spilled, failed, merge};
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
fn merge_all<K: Key>(mut runs: Vec<Run<K>>, measure: Measure) -> Run<K> {
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

/// What one thread has gathered: sorted rows in memory, and those that had no room there.
#[derive(Debug)]
pub(crate) struct Heaps<K> {
    runs: Vec<Run<K>>,
    spilled: Vec<Spilled>,
    /// How many bytes this thread may hold.
    most: u64,
}

/// Joins what all threads have gathered; as large as all that they may hold together.
///
/// # Errors
/// [`TabulateError`] if there are more rows than that, or the disk fails.
pub(crate) fn join_all<K: Key>(
    heaps: Vec<Heaps<K>>,
    measure: Measure,
) -> Result<Run<K>, TabulateError> {
    let bytes = heaps.iter().fold(0_u64, |sum, heap| sum.saturating_add(heap.most));
    let most = usize::try_from(bytes / bytes_of_row::<K>(measure)).unwrap_or(usize::MAX);
    let (mut runs, mut spilled) = (Vec::new(), Vec::new());
    for heap in heaps {
        runs.extend(heap.runs);
        spilled.extend(heap.spilled);
    }
    if spilled.is_empty() {
        return Ok(merge_all(runs, measure));
    }
    let rows: usize =
        runs.iter().map(Run::len).sum::<usize>() + spilled.iter().map(Spilled::len).sum::<usize>();
    let mut whole: Run<K> = Run::default();
    // What is reserved and not used takes no memory.
    whole.keys.reserve_exact(rows.min(most));
    whole.words.reserve_exact(rows.min(most) * measure.width());
    let mut is_full = false;
    let sources =
        runs.iter().map(Source::held).chain(spilled.into_iter().map(Source::spilled)).collect();
    let merged = merge(sources, measure, |key, row| {
        is_full = whole.len() == most;
        if is_full {
            return Err(std::io::ErrorKind::OutOfMemory.into());
        }
        whole.keys.push(key);
        whole.words.extend_from_slice(row);
        Ok(())
    });
    if is_full {
        return Err(TabulateError::Memory { what: "finest cells", rows: most, bytes });
    }
    merged.map_err(|why| failed(&why))?;
    whole.shrink();
    Ok(whole)
}

fn bytes_of_row<K>(measure: Measure) -> u64 {
    (size_of::<K>() + 8 * measure.width()) as u64
}

/// Gathers the records that one thread reads.
#[derive(Debug)]
pub struct Collector<K> {
    measure: Measure,
    /// How many records are sorted at a time.
    room: usize,
    keys: Vec<K>,
    words: Vec<i64>,
    /// Runs are each at least twice as long as the next.
    heaps: Heaps<K>,
}

impl<K: Key> Collector<K> {
    /// With so many bytes of memory.
    pub fn new(measure: Measure, memory: u64) -> Self {
        const MOST: usize = 1 << 21;
        const LEAST: usize = 1 << 12;
        let each = bytes_of_row::<K>(measure) + 16;
        let room = (memory / 8 / each).clamp(LEAST as u64, MOST as u64) as usize;
        let heaps = Heaps { runs: Vec::new(), spilled: Vec::new(), most: memory };
        Self { measure, room, keys: Vec::new(), words: Vec::new(), heaps }
    }

    /// Adds a record; `None` if one of its numbers does not fit.
    ///
    /// # Errors
    /// [`TabulateError::Disk`] if what has no room in memory has none on the disk either.
    pub fn push(&mut self, key: K, record: Record) -> Result<Option<()>, TabulateError> {
        self.keys.push(key);
        let pushed = self.measure.push(record, &mut self.words);
        if self.keys.len() >= self.room {
            self.close()?;
        }
        Ok(pushed)
    }

    /// Sorts what is buffered. Runs that are not much longer are merged with it, so that there are few.
    fn close(&mut self) -> Result<(), TabulateError> {
        let mut run = Run::sorted(&self.keys, &self.words, self.measure);
        self.keys.clear();
        self.words.clear();
        let rows = run.len() + self.heaps.runs.iter().map(Run::len).sum::<usize>();
        // Merging takes as much again.
        if rows as u64 * bytes_of_row::<K>(self.measure) > self.heaps.most / 2 {
            self.heaps.runs.push(run);
            return self.spill();
        }
        let width = self.measure.width();
        while let Some(last) = self.heaps.runs.pop_if(|last| last.len() < 2 * run.len()) {
            let (a, b) =
                (Part::of(&last, 0, last.len(), width), Part::of(&run, 0, run.len(), width));
            run = merged(a, b, self.measure);
        }
        self.heaps.runs.push(run);
        Ok(())
    }

    /// Puts all runs on the disk, as one.
    fn spill(&mut self) -> Result<(), TabulateError> {
        let Heaps { runs, spilled, .. } = &mut self.heaps;
        let held = runs.iter().map(Source::held).collect();
        spilled.push(Spilled::merged::<K>(held, self.measure)?);
        runs.clear();
        if spilled.len() >= MOST_FILES {
            let all = spilled.drain(..).map(Source::spilled).collect();
            let all = Spilled::merged::<K>(all, self.measure)?;
            spilled.push(all);
        }
        Ok(())
    }

    /// All that this thread has gathered.
    ///
    /// # Errors
    /// [`TabulateError::Disk`] if what has no room in memory has none on the disk either.
    pub(crate) fn finish(mut self) -> Result<Heaps<K>, TabulateError> {
        if !self.keys.is_empty() {
            self.close()?;
        }
        Ok(self.heaps)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::TableSpec;

    fn spec() -> TableSpec {
        let (response, weight) = (Some("x".to_owned()), Some("w".to_owned()));
        let (holding, request) = (None, None);
        TableSpec {
            dimensions: Vec::new(),
            response,
            weight,
            holding,
            request,
            top: 2,
            owners: false,
        }
    }

    /// What some threads gather of the same records, each with so many bytes; and how many files it took.
    fn gathered<K: Key>(
        threads: usize,
        memory: u64,
        keys: u64,
    ) -> Result<(Run<K>, usize), TabulateError> {
        let measure = Measure::new(&spec());
        let mut collectors: Vec<Collector<K>> =
            (0..threads).map(|_| Collector::new(measure, memory)).collect();
        for n in 0..100_000_u64 {
            let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            let (response, weight) = ((mixed % 1000) as i64 - 200, (mixed % 7) as i64);
            let value = i128::from(response * weight);
            let record = Record { response, weight, value, request: None, number: 0 };
            let key = K::pack(u128::from(n * 7919 % keys) << (K::BITS - 30));
            collectors[n as usize % threads].push(key, record)?.unwrap();
        }
        let heaps: Result<Vec<Heaps<K>>, _> =
            collectors.into_iter().map(Collector::finish).collect();
        let heaps = heaps?;
        let files = heaps.iter().map(|heap| heap.spilled.len()).sum();
        Ok((join_all(heaps, measure)?, files))
    }

    fn same_with_and_without_spilling<K: Key>() {
        let (whole, none) = gathered::<K>(1, u64::MAX, 20_000).unwrap();
        assert_eq!((whole.len(), none), (20_000, 0));
        for (threads, memory) in [(1, 2 << 20), (3, 1 << 20), (8, 1 << 18)] {
            let (spilled, files) = gathered::<K>(threads, memory, 20_000).unwrap();
            assert!(files > 0, "nothing went to the disk with {memory} bytes");
            assert!(spilled.keys == whole.keys && spilled.words == whole.words);
        }
    }

    #[test]
    fn rows_are_the_same_whether_they_were_on_the_disk_or_not() {
        same_with_and_without_spilling::<u64>();
        same_with_and_without_spilling::<u128>();
    }

    #[test]
    fn what_does_not_fit_in_the_end_is_refused() {
        let refused = gathered::<u64>(2, 1 << 20, 90_000).map(|_| ());
        assert!(matches!(refused, Err(TabulateError::Memory { what: "finest cells", .. })));
    }
}
