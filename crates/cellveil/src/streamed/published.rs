//! The two tables that stay published: protected as one system in memory, and their witnesses led to the finest cells.

use super::split::positions;
use super::survey::Variables;
use crate::tabulation::Made;
use crate::{Error, Job, Run, judge, secure};
use cellveil_attack::Intervals;
use cellveil_core::{CellId, Problem, Release, Table, Witness};
use cellveil_lp::Engine;
use cellveil_suppress::streamed::{Draft, Exchange};
use cellveil_suppress::{Brief, Context, Method, suppress, suppress_by};
use cellveil_tabulate::{Gathered, LeafMoves};

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
    /// Per need, witnesses that are claimed to meet it.
    claims: Vec<Vec<u32>>,
}

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
    let mut job = job.clone();
    let names: Vec<String> = table.dimensions().iter().map(|d| d.name.clone()).collect();
    job.rules.missing.retain(|name, _| names.contains(name));
    let made =
        Made { table, linked: Vec::new(), sensitive: Vec::new(), frozen: Vec::new(), costs: Vec::new() };
    let problem = run.stage("judge", || judge::judged(&job, made))?;
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
    let bound = secured.summary.lower_bound.unwrap_or(0.0);
    let ends = [ends.remove(0), ends.remove(0)];
    Ok((Published { release, bound, nodes, claims }, ends))
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
        let own = |table: usize| -> Vec<(u32, i64)> {
            let node = |&(moved, by): &(CellId, i64)| (self.nodes[table][moved.index()], by);
            moves.iter().map(node).filter(|&(node, _)| node != NONE).collect()
        };
        let wanted = [own(0), own(1)];
        if !exchange.lift(&mut sheet.draft, [&wanted[0], &wanted[1]], None) {
            return false;
        }
        for &(moved, by) in moves {
            sheet.moved[moved.index()] += by;
        }
        true
    }
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
