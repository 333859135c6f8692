//! Small releases for the tests of this crate.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use crate::{Account, Formats, Publication, Summary};
use cellveil_core::{
    Audit, CellId, Certificate, Claim, Contributors, Dimension, Hierarchy, HierarchyBuilder,
    Interval, Intruder, Need, Needs, Pattern, Policy, Problem, Reason, Release, Side, Table,
    TableParts, Why, Witness,
};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) fn flat(name: &str, codes: &[&str]) -> Dimension {
    let hierarchy = Hierarchy::flat("Total", codes.iter().copied()).unwrap();
    Dimension { name: name.to_owned(), levels: Vec::new(), hierarchy: Arc::new(hierarchy) }
}

/// A full table over the given dimensions; `value` gives the amount of a cell of leaves.
pub(crate) fn table(
    dimensions: &[Dimension],
    decimals: u8,
    value: impl Fn(&[u32]) -> i64,
) -> Table {
    let mut keys: Vec<Vec<u32>> = vec![Vec::new()];
    for dimension in dimensions {
        let codes = 0..dimension.hierarchy.len() as u32;
        keys = keys
            .into_iter()
            .flat_map(|key| codes.clone().map(move |code| [key.clone(), vec![code]].concat()))
            .collect();
    }
    let is_below = |leaf: &[u32], key: &[u32]| {
        dimensions
            .iter()
            .zip(leaf.iter().zip(key))
            .all(|(dimension, (&leaf, code))| dimension.hierarchy.ancestors(leaf).contains(code))
    };
    let is_leaf = |key: &&Vec<u32>| {
        dimensions.iter().zip(*key).all(|(dimension, &code)| dimension.hierarchy.is_leaf(code))
    };
    let leaves: Vec<&Vec<u32>> = keys.iter().filter(is_leaf).collect();
    let sum = |key: &Vec<u32>| {
        leaves.iter().filter(|leaf| is_below(leaf, key)).map(|leaf| value(leaf)).sum()
    };
    let values: Vec<i64> = keys.iter().map(sum).collect();
    let cells = values.len();
    Table::new(TableParts {
        dimensions: dimensions.to_vec(),
        keys: keys.concat(),
        response: Some("turnover".to_owned()),
        decimals,
        values,
        contribution_decimals: decimals,
        respondents: Contributors::new(vec![4; cells], 0, Vec::new()),
        holdings: None,
        weighted: None,
        requests: None,
        negative: None,
        tolerance: 0,
    })
    .unwrap()
}

/// Three regions by three activities, with margins: cell `4·region + activity`, the totals first.
pub(crate) fn grid_table() -> Table {
    let dimensions =
        vec![flat("region", &["Nord", "Sud", "Île"]), flat("activity", &["A", "B", "C"])];
    table(&dimensions, 1, |key| i64::from(key[0] * 100 + key[1] * 10))
}

pub(crate) fn grid_problem() -> Problem {
    problem(&grid_table(), &[(5, Reason::Frequency), (10, Reason::Dominance)])
}

/// The cells given are sensitive, by 1 unit down and 2 up.
pub(crate) fn problem(table: &Table, sensitive: &[(u32, Reason)]) -> Problem {
    problem_with(table, sensitive, 1)
}

/// The cells given are sensitive, by so many units down and twice as many up.
pub(crate) fn problem_with(table: &Table, sensitive: &[(u32, Reason)], level: i64) -> Problem {
    let need = |&(cell, reason): &(u32, Reason)| Need {
        cell: CellId(cell),
        down: level,
        up: 2 * level,
        sliding: 0,
        reason,
    };
    let needs = Needs::new(sensitive.iter().map(need).collect());
    Problem::from_table(table, &needs, &[], &Policy::default()).unwrap()
}

/// The grid again, as an instance whose cells have numbers of their own.
pub(crate) fn jj_problem() -> Problem {
    let mut text = Vec::new();
    cellveil_argus::jj::write(&grid_problem(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    cellveil_argus::jj::read(&text, 0).unwrap()
}

/// A release that withholds rectangles or cubes and proves itself with them. A cube lists its corners in the order of their
/// binary numbers, and some of them are sensitive.
pub(crate) fn release(problem: Problem, cubes: &[Vec<u32>]) -> Release {
    let mut pattern = Pattern::open(problem.len());
    let (mut witnesses, mut claims) = (Vec::new(), Vec::new());
    let step = 10 * problem.needs()[0].up;
    for cube in cubes {
        let moves = |step: i64| {
            let sign = |at: usize| if at.count_ones().is_multiple_of(2) { step } else { -step };
            let moves = cube.iter().enumerate().map(|(at, &cell)| (CellId(cell), sign(at)));
            Witness { denominator: 1, moves: moves.collect() }
        };
        let ways = [moves(-step), moves(step)];
        for cell in cube.iter().copied().map(CellId) {
            let sensitive = problem.needs().of(cell).is_some();
            pattern.withhold(cell, if sensitive { Why::Primary } else { Why::Secondary });
            for (way, witness) in (witnesses.len() as u32..).zip(&ways).filter(|_| sensitive) {
                let side = if witness.move_of(cell) < 0 { Side::Down } else { Side::Up };
                claims.push(Claim { cell, side, intruder: Intruder::External, witness: way });
            }
        }
        witnesses.extend(ways);
    }
    Release::new(problem, pattern, Certificate { witnesses, claims }).unwrap()
}

pub(crate) fn grid_release() -> Release {
    release(grid_problem(), &[vec![5, 6, 9, 10]])
}

pub(crate) fn audit_of(release: &Release) -> Audit {
    let problem = release.problem();
    let interval = |(cell, _): (CellId, Why)| {
        let level = problem.needs().of(cell).map_or(0, |need| need.up) as f64;
        let far = (100.0_f64 / 3.0).max(level * 1.1 * f64::from(1 + cell.0 % 13));
        let value = problem.value(cell) as f64;
        let upper = (cell.0 % 9 != 6).then_some(value + 3.0 * far);
        Interval { cell, lower: Some((value - far).max(0.0)), upper }
    };
    let intervals = release.pattern().withheld().map(interval).collect();
    Audit { intervals, ..Audit::default() }
}

pub(crate) fn publication<'a>(release: &'a Release, audit: &'a Audit) -> Publication<'a> {
    let mut summary = Summary::of(release.problem(), release.pattern(), audit);
    summary.method = Some("incremental".to_owned());
    summary.seed = Some(1);
    summary.lower_bound = Some(30.0);
    summary.gap = Some(0.5);
    summary.seconds = BTreeMap::from([("total".to_owned(), 0.25)]);
    Publication {
        release,
        audit,
        tables: &[],
        account: Account {
            summary,
            inputs: Vec::new(),
            job: Some("[table]\ndimensions = [\"region\", \"activity\"]\n".to_owned()),
            limits: BTreeMap::from([("time_limit".to_owned(), "60s".to_owned())]),
            title: "Turnover by region and activity".to_owned(),
            formats: Formats::default(),
            way: None,
        },
    }
}

/// One variable given by level columns `V`, `V1`, `V2`, finest first.
pub(crate) fn level_dimension() -> Dimension {
    let mut builder = HierarchyBuilder::new("Total");
    let coarse = [builder.code("0"), builder.code("1")];
    let middle = [builder.code("0"), builder.code("2"), builder.code("1"), builder.code("3")];
    let fine = ["2", "10", "9", "15"].map(|name| builder.code(name));
    for (total, part) in middle.into_iter().zip(fine) {
        builder.sum(total, vec![part]);
    }
    builder.sum(coarse[0], vec![middle[0], middle[1]]);
    builder.sum(coarse[1], vec![middle[2], middle[3]]);
    builder.sum(0, coarse.to_vec());
    let (hierarchy, _) = builder.build().unwrap();
    let levels = ["V", "V1", "V2"].map(str::to_owned).to_vec();
    Dimension { name: "V".to_owned(), levels, hierarchy: Arc::new(hierarchy) }
}
