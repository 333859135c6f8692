//! `why.csv`: which primaries each secondary protects. Confidential, as everything that says which cells are sensitive and why.

use crate::PublishError;
use crate::columns::NameColumns;
use crate::grid::{Column, Field, Grid, Kind};
use cellveil_core::{CellId, Certificate, Pattern, Problem, Reasons};

/// No more primaries are written out for one secondary, nor this many for all of them; their number is given in any case.
const MOST_LISTED: usize = 100;
const MOST_IN_ALL: usize = 5_000_000;

/// One line per secondary: its codes, how many primaries it protects, and which.
pub(crate) struct WhyGrid<'a> {
    problem: &'a Problem,
    names: NameColumns<'a>,
    secondaries: Vec<CellId>,
    reasons: Reasons,
    /// How many primaries are written out for each.
    most: usize,
    columns: Vec<Column>,
}

impl<'a> WhyGrid<'a> {
    pub(crate) fn new(
        problem: &'a Problem,
        pattern: &Pattern,
        certificate: &Certificate,
    ) -> Result<Self, PublishError> {
        let names = NameColumns::new(problem.names())?;
        let mut columns = names.columns();
        columns.push(Column::new("protects", Kind::Whole));
        columns.push(Column::new("primaries", Kind::Text));
        let reasons = Reasons::of(certificate, pattern);
        let secondaries: Vec<CellId> = reasons.secondaries().collect();
        let most = (MOST_IN_ALL / secondaries.len().max(1)).clamp(1, MOST_LISTED);
        Ok(Self { problem, names, secondaries, reasons, most, columns })
    }
}

impl Grid for WhyGrid<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.secondaries.len()
    }

    fn fill<'a>(&'a self, row: usize, fields: &mut Vec<Field<'a>>) {
        let cell = self.secondaries[row];
        let (count, protects) = self.reasons.protected_by(cell, self.most);
        self.names.fill(cell, fields);
        fields.push(Field::Whole(count as i64));
        fields.push(Field::Text(listed(self.problem, count, &protects).into()));
    }
}

/// The first of some cells by their codes, and a mark if there are more.
pub(crate) fn listed(problem: &Problem, count: usize, first: &[CellId]) -> String {
    let name = |&cell: &CellId| problem.names().describe(cell).to_string();
    let names: Vec<String> = first.iter().map(name).collect();
    let more = if count > first.len() { "; …" } else { "" };
    names.join("; ") + more
}
