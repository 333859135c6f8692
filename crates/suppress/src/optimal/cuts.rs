//! Inequalities that every safe pattern satisfies.
//!
//! Whatever multipliers `γ` an intruder gives to the relations, `s·y_k = Σ d_i y_i` with `d = s·e_k − Mᵀγ`, so the cells that are
//! withheld must satisfy `Σ |d_i| room_i x_i ≥ level` (a *capacity cut*). This holds for every `γ`, also one that is a little off:
//! multipliers are rounded to fractions, and everything that follows from them is added up in whole numbers.

use super::level::{Goal, Level, System};
use cellveil_core::Side;

/// `Σ coefficient · x ≥ asked` over positions of free cells, ascending, with coefficients of at most 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    pub(super) terms: Vec<(u32, f64)>,
    pub(super) asked: f64,
    /// Whether every safe pattern satisfies it, or some cheapest one.
    pub(super) is_for_all: bool,
}

impl Cut {
    /// By how much a point misses the cut.
    pub(super) fn violation(&self, point: &[f64]) -> f64 {
        self.asked - self.terms.iter().map(|&(at, c)| c * point[at as usize]).sum::<f64>()
    }

    /// By how much a point misses the cut, in distance.
    pub(super) fn depth(&self, point: &[f64]) -> f64 {
        let norm = self.terms.iter().map(|&(_, c)| c * c).sum::<f64>().sqrt();
        self.violation(point) / norm.max(1e-9)
    }
}

/// Multipliers are fractions with this denominator: 2⁴·3²·5·7·11·13, so that those of small denominator are exact.
const FRACTION: f64 = 720_720.0;

/// Smaller coefficients are raised to this one, because an engine may take them for nothing. Raising is the cautious side.
const LEAST: f64 = 1e-6;

/// Makes up for the rounding of one division.
const UP: f64 = 1.0 + 1e-12;

/// What the cells of a level can contribute at most, in units over a common denominator.
#[derive(Clone, Debug)]
pub(super) struct Capacity {
    /// Free cells with what they contribute when withheld; `None` if there is no limit. Ascending.
    pub(super) terms: Vec<(u32, Option<i128>)>,
    /// What is missing without them: above 0.
    pub(super) missing: i128,
}

/// The multipliers of relations for one side.
pub(super) type Multipliers = Vec<(u32, f64)>;

impl Capacity {
    /// Adds up what multipliers, one set per side of the level, say about the cells; `None` if nothing is missing.
    pub(super) fn new(
        system: &System<'_>,
        level: &Level,
        multipliers: &[Multipliers],
    ) -> Option<Self> {
        let mut missing = level.target;
        let mut sides: Vec<(i128, Vec<(u32, i64)>)> = Vec::new();
        for (&side, multipliers) in level.goal.sides().iter().zip(multipliers) {
            if multipliers.is_empty() {
                // No calculation is needed where the cell's own bound holds it back.
                missing = missing.saturating_sub(system.room(level.at, side)?);
            } else {
                sides.push(directions(system, level.at, side, multipliers)?);
            }
        }
        // A common denominator for both sides of a width.
        let common: i128 = sides.iter().map(|(denominator, _)| denominator).product();
        let mut all: Vec<(u32, Option<i128>)> = Vec::new();
        for (denominator, directions) in &sides {
            let factor = common / denominator;
            for &(at, direction) in directions {
                if level.held.binary_search(&at).is_ok() {
                    continue;
                }
                let side = if direction < 0 { Side::Down } else { Side::Up };
                let size = i128::from(direction.unsigned_abs()) * factor;
                let units = match system.room(at, side) {
                    Some(room) => Some(size.checked_mul(i128::from(room))?),
                    None => None,
                };
                all.push((at, units));
            }
        }
        all.sort_unstable();
        let mut missing = i128::from(missing).checked_mul(common)?;
        let mut terms: Vec<(u32, Option<i128>)> = Vec::with_capacity(all.len());
        for of_cell in all.chunk_by(|a, b| a.0 == b.0) {
            let units = of_cell
                .iter()
                .map(|&(_, units)| units)
                .try_fold(0_i128, |sum, units| Some(sum + units?));
            match units {
                _ if system.free[of_cell[0].0 as usize] => terms.push((of_cell[0].0, units)),
                Some(units) => missing -= units,
                None => return None,
            }
        }
        terms.retain(|&(_, units)| units != Some(0));
        (missing > 0).then_some(Self { terms, missing })
    }

    /// The cut with the cells of `given` counted as withheld: `Σ min(c_i, R) x_i ≥ R` over the others, where `R` is what is still
    /// missing then (a *knapsack cover*). `None` if nothing is.
    pub(super) fn cut(&self, given: impl Fn(u32) -> bool) -> Option<Cut> {
        let mut missing = self.missing;
        for &(_, units) in self.terms.iter().filter(|&&(at, _)| given(at)) {
            missing -= units?;
        }
        if missing <= 0 {
            return None;
        }
        let coefficient = |units: Option<i128>| match units {
            Some(units) if units < missing => {
                (units as f64 / missing as f64 * UP).clamp(LEAST, 1.0)
            }
            _ => 1.0,
        };
        let others = self.terms.iter().filter(|&&(at, _)| !given(at));
        let terms = others.map(|&(at, units)| (at, coefficient(units))).collect();
        Some(Cut { terms, asked: 1.0, is_for_all: true })
    }
}

/// `d = s·e_k − Mᵀγ` as whole numbers over a denominator, without the cell `k` itself.
fn directions(
    system: &System<'_>,
    at: u32,
    side: Side,
    multipliers: &Multipliers,
) -> Option<(i128, Vec<(u32, i64)>)> {
    let mut sums: Vec<(u32, i64)> = vec![(at, side.sign() * FRACTION as i64)];
    for &(row, multiplier) in multipliers {
        let whole = (multiplier * FRACTION).round() as i64;
        if whole != 0 {
            let terms = &system.component.rows[row as usize];
            sums.extend(
                terms.iter().map(|&(other, c)| (other, -i64::from(c).saturating_mul(whole))),
            );
        }
    }
    sums.sort_unstable_by_key(|&(other, _)| other);
    let mut merged: Vec<(u32, i64)> = Vec::with_capacity(sums.len());
    for of_cell in sums.chunk_by(|a, b| a.0 == b.0) {
        let sum = of_cell.iter().try_fold(0_i64, |sum, &(_, d)| sum.checked_add(d))?;
        if sum != 0 {
            merged.push((of_cell[0].0, sum));
        }
    }
    // What is left of the cell itself goes to the other side of the equation.
    let own =
        merged.iter().position(|&(other, _)| other == at).map_or(0, |own| merged.remove(own).1);
    let denominator = i128::from(FRACTION as i64) - i128::from(side.sign() * own);
    (denominator > 0).then_some((denominator, merged))
}

/// The cuts that one relation alone gives for a level; for a width also with the cell's own bound on one side.
pub(super) fn of_one_relation(system: &System<'_>, level: &Level) -> Vec<Capacity> {
    let mut found = Vec::new();
    for &(row, c) in &system.rows_of[level.at as usize] {
        let alone = |side: Side| vec![(row, side.sign() as f64 / f64::from(c))];
        let ways: Vec<Vec<Multipliers>> = match level.goal {
            Goal::Side(side) => vec![vec![alone(side)]],
            Goal::Width => vec![
                vec![alone(Side::Down), alone(Side::Up)],
                vec![alone(Side::Down), Vec::new()],
                vec![Vec::new(), alone(Side::Up)],
            ],
        };
        found.extend(ways.iter().filter_map(|way| Capacity::new(system, level, way)));
    }
    found
}

/// Cuts of single relations against a point: a cell is not withheld alone in a relation. Anyone could compute it there, so publishing it changes
/// nothing, and some cheapest pattern does so wherever it can.
pub(super) fn of_lone_cells(system: &System<'_>, point: &[f64]) -> Vec<Cut> {
    let share = |at: u32| point[at as usize];
    let of_row = |terms: &Vec<(u32, i32)>| {
        if terms.iter().any(|&(at, _)| !system.free[at as usize]) {
            return None;
        }
        let (head, _) = terms
            .iter()
            .copied()
            .max_by(|a, b| share(a.0).total_cmp(&share(b.0)).then(b.0.cmp(&a.0)))?;
        let terms = terms.iter().map(|&(at, _)| (at, if at == head { -1.0 } else { 1.0 }));
        let cut = Cut { terms: terms.collect(), asked: 0.0, is_for_all: false };
        (cut.violation(point) > LONE).then_some(cut)
    };
    system.component.rows.iter().filter_map(of_row).collect()
}

/// How much a cut of a single relation must be missed by.
const LONE: f64 = 1e-2;

/// How much a cut must be missed by to be worth a row.
pub(super) const VIOLATED: f64 = 1e-3;

/// Cells withheld to at least this share are given away, one set after the other, to see which cover is missed most.
const GIVEN: [f64; 4] = [0.999, 0.9, 0.7, 0.5];

/// The strongest cuts that a point misses.
pub(super) fn strongest(capacity: &Capacity, point: &[f64]) -> Vec<Cut> {
    let mut found: Vec<(f64, Cut)> = Vec::new();
    let mut candidates: Vec<Cut> = capacity.cut(|_| false).into_iter().collect();
    for given in GIVEN {
        candidates.extend(capacity.cut(|at| point[at as usize] >= given));
    }
    candidates.dedup();
    let rounded: Vec<Cut> = candidates.iter().filter_map(|cut| rounded(cut, point)).collect();
    candidates.extend(rounded);
    for cut in candidates {
        if cut.violation(point) > VIOLATED {
            found.push((cut.depth(point), cut));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(2);
    found.into_iter().map(|(_, cut)| cut).collect()
}

/// Divided by one of its coefficients and rounded (mixed-integer rounding): `Σ (⌊a⌋ + min(1, frac a / f)) x ≥ ⌈1/δ⌉`, with `a = c/δ`
/// and `f` the fraction of `1/δ`.
fn rounded(cut: &Cut, point: &[f64]) -> Option<Cut> {
    const NOTHING: f64 = 1e-7;
    let mut divisors: Vec<f64> = cut
        .terms
        .iter()
        .filter(|&&(at, c)| point[at as usize] > 0.01 && c < 1.0 - NOTHING && c > 0.05)
        .map(|&(_, c)| c)
        .collect();
    divisors.sort_by(f64::total_cmp);
    divisors.dedup_by(|a, b| (*a - *b).abs() < NOTHING);
    divisors.truncate(12);
    let mut best: Option<(f64, Cut)> = None;
    for divisor in divisors {
        let whole = 1.0 / divisor;
        let fraction = whole - (whole + NOTHING).floor();
        if fraction < 0.01 {
            continue;
        }
        let right = whole.ceil();
        let coefficient = |c: f64| {
            let a = c / divisor;
            let floor = (a + NOTHING).floor();
            let rest = ((a - floor).max(0.0) / fraction).min(1.0);
            ((floor + rest) / right * UP).clamp(LEAST, 1.0)
        };
        let terms = cut.terms.iter().map(|&(at, c)| (at, coefficient(c))).collect();
        let cut = Cut { terms, asked: 1.0, is_for_all: true };
        let depth = cut.depth(point);
        if depth > best.as_ref().map_or(0.0, |(best, _)| *best) {
            best = Some((depth, cut));
        }
    }
    best.map(|(_, cut)| cut)
}
