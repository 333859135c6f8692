//! Why no table exists: a smallest set of levels, relations and bounds that contradict each other, and the cheapest way out.

use crate::AdjustError;
use crate::task::Task;
use cellveil_core::{CellId, Side, Status};
use cellveil_lp::{Engine, EngineError, Limits, Model, Outcome};

/// What may be left out of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// The level of a sensitive cell, by its place among them.
    Level(usize),
    Relation(usize),
    /// How far a cell may go to a side; not at all if it is frozen.
    Bound(usize, Side),
}

/// How many programs may be solved to find the smallest set; what is left then is named as it is.
const PROGRAMS: usize = 400;
/// The most nodes of one program.
const NODES: u32 = 2_000;
/// How many cells and relations are listed.
const LISTED: usize = 8;
/// A cell without a bound goes this many typical levels at most: beyond, the solver's tolerance would exceed the levels.
const FAR: f64 = 1e6;

/// How much dearer it is to widen a bound by a typical level than to give up a level: bounds are what everybody knows.
const BOUND: f64 = 10.0;

/// Names what stands in the way.
pub(crate) fn explain(task: &Task<'_>, engine: &dyn Engine) -> Result<AdjustError, EngineError> {
    let task = task.origin.unwrap_or(task);
    let mut search = Search { task, engine, programs: 0 };
    let mut items: Vec<Item> = (0..task.sensitive.len()).map(Item::Level).collect();
    items.extend((0..task.problem.relations().len()).map(Item::Relation));
    let all = items.clone();
    if search.is_possible(&items, &search.bounds())? {
        return Ok(AdjustError::OutOfTime);
    }
    let bounds = search.bounds();
    search.shrink(&mut items, |search, items| search.is_possible(items, &bounds))?;
    // Only cells of what is left can have a part in it.
    let near = search.cells_of(&items);
    let mut bounds: Vec<Item> = search.bounds();
    bounds.retain(|bound| matches!(bound, Item::Bound(cell, _) if near[*cell]));
    search.shrink(&mut bounds, |search, bounds| search.is_possible(&items, bounds))?;
    let conflict = format!(
        "the levels of {} contradict {}, {}",
        listed(search.levels(&items)),
        listed(search.relations(&items)),
        match search.bounded(&bounds) {
            bounded if bounded.is_empty() => "whatever the bounds".to_owned(),
            bounded => format!("given the bounds of {}", listed(bounded)),
        }
    );
    let hint = match search.cheapest(&all)? {
        ways if ways.is_empty() => {
            "free a frozen cell or widen a bound in these relations".to_owned()
        }
        ways => format!("the cheapest way out is {}", ways.join(", and ")),
    };
    Ok(AdjustError::Infeasible { conflict, hint })
}

fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    match (names.is_empty(), more) {
        (true, _) => "nothing".to_owned(),
        (false, 0) => names.join(", "),
        (false, more) => format!("{} and {more} more", names.join(", ")),
    }
}

struct Search<'a> {
    task: &'a Task<'a>,
    engine: &'a dyn Engine,
    programs: usize,
}

/// A program in which levels may be lowered and bounds widened.
struct Soft {
    model: Model,
    /// Sensitive cells and the columns that lower their levels, as shares.
    lowered: Vec<(usize, u32)>,
    /// Cells and the columns that widen their bounds.
    widened: Vec<(usize, u32)>,
}

impl Search<'_> {
    /// Every bound there is.
    fn bounds(&self) -> Vec<Item> {
        let cells = 0..self.task.weights.len();
        cells.flat_map(|cell| Side::BOTH.map(|side| Item::Bound(cell, side))).collect()
    }

    /// Which cells take part in levels or relations.
    fn cells_of(&self, items: &[Item]) -> Vec<bool> {
        let mut near = vec![false; self.task.weights.len()];
        for item in items {
            match *item {
                Item::Level(at) => near[self.task.sensitive[at].cell.index()] = true,
                Item::Relation(row) => {
                    let cells = self.task.problem.relations().row(row);
                    cells.for_each(|(cell, _)| near[cell.index()] = true);
                }
                Item::Bound(cell, _) => near[cell] = true,
            }
        }
        near
    }

    fn name(&self, cell: CellId) -> String {
        format!("`{}`", self.task.problem.names().describe(cell))
    }

    fn levels(&self, items: &[Item]) -> Vec<String> {
        let level = |item: &Item| match *item {
            Item::Level(at) => Some(self.name(self.task.sensitive[at].cell)),
            _ => None,
        };
        items.iter().filter_map(level).collect()
    }

    fn relations(&self, items: &[Item]) -> Vec<String> {
        let relation = |item: &Item| match *item {
            Item::Relation(row) => Some(match self.task.problem.relations().total(row) {
                Some(total) => format!("the sum of {} (relation {row})", self.name(total)),
                None => format!("relation {row}"),
            }),
            _ => None,
        };
        items.iter().filter_map(relation).collect()
    }

    fn bounded(&self, bounds: &[Item]) -> Vec<String> {
        let cell = |item: &Item| match *item {
            Item::Bound(cell, _) => Some(CellId::at(cell)),
            _ => None,
        };
        let mut cells: Vec<CellId> = bounds.iter().filter_map(cell).collect();
        cells.sort_unstable();
        cells.dedup();
        let frozen = |cell| self.task.problem.status(cell) == Status::Frozen;
        let name = |cell: CellId| {
            format!("{}{}", self.name(cell), if frozen(cell) { " (frozen)" } else { "" })
        };
        cells.into_iter().map(name).collect()
    }

    /// Leaves out whatever can be left out while the rest is still impossible; large parts first.
    fn shrink(
        &mut self,
        items: &mut Vec<Item>,
        mut is_possible: impl FnMut(&mut Self, &[Item]) -> Result<bool, EngineError>,
    ) -> Result<(), EngineError> {
        let allowed = self.programs + PROGRAMS;
        let mut part = items.len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < items.len() && self.programs < allowed {
                let end = (at + part).min(items.len());
                let rest: Vec<Item> = items[..at].iter().chain(&items[end..]).copied().collect();
                if is_possible(self, &rest)? {
                    at = end;
                } else {
                    *items = rest;
                }
            }
            if part == 1 || self.programs >= allowed {
                return Ok(());
            }
            part = part.div_ceil(2);
        }
    }

    /// Whether some table keeps these levels and relations within these bounds; so it counts when the search does not end.
    fn is_possible(&mut self, items: &[Item], bounds: &[Item]) -> Result<bool, EngineError> {
        self.programs += 1;
        let Soft { model, .. } = self.program(items, bounds, false);
        let limits = Limits { nodes: Some(NODES), gap: 1.0, ..Limits::default() };
        Ok(self.engine.open(&model)?.solve(&limits)? != Outcome::Infeasible)
    }

    /// The cheapest way out: levels lowered, each counted as a share of itself, and bounds widened, counted in typical levels.
    fn cheapest(&mut self, items: &[Item]) -> Result<Vec<String>, EngineError> {
        let Soft { model, lowered, widened } = self.program(items, &self.bounds(), true);
        let limits = Limits { nodes: Some(NODES), gap: 0.01, ..Limits::default() };
        let columns = match self.engine.open(&model)?.solve(&limits)? {
            Outcome::Optimal(solution) | Outcome::Incumbent(solution, _) => solution.columns,
            _ => return Ok(Vec::new()),
        };
        let used = |&&(_, column): &&(usize, u32)| columns[column as usize] > 1e-6;
        let level = |&(at, column): &(usize, u32)| {
            let percent = (100.0 * columns[column as usize]).ceil();
            format!("{} ({percent:.0} % less)", self.name(self.task.sensitive[at].cell))
        };
        let mut ways = Vec::new();
        let names: Vec<String> = lowered.iter().filter(used).map(level).collect();
        if !names.is_empty() {
            ways.push(format!("a lower protection level for {}", listed(names)));
        }
        let mut names: Vec<String> =
            widened.iter().filter(used).map(|&(cell, _)| self.name(CellId::at(cell))).collect();
        names.dedup();
        if !names.is_empty() {
            ways.push(format!("more room for {}", listed(names)));
        }
        Ok(ways)
    }

    /// Moves within the given bounds, with the given levels and relations; levels may be lowered and bounds widened at a cost if so wished.
    fn program(&self, items: &[Item], bounds: &[Item], soft: bool) -> Soft {
        let (task, scale) = (self.task, self.task.scale());
        let mut model = Model::default();
        for _ in 0..task.weights.len() {
            model.column(0.0, -FAR, FAR);
        }
        let mut widened = Vec::new();
        for item in bounds {
            let &Item::Bound(cell, side) = item else { continue };
            let z = cell as u32;
            let (low, high) =
                ((task.lower[cell] / scale).max(-FAR), (task.upper[cell] / scale).min(FAR));
            if soft {
                let wider = model.column(BOUND, 0.0, f64::INFINITY);
                widened.push((cell, wider));
                match side {
                    Side::Down => model.row(vec![(z, 1.0), (wider, 1.0)], low, f64::INFINITY),
                    Side::Up => model.row(vec![(z, 1.0), (wider, -1.0)], f64::NEG_INFINITY, high),
                }
            } else {
                let column = &mut model.columns[cell];
                match side {
                    Side::Down => column.lower = low,
                    Side::Up => column.upper = high,
                }
            }
        }
        let mut lowered = Vec::new();
        for item in items {
            match *item {
                Item::Relation(row) => {
                    let terms =
                        task.problem.relations().row(row).map(|(cell, c)| (cell.0, f64::from(c)));
                    let missing = task.missing[row] / scale;
                    model.row(terms.collect(), missing, missing);
                }
                Item::Level(at) => lowered.push((at, self.level(&mut model, at, soft))),
                Item::Bound(..) => {}
            }
        }
        Soft { model, lowered, widened }
    }

    /// Adds a level; gives the column that lowers it.
    fn level(&self, model: &mut Model, at: usize, soft: bool) -> u32 {
        let (sensitive, scale) = (&self.task.sensitive[at], self.task.scale());
        let z = sensitive.cell.0;
        let (least, most) = match sensitive.forced() {
            None => (0.0, 1.0),
            Some(Side::Up) => (1.0, 1.0),
            Some(Side::Down) => (0.0, 0.0),
        };
        let y = model.whole(0.0, least, most);
        let share = model.column(1.0, 0.0, if soft { 1.0 } else { 0.0 });
        let (down, up) =
            (sensitive.down.unwrap_or(0.0) / scale, sensitive.up.unwrap_or(0.0) / scale);
        let (low, high) = (model.columns[z as usize].lower, model.columns[z as usize].upper);
        // z ≥ u (y − share) + low (1 − y) and z ≤ −l (1 − y − share) + high y.
        model.row(vec![(z, 1.0), (y, low - up), (share, up)], low, f64::INFINITY);
        model.row(vec![(z, 1.0), (y, -down - high), (share, -down)], f64::NEG_INFINITY, -down);
        share
    }
}
