//! What τ-ARGUS says of a cell.

/// The status of a cell, under the numbers of τ-ARGUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CellStatus {
    /// No rule objects.
    Safe = 1,
    /// Safe because somebody said so.
    SafeManual = 2,
    /// Unsafe by dominance, p% or pq.
    UnsafeRule = 3,
    /// Unsafe because a respondent asked for protection.
    UnsafeRequest = 4,
    /// Too few contributors.
    UnsafeFrequency = 5,
    /// A zero that tells something.
    UnsafeZero = 6,
    /// Unsafe because somebody said so.
    UnsafeManual = 9,
    /// Must be published.
    Protected = 10,
    /// Withheld to protect others.
    Secondary = 11,
    /// Withheld to protect others because somebody said so.
    SecondaryManual = 12,
    /// Nobody contributes, but somebody might.
    EmptyNonStructural = 13,
    /// Nobody contributes.
    Empty = 14,
}

impl CellStatus {
    /// All of them, by number.
    pub const ALL: [Self; 12] = [
        Self::Safe,
        Self::SafeManual,
        Self::UnsafeRule,
        Self::UnsafeRequest,
        Self::UnsafeFrequency,
        Self::UnsafeZero,
        Self::UnsafeManual,
        Self::Protected,
        Self::Secondary,
        Self::SecondaryManual,
        Self::EmptyNonStructural,
        Self::Empty,
    ];

    /// The number in files.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Whether the cell is sensitive itself.
    pub fn is_unsafe(self) -> bool {
        (Self::UnsafeRule..=Self::UnsafeManual).contains(&self)
    }

    /// Whether the cell is withheld for the sake of others.
    pub fn is_secondary(self) -> bool {
        matches!(self, Self::Secondary | Self::SecondaryManual)
    }

    /// Whether the value is not shown.
    pub fn is_withheld(self) -> bool {
        self.is_unsafe() || self.is_secondary()
    }

    /// Whether nobody contributes.
    pub fn is_empty(self) -> bool {
        matches!(self, Self::EmptyNonStructural | Self::Empty)
    }

    /// The letter in intermediate files.
    pub fn letter(self) -> char {
        match self {
            Self::Safe | Self::SafeManual => 'S',
            Self::Protected => 'P',
            Self::Secondary | Self::SecondaryManual => 'M',
            Self::EmptyNonStructural | Self::Empty => 'E',
            _ => 'U',
        }
    }

    /// What reports call it.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Safe => "Safe",
            Self::SafeManual => "Safe (from manual)",
            Self::UnsafeRule => "Unsafe",
            Self::UnsafeRequest => "Unsafe (request)",
            Self::UnsafeFrequency => "Unsafe (frequency)",
            Self::UnsafeZero => "Unsafe (zero cell)",
            Self::UnsafeManual => "Unsafe (from manual)",
            Self::Protected => "Protected",
            Self::Secondary => "Secondary",
            Self::SecondaryManual => "Secondary (from manual)",
            Self::EmptyNonStructural => "Empty (non-structural)",
            Self::Empty => "Empty",
        }
    }
}
