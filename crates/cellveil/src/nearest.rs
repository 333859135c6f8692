//! The known name that somebody may have meant.

/// The most similar of the known names, if it is similar enough to be meant.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let similarity =
        |other: &str| strsim::normalized_damerau_levenshtein(&name, &other.to_lowercase());
    let scored = known.map(|other| (similarity(other), other));
    // Of equally similar names the first one counts, so that the answer does not depend on anything else.
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.filter(|&(score, _)| score >= 0.5).map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["dimensions", "response", "weight"];
        assert_eq!(nearest("dimension", known.into_iter()), Some("dimensions"));
        assert_eq!(nearest("Wieght", known.into_iter()), Some("weight"));
        assert_eq!(nearest("colour", known.into_iter()), None);
    }
}
