//! Packed keys: the codes of a cell in one number, a few bits per dimension.
//!
//! The first dimension has the highest bits, so that the order of keys is that of the codes. Below all dimensions there is room for
//! the holding that a row belongs to.

use cellveil_core::{CodeId, Dimension, TableError};

/// A number that keys are packed into.
pub trait Key: Copy + Ord + Send + Sync + std::fmt::Debug + 'static {
    /// How many bits it has.
    const BITS: u32;
    /// A key from its bits; those that do not fit are lost.
    fn pack(bits: u128) -> Self;
    /// Its bits.
    fn bits(self) -> u128;
}

impl Key for u64 {
    const BITS: u32 = 64;
    fn pack(bits: u128) -> Self {
        bits as Self
    }
    fn bits(self) -> u128 {
        u128::from(self)
    }
}

impl Key for u128 {
    const BITS: u32 = 128;
    fn pack(bits: u128) -> Self {
        bits
    }
    fn bits(self) -> u128 {
        self
    }
}

/// Where each dimension's code lies in a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How many bits lie below each dimension.
    shifts: Vec<u32>,
    /// How many bits each dimension has.
    widths: Vec<u32>,
    bits: u32,
}

impl Layout {
    /// For these dimensions, and so many holdings within a cell.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] if keys would need more than 128 bits.
    pub fn new(dimensions: &[Dimension], holdings: usize) -> Result<Self, TableError> {
        let widths: Vec<u32> =
            dimensions.iter().map(|dimension| width(dimension.hierarchy.len())).collect();
        let mut bits = width(holdings + 1);
        let mut shifts = vec![0; widths.len()];
        for (shift, width) in shifts.iter_mut().zip(&widths).rev() {
            *shift = bits;
            bits += width;
        }
        if bits > u128::BITS {
            Err(TableError::TooLarge)
        } else {
            Ok(Self { shifts, widths, bits })
        }
    }

    /// How many bits a key has.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.shifts.len()
    }

    /// What one dimension's code adds to a key.
    pub fn place(&self, dimension: usize, code: CodeId) -> u128 {
        u128::from(code) << self.shifts[dimension]
    }

    /// The code of one dimension.
    pub fn code<K: Key>(&self, key: K, dimension: usize) -> CodeId {
        let above = key.bits() >> self.shifts[dimension];
        (above & ((1 << self.widths[dimension]) - 1)) as CodeId
    }

    /// What lies below a dimension.
    pub fn below<K: Key>(&self, key: K, dimension: usize) -> K {
        K::pack(key.bits() & ((1 << self.shifts[dimension]) - 1))
    }

    /// Whether nothing lies below a dimension: it is the last, and there are no holdings.
    pub fn is_lowest(&self, dimension: usize) -> bool {
        self.shifts[dimension] == 0
    }

    /// The holding, counted from 1; 0 for none.
    pub fn member<K: Key>(&self, key: K) -> u32 {
        let bits = self.shifts.last().copied().unwrap_or(0);
        (key.bits() & ((1 << bits) - 1)) as u32
    }
}

/// How many bits tell so many things apart.
fn width(things: usize) -> u32 {
    usize::BITS - things.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellveil_core::Hierarchy;
    use std::sync::Arc;

    fn dimension(codes: usize) -> Dimension {
        let names = (0..codes).map(|code| code.to_string());
        let hierarchy = Hierarchy::flat("T", names).unwrap_or_else(|error| unreachable!("{error}"));
        Dimension { name: "d".to_owned(), levels: Vec::new(), hierarchy: Arc::new(hierarchy) }
    }

    #[test]
    fn codes_and_holdings_come_back_and_keys_sort_like_codes() -> Result<(), TableError> {
        let dimensions = [dimension(1), dimension(4), dimension(300)];
        let layout = Layout::new(&dimensions, 6)?;
        assert_eq!(layout.bits(), 1 + 3 + 9 + 3);
        let key = |codes: [CodeId; 3], member: u128| {
            let bits: u128 = (0..3).map(|d| layout.place(d, codes[d])).sum();
            u64::pack(bits + member)
        };
        let (low, high) = (key([0, 4, 300], 6), key([1, 0, 0], 0));
        assert!(low < high);
        let codes: Vec<CodeId> = (0..3).map(|d| layout.code(low, d)).collect();
        assert_eq!((codes, layout.member(low)), (vec![0, 4, 300], 6));
        assert_eq!(layout.member(layout.below(low, 2)), 6);
        assert!(!layout.is_lowest(2));
        Ok(())
    }

    #[test]
    fn a_key_has_128_bits_at_most() {
        let dimensions = vec![dimension(1); 129];
        assert!(Layout::new(&dimensions[..128], 0).is_ok());
        assert!(matches!(Layout::new(&dimensions, 0), Err(TableError::TooLarge)));
    }
}
