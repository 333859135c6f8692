//! Cells, as they are made, become the columns of a table.

use crate::TabulateError;
use crate::cube::{Cells, Sink};
use crate::gathered::Frame;
use crate::measure::Measure;
use cellveil_core::{
    CellId, CodeId, Contribution, Contributors, Table, TableError, TableParts, Weighted,
};

/// Collects cells into the columns of a table.
pub(crate) struct TableSink<'a> {
    frame: &'a Frame,
    measure: Measure,
    /// How many cells there is memory for.
    most: Option<(usize, u64)>,
    keys: Vec<CodeId>,
    values: Vec<i64>,
    weights: Vec<i64>,
    requests: Vec<[Option<i64>; 2]>,
    negative: Option<CellId>,
    respondents: People,
    holdings: People,
    owners: Vec<u64>,
    /// Records that have a cell to themselves.
    alone: Vec<u64>,
    holding_requests: Vec<[Option<i64>; 2]>,
}

/// Counts and largest contributions, padded to the same depth.
#[derive(Default)]
struct People {
    counts: Vec<u64>,
    top: Vec<Contribution>,
}

impl People {
    fn push(&mut self, count: u64, top: impl Iterator<Item = Contribution>, depth: usize) {
        self.counts.push(count);
        self.top.extend(top);
        self.top.resize(self.counts.len() * depth, Contribution::default());
    }
}

impl<'a> TableSink<'a> {
    /// For a table that, with what is made of it later, may take so many bytes.
    pub(crate) fn new(frame: &'a Frame, memory: Option<u64>) -> Self {
        let each = Table::bytes_per_cell(frame.dimensions.len(), frame.spec.top);
        let most = memory.map(|bytes| ((bytes / each) as usize, bytes));
        Self {
            frame,
            measure: frame.measure(),
            most,
            keys: Vec::new(),
            values: Vec::new(),
            weights: Vec::new(),
            requests: Vec::new(),
            negative: None,
            respondents: People::default(),
            holdings: People::default(),
            owners: Vec::new(),
            alone: Vec::new(),
            holding_requests: Vec::new(),
        }
    }

    /// With rows of another width.
    pub(crate) fn reading(self, measure: Measure) -> Self {
        Self { measure, ..self }
    }

    fn is_finest(&self, codes: &[CodeId]) -> bool {
        let dimensions = self.frame.dimensions.iter();
        dimensions.zip(codes).all(|(dimension, &code)| dimension.hierarchy.is_leaf(code))
    }

    /// The table of all cells taken.
    pub(crate) fn table(self) -> Result<Table, TabulateError> {
        Ok(Table::new(self.parts())?)
    }

    /// The columns of all cells taken.
    pub(crate) fn parts(mut self) -> TableParts {
        let spec = &self.frame.spec;
        let holdings = spec.holding.is_some().then(|| {
            let people = Contributors::new(self.holdings.counts, spec.top, self.holdings.top);
            let people = people.with_owners(self.owners);
            if spec.request.is_some() {
                people.with_requests(self.holding_requests)
            } else {
                people
            }
        });
        let people = Contributors::new(self.respondents.counts, spec.top, self.respondents.top);
        let respondents = if spec.owners { people.with_owners(self.alone) } else { people };
        self.keys.shrink_to_fit();
        self.values.shrink_to_fit();
        let weighted = spec
            .weight
            .is_some()
            .then_some(Weighted { decimals: self.frame.units.weight, counts: self.weights });
        TableParts {
            dimensions: self.frame.dimensions.clone(),
            keys: self.keys,
            response: spec.response.clone(),
            decimals: self.frame.units.value,
            values: self.values,
            contribution_decimals: self.frame.units.contribution,
            respondents,
            holdings,
            weighted,
            requests: spec.request.is_some().then_some(self.requests),
            negative: self.negative,
            tolerance: 0,
        }
    }
}

impl Sink for TableSink<'_> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        let (spec, measure) = (&self.frame.spec, self.measure);
        let rows = cells.rows.chunks_exact(measure.width());
        if self.values.len() + rows.len() >= u32::MAX as usize {
            return Err(TableError::TooLarge.into());
        }
        if let Some((most, bytes)) = self.most
            && self.values.len() + rows.len() > most
        {
            return Err(TabulateError::Memory { what: "cells of the table", rows: most, bytes });
        }
        let width = self.frame.dimensions.len();
        for (codes, row) in cells.codes.chunks_exact(width).zip(rows) {
            if measure.is_negative(row) && self.negative.is_none() && self.is_finest(codes) {
                self.negative = Some(CellId::at(self.values.len()));
            }
            self.values.push(measure.value(row));
            if spec.weight.is_some() {
                self.weights.push(measure.weight(row));
            }
            if spec.request.is_some() {
                self.requests.push(measure.requests(row));
            }
            if spec.owners {
                self.alone.push(measure.owner(row));
            }
            self.respondents.push(measure.count(row), measure.top(row), spec.top);
        }
        for holdings in cells.holdings {
            self.holdings.push(holdings.count, holdings.top.into_iter(), spec.top);
            self.owners.push(holdings.owner.map_or(0, u64::from));
            if spec.request.is_some() {
                self.holding_requests.push(holdings.requests);
            }
        }
        self.keys.extend_from_slice(&cells.codes);
        Ok(())
    }
}
