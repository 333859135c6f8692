//! Every table from random records equals one made by enumerating, for each record, every cell it counts towards.

use crate::support::{Folder, dimension, source, spec};
use cellveil_core::{CellId, Table};
use cellveil_datafusion::DataFusion;
use cellveil_tabulate::{HierarchySpec, TableSpec, Tabulate};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
struct Person {
    /// Below `A` are 0 and 1, below `B` are 2 and 3; 4 is missing.
    town: usize,
    sex: usize,
    cents: i64,
    /// In tenths.
    weight: i64,
    holding: Option<u8>,
}

const TOWNS: [&str; 5] = ["a0", "a1", "b2", "b3", ""];
const TREE: &str = "A\n@a0\n@a1\nB\n@b2\n@b3\n";
/// A second tree over the same leaves, and an aggregate beside.
const OTHER: &str = "even\n@a0\n@b2\nodd\n@a1\n@b3\n";
const BESIDE: &str = "parent,child\ncoast,a1\ncoast,b2\n";

fn towns_above(town: usize) -> Vec<&'static str> {
    let mut above = vec!["Total"];
    match town {
        4 => above.push("NA"),
        _ => above.extend([TOWNS[town], ["A", "B"][town / 2], ["even", "odd"][town % 2]]),
    }
    if town == 1 || town == 2 {
        above.push("coast");
    }
    above
}

fn person() -> impl Strategy<Value = Person> {
    let holding = prop::option::weighted(0.8, 0_u8..4);
    (0_usize..5, 0_usize..2, -200_i64..1000, 0_i64..40, holding).prop_map(
        |(town, sex, cents, weight, holding)| Person { town, sex, cents, weight, holding },
    )
}

fn file(people: &[Person]) -> String {
    let line = |p: &Person| {
        let sign = if p.cents < 0 { "-" } else { "" };
        let (euros, cents) = (p.cents.abs() / 100, p.cents.abs() % 100);
        let (town, sex, tens, tenths) =
            (TOWNS[p.town], ["f", "m"][p.sex], p.weight / 10, p.weight % 10);
        let holding = p.holding.map(|h| format!("h{h}")).unwrap_or_default();
        format!("{town};{sex};{sign}{euros}.{cents:02};{tens}.{tenths};{holding}\n")
    };
    std::iter::once("town;sex;x;w;h\n".to_owned()).chain(people.iter().map(line)).collect()
}

/// Value in 10⁻³, respondents and largest contributions in cents, holdings and theirs, weighted count in tenths.
type Cell = (i64, u64, Vec<i64>, u64, Vec<i64>, i64);

fn by_enumeration(people: &[Person]) -> BTreeMap<(String, String), Cell> {
    let mut members: BTreeMap<(String, String), Vec<&Person>> = BTreeMap::new();
    for p in people {
        for town in towns_above(p.town) {
            for sex in ["Total", ["f", "m"][p.sex]] {
                members.entry((town.to_owned(), sex.to_owned())).or_default().push(p);
            }
        }
    }
    let largest = |mut sizes: Vec<i64>| {
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes.truncate(2);
        sizes
    };
    let cell = |people: Vec<&Person>| {
        let holdings: BTreeSet<u8> = people.iter().filter_map(|p| p.holding).collect();
        let of = |h: u8| {
            people.iter().filter(|p| p.holding == Some(h)).map(|p| p.cents).sum::<i64>().abs()
        };
        let alone = people.iter().filter(|p| p.holding.is_none()).map(|p| p.cents.abs());
        let shares: Vec<i64> = holdings.into_iter().map(of).chain(alone).collect();
        (
            people.iter().map(|p| p.cents * p.weight).sum(),
            people.len() as u64,
            largest(people.iter().map(|p| p.cents.abs()).collect()),
            shares.len() as u64,
            largest(shares),
            people.iter().map(|p| p.weight).sum(),
        )
    };
    members.into_iter().map(|(key, people)| (key, cell(people))).collect()
}

fn by_table(table: &Table) -> BTreeMap<(String, String), Cell> {
    let scale = |value: i64, from: u8, to: u8| value * 10_i64.pow(u32::from(to - from));
    let of = |at: usize| {
        let cell = CellId::at(at);
        let name = |d: usize| table.dimensions()[d].hierarchy.name(table.key(cell)[d]).to_owned();
        let cents = |people: &cellveil_core::Contributors| -> Vec<i64> {
            people
                .top(cell)
                .iter()
                .map(|c| scale(c.value, table.contribution_decimals(), 2))
                .collect()
        };
        let (people, holdings, weighted) =
            (table.respondents(), table.holdings().unwrap(), table.weighted().unwrap());
        let value = scale(table.values()[at], table.decimals(), 3);
        let count = scale(weighted.counts[at], weighted.decimals, 1);
        let cell = (
            value,
            people.count(cell),
            cents(people),
            holdings.count(cell),
            cents(holdings),
            count,
        );
        ((name(0), name(1)), cell)
    };
    (0..table.len()).map(of).collect()
}

fn specification(folder: &Folder) -> TableSpec {
    let hrc = |name: &str, text: &str| HierarchySpec::Hrc(folder.write(name, text), None);
    let hierarchies = vec![
        hrc("tree.hrc", TREE),
        hrc("other.hrc", OTHER),
        HierarchySpec::ParentChild(folder.write("beside.csv", BESIDE)),
    ];
    TableSpec {
        dimensions: vec![dimension("town", hierarchies), dimension("sex", Vec::new())],
        weight: Some("w".to_owned()),
        holding: Some("h".to_owned()),
        ..spec(&[], Some("x"))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_table_equals_enumeration(people in prop::collection::vec(person(), 1..40), threads in 1_usize..4) {
        let folder = Folder::new();
        let spec = specification(&folder);
        let path = folder.write("records.csv", file(&people));
        let table = DataFusion::new(threads).tabulate(&source(path), &spec, &()).unwrap();
        prop_assert_eq!(by_table(&table), by_enumeration(&people));
        prop_assert_eq!(table.negative().is_some(), people.iter().any(|p| p.cents < 0));
    }
}
