//! What a status means depends on who wrote it: `s` is a secondary here and a safe cell elsewhere.

/// The statuses of all vocabularies, for messages.
pub(super) const KNOWN: &str = "p s v, u x m z e w, A B D V, TRUE FALSE";

/// Whose letters a file uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// `p` primary, `s` secondary, `v` published; also `a`, `b`, `d` of rtauargus.
    Own,
    /// `u` unsafe, `x` or `m` secondary; `s` safe, `p` protected, `z`, `e`, `w` published: τ-ARGUS, JJ files and sdcTable.
    Argus,
}

impl Vocabulary {
    /// Letters that only τ-ARGUS and sdcTable use tell the two apart.
    pub(super) fn of<'a>(mut statuses: impl Iterator<Item = &'a str>) -> Self {
        let foreign = |status: &str| {
            ["u", "x", "m", "z", "e", "w"].contains(&status.trim().to_lowercase().as_str())
        };
        if statuses.any(foreign) { Self::Argus } else { Self::Own }
    }

    /// Whether a cell of that status is withheld; `None` if nobody uses it.
    pub(super) fn withholds(self, status: &str) -> Option<bool> {
        match (status.trim().to_lowercase().as_str(), self) {
            ("p" | "s", vocabulary) => Some(vocabulary == Self::Own),
            ("true" | "1" | "u" | "x" | "m", _) | ("a" | "b" | "d", Self::Own) => Some(true),
            ("false" | "0" | "v" | "z" | "e" | "w" | "", _) => Some(false),
            _ => None,
        }
    }
}
