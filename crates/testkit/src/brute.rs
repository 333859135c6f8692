//! Answers found by trying everything, for tables so small that this ends.
//!
//! Tables are enumerated in whole units. In one and two dimensions without hierarchy, and in two dimensions with one hierarchy,
//! the extreme tables of the linear model are whole, so the intervals found here are the exact ones. Elsewhere they may be narrower
//! than those of the linear model, never wider; [`finer`] splits the unit, which brings them closer.

use cellveil_core::{
    CellId, CellNames, Exposure, Need, Needs, Pattern, Problem, ProblemParts, Relations, Side,
    Status, Why,
};

/// The least and largest value of a withheld cell in any consistent table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The withheld cell.
    pub cell: CellId,
    /// The least value.
    pub lower: i64,
    /// The largest value.
    pub upper: i64,
}

/// The withheld cells as the unknowns of a small system.
struct Search {
    cells: Vec<CellId>,
    /// Per unknown the least and largest move.
    moves: Vec<(i64, i64)>,
    /// Per relation with unknowns: its unknowns by position, ascending, with their coefficients.
    rows: Vec<Vec<(usize, i64)>>,
    /// How many steps may still be made.
    budget: u64,
}

/// The range of every withheld cell for an intruder that also knows the cells `known`, ascending by cell.
///
/// `None` if a withheld cell has no finite bounds, even after following the relations, or if there are too many tables.
pub fn ranges(problem: &Problem, pattern: &Pattern, known: &[CellId]) -> Option<Vec<Range>> {
    let mut search = Search::new(problem, pattern, known)?;
    let mut found: Vec<(i64, i64)> = vec![(0, 0); search.cells.len()];
    let mut moves = Vec::new();
    search.descend(&mut moves, &mut |table| {
        for (range, &step) in found.iter_mut().zip(table) {
            *range = (range.0.min(step), range.1.max(step));
        }
    })?;
    let range = |(&cell, &(down, up)): (&CellId, &(i64, i64))| {
        let value = problem.value(cell);
        Range { cell, lower: value + down, upper: value + up }
    };
    Some(search.cells.iter().zip(&found).map(range).collect())
}

/// The needs that are not met, against everybody and against every insider, ascending; `None` as for [`ranges`].
pub fn exposed(problem: &Problem, pattern: &Pattern) -> Option<Vec<Exposure>> {
    let mut exposed = Vec::new();
    let outside = ranges(problem, pattern, &[])?;
    collect_exposed(problem, &outside, None, &mut exposed);
    for insider in 0..problem.insiders().len() as u32 {
        let known = problem.insiders().cells(insider);
        let inside = ranges(problem, pattern, known)?;
        collect_exposed(problem, &inside, Some(insider), &mut exposed);
    }
    exposed.sort();
    Some(exposed)
}

fn collect_exposed(
    problem: &Problem,
    ranges: &[Range],
    insider: Option<u32>,
    exposed: &mut Vec<Exposure>,
) {
    for need in problem.needs() {
        if insider.is_some() && problem.insiders().of(need.cell) == insider {
            continue;
        }
        let value = problem.value(need.cell);
        let range = ranges.iter().find(|range| range.cell == need.cell).copied();
        let (down, up) = range.map_or((0, 0), |range| (value - range.lower, range.upper - value));
        let singleton = insider.map(|insider| problem.insiders().cells(insider)[0]);
        let mut missing = |side| exposed.push(Exposure { cell: need.cell, side, singleton });
        if down < need.down {
            missing(Some(Side::Down));
        }
        if up < need.up {
            missing(Some(Side::Up));
        }
        if down >= need.down && up >= need.up && down + up < need.sliding {
            missing(None);
        }
    }
}

/// The cheapest pattern that `is_safe` accepts, with its cost; the first in order of cells among equals.
///
/// # Panics
/// If more than 14 cells are free: trying all patterns would not end.
pub fn cheapest_pattern(
    problem: &Problem,
    mut is_safe: impl FnMut(&Problem, &Pattern) -> bool,
) -> Option<(Pattern, f64)> {
    let free: Vec<CellId> =
        problem.cells().filter(|&cell| problem.status(cell) == Status::Free).collect();
    assert!(free.len() <= 14, "too many free cells to try all patterns");
    let mut patterns: Vec<(f64, u32)> =
        (0..1_u32 << free.len()).map(|set| (cost(problem, &free, set), set)).collect();
    patterns.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    patterns.into_iter().find_map(|(_, set)| {
        let mut pattern = problem.start();
        for cell in chosen(&free, set) {
            pattern.withhold(cell, Why::Secondary);
        }
        let cost = problem.cost_of(&pattern);
        is_safe(problem, &pattern).then_some((pattern, cost))
    })
}

fn chosen(free: &[CellId], set: u32) -> impl Iterator<Item = CellId> + '_ {
    free.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1).map(|(_, &cell)| cell)
}

fn cost(problem: &Problem, free: &[CellId], set: u32) -> f64 {
    chosen(free, set).map(|cell| problem.cost(cell)).sum()
}

/// The same instance with every unit split into `parts`.
///
/// # Panics
/// If an amount grows beyond 64 bits.
pub fn finer(problem: &Problem, parts: i64) -> Problem {
    let column = |of: &dyn Fn(CellId) -> i64| problem.cells().map(of).collect::<Vec<i64>>();
    let mut relations = Relations::default();
    for relation in 0..problem.relations().len() {
        relations.push(
            problem.relations().row(relation),
            problem.relations().constant(relation) * parts,
        );
    }
    let needs = problem.needs().iter().map(|need| Need {
        down: need.down * parts,
        up: need.up * parts,
        sliding: need.sliding * parts,
        ..*need
    });
    let split = ProblemParts {
        decimals: problem.decimals(),
        values: column(&|cell| problem.value(cell) * parts),
        costs: problem.cells().map(|cell| problem.cost(cell)).collect(),
        lower: column(&|cell| {
            problem.lower(cell).map_or(cellveil_core::NO_LOWER, |bound| bound * parts)
        }),
        upper: column(&|cell| {
            problem.upper(cell).map_or(cellveil_core::NO_UPPER, |bound| bound * parts)
        }),
        status: problem.cells().map(|cell| problem.status(cell)).collect(),
        needs: Needs::new(needs.collect()),
        relations,
        names: CellNames::Ids(problem.cells().map(|cell| problem.names().id(cell)).collect()),
        singletons: problem.singletons().to_vec(),
        width: problem.width() * parts,
    };
    match Problem::new(split, i64::MAX) {
        Ok(problem) => problem,
        Err(error) => unreachable!("an instance in finer units is an instance: {error}"),
    }
}

/// Shows every additive table whose cells lie within their bounds and at most `reach` units from their true values; `None` if there
/// are too many.
pub fn tables(problem: &Problem, reach: i64, visit: &mut dyn FnMut(&[i64])) -> Option<()> {
    let mut pattern = Pattern::open(problem.len());
    for cell in problem.cells() {
        pattern.withhold(cell, Why::Secondary);
    }
    let mut search = Search::new(problem, &pattern, &[])?;
    for range in &mut search.moves {
        *range = (range.0.max(-reach), range.1.min(reach));
    }
    let values: Vec<i64> = search.cells.iter().map(|&cell| problem.value(cell)).collect();
    let mut table = values.clone();
    search.descend(&mut Vec::new(), &mut |moves| {
        for ((slot, value), step) in table.iter_mut().zip(&values).zip(moves) {
            *slot = value + step;
        }
        visit(&table);
    })
}

/// How many steps a search may take.
const BUDGET: u64 = 300_000;
/// How often bounds are drawn in along the relations before the search.
const ROUNDS: usize = 50;

impl Search {
    fn new(problem: &Problem, pattern: &Pattern, known: &[CellId]) -> Option<Self> {
        let cells: Vec<CellId> = pattern.withheld().map(|(cell, _)| cell).collect();
        let far = i64::MAX / 4;
        let bounds = |&cell: &CellId| {
            if known.contains(&cell) {
                return (0, 0);
            }
            let value = problem.value(cell);
            (
                problem.lower(cell).map_or(-far, |bound| bound - value),
                problem.upper(cell).map_or(far, |bound| bound - value),
            )
        };
        let mut moves: Vec<(i64, i64)> = cells.iter().map(bounds).collect();
        let mut rows = Vec::new();
        for relation in 0..problem.relations().len() {
            let terms = problem.relations().row(relation);
            let unknown = terms.filter_map(|(cell, c)| {
                cells.binary_search(&cell).ok().map(|at| (at, i64::from(c)))
            });
            let mut row: Vec<(usize, i64)> = unknown.collect();
            row.sort_unstable();
            if !row.is_empty() {
                rows.push(row);
            }
        }
        for _ in 0..ROUNDS {
            for row in &rows {
                draw_in(row, &mut moves);
            }
        }
        let finite = moves.iter().all(|&(down, up)| down > -far / 2 && up < far / 2);
        finite.then_some(Self { cells, moves, rows, budget: BUDGET })
    }

    /// Visits every table that starts with `moves`; `None` when the budget is spent.
    fn descend(&mut self, moves: &mut Vec<i64>, visit: &mut impl FnMut(&[i64])) -> Option<()> {
        if moves.len() == self.cells.len() {
            visit(moves);
            return Some(());
        }
        let (down, up) = self.moves[moves.len()];
        for step in down..=up {
            self.budget = self.budget.checked_sub(1)?;
            moves.push(step);
            if self.rows.iter().all(|row| self.can_close(row, moves)) {
                self.descend(moves, visit)?;
            }
            moves.pop();
        }
        Some(())
    }

    /// Whether the open unknowns of a relation can still bring it back to zero.
    fn can_close(&self, row: &[(usize, i64)], moves: &[i64]) -> bool {
        let (mut least, mut most) = (0_i128, 0_i128);
        for &(at, c) in row {
            let (down, up) = moves.get(at).map_or(self.moves[at], |&step| (step, step));
            let (a, b) = (i128::from(c) * i128::from(down), i128::from(c) * i128::from(up));
            least += a.min(b);
            most += a.max(b);
        }
        least <= 0 && 0 <= most
    }
}

/// Narrows the moves of a relation's unknowns to what the others allow.
fn draw_in(row: &[(usize, i64)], moves: &mut [(i64, i64)]) {
    for &(at, c) in row {
        let (mut least, mut most) = (0_i128, 0_i128);
        for &(other, c) in row.iter().filter(|&&(other, _)| other != at) {
            let (a, b) = (
                i128::from(c) * i128::from(moves[other].0),
                i128::from(c) * i128::from(moves[other].1),
            );
            least += a.min(b);
            most += a.max(b);
        }
        // c · move = −others; only unit coefficients occur in the tables of this crate, others are left to the search.
        let (down, up) = match c {
            1 => (-most, -least),
            -1 => (least, most),
            _ => continue,
        };
        moves[at].0 = i64::try_from(down.max(moves[at].0.into())).unwrap_or(moves[at].0);
        moves[at].1 = i64::try_from(up.min(moves[at].1.into())).unwrap_or(moves[at].1);
    }
}
