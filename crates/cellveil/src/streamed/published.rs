//! The two tables that stay published: their sensitive cells are protected by products within each, and those are led to the finest cells.
//!
//! A product moves cells of one table and keeps all its sums; what both tables have in common stays, and so does what other finest cells cannot follow. Paths of
//! leaves then leave the other table as it is. Programs are not asked: what has no product, or no paths, is left for later.

use super::cells::Open;
use super::split::positions;
use super::survey::{Variables, told_apart};
use crate::tabulation::Made;
use crate::{Error, Job, judge};
use cellveil_attack::Products;
use cellveil_core::{CellId, CodeId, Problem, Side, Witness};
use cellveil_suppress::linear_bound;
use cellveil_suppress::streamed::{Aim, Draft, Exchange};
use cellveil_tabulate::{Gathered, Layout, LeafMoves};
use std::sync::Arc;

/// Not one of the finest cells of a table.
const NONE: u32 = u32::MAX;

/// How many witnesses over finest cells are made at most.
const MOST_DRAFTS: usize = 24;

/// Cells of either table, and by how much they move.
type Wanted = [Vec<(u32, i64)>; 2];

/// One of the two tables.
pub(super) struct Part {
    pub(super) variables: Vec<usize>,
    set: Variables,
    pub(super) problem: Problem,
    /// The packed codes of all cells, ascending, and how they are packed.
    keys: Vec<u128>,
    pub(super) layout: Layout,
    /// Per cell, which of the finest cells it is.
    nodes: Vec<u32>,
    /// The finest cells.
    finest: Vec<CellId>,
    /// Per need, a product that meets it.
    products: Vec<Option<Witness>>,
}

/// The tables of two sets of variables. Also returns, per table, the cell that each finest cell of the whole lies in.
pub(super) fn parts(
    job: &Job,
    gathered: &Gathered,
    pair: [Variables; 2],
) -> Result<([Part; 2], [Vec<u32>; 2]), Error> {
    let part = |set: Variables| {
        let variables = positions(set);
        let (own, ends) = gathered.projected(&variables)?;
        let table = own.table(None)?;
        let is_finest = |cell: &CellId| {
            let codes = table.key(*cell).iter().zip(table.dimensions());
            codes.clone().all(|(&code, dimension)| dimension.hierarchy.is_leaf(code))
        };
        let finest: Vec<CellId> = (0..table.len()).map(CellId::at).filter(is_finest).collect();
        let layout = own.frame().layout().clone();
        let key = |cell: CellId| {
            let codes = table.key(cell).iter().enumerate();
            codes.map(|(at, &code)| layout.place(at, code)).sum()
        };
        let keys: Vec<u128> = (0..table.len()).map(CellId::at).map(key).collect();
        let mut nodes = vec![NONE; table.len()];
        for (cell, node) in finest.iter().zip(0..) {
            nodes[cell.index()] = node;
        }
        let mut job = job.clone();
        let dimensions = own.frame().dimensions();
        job.rules.missing.retain(|name, _| dimensions.iter().any(|d| d.name == *name));
        let (sensitive, frozen, costs) = (Vec::new(), Vec::new(), Vec::new());
        let made = Made { table, linked: Vec::new(), sensitive, frozen, costs };
        let problem = judge::judged(&job, made)?;
        let products = vec![None; problem.needs().len()];
        Ok::<_, Error>((
            Part { variables, set, problem, keys, layout, nodes, finest, products },
            ends,
        ))
    };
    let [(one, one_end), (other, other_end)] = [part(pair[0])?, part(pair[1])?];
    Ok(([one, other], [one_end, other_end]))
}

impl Part {
    /// Finds a product for every need, the largest first; what those before withhold costs nothing. `joined` are the finest cells that leaves can follow.
    pub(super) fn protect(
        &mut self,
        other: Variables,
        joined: &[bool],
        is_over: &(dyn Fn() -> bool + Sync),
    ) {
        let problem = &self.problem;
        let incidence = Arc::new(problem.relations().incidence(problem.len()));
        let Some(products) = Products::new(problem, incidence) else { return };
        let mut withheld = vec![false; problem.len()];
        for need in problem.needs() {
            withheld[need.cell.index()] = true;
        }
        let shared: Vec<bool> = self.variables.iter().map(|at| other >> at & 1 == 1).collect();
        let is_shared = |cell: CellId| {
            let codes = problem.names().key(cell).iter().zip(&shared);
            codes.clone().all(|(&code, &is_shared)| code == 0 || is_shared)
        };
        let mut order: Vec<usize> = (0..problem.needs().len()).collect();
        let level = |at: usize| problem.needs()[at].down.max(problem.needs()[at].up);
        order.sort_by_key(|&at| (std::cmp::Reverse(level(at)), at));
        for at in order {
            if is_over() {
                break;
            }
            let own = problem.needs()[at].cell;
            let price = |cell: CellId| {
                let node = self.nodes[cell.index()];
                let stays = node != NONE && !joined[node as usize] && cell != own;
                let must_stay = stays || is_shared(cell);
                let cost = if withheld[cell.index()] { 0.0 } else { problem.cost(cell) };
                (!must_stay).then_some(cost)
            };
            let found = products.reach(own, Side::Up, level(at), &price);
            for &(cell, _) in found.iter().flat_map(|found| &found.moves) {
                withheld[cell.index()] = true;
            }
            self.products[at] = found;
        }
        let met = self.products.iter().flatten().count();
        tracing::info!(
            cells = problem.len(),
            needs = problem.needs().len(),
            met,
            "a published table"
        );
    }

    /// No safe pattern of the whole costs less: whoever protects the whole protects this table.
    pub(super) fn bound(&self) -> f64 {
        linear_bound(&self.problem).cost
    }

    /// Whether no cell that tells these variables apart is one of this table.
    pub(super) fn lacks(&self, set: Variables) -> bool {
        set & !self.set != 0
    }

    /// Whether a cell of the whole with these codes is one of this table.
    pub(super) fn has(&self, codes: &[CodeId]) -> bool {
        !self.lacks(told_apart(codes))
    }

    /// Whether this table has a cell of another.
    pub(super) fn has_all(&self, other: &Self, cell: CellId) -> bool {
        let codes = other.problem.names().key(cell).iter().zip(&other.variables);
        codes.clone().all(|(&code, &at)| code == 0 || self.set >> at & 1 == 1)
    }

    /// How far a sensitive cell must move.
    fn level(&self, cell: CellId) -> i64 {
        self.problem.needs().of(cell).map_or(0, |need| need.down.max(need.up))
    }

    /// The finest cells among some that move.
    fn nodes(&self, moves: &[(CellId, i64)]) -> Vec<(u32, i64)> {
        let node = |&(moved, by): &(CellId, i64)| (self.nodes[moved.index()], by);
        moves.iter().map(node).filter(|&(node, _)| node != NONE).collect()
    }

    /// The cell with the codes of a cell of the whole.
    pub(super) fn find(&self, codes: &[CodeId]) -> Option<CellId> {
        let own = self.variables.iter().enumerate();
        self.at(own.map(|(to, &from)| self.layout.place(to, codes[from])).sum())
    }

    /// The cell with these packed codes.
    pub(super) fn at(&self, key: u128) -> Option<CellId> {
        self.keys.binary_search(&key).ok().map(CellId::at)
    }

    /// The finest cells that move in the product of a sensitive cell, when it rises by an amount.
    fn raised(&self, cell: CellId, amount: i64) -> Option<Vec<(u32, i64)>> {
        let needs = self.problem.needs();
        let at = needs.binary_search_by_key(&cell, |need| need.cell).ok()?;
        let product = self.products[at].as_ref()?;
        let own = product.move_of(cell);
        if own == 0 || product.moves.iter().any(|(_, by)| by % own != 0) {
            return None;
        }
        let moves = product.moves.iter().map(|&(moved, by)| (moved, by / own * amount));
        Some(self.nodes(&moves.collect::<Vec<_>>()))
    }
}

/// A witness of one table in the making, with by how much it moves its cells.
struct Sheet {
    draft: Draft,
    moved: Vec<i64>,
    /// Sensitive cells that this one shall go on to move far enough.
    kept: Vec<bool>,
}

/// Witnesses over finest cells that meet the needs of both tables, as far as they are found.
pub(super) fn lifted(
    parts: &[Part; 2],
    exchange: &Exchange<'_>,
    is_over: &dyn Fn() -> bool,
) -> Vec<LeafMoves> {
    let mut open = [0, 1].map(|table: usize| {
        let there = |at: &usize| parts[table].products[*at].is_some();
        (0..parts[table].products.len()).filter(there).collect::<Vec<_>>()
    });
    let mut made = Vec::new();
    while made.len() < MOST_DRAFTS && !is_over() {
        let before = open[0].len() + open[1].len();
        let mut draft = exchange.draft();
        for table in 0..2 {
            let part = &parts[table];
            let cells = part.problem.len();
            let mut sheet = Sheet { draft, moved: vec![0; cells], kept: vec![false; cells] };
            for &at in open[table].iter().take_while(|_| !is_over()) {
                part.meet(exchange, table, at, &mut sheet);
            }
            open[table].retain(|&at| !part.is_met(at, &sheet));
            draft = sheet.draft;
        }
        tracing::info!(left = open[0].len() + open[1].len(), "needs of the published tables");
        if open[0].len() + open[1].len() == before {
            break;
        }
        made.push(LeafMoves::of(draft.moves()));
    }
    made
}

impl Part {
    fn is_met(&self, at: usize, sheet: &Sheet) -> bool {
        let cell = self.problem.needs()[at].cell;
        sheet.moved[cell.index()].abs() >= self.level(cell)
    }

    /// Adds the product of a need to a sheet, if nothing is in its way.
    fn meet(&self, exchange: &Exchange<'_>, table: usize, at: usize, sheet: &mut Sheet) {
        let cell = self.problem.needs()[at].cell;
        if !self.is_met(at, sheet) {
            let Some(product) = &self.products[at] else { return };
            let ways = whole(product, cell, self.level(cell));
            if !ways.iter().any(|moves| self.add(exchange, (table, cell), moves, sheet)) {
                return;
            }
        }
        sheet.kept[cell.index()] = true;
    }

    /// Adds moves to a sheet, if the cells that it shall move far enough still do, and leaves can follow.
    fn add(
        &self,
        exchange: &Exchange<'_>,
        (table, cell): (usize, CellId),
        moves: &[(CellId, i64)],
        sheet: &mut Sheet,
    ) -> bool {
        let after = |&(moved, by): &(CellId, i64)| {
            let reach = (sheet.moved[moved.index()] + by).abs();
            let is_kept = sheet.kept[moved.index()] || moved == cell;
            !is_kept || reach >= self.level(moved)
        };
        if !moves.iter().all(after) {
            return false;
        }
        let own = self.nodes(moves);
        let wanted: [&[(u32, i64)]; 2] = if table == 0 { [&own, &[]] } else { [&[], &own] };
        if !exchange.lift(&mut sheet.draft, wanted, None) {
            return false;
        }
        for &(moved, by) in moves {
            sheet.moved[moved.index()] += by;
        }
        true
    }
}

/// Moves a leaf of a cell together with the products that protect the cell, or the cells of the two tables that the leaf lies in.
pub(super) fn carry(
    parts: &[Part; 2],
    exchange: &Exchange<'_>,
    draft: &mut Draft,
    aim: &Aim<'_>,
    open: &Open,
) -> bool {
    let set = told_apart(&open.codes);
    let [one, other] = [0, 1].map(|table: usize| {
        let part = &parts[table];
        let cell = if part.lacks(set) {
            part.finest[exchange.end(table, aim.leaf) as usize]
        } else {
            part.find(&open.codes)?
        };
        part.raised(cell, aim.level)
    });
    let ways: [Option<Wanted>; 3] = [
        one.clone().map(|one| [one, Vec::new()]),
        other.clone().map(|other| [Vec::new(), other]),
        one.zip(other).map(|(one, other)| [one, other]),
    ];
    ways.iter().flatten().any(|wanted| exchange.along(draft, aim, [&wanted[0], &wanted[1]]))
}

/// A witness in whole numbers, as it is and no larger than a cell needs.
fn whole(witness: &Witness, cell: CellId, level: i64) -> Vec<Vec<(CellId, i64)>> {
    let denominator = i64::from(witness.denominator);
    if witness.moves.iter().any(|(_, by)| by % denominator != 0) {
        return Vec::new();
    }
    let moves: Vec<(CellId, i64)> =
        witness.moves.iter().map(|&(moved, by)| (moved, by / denominator)).collect();
    let common = moves.iter().fold(0, |common, &(_, by)| divisor(common, by.abs()));
    let own = moves.iter().find(|(moved, _)| *moved == cell).map_or(0, |(_, by)| by.abs());
    if common == 0 || own == 0 {
        return Vec::new();
    }
    let times = (level + own / common - 1) / (own / common);
    let small = moves.iter().map(|&(moved, by)| (moved, by / common * times)).collect();
    if times < common { vec![moves, small] } else { vec![moves] }
}

fn divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
