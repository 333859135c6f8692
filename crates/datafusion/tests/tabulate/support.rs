//! Files to read, specifications to read them with, and tables as lines of text.

use cellveil_core::{CellId, Table, units};
use cellveil_datafusion::DataFusion;
use cellveil_tabulate::{DimensionSpec, HierarchySpec, Source, TableSpec, Tabulate, TabulateError};
use std::path::PathBuf;
use tempfile::TempDir;

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// An error's text, without the path of this folder.
    pub(crate) fn said(&self, error: &TabulateError) -> String {
        error.to_string().replace(&format!("{}/", self.0.path().display()), "")
    }
}

pub(crate) fn source(path: impl Into<PathBuf>) -> Source {
    Source { path: path.into(), delimiter: None }
}

pub(crate) fn dimension(name: &str, hierarchies: Vec<HierarchySpec>) -> DimensionSpec {
    DimensionSpec {
        name: name.to_owned(),
        total: "Total".to_owned(),
        missing: "NA".to_owned(),
        hierarchies,
    }
}

pub(crate) fn levels(columns: &[&str]) -> HierarchySpec {
    HierarchySpec::Levels(columns.iter().map(|&column| column.to_owned()).collect())
}

/// Flat dimensions, a response, two of the largest contributions.
pub(crate) fn spec(dimensions: &[&str], response: Option<&str>) -> TableSpec {
    TableSpec {
        dimensions: dimensions.iter().map(|name| dimension(name, Vec::new())).collect(),
        response: response.map(str::to_owned),
        weight: None,
        holding: None,
        request: None,
        top: 2,
        owners: false,
    }
}

pub(crate) fn tabulate(path: impl Into<PathBuf>, spec: &TableSpec) -> Result<Table, TabulateError> {
    DataFusion::new(2).tabulate(&source(path), spec, &())
}

/// One line a cell: `codes = value (respondents: largest)`, with holdings and weighted counts where known.
pub(crate) fn lines(table: &Table) -> Vec<String> {
    let line = |at: usize| {
        let cell = CellId::at(at);
        let codes: Vec<&str> = table
            .dimensions()
            .iter()
            .zip(table.key(cell))
            .map(|(d, &code)| d.hierarchy.name(code))
            .collect();
        let shown = |value: i64| units::display(value, table.contribution_decimals()).to_string();
        let people = |people: &cellveil_core::Contributors| {
            let top: Vec<String> = people.top(cell).iter().map(|c| shown(c.value)).collect();
            format!("{}: {}", people.count(cell), top.join(" "))
        };
        let value = units::display(table.values()[at], table.decimals());
        let holdings = table.holdings().map(|h| format!(" [{}]", people(h))).unwrap_or_default();
        let weighted =
            table.weighted().map(|w| format!(" w {}", units::display(w.counts[at], w.decimals)));
        let weighted = weighted.unwrap_or_default();
        format!(
            "{} = {value} ({}){holdings}{weighted}",
            codes.join(" "),
            people(table.respondents())
        )
    };
    (0..table.len()).map(line).collect()
}

/// Codes and values only.
pub(crate) fn values(table: &Table) -> Vec<String> {
    lines(table).iter().map(|line| line.split(" (").next().unwrap().to_owned()).collect()
}
