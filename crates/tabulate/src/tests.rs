//! From groups to tables, without an engine.

use crate::{
    DimensionSpec, Frame, Gathered, HierarchySpec, Locate, Place, Plan, Record, Seen, TableSpec,
    TabulateError, Units,
};
use cellveil_core::{CellId, Table};
use std::path::PathBuf;

struct Nowhere;

impl Locate for Nowhere {
    fn first(&self, wanted: &[(&str, Option<&str>)]) -> Place {
        Place::File(PathBuf::from(format!("{wanted:?}")))
    }
}

fn spec(dimensions: Vec<(&str, Vec<HierarchySpec>)>) -> TableSpec {
    let dimension = |(name, hierarchies): (&str, _)| DimensionSpec {
        name: name.to_owned(),
        total: "T".to_owned(),
        missing: "?".to_owned(),
        hierarchies,
    };
    TableSpec {
        dimensions: dimensions.into_iter().map(dimension).collect(),
        response: Some("x".to_owned()),
        weight: None,
        holding: None,
        request: None,
        top: 1,
        owners: false,
    }
}

fn table(spec: &TableSpec, groups: &[(&[&str], &str, i64)]) -> Result<Table, TabulateError> {
    gathered(spec, groups)?.table(None)
}

fn gathered(spec: &TableSpec, groups: &[(&[&str], &str, i64)]) -> Result<Gathered, TabulateError> {
    let plan = Plan::new(spec)?;
    let mut seen = vec![Seen::default(); spec.dimensions.len()];
    let mut holdings = Seen::default();
    for (values, holding, _) in groups {
        for (seen, value) in seen.iter_mut().zip(*values) {
            seen.position(&[Some(value)]);
        }
        holdings.position(&[Some(holding)]);
    }
    let seen: Vec<&Seen> = seen.iter().collect();
    let (dimensions, codes) = plan.dimensions(&seen, &Nowhere)?;
    let frame = Frame::new(spec, dimensions, Units::default(), holdings.len())?;
    let mut gatherer = frame.gatherer(1 << 20);
    for (values, holding, response) in groups {
        let place = |(d, value): (usize, &&str)| {
            let at = seen[d].find(&[Some(value)]).map_or(0, |at| at as usize);
            frame.layout().place(d, codes[d][at])
        };
        let cell: u128 = values.iter().enumerate().map(place).sum();
        let named = spec.holding.is_some() && !holding.is_empty();
        let member = holdings.find(&[Some(holding)]).filter(|_| named).map_or(0, |at| at + 1);
        let value = i128::from(*response);
        let record = Record { response: *response, weight: 1, value, request: None, number: 0 };
        let fits = gatherer.push(cell + u128::from(member), record)?;
        assert!(fits.is_some());
    }
    Gathered::new(frame, [gatherer])
}

fn cells(table: &Table) -> Vec<(String, i64)> {
    let name = |at| table.names().describe(CellId::at(at)).to_string();
    (0..table.len()).map(|at| (name(at), table.values()[at])).collect()
}

#[test]
fn only_cells_that_exist_are_made() -> Result<(), TabulateError> {
    let spec = spec(vec![("a", vec![]), ("b", vec![])]);
    let table = table(&spec, &[(&["1", "u"], "", 3), (&["2", "v"], "", 4), (&["1", "u"], "", 5)])?;
    let expected = [
        ("a=T, b=T", 12),
        ("a=T, b=u", 8),
        ("a=T, b=v", 4),
        ("a=1, b=T", 8),
        ("a=1, b=u", 8),
        ("a=2, b=T", 4),
        ("a=2, b=v", 4),
    ];
    assert_eq!(cells(&table), expected.map(|(name, value)| (name.to_owned(), value)));
    Ok(())
}

#[test]
fn the_order_of_groups_does_not_matter() -> Result<(), TabulateError> {
    let mut spec = spec(vec![("a", vec![HierarchySpec::Digits(vec![1, 1])]), ("b", vec![])]);
    spec.holding = Some("h".to_owned());
    let mut groups: Vec<(&[&str], &str, i64)> = vec![
        (&["11", "u"], "x", 3),
        (&["12", "u"], "y", 4),
        (&["21", "v"], "x", 5),
        (&["11", ""], "", 7),
    ];
    let forward = table(&spec, &groups)?;
    groups.reverse();
    let backward = table(&spec, &groups)?;
    assert_eq!(cells(&forward), cells(&backward));
    assert_eq!(forward.holdings(), backward.holdings());
    assert_eq!(forward.holdings().map(|h| h.count(CellId(0))), Some(3));
    Ok(())
}

#[test]
fn a_value_that_does_not_fit_names_its_cell() {
    let spec = spec(vec![("a", vec![])]);
    let error = table(&spec, &[(&["p"], "", i64::MAX), (&["q"], "", i64::MAX)])
        .err()
        .map(|e| e.to_string());
    assert!(error.is_some_and(|text| text.starts_with("the value of cell `a=T` is too large")));
}

#[test]
fn too_many_codes_for_any_key_are_refused() {
    let names: Vec<String> = (0..130).map(|d| format!("d{d}")).collect();
    let spec = spec(names.iter().map(|name| (&name[..], vec![])).collect());
    let error = table(&spec, &[(&["p"; 130], "", 1)]).err().map(|e| e.to_string());
    assert_eq!(error.as_deref(), Some("the table has more than 4 billion cells"));
}

#[test]
fn a_holding_that_has_several_cells_to_itself_is_known_to() -> Result<(), TabulateError> {
    let mut spec = spec(vec![("a", Vec::new())]);
    spec.holding = Some("h".to_owned());
    let groups: [(&[&str], &str, i64); 5] = [
        (&["p"], "one", 5),
        (&["q"], "one", 7),
        (&["r"], "one", 1),
        (&["r"], "two", 2),
        (&["s"], "two", 9),
    ];
    let table = table(&spec, &groups)?;
    let named = |cells: &Vec<CellId>| {
        cells.iter().map(|&cell| table.names().describe(cell).to_string()).collect::<Vec<_>>()
    };
    let coalitions: Vec<Vec<String>> = table
        .holdings()
        .map_or_else(Vec::new, cellveil_core::Contributors::coalitions)
        .iter()
        .map(named)
        .collect();
    assert_eq!(coalitions, [["a=p", "a=q"]]);
    Ok(())
}

#[test]
fn what_is_saved_goes_on_where_it_was_left() -> Result<(), TabulateError> {
    let mut spec = spec(vec![("a", vec![HierarchySpec::Digits(vec![1, 1])]), ("b", vec![])]);
    spec.holding = Some("h".to_owned());
    let groups: [(&[&str], &str, i64); 4] = [
        (&["11", "u"], "x", 3),
        (&["12", "u"], "y", 4),
        (&["21", "v"], "x", 5),
        (&["11", ""], "", 7),
    ];
    let gathered = gathered(&spec, &groups)?;
    let mut file = Vec::new();
    assert!(gathered.save("these records", &mut file).is_ok());
    let loaded = |made_from: &str, file: &[u8]| Gathered::load(&spec, made_from, &mut &file[..]);
    let again = loaded("these records", &file).map(|gathered| gathered.table(None)).transpose()?;
    let (table, again) = (gathered.table(None)?, again);
    assert_eq!(again.as_ref().map(cells), Some(cells(&table)));
    assert_eq!(again.as_ref().map(Table::holdings), Some(table.holdings()));
    assert!(loaded("other records", &file).is_none());
    assert!(loaded("these records", &file[..file.len() - 1]).is_none());
    for at in (0..file.len()).step_by(5) {
        let mut damaged = file.clone();
        damaged[at] ^= 4;
        assert!(loaded("these records", &damaged).is_none(), "byte {at}");
    }
    Ok(())
}

#[test]
fn more_cells_than_there_is_memory_for_are_refused() -> Result<(), TabulateError> {
    let spec = spec(vec![("a", vec![]), ("b", vec![])]);
    let gathered = gathered(&spec, &[(&["1", "u"], "", 3), (&["2", "v"], "", 4)])?;
    assert_eq!(gathered.table(Some(1 << 20))?.len(), 7);
    let error = gathered.table(Some(512)).err().map(|error| error.to_string());
    assert!(error.is_some_and(|text| text.contains("512 bytes of memory are not enough")));
    Ok(())
}
