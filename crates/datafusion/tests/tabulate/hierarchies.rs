//! Hierarchies in their four forms, alone and several over one variable.

use crate::support::{Folder, dimension, levels, spec, tabulate, values};
use cellveil_core::Table;
use cellveil_tabulate::{HierarchySpec, TabulateError};

fn with(
    folder: &Folder,
    records: &str,
    hierarchies: Vec<HierarchySpec>,
) -> Result<Table, TabulateError> {
    let mut spec = spec(&[], Some("x"));
    spec.dimensions = vec![dimension("town", hierarchies)];
    tabulate(folder.write("records.csv", records), &spec)
}

const TOWNS: &str = "town,x\na1,1\na2,2\nb1,4\n";
const SUMS: [&str; 6] = ["Total = 7", "A = 3", "a1 = 1", "a2 = 2", "B = 4", "b1 = 4"];

#[test]
fn all_four_forms_say_the_same() {
    let folder = Folder::new();
    let hrc = HierarchySpec::Hrc(folder.write("t.hrc", "A\n@a1\n@a2\n@a3\nB\n@b1\nC\n@c1\n"), None);
    assert_eq!(values(&with(&folder, TOWNS, vec![hrc]).unwrap()), SUMS);
    let pairs = folder.write("t.csv", "Parent;Child\nA;a1\nA;a2\nB;b1\nTotal;A\nC;c1\n");
    assert_eq!(
        values(&with(&folder, TOWNS, vec![HierarchySpec::ParentChild(pairs)]).unwrap()),
        SUMS
    );
    let columns = "town,x,county\na1,1,A\na2,2,A\nb1,4,B\n";
    assert_eq!(values(&with(&folder, columns, vec![levels(&["town", "county"])]).unwrap()), SUMS);
    let digits = values(&with(&folder, TOWNS, vec![HierarchySpec::Digits(vec![1, 1])]).unwrap());
    assert_eq!(digits.join(", ").to_uppercase(), SUMS.join(", ").to_uppercase());
}

#[test]
fn ragged_trees_and_single_children_keep_every_level() {
    let folder = Folder::new();
    let hrc = folder.write("t.hrc", "A\n@A.1 é\n@@deep\nB\n");
    let table =
        with(&folder, "town,x\ndeep,1\nB,2\n", vec![HierarchySpec::Hrc(hrc, None)]).unwrap();
    assert_eq!(values(&table), ["Total = 3", "A = 1", "A.1 é = 1", "deep = 1", "B = 2"]);
    let digits =
        with(&folder, "town,x\n112,1\n12,2\n2,3\n", vec![HierarchySpec::Digits(vec![1, 1, 1])])
            .unwrap();
    assert_eq!(values(&digits), ["Total = 6", "1 = 3", "11 = 1", "112 = 1", "12 = 2", "2 = 3"]);
}

#[test]
fn the_hierarchy_file_may_be_in_an_old_encoding() {
    let folder = Folder::new();
    let hrc = folder.write("t.hrc", b"R\xe9gion\r\n@\xe9a\r\n@b\r\n");
    let table = with(&folder, "town,x\néa,1\nb,2\n", vec![HierarchySpec::Hrc(hrc, None)]).unwrap();
    assert_eq!(values(&table), ["Total = 3", "Région = 3", "éa = 1", "b = 2"]);
}

#[test]
fn several_hierarchies_share_their_codes() {
    let folder = Folder::new();
    let main = HierarchySpec::Hrc(folder.write("main.hrc", "A\n@a1\n@a2\nB\n@b1\n"), None);
    let other =
        HierarchySpec::Hrc(folder.write("other.hrc", "North\n@a1\n@b1\nSouth\n@a2\n"), None);
    let coast =
        HierarchySpec::ParentChild(folder.write("coast.csv", "parent,child\nCoast,a2\nCoast,B\n"));
    let table = with(&folder, TOWNS, vec![main, other, coast]).unwrap();
    let mut seen = values(&table);
    seen.sort();
    let mut wanted: Vec<&str> =
        SUMS.into_iter().chain(["North = 5", "South = 2", "Coast = 6"]).collect();
    wanted.sort_unstable();
    assert_eq!(seen, wanted);
    // Total by both full trees, A, B, North, South and Coast.
    assert_eq!(table.relations().len(), 7);
}

#[test]
fn level_columns_may_branch_and_files_may_build_upon_them() {
    let folder = Folder::new();
    let records = "town,county,zone,x\na1,A,u,1\na2,A,v,2\nb1,B,u,4\n";
    let both = || vec![levels(&["town", "county"]), levels(&["town", "zone"])];
    let table = with(&folder, records, both()).unwrap();
    assert_eq!(
        values(&table),
        ["Total = 7", "A = 3", "a1 = 1", "a2 = 2", "B = 4", "b1 = 4", "u = 5", "v = 2"]
    );
    let mut three = both();
    three.push(HierarchySpec::Hrc(folder.write("e.hrc", "East\n@A\n"), None));
    assert!(values(&with(&folder, records, three).unwrap()).contains(&"East = 3".to_owned()));
}

#[test]
fn missing_values_hang_below_the_total() {
    let folder = Folder::new();
    let records = "town,x\na1,1\n,2\n";
    let unlisted = HierarchySpec::Hrc(folder.write("t.hrc", "A\n@a1\n@a2\n"), None);
    assert_eq!(
        values(&with(&folder, records, vec![unlisted]).unwrap()),
        ["Total = 3", "A = 1", "a1 = 1", "NA = 2"]
    );
    let listed = HierarchySpec::Hrc(folder.write("u.hrc", "A\n@a1\n@NA\n"), None);
    assert_eq!(
        values(&with(&folder, records, vec![listed]).unwrap()),
        ["Total = 3", "A = 3", "a1 = 1", "NA = 2"]
    );
    let digits = HierarchySpec::Digits(vec![1, 1]);
    assert_eq!(
        values(&with(&folder, records, vec![digits]).unwrap()),
        ["Total = 3", "a = 1", "a1 = 1", "NA = 2"]
    );
}

#[test]
fn missing_towns_of_two_counties_are_two_codes() {
    let folder = Folder::new();
    let records = "town,county,x\na1,A,1\n,A,2\n,B,4\n,,8\n";
    let table = with(&folder, records, vec![levels(&["town", "county"])]).unwrap();
    let expected =
        ["Total = 15", "A = 3", "a1 = 1", "NA = 2", "B = 4", "NA = 4", "NA = 8", "NA = 8"];
    assert_eq!(values(&table), expected);
}
