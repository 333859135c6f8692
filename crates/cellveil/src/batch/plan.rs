//! The sub-tables of τ-ARGUS's modular method (`HiTaS`), in its order and with its weights.
//!
//! Levels of all variables together make a group; groups come by the sum of their levels. A sub-table of a group takes one parent and
//! its parts of every variable. Margins cost more by what the cells below them could cost at most, so that they are withheld last.

use cellveil_argus::arb::{CostSpec, Suppress};
use cellveil_argus::{ArgusTable, Codes, Instance};
use cellveil_core::{CellId, CodeId};
use cellveil_suppress::{Part, PartCell, Plan};
use std::collections::BTreeMap;

/// What the grand total of a sub-table costs, unless the batch says otherwise.
const GRAND: f64 = 20_000.0;

/// What a margin costs where costs go by distance.
const FAR: f64 = 999.0;

/// The plan for some tables of one instance.
pub(super) fn plan(tables: &[&ArgusTable], instance: &Instance, suppress: &Suppress) -> Plan {
    let grand = suppress.parameter(4).filter(|most| *most >= 1.0).unwrap_or(GRAND);
    let mut groups: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
    let mut equal = Vec::new();
    for (table, cells) in tables.iter().zip(&instance.cells) {
        let axes: Vec<Axis> = table.codes.iter().map(Axis::new).collect();
        for levels in products(&axes.iter().map(|axis| axis.families.len()).collect::<Vec<_>>()) {
            let class = levels.iter().sum();
            if class > 0 {
                let parts = subtables(table, cells, &axes, &levels, grand);
                groups.entry(class).or_default().extend(parts);
            }
        }
        equal.extend(equal_cells(table, cells));
    }
    let share = |at: usize, default: f64| {
        suppress.parameter(at).map_or(default, |margin| (margin - 1.0).abs())
    };
    let [down, up] = Plan::SHARES;
    let shares = [share(5, down), share(6, up)];
    let mut plan = Plan { groups: groups.into_values().collect(), equal, shares };
    add_virtual_cells(&mut plan, instance);
    plan
}

/// A variable without its trivial levels: per level, every parent with its parts.
struct Axis {
    families: Vec<Vec<Vec<CodeId>>>,
}

impl Axis {
    fn new(codes: &Codes) -> Self {
        let finest = codes.finest();
        let hierarchy = &codes.dimension.hierarchy;
        let total = vec![finest[0]];
        let mut families = vec![vec![total.clone()]];
        let mut parents = total;
        loop {
            let mut level = Vec::new();
            for &parent in &parents {
                if let Some(sum) = hierarchy.sums_of(parent).first() {
                    let parts = sum.parts.iter().map(|&part| finest[part as usize]);
                    level.push(std::iter::once(parent).chain(parts).collect::<Vec<_>>());
                }
            }
            if level.is_empty() {
                return Self { families };
            }
            parents = level.iter().flat_map(|family| family[1..].iter().copied()).collect();
            families.push(level);
        }
    }
}

/// All combinations of numbers below some sizes, the last fastest.
fn products(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let sizes = sizes.to_vec();
    (0..sizes.iter().product()).map(move |mut number: usize| {
        let mut digits = vec![0; sizes.len()];
        for (digit, size) in digits.iter_mut().zip(&sizes).rev() {
            (*digit, number) = (number % size, number / size);
        }
        digits
    })
}

/// The sub-tables of a group that have cells.
fn subtables(
    table: &ArgusTable,
    cells: &[CellId],
    axes: &[Axis],
    levels: &[usize],
    grand: f64,
) -> Vec<Part> {
    let choices: Vec<&[Vec<CodeId>]> =
        axes.iter().zip(levels).map(|(axis, &level)| axis.families[level].as_slice()).collect();
    let is_flat = axes.iter().all(|axis| axis.families.len() <= 2);
    let sizes: Vec<usize> = choices.iter().map(|families| families.len()).collect();
    products(&sizes)
        .filter_map(|chosen| {
            let families: Vec<&[CodeId]> =
                choices.iter().zip(chosen).map(|(families, at)| families[at].as_slice()).collect();
            subtable(table, cells, &families, (is_flat, grand))
        })
        .collect()
}

/// One sub-table with its weights, if its grand total exists.
fn subtable(
    table: &ArgusTable,
    cells: &[CellId],
    families: &[&[CodeId]],
    (is_flat, grand): (bool, f64),
) -> Option<Part> {
    let sizes: Vec<usize> = families.iter().map(|family| family.len()).collect();
    let found = products(&sizes).filter_map(|place| {
        let key: Vec<CodeId> = place.iter().zip(families).map(|(&at, family)| family[at]).collect();
        Some((table.find(&key)?, place))
    });
    let shape = Shape { found: found.collect(), sizes };
    if shape.found.first()?.1.iter().any(|&at| at > 0) {
        return None;
    }
    let costs = match table.specify.cost {
        CostSpec::Distance => shape.distances(table),
        _ => shape.found.iter().map(|&(cell, _)| table.cost(cell)).collect(),
    };
    let weights = shape.weights(&costs, is_flat, grand);
    let part_cell = |((cell, place), weight): (&(CellId, Vec<usize>), f64)| PartCell {
        cell: cells[cell.index()],
        weight,
        inner: shape.is_inner(place),
    };
    let mut part: Vec<PartCell> = shape.found.iter().zip(weights).map(part_cell).collect();
    part.sort_by_key(|cell| cell.cell);
    Some(Part { cells: part })
}

/// The cells of a sub-table with their places, the grand total first.
struct Shape {
    found: Vec<(CellId, Vec<usize>)>,
    sizes: Vec<usize>,
}

impl Shape {
    fn is_margin(&self, place: &[usize], d: usize) -> bool {
        place[d] == 0 && self.sizes[d] > 1
    }

    fn is_inner(&self, place: &[usize]) -> bool {
        (0..place.len()).all(|d| !self.is_margin(place, d))
    }

    /// Costs as whole numbers; in a hierarchical table a margin costs what all that is below it could cost at most as well.
    fn weights(&self, costs: &[f64], is_flat: bool, grand: f64) -> Vec<f64> {
        let inner = self.found.iter().zip(costs).filter(|((_, place), _)| self.is_inner(place));
        let dearest = inner.map(|(_, &cost)| cost).fold(0.0, f64::max);
        let below = |place: &[usize]| {
            let margins = (0..place.len()).filter(|&d| self.is_margin(place, d));
            margins.map(|d| self.sizes[d] - 1).product::<usize>() as f64
        };
        let cost = |((_, place), &cost): (&(CellId, Vec<usize>), &f64)| {
            if is_flat || self.is_inner(place) { cost } else { cost + dearest * below(place) }
        };
        let costs: Vec<f64> = self.found.iter().zip(costs).map(cost).collect();
        costs.iter().map(|cost| (cost * grand / costs[0]).ceil().max(1.0)).collect()
    }

    /// How far cells are from the sensitive ones in their rows; margins are far from everything.
    fn distances(&self, table: &ArgusTable) -> Vec<f64> {
        let steps: Vec<[f64; 5]> = table.codes.iter().map(|codes| steps(&codes.distance)).collect();
        let furthest = steps.iter().flatten().copied().fold(1.0, f64::max);
        let is_unsafe = |cell: CellId| table.states[cell.index()].status.is_unsafe();
        let sensitive: Vec<&Vec<usize>> = self
            .found
            .iter()
            .filter(|(cell, place)| is_unsafe(*cell) && self.is_inner(place))
            .map(|(_, place)| place)
            .collect();
        let distance = |place: &Vec<usize>| {
            let from = |other: &&Vec<usize>| {
                let mut apart = (0..place.len()).filter(|&d| place[d] != other[d]);
                let d = apart.next().filter(|_| apart.next().is_none())?;
                Some(steps[d][(place[d].abs_diff(other[d]) - 1).min(4)])
            };
            sensitive.iter().filter_map(from).fold(furthest, f64::min)
        };
        let one = |(_, place): &(CellId, Vec<usize>)| {
            if self.is_inner(place) { distance(place) } else { FAR }
        };
        self.found.iter().map(one).collect()
    }
}

/// What one to five and more steps cost; the last number given counts for all that follow, the first is 1 if there is none.
fn steps(given: &[f64]) -> [f64; 5] {
    let mut last = 1.0;
    std::array::from_fn(|step| {
        last = given.get(step).copied().unwrap_or(last);
        last
    })
}

/// Cells of chains of single parts.
fn equal_cells(table: &ArgusTable, cells: &[CellId]) -> Vec<Vec<CellId>> {
    let finest: Vec<Vec<CodeId>> = table.codes.iter().map(Codes::finest).collect();
    let mut equal: BTreeMap<Vec<CodeId>, Vec<CellId>> = BTreeMap::new();
    for (at, &cell) in cells.iter().enumerate() {
        let key = table.response.key(CellId::at(at)).iter().zip(&finest);
        let key = key.map(|(&code, finest)| finest[code as usize]).collect();
        equal.entry(key).or_default().push(cell);
    }
    equal.into_values().filter(|cells| cells.len() > 1).collect()
}

/// A virtual cell goes where all cells are that it adds up.
fn add_virtual_cells(plan: &mut Plan, instance: &Instance) {
    let first = instance.problem.len() - instance.virtual_cells;
    let relations = instance.problem.relations();
    let mut homes: Vec<Vec<usize>> = vec![Vec::new(); instance.problem.len()];
    for (at, part) in plan.groups.iter().flatten().enumerate() {
        for cell in &part.cells {
            homes[cell.cell.index()].push(at);
        }
    }
    let mut parts: Vec<&mut Part> = plan.groups.iter_mut().flatten().collect();
    for relation in 0..relations.len() {
        let row = relations.row(relation).map(|(cell, _)| cell);
        let (added, members): (Vec<CellId>, Vec<CellId>) = row.partition(|c| c.index() >= first);
        let (&[added], [one, others @ ..]) = (&added[..], &members[..]) else { continue };
        let is_home =
            |at: &&usize| others.iter().all(|cell| homes[cell.index()].binary_search(at).is_ok());
        for &at in homes[one.index()].iter().filter(is_home) {
            parts[at].cells.push(PartCell { cell: added, weight: 1.0, inner: false });
        }
    }
}
