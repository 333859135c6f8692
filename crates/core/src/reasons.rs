//! Why each secondary is withheld: which sensitive cells it protects.

use crate::{CellId, Certificate, Pattern};

/// Per secondary the sensitive cells that it protects.
///
/// A witness that shows a need to be met moves secondaries; published, they would stop it. So a secondary protects the cells of all claims
/// whose witnesses move it.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    /// The secondaries, ascending, each with the witnesses that move it.
    secondaries: Vec<(CellId, Vec<u32>)>,
    /// Per witness the cells that are claimed with it, ascending.
    claimed: Vec<Vec<CellId>>,
}

/// Up to so many cells, how many of them are different is counted.
const COUNTED: usize = 2_000;

impl Reasons {
    /// Reads the reasons off a certificate.
    pub fn of(certificate: &Certificate, pattern: &Pattern) -> Self {
        let mut claimed = vec![Vec::new(); certificate.witnesses.len()];
        for claim in &certificate.claims {
            if let Some(cells) = claimed.get_mut(claim.witness as usize) {
                cells.push(claim.cell);
            }
        }
        for cells in &mut claimed {
            cells.sort_unstable();
            cells.dedup();
        }
        let mut secondaries: Vec<(CellId, Vec<u32>)> =
            pattern.secondaries().map(|cell| (cell, Vec::new())).collect();
        for (id, witness) in certificate.witnesses.iter().enumerate() {
            for (cell, _) in &witness.moves {
                if let Ok(at) = secondaries.binary_search_by_key(cell, |&(cell, _)| cell) {
                    secondaries[at].1.push(id as u32);
                }
            }
        }
        Self { secondaries, claimed }
    }

    /// The secondaries, ascending.
    pub fn secondaries(&self) -> impl ExactSizeIterator<Item = CellId> + '_ {
        self.secondaries.iter().map(|&(cell, _)| cell)
    }

    /// How many sensitive cells a secondary protects, and the first of them, ascending.
    ///
    /// Where its witnesses serve very many cells, the number is that of the witness that serves most, and so a lower bound.
    pub fn protected_by(&self, secondary: CellId, most: usize) -> (usize, Vec<CellId>) {
        let Ok(at) = self.secondaries.binary_search_by_key(&secondary, |&(cell, _)| cell) else {
            return (0, Vec::new());
        };
        let served = || self.secondaries[at].1.iter().map(|&id| &self.claimed[id as usize]);
        let many = served().map(Vec::len).sum::<usize>() > COUNTED;
        let part = if many { most } else { usize::MAX };
        let mut cells: Vec<CellId> =
            served().flat_map(|cells| cells.iter().take(part).copied()).collect();
        cells.sort_unstable();
        cells.dedup();
        let largest = served().map(Vec::len).max().unwrap_or(0);
        let count = if many { largest.max(cells.len()) } else { cells.len() };
        cells.truncate(most);
        (count, cells)
    }
}

#[cfg(test)]
mod tests {
    use super::Reasons;
    use crate::{CellId, Certificate, Claim, Intruder, Pattern, Side, Why, Witness};

    #[test]
    fn a_secondary_protects_the_cells_whose_witnesses_move_it() {
        let mut pattern = Pattern::open(6);
        for (cell, why) in [
            (0, Why::Primary),
            (1, Why::Primary),
            (2, Why::Secondary),
            (4, Why::Secondary),
            (5, Why::Secondary),
        ] {
            pattern.withhold(CellId(cell), why);
        }
        let witness = |cells: &[u32]| Witness {
            denominator: 1,
            moves: cells.iter().map(|&cell| (CellId(cell), 1)).collect(),
        };
        let claim = |cell, side, witness| Claim {
            cell: CellId(cell),
            side,
            intruder: Intruder::External,
            witness,
        };
        let certificate = Certificate {
            witnesses: vec![witness(&[0, 2]), witness(&[0, 1, 4]), witness(&[1, 2, 4])],
            claims: vec![
                claim(0, Side::Down, 0),
                claim(0, Side::Up, 1),
                claim(1, Side::Up, 1),
                claim(1, Side::Down, 2),
            ],
        };
        let reasons = Reasons::of(&certificate, &pattern);
        assert_eq!(reasons.secondaries().collect::<Vec<_>>(), [2, 4, 5].map(CellId));
        assert_eq!(reasons.protected_by(CellId(2), 9).1, [0, 1].map(CellId));
        assert_eq!(reasons.protected_by(CellId(2), 1), (2, vec![CellId(0)]), "all are counted");
        assert_eq!(reasons.protected_by(CellId(4), 9).1, [0, 1].map(CellId));
        assert_eq!(reasons.protected_by(CellId(5), 9).1, [], "nothing claims to need it");
        assert_eq!(reasons.protected_by(CellId(0), 9).1, [], "a primary is withheld for itself");
    }
}
