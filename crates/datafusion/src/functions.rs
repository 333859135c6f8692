//! The engine's functions over single columns: codes, amounts, and the extent of all records.

use crate::columns::{amounts, codes};
use crate::encode::{extent_of_bytes, extent_to_bytes};
use cellveil_tabulate::{AMOUNT_DECIMALS, Extent};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, Decimal128Array};
use datafusion::arrow::datatypes::{DataType, Decimal128Type};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, Expr, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::Arc;

/// The type of amounts inside the engine.
pub(crate) const AMOUNT: DataType = DataType::Decimal128(38, AMOUNT_DECIMALS as i8);

/// A column as codes.
pub(crate) fn code(column: Expr) -> Expr {
    ScalarUDF::from(Read::new(Kind::Code)).call(vec![column])
}

/// A column as amounts.
pub(crate) fn amount(column: Expr) -> Expr {
    ScalarUDF::from(Read::new(Kind::Amount)).call(vec![column])
}

/// A column as weights: amounts that are not negative.
pub(crate) fn weight(column: Expr) -> Expr {
    ScalarUDF::from(Read::new(Kind::Weight)).call(vec![column])
}

/// The extent of responses and weights.
pub(crate) fn extent(response: Expr, weight: Expr) -> Expr {
    let function = ExtentFunction { signature: Signature::any(2, Volatility::Immutable) };
    AggregateUDF::from(function).call(vec![response, weight])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Code,
    Amount,
    Weight,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Read {
    kind: Kind,
    signature: Signature,
}

impl Read {
    fn new(kind: Kind) -> Self {
        Self { kind, signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Read {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Code => "code",
            Kind::Amount => "amount",
            Kind::Weight => "weight",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(if self.kind == Kind::Code { DataType::Utf8 } else { AMOUNT })
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let column = arguments.args[0].to_array(arguments.number_rows)?;
        let read: ArrayRef = if self.kind == Kind::Code {
            Arc::new(codes(&column)?)
        } else {
            // Where it stands is found by a second look at the files.
            let bad = |_| DataFusionError::Execution("a field that is not an amount".to_owned());
            let amounts = amounts(&column, self.kind == Kind::Weight).map_err(bad)?;
            Arc::new(Decimal128Array::from(amounts).with_data_type(AMOUNT))
        };
        Ok(ColumnarValue::Array(read))
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ExtentFunction {
    signature: Signature,
}

impl AggregateUDFImpl for ExtentFunction {
    fn name(&self) -> &'static str {
        "extent"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn accumulator(&self, _arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(ExtentSoFar(Extent::default())))
    }
}

#[derive(Debug)]
struct ExtentSoFar(Extent);

impl Accumulator for ExtentSoFar {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let (responses, weights) = (
            values[0].as_primitive::<Decimal128Type>(),
            values[1].as_primitive::<Decimal128Type>(),
        );
        for (&response, &weight) in responses.values().iter().zip(weights.values()) {
            self.0.add(response, weight);
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Binary(Some(extent_to_bytes(&self.0))))
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let states = states[0].as_binary::<i32>();
        for at in (0..states.len()).filter(|&at| states.is_valid(at)) {
            self.0.merge(&extent_of_bytes(states.value(at))?);
        }
        Ok(())
    }
}
