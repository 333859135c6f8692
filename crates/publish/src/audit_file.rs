//! `pattern.csv` and `audit.csv`: the withheld cells, and what an intruder can work out about them.

use crate::grid::{Column, Field, Grid, Kind};
use cellveil_core::{Audit, CellId, Exposure, Pattern, Problem, Why, units};

/// `cell,status` of every withheld cell.
pub(crate) struct PatternGrid<'a> {
    problem: &'a Problem,
    withheld: Vec<(CellId, Why)>,
    columns: [Column; 2],
}

impl<'a> PatternGrid<'a> {
    pub(crate) fn new(problem: &'a Problem, pattern: &Pattern) -> Self {
        let columns = [Column::new("cell", Kind::Whole), Column::new("status", Kind::Text)];
        Self { problem, withheld: pattern.withheld().collect(), columns }
    }
}

impl Grid for PatternGrid<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.withheld.len()
    }

    fn fill<'a>(&'a self, row: usize, fields: &mut Vec<Field<'a>>) {
        let (cell, why) = self.withheld[row];
        fields.push(Field::Whole(self.problem.names().id(cell) as i64));
        fields.push(crate::confidentiality::status_letter(Some(why)).into());
    }
}

/// One line per withheld cell: the interval an intruder can derive, and the one that was required.
pub(crate) struct AuditGrid<'a> {
    problem: &'a Problem,
    audit: &'a Audit,
    withheld: Vec<(CellId, Why)>,
    columns: Vec<Column>,
}

impl<'a> AuditGrid<'a> {
    pub(crate) fn new(problem: &'a Problem, pattern: &Pattern, audit: &'a Audit) -> Self {
        let amount = Kind::Amount(problem.decimals());
        let columns = [
            ("cell", Kind::Whole),
            ("status", Kind::Text),
            ("value", amount),
            // Ends of intervals may be no whole number of units, or infinite.
            ("lower", Kind::Text),
            ("upper", Kind::Text),
            ("need_lower", amount),
            ("need_upper", amount),
            ("exposed", Kind::Text),
        ];
        let columns = columns.into_iter().map(|(name, kind)| Column::new(name, kind)).collect();
        Self { problem, audit, withheld: pattern.withheld().collect(), columns }
    }
}

impl Grid for AuditGrid<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.withheld.len()
    }

    fn fill<'a>(&'a self, row: usize, fields: &mut Vec<Field<'a>>) {
        let (cell, why) = self.withheld[row];
        let (problem, value) = (self.problem, self.problem.value(cell));
        fields.push(Field::Whole(problem.names().id(cell) as i64));
        fields.push(crate::confidentiality::status_letter(Some(why)).into());
        fields.push(Field::Amount(value));
        let interval = self.audit.interval(cell);
        let end = |end: Option<f64>, infinite: f64| {
            Field::Text(shown(end.unwrap_or(infinite), problem.decimals()).into())
        };
        fields.push(interval.map_or(Field::Empty, |i| end(i.lower, f64::NEG_INFINITY)));
        fields.push(interval.map_or(Field::Empty, |i| end(i.upper, f64::INFINITY)));
        let need = problem.needs().of(cell);
        let at = |level: Option<i64>| level.map_or(Field::Empty, Field::Amount);
        fields.push(at(need.map(|need| value.saturating_sub(need.down))));
        fields.push(at(need.map(|need| value.saturating_add(need.up))));
        fields.push(if self.audit.is_exposed(cell) { "true" } else { "false" }.into());
    }
}

/// One line per exposed need: whose it is, who comes too close, on which side and by which calculation.
pub(crate) struct ReasonGrid<'a> {
    problem: &'a Problem,
    reasons: &'a [(Exposure, String)],
    columns: [Column; 4],
}

impl<'a> ReasonGrid<'a> {
    pub(crate) fn new(problem: &'a Problem, reasons: &'a [(Exposure, String)]) -> Self {
        let text = |name| Column::new(name, Kind::Text);
        let columns =
            [Column::new("cell", Kind::Whole), text("side"), text("intruder"), text("reason")];
        Self { problem, reasons, columns }
    }
}

impl Grid for ReasonGrid<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.reasons.len()
    }

    fn fill<'a>(&'a self, row: usize, fields: &mut Vec<Field<'a>>) {
        let (exposure, reason) = &self.reasons[row];
        let insider = exposure.singleton.and_then(|cell| self.problem.insiders().of(cell));
        let intruder =
            insider.map_or(self.problem.outsider(), |insider| self.problem.insider_kind(insider));
        fields.push(Field::Whole(self.problem.names().id(exposure.cell) as i64));
        fields.push(exposure.side.map_or("apart", |side| side.name()).into());
        fields.push(intruder.name().into());
        fields.push(Field::Text(reason[..].into()));
    }
}

/// An amount of units as a decimal number. Six decimals beyond the table's are kept, so that the last bits of a solver's
/// arithmetic do not show.
fn shown(amount: f64, decimals: u8) -> String {
    if !amount.is_finite() {
        return amount.to_string();
    }
    let nearest = amount.round();
    if (amount - nearest).abs() < 1e-6 && nearest.abs() < 9e15 {
        return units::display(nearest as i64, decimals).to_string();
    }
    let places = usize::from(decimals) + 6;
    let text = format!("{:.places$}", amount / 10_f64.powi(i32::from(decimals)));
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn ends_of_intervals_lose_noise_but_no_fractions() {
        assert_eq!(shown(1_234.000_000_01, 2), "12.34");
        assert_eq!(shown(10.0 / 3.0, 0), "3.333333");
        assert_eq!(shown(f64::INFINITY, 2), "inf");
        assert_eq!(shown(f64::NEG_INFINITY, 2), "-inf");
    }
}
