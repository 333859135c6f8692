//! The two tables that stay published: protected as one system in memory, and their witnesses led to the finest cells.

use super::cells::Open;
use super::split::positions;
use super::survey::{Variables, told_apart};
use crate::tabulation::Made;
use crate::{Error, Job, Run, judge, secure};
use cellveil_attack::Intervals;
use cellveil_core::{CellId, CodeId, Problem, Release, Table, Witness};
use cellveil_lp::Engine;
use cellveil_suppress::streamed::{Aim, Draft, Exchange};
use cellveil_suppress::{Brief, Context, Method, suppress, suppress_by};
use cellveil_tabulate::{Gathered, LeafMoves};
use std::cmp::Ordering;

/// Not one of the finest cells of a table.
const NONE: u32 = u32::MAX;

/// How many witnesses over finest cells are made at most.
const MOST_DRAFTS: usize = 40;

/// The two tables, protected.
pub(super) struct Published {
    release: Release,
    /// No safe pattern costs less: whoever protects the whole protects these two.
    pub(super) bound: f64,
    /// Per table and cell of both, which of its finest cells it is.
    nodes: [Vec<u32>; 2],
    /// Per table and finest cell of it, which cell of both it is.
    cells: [Vec<CellId>; 2],
    /// The variables of either table, and of both in their order.
    pair: [Variables; 2],
    dimensions: Vec<usize>,
    /// Per need, witnesses that are claimed to meet it.
    claims: Vec<Vec<u32>>,
}

/// Cells of either table, and by how much they move.
type Wanted = [Vec<(u32, i64)>; 2];

/// Protects the tables of two sets of variables. Also returns, per table, the cell that each finest cell of the whole lies in.
pub(super) fn protect(
    job: &Job,
    gathered: &Gathered,
    pair: [Variables; 2],
    engine: &dyn Engine,
    run: &Run<'_>,
) -> Result<(Published, [Vec<u32>; 2]), Error> {
    let (mut tables, mut ends, mut finest) = (Vec::new(), Vec::new(), Vec::new());
    for set in pair {
        let (own, into) = gathered.projected(&positions(set))?;
        let table = own.table(None)?;
        let is_finest = |cell: &CellId| {
            let codes = table.key(*cell).iter().zip(table.dimensions());
            codes.clone().all(|(&code, dimension)| dimension.hierarchy.is_leaf(code))
        };
        finest.push((0..table.len()).map(CellId::at).filter(is_finest).collect::<Vec<_>>());
        tables.push(table);
        ends.push(into);
    }
    let (table, linked) = Table::linked(tables).map_err(cellveil_tabulate::TabulateError::from)?;
    let mut nodes = [vec![NONE; table.len()], vec![NONE; table.len()]];
    for ((nodes, linked), finest) in nodes.iter_mut().zip(&linked).zip(&finest) {
        for (&cell, node) in finest.iter().zip(0..) {
            nodes[linked.cells[cell.index()].index()] = node;
        }
    }
    let joint = |table: usize| -> Vec<CellId> {
        finest[table].iter().map(|cell| linked[table].cells[cell.index()]).collect()
    };
    let cells = [joint(0), joint(1)];
    let mut job = job.clone();
    let names: Vec<String> = table.dimensions().iter().map(|d| d.name.clone()).collect();
    job.rules.missing.retain(|name, _| names.contains(name));
    let made =
        Made { table, linked: Vec::new(), sensitive: Vec::new(), frozen: Vec::new(), costs: Vec::new() };
    let problem = run.stage("judge", || judge::judged(&job, made))?;
    let (size, sensitive) = (problem.len(), problem.needs().len());
    tracing::info!(cells = size, sensitive, "published tables");
    let method = job.protection.method;
    let choose = |problem: &Problem, context: &Context<'_>| match method {
        Method::Auto => suppress_by(problem, &Brief, context),
        method => suppress(problem, method, context),
    };
    let secured = secure::secure_by(problem, &choose, Intervals::None, engine, run)?;
    let release = secured.release;
    let needs = release.problem().needs();
    let mut claims = vec![Vec::new(); needs.len()];
    for claim in &release.certificate().claims {
        if let Ok(at) = needs.binary_search_by_key(&claim.cell, |need| need.cell) {
            claims[at].push(claim.witness);
        }
    }
    for claims in &mut claims {
        claims.dedup();
    }
    let whole = gathered.frame().dimensions();
    let place = |name: &String| whole.iter().position(|dimension| dimension.name == *name);
    let dimensions = names.iter().filter_map(place).collect();
    let bound = secured.summary.lower_bound.unwrap_or(0.0);
    let ends = [ends.remove(0), ends.remove(0)];
    Ok((Published { release, bound, nodes, cells, pair, dimensions, claims }, ends))
}

/// A witness of the two tables in the making, with by how much it moves their cells.
struct Sheet {
    draft: Draft,
    moved: Vec<i64>,
    /// Sensitive cells that this one shall go on to move far enough.
    kept: Vec<bool>,
}

impl Published {
    /// How far a sensitive cell must move.
    fn level(&self, cell: CellId) -> i64 {
        self.release.problem().needs().of(cell).map_or(0, |need| need.down.max(need.up))
    }

    /// Witnesses over finest cells that meet the needs of both tables, as far as they are found, and move nothing of them that is published.
    pub(super) fn lifted(&self, exchange: &Exchange<'_>) -> Vec<LeafMoves> {
        let cells = self.release.problem().len();
        let mut open: Vec<usize> = (0..self.claims.len()).collect();
        let mut made = Vec::new();
        while !open.is_empty() && made.len() < MOST_DRAFTS {
            let mut sheet =
                Sheet { draft: exchange.draft(), moved: vec![0; cells], kept: vec![false; cells] };
            for &at in &open {
                self.meet(exchange, at, &mut sheet);
            }
            let before = open.len();
            open.retain(|&at| !self.is_met(at, &sheet));
            tracing::info!(open = open.len(), "needs of the published tables");
            if open.len() == before {
                break;
            }
            made.push(LeafMoves::of(sheet.draft.moves()));
        }
        made
    }

    fn is_met(&self, at: usize, sheet: &Sheet) -> bool {
        let cell = self.release.problem().needs()[at].cell;
        sheet.moved[cell.index()].abs() >= self.level(cell)
    }

    /// Adds a witness of a need to a sheet, if nothing is in its way.
    fn meet(&self, exchange: &Exchange<'_>, at: usize, sheet: &mut Sheet) {
        let cell = self.release.problem().needs()[at].cell;
        if !self.is_met(at, sheet) {
            let witnesses = self.claims[at].iter();
            let witnesses = witnesses.map(|&w| &self.release.certificate().witnesses[w as usize]);
            let mut ways = witnesses.flat_map(|witness| whole(witness, cell, self.level(cell)));
            if !ways.any(|moves| self.add(exchange, cell, &moves, sheet)) {
                return;
            }
        }
        sheet.kept[cell.index()] = true;
    }

    /// Adds moves to a sheet, if the cells that it shall move far enough still do, and finest cells can follow.
    fn add(
        &self,
        exchange: &Exchange<'_>,
        cell: CellId,
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
        let wanted = self.wanted(moves);
        if !exchange.lift(&mut sheet.draft, [&wanted[0], &wanted[1]], None) {
            return false;
        }
        for &(moved, by) in moves {
            sheet.moved[moved.index()] += by;
        }
        true
    }

    /// The finest cells of either table among some that move.
    fn wanted(&self, moves: &[(CellId, i64)]) -> Wanted {
        [0, 1].map(|table: usize| {
            let node = |&(moved, by): &(CellId, i64)| (self.nodes[table][moved.index()], by);
            moves.iter().map(node).filter(|&(node, _)| node != NONE).collect()
        })
    }

    /// Moves a leaf of a cell together with the cells of the two tables that protect the cell, or the cells of the two tables that the leaf lies in.
    pub(super) fn carry(
        &self,
        exchange: &Exchange<'_>,
        draft: &mut Draft,
        aim: &Aim<'_>,
        open: &Open,
    ) -> bool {
        let set = told_apart(&open.codes);
        let ways = [0, 1].map(|table: usize| {
            let cell = if set & !self.pair[table] == 0 {
                self.find(&open.codes)
            } else {
                Some(self.cells[table][exchange.end(table, aim.leaf) as usize])
            };
            cell.map_or_else(Vec::new, |cell| self.units(cell, aim.level))
        });
        let none: Wanted = [Vec::new(), Vec::new()];
        let alone = ways[0].iter().chain(&ways[1]).map(|one| (one, &none));
        let both = ways[0].iter().flat_map(|one| ways[1].iter().map(move |other| (one, other)));
        alone.chain(both).any(|(one, other)| {
            let wanted = [0, 1].map(|table: usize| added(&one[table], &other[table]));
            exchange.along(draft, aim, [&wanted[0], &wanted[1]])
        })
    }

    /// The cell of both tables with the codes of a cell of the whole.
    fn find(&self, codes: &[CodeId]) -> Option<CellId> {
        let own: Vec<CodeId> = self.dimensions.iter().map(|&at| codes[at]).collect();
        let problem = self.release.problem();
        let (mut from, mut to) = (0, problem.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            match problem.names().key(CellId::at(middle)).cmp(&own[..]) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Some(CellId::at(middle)),
                Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// The witnesses of a sensitive cell that move it by an amount, upwards.
    fn units(&self, cell: CellId, amount: i64) -> Vec<Wanted> {
        let needs = self.release.problem().needs();
        let Ok(at) = needs.binary_search_by_key(&cell, |need| need.cell) else { return Vec::new() };
        let unit = |&witness: &u32| {
            let witness = &self.release.certificate().witnesses[witness as usize];
            let own = witness.move_of(cell);
            if own == 0 || witness.moves.iter().any(|(_, by)| by % own != 0) {
                return None;
            }
            let moves: Vec<(CellId, i64)> =
                witness.moves.iter().map(|&(moved, by)| (moved, by / own * amount)).collect();
            Some(self.wanted(&moves))
        };
        self.claims[at].iter().filter_map(unit).collect()
    }
}

/// Two lists of moves, added up.
fn added(one: &[(u32, i64)], other: &[(u32, i64)]) -> Vec<(u32, i64)> {
    let mut all = [one, other].concat();
    all.sort_unstable();
    let sums = all.chunk_by(|a, b| a.0 == b.0);
    let sums = sums.map(|same| (same[0].0, same.iter().map(|(_, by)| by).sum::<i64>()));
    sums.filter(|&(_, by)| by != 0).collect()
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
