//! A quick hash for codes. Nobody chooses codes to make it slow, and no result depends on it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map that is looked up for every field of every record.
pub(crate) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

#[derive(Default)]
pub(crate) struct Quick(u64);

impl Quick {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.add(word.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)));
        }
        self.add(words.remainder().iter().fold(0, |all, &byte| all << 8 | u64::from(byte)));
    }

    fn write_u8(&mut self, byte: u8) {
        self.add(u64::from(byte));
    }

    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_i64(&mut self, word: i64) {
        self.add(word as u64);
    }

    fn finish(&self) -> u64 {
        // The low bits choose the place in a map, and a product is best in its high ones.
        self.0.rotate_left(26)
    }
}
