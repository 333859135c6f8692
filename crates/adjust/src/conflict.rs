//! Why no table exists: a smallest set of levels and relations that contradict each other within the bounds, and the cheapest
//! way out.

use crate::AdjustError;
use crate::task::Task;
use cellveil_lp::{Engine, EngineError, Limits, Model, Outcome};

/// A need or a relation that may be left out of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Level(usize),
    Relation(usize),
}

/// How many programs may be solved to find the smallest set; what is left then is named as it is.
const PROGRAMS: usize = 400;
/// The most nodes of one program.
const NODES: u32 = 2_000;
/// How many cells and relations are listed.
const LISTED: usize = 8;

/// Names what stands in the way.
pub(crate) fn explain(task: &Task<'_>, engine: &dyn Engine) -> Result<AdjustError, EngineError> {
    let mut items: Vec<Item> = (0..task.sensitive.len()).map(Item::Level).collect();
    items.extend((0..task.problem.relations().len()).map(Item::Relation));
    let mut search = Search { task, engine, programs: 0 };
    if search.is_possible(&items)? {
        return Ok(AdjustError::OutOfTime);
    }
    search.shrink(&mut items)?;
    let names = task.problem.names();
    let cells = items.iter().filter_map(|item| match item {
        Item::Level(at) => Some(format!("`{}`", names.describe(task.sensitive[*at].cell))),
        Item::Relation(_) => None,
    });
    let rows = items.iter().filter_map(|item| match item {
        Item::Relation(row) => Some(relation_name(task, *row)),
        Item::Level(_) => None,
    });
    let conflict = format!(
        "the levels of {} contradict {} within the bounds of their cells",
        listed(cells.collect()),
        listed(rows.collect())
    );
    let lowered = search.cheapest()?;
    let hint = if lowered.is_empty() {
        "free a frozen cell or widen a bound in these relations".to_owned()
    } else {
        format!(
            "the cheapest way out is a lower protection level for {}; or widen the bounds in these relations",
            listed(lowered)
        )
    };
    Ok(AdjustError::Infeasible { conflict, hint })
}

fn relation_name(task: &Task<'_>, row: usize) -> String {
    match task.problem.relations().total(row) {
        Some(total) => {
            format!("the sum of `{}` (relation {row})", task.problem.names().describe(total))
        }
        None => format!("relation {row}"),
    }
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

impl Search<'_> {
    /// Leaves out whatever can be left out while the rest still contradicts itself; large parts first.
    fn shrink(&mut self, items: &mut Vec<Item>) -> Result<(), EngineError> {
        let mut part = items.len().div_ceil(2);
        loop {
            let mut at = 0;
            while at < items.len() && self.programs < PROGRAMS {
                let end = (at + part).min(items.len());
                let rest: Vec<Item> = items[..at].iter().chain(&items[end..]).copied().collect();
                if self.is_possible(&rest)? {
                    at = end;
                } else {
                    *items = rest;
                }
            }
            if part == 1 || self.programs >= PROGRAMS {
                return Ok(());
            }
            part = part.div_ceil(2);
        }
    }

    /// Whether some table keeps these levels and relations; so it counts when the search does not end.
    fn is_possible(&mut self, items: &[Item]) -> Result<bool, EngineError> {
        self.programs += 1;
        let (model, _) = self.model(items, false);
        let limits = Limits { nodes: Some(NODES), gap: 1.0, ..Limits::default() };
        Ok(self.engine.open(&model)?.solve(&limits)? != Outcome::Infeasible)
    }

    /// The cells whose levels are lowered in the cheapest way out, each by as small a share of its level as possible.
    fn cheapest(&mut self) -> Result<Vec<String>, EngineError> {
        let mut items: Vec<Item> = (0..self.task.sensitive.len()).map(Item::Level).collect();
        items.extend((0..self.task.problem.relations().len()).map(Item::Relation));
        let (model, lowered) = self.model(&items, true);
        let limits = Limits { nodes: Some(NODES), gap: 0.01, ..Limits::default() };
        let columns = match self.engine.open(&model)?.solve(&limits)? {
            Outcome::Optimal(solution) | Outcome::Incumbent(solution, _) => solution.columns,
            _ => return Ok(Vec::new()),
        };
        let names = self.task.problem.names();
        let named = lowered.iter().filter(|&&(_, column)| columns[column as usize] > 1e-6);
        Ok(named
            .map(|&(at, _)| format!("`{}`", names.describe(self.task.sensitive[at].cell)))
            .collect())
    }

    /// Moves within their ranges, with the given levels and relations; levels may be lowered at a cost if so wished.
    fn model(&self, items: &[Item], soft: bool) -> (Model, Vec<(usize, u32)>) {
        let (task, scale, far) = (self.task, self.task.scale(), 1e6);
        let mut model = Model::default();
        for cell in 0..task.weights.len() {
            model.column(
                0.0,
                (task.lower[cell] / scale).max(-far),
                (task.upper[cell] / scale).min(far),
            );
        }
        let mut lowered = Vec::new();
        for item in items {
            match *item {
                Item::Relation(row) => {
                    let terms =
                        task.problem.relations().row(row).map(|(cell, c)| (cell.0, f64::from(c)));
                    model.row(terms.collect(), 0.0, 0.0);
                }
                Item::Level(at) => {
                    let sensitive = &task.sensitive[at];
                    let z = sensitive.cell.0;
                    let (low, high) =
                        (model.columns[z as usize].lower, model.columns[z as usize].upper);
                    let (least, most) = match sensitive.forced() {
                        None => (0.0, 1.0),
                        Some(cellveil_core::Side::Up) => (1.0, 1.0),
                        Some(cellveil_core::Side::Down) => (0.0, 0.0),
                    };
                    let y = model.whole(0.0, least, most);
                    let share = model.column(1.0, 0.0, if soft { 1.0 } else { 0.0 });
                    lowered.push((at, share));
                    let (down, up) = (
                        sensitive.down.unwrap_or(0.0) / scale,
                        sensitive.up.unwrap_or(0.0) / scale,
                    );
                    // z ≥ u (y − share) + low (1 − y) and z ≤ −l (1 − y − share) + high y.
                    model.row(vec![(z, 1.0), (y, low - up), (share, up)], low, f64::INFINITY);
                    model.row(
                        vec![(z, 1.0), (y, -down - high), (share, -down)],
                        f64::NEG_INFINITY,
                        -down,
                    );
                }
            }
        }
        (model, lowered)
    }
}
