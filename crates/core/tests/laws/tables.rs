//! Tables are additive or refused, naming the cell.

use cellveil_core::{
    Contributors, Dimension, Hierarchy, HierarchyBuilder, ProblemError, Table, TableError,
    TableParts,
};
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::Arc;

/// Region (a total, one group of two, one leaf) by size (a total and two leaves): 5 × 3 cells.
fn parts(inner: [i64; 6]) -> TableParts {
    let mut builder = HierarchyBuilder::new("Total");
    let north = builder.code("north");
    let (east, west, south) = (builder.code("east"), builder.code("west"), builder.code("south"));
    builder.sum(0, vec![north, south]);
    builder.sum(north, vec![east, west]);
    let region = builder.build().unwrap().0;
    let size = Hierarchy::flat("All", ["small", "large"]).unwrap();
    let dimension = |name: &str, hierarchy| Dimension {
        name: name.to_owned(),
        levels: Vec::new(),
        hierarchy: Arc::new(hierarchy),
    };
    // Codes in display order: Total, north, east, west, south.
    let leaf = |region: usize| [2, 3, 4].iter().position(|&code| code == region);
    let at = |region: usize, size: usize| leaf(region).map_or(0, |row| inner[row * 2 + size - 1]);
    let below = |region: usize| match region {
        0 => vec![2, 3, 4],
        1 => vec![2, 3],
        other => vec![other],
    };
    let sizes = |size: usize| if size == 0 { vec![1, 2] } else { vec![size] };
    let mut keys = Vec::new();
    let mut values = Vec::new();
    for region in 0..5 {
        for size in 0..3 {
            keys.extend([region as u32, size as u32]);
            values.push(
                below(region)
                    .iter()
                    .flat_map(|&r| sizes(size).into_iter().map(move |s| (r, s)))
                    .map(|(r, s)| at(r, s))
                    .sum(),
            );
        }
    }
    TableParts {
        dimensions: vec![dimension("region", region), dimension("size", size)],
        keys,
        response: None,
        decimals: 0,
        values,
        contribution_decimals: 0,
        respondents: Contributors::new(vec![1; 15], 0, Vec::new()),
        holdings: None,
        weighted: None,
        requests: None,
        negative: None,
        tolerance: 0,
    }
}

fn without(mut parts: TableParts, cell: usize) -> TableParts {
    parts.keys.drain(cell * 2..cell * 2 + 2);
    parts.values.remove(cell);
    parts.respondents = Contributors::new(vec![1; parts.values.len()], 0, Vec::new());
    parts
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_additive_table_is_taken_with_every_sum(inner in any::<[i32; 6]>()) {
        let table = Table::new(parts(inner.map(i64::from))).unwrap();
        prop_assert_eq!(table.relations().len(), 2 * 3 + 5, "two aggregates by three sizes, five totals by size");
        for relation in 0..table.relations().len() {
            prop_assert_eq!(table.relations().residual(relation, table.values()), 0);
        }
    }

    #[test]
    fn a_changed_cell_is_refused_and_named_or_its_total_is(
        inner in any::<[i32; 6]>(), which in any::<Index>(), change in any::<i32>(),
    ) {
        prop_assume!(change != 0);
        let mut parts = parts(inner.map(i64::from));
        let cell = which.index(15);
        parts.values[cell] += i64::from(change);
        let names = ["Total", "north", "east", "west", "south"];
        let sizes = ["All", "small", "large"];
        let described = |region: usize, size: usize| format!("`region={}, size={}`", names[region], sizes[size]);
        let (region, size) = (cell / 3, cell % 3);
        let up = [0, 0, 1, 1, 0][region];
        let totals = [described(region, size), described(up, size), described(region, 0)];
        let Err(TableError::NotAdditive(ProblemError::NotAdditive { count, worst })) = Table::new(parts) else {
            return Err(TestCaseError::fail("taken"));
        };
        prop_assert!(count >= 1);
        prop_assert!(worst.iter().all(|total| totals.contains(total)), "{worst:?} are not totals of {totals:?}");
    }

    #[test]
    fn a_missing_total_is_named(inner in any::<[i32; 6]>(), region in 0..2_usize, size in 0..3_usize) {
        let parts = without(parts(inner.map(i64::from)), region * 3 + size);
        let name = format!("region={}, size={}", ["Total", "north"][region], ["All", "small", "large"][size]);
        let Err(TableError::NoTotal { total, .. }) = Table::new(parts) else {
            return Err(TestCaseError::fail("taken"));
        };
        prop_assert_eq!(total, name);
    }
}

#[test]
fn a_cell_listed_twice_is_named() {
    let mut parts = parts([1; 6]);
    parts.keys.splice(2..4, [0, 0]);
    assert_eq!(
        Table::new(parts).unwrap_err(),
        TableError::Twice("region=Total, size=All".to_owned())
    );
}

#[test]
fn a_code_outside_its_hierarchy_is_refused() {
    let mut parts = parts([1; 6]);
    let last = parts.keys.len() - 1;
    parts.keys[last] = 3;
    assert_eq!(Table::new(parts).unwrap_err(), TableError::Columns);
}
