//! The modular method with sub-tables, weights and an order that somebody else lists: those of τ-ARGUS (`HiTaS`).
//!
//! Unlike in [`Modular`](super::Modular), margins may always be withheld, at the weight the list gives them; then everything starts anew
//! with such a margin withheld from the beginning. If the attack on the whole table finds nothing, the pattern is what the original
//! would have chosen, and it stays so even where it holds more than is needed. Otherwise it is repaired.

use super::piece::Piece;
use crate::incremental::complete;
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use cellveil_attack::{Attack, Intervals, Options, attack};
use cellveil_core::{
    Bound, CellId, Incidence, Need, Needs, Pattern, Problem, Reason, Side, Status, Why, Witness,
};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Sub-tables in groups, those of one group side by side, one group after the other.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The groups.
    pub groups: Vec<Vec<Part>>,
    /// Cells that are equal, and so withheld together.
    pub equal: Vec<Vec<CellId>>,
    /// By which shares of its value a secondary of another sub-table is protected, down and up, if no need here asks for less.
    pub shares: [f64; 2],
}

impl Plan {
    /// The shares that are used unless somebody asks for others.
    pub const SHARES: [f64; 2] = [0.01, 0.01];
}

/// One sub-table.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Its cells, ascending.
    pub cells: Vec<PartCell>,
}

/// A cell of a sub-table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartCell {
    /// The cell.
    pub cell: CellId,
    /// What withholding it costs here.
    pub weight: f64,
    /// Whether it is no margin of this sub-table.
    pub inner: bool,
}

impl Protect for Plan {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let pattern = context.in_half_the_time(|context| self.choose(problem, context))?;
        let (pattern, witnesses) = stand_or_repair(problem, context, &pattern)?;
        Ok(Protected { pattern, witnesses, bound: Bound { cost: 0.0 }, method: Method::Modular })
    }
}

/// A pattern that stands up to an attack on the whole table as it is, or repaired.
fn stand_or_repair(
    problem: &Problem,
    context: &Context<'_>,
    pattern: &Pattern,
) -> Result<(Pattern, Vec<Witness>), SuppressError> {
    let options = Options { intervals: Intervals::None };
    let Attack { audit, certificate } = attack(problem, pattern, context.engine, options, &[])?;
    if audit.exposed.is_empty() {
        return Ok((pattern.clone(), certificate.witnesses));
    }
    complete(problem, context, pattern, &certificate.witnesses)
}

/// What is withheld beyond the sensitive cells, and how far each such cell must be protected in other sub-tables.
type Levels = BTreeMap<CellId, [i64; 2]>;

/// What all sub-tables share.
struct Whole<'w> {
    problem: &'w Problem,
    incidence: Incidence,
    shares: [f64; 2],
}

/// What a sub-table withholds, with the levels of the cells it does so for; most are the same when everything starts anew.
type Memory = Option<(Vec<Option<[i64; 2]>>, Chosen)>;

/// Cells to withhold, with the level of each, down and up.
type Chosen = Vec<(PartCell, [i64; 2])>;

impl Plan {
    fn choose(&self, problem: &Problem, context: &Context<'_>) -> Result<Pattern, SuppressError> {
        let whole = Whole {
            problem,
            incidence: problem.relations().incidence(problem.len()),
            shares: self.shares,
        };
        let mut margins = Levels::new();
        let mut known: Vec<Vec<Memory>> =
            self.groups.iter().map(|group| vec![None; group.len()]).collect();
        loop {
            let mut levels = margins.clone();
            let before = margins.len();
            for (done, group) in self.groups.iter().enumerate() {
                if context.is_over() {
                    // The repair goes on from here, or says that there is no time for it.
                    return Ok(self.pattern(problem, &levels));
                }
                context.progress.step("sub-tables", done, self.groups.len(), 0.0);
                let chosen: Result<Vec<()>, SuppressError> = group
                    .par_iter()
                    .zip(&mut known[done])
                    .map(|(part, known)| part.remember(&whole, &levels, known, context))
                    .collect();
                chosen?;
                for &(cell, level) in known[done].iter().flatten().flat_map(|(_, chosen)| chosen) {
                    let list = if cell.inner { &mut levels } else { &mut margins };
                    list.entry(cell.cell).or_insert(level);
                }
                if margins.len() > before {
                    break;
                }
            }
            if margins.len() == before {
                return Ok(self.pattern(problem, &levels));
            }
        }
    }

    fn pattern(&self, problem: &Problem, levels: &Levels) -> Pattern {
        let mut pattern = problem.start();
        let mut withhold = |cell: CellId| {
            if problem.status(cell) == Status::Free && !pattern.is_withheld(cell) {
                pattern.withhold(cell, Why::Secondary);
            }
        };
        let is_equal = |cells: &&Vec<CellId>| cells.iter().any(|cell| levels.contains_key(cell));
        for &cell in levels.keys().chain(self.equal.iter().filter(is_equal).flatten()) {
            withhold(cell);
        }
        pattern
    }
}

impl Part {
    /// Protects the sub-table, unless it is as it was.
    fn remember(
        &self,
        whole: &Whole<'_>,
        levels: &Levels,
        known: &mut Memory,
        context: &Context<'_>,
    ) -> Result<(), SuppressError> {
        let now: Vec<Option<[i64; 2]>> =
            self.cells.iter().map(|cell| levels.get(&cell.cell).copied()).collect();
        if known.as_ref().is_none_or(|(then, _)| *then != now) {
            let chosen = self.protect(whole, levels, context)?;
            *known = Some((now, chosen));
        }
        Ok(())
    }

    /// What to withhold further here, with the level of each cell.
    fn protect(
        &self,
        whole: &Whole<'_>,
        levels: &Levels,
        context: &Context<'_>,
    ) -> Result<Chosen, SuppressError> {
        let Whole { problem, incidence, shares } = whole;
        let needs: Vec<Need> = self.needs(problem, levels);
        let largest = needs.iter().map(|need| need.down.max(need.up)).max();
        let open = |cell: &PartCell| status(problem, levels, cell) == Status::Free;
        let (Some(largest), true) = (largest, self.cells.iter().any(open)) else {
            return Ok(Vec::new());
        };
        let cells: Vec<CellId> = self.cells.iter().map(|cell| cell.cell).collect();
        let costs = self.cells.iter().map(|cell| cell.weight).collect();
        let status = self.cells.iter().map(|cell| status(problem, levels, cell)).collect();
        let piece = Piece::new(problem, incidence, cells, costs, status, Needs::new(needs));
        let chosen = match piece.map(|piece| piece.protect(context)) {
            Some(Ok(chosen)) => chosen,
            // The repair goes on from here.
            None | Some(Err(SuppressError::NoPattern { .. } | SuppressError::OutOfTime { .. })) => {
                Vec::new()
            }
            Some(Err(error)) => return Err(error),
        };
        let level = |cell: CellId, share: f64| {
            let part = problem.value(cell).unsigned_abs() as f64 * share;
            (part as i64).min(largest).max(1)
        };
        let levels = |cell: CellId| shares.map(|share| level(cell, share));
        let of = |cell: &CellId| self.cells.iter().find(|one| one.cell == *cell).copied();
        Ok(chosen.iter().filter_map(of).map(|cell| (cell, levels(cell.cell))).collect())
    }

    /// Needs of sensitive cells, and small ones of cells that other sub-tables withhold.
    fn needs(&self, problem: &Problem, levels: &Levels) -> Vec<Need> {
        let need = |(at, one): (usize, &PartCell)| {
            let cell = one.cell;
            let need = match (problem.needs().of(cell), levels.get(&cell)) {
                (Some(need), _) => *need,
                (None, Some(&[down, up])) => {
                    let room = problem.room(cell, Side::Down).unwrap_or(down);
                    let down = down.min(room).max(0);
                    Need { cell, down, up, sliding: 0, reason: Reason::Interval }
                }
                (None, None) => return None,
            };
            Some(Need { cell: CellId::at(at), ..need })
        };
        self.cells.iter().enumerate().filter_map(need).collect()
    }
}

fn status(problem: &Problem, levels: &Levels, cell: &PartCell) -> Status {
    match problem.status(cell.cell) {
        Status::Free if levels.contains_key(&cell.cell) => Status::Withheld,
        status => status,
    }
}
