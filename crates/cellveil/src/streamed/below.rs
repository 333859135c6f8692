//! The finest cells below some cells.

use super::cells::Open;
use super::split::positions;
use super::survey::told_apart;
use cellveil_core::CodeId;
use cellveil_tabulate::Gathered;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// Finest cells that one thread looks at.
const PIECE: usize = 1 << 16;

/// Where cells stand, by the codes that they tell apart.
type Places = HashMap<Vec<CodeId>, u32>;

/// For each cell, the finest cells below it, ascending.
pub(super) fn below(gathered: &Gathered, cells: &[Open]) -> Vec<Vec<u32>> {
    // By the variables told apart, where each cell stands.
    let mut kinds: BTreeMap<u32, Places> = BTreeMap::new();
    for (cell, at) in cells.iter().zip(0..) {
        let set = told_apart(&cell.codes);
        let key = positions(set).into_iter().map(|d| cell.codes[d]).collect();
        kinds.entry(set).or_default().insert(key, at);
    }
    let kinds: Vec<(Vec<usize>, Places)> =
        kinds.into_iter().map(|(set, places)| (positions(set), places)).collect();
    let pieces: Vec<usize> = (0..gathered.len()).step_by(PIECE).collect();
    let found: Vec<Vec<(u32, u32)>> = pieces
        .into_par_iter()
        .map(|from| {
            let mut found = Vec::new();
            let mut key = Vec::new();
            for leaf in from..(from + PIECE).min(gathered.len()) {
                for (dimensions, places) in &kinds {
                    let mut hit = |at: u32| found.push((at, leaf as u32));
                    key.clear();
                    above(gathered, leaf, dimensions, places, &mut key, &mut hit);
                }
            }
            found
        })
        .collect();
    let mut lists = vec![Vec::new(); cells.len()];
    for (at, leaf) in found.into_iter().flatten() {
        lists[at as usize].push(leaf);
    }
    lists
}

/// Looks up every cell above a finest cell that tells some variables apart.
fn above(
    gathered: &Gathered,
    leaf: usize,
    dimensions: &[usize],
    places: &Places,
    key: &mut Vec<CodeId>,
    hit: &mut dyn FnMut(u32),
) {
    let Some(&dimension) = dimensions.get(key.len()) else {
        if let Some(&at) = places.get(key.as_slice()) {
            hit(at);
        }
        return;
    };
    let code = gathered.code(leaf, dimension);
    let hierarchy = &gathered.frame().dimensions()[dimension].hierarchy;
    for &code in hierarchy.ancestors(code).iter().filter(|&&code| code != 0) {
        key.push(code);
        above(gathered, leaf, dimensions, places, key, hit);
        key.pop();
    }
}
