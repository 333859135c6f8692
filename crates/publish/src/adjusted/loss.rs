//! What adjustment costs the users of a table.

use cellveil_core::{Adjustment, CellId, CellNames, Problem, units};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far an adjusted table is from the true one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// The sum of the absolute moves.
    pub l1: f64,
    /// The root of the sum of the squared moves.
    pub l2: f64,
    /// The share of cells that did not move.
    pub unchanged: f64,
    /// The distance of Hellinger, `√(½ Σ (√x − √a)²)`; only for tables of whole numbers that are never negative.
    pub hellinger: Option<f64>,
    /// By level, from the totals down.
    pub levels: Vec<LevelLoss>,
}

/// How far the cells of one level are from the truth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelLoss {
    /// How many steps below the totals.
    pub depth: u32,
    /// Its cells.
    pub cells: usize,
    /// Those that did not move.
    pub unchanged: usize,
    /// The mean of the moves as a share of the value, over cells that are not 0.
    pub mean_relative: f64,
    /// The largest of them.
    pub largest_relative: f64,
}

impl Loss {
    /// Measures an adjusted table.
    pub fn of(problem: &Problem, adjustment: &Adjustment) -> Self {
        let mut loss = Self::default();
        let mut levels: BTreeMap<u32, LevelLoss> = BTreeMap::new();
        let depths = depths(problem);
        let counts = problem.decimals() == 0
            && adjustment.decimals() == 0
            && problem.cells().all(|cell| problem.value(cell) >= 0)
            && adjustment.values().iter().all(|&value| value >= 0);
        let (mut squares, mut roots, mut unchanged) = (0.0, 0.0, 0_usize);
        for cell in problem.cells() {
            let value = units::to_f64(problem.value(cell), problem.decimals());
            let adjusted = units::to_f64(adjustment.values()[cell.index()], adjustment.decimals());
            let same = adjustment.moved(problem, cell) == 0;
            let moved = if same { 0.0 } else { (adjusted - value).abs() };
            loss.l1 += moved;
            squares += moved * moved;
            unchanged += usize::from(same);
            if counts {
                roots += (adjusted.sqrt() - value.sqrt()).powi(2);
            }
            let depth = depths[cell.index()];
            let level = levels.entry(depth).or_insert(LevelLoss { depth, ..LevelLoss::default() });
            level.cells += 1;
            level.unchanged += usize::from(same);
            if value != 0.0 {
                level.mean_relative += moved / value.abs();
                level.largest_relative = level.largest_relative.max(moved / value.abs());
            }
        }
        for level in levels.values_mut() {
            level.mean_relative /= level.cells as f64;
        }
        loss.l2 = squares.sqrt();
        loss.unchanged =
            if problem.is_empty() { 1.0 } else { unchanged as f64 / problem.len() as f64 };
        loss.hellinger = counts.then(|| (roots / 2.0).sqrt());
        loss.levels = levels.into_values().collect();
        loss
    }
}

/// How many steps each cell lies below the totals: by its codes, or by the relations where cells have numbers only.
fn depths(problem: &Problem) -> Vec<u32> {
    match problem.names() {
        CellNames::Codes { dimensions, .. } => {
            let depth = |cell| {
                let codes = dimensions.iter().zip(problem.names().key(cell));
                codes.map(|(dimension, &code)| u32::from(dimension.hierarchy.depth(code))).sum()
            };
            problem.cells().map(depth).collect()
        }
        CellNames::Ids(_) | CellNames::Labels(_) => steps_below(problem),
    }
}

/// The longest way up from each cell, from part to total. Relations that run in circles count once.
fn steps_below(problem: &Problem) -> Vec<u32> {
    let relations = problem.relations();
    let mut above: Vec<Vec<CellId>> = vec![Vec::new(); problem.len()];
    let mut parts: Vec<Vec<CellId>> = vec![Vec::new(); problem.len()];
    for relation in 0..relations.len() {
        let Some(total) = relations.total(relation) else { continue };
        for (part, _) in relations.row(relation).filter(|&(cell, _)| cell != total) {
            above[part.index()].push(total);
            parts[total.index()].push(part);
        }
    }
    let mut open: Vec<usize> = above.iter().map(Vec::len).collect();
    let mut ready: Vec<CellId> = problem.cells().filter(|cell| open[cell.index()] == 0).collect();
    let mut depths = vec![0; problem.len()];
    while let Some(total) = ready.pop() {
        for part in &parts[total.index()] {
            let i = part.index();
            depths[i] = depths[i].max(depths[total.index()] + 1);
            open[i] -= 1;
            if open[i] == 0 {
                ready.push(*part);
            }
        }
    }
    depths
}
