//! From the finest cells to every margin and level, in the order of their keys.
//!
//! Dimension by dimension: the cells below a code are those of its leaves, joined where they differ in this dimension only, and go on to
//! the next dimension. So every cell is made once, from cells that exist, and nothing but the way down to it is held in memory.

use crate::TabulateError;
use crate::holding::{Holdings, Shares};
use crate::layout::{Key, Layout};
use crate::measure::Measure;
use crate::run::Run;
use cellveil_core::{CellId, CellNames, CodeId, Dimension};
use rayon::prelude::*;

/// Lists of at most so many rows are rolled up by one thread.
const TASK: usize = 1 << 11;
/// So many rows are handed to the threads at a time, so that few of the cells made of them wait.
pub const WAVE: usize = 1 << 13;

/// Cells with all that is known of them, by ascending codes.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// Row-major, one code per dimension.
    pub codes: Vec<CodeId>,
    /// The rows of all respondents together; their [`Measure`] reads them.
    pub rows: Vec<i64>,
    /// The holdings of each cell; empty if they are not told apart.
    pub holdings: Vec<Holdings>,
}

/// Takes cells as they are made, in the order of their keys.
pub trait Sink {
    /// Takes some cells.
    ///
    /// # Errors
    /// [`TabulateError`] if there is no room for them.
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError>;

    /// Takes several lots of cells, one after the other; whoever can look at them on several threads does.
    ///
    /// # Errors
    /// [`TabulateError`] if there is no room for them.
    fn take_all(&mut self, lots: Vec<Cells>) -> Result<(), TabulateError> {
        lots.into_iter().try_for_each(|cells| self.take(cells))
    }
}

/// Hands cells on until the time is over.
pub struct Until<'a> {
    /// Who takes them.
    pub sink: &'a mut dyn Sink,
    /// Whether the time is over.
    pub is_over: &'a dyn Fn() -> bool,
}

impl Sink for Until<'_> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        self.take_all(vec![cells])
    }

    fn take_all(&mut self, lots: Vec<Cells>) -> Result<(), TabulateError> {
        if (self.is_over)() { Err(TabulateError::OutOfTime) } else { self.sink.take_all(lots) }
    }
}

/// Rows below some codes, to be rolled up over the dimensions that are left.
struct Task<K> {
    codes: Vec<CodeId>,
    run: Run<K>,
}

/// All margins and levels of a run.
pub(crate) struct Cube<'a> {
    pub(crate) dimensions: &'a [Dimension],
    pub(crate) layout: &'a Layout,
    pub(crate) measure: Measure,
    /// How holdings are told apart, if they are.
    pub(crate) shares: Option<Shares>,
}

impl Cube<'_> {
    /// Hands every cell to the sink.
    pub(crate) fn roll_up<K: Key>(
        &self,
        run: &Run<K>,
        sink: &mut dyn Sink,
    ) -> Result<(), TabulateError> {
        self.roll_up_rows(&run.keys, &run.words, sink)
    }

    /// The same from rows that lie elsewhere.
    pub(crate) fn roll_up_rows<K: Key>(
        &self,
        keys: &[K],
        words: &[i64],
        sink: &mut dyn Sink,
    ) -> Result<(), TabulateError> {
        let mut waiting = Waiting { tasks: Vec::new(), rows: 0, sink };
        if !keys.is_empty() {
            self.walk(keys, words, &mut Vec::new(), &mut waiting)?;
        }
        self.flush(&mut waiting)
    }

    /// Goes down until lists are short enough for one thread.
    fn walk<K: Key>(
        &self,
        keys: &[K],
        words: &[i64],
        codes: &mut Vec<CodeId>,
        waiting: &mut Waiting<'_, K>,
    ) -> Result<(), TabulateError> {
        if keys.len() <= TASK || codes.len() == self.dimensions.len() {
            let run = Run { keys: keys.to_vec(), words: words.to_vec() };
            waiting.rows += keys.len();
            waiting.tasks.push(Task { codes: codes.clone(), run });
            return if waiting.rows >= WAVE { self.flush(waiting) } else { Ok(()) };
        }
        let mut scratch = Scratch::default();
        self.groups(codes.len(), keys, &mut scratch);
        let pairs = std::mem::take(&mut scratch.pairs);
        for above in pairs.chunk_by(|a, b| a.0 == b.0) {
            codes.push(above[0].0);
            let (keys, words) = self.below(codes.len() - 1, keys, words, above, &mut scratch);
            self.walk(keys, words, codes, waiting)?;
            codes.pop();
        }
        Ok(())
    }

    fn flush<K: Key>(&self, waiting: &mut Waiting<'_, K>) -> Result<(), TabulateError> {
        let made: Result<Vec<Cells>, TabulateError> =
            waiting.tasks.par_iter().map(|task| self.cells(task)).collect();
        waiting.tasks.clear();
        waiting.rows = 0;
        waiting.sink.take_all(made?)
    }

    fn cells<K: Key>(&self, task: &Task<K>) -> Result<Cells, TabulateError> {
        let mut down = Down {
            cube: self,
            codes: task.codes.clone(),
            scratch: (0..self.dimensions.len()).map(|_| Scratch::default()).collect(),
            made: Cells::default(),
            too_large: None,
        };
        down.descend(&task.run.keys, &task.run.words);
        match down.too_large {
            None => Ok(down.made),
            Some(codes) => Err(TabulateError::Overflow(self.name(codes))),
        }
    }

    fn name(&self, codes: Vec<CodeId>) -> String {
        let dimensions = self.dimensions.to_vec();
        let names = CellNames::Codes { dimensions, keys: codes.into() };
        names.describe(CellId(0)).to_string()
    }

    /// Which codes of a dimension the rows count towards: ranges of rows with the same code, by each code above it.
    fn groups<K: Key>(&self, dimension: usize, keys: &[K], scratch: &mut Scratch<K>) {
        let hierarchy = &self.dimensions[dimension].hierarchy;
        scratch.pairs.clear();
        let mut from = 0;
        while from < keys.len() {
            let code = self.layout.code(keys[from], dimension);
            let rest = &keys[from..];
            let same = |key: &&K| self.layout.code(**key, dimension) == code;
            // Most groups are short, long ones are searched by halves.
            let to = if rest.len() > 16 && same(&&rest[16]) {
                from + rest.partition_point(|key| self.layout.code(*key, dimension) <= code)
            } else {
                from + rest.iter().take_while(same).count()
            };
            for &above in hierarchy.ancestors(code) {
                scratch.pairs.push((above, from as u32, to as u32));
            }
            from = to;
        }
        scratch.pairs.sort_unstable();
    }

    /// The rows below a code, by what is left of their keys.
    fn below<'s, K: Key>(
        &self,
        dimension: usize,
        keys: &'s [K],
        words: &'s [i64],
        groups: &[(CodeId, u32, u32)],
        scratch: &'s mut Scratch<K>,
    ) -> (&'s [K], &'s [i64]) {
        let width = self.measure.width();
        if let [(_, from, to)] = groups {
            let (from, to) = (*from as usize, *to as usize);
            return (&keys[from..to], &words[from * width..to * width]);
        }
        let joined = &mut scratch.joined;
        joined.keys.clear();
        joined.words.clear();
        if self.layout.is_lowest(dimension) {
            for &(_, from, to) in groups {
                for at in from as usize..to as usize {
                    joined.push(K::pack(0), &words[at * width..(at + 1) * width], self.measure);
                }
            }
            return (&joined.keys, &joined.words);
        }
        let order = &mut scratch.order;
        order.clear();
        for &(_, from, to) in groups {
            let rows = (from..to).map(|at| (self.layout.below(keys[at as usize], dimension), at));
            order.extend(rows);
        }
        // A list of sorted stretches: the stable sort takes them as they are.
        order.sort();
        for &(key, at) in order.iter() {
            let at = at as usize;
            joined.push(key, &words[at * width..(at + 1) * width], self.measure);
        }
        (&joined.keys, &joined.words)
    }
}

struct Waiting<'a, K> {
    tasks: Vec<Task<K>>,
    rows: usize,
    sink: &'a mut dyn Sink,
}

/// Room for the lists of one dimension, used again and again.
struct Scratch<K> {
    pairs: Vec<(CodeId, u32, u32)>,
    order: Vec<(K, u32)>,
    joined: Run<K>,
}

impl<K> Default for Scratch<K> {
    fn default() -> Self {
        Self { pairs: Vec::new(), order: Vec::new(), joined: Run::default() }
    }
}

/// One thread's way through the dimensions that are left.
struct Down<'a, K> {
    cube: &'a Cube<'a>,
    codes: Vec<CodeId>,
    scratch: Vec<Scratch<K>>,
    made: Cells,
    /// A cell with a holding whose share does not fit.
    too_large: Option<Vec<CodeId>>,
}

impl<K: Key> Down<'_, K> {
    fn descend(&mut self, keys: &[K], words: &[i64]) {
        let dimension = self.codes.len();
        if dimension == self.cube.dimensions.len() {
            self.emit(keys, words);
            return;
        }
        if let [key] = keys {
            let hierarchy = &self.cube.dimensions[dimension].hierarchy;
            for &above in hierarchy.ancestors(self.cube.layout.code(*key, dimension)) {
                self.codes.push(above);
                self.descend(keys, words);
                self.codes.pop();
            }
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch[dimension]);
        self.cube.groups(dimension, keys, &mut scratch);
        let pairs = std::mem::take(&mut scratch.pairs);
        for above in pairs.chunk_by(|a, b| a.0 == b.0) {
            self.codes.push(above[0].0);
            let (keys, words) = self.cube.below(dimension, keys, words, above, &mut scratch);
            self.descend(keys, words);
            self.codes.pop();
        }
        scratch.pairs = pairs;
        self.scratch[dimension] = scratch;
    }

    /// One cell: all rows are its own, one per holding where they are told apart.
    fn emit(&mut self, keys: &[K], words: &[i64]) {
        let (made, measure) = (&mut self.made, self.cube.measure);
        made.codes.extend_from_slice(&self.codes);
        let width = measure.width();
        let from = made.rows.len();
        made.rows.extend_from_slice(&words[..width]);
        for row in words[width..].chunks_exact(width) {
            measure.merge(&mut made.rows[from..], row);
        }
        if let Some(shares) = &self.cube.shares {
            let members = keys.iter().map(|&key| self.cube.layout.member(key));
            match shares.holdings(members.zip(words.chunks_exact(width))) {
                Some(holdings) => made.holdings.push(holdings),
                None => self.too_large = Some(self.codes.clone()),
            }
        }
    }
}
