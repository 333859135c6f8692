//! Who contributes to the cells of a table.

use crate::CellId;
use std::collections::BTreeMap;

/// What one respondent (or holding) brings to a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contribution {
    /// The response, unweighted, in units of the response; its absolute value where responses may be negative.
    pub value: i64,
    /// The sampling weight, in units of [`Weighted::decimals`](crate::Weighted::decimals); 1 where there are no weights.
    pub weight: i64,
}

/// Who contributes to each cell: how many, and the largest of them.
#[derive(Clone, Debug)]
pub struct Contributors {
    counts: Vec<u64>,
    depth: usize,
    top: Vec<Contribution>,
    /// Per cell the largest of those who asked for protection, for each of the two request codes, where that is known.
    requests: Option<Vec<[Option<i64>; 2]>>,
    /// Who it is that has a cell to itself, 0 for nobody; empty where that is not known.
    owners: Vec<u64>,
}

/// Owners are numbered as the records came; what they own is not.
impl PartialEq for Contributors {
    fn eq(&self, other: &Self) -> bool {
        (&self.counts, self.depth, &self.top, &self.requests)
            == (&other.counts, other.depth, &other.top, &other.requests)
            && self.coalitions() == other.coalitions()
    }
}

impl Eq for Contributors {}

impl Contributors {
    /// `counts` has one entry per cell, `top` has `depth` per cell, largest first, padded with zeros.
    ///
    /// # Panics
    /// If the lengths do not fit: a mistake of the program that built them.
    pub fn new(counts: Vec<u64>, depth: usize, top: Vec<Contribution>) -> Self {
        assert_eq!(
            counts.len() * depth,
            top.len(),
            "every cell has the same number of largest contributions"
        );
        Self { counts, depth, top, requests: None, owners: Vec::new() }
    }

    /// The same, with the largest of those who asked for protection per cell, for each of the two request codes.
    ///
    /// # Panics
    /// If there is not one entry per cell: a mistake of the program that built them.
    #[must_use]
    pub fn with_requests(mut self, requests: Vec<[Option<i64>; 2]>) -> Self {
        assert_eq!(self.counts.len(), requests.len(), "every cell has its requests");
        self.requests = Some(requests);
        self
    }

    /// The same, with who it is that has a cell to itself, per cell; 0 for nobody. Tables of the same records number them alike.
    ///
    /// # Panics
    /// If there is not one entry per cell: a mistake of the program that built them.
    #[must_use]
    pub fn with_owners(mut self, owners: Vec<u64>) -> Self {
        assert_eq!(self.counts.len(), owners.len(), "every cell has its owner");
        self.owners = owners;
        self
    }

    /// The cells that one contributor has to itself, for each that is known to have several; by first cell.
    pub fn coalitions(&self) -> Vec<Vec<CellId>> {
        let mut cells: BTreeMap<u64, Vec<CellId>> = BTreeMap::new();
        for (at, &owner) in self.owners.iter().enumerate().filter(|&(_, &owner)| owner != 0) {
            cells.entry(owner).or_default().push(CellId::at(at));
        }
        let mut coalitions: Vec<_> = cells.into_values().filter(|cells| cells.len() > 1).collect();
        coalitions.sort_unstable();
        coalitions
    }

    /// Whether it is known who asked for protection.
    pub fn has_requests(&self) -> bool {
        self.requests.is_some()
    }

    /// The largest of those who asked for protection, for each of the two request codes; `None` if that is not known.
    pub fn requests(&self, cell: CellId) -> Option<[Option<i64>; 2]> {
        self.requests.as_ref().map(|requests| requests[cell.index()])
    }

    /// How many contribute to a cell.
    pub fn count(&self, cell: CellId) -> u64 {
        self.counts[cell.index()]
    }

    /// The largest contributions to a cell, largest first; as many as are kept and there are.
    pub fn top(&self, cell: CellId) -> &[Contribution] {
        let kept = self.depth.min(usize::try_from(self.count(cell)).unwrap_or(usize::MAX));
        &self.top[cell.index() * self.depth..cell.index() * self.depth + kept]
    }

    /// How many of the largest contributions are kept per cell.
    pub fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The contributors of chosen cells: of which list, and which cell of it. All lists keep the same things.
    pub(crate) fn chosen(lists: &[&Self], cells: &[(usize, CellId)]) -> Self {
        let depth = lists.first().map_or(0, |list| list.depth);
        let column = |has: bool| if has { cells } else { &[] };
        let has = |which: fn(&Self) -> bool| !lists.is_empty() && lists.iter().all(|l| which(l));
        let requests = has(Self::has_requests).then(|| {
            let asked = |&(list, cell): &(usize, CellId)| lists[list].requests(cell);
            cells.iter().map(|at| asked(at).unwrap_or_default()).collect()
        });
        let owners = column(has(|list| !list.owners.is_empty()));
        Self {
            counts: cells.iter().map(|&(list, cell)| lists[list].count(cell)).collect(),
            depth,
            top: cells.iter().flat_map(|&(list, cell)| lists[list].padded(cell)).copied().collect(),
            requests,
            owners: owners.iter().map(|&(list, cell)| lists[list].owners[cell.index()]).collect(),
        }
    }

    /// The largest contributions with the zeros behind them.
    fn padded(&self, cell: CellId) -> &[Contribution] {
        &self.top[cell.index() * self.depth..(cell.index() + 1) * self.depth]
    }
}
