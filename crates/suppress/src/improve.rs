//! Ruin and recreate: some needs are made to rely on nothing, and met again at prices that chance has changed.
//!
//! Whatever comes out is safe, because every need relies on witnesses of its own. It is kept if it is cheaper.

use crate::chance::{below, scattered};
use crate::cover::Cover;
use crate::in_time::attempted;
use crate::incremental::near::Near;
use crate::incremental::{Manner, Workshop};
use crate::method::SuppressError;
use cellveil_core::CellId;

/// A pass that leaves more than this share of the cost gains little.
const LITTLE: f64 = 0.995;

/// What a round counts as work besides its programs.
const ROUND: u64 = 50;

/// How many needs are ruined at most, and how many where each is quickly met again.
const RUINED: usize = 24;
const RUINED_QUICKLY: usize = 200;

/// Ruins and recreates around one cell after the other, dearest first, without chance, until a pass gains little or so much more
/// work is done.
pub(crate) fn sweep(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    work: u64,
    manner: Manner,
) -> Result<(), SuppressError> {
    let problem = workshop.problem;
    let mut near = Near::new(problem, &workshop.incidence);
    let most = if matches!(manner, Manner::Quick) { RUINED_QUICKLY } else { RUINED };
    let end = workshop.work() + work;
    loop {
        let before = cover.cost();
        let mut cells = cover.secondaries();
        cells.sort_by(|a, b| problem.cost(*b).total_cmp(&problem.cost(*a)).then(a.cmp(b)));
        let total = cells.len();
        for (done, cell) in cells.into_iter().enumerate() {
            if workshop.context.is_over() || workshop.work() > end {
                return Ok(());
            }
            workshop.context.progress.step("improve", done, total, cover.cost());
            workshop.spend(ROUND);
            // A need may rely on a cell for both its sides.
            let ruined = cover.few_users(cell, 2 * most).unwrap_or_default();
            if !ruined.is_empty() && ruined.len() <= most {
                recreate(workshop, cover, &ruined, &mut near, manner)?;
            }
        }
        if cover.cost() >= before * LITTLE {
            return Ok(());
        }
    }
}

/// Ruins and recreates around cells chosen by chance.
pub(crate) fn shake(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    work: u64,
) -> Result<(), SuppressError> {
    let problem = workshop.problem;
    let mut near = Near::new(problem, &workshop.incidence);
    let mut cells = cover.secondaries();
    let (start, end) = (workshop.work(), workshop.work() + work);
    for round in 0.. {
        if workshop.context.is_over() || cells.is_empty() || workshop.work() > end {
            break;
        }
        let done = (workshop.work() - start) as usize;
        workshop.context.progress.step("improve", done, work as usize, cover.cost());
        workshop.spend(ROUND);
        let seed = scattered(workshop.context.seed, round);
        let Some(ruined) = around(cover, &cells, seed) else { continue };
        if recreate(workshop, cover, &ruined, &mut near, Manner::Careful(seed | 1))? {
            cells = cover.secondaries();
        }
    }
    Ok(())
}

/// The needs that rely on a cell chosen by chance, and on cells those rely on; in an order chosen by chance.
fn around(cover: &Cover<'_>, cells: &[CellId], seed: u64) -> Option<Vec<usize>> {
    let most = 1 + below(seed, 1, 8);
    let few = |cell: CellId| cover.few_users(cell, 2 * RUINED);
    let mut ruined = few(cells[below(seed, 2, cells.len())])?;
    let mut at = 0;
    while at < ruined.len() && ruined.len() < most {
        let moves = cover.relied(ruined[at]).flat_map(|witness| &witness.moves);
        let secondary: Vec<CellId> =
            moves.map(|&(cell, _)| cell).filter(|&cell| cover.is_secondary(cell)).collect();
        if !secondary.is_empty() {
            let cell = secondary[below(seed, 3 + at as u64, secondary.len())];
            for user in few(cell)? {
                if !ruined.contains(&user) {
                    ruined.push(user);
                }
            }
        }
        at += 1;
    }
    ruined.sort_by_key(|&need| (scattered(seed, need as u64 + 1000), need));
    (!ruined.is_empty() && ruined.len() <= RUINED).then_some(ruined)
}

/// Meets needs anew; keeps the result if it is cheaper, and says so.
fn recreate(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    ruined: &[usize],
    near: &mut Near<'_>,
    manner: Manner,
) -> Result<bool, SuppressError> {
    let before = cover.cost();
    for &need in ruined {
        cover.drop(need);
    }
    for &need in ruined {
        if cover.is_proven(need) {
            continue;
        }
        let is_met = attempted(workshop.meet(cover, need, near, manner))?.is_some();
        // What costs as much already will not become cheaper.
        if !is_met || cover.cost() >= before {
            cover.take_back();
            return Ok(false);
        }
    }
    for &need in ruined {
        cover.drop_needless(need);
    }
    let cheaper = cover.cost() < before - 1e-9 * before.abs();
    if cheaper {
        cover.settle();
    } else {
        cover.take_back();
    }
    Ok(cheaper)
}
