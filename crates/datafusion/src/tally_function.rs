//! The engine's function over groups of records: everything a cell needs to know, in one pass.

use crate::encode::{tally_of_bytes, tally_to_bytes};
use cellveil_tabulate::{Record, Tally, Units, text};
use datafusion::arrow::array::{ArrayRef, AsArray, BinaryBuilder, BooleanArray};
use datafusion::arrow::datatypes::{DataType, Decimal128Type};
use datafusion::common::{DataFusionError, Result, not_impl_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, Expr, GroupsAccumulator, Signature,
    Volatility,
};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The records counted so far, by all threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter(Arc<AtomicU64>);

impl Counter {
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl PartialEq for Counter {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Counter {}

impl Hash for Counter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// How records are tallied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Manner {
    pub(crate) units: Units,
    pub(crate) depth: usize,
    /// The values that mean a request for protection.
    pub(crate) requests: [Option<String>; 2],
    pub(crate) counter: Counter,
}

/// The tally of responses, weights and request values.
pub(crate) fn tally(manner: Manner, response: Expr, weight: Expr, request: Expr) -> Expr {
    let function = TallyFunction { manner, signature: Signature::any(3, Volatility::Immutable) };
    AggregateUDF::from(function).call(vec![response, weight, request])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct TallyFunction {
    manner: Manner,
    signature: Signature,
}

impl AggregateUDFImpl for TallyFunction {
    fn name(&self) -> &'static str {
        "tally"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn accumulator(&self, _arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_impl_err!("records are always grouped")
    }

    fn groups_accumulator_supported(&self, _arguments: AccumulatorArgs) -> bool {
        true
    }

    fn create_groups_accumulator(
        &self,
        _arguments: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Tallies { manner: self.manner.clone(), tallies: Vec::new() }))
    }
}

struct Tallies {
    manner: Manner,
    tallies: Vec<Tally>,
}

impl Manner {
    /// The records of some columns, in the table's units.
    fn records<'a>(&'a self, values: &'a [ArrayRef]) -> impl Iterator<Item = Result<Record>> + 'a {
        let responses = values[0].as_primitive::<Decimal128Type>().values();
        let weights = values[1].as_primitive::<Decimal128Type>().values();
        let requests = values[2].as_string::<i32>();
        let asked = |request: Option<&str>| {
            let request = request.and_then(text::code)?;
            self.requests.iter().position(|code| code.as_deref() == Some(request))
        };
        let too_large = || DataFusionError::Execution("an amount that does not fit".to_owned());
        responses.iter().zip(weights).zip(requests).map(move |((&response, &weight), request)| {
            self.units.record(response, weight, asked(request)).ok_or_else(too_large)
        })
    }
}

impl GroupsAccumulator for Tallies {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        _filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.tallies.resize_with(count, Tally::default);
        for (record, &group) in self.manner.records(values).zip(groups) {
            self.tallies[group].add(record?, self.manner.depth);
        }
        self.manner.counter.0.fetch_add(groups.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.tallies.resize_with(count, Tally::default);
        let states = values[0].as_binary::<i32>();
        for (at, &group) in groups.iter().enumerate() {
            self.tallies[group].merge(&tally_of_bytes(states.value(at))?, self.manner.depth);
        }
        Ok(())
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        Ok(encoded(emit.take_needed(&mut self.tallies).iter()))
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit)?])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        _filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let alone = |record: Result<Record>| {
            let mut tally = Tally::default();
            tally.add(record?, self.manner.depth);
            Ok(tally)
        };
        let tallies = self.manner.records(values).map(alone).collect::<Result<Vec<Tally>>>()?;
        self.manner.counter.0.fetch_add(tallies.len() as u64, Ordering::Relaxed);
        Ok(vec![encoded(tallies.iter())])
    }

    fn size(&self) -> usize {
        self.tallies.capacity() * (size_of::<Tally>() + 16 * self.manner.depth)
    }
}

fn encoded<'a>(tallies: impl Iterator<Item = &'a Tally>) -> ArrayRef {
    let mut builder = BinaryBuilder::new();
    let mut bytes = Vec::new();
    for tally in tallies {
        bytes.clear();
        tally_to_bytes(tally, &mut bytes);
        builder.append_value(&bytes);
    }
    Arc::new(builder.finish())
}
