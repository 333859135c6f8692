//! Senses from keys: the same cell goes the same way in every table of a server, and nobody without the key knows which way.

use cellveil_core::Side;
use sha2::{Digest, Sha256};
use std::fmt;

/// A secret from which senses come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// The key in a text or file of any length.
    pub fn of(secret: &[u8]) -> Self {
        Self(Sha256::digest(secret).into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Never shown, not even in part.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// Which way a cell goes in every table: the first bit of a keyed hash of its identity.
pub fn keyed_sense(key: &[u8], identity: &str) -> Side {
    let mut hash = started(key, 0);
    hash.update(identity.as_bytes());
    side(hash)
}

/// Which way a cell goes wherever the same contributors stand behind it, whatever the cell is called there.
pub fn contributors_sense(key: &[u8], contributors: impl IntoIterator<Item = u64>) -> Side {
    let mut contributors: Vec<u64> = contributors.into_iter().collect();
    contributors.sort_unstable();
    contributors.dedup();
    let mut hash = started(key, 1);
    for contributor in contributors {
        hash.update(contributor.to_le_bytes());
    }
    side(hash)
}

/// The length keeps keys and what follows apart, the kind names and contributors.
fn started(key: &[u8], kind: u8) -> Sha256 {
    let mut hash = Sha256::new();
    hash.update((key.len() as u64).to_le_bytes());
    hash.update(key);
    hash.update([kind]);
    hash
}

fn side(hash: Sha256) -> Side {
    if hash.finalize()[0] & 1 == 0 { Side::Down } else { Side::Up }
}
