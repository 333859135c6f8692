//! What the sections of the report count, gathered in one pass over the cells.

use crate::Publication;
use cellveil_core::{CellId, CellNames, Dimension, Reason, Why};
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

pub(super) struct Facts<'a> {
    pub(super) dimensions: &'a [Dimension],
    /// By the depth of a cell's code in each dimension.
    pub(super) levels: BTreeMap<Vec<u8>, Tally>,
    pub(super) reasons: BTreeMap<Reason, usize>,
    pub(super) all: Tally,
}

impl<'a> Facts<'a> {
    pub(super) fn new(publication: &Publication<'a>) -> Self {
        let problem = publication.release.problem();
        let dimensions: &[Dimension] = match problem.names() {
            CellNames::Ids(_) | CellNames::Labels(_) => &[],
            CellNames::Codes { dimensions, .. } => dimensions,
        };
        let mut facts = Self {
            dimensions,
            levels: BTreeMap::new(),
            reasons: BTreeMap::new(),
            all: Tally::default(),
        };
        for cell in problem.cells() {
            facts.count(publication, cell);
        }
        facts
    }

    fn count(&mut self, publication: &Publication<'_>, cell: CellId) {
        let (problem, pattern) = (publication.release.problem(), publication.release.pattern());
        let codes = self.dimensions.iter().zip(problem.names().key(cell));
        let depths: Vec<u8> = codes.map(|(d, &code)| d.hierarchy.depth(code)).collect();
        let value = problem.value(cell).unsigned_abs() as f64;
        let why = pattern.why(cell);
        for tally in [self.levels.entry(depths).or_default(), &mut self.all] {
            tally.cells += 1;
            tally.value += value;
            if why.is_some() {
                tally.withheld_value += value;
            }
            tally.primary += usize::from(why == Some(Why::Primary));
            tally.secondary += usize::from(why == Some(Why::Secondary));
        }
        if let (Some(Why::Primary), Some(need)) = (why, problem.needs().of(cell)) {
            *self.reasons.entry(need.reason).or_default() += 1;
        }
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

fn level_of(dimension: &Dimension, depth: u8) -> String {
    let columns = &dimension.levels;
    if let Some(at) = columns.len().checked_sub(usize::from(depth)).filter(|_| !columns.is_empty())
    {
        return columns[at].clone();
    }
    let hierarchy = &dimension.hierarchy;
    let deepest = (0..hierarchy.len() as u32).map(|code| hierarchy.depth(code)).max().unwrap_or(0);
    if deepest > 1 { format!("{} (level {depth})", dimension.name) } else { dimension.name.clone() }
}
