//! The finest cells of a table, gathered from records and ready to be rolled up.

use crate::assembly::{Carried, Values};
use crate::cube::{Cube, Sink};
use crate::engine::Locate;
use crate::extent::Units;
use crate::hierarchy::dimension;
use crate::holding::Shares;
use crate::layout::{Key, Layout};
use crate::measure::Measure;
use crate::run::{Collector, Run, join_all};
use crate::seen::Seen;
use crate::table_sink::TableSink;
use crate::{Plan, Record, TableSpec, TabulateError, Tally};
use cellveil_core::{CellId, CellNames, CodeId, Dimension, Table};

/// All that is known of a table before its records are added up.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(crate) spec: TableSpec,
    pub(crate) dimensions: Vec<Dimension>,
    pub(crate) units: Units,
    pub(crate) holdings: usize,
    pub(crate) layout: Layout,
}

impl Frame {
    /// `holdings` is how many there are.
    ///
    /// # Errors
    /// [`TabulateError`] if keys would not fit.
    pub fn new(
        spec: &TableSpec,
        dimensions: Vec<Dimension>,
        units: Units,
        holdings: usize,
    ) -> Result<Self, TabulateError> {
        let layout = Layout::new(&dimensions, holdings)?;
        Ok(Self { spec: spec.clone(), dimensions, units, holdings, layout })
    }

    /// The units of the numbers.
    pub fn units(&self) -> Units {
        self.units
    }

    /// How keys are packed.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The variables that span the table.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// What a row holds.
    pub fn measure(&self) -> Measure {
        Measure::new(&self.spec)
    }

    /// What the table is to hold; its dimensions are not looked at.
    pub fn spec(&self) -> &TableSpec {
        &self.spec
    }

    /// Gathers records for this table on one thread.
    pub fn gatherer(&self, memory: u64) -> Gatherer {
        if self.layout.bits() <= u64::BITS {
            Gatherer::Narrow(Collector::new(self.measure(), memory))
        } else {
            Gatherer::Wide(Collector::new(self.measure(), memory))
        }
    }

    /// What the cell is called whose codes are all totals.
    pub fn grand_total(&self) -> String {
        let keys = vec![0; self.dimensions.len()];
        let names = CellNames::Codes { dimensions: self.dimensions.clone(), keys: keys.into() };
        names.describe(CellId(0)).to_string()
    }
}

impl Plan {
    /// The dimensions over the values that were met, and per dimension the code of each of them.
    ///
    /// # Errors
    /// [`TabulateError`] if a code is not one of its hierarchy, or hierarchies contradict each other.
    pub fn dimensions(
        &self,
        seen: &[&Seen],
        locate: &dyn Locate,
    ) -> Result<(Vec<Dimension>, Vec<Vec<CodeId>>), TabulateError> {
        let mut dimensions = Vec::new();
        let mut codes: Vec<Vec<CodeId>> = Vec::new();
        for (variable, seen) in self.variables.iter().zip(seen) {
            // Engines meet values in any order; only the sorted order is always the same.
            let mut order: Vec<usize> = (0..seen.values.len()).collect();
            order.sort_by(|&a, &b| seen.values[a].cmp(&seen.values[b]));
            let sorted: Vec<Values> = order.iter().map(|&at| seen.values[at].clone()).collect();
            let (dimension, of_sorted) = dimension(variable, &sorted, Carried::Finest, locate)?;
            let mut of_position = vec![0; order.len()];
            for (&at, code) in order.iter().zip(of_sorted) {
                of_position[at] = code;
            }
            dimensions.push(dimension);
            codes.push(of_position);
        }
        Ok((dimensions, codes))
    }
}

/// Gathers the records of one thread.
#[derive(Debug)]
pub enum Gatherer {
    /// With keys of 64 bits.
    Narrow(Collector<u64>),
    /// With keys of 128 bits.
    Wide(Collector<u128>),
}

impl Gatherer {
    /// Adds a record; `None` if one of its numbers does not fit.
    ///
    /// # Errors
    /// [`TabulateError::Disk`] if what has no room in memory has none on the disk either.
    pub fn push(&mut self, key: u128, record: Record) -> Result<Option<()>, TabulateError> {
        match self {
            Self::Narrow(collector) => collector.push(u64::pack(key), record),
            Self::Wide(collector) => collector.push(key, record),
        }
    }
}

/// The finest cells, by holding where there are any.
#[derive(Clone, Debug)]
pub struct Gathered {
    pub(crate) frame: Frame,
    pub(crate) rows: Rows,
}

/// Rows with keys as long as they must be.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    Narrow(Run<u64>),
    Wide(Run<u128>),
}

impl Gathered {
    /// Joins what all threads have gathered.
    ///
    /// # Errors
    /// [`TabulateError`] if the cells take more memory than there is, or their sum is too large.
    pub fn new(
        frame: Frame,
        gatherers: impl IntoIterator<Item = Gatherer>,
    ) -> Result<Self, TabulateError> {
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        for gatherer in gatherers {
            match gatherer {
                Gatherer::Narrow(collector) => narrow.push(collector.finish()?),
                Gatherer::Wide(collector) => wide.push(collector.finish()?),
            }
        }
        let measure = frame.measure();
        let rows = if wide.is_empty() {
            Rows::Narrow(join_all(narrow, measure)?)
        } else {
            Rows::Wide(join_all(wide, measure)?)
        };
        Self::checked(frame, rows)
    }

    /// From tallies with their codes, row-major, and holdings, counted from 0.
    pub(crate) fn of_tallies(
        frame: Frame,
        codes: &[CodeId],
        members: &[Option<u32>],
        tallies: &[Tally],
    ) -> Result<Self, TabulateError> {
        let measure = frame.measure();
        let (mut keys, mut words) = (Vec::new(), Vec::new());
        let width = frame.dimensions.len();
        for ((codes, member), tally) in codes.chunks_exact(width).zip(members).zip(tallies) {
            let place = |(d, &code): (usize, &CodeId)| frame.layout.place(d, code);
            let cell: u128 = codes.iter().enumerate().map(place).sum();
            let member = member.filter(|_| frame.spec.holding.is_some());
            keys.push(cell + member.map_or(0, |member| u128::from(member) + 1));
            let fits = measure.push_tally(tally, &mut words);
            fits.ok_or_else(|| TabulateError::Overflow(frame.grand_total()))?;
        }
        let rows = Rows::Wide(Run::sorted(&keys, &words, measure));
        Self::checked(frame, rows)
    }

    /// Refuses sums that could leave 64 bits on the way up.
    fn checked(frame: Frame, rows: Rows) -> Result<Self, TabulateError> {
        let measure = frame.measure();
        let words = match &rows {
            Rows::Narrow(run) => &run.words,
            Rows::Wide(run) => &run.words,
        };
        let (mut values, mut responses, mut weights) = (0_i128, 0_i128, 0_i128);
        for row in words.chunks_exact(measure.width()) {
            values += i128::from(measure.value(row)).abs();
            responses += i128::from(measure.response(row)).abs();
            weights += i128::from(measure.weight(row));
        }
        if values.max(responses).max(weights) > i128::from(i64::MAX) {
            return Err(TabulateError::Overflow(frame.grand_total()));
        }
        Ok(Self { frame, rows })
    }

    /// All but the rows.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// How many finest cells there are, by holding where those are told apart.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Narrow(run) => run.len(),
            Rows::Wide(run) => run.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Hands every margin and level to a sink, in the order of their codes.
    ///
    /// # Errors
    /// [`TabulateError`] if the sink refuses.
    pub fn roll_up(&self, sink: &mut dyn Sink) -> Result<(), TabulateError> {
        let frame = &self.frame;
        let measure = frame.measure();
        let weighted = frame.spec.weight.is_some();
        let shares = Shares { measure, units: frame.units, weighted };
        let cube = Cube {
            dimensions: &frame.dimensions,
            layout: &frame.layout,
            measure,
            shares: frame.spec.holding.is_some().then_some(shares),
        };
        match &self.rows {
            Rows::Narrow(run) => cube.roll_up(run, sink),
            Rows::Wide(run) => cube.roll_up(run, sink),
        }
    }

    /// The table, if it and all that is made of it later fit into so many bytes.
    ///
    /// # Errors
    /// [`TabulateError`] if a value or the table is too large.
    pub fn table(&self, memory: Option<u64>) -> Result<Table, TabulateError> {
        let mut sink = TableSink::new(&self.frame, memory);
        self.roll_up(&mut sink)?;
        sink.table()
    }
}

/// The finest cells with their codes found, by holding where there are any.
#[derive(Clone, Debug)]
pub struct Finest<'a> {
    /// Which numbers the table keeps; its dimensions are not looked at.
    pub spec: &'a TableSpec,
    /// The variables that span the table.
    pub dimensions: Vec<Dimension>,
    /// The codes of every group, row-major.
    pub keys: Vec<CodeId>,
    /// The holding of every group; `None` for respondents that belong to none.
    pub members: Vec<Option<u32>>,
    /// How many holdings there are.
    pub holdings: usize,
    /// The units of the numbers.
    pub units: Units,
}

impl Finest<'_> {
    /// Makes the table: every margin and level of the groups.
    ///
    /// # Errors
    /// [`TabulateError`] if a value is too large, or there are too many cells.
    pub fn table(self, tallies: &[Tally]) -> Result<Table, TabulateError> {
        let holdings = if self.spec.holding.is_some() { self.holdings } else { 0 };
        let frame = Frame::new(self.spec, self.dimensions, self.units, holdings)?;
        Gathered::of_tallies(frame, &self.keys, &self.members, tallies)?.table(None)
    }
}
