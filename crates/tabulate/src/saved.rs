//! Gathered cells as a file, so that work that was interrupted can go on from there.
//!
//! The file begins with a text that says what it was made from. Whoever reads it gives the text that it should have; all else is as
//! good as no file.

use crate::TableSpec;
use crate::extent::Units;
use crate::gathered::{Frame, Gathered, Rows};
use crate::layout::Key;
use crate::run::Run;
use cellveil_core::{CodeId, Dimension, HierarchyBuilder};
use std::io::{self, Read, Write};
use std::sync::Arc;

const MARK: &[u8; 8] = b"cellveil";
/// Words that are written or read at a time.
const PIECE: usize = 1 << 13;

impl Gathered {
    /// Writes the cells; `made_from` says what they were made from.
    ///
    /// # Errors
    /// Whatever the writer reports.
    pub fn save(&self, made_from: &str, out: &mut impl Write) -> io::Result<()> {
        let mut out = Out { out, sum: 0 };
        out.out.write_all(MARK)?;
        out.text(made_from)?;
        let frame = &self.frame;
        let Units { contribution, weight, value } = frame.units;
        for number in [contribution, weight, value] {
            out.word(u64::from(number))?;
        }
        out.word(frame.holdings as u64)?;
        out.word(frame.dimensions.len() as u64)?;
        for dimension in &frame.dimensions {
            out.dimension(dimension)?;
        }
        match &self.rows {
            Rows::Narrow(run) => out.run(run)?,
            Rows::Wide(run) => out.run(run)?,
        }
        let sum = out.sum;
        out.word(sum)
    }

    /// Reads cells back; `None` if they were made from something else, or the file is damaged.
    pub fn load(spec: &TableSpec, made_from: &str, input: &mut impl Read) -> Option<Self> {
        let mut mark = [0; MARK.len()];
        input.read_exact(&mut mark).ok().filter(|()| mark == *MARK)?;
        let mut input = In { input, sum: 0 };
        if input.text(made_from.len())? != made_from {
            return None;
        }
        let mut decimals = || u8::try_from(input.word()?).ok();
        let units = Units { contribution: decimals()?, weight: decimals()?, value: decimals()? };
        let holdings = usize::try_from(input.word()?).ok()?;
        let count = usize::try_from(input.word()?).ok().filter(|&count| count < 1 << 10)?;
        let dimensions = (0..count).map(|_| input.dimension()).collect::<Option<Vec<_>>>()?;
        let frame = Frame::new(spec, dimensions, units, holdings).ok()?;
        let width = frame.measure().width();
        let rows = match input.word()? {
            64 => Rows::Narrow(input.run(width)?),
            128 => Rows::Wide(input.run(width)?),
            _ => return None,
        };
        let sum = input.sum;
        (input.word()? == sum).then_some(Self { frame, rows })
    }
}

/// A running sum that tells damaged files from whole ones.
fn mix(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

struct Out<'a, W> {
    out: &'a mut W,
    sum: u64,
}

impl<W: Write> Out<'_, W> {
    fn word(&mut self, word: u64) -> io::Result<()> {
        self.sum = mix(self.sum, word);
        self.out.write_all(&word.to_le_bytes())
    }

    fn words(&mut self, words: impl Iterator<Item = u64>) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(8 * PIECE);
        for word in words {
            self.sum = mix(self.sum, word);
            bytes.extend_from_slice(&word.to_le_bytes());
            if bytes.len() >= 8 * PIECE {
                self.out.write_all(&bytes)?;
                bytes.clear();
            }
        }
        self.out.write_all(&bytes)
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.word(text.len() as u64)?;
        self.sum = text.bytes().fold(self.sum, |sum, byte| mix(sum, u64::from(byte)));
        self.out.write_all(text.as_bytes())
    }

    fn dimension(&mut self, dimension: &Dimension) -> io::Result<()> {
        self.text(&dimension.name)?;
        self.word(dimension.levels.len() as u64)?;
        for level in &dimension.levels {
            self.text(level)?;
        }
        let hierarchy = &dimension.hierarchy;
        self.word(hierarchy.len() as u64)?;
        for code in 0..hierarchy.len() as CodeId {
            self.text(hierarchy.name(code))?;
        }
        self.word(hierarchy.sums().len() as u64)?;
        for sum in hierarchy.sums() {
            self.word(u64::from(sum.total))?;
            self.word(sum.parts.len() as u64)?;
            self.words(sum.parts.iter().map(|&part| u64::from(part)))?;
        }
        Ok(())
    }

    fn run<K: Key>(&mut self, run: &Run<K>) -> io::Result<()> {
        self.word(u64::from(K::BITS))?;
        self.word(run.keys.len() as u64)?;
        let halves = |key: &K| [key.bits() as u64, (key.bits() >> 64) as u64];
        let used = K::BITS as usize / 64;
        self.words(run.keys.iter().flat_map(|key| halves(key).into_iter().take(used)))?;
        self.words(run.words.iter().map(|&word| word as u64))
    }
}

struct In<'a, R> {
    input: &'a mut R,
    sum: u64,
}

impl<R: Read> In<'_, R> {
    fn word(&mut self) -> Option<u64> {
        let mut bytes = [0; 8];
        self.input.read_exact(&mut bytes).ok()?;
        let word = u64::from_le_bytes(bytes);
        self.sum = mix(self.sum, word);
        Some(word)
    }

    fn words(&mut self, count: usize, mut take: impl FnMut(u64)) -> Option<()> {
        let mut bytes = vec![0; 8 * PIECE];
        let mut left = count;
        while left > 0 {
            let piece = left.min(PIECE);
            self.input.read_exact(&mut bytes[..8 * piece]).ok()?;
            for word in bytes[..8 * piece].chunks_exact(8) {
                let word = u64::from_le_bytes(word.try_into().ok()?);
                self.sum = mix(self.sum, word);
                take(word);
            }
            left -= piece;
        }
        Some(())
    }

    fn text(&mut self, most: usize) -> Option<String> {
        let length = usize::try_from(self.word()?).ok().filter(|&length| length <= most)?;
        let mut bytes = vec![0; length];
        self.input.read_exact(&mut bytes).ok()?;
        self.sum = bytes.iter().fold(self.sum, |sum, &byte| mix(sum, u64::from(byte)));
        String::from_utf8(bytes).ok()
    }

    fn count(&mut self) -> Option<u32> {
        u32::try_from(self.word()?).ok()
    }

    fn dimension(&mut self) -> Option<Dimension> {
        const MOST: usize = 1 << 20;
        let name = self.text(MOST)?;
        let levels = self.count()?;
        let levels = (0..levels).map(|_| self.text(MOST)).collect::<Option<Vec<_>>>()?;
        let codes = self.count()?;
        let mut builder = HierarchyBuilder::new(self.text(MOST)?);
        for _ in 1..codes {
            builder.code(self.text(MOST)?);
        }
        for _ in 0..self.count()? {
            let total = self.count().filter(|&total| total < codes)?;
            let count = self.count().filter(|&count| count <= codes)?;
            let mut parts = Vec::new();
            self.words(count as usize, |part| parts.push(part))?;
            let part = |part| u32::try_from(part).ok().filter(|&part| part < codes);
            builder.sum(total, parts.into_iter().map(part).collect::<Option<Vec<_>>>()?);
        }
        let (hierarchy, moved) = builder.build().ok()?;
        // Keys are made of these codes, so none may have moved.
        let kept = (0..).zip(&moved).all(|(before, &after)| before == after);
        kept.then_some(Dimension { name, levels, hierarchy: Arc::new(hierarchy) })
    }

    fn run<K: Key>(&mut self, width: usize) -> Option<Run<K>> {
        let rows = usize::try_from(self.word()?).ok()?;
        let mut run = Run::default();
        let mut low = None;
        let wide = K::BITS > 64;
        self.words(rows.checked_mul(if wide { 2 } else { 1 })?, |word| match low.take() {
            None if wide => low = Some(word),
            None => run.keys.push(K::pack(u128::from(word))),
            Some(low) => run.keys.push(K::pack(u128::from(low) | u128::from(word) << 64)),
        })?;
        self.words(rows.checked_mul(width)?, |word| run.words.push(word as i64))?;
        run.keys.is_sorted_by(|a, b| a < b).then_some(run)
    }
}
