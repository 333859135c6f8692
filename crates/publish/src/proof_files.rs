//! `witnesses.parquet` and `claims.parquet`: the proof, as rows.
//!
//! A witness is a run of rows `witness,cell,delta,units,denominator`. The cell moves by `units / denominator` units of the
//! table's last decimal, exactly; `delta` is the same as an amount, for people and other programs.

use crate::grid::{Column, Field, Grid, Kind};
use cellveil_core::{Certificate, Problem};

/// How far a cell moves, as an amount.
pub(crate) fn delta(units: i64, denominator: i64, decimals: u8) -> f64 {
    units as f64 / denominator as f64 / 10_f64.powi(i32::from(decimals))
}

pub(crate) struct WitnessGrid<'a> {
    problem: &'a Problem,
    certificate: &'a Certificate,
    /// The first row of each witness, and the number of rows.
    starts: Vec<usize>,
    columns: Vec<Column>,
}

impl<'a> WitnessGrid<'a> {
    pub(crate) fn new(problem: &'a Problem, certificate: &'a Certificate) -> Self {
        let mut starts = vec![0];
        let mut rows = 0;
        for witness in &certificate.witnesses {
            rows += witness.moves.len();
            starts.push(rows);
        }
        let whole = |name| Column::new(name, Kind::Whole);
        let columns = vec![
            whole("witness"),
            whole("cell"),
            Column::new("delta", Kind::Real),
            whole("units"),
            whole("denominator"),
        ];
        Self { problem, certificate, starts, columns }
    }
}

impl Grid for WitnessGrid<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn fill<'a>(&'a self, row: usize, fields: &mut Vec<Field<'a>>) {
        let number = self.starts.partition_point(|&start| start <= row) - 1;
        let witness = &self.certificate.witnesses[number];
        let (cell, units) = witness.moves[row - self.starts[number]];
        let denominator = i64::from(witness.denominator);
        fields.push(Field::Whole(number as i64));
        fields.push(Field::Whole(self.problem.names().id(cell) as i64));
        fields.push(Field::Real(delta(units, denominator, self.problem.decimals())));
        fields.push(Field::Whole(units));
        fields.push(Field::Whole(denominator));
    }
}

pub(crate) struct ClaimGrid<'a> {
    problem: &'a Problem,
    certificate: &'a Certificate,
    columns: Vec<Column>,
}

impl<'a> ClaimGrid<'a> {
    pub(crate) fn new(problem: &'a Problem, certificate: &'a Certificate) -> Self {
        let columns = vec![
            Column::new("cell", Kind::Whole),
            Column::new("side", Kind::Text),
            Column::new("intruder", Kind::Text),
            Column::new("witness", Kind::Whole),
        ];
        Self { problem, certificate, columns }
    }
}

impl Grid for ClaimGrid<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn rows(&self) -> usize {
        self.certificate.claims.len()
    }

    fn fill<'a>(&'a self, row: usize, fields: &mut Vec<Field<'a>>) {
        let claim = self.certificate.claims[row];
        fields.push(Field::Whole(self.problem.names().id(claim.cell) as i64));
        fields.push(claim.side.name().into());
        fields.push(claim.intruder.name().into());
        fields.push(Field::Whole(i64::from(claim.witness)));
    }
}
