//! What the sections of the report count, gathered in one pass over the cells.

use super::view::Content;
use crate::Publication;
use cellveil_core::{CellId, CellNames, CodeId, Dimension, Problem, Reason, Why};
use std::collections::BTreeMap;

/// Counts of one level of the table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) cells: usize,
    pub(super) primary: usize,
    pub(super) secondary: usize,
    /// The sum of all absolute values, in units.
    pub(super) value: f64,
    /// That of the withheld cells.
    pub(super) withheld_value: f64,
}

impl Tally {
    pub(super) fn withheld(&self) -> usize {
        self.primary + self.secondary
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.cells += other.cells;
        self.primary += other.primary;
        self.secondary += other.secondary;
        self.value += other.value;
        self.withheld_value += other.withheld_value;
    }
}

/// What the cells of a table come to.
#[derive(Clone, Debug)]
pub(crate) struct Facts<'a> {
    pub(super) dimensions: &'a [Dimension],
    /// By the depth of a cell's code in each dimension.
    pub(super) levels: BTreeMap<Vec<u8>, Tally>,
    pub(super) reasons: BTreeMap<Reason, usize>,
    pub(super) all: Tally,
    /// Those of the cell that is being added.
    depths: Vec<u8>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(publication: &Publication<'a>) -> Self {
        let problem = publication.release.problem();
        let mut facts = Self::new(match problem.names() {
            CellNames::Ids(_) | CellNames::Labels(_) => &[],
            CellNames::Codes { dimensions, .. } => dimensions,
        });
        for cell in problem.cells() {
            let content = content(publication, cell);
            facts.add(problem.names().key(cell), problem.value(cell), content);
        }
        facts
    }

    /// Of no cell yet.
    pub(crate) fn new(dimensions: &'a [Dimension]) -> Self {
        let (levels, reasons) = (BTreeMap::new(), BTreeMap::new());
        Self { dimensions, levels, reasons, all: Tally::default(), depths: Vec::new() }
    }

    /// The variables that span the table.
    pub(crate) fn dimensions(&self) -> &'a [Dimension] {
        self.dimensions
    }

    /// Adds a cell.
    pub(crate) fn add(&mut self, codes: &[CodeId], value: i64, content: Content) {
        let codes = self.dimensions.iter().zip(codes);
        self.depths.clear();
        self.depths.extend(codes.map(|(d, &code)| d.hierarchy.depth(code)));
        if !self.levels.contains_key(&self.depths) {
            self.levels.insert(self.depths.clone(), Tally::default());
        }
        let value = value.unsigned_abs() as f64;
        for tally in self.levels.get_mut(&self.depths).into_iter().chain([&mut self.all]) {
            tally.cells += 1;
            tally.value += value;
            if let Content::Withheld(why, _) = content {
                tally.withheld_value += value;
                tally.primary += usize::from(why == Why::Primary);
                tally.secondary += usize::from(why == Why::Secondary);
            }
        }
        if let Content::Withheld(Why::Primary, Some(reason)) = content {
            *self.reasons.entry(reason).or_default() += 1;
        }
    }

    /// Adds the cells of others.
    pub(crate) fn append(&mut self, others: Self) {
        for (depths, tally) in others.levels {
            self.levels.entry(depths).or_default().append(&tally);
        }
        for (reason, count) in others.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.all.append(&others.all);
    }

    /// What a level is called: the variables that are not summed over, with their depth where there are several.
    pub(super) fn level_name(&self, depths: &[u8]) -> String {
        let named = self.dimensions.iter().zip(depths).filter(|&(_, &depth)| depth > 0);
        let names: Vec<String> =
            named.map(|(dimension, &depth)| level_of(dimension, depth)).collect();
        match (self.dimensions.is_empty(), names.is_empty()) {
            (true, _) => "all cells".to_owned(),
            (false, true) => "totals".to_owned(),
            (false, false) => names.join(" × "),
        }
    }
}

/// What the page shows of a cell of a release.
pub(super) fn content(publication: &Publication<'_>, cell: CellId) -> Content {
    let problem: &Problem = publication.release.problem();
    match publication.release.pattern().why(cell) {
        None => Content::Value(problem.value(cell)),
        Some(why) => Content::Withheld(why, problem.needs().of(cell).map(|need| need.reason)),
    }
}

/// What a level of a dimension is called.
pub(super) fn level_of(dimension: &Dimension, depth: u8) -> String {
    let columns = &dimension.levels;
    if let Some(at) = columns.len().checked_sub(usize::from(depth)).filter(|_| !columns.is_empty())
    {
        return columns[at].clone();
    }
    let hierarchy = &dimension.hierarchy;
    let deepest = (0..hierarchy.len() as u32).map(|code| hierarchy.depth(code)).max().unwrap_or(0);
    if deepest > 1 { format!("{} (level {depth})", dimension.name) } else { dimension.name.clone() }
}
