//! Amounts from a thousandth to a million million, side by side.

use crate::simplex::{Exact, Fraction};
use crate::support::{attacked, cases, find, pattern, same, verdict};
use cellveil_core::{Problem, Side, verify};
use cellveil_testkit::tables::{Tables, Values};
use cellveil_testkit::{Sketch, Trait, brute};
use proptest::prelude::*;

fn wide() -> Tables {
    Tables { leaves: 2, hierarchies: false, values: Values::Wide, ..Tables::default() }
}

/// Whether a need is met, to the last unit; `None` if parts of a unit decide.
fn is_met(problem: &Problem, exact: &Exact<'_>, need: &cellveil_core::Need) -> Option<bool> {
    let value = problem.value(need.cell) as f64;
    let down = exact.end(need.cell, Side::Down).map_or(f64::INFINITY, |end| value - end.to_f64());
    let up = exact.end(need.cell, Side::Up).map_or(f64::INFINITY, |end| end.to_f64() - value);
    // Whole numbers of units, and all of them small enough to be exact.
    let far = |distance: f64, level: i64| distance.round() >= level as f64;
    let met = far(down, need.down) && far(up, need.up) && far(down + up, need.sliding);
    let fraction = |x: f64| x.is_finite() && (x - x.round()).abs() > 1e-6;
    (!fraction(down) && !fraction(up)).then_some(met)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn intervals_of_wide_amounts_equal_exact_ones((problem, pattern) in attacked(wide())) {
        let exact = Exact::new(&problem, &pattern, &[]);
        for interval in find(&problem, &pattern).audit.intervals {
            for (found, side) in [(interval.lower, Side::Down), (interval.upper, Side::Up)] {
                let end = exact.end(interval.cell, side).map(Fraction::to_f64);
                // Moves, because the end of an interval may be nothing beside the cell.
                let value = problem.value(interval.cell) as f64;
                let moved = |end: Option<f64>| end.map(|end| end - value);
                prop_assert!(same(moved(found), moved(end)), "{:?} {:?} {:?}", interval, side, end);
            }
        }
    }

    #[test]
    fn verdicts_on_wide_amounts_equal_exact_ones((problem, pattern) in attacked(wide())) {
        let exact = Exact::new(&problem, &pattern, &[]);
        let found = find(&problem, &pattern);
        for need in problem.needs() {
            if let Some(met) = is_met(&problem, &exact, need) {
                prop_assert_eq!(met, !found.audit.is_exposed(need.cell), "{:?}", need);
            }
        }
        prop_assert_eq!(found.audit.exposed.is_empty(), verify(&problem, &pattern, &found.certificate).is_ok());
    }

    #[test]
    fn the_unit_changes_nothing(
        (problem, pattern) in attacked(Tables { leaves: 3, singletons: true, ..Tables::default() }),
        digits in 1..=9_u32,
    ) {
        let parts = 10_i64.pow(digits);
        let finer = brute::finer(&problem, parts);
        let (here, there) = (find(&problem, &pattern).audit, find(&finer, &pattern).audit);
        prop_assert_eq!(verdict(&problem, &here.exposed), verdict(&finer, &there.exposed));
        for (a, b) in here.intervals.iter().zip(&there.intervals) {
            let scaled = |end: Option<f64>| end.map(|end| end * parts as f64);
            prop_assert!(same(scaled(a.lower), b.lower) && same(scaled(a.upper), b.upper), "{:?} {:?}", a, b);
        }
    }
}

#[test]
fn seventeen_units_beside_thirty_thousand_million_do_not_hide_a_witness() {
    // Everything is withheld and nothing bounded above, yet the small cells' bounds lie within the solver's tolerance.
    let like = |cell| match cell {
        6 => Trait { lot: 0, levels: [12, 18, 103], cost: 1 },
        8 => Trait { lot: 0, levels: [17, 55, 115], cost: 1 },
        _ => Trait { lot: 99, levels: [0, 1, 0], cost: 1 },
    };
    let sketch = Sketch {
        axes: vec![vec![2]],
        linked: 2,
        values: vec![31_098_254_570, 35],
        traits: (0..9).map(like).collect(),
        shares: [10, 0],
        bounded: false,
        decimals: 3,
        singletons: false,
    };
    let problem = sketch.problem();
    let everything = pattern(&problem, &[true]);
    assert_eq!(find(&problem, &everything).audit.exposed, []);
}
