//! Why a cell is exposed: the published cells and relations that betray it.
//!
//! How far a cell can move is the optimum of a linear program, and its dual is the intruder's own calculation: the relations to add up,
//! with multipliers, and the bounds to use for the withheld cells that remain. The program starts from the relations of
//! the cell and takes in their neighbours until it shows the exposure, so the calculation stays short.

use cellveil_core::{CellId, Exposure, Incidence, Pattern, Problem, Side};
use cellveil_lp::{Changes, Engine, EngineError, Limits, Model, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The calculation that betrays a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The exposed cell.
    pub cell: CellId,
    /// The side on which the intruder comes too close; `None` if only the width of the interval is too small.
    pub side: Option<Side>,
    /// The relations that are added up, by their numbers.
    pub relations: Vec<usize>,
    /// The published cells in what they add up to.
    pub published: Vec<CellId>,
    /// The withheld cells whose bounds are used; none if the cell is computed exactly.
    pub bounded: Vec<CellId>,
    /// The cell whose only contributor makes the calculation, if it is not open to everybody.
    pub singleton: Option<CellId>,
}

/// Relations more than this many are no explanation.
const MOST_RELATIONS: usize = 4000;

/// Multipliers smaller than this are the solver's noise.
const NOISE: f64 = 1e-7;

/// Explains an exposure; `None` if no short calculation was found, as for cells that only lack proof.
///
/// # Errors
/// [`EngineError`] if the engine fails.
pub fn explain(
    problem: &Problem,
    incidence: &Incidence,
    pattern: &Pattern,
    exposure: &Exposure,
    engine: &dyn Engine,
) -> Result<Option<Explanation>, EngineError> {
    let Exposure { cell, side, singleton } = *exposure;
    let explanation = |relations, published, bounded| Explanation {
        cell,
        side,
        relations,
        published,
        bounded,
        singleton,
    };
    if !pattern.is_withheld(cell) {
        return Ok(Some(explanation(Vec::new(), vec![cell], Vec::new())));
    }
    let insider = singleton.and_then(|cell| problem.insiders().of(cell));
    let is_unknown = |other: CellId| {
        pattern.is_withheld(other) && (insider.is_none() || problem.insiders().of(other) != insider)
    };
    let mut relations: BTreeSet<u32> = incidence.of(cell).iter().map(|&(r, _)| r).collect();
    loop {
        let calculation = Calculation::new(problem, &is_unknown, exposure, &relations);
        if let Some(multipliers) = calculation.multipliers(engine)? {
            let (published, bounded) = calculation.outcome(&multipliers, &is_unknown);
            let used = multipliers.into_iter().map(|(relation, _)| relation as usize).collect();
            return Ok(Some(explanation(used, published, bounded)));
        }
        let before = relations.len();
        let unknown = calculation.cells.keys().copied().collect::<Vec<_>>();
        relations.extend(unknown.iter().flat_map(|&c| incidence.of(c).iter().map(|&(r, _)| r)));
        if relations.len() == before || relations.len() > MOST_RELATIONS {
            return Ok(None);
        }
    }
}

/// The intruder's program on some relations.
struct Calculation<'a> {
    problem: &'a Problem,
    cell: CellId,
    side: Option<Side>,
    relations: Vec<u32>,
    /// The unknown cells with their columns.
    cells: BTreeMap<CellId, u32>,
}

impl<'a> Calculation<'a> {
    fn new(
        problem: &'a Problem,
        is_unknown: &dyn Fn(CellId) -> bool,
        exposure: &Exposure,
        relations: &BTreeSet<u32>,
    ) -> Self {
        let mut cells = BTreeMap::from([(exposure.cell, 0)]);
        for &relation in relations {
            for (cell, _) in problem.relations().row(relation as usize) {
                let next = cells.len() as u32;
                if is_unknown(cell) {
                    cells.entry(cell).or_insert(next);
                }
            }
        }
        let relations = relations.iter().copied().collect();
        Self { problem, cell: exposure.cell, side: exposure.side, relations, cells }
    }

    /// The multipliers of the relations that show the exposure; `None` if these relations do not.
    fn multipliers(&self, engine: &dyn Engine) -> Result<Option<Vec<(u32, f64)>>, EngineError> {
        let Some(need) = self.problem.needs().of(self.cell) else { return Ok(None) };
        // Where only the width falls short, either side would do; the narrower one is explained.
        let side = self.side.unwrap_or(Side::Up);
        let level = self.side.map_or(need.sliding, |side| need.on(side)).max(1) as f64;
        let scale = (level / 1000.0).max(1e-3);
        let mut model = Model { changes: Changes::Many, ..Model::default() };
        let mut columns: Vec<(u32, CellId)> = self.cells.iter().map(|(&c, &at)| (at, c)).collect();
        columns.sort_unstable();
        for (_, cell) in columns {
            let room = |side| {
                self.problem.room(cell, side).map_or(f64::INFINITY, |room| room as f64 / scale)
            };
            let cost = if cell == self.cell { -(side.sign() as f64) } else { 0.0 };
            model.column(cost, -room(Side::Down), room(Side::Up));
        }
        for &relation in &self.relations {
            let terms = self.problem.relations().row(relation as usize);
            let terms = terms.filter_map(|(cell, c)| Some((*self.cells.get(&cell)?, f64::from(c))));
            model.row(terms.collect(), 0.0, 0.0);
        }
        let Outcome::Optimal(solution) = engine.open(&model)?.solve(&Limits::default())? else {
            return Ok(None);
        };
        if -solution.objective * scale >= level * (1.0 - NOISE) {
            return Ok(None);
        }
        let used = self.relations.iter().copied().zip(solution.duals);
        Ok(Some(used.filter(|(_, multiplier)| multiplier.abs() > NOISE).collect()))
    }

    /// What is left when relations are added up with multipliers: published cells, and withheld ones other than the exposed.
    fn outcome(
        &self,
        multipliers: &[(u32, f64)],
        is_unknown: &dyn Fn(CellId) -> bool,
    ) -> (Vec<CellId>, Vec<CellId>) {
        let mut sums: BTreeMap<CellId, f64> = BTreeMap::new();
        for &(relation, multiplier) in multipliers {
            for (cell, c) in self.problem.relations().row(relation as usize) {
                *sums.entry(cell).or_default() += multiplier * f64::from(c);
            }
        }
        let left = sums.into_iter().filter(|&(cell, sum)| sum.abs() > NOISE && cell != self.cell);
        let (unknown, known) = left.map(|(cell, _)| cell).partition(|&cell| is_unknown(cell));
        (known, unknown)
    }
}

impl Explanation {
    /// The calculation as a sentence, with the cells by their names and without amounts.
    pub fn sentence(&self, problem: &Problem) -> String {
        let name = |cell: CellId| format!("`{}`", problem.names().describe(cell));
        let who = match self.singleton {
            None => String::new(),
            Some(cell) => format!("the only contributor of {} finds out: ", name(cell)),
        };
        let (cell, known) =
            (name(self.cell), List(self.published.iter().map(|&c| name(c)).collect()));
        if self.published == [self.cell] {
            return format!("{who}{cell} is published");
        }
        let room = Side::BOTH.map(|side| problem.room(self.cell, side));
        if problem.has_earlier_releases() && room == [Some(0), Some(0)] {
            return format!("{cell} was published earlier");
        }
        if self.relations.is_empty() {
            return format!("{who}its own bounds leave {cell} less room than it asks for");
        }
        if self.bounded.is_empty() {
            return format!("{who}{cell} can be computed exactly from {known}");
        }
        let bounded = List(self.bounded.iter().map(|&c| name(c)).collect());
        let end = match self.side {
            Some(Side::Down) => "too close from below",
            Some(Side::Up) => "too close from above",
            None => "to too narrow an interval",
        };
        format!("{who}{known} and the bounds of {bounded} bring {cell} {end}")
    }
}

/// How many names a sentence lists.
const LISTED: usize = 6;

/// Names as people list them.
struct List(Vec<String>);

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = self.0.len().saturating_sub(LISTED);
        let shown = &self.0[..self.0.len() - more];
        match (shown, more) {
            ([], _) => f.write_str("nothing"),
            (_, 1..) => write!(f, "{} and {more} more", shown.join(", ")),
            ([one], 0) => f.write_str(one),
            ([first @ .., last], 0) => write!(f, "{} and {last}", first.join(", ")),
        }
    }
}
