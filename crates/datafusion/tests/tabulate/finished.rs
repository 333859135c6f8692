//! Tables that somebody else has made.

use crate::support::{Folder, dimension, levels, lines, source, values};
use cellveil_core::CellId;
use cellveil_datafusion::DataFusion;
use cellveil_tabulate::{Finished, FinishedSpec, HierarchySpec, Tabulate};

fn spec(dimensions: &[&str]) -> FinishedSpec {
    FinishedSpec {
        dimensions: dimensions.iter().map(|name| dimension(name, Vec::new())).collect(),
        value: "value".to_owned(),
        respondents: None,
        top: Vec::new(),
        cost: None,
        status: None,
        tolerance: 0,
    }
}

fn read(folder: &Folder, spec: &FinishedSpec) -> Result<Finished, String> {
    DataFusion::new(1)
        .finished(&source(folder.path("t.csv")), spec)
        .map_err(|error| folder.said(&error))
}

#[test]
fn values_respondents_contributions_and_statuses_are_read() {
    let folder = Folder::new();
    folder.write("t.csv", "a,value,n,x1,x2,s\nTotal,10.5,9,5,3,\nq,2.5,2,2,0.5,U\np,8,7,5,,z\n");
    let mut spec = spec(&["a"]);
    spec.respondents = Some("n".to_owned());
    spec.top = vec!["x1".to_owned(), "x2".to_owned()];
    spec.status = Some("s".to_owned());
    let finished = read(&folder, &spec).unwrap();
    assert_eq!(
        lines(&finished.table),
        ["Total = 10.5 (9: 5.0 3.0)", "p = 8.0 (7: 5.0 0.0)", "q = 2.5 (2: 2.0 0.5)"]
    );
    assert_eq!((finished.sensitive, finished.frozen), (vec![CellId(2)], vec![CellId(1)]));
}

#[test]
fn an_empty_code_is_the_total_and_levels_may_be_columns() {
    let folder = Folder::new();
    folder.write("t.csv", "V,V1,value\n1,0,2\n2,0,1\n3,1,4\n,0,3\n,1,4\n,,7\n");
    let mut spec = spec(&[]);
    spec.dimensions = vec![dimension("V", vec![levels(&["V", "V1"])])];
    let table = read(&folder, &spec).unwrap().table;
    assert_eq!(values(&table), ["Total = 7", "0 = 3", "1 = 2", "2 = 1", "1 = 4", "3 = 4"]);
    assert_eq!(table.relations().len(), 3);
}

#[test]
fn aggregates_are_cells_of_their_own() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b,value\nTotal,Total,3\nTotal,m,3\nA,Total,3\nA,m,3\np,Total,1\np,m,1\nq,Total,2\nq,m,2\n");
    let mut spec = spec(&["a", "b"]);
    spec.dimensions[0].hierarchies =
        vec![HierarchySpec::Hrc(folder.write("h.hrc", "A\n@p\n@q\n@r\n"), None)];
    assert_eq!(read(&folder, &spec).unwrap().table.len(), 8);
    spec.dimensions[0].hierarchies =
        vec![HierarchySpec::Hrc(folder.write("h.hrc", "A\n@p\n"), None)];
    let error = read(&folder, &spec).unwrap_err();
    assert!(
        error.starts_with("t.csv:8: code `q` of `a` is in no hierarchy")
            || error.starts_with("t.csv:9"),
        "{error}"
    );
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new();
    let said = |text: &str| {
        folder.write("t.csv", text);
        read(&folder, &spec(&["a"])).unwrap_err()
    };
    assert_eq!(
        said("a,value\nTotal,2\np,1\nq,1\np,1\n"),
        "t.csv:5: cell `a=p` is already listed at t.csv:3; list each cell once"
    );
    assert!(said("a,value\nTotal,2\np,x\n").starts_with("t.csv:3: column `value` holds `x`"));
    assert!(said("a,value\np,1\n").contains("`a=p` has no total `a=Total`"));
    assert!(said("a,value\n").starts_with("t.csv: holds no records"));
    let off = said("a,value\nTotal,3\np,1\nq,1\n");
    assert!(off.contains("a=Total"), "{off}");
    let mut lenient = spec(&["a"]);
    lenient.tolerance = 1;
    assert_eq!(read(&folder, &lenient).unwrap().table.tolerance(), 1);
    folder.write("t.csv", "a,value,n\nTotal,1,1.5\n");
    let counted = FinishedSpec { respondents: Some("n".to_owned()), ..spec(&["a"]) };
    assert!(
        read(&folder, &counted)
            .unwrap_err()
            .starts_with("t.csv:2: column `n` must be a whole number")
    );
}
