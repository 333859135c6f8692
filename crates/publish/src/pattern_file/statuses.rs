//! What a status means depends on who wrote it: `s` is a secondary here and a safe cell elsewhere.

/// The statuses of all vocabularies, for messages.
pub(super) const KNOWN: &str = "p s v, u x m z e w, A B D V, TRUE FALSE, 1 to 14";

/// Whose letters a file uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// `p` primary, `s` secondary, `v` published; also `a`, `b`, `d` of rtauargus.
    Own,
    /// `u` unsafe, `x` or `m` secondary; `s` safe, `p` protected, `z`, `e`, `w` published: τ-ARGUS, JJ files and sdcTable.
    Argus,
    /// The numbers of τ-ARGUS: 3 to 9 unsafe, 11 and 12 secondary; 1, 2, 10, 13 and 14 published.
    Numbers,
}

impl Vocabulary {
    /// Letters that only τ-ARGUS and sdcTable use tell the two apart.
    pub(super) fn of<'a>(statuses: impl Iterator<Item = &'a str>) -> Self {
        let foreign = |status: &str| {
            ["u", "x", "m", "z", "e", "w"].contains(&status.trim().to_lowercase().as_str())
        };
        let mut vocabulary = Self::Own;
        for status in statuses {
            // 0 and 1 alone are no and yes.
            if status.trim().parse().is_ok_and(|number: u8| (2..=14).contains(&number)) {
                return Self::Numbers;
            }
            if foreign(status) {
                vocabulary = Self::Argus;
            }
        }
        vocabulary
    }

    /// Whether a cell of that status is withheld; `None` if nobody uses it.
    pub(super) fn withholds(self, status: &str) -> Option<bool> {
        if self == Self::Numbers {
            let number: Option<u8> = status.trim().parse().ok().filter(|n| (1..=14).contains(n));
            return number.map(|number| matches!(number, 3..=9 | 11 | 12));
        }
        match (status.trim().to_lowercase().as_str(), self) {
            ("p" | "s", vocabulary) => Some(vocabulary == Self::Own),
            ("true" | "1" | "u" | "x" | "m", _) | ("a" | "b" | "d", Self::Own) => Some(true),
            ("false" | "0" | "v" | "z" | "e" | "w" | "", _) => Some(false),
            _ => None,
        }
    }
}
