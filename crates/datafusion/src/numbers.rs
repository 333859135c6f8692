//! The response and the weight of every record of a batch.

use crate::columns::{BadAmount, amounts};
use cellveil_tabulate::{AMOUNT_DECIMALS, Extent, Record, Units};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};

/// One, as an amount.
const ONE: i128 = 10_i128.pow(AMOUNT_DECIMALS as u32);

/// The numbers of some records.
pub(crate) enum Numbers {
    /// Respondents are counted.
    Counted,
    /// Whole numbers without weights, as they nearly always are.
    Whole(Int64Array),
    /// Amounts of responses and of weights; ones where there is no column.
    Amounts(Option<Vec<i128>>, Option<Vec<i128>>),
}

impl Numbers {
    pub(crate) fn read(
        response: Option<&ArrayRef>,
        weight: Option<&ArrayRef>,
    ) -> Result<Self, BadAmount> {
        match (response, weight) {
            (None, None) => Ok(Self::Counted),
            (Some(column), None) if is_whole(column) => match cast(column, &DataType::Int64) {
                Ok(wide) => Ok(Self::Whole(wide.as_primitive::<Int64Type>().clone())),
                Err(_) => Ok(Self::Amounts(Some(amounts(column, false)?), None)),
            },
            (response, weight) => {
                let response = response.map(|column| amounts(column, false)).transpose();
                let weight = weight.map(|column| amounts(column, true)).transpose();
                Ok(Self::Amounts(response?, weight?))
            }
        }
    }

    /// Adds the size of the numbers of so many records.
    pub(crate) fn measure(&self, records: usize, extent: &mut Extent) {
        match self {
            Self::Counted => extent.add_whole(records as u64, records as u128),
            Self::Whole(values) => {
                let sum = values.values().iter().map(|&v| u128::from(v.unsigned_abs())).sum();
                extent.add_whole(records as u64, sum);
            }
            Self::Amounts(..) => {
                for row in 0..records {
                    let (response, weight) = self.amounts(row);
                    extent.add(response, weight);
                }
            }
        }
    }

    fn amounts(&self, row: usize) -> (i128, i128) {
        let at = |amounts: &Option<Vec<i128>>| amounts.as_ref().map_or(ONE, |amounts| amounts[row]);
        match self {
            Self::Counted => (ONE, ONE),
            Self::Whole(values) => (i128::from(values.value(row)) * ONE, ONE),
            Self::Amounts(responses, weights) => (at(responses), at(weights)),
        }
    }

    /// A record in the table's units; `None` if a number does not fit.
    pub(crate) fn record(
        &self,
        row: usize,
        units: Units,
        request: Option<usize>,
    ) -> Option<Record> {
        let whole = |response: i64| Record {
            response,
            weight: 1,
            value: i128::from(response),
            request,
            number: 0,
        };
        match self {
            Self::Counted => Some(whole(1)),
            Self::Whole(values) if units == Units::default() => Some(whole(values.value(row))),
            _ => {
                let (response, weight) = self.amounts(row);
                units.record(response, weight, request)
            }
        }
    }
}

fn is_whole(column: &ArrayRef) -> bool {
    let kind = column.data_type();
    kind.is_integer() && *kind != DataType::UInt64 && column.null_count() == 0
}
