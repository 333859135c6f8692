//! A table that remembers its finest cells, so that it can be made again with other codes.

use crate::arb::{CostSpec, Rules, Specify};
use crate::grc::Recoded;
use crate::{ArgusTable, CellState, CellStatus, Codes, Fault};
use cellveil_core::units::to_f64;
use cellveil_core::{CodeId, Table};
use cellveil_tabulate::{Finest, TableSpec, Tally, Units};

/// A table with the finest cells it was made of, so that it can be made again with other codes.
#[derive(Clone, Debug)]
pub struct MicroTable {
    /// The table.
    pub table: ArgusTable,
    /// The codes of the data.
    original: Vec<Codes>,
    /// Per variable, what its codes have become.
    moved: Vec<Option<Vec<CodeId>>>,
    keys: Vec<CodeId>,
    members: Vec<Option<u32>>,
    holdings: usize,
    spec: TableSpec,
    columns: [Column; 3],
}

/// The finest cells of response, shadow or cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    pub(crate) units: Units,
    pub(crate) tallies: Vec<Tally>,
}

impl MicroTable {
    #[expect(clippy::too_many_arguments, reason = "all that a table is made of, once")]
    pub(crate) fn new(
        specify: &Specify,
        rules: &Rules,
        original: Vec<Codes>,
        keys: Vec<CodeId>,
        members: Vec<Option<u32>>,
        holdings: usize,
        spec: TableSpec,
        columns: [Column; 3],
        decimals: u8,
    ) -> Result<Self, Fault> {
        let response = made(&original, &keys, &members, holdings, &spec, &columns[0])?;
        let table = ArgusTable {
            specify: specify.clone(),
            rules: rules.clone(),
            codes: original.clone(),
            decimals,
            response,
            shadow: None,
            costs: Vec::new(),
            states: Vec::new(),
            original: Vec::new(),
            counted: true,
            notes: Vec::new(),
        };
        let moved = vec![None; original.len()];
        Ok(Self { table, original, moved, keys, members, holdings, spec, columns })
    }

    /// The codes of a variable as the data have them.
    pub fn original(&self, dimension: usize) -> &Codes {
        &self.original[dimension]
    }

    /// Recodes one variable and makes the table again; statuses and levels come from the rules.
    ///
    /// # Errors
    /// [`Fault`] if the table cannot be made.
    pub fn recode(self, dimension: usize, recoded: &Recoded) -> Result<Self, Fault> {
        self.rebuilt(Some((dimension, recoded)))
    }

    pub(crate) fn rebuilt(mut self, recoded: Option<(usize, &Recoded)>) -> Result<Self, Fault> {
        if let Some((dimension, recoded)) = recoded {
            self.moved[dimension] = Some(recoded.moved.clone());
            self.table.codes[dimension] = recoded.codes.clone();
        }
        let keys = self.keys.chunks_exact(self.original.len()).flat_map(|key| {
            key.iter().zip(&self.moved).map(|(&code, moved)| match moved {
                Some(moved) => moved[code as usize],
                None => code,
            })
        });
        let keys: Vec<CodeId> = keys.collect();
        let codes = self.table.codes.clone();
        let table =
            |column: &Column| made(&codes, &keys, &self.members, self.holdings, &self.spec, column);
        self.table.response = table(&self.columns[0])?;
        let [_, shadow, cost] = &self.columns;
        self.table.shadow = if shadow.tallies.is_empty() { None } else { Some(table(shadow)?) };
        let cost = if cost.tallies.is_empty() { None } else { Some(table(cost)?) };
        self.table.costs = costs(&self.table, cost.as_ref());
        self.table.states = vec![CellState::safe(CellStatus::Safe); self.table.response.len()];
        self.table.judge().map_err(|why| Fault::new("rules".as_ref(), why.to_string()))?;
        Ok(self)
    }
}

fn made(
    codes: &[Codes],
    keys: &[CodeId],
    members: &[Option<u32>],
    holdings: usize,
    spec: &TableSpec,
    column: &Column,
) -> Result<Table, Fault> {
    let finest = Finest {
        spec,
        dimensions: codes.iter().map(|codes| codes.dimension.clone()).collect(),
        keys: keys.to_vec(),
        members: members.to_vec(),
        holdings,
        units: column.units,
    };
    finest.table(&column.tallies).map_err(|why| Fault::new("table".as_ref(), why.to_string()))
}

/// What withholding each cell costs.
pub(crate) fn costs(table: &ArgusTable, given: Option<&Table>) -> Vec<f64> {
    let amount = |table: &Table, at: usize| to_f64(table.values()[at], table.decimals()).abs();
    let cost = |at: usize| match (&table.specify.cost, given) {
        (CostSpec::Unity | CostSpec::Distance, _) => 1.0,
        (CostSpec::Frequency, _) => {
            table.judged().respondents().count(cellveil_core::CellId::at(at)) as f64
        }
        (CostSpec::Variable(_), Some(given)) => amount(given, at),
        _ => amount(&table.response, at),
    };
    (0..table.len()).map(|at| cost(at).max(1e-4)).collect()
}
